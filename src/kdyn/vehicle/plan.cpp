// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/vehicle/internal/fit.hpp"

namespace kdyn::inline vehicle {

Eigen::VectorXd cramer_rao(const Vehicle<double>& vehicle, const DecaySet& noise_free, const std::vector<double>& sigma,
                           bool symmetric, const std::vector<std::string>& known) {
  internal::Unknowns unknowns;
  unknowns.symmetric = symmetric, unknowns.layout = vehicle.layout;
  unknowns.channel = internal::channel_unknowns(noise_free.channels);
  const auto& parameters = vehicle_parameters(symmetric, vehicle.layout);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (std::find(known.begin(), known.end(), parameters[i].name) == known.end())
      unknowns.free.push_back(static_cast<int>(i));
  const internal::Assumed assumed{vehicle, noise_free.channels};
  const internal::DecayLikelihood likelihood(noise_free,
                                             std::any_of(noise_free.channels.begin(), noise_free.channels.end(),
                                                         [](const DecayChannel& c) { return c.offset_unknown; }));
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  const bool defined = likelihood.evaluate(assumed, sigma, r, unknowns.directions(assumed), &J);
  demand(defined, "an assumed vehicle has a response");
  return covariance_of(J, 1e-3).standard_deviation.head(
      static_cast<Eigen::Index>(unknowns.free.size()));  // [vehicle E27]
}

PlanResult plan_test(const Vehicle<double>& vehicle, const AddedMass& added, const std::vector<double>& noise,
                     const PlanOptions& options) {
  const std::vector<std::string> all_names = parameter_names(options.symmetric);
  for (const std::string& name : options.known)
    if (std::find(all_names.begin(), all_names.end(), name) == all_names.end())
      throw_bad_input("known", fmt::format("there is no parameter {}", in_quotes(name)), suggest(name, all_names));
  if (std::all_of(added.begin(), added.end(), [](double m) { return m == 0.0; }))
    throw_bad_input("added_mass", "the added mass is zero: no test with it can tell a mass",
                    "give about a tenth of the vehicle's mass and inertia");
  if (options.cases.empty() || options.mass_factors.empty() || options.lengths_s.empty())
    throw_bad_input("plan", "there is nothing to compare", "give at least one case, mass factor and length");
  for (const double factor : options.mass_factors)
    if (!(factor <= 1000.0))
      throw_bad_input("mass_factors", fmt::format("{:g} times the added mass is no test that could be made", factor),
                      "give factors such as 0.5, 1 and 2");
  if (options.cases.size() > 6)
    throw_bad_input("cases", fmt::format("{} cases have too many combinations", options.cases.size()),
                    "give up to six");
  PlanResult out;
  for (const std::string& name : all_names)
    if (std::find(options.known.begin(), options.known.end(), name) == options.known.end()) out.names.push_back(name);
  std::vector<double> sigma;
  if (noise.empty()) {
    // The noise is that of the sensors: it does not change with the test, so it is taken from the whole set of cases
    // over 2 s.
    DecayTest whole;
    whole.cases.clear();
    for (const std::string& name : options.cases) whole.cases.push_back(bump_case(name));
    whole.rate_hz = options.rate_hz;
    sigma = noise_for(simulate_decays(vehicle, {added}, whole), options.snr_db);
  } else {
    if (noise.size() != static_cast<std::size_t>(vehicle_dofs))
      throw_bad_input("noise", fmt::format("has {} numbers, not 7", noise.size()), "give one for each channel");
    sigma = noise;
  }
  out.noise = sigma;
  for (unsigned subset = 1; subset < (1u << options.cases.size()); ++subset)
    for (const double factor : options.mass_factors)
      for (const double length : options.lengths_s) {
        PlannedTest test;
        test.mass_factor = factor;
        test.length_s = length;
        DecayTest simulated;
        simulated.cases.clear();
        simulated.rate_hz = options.rate_hz;
        simulated.length_s = length;
        for (std::size_t i = 0; i < options.cases.size(); ++i)
          if ((subset >> i & 1u) != 0) {
            test.cases.push_back(options.cases[i]);
            simulated.cases.push_back(bump_case(options.cases[i]));
          }
        AddedMass scaled = added;
        for (double& m : scaled) m *= factor;
        // As the identification does: block means down to 200 Hz.
        DecayOptions prepare;
        prepare.cut_bump = false;
        const PreparedDecays decays = prepare_decays(simulate_decays(vehicle, {scaled}, simulated), prepare);
        std::vector<double> averaged = sigma;
        for (double& s : averaged) s /= std::sqrt(static_cast<double>(decays.average));
        test.half_interval_percent =
            196.0 * cramer_rao(vehicle, decays.set, averaged, options.symmetric, options.known);
        Eigen::Index worst = 0;
        test.worst_percent = test.half_interval_percent.maxCoeff(&worst);
        test.worst_name = out.names[static_cast<std::size_t>(worst)];
        test.meets = test.worst_percent <= options.target_percent;
        out.tests.push_back(std::move(test));
      }
  const auto effort = [](const PlannedTest& t) { return std::make_tuple(t.cases.size(), t.mass_factor, t.length_s); };
  for (std::size_t i = 0; i < out.tests.size(); ++i) {
    const PlannedTest& test = out.tests[i];
    if (out.best < 0 || test.worst_percent < out.tests[static_cast<std::size_t>(out.best)].worst_percent)
      out.best = static_cast<int>(i);
    if (test.meets &&
        (out.recommended < 0 || effort(test) < effort(out.tests[static_cast<std::size_t>(out.recommended)])))
      out.recommended = static_cast<int>(i);
  }
  return out;
}

const FieldTable& fields_of(const PlanOptions*) {
  using O = PlanOptions;
  static const FieldTable table = FieldTable::of<O>("plan", [](FieldTable& t) {
    t.add(&O::target_percent, "target_percent", "%", "Plan: half of the 95 % interval wanted for every parameter")
        .above(0.0);
    t.add(&O::mass_factors, "mass_factors", "-", "Plan: factors on added_mass to compare").above(0.0);
    t.add(&O::lengths_s, "lengths_s", "s", "Plan: record lengths to compare").range(0.5, 100.0);
    t.add(&O::cases, "cases", "-",
          "Plan: excitations to combine: bounce, pitch, roll, or the wheels on the bump (A, AD, ...)");
    t.add(&O::rate_hz, "rate_hz", "Hz", "Plan: sampling rate").range(50.0, 1e5);
    t.add(&O::snr_db, "snr_db", "dB", "Plan: signal to noise ratio of every channel when no sensor noise is given")
        .range(-20.0, 200.0);
    t.add(&O::known, "known", "-", "Plan: parameters that will be measured directly, e.g. a b tf tr");
  });
  return table;
}

}  // namespace kdyn::inline vehicle
