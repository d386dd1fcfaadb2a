// SPDX-License-Identifier: Apache-2.0
// How any law becomes a candidate of a comparison: stiffness of map rows, forces along records, and mounts, with
// derivatives by the logarithms of its free parameters.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/angle.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/identify/compare.hpp"
#include "kdyn/identify/internal/law_candidate.hpp"

namespace kdyn::inline identify {

inline LogParameter about(const std::string& name, const std::string& unit, const std::string& meaning, double start,
                          double down = 1e-4, double up = 1e4) {
  return {name, unit, meaning, start, start * down, start * up};
}

// Laws whose response to a sine is made of a part of the amplitude and one of the frequency: each is computed once per
// level instead of once per row.
template <class Law>
concept SeparatesAmplitude = requires(const Law& law, typename Law::Scalar a) {
  law.harmonic(law.frequency_part(1.0, law.amplitude_part(a).harmonics()), law.amplitude_part(a));
};

// Amplitudes as achieved scatter within a level. A level of few of them is computed at each; one of more at its two ends
// when they are within 3 %, else at three places across it, and between them by straight line or parabola: of a range of
// 3 % the line leaves 1e-4 of what changes, of 10 % the parabola 1e-6.
class AmplitudeNodes {
 public:
  explicit AmplitudeNodes(const std::vector<MapRow>& rows) {
    std::vector<double> all;
    for (const MapRow& row : rows) all.push_back(row.amplitude);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      while (end < all.size() && all[end] <= 1.1 * all[i]) ++end;
      const double low = all[i], high = all[end - 1];
      std::vector<double> places(all.begin() + static_cast<std::ptrdiff_t>(i),
                                 all.begin() + static_cast<std::ptrdiff_t>(end));
      if (end - i > 2 && high <= 1.03 * low)
        places = {low, high};
      else if (end - i > 3)
        places = {low, 0.5 * (low + high), high};
      groups_.push_back({low, high, nodes_.size(), places.size()});
      nodes_.insert(nodes_.end(), places.begin(), places.end());
      i = end;
    }
  }
  const std::vector<double>& nodes() const { return nodes_; }

  // Value at an amplitude, value(i) being that at node i.
  template <class Value>
  auto at(double amplitude, Value&& value) const {
    std::size_t g = 0;
    while (g + 1 < groups_.size() && amplitude > groups_[g].high) ++g;
    const Group& group = groups_[g];
    decltype(value(0)) out{};
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      double weight = 1.0;
      for (std::size_t j = group.first; j < group.first + group.count; ++j)
        if (j != i) weight *= (amplitude - nodes_[j]) / (nodes_[i] - nodes_[j]);
      if (weight == 0.0) continue;
      const auto one = value(i);
      out.re += weight * one.re;
      out.im += weight * one.im;
    }
    return out;
  }

 private:
  struct Group {
    double low, high;
    std::size_t first, count;
  };
  std::vector<Group> groups_;
  std::vector<double> nodes_;
};

// Stiffness of a law with its parameters set, at every row.
template <class Law, class Harmonic, class Put>
void stiffness_of_rows(const Law& law, const Harmonic& harmonic, const std::vector<MapRow>& rows, Put&& put) {
  using T = typename Law::Scalar;
  if constexpr (SeparatesAmplitude<Law>) {
    const AmplitudeNodes nodes(rows);
    std::vector<typename Law::AmplitudePart> parts;
    int harmonics = 0;
    for (const double a : nodes.nodes()) {
      parts.push_back(law.amplitude_part(T(a)));
      harmonics = std::max(harmonics, parts.back().harmonics());
    }
    std::map<double, decltype(law.frequency_part(1.0, 1))> frequencies;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double f = rows[r].frequency_hz;
      auto known = frequencies.find(f);
      if (known == frequencies.end()) known = frequencies.emplace(f, law.frequency_part(two_pi * f, harmonics)).first;
      put(r, nodes.at(rows[r].amplitude, [&](std::size_t i) { return law.harmonic(known->second, parts[i]); }));
    }
  } else {
    for (std::size_t r = 0; r < rows.size(); ++r) put(r, harmonic(law, rows[r].frequency_hz, T(rows[r].amplitude)));
  }
}

// A parameter with its derivative with respect to its logarithm.
template <int width>
Jet<width> by_logarithm(const Eigen::VectorXd& values, int i) {
  Jet<width> value(values[i], i);
  value.v *= value.a;
  return value;
}

// Any law with visit_parameters and harmonic(omega, a): `names` are the free parameters in the order of the unknowns.
template <int width, class Law, class Harmonic>
auto stiffness_function(const Law& base, std::vector<std::string> names, Harmonic harmonic) {
  return [base, names = std::move(names), harmonic](const Eigen::VectorXd& values, const std::vector<MapRow>& rows,
                                                    Eigen::VectorXcd& K, Eigen::MatrixXcd* dK) {
    const auto set = [&](auto& law, auto&& make) {
      law.visit_parameters([&](const char* name, auto& member) {
        for (std::size_t i = 0; i < names.size(); ++i)
          if (names[i] == name) member = make(static_cast<int>(i));
      });
    };
    K.resize(static_cast<Eigen::Index>(rows.size()));
    if (dK == nullptr) {
      Law law = base;
      set(law, [&](int i) { return values[i]; });
      stiffness_of_rows(law, harmonic, rows, [&](std::size_t r, const Complex<double>& one) {
        K[static_cast<Eigen::Index>(r)] = {one.re, one.im};
      });
      return;
    }
    using J = Jet<width>;
    auto law = base.template cast<J>();
    set(law, [&](int i) { return by_logarithm<width>(values, i); });
    stiffness_of_rows(law, harmonic, rows, [&](std::size_t r, const Complex<J>& one) {
      const auto at = static_cast<Eigen::Index>(r);
      K[at] = {one.re.a, one.im.a};
      for (Eigen::Index p = 0; p < values.size(); ++p) (*dK)(at, p) = {one.re.v[p], one.im.v[p]};
    });
  };
}

// Force of a law along a record, from rest at its first displacement.
template <class Law, class Put>
void run_record(const Law& law, const FitRecord& record, Put&& put) {
  using T = typename Law::Scalar;
  constexpr std::size_t room = Law::state_count > 0 ? Law::state_count : 1;
  std::array<T, room> x, rate;
  x.fill(T(0.0));
  auto memory = law.start(T(record.displacement.front()));
  Motion<T> from{T(record.displacement.front()), T(record.velocity.front())};
  double h = 0.0;
  std::optional<typename Law::Step> step;
  std::size_t next = 0;
  for (std::size_t i = 0; i < record.time.size() && next < record.scored.size(); ++i) {
    T force;
    if (i == 0) {
      force = law.evaluate(from, x.data(), memory, rate.data());
    } else {
      const double length = record.time[i] - record.time[i - 1];
      // Time stamps are rounded in files: steps that agree to that rounding are one length.
      if (!step || std::abs(length - h) > 1e-6 * h) h = length, step = law.prepare_step(T(h));
      const Motion<T> to{T(record.displacement[i]), T(record.velocity[i])};
      force = law.advance(x.data(), memory, from, to, *step);
      from = to;
    }
    if (record.scored[next] == i) put(next++, force);
  }
}

template <int width, class Law, class Ready>
auto force_function(const Law& base, std::vector<std::string> names, Ready ready) {
  return [base, names = std::move(names), ready](const Eigen::VectorXd& values, const FitRecord& record,
                                                 Eigen::VectorXd& force, Eigen::MatrixXd* dF) {
    const auto set = [&](auto& law, auto&& make) {
      law.visit_parameters([&](const char* name, auto& member) {
        for (std::size_t i = 0; i < names.size(); ++i)
          if (names[i] == name) member = make(static_cast<int>(i));
      });
    };
    Law law = base;
    set(law, [&](int i) { return values[i]; });
    ready(law);
    force.resize(static_cast<Eigen::Index>(record.scored.size()));
    if (dF == nullptr) {
      run_record(law, record, [&](std::size_t i, double f) { force[static_cast<Eigen::Index>(i)] = f; });
      return;
    }
    auto dual = law.template cast<Jet<width>>();
    set(dual, [&](int i) { return by_logarithm<width>(values, i); });
    if constexpr (requires { dual.follow_parameters(); }) dual.follow_parameters();
    dF->resize(force.size(), values.size());
    run_record(dual, record, [&](std::size_t i, const Jet<width>& f) {
      const auto at = static_cast<Eigen::Index>(i);
      force[at] = f.a;
      for (Eigen::Index p = 0; p < values.size(); ++p) (*dF)(at, p) = f.v[p];
    });
  };
}

// Mount of the law with these values.
template <class Law, class Ready>
auto mount_function(const Law& base, std::vector<std::string> names, Ready ready) {
  return [base, names = std::move(names), ready](const Eigen::VectorXd& values) {
    Law law = base;
    law.visit_parameters([&](const char* name, double& member) {
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) member = values[static_cast<Eigen::Index>(i)];
    });
    ready(law);
    return make_mount(law);
  };
}

inline std::vector<std::string> names_of(const std::vector<LogParameter>& parameters) {
  std::vector<std::string> names;
  for (const LogParameter& p : parameters) names.push_back(p.name);
  return names;
}

// Laws that are more than a list of parameters.
LawCandidate maxwell_candidate(const MapSizes& sizes, int branches);
LawCandidate elastomer_candidate(FrictionLaw friction, const std::vector<MapRow>& rows, const MapSizes& sizes);

}  // namespace kdyn::inline identify
