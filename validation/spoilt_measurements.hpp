// SPDX-License-Identifier: Apache-2.0
// Tables as benches write them, and the ways in which benches and people spoil them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::validation {

struct BenchTable {
  std::vector<std::string> head;
  std::vector<std::vector<double>> columns;

  std::vector<double>& column(const std::string& part) {
    for (std::size_t i = 0; i < head.size(); ++i)
      if (head[i].find(part) != std::string::npos) return columns[i];
    demand(false, "the table has the column");
    return columns[0];
  }
  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
  // Six digits, as benches print.
  std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < head.size(); ++i) out += (i > 0 ? "," : "") + head[i];
    for (std::size_t row = 0; row < rows(); ++row) {
      out += '\n';
      for (std::size_t i = 0; i < columns.size(); ++i)
        out += (i > 0 ? "," : "") + fmt::format("{:.7g}", columns[i][row]);
    }
    return out + '\n';
  }
  void keep_rows(const std::vector<std::size_t>& which) {
    for (auto& c : columns) {
      std::vector<double> kept;
      for (const std::size_t i : which) kept.push_back(c[i]);
      c = std::move(kept);
    }
  }
};

// Spoils a table; the other one is the same measurement of another mount.
using Spoil = std::function<void(BenchTable&, const BenchTable& other, RandomStream&)>;

inline Spoil each_value(const std::string& part, const std::function<double(double)>& change) {
  return [=](BenchTable& t, const BenchTable&, RandomStream&) {
    for (double& v : t.column(part)) v = change(v);
  };
}
inline Spoil scaled(const std::string& part, double factor) {
  return each_value(part, [=](double v) { return factor * v; });
}
// A factor that nobody knows, 1.1 to 2 or its inverse.
inline Spoil out_of_calibration(const std::string& part) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    const double factor = std::exp((r.uniform() < 0.5 ? -1.0 : 1.0) * r.uniform(std::log(1.1), std::log(2.0)));
    for (double& v : t.column(part)) v *= factor;
  };
}
inline Spoil dead(const std::string& part, bool at_zero) {
  return [=](BenchTable& t, const BenchTable&, RandomStream&) {
    std::vector<double>& c = t.column(part);
    c.assign(c.size(), at_zero ? 0.0 : c[0]);
  };
}
inline Spoil clipped(const std::string& part) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    std::vector<double>& c = t.column(part);
    double largest = 0.0;
    for (const double v : c) largest = std::max(largest, std::abs(v));
    const double limit = r.uniform(0.4, 0.8) * largest;
    for (double& v : c) v = std::clamp(v, -limit, limit);
  };
}
inline Spoil shuffled(const std::string& part) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    std::vector<double>& c = t.column(part);
    for (std::size_t i = c.size(); i > 1; --i) std::swap(c[i - 1], c[r.below(i)]);
  };
}
// Times a random factor, each value its own: a log-normal spread of the given size.
inline Spoil spread(const std::string& part, double size) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    for (double& v : t.column(part)) v *= std::exp(size * r.normal());
  };
}
inline Spoil noise_instead(const std::string& part) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    std::vector<double>& c = t.column(part);
    double squares = 0.0;
    for (const double v : c) squares += v * v;
    const double size = std::sqrt(squares / static_cast<double>(c.size()));
    for (double& v : c) v = size * r.normal();
  };
}
inline Spoil spikes(const std::string& part) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    std::vector<double>& c = t.column(part);
    double largest = 0.0;
    for (const double v : c) largest = std::max(largest, std::abs(v));
    const double share = std::exp(r.uniform(std::log(0.002), std::log(0.05)));
    for (double& v : c)
      if (r.uniform() < share) v += (r.uniform() < 0.5 ? -1.0 : 1.0) * r.uniform(2.0, 20.0) * largest;
  };
}
inline Spoil late(const std::string& part, std::uint64_t from, std::uint64_t to) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    std::vector<double>& c = t.column(part);
    const std::vector<double> before = c;
    const std::size_t samples = from + r.below(to - from + 1);
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = before[i > samples ? i - samples : 0];
  };
}
// Stands still for a while, as when a cable is loose.
inline Spoil hangs(const std::string& part) {
  return [=](BenchTable& t, const BenchTable&, RandomStream& r) {
    std::vector<double>& c = t.column(part);
    const std::size_t length = c.size() / 5 + r.below(c.size() / 5), at = r.below(c.size() - length);
    for (std::size_t i = at; i < at + length; ++i) c[i] = c[at];
  };
}
inline Spoil exchanged(const std::string& a, const std::string& b) {
  return [=](BenchTable& t, const BenchTable&, RandomStream&) { std::swap(t.column(a), t.column(b)); };
}
inline void rows_repeated(BenchTable& t, const BenchTable&, RandomStream&) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < t.rows(); ++i) rows.insert(rows.end(), 2, i);
  t.keep_rows(rows);
}
inline void rows_turned_round(BenchTable& t, const BenchTable&, RandomStream&) {
  for (auto& c : t.columns) std::reverse(c.begin(), c.end());
}
inline void time_turned_round(BenchTable& t, const BenchTable& other, RandomStream& r) {
  const std::vector<double> time = t.column("time");
  rows_turned_round(t, other, r);
  t.column("time") = time;
}
inline void rows_lost(BenchTable& t, const BenchTable&, RandomStream& r) {
  const std::size_t length = t.rows() / 10 + r.below(t.rows() / 5), at = r.below(t.rows() - length);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < t.rows(); ++i)
    if (i < at || i >= at + length) rows.push_back(i);
  t.keep_rows(rows);
}
inline void other_mount(BenchTable& t, const BenchTable& other, RandomStream&) { t = other; }
inline void half_of_other_mount(BenchTable& t, const BenchTable& other, RandomStream& r) {
  for (std::size_t row = 0; row < t.rows(); ++row)
    if (r.uniform() < 0.5)
      for (std::size_t i = 0; i < t.columns.size(); ++i) t.columns[i][row] = other.columns[i][row % other.rows()];
}
inline void other_mount_appended(BenchTable& t, const BenchTable& other, RandomStream&) {
  for (std::size_t i = 0; i < t.columns.size(); ++i)
    t.columns[i].insert(t.columns[i].end(), other.columns[i].begin(), other.columns[i].end());
}

}  // namespace kdyn::validation
