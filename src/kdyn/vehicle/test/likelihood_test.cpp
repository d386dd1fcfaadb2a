// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/likelihood.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "reference_case.hpp"

namespace kdyn::inline vehicle {
namespace {

using internal::ChannelValues;
using internal::DecayLikelihood;
using internal::Direction;
using internal::first_added_mass;

// A car whose corners all differ, so that no derivative vanishes by symmetry.
Vehicle<double> crooked() {
  Vehicle<double> car;
  const auto members = car.members();
  for (std::size_t i = 0; i < members.size(); ++i) *members[i] *= 1.0 + 0.05 * std::sin(1.7 * static_cast<double>(i));
  return car;
}

ChannelValues some_sigma() {
  ChannelValues sigma(7);
  for (std::size_t c = 0; c < sigma.size(); ++c) sigma[c] = 0.02 + 0.01 * static_cast<double>(c);
  return sigma;
}

// Logarithms of the parameters, then factors on the added masses.
std::vector<Direction> each_direction(Vehicle<double> car) {
  std::vector<Direction> all;
  const auto members = car.members();
  for (std::size_t p = 0; p < members.size(); ++p) all.push_back({{{static_cast<int>(p), *members[p]}}});
  for (int i = 0; i < vehicle_dofs; ++i) all.push_back({{{first_added_mass + i, 1.0}}});
  return all;
}

double cost(const DecayLikelihood& likelihood, const Vehicle<double>& car, const ChannelValues& sigma) {
  Eigen::VectorXd r;
  EXPECT_TRUE(likelihood.evaluate({car, likelihood.channels()}, sigma, r, {}, nullptr));
  return 0.5 * r.squaredNorm();
}

TEST(Likelihood, GradientAgreesWithDifferences) {
  for (const MotionKind kind : {MotionKind::displacement, MotionKind::velocity, MotionKind::acceleration}) {
    DecayTest test;
    test.rate_hz = 200.0;
    test.length_s = 0.8;
    test.kind = kind;
    DecaySet set = simulate_decays(Vehicle<double>{}, {published_mass}, test);
    add_noise(set, noise_for(set, 20.0), 3);
    if (kind == MotionKind::velocity)
      set.channels[0].kind = MotionKind::acceleration;  // mixed quantities: any data will do for a derivative
    const DecayLikelihood likelihood(set, kind == MotionKind::displacement);
    ChannelValues sigma = noise_for(set, 20.0);
    const Vehicle<double> car = crooked();
    Eigen::VectorXd r;
    Eigen::MatrixXd J;
    ASSERT_TRUE(likelihood.evaluate({car, set.channels}, sigma, r, each_direction(car), &J));
    const Eigen::VectorXd gradient = J.transpose() * r;
    for (int p = 0; p < corner_parameter_count; ++p) {
      const double h = 1e-5;
      Vehicle<double> up = car, down = car;
      *up.members()[static_cast<std::size_t>(p)] *= std::exp(h);
      *down.members()[static_cast<std::size_t>(p)] *= std::exp(-h);
      const double difference = (cost(likelihood, up, sigma) - cost(likelihood, down, sigma)) / (2.0 * h);
      // Central differences of a cost near 1e4: rounding 1e-16 * 1e4/1e-5, truncation h^2.
      EXPECT_NEAR(gradient[p], difference, 1e-5 * (1.0 + gradient.cwiseAbs().maxCoeff())) << p;
    }
    for (int i = 0; i < vehicle_dofs; ++i) {
      const double h = 1e-5;
      DecaySet up = set, down = set;
      up.added[0][static_cast<std::size_t>(i)] *= std::exp(h);
      down.added[0][static_cast<std::size_t>(i)] *= std::exp(-h);
      const double difference = (cost(DecayLikelihood(up, kind == MotionKind::displacement), car, sigma) -
                                 cost(DecayLikelihood(down, kind == MotionKind::displacement), car, sigma)) /
                                (2.0 * h);
      EXPECT_NEAR(gradient[corner_parameter_count + i], difference, 1e-5 * (1.0 + gradient.cwiseAbs().maxCoeff())) << i;
    }
  }
}

TEST(Likelihood, AgreesWithProjectionOnSimulatedMotions) {
  // Second formulation: 14 simulated free motions span the space; the residual is what a plain least-squares solution
  // leaves.
  DecayTest test;
  test.rate_hz = 100.0;
  test.length_s = 1.0;
  DecaySet set = simulate_decays(Vehicle<double>{}, {published_mass}, test);
  add_noise(set, noise_for(set, 20.0), 5);
  const Vehicle<double> car = crooked();
  const ChannelValues sigma = some_sigma();
  const DecayLikelihood likelihood(set, false);
  double expected = 0.0;
  std::vector<Eigen::MatrixXd> explained;
  for (const DecayRecord& record : set.records) {
    const auto m = car.matrices(record.config == 1 ? published_mass : AddedMass{});
    const Eigen::Index count = record.samples.rows();
    Eigen::MatrixXd O(count * 7, 14);
    for (int k = 0; k < 14; ++k) {
      Eigen::VectorXd state = Eigen::VectorXd::Unit(14, k);
      const Eigen::MatrixXd y =
          free_response(m, state.head(7), state.tail(7), record.interval, static_cast<int>(count)).acceleration;
      for (int c = 0; c < 7; ++c) O.block(c * count, k, count, 1) = y.col(c) / sigma[static_cast<std::size_t>(c)];
    }
    Eigen::VectorXd y(count * 7);
    for (int c = 0; c < 7; ++c)
      y.segment(c * count, count) = record.samples.col(c) / sigma[static_cast<std::size_t>(c)];
    const Eigen::VectorXd fitted = O * O.colPivHouseholderQr().solve(y);
    expected += 0.5 * (y - fitted).squaredNorm();
    Eigen::MatrixXd model(count, 7);
    for (int c = 0; c < 7; ++c) model.col(c) = sigma[static_cast<std::size_t>(c)] * fitted.segment(c * count, count);
    explained.push_back(model);
  }
  EXPECT_NEAR(cost(likelihood, car, sigma) / expected, 1.0, 1e-10);
  const auto model = likelihood.model({car, set.channels}, sigma);
  for (std::size_t i = 0; i < model.size(); ++i) EXPECT_LT((model[i] - explained[i]).cwiseAbs().maxCoeff(), 1e-8) << i;
}

TEST(Likelihood, OverdampedVehicleHasDerivativesToo) {
  Vehicle<double> car = crooked();
  for (double& c : car.cs) c *= 6.0;  // real eigenvalues
  const DecaySet set = noisy_case();
  const DecayLikelihood likelihood(set, false);
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  ASSERT_TRUE(likelihood.evaluate({car, set.channels}, some_sigma(), r, each_direction(car), &J));
  const double h = 1e-5, gradient = (J.transpose() * r)[16];
  Vehicle<double> up = car, down = car;
  up.cs[1] *= std::exp(h), down.cs[1] *= std::exp(-h);
  EXPECT_NEAR((cost(likelihood, up, some_sigma()) - cost(likelihood, down, some_sigma())) / (2.0 * h) / gradient, 1.0,
              1e-4);
}

TEST(Likelihood, RefusesWhatIsNoVehicle) {
  const DecaySet set = noisy_case();
  const DecayLikelihood likelihood(set, false);
  Vehicle<double> car;
  car.ms = std::numeric_limits<double>::infinity();
  Eigen::VectorXd r;
  EXPECT_FALSE(likelihood.evaluate({car, set.channels}, some_sigma(), r, {}, nullptr));
}

}  // namespace
}  // namespace kdyn::inline vehicle
