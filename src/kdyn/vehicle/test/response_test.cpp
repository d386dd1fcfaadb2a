// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/response.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/vehicle/road.hpp"
#include "reference_case.hpp"

namespace kdyn::inline vehicle {
namespace {

TEST(Response, FreeDecayMatchesTheReference) {
  const Vehicle<double> car;
  for (const bool loaded : {false, true})
    for (const BumpCase& one : published_cases()) {
      const auto m = car.matrices(loaded ? published_mass : AddedMass{});
      const Json& expected = reference()[loaded ? "free_decay_dt0.01_from_t0.3_with_dM"
                                                : "free_decay_dt0.01_from_t0.3_without_dM"][one.name];
      const VehicleResponse r = exact_response(m, car.kt, one.bump, 0.01, 51);
      const auto [x, v] = state_after(m, car.kt, one.bump);
      for (int i = 0; i < 7; ++i) {
        EXPECT_NEAR(x[i], expected["x0"][i].get<double>(), 1e-12);
        EXPECT_NEAR(v[i], expected["v0"][i].get<double>(), 1e-11);
        // Accelerations up to 60 m/s^2; both programs are exact up to rounding of the matrix exponential.
        for (int k = 0; k < 20; ++k) {
          EXPECT_NEAR(r.acceleration(30 + k, i), expected["acc"][k][i].get<double>(), 1e-9);
          EXPECT_NEAR(r.displacement(30 + k, i), expected["disp"][k][i].get<double>(), 1e-12);
        }
      }
      const VehicleResponse free = free_response(m, x, v, 0.01, 20);
      EXPECT_LT((free.acceleration - r.acceleration.middleRows(30, 20)).cwiseAbs().maxCoeff(), 1e-9);
    }
}

TEST(Response, BumpBetweenSamplesIsExactToo) {
  // Samples that miss the corners of the bump agree with samples that meet them.
  const Vehicle<double> car;
  const VehicleResponse coarse = exact_response(car.matrices(), car.kt, roll_bump(), 0.007, 60),
                        fine = exact_response(car.matrices(), car.kt, roll_bump(), 0.001, 414);
  for (int k = 0; k < 60; ++k)
    EXPECT_LT((coarse.displacement.row(k) - fine.displacement.row(7 * k)).cwiseAbs().maxCoeff(), 1e-12) << k;
}

TEST(Response, WilsonThetaMatchesTheReferenceAndIsSecondOrder) {
  const Vehicle<double> car;
  const VehicleResponse r = wilson_theta_response(car.matrices(), car.kt, roll_bump(), 0.001, 600);
  for (const auto& [time, expected] : reference()["wilson_theta1.4_dt0.001_roll_acc_at_t"].items())
    for (int i = 0; i < 7; ++i)
      EXPECT_NEAR(r.acceleration(std::lround(std::stod(time) / 0.001), i), expected[i].get<double>(), 1e-8) << time;
  const auto error = [&](double h) {
    const auto count = static_cast<int>(std::lround(1.0 / h)) + 1;
    const Eigen::MatrixXd difference =
        wilson_theta_response(car.matrices(), car.kt, bounce_bump(), h, count).displacement -
        exact_response(car.matrices(), car.kt, bounce_bump(), h, count).displacement;
    return difference.row(count - 1).norm();
  };
  EXPECT_NEAR(std::log2(error(0.002) / error(0.001)), 2.0, 0.1);
}

TEST(Response, RoadLinearBetweenSamplesIsExact) {
  // The same polygon on a grid seven times finer has the same response.
  const Vehicle<double> car;
  Eigen::MatrixXd coarse(40, 4), fine(39 * 7 + 1, 4);
  for (int k = 0; k < 40; ++k)
    for (int w = 0; w < 4; ++w) coarse(k, w) = 0.02 * std::sin(0.9 * k + w);
  for (int k = 0; k < fine.rows(); ++k) {
    const int i = std::min(k / 7, 38);
    const double s = k / 7.0 - i;
    fine.row(k) = (1.0 - s) * coarse.row(i) + s * coarse.row(i + 1);
  }
  const auto a = exact_response(car.matrices(), car.kt, coarse, 0.01),
             b = exact_response(car.matrices(), car.kt, fine, 0.01 / 7.0);
  for (int k = 0; k < 40; ++k) EXPECT_LT((a.velocity.row(k) - b.velocity.row(7 * k)).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Road, HasTheAskedSpectrumAndDelay) {
  RoadOptions options;
  options.roughness = 64e-6;
  options.length_s = 60.0;
  options.fade_s = 0.5;
  options.rate_hz = 500.0;
  const Road road = random_road(options);
  // Rear wheels follow a wheelbase later: 0.14 s at 20 m/s, 70 samples; away from the fades.
  for (int k = 400; k < 1000; ++k) EXPECT_NEAR(road.height(k + 70, 2), road.height(k, 0), 1e-12);
  // Velocity is the derivative of height (central difference, third derivative of the shortest wave bounds the error).
  for (int k = 100; k < 29900; k += 97)
    EXPECT_NEAR((road.height(k + 1, 1) - road.height(k - 1, 1)) * 250.0, road.velocity(k, 1), 0.12);
  // Variance of a spectrum G0 (n/n0)^-2 between 1/50 and 4 per metre: G0 n0^2 (50 - 0.25); chance of 400 waves and 60 s
  // gives 30 %.
  const double expected = 64e-6 * 0.01 * (50.0 - 0.25);
  EXPECT_NEAR(road.height.col(0).squaredNorm() / 30000.0 / expected, 1.0, 0.35);
  Road flat{0.002, Eigen::MatrixXd::Zero(500, 4), Eigen::MatrixXd::Zero(500, 4)};
  // 1 m at 20 m/s lasts 25 samples; started half a sample off the grid so that a sample meets its top.
  add_obstacle(flat, options, 0.101, 0.05, 1.0, true, false);
  EXPECT_NEAR(flat.height.col(0).maxCoeff(), 0.05, 1e-12);
  EXPECT_EQ(flat.height.col(1).norm(), 0.0);
  EXPECT_EQ(random_road(options).height, road.height);  // seeded
}

}  // namespace
}  // namespace kdyn::inline vehicle
