// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/break_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace kdyn::mbs {
namespace {

constexpr int looks = 16;
constexpr double followed = 0.05;

void each_signal(const Model& model, const std::function<void(const TimeSignal&, const std::string&)>& visit) {
  for (const PointLoad& load : model.loads)
    for (std::size_t k = 0; k < 3; ++k) {
      visit(load.force[k], fmt::format("force {} of load {}", "xyz"[k], load.name));
      visit(load.torque[k], fmt::format("torque {} of load {}", "xyz"[k], load.name));
    }
  for (const Joint& joint : model.joints) visit(joint.drive, fmt::format("drive of joint {}", joint.name));
  for (const Tyre& tyre : model.tyres) visit(tyre.road.height, fmt::format("road under tyre {}", tyre.name));
}

double largest_of(const Curve& table) {
  double largest = 0.0;
  for (const auto& row : table) largest = std::max(largest, std::abs(row.second));
  return largest;
}

// [mbs E26] of one table
void add_corners(const Curve& table, std::vector<BreakPoint>& out) {
  const double rounding = 1e-12 * largest_of(table);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto [t, y] = table[i];
    if (i + 1 < table.size() && table[i + 1].first == t) {
      if (table[i + 1].second != y) out.push_back({t, true});
      continue;
    }
    // Outside the table its ends are held.
    const double slope_before =
        i > 0 && table[i - 1].first < t ? (y - table[i - 1].second) / (t - table[i - 1].first) : 0.0;
    const double span = i + 1 < table.size() ? table[i + 1].first - t : 0.0;
    const double after = i + 1 < table.size() ? table[i + 1].second : y;
    const bool kink = i + 1 < table.size() ? std::abs(y + slope_before * span - after) > rounding : slope_before != 0.0;
    if (kink) out.push_back({t, false});
  }
}

// Ascending; one instant stands once.
void order(std::vector<BreakPoint>& points) {
  std::sort(points.begin(), points.end(), [](const BreakPoint& a, const BreakPoint& b) { return a.t < b.t; });
  std::size_t kept = 0;
  for (const BreakPoint& b : points)
    if (kept > 0 && points[kept - 1].t == b.t)
      points[kept - 1].jump = points[kept - 1].jump || b.jump;
    else
      points[kept++] = b;
  points.resize(kept);
}

}  // namespace

std::vector<BreakPoint> switch_points(const Model& model) {
  std::vector<BreakPoint> points;
  for (const Connection& connection : model.connections)
    for (const auto& law : connection.laws)
      if (law) add_corners(law->own_signal(), points);
  order(points);
  return points;
}

BreakPoints::BreakPoints(const Model& model) : tables_(switch_points(model)) {
  each_signal(model, [this](const TimeSignal& signal, const std::string&) {
    if (signal.formula()) formulas_.push_back(signal);
    add_corners(signal.table(), tables_);
  });
  order(tables_);
}

std::vector<BreakPoint> BreakPoints::of_tables(double from, double to) const {
  const auto after = [](double value, const BreakPoint& b) { return value < b.t; };
  return {std::upper_bound(tables_.begin(), tables_.end(), from, after),
          std::upper_bound(tables_.begin(), tables_.end(), to, after)};
}

BreakPoints::Look BreakPoints::of_formulas(double from, double to, std::vector<double>& largest) const {
  Look out;
  largest.resize(formulas_.size(), 0.0);
  for (std::size_t f = 0; f < formulas_.size(); ++f) {
    const TimeSignal& signal = formulas_[f];
    const Formula& formula = *signal.formula();
    std::array<double, looks + 1> y;
    const auto time = [&](int k) { return k == looks ? to : from + (to - from) * k / looks; };
    for (int k = 0; k <= looks; ++k) y[static_cast<std::size_t>(k)] = signal(time(k));
    // What is no number is named by the run that meets it.
    if (!std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); })) continue;
    for (const double v : y) largest[f] = std::max(largest[f], std::abs(v));
    int pieces = 1;
    const auto follows = [&] {
      const int span = looks / pieces;
      for (int k = 0; k <= looks; ++k) {
        const int first = std::min(k / span * span, looks - span);
        const double a = y[static_cast<std::size_t>(first)], b = y[static_cast<std::size_t>(first + span)];
        if (std::abs(a + (b - a) * (k - first) / span - y[static_cast<std::size_t>(k)]) > followed * largest[f])
          return false;
      }
      return true;
    };
    while (pieces < looks && !follows()) pieces *= 2;
    out.pieces = std::max(out.pieces, pieces);
    for (int k = 0; k < looks; ++k) {
      double a = time(k), b = time(k + 1);
      const auto sides = [&](double t) { return formula.sides(signal.inner(t)); };
      const auto before = sides(a);
      if (before == sides(b)) continue;
      for (double middle = 0.5 * (a + b); middle > a && middle < b; middle = 0.5 * (a + b))
        (sides(middle) == before ? a : b) = middle;
      // A hair beyond: a quotient such as abs(x)/x is no number at the very instant, and times of steps carry rounding.
      const double hair = 1e-9 * (to - from), beyond = b + hair;
      if (beyond < to) out.kinks.push_back({beyond, std::abs(signal(beyond) - signal(b - hair)) > 1e-6 * largest[f]});
    }
  }
  std::sort(out.kinks.begin(), out.kinks.end(), [](const BreakPoint& a, const BreakPoint& b) { return a.t < b.t; });
  return out;
}

std::string missed_by_grid(const Model& model, double step, double duration) {
  std::string found;
  each_signal(model, [&](const TimeSignal& signal, const std::string& name) {
    const Curve& table = signal.table();
    double whole = 0.0, missed = 0.0, worst = 0.0, worst_at = 0.0;
    for (std::size_t i = 1; i < table.size(); ++i)
      whole +=
          0.5 * (std::abs(table[i - 1].second) + std::abs(table[i].second)) * (table[i].first - table[i - 1].first);
    for (std::size_t i = 0; i < table.size();) {
      // Rows inside one step, strictly.
      const double from = std::floor(table[i].first / step + 1e-9) * step, to = from + step;
      std::size_t end = i;
      bool inside = false;
      while (end < table.size() && table[end].first < to - 1e-9 * step)
        inside = inside || table[end].first > from + 1e-9 * step, ++end;
      if (inside && from >= 0.0 && from < duration) {
        double area = 0.0, t = from, y = signal(from);
        for (std::size_t k = i; k < end; ++k) {
          if (table[k].first > t) area += 0.5 * (y + table[k].second) * (table[k].first - t);
          if (table[k].first >= t) t = table[k].first, y = table[k].second;
        }
        area += 0.5 * (y + signal(to)) * (to - t);
        const double off = std::abs(area - 0.5 * step * (signal(from) + signal(to)));
        missed += off;
        if (off > worst) worst = off, worst_at = from;
      }
      i = std::max(end, i + 1);
    }
    if (found.empty() && missed > followed * whole && whole > 0.0)
      found = fmt::format("the {} changes inside steps, where only both ends are seen: most from {:.6g} s to {:.6g} s",
                          name, worst_at, worst_at + step);
  });
  return found;
}

}  // namespace kdyn::mbs
