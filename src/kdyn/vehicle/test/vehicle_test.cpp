// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/vehicle.hpp"

#include <gtest/gtest.h>

#include "reference_case.hpp"

namespace kdyn::inline vehicle {
namespace {

void expect_modes(const VehicleModes& modes, const Json& expected) {
  ASSERT_EQ(modes.frequency_hz.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    // 1e-9: two independent eigenvalue solvers; the pairs of wheel hop 0.003 Hz apart cost about four digits of 16.
    EXPECT_NEAR(modes.frequency_hz[i] / expected["frequency_Hz"][i].get<double>(), 1.0, 1e-9) << i;
    EXPECT_NEAR(modes.damping_ratio[i] / expected["damping_ratio"][i].get<double>(), 1.0, 1e-9) << i;
  }
}

TEST(Vehicle, MatricesAreThePublishedOnes) {
  const auto m = Vehicle<double>{}.matrices();
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      EXPECT_NEAR(m.damping(i, j), reference()["C"][i][j].get<double>(), 1e-9);
      EXPECT_NEAR(m.stiffness(i, j), reference()["K"][i][j].get<double>(), 1e-9);
    }
}

TEST(Vehicle, ModesMatchTheReference) {
  const Vehicle<double> car;
  expect_modes(vehicle_modes(car.matrices()), reference()["modes_without_dM"]);
  expect_modes(vehicle_modes(car.matrices(published_mass)), reference()["modes_with_dM"]);
  Vehicle<double> longer;
  longer.a = 1.284;
  expect_modes(vehicle_modes(longer.matrices()), reference()["modes_without_dM_a1.284"]);
  expect_modes(vehicle_modes(longer.matrices(published_mass)), reference()["modes_with_dM_a1.284"]);
}

TEST(Vehicle, UniformMassLowersFrequenciesAsInFigure2) {
  const Vehicle<double> car;
  const VehicleModes plain = vehicle_modes(car.matrices());
  for (const Json& row : reference()["fig2_uniform_mass_increment"]) {
    AddedMass added{};
    const auto mass = car.matrices().mass;
    for (int i = 0; i < 7; ++i) added[static_cast<std::size_t>(i)] = row["increment"].get<double>() * mass(i, i);
    const VehicleModes heavier = vehicle_modes(car.matrices(added));
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(100.0 * (heavier.frequency_hz[i] / plain.frequency_hz[i] - 1.0),
                  row["freq_change_pct"][i].get<double>(), 1e-6);
  }
}

TEST(Vehicle, ParametersGoForthAndBack) {
  ASSERT_EQ(vehicle_parameters(true).size(), 15u);
  ASSERT_EQ(vehicle_parameters(false).size(), 23u);
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(23, 1.0, 23.0);
  EXPECT_EQ(values_of(vehicle_from(values, false), false), values);
  EXPECT_EQ(vehicle_parameters(false)[6].name, "muD");
  EXPECT_EQ(vehicle_parameters(true)[4].name, "mur");
  const Vehicle<double> pair = vehicle_from(Eigen::VectorXd::LinSpaced(15, 1.0, 15.0), true);
  EXPECT_EQ(pair.mu[0], pair.mu[1]);
  EXPECT_EQ(pair.cs[2], pair.cs[3]);
  EXPECT_EQ(values_of(pair, true)[4], 5.0);
}

TEST(Vehicle, ScaleOfMassesAndSpringsDoesNotShowInModes) {
  Vehicle<double> car, twice;
  for (double* value : twice.members()) *value *= 2.0;
  twice.a = car.a, twice.b = car.b, twice.tf = car.tf, twice.tr = car.tr;
  const VehicleModes one = vehicle_modes(car.matrices()), two = vehicle_modes(twice.matrices());
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(one.frequency_hz[i] / two.frequency_hz[i], 1.0, 1e-10);
}

}  // namespace
}  // namespace kdyn::inline vehicle
