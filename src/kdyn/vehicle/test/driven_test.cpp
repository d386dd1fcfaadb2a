// SPDX-License-Identifier: Apache-2.0
// Records on a measured road and dampers that differ in compression and rebound. The oracles are the exact response to a
// road [vehicle E7] and a plain integration with small steps.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/road.hpp"
#include "reference_case.hpp"

namespace kdyn::inline vehicle {
namespace {

void expect_truth(const VehicleFitResult& fit, const Eigen::VectorXd& truth) {
  for (Eigen::Index i = 0; i < truth.size(); ++i) {
    const ParameterEstimate& p = fit.parameters[static_cast<std::size_t>(i)];
    EXPECT_LT(std::abs(p.value - truth[i]), 4.5 * p.std) << p.name << " " << p.value;
    EXPECT_LT(p.std, 0.1 * truth[i]) << p.name;
  }
}

TEST(Driven, RoadThatWasMeasuredAlong) {
  const Vehicle<double> car;
  RoadOptions options;
  options.roughness = 256e-6, options.length_s = 2.0, options.rate_hz = 400.0, options.fade_s = 0.3;
  options.wheelbase = car.a + car.b;
  const Road road = random_road(options);
  DecaySet set;
  set.added = {published_mass};
  for (const int config : {0, 1}) {
    DecayRecord record;
    record.config = config, record.name = "road", record.interval = record.road_interval = road.interval;
    record.road = road.height;
    record.samples = exact_response(set.matrices(car, config), car.kt, road.height, road.interval).acceleration;
    set.records.push_back(record);
  }
  add_noise(set, noise_for(set, 30.0), 9);
  VehicleFitOptions fit_options;
  const auto names = parameter_names(true);
  const Eigen::VectorXd truth = values_of(car, true);
  for (std::size_t i = 0; i < names.size(); ++i)
    fit_options.start[names[i]] = truth[static_cast<Eigen::Index>(i)] * (i % 2 == 0 ? 1.25 : 0.8);
  fit_options.reweightings = 1;
  const VehicleFitResult fit = identify_vehicle(set, fit_options);
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  expect_truth(fit, truth);
}

// Explicit steps of 0.05 ms: first order, 1e-4 of the motion.
Eigen::MatrixXd bilinear_decay(const DecaySet& set, const Vehicle<double>& car, int config, double rebound, int samples,
                               double interval) {
  const VehicleMatrices<double> m = set.matrices(car, config);
  const Eigen::MatrixXd inverse = Eigen::MatrixXd(m.mass).inverse();
  auto [x, v] = state_after(m, car.kt, roll_bump());
  Eigen::MatrixXd out(samples, 7);
  constexpr int sub = 100;
  const double h = interval / sub;
  for (int k = 0; k < samples * sub; ++k) {
    Eigen::VectorXd force = -(m.stiffness * x);
    for (int i = 0; i < 4; ++i) {
      Eigen::VectorXd g = Eigen::VectorXd::Zero(7);
      g[0] = 1.0, g[1] = i < 2 ? -car.a : car.b, g[2] = i % 2 == 0 ? car.tf : -car.tf, g[3 + i] = -1.0;
      const double speed = g.dot(v);
      force -= car.cs[static_cast<std::size_t>(i)] * (speed > 0.0 ? rebound : 1.0) * speed * g;
    }
    const Eigen::VectorXd a = inverse * force;
    if (k % sub == 0) out.row(k / sub) = a;
    x += h * v + 0.5 * h * h * a;
    v += h * a;
  }
  return out;
}

DecaySet rolling(const Vehicle<double>& car) {
  DecaySet set;
  set.added = {published_mass};
  for (const int config : {0, 1}) {
    DecayRecord record;
    record.config = config, record.name = "roll", record.interval = 0.005;
    record.samples = bilinear_decay(set, car, config, 2.5, 240, record.interval);
    set.records.push_back(record);
  }
  add_noise(set, noise_for(set, 40.0), 4);
  return set;
}

// A decay that is not linear looks like one under excitation: whatever is cut away, the answer is right or it is said.
TEST(Driven, WithoutAStartTheEndOfTheExcitationIsAskedFor) {
  Vehicle<double> car;
  car.cs.fill(900.0);
  VehicleFitOptions options;
  options.reweightings = 1;
  options.dampers = DamperLaw::bilinear;
  const VehicleFitResult fit = identify_vehicle(rolling(car), options);
  const bool asked = std::any_of(fit.findings.begin(), fit.findings.end(),
                                 [](const Finding& f) { return f.code == "excitation_end"; });
  EXPECT_NE(fit.status == "converged", asked) << fit.status << ": " << fit.reason;
}

TEST(Driven, ReboundIsToldFromCompression) {
  Vehicle<double> car;
  car.cs.fill(900.0);
  const DecaySet set = rolling(car);
  VehicleFitOptions options;
  options.decays.start_s = 0.0;
  options.reweightings = 1;
  const VehicleFitResult linear = identify_vehicle(set, options);
  EXPECT_TRUE(std::any_of(linear.findings.begin(), linear.findings.end(),
                          [](const Finding& f) { return f.code == "misfit" || f.code == "poor_fit"; }));
  options.dampers = DamperLaw::bilinear;
  const VehicleFitResult fit = identify_vehicle(set, options);
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  ASSERT_EQ(fit.parameters.size(), 17u);
  Eigen::VectorXd truth(17);
  truth << values_of(car, true), 2.5, 2.5;
  expect_truth(fit, truth);
}

}  // namespace
}  // namespace kdyn::inline vehicle
