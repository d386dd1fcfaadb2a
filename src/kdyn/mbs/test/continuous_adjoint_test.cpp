// SPDX-License-Identifier: Apache-2.0
// The continuous adjoint of paper V on its own example: another equation, integrated by another scheme, for the same
// gradient. It is the gradient of the exact motion, so that it approaches the discrete one with the square of the step.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.hpp"
#include "kdyn/mbs/linearise.hpp"

namespace kdyn::mbs {
namespace {

// [paper V (11)-(13)] for constant matrices, tau = T - t:  M mu'' + C^T mu' + K^T mu = g_x^T,  mu = mu' = 0 at tau = 0;
// dJ/drho = - integral of mu . (load by rho): stiffness mu_i deflection, damping mu_i its rate.
// Integrated by the average-acceleration rule.
double difference_of_gradients(double h) {
  auto c = cases::build("double_mass_kv");
  c.options.step_s = h;
  c.options.duration_s = 1.0;
  c.model.loads[0].force[0] = TimeSignal("100*sin(20*pi*t)*exp(-6*t)");
  const System system(c.model);
  const std::vector<Output> outputs = {{OutputKind::position, c.outputs[0].first, 0}};
  History history;
  std::vector<double> y;
  std::vector<Eigen::Vector2d> deflection, rate;
  EXPECT_EQ(simulate(
                system, c.options,
                [&](const RunState& s, const Evaluation& e) {
                  y.push_back(output_value(system, outputs[0], s, e) - 1.0);
                  deflection.emplace_back(e.measure[0].x[0], e.measure[1].x[0]);
                  rate.emplace_back(e.measure[0].rate[0], e.measure[1].rate[0]);
                },
                silent_progress(), &history)
                .status,
            RunStatus::done);
  const std::size_t count = y.size();
  MatrixX bar(1, static_cast<Eigen::Index>(count));
  const auto weight = [&](std::size_t n) { return h * (n == 0 || n + 1 == count ? 0.5 : 1.0); };
  for (std::size_t n = 0; n < count; ++n) bar(0, static_cast<Eigen::Index>(n)) = 2.0 * weight(n) * y[n];
  std::vector<Parameter> parameters;
  for (int a = 0; a < 2; ++a)
    for (int i = 0; i < 2; ++i) parameters.push_back({Parameter::Kind::law, a, i});
  const auto discrete = adjoint_gradient(system, c.options, history, outputs, bar, parameters);

  // Matrices by hand: masses 2 and 1 kg, bushings ground-1 and 1-2.
  const auto rho = cases::reference()["double_mass_kv"]["rho_exact"].get<std::vector<double>>();
  Eigen::Matrix2d M, C, K, X;
  M << 2.0, 0.0, 0.0, 1.0;
  X << 1.0, 0.0, -1.0, 1.0;  // deflections from displacements
  K = X.transpose() * Eigen::Vector2d(rho[0], rho[2]).asDiagonal() * X;
  C = X.transpose() * Eigen::Vector2d(rho[1], rho[3]).asDiagonal() * X;
  Eigen::Vector2d mu = Eigen::Vector2d::Zero(), mu_rate = mu, gradient_k = mu, gradient_c = mu;
  Eigen::Vector2d acceleration = M.inverse() * Eigen::Vector2d(0.0, 2.0 * y[count - 1]);
  const Eigen::Matrix2d S = M + 0.5 * h * C.transpose() + 0.25 * h * h * K.transpose();
  for (std::size_t n = count; n-- > 0;) {
    if (n + 1 < count) {
      const Eigen::Vector2d mu_free = mu + h * mu_rate + 0.25 * h * h * acceleration,
                            rate_free = mu_rate + 0.5 * h * acceleration;
      acceleration =
          S.inverse() * (Eigen::Vector2d(0.0, 2.0 * y[n]) - C.transpose() * rate_free - K.transpose() * mu_free);
      mu = mu_free + 0.25 * h * h * acceleration;
      mu_rate = rate_free + 0.5 * h * acceleration;
    }
    const Eigen::Vector2d pulled = X * mu;
    gradient_k -= weight(n) * pulled.cwiseProduct(deflection[n]);
    gradient_c -= weight(n) * pulled.cwiseProduct(rate[n]);
  }
  const double continuous[4] = {gradient_k[0], gradient_c[0], gradient_k[1], gradient_c[1]};
  double worst = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = discrete.gradient[static_cast<Eigen::Index>(i)] * rho[i];
    largest = std::max(largest, std::abs(expected));
    worst = std::max(worst, std::abs(continuous[i] * rho[i] - expected));
  }
  return worst / largest;
}

TEST(MultibodyContinuousAdjoint, ApproachesTheDiscreteGradientWithTheSquareOfTheStep) {
  const double coarse = difference_of_gradients(2e-3), fine = difference_of_gradients(1e-3),
               finest = difference_of_gradients(5e-4);
  EXPECT_LT(finest, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2);
  EXPECT_NEAR(std::log2(fine / finest), 2.0, 0.2);
}

}  // namespace
}  // namespace kdyn::mbs
