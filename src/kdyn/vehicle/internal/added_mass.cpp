// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/added_mass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kdyn::inline vehicle::internal {
namespace {

constexpr const char* whole_load = "all of it";
constexpr double told_within = 1.0;  // relative standard deviation: beyond it the decays do not tell, or it is rounding

bool any_added(const DecaySet& set) {
  return std::any_of(set.added.begin(), set.added.end(), [](const AddedMass& m) {
    return std::any_of(m.begin(), m.end(), [](double x) { return x > 0.0; });
  });
}

Direction of_configurations(int first, int last) {
  Direction direction;
  for (int i = first; i < last; ++i) direction.parts.emplace_back(first_load + i, 1.0);
  return direction;
}

// In proportion to the added mass: neither a length nor a ratio.
bool scales_with_mass(const ParameterEstimate& p) {
  return p.unit != "m" && p.unit != "s" && p.unit != "-" && p.name.find('.') == std::string::npos;
}

void withhold(VehicleFitResult& result, bool (*which)(const ParameterEstimate&)) {
  for (ParameterEstimate& p : result.parameters)
    if (p.status == ParameterStatus::free && which(p)) {
      p.std = std::numeric_limits<double>::infinity();
      p.lower_95 = -p.std, p.upper_95 = p.std;
    }
}

}  // namespace

bool is_wrong(const AddedMassCheck& check) {
  return std::abs(check.change) > 4.0 * check.std && std::abs(check.change) > 0.005;
}

std::vector<AddedMassCheck> check_added_mass(const Likelihood& likelihood, const WeightedFit& fit, const DecaySet& set,
                                             bool symmetric) {
  std::vector<std::string> names;
  std::vector<Direction> directions;
  const auto entry = [&](const std::string& name, const std::vector<int>& which) {
    names.push_back(name);
    directions.emplace_back();
    for (const int i : which) directions.back().parts.emplace_back(i, 1.0);
  };
  const auto added = [](int i) { return first_added_mass + i; };
  if (any_added(set)) {
    entry("ms", {added(0)}), entry("Iyy", {added(1)}), entry("Ixx", {added(2)});
    if (symmetric)
      entry("muf", {added(3), added(4)}), entry("mur", {added(5), added(6)});
    else
      for (int i = 0; i < 4; ++i) entry(fmt::format("mu{}", static_cast<char>('A' + i)), {added(3 + i)});
  }
  // Point masses by their number in each configuration.
  if (set.points.size() == 1 && set.points[0].size() > 1)
    for (std::size_t k = 0; k < set.points[0].size(); ++k)
      entry(set.points[0][k].name, {first_point_mass + static_cast<int>(k)});
  const int configurations = std::min(set.configurations(), max_loads);
  for (int i = 0; i < configurations && configurations > 1; ++i)
    names.push_back(fmt::format("load of config {}", i + 1)), directions.push_back(of_configurations(i, i + 1));
  names.emplace_back(whole_load), directions.push_back(of_configurations(0, configurations));
  std::vector<AddedMassCheck> out;
  const std::vector<Score> found = scores(likelihood, fit, directions);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (found[i].std < told_within) out.push_back({names[i], found[i].change, found[i].std});
  return out;
}

bool add_scale_uncertainty(const Likelihood& likelihood, const WeightedFit& fit, double std, Covariance& covariance) {
  constexpr double unseen = 1e-8;  // share of the column that is left beside the unknowns: rounding
  Eigen::VectorXd r;
  Eigen::MatrixXd column;
  if (!likelihood.evaluate(fit.assumed, fit.sigma, r, {of_configurations(0, max_loads)}, &column)) return false;
  if (!(column.norm() > 0.0)) return true;  // nothing was added: something else sets the scale
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(fit.jacobian.rows());
  wanted.head(column.rows()) = column.col(0);
  // [vehicle E37] How the unknowns follow when the added mass is larger than stated.
  const Eigen::VectorXd follow = -fit.jacobian.colPivHouseholderQr().solve(wanted);
  const double left = (fit.jacobian * follow + wanted).norm() / wanted.norm();
  if (fit.variance > 0.0) {
    // The covariance is scaled by the variance of the residuals afterwards; this part is not theirs.
    const Eigen::MatrixXd more = std * std / fit.variance * follow * follow.transpose();
    const Eigen::VectorXd before = covariance.standard_deviation;
    covariance.covariance += more;
    for (Eigen::Index i = 0; i < before.size(); ++i)
      covariance.standard_deviation[i] = std::hypot(before[i], std::sqrt(more(i, i)));
    for (Eigen::Index i = 0; i < before.size(); ++i)
      for (Eigen::Index k = 0; k < before.size(); ++k) {
        const double scale = covariance.standard_deviation[i] * covariance.standard_deviation[k];
        if (i != k && std::isfinite(scale) && scale > 0.0)
          covariance.correlation(i, k) = (covariance.correlation(i, k) * before[i] * before[k] + more(i, k)) / scale;
      }
  }
  return left > unseen;
}

void doubt_added_mass(VehicleFitResult& result) {
  const bool doubted = std::any_of(result.added_mass.begin(), result.added_mass.end(), is_wrong);
  if (doubted) withhold(result, [](const ParameterEstimate& p) { return p.name.find('.') == std::string::npos; });
}

void check_scale_of(VehicleFitResult& result, const VehicleFitOptions& options, bool scale_checked) {
  if (options.weighed_mass_kg) {
    const Vehicle<double>& v = result.vehicle;
    double found = v.ms;
    for (int i = 0; i < v.layout.wheels(); ++i) found += v.mu[static_cast<std::size_t>(i)];
    double spread = options.added_mass_std;
    for (const ParameterEstimate& p : result.parameters)
      if (p.name == "ms" && std::isfinite(p.std) && p.value > 0.0) spread = std::max(spread, p.std / p.value);
    const double off = found / *options.weighed_mass_kg - 1.0;
    // The scales under the wheels err like those for the added mass.
    const double allowed = 4.0 * std::hypot(spread, options.added_mass_std);
    if (std::abs(off) <= allowed) return;
    withhold(result, scales_with_mass);
    result.findings.push_back(
        {Severity::serious, "added_mass", whole_load,
         fmt::format("body and wheels together come out at {:.4g} kg, {:+.1f} % off the {:.4g} kg that were weighed; "
                     "masses, stiffnesses and dampings are off by as much",
                     found, 100.0 * off, *options.weighed_mass_kg),
         "weigh the added masses again and check their unit; what the driver weighs belongs to the vehicle in all "
         "records or to the added mass"});
    return;
  }
  if (scale_checked) return;
  // Two loads at least contradict each other when one of them is wrong; of a single one there is no other word.
  const bool single = result.decays.set.configurations() < 2;
  result.findings.push_back(
      {single ? Severity::warning : Severity::note, "rests_on_added_mass", "added_mass",
       fmt::format("all masses, springs and dampers scale with the added mass that was given: nothing in these records "
                   "would show that {} wrong by a factor; the intervals take it for known to +-{:.2g} %",
                   single ? "it is" : "all loads are", 100.0 * 1.96 * options.added_mass_std),
       single
           ? "weigh the vehicle and give weighed_mass_kg, or measure with a second, different load; give "
             "added_mass_std when the added mass is known better or worse"
           : "weigh the vehicle and give weighed_mass_kg, which checks it; give added_mass_std when the added mass is "
             "known better or worse"});
}

}  // namespace kdyn::inline vehicle::internal
