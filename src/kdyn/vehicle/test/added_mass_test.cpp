// SPDX-License-Identifier: Apache-2.0
// The scale of a vehicle is that of its added mass. Oracles: the simulated vehicle, and that a factor common to all
// added masses is the same factor in every mass, stiffness and damping, which follows from the equations of motion.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/vehicle/decay_test.hpp"
#include "kdyn/vehicle/identify_vehicle.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr double factor = 1.3;  // how wrong the load is taken

// One load on the floor, stated `times` as heavy as it was.
DecaySet one_load(double times, int configurations = 1) {
  DecayTest test;
  PointMass load;
  load.name = "sandbags", load.mass = 120.0, load.x = -1.9, load.y = 0.3;
  test.points = {{load}};
  if (configurations > 1) load.mass = 200.0, load.x = -0.8, load.y = -0.3, test.points.push_back({load});
  DecaySet set = simulate_decays(Vehicle<double>{}, {}, test);
  add_noise(set, noise_for(set, 40.0), 5);
  set.points[0][0].mass *= times;
  return set;
}

const Finding* finding(const VehicleFitResult& fit, const std::string& code, const std::string& where) {
  const auto it = std::find_if(fit.findings.begin(), fit.findings.end(),
                               [&](const Finding& f) { return f.code == code && f.where == where; });
  return it == fit.findings.end() ? nullptr : &*it;
}

bool is_length(const ParameterEstimate& p) { return p.unit == "m"; }

TEST(AddedMass, HowWellItIsKnownIsPartOfTheIntervals) {
  const DecaySet set = one_load(1.0);
  VehicleFitOptions exact, usual;
  exact.added_mass_std = 0.0, usual.added_mass_std = 0.02;
  const VehicleFitResult a = identify_vehicle(set, exact), b = identify_vehicle(set, usual);
  ASSERT_EQ(a.status, "converged");
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    const ParameterEstimate &x = a.parameters[i], &y = b.parameters[i];
    EXPECT_EQ(x.value, y.value) << x.name;
    const double wanted = is_length(x) ? x.std : std::hypot(x.std, 0.02 * x.value);
    // The fit stops where steps are below 1e-9; what it leaves of the gradient is of that size.
    EXPECT_NEAR(y.std, wanted, 1e-5 * wanted) << x.name;
  }
  // Two that follow one factor are correlated by what they share.
  const double own = a.parameters[0].std / a.parameters[0].value, other = a.parameters[1].std / a.parameters[1].value;
  EXPECT_NEAR(b.correlation(0, 1),
              (a.correlation(0, 1) * own * other + 4e-4) / (std::hypot(own, 0.02) * std::hypot(other, 0.02)), 1e-5);
}

TEST(AddedMass, AWrongSingleLoadIsSaidToBeUncheckedOrFoundByWeighing) {
  const DecaySet set = one_load(factor);
  const VehicleFitResult unchecked = identify_vehicle(set, {});
  // All is off by the factor, as it must be, and nobody can know: it is said.
  EXPECT_NEAR(unchecked.vehicle.ms, factor * Vehicle<double>{}.ms, 0.02 * unchecked.vehicle.ms);
  EXPECT_NE(finding(unchecked, "rests_on_added_mass", "added_mass"), nullptr);
  const Vehicle<double> car;
  VehicleFitOptions weighed;
  weighed.weighed_mass_kg = car.ms + car.mu[0] + car.mu[1] + car.mu[2] + car.mu[3];
  const VehicleFitResult checked = identify_vehicle(set, weighed);
  const Finding* told = finding(checked, "added_mass", "all of it");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->severity, Severity::serious);
  for (const ParameterEstimate& p : checked.parameters) EXPECT_EQ(std::isinf(p.std), !is_length(p)) << p.name;
  // The right load passes, and then nothing has to be said.
  const VehicleFitResult right = identify_vehicle(one_load(1.0), weighed);
  EXPECT_EQ(finding(right, "added_mass", "all of it"), nullptr);
  EXPECT_EQ(finding(right, "rests_on_added_mass", "added_mass"), nullptr);
}

TEST(AddedMass, AFixedMassChecksAllOfIt) {
  VehicleFitOptions options;
  options.fixed["ms"] = Vehicle<double>{}.ms;
  const VehicleFitResult fit = identify_vehicle(one_load(factor), options);
  const auto all = std::find_if(fit.added_mass.begin(), fit.added_mass.end(),
                                [](const AddedMassCheck& a) { return a.name == "all of it"; });
  ASSERT_NE(all, fit.added_mass.end());
  EXPECT_NE(finding(fit, "added_mass", "all of it"), nullptr);
  // To first order of a change by a quarter.
  EXPECT_NEAR(all->change, 1.0 / factor - 1.0, 0.1);
  EXPECT_EQ(finding(fit, "rests_on_added_mass", "added_mass"), nullptr);
}

TEST(AddedMass, LoadsOfTwoConfigurationsCheckEachOther) {
  const VehicleFitResult wrong = identify_vehicle(one_load(factor, 2), {}),
                         right = identify_vehicle(one_load(1.0, 2), {});
  EXPECT_NE(finding(wrong, "added_mass", "load of config 1"), nullptr);
  EXPECT_EQ(finding(right, "added_mass", "load of config 1"), nullptr);
  EXPECT_EQ(finding(right, "added_mass", "load of config 2"), nullptr);
}

// Two loads of which one is stated twice as heavy bend lengths as well: nothing of the vehicle keeps an interval.
TEST(AddedMass, OneOfTwoLoadsWrongWithholdsTheVehicle) {
  DecayTest test;
  PointMass boot, seat;
  boot.name = "boot", boot.mass = 90.0, boot.x = -2.9, boot.y = -0.4;
  seat.name = "seat", seat.mass = 80.0, seat.x = -0.3, seat.y = 0.5;
  test.points = {{boot, seat}};
  DecaySet set = simulate_decays(Vehicle<double>{}, {}, test);
  add_noise(set, noise_for(set, 40.0), 6);
  const VehicleFitResult right = identify_vehicle(set, {});
  ASSERT_EQ(right.status, "converged");
  EXPECT_EQ(finding(right, "added_mass", "boot"), nullptr);
  for (const ParameterEstimate& p : right.parameters) EXPECT_TRUE(std::isfinite(p.std)) << p.name;
  set.points[0][0].mass *= 2.0;
  const VehicleFitResult wrong = identify_vehicle(set, {});
  for (const ParameterEstimate& p : wrong.parameters) EXPECT_FALSE(std::isfinite(p.std)) << p.name;
}

}  // namespace
}  // namespace kdyn::inline vehicle
