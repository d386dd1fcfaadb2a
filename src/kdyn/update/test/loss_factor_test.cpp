// SPDX-License-Identifier: Apache-2.0
// Loss factors as parameters. Oracles: dense complex matrices, central differences, and a structure whose truth is known
// (plate_frame.hpp solves it line by line with complex stiffness).
#include <gtest/gtest.h>

#include <algorithm>

#include "kdyn/base/error.hpp"
#include "kdyn/update/test/plate_frame.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Five masses in a row, free; springs 1 and 2 are parameters, spring 3 shares a parameter with the mass of the last.
fe::ReducedModel chain(bool wide) {
  fe::ReducedModel out;
  const auto spring = [](int a, int b, double k) {
    MatrixXd m = MatrixXd::Zero(5, 5);
    m(a, a) = m(b, b) = k, m(a, b) = m(b, a) = -k;
    return m;
  };
  // p0: spring 1, p1: spring 2 and a mass, p2: loss factor of springs 1 and 3, p3: of spring 2 (or of all others)
  out.stiffness.push_back({{1, 0, 1, 0}, spring(0, 1, 4e4)});
  out.stiffness.push_back({{0, 1, 0, 1}, spring(1, 2, 7e4)});
  out.stiffness.push_back({{0, 0, 1, 0}, spring(2, 3, 5e4)});
  out.stiffness.push_back({{0, 0, 0, wide ? 1 : 0}, spring(3, 4, 6e4) + spring(0, 3, 2e4)});
  MatrixXd mass = VectorXd::LinSpaced(5, 1.0, 1.4).asDiagonal();
  out.mass.push_back({{0, 0, 0, 0}, mass});
  out.mass.push_back({{0, 1, 0, 0}, MatrixXd(VectorXd::Unit(5, 4) * VectorXd::Unit(5, 4).transpose() * 0.3)});
  out.C = MatrixXd::Identity(5, 5).topRows(3);
  out.B = MatrixXd::Identity(5, 5).leftCols(2);
  out.loss = (VectorXd(4) << 0.0, 0.0, 0.15, 0.08).finished();
  out.mode_damping = VectorXd::Constant(3, 0.01);
  out.parameters = 7;
  return out;
}
const VectorXd ratio = (VectorXd(7) << 1.1, 0.8, 1.3, 0.9, 0.7, 1.2, 1.6).finished();

// A few lines with all channels: what the model gives at another point.
Target target_of(const fe::ReducedModel& model) {
  Target out;
  out.frequency_hz = VectorXd::LinSpaced(40, 8.0, 75.0);
  out.values = accelerance(modal_form(model, VectorXd::Ones(7), false), out.frequency_hz, 0.02);
  return out;
}

TEST(LossFactors, ResponsesAreThoseOfTheComplexMatrices) {
  for (const bool wide : {false, true}) {
    const fe::ReducedModel model = chain(wide);
    const ModalForm form = modal_form(model, ratio, false);
    const VectorXd hz = VectorXd::LinSpaced(30, 3.0, 90.0);
    const MatrixXcd found = accelerance(form, hz, 0.02);
    // In physical coordinates: K' with complex springs, damping matrix of the ratios of the modes.
    const double p0 = ratio[0], p1 = ratio[1], first = 0.15 * ratio[2], second = 0.08 * ratio[3];
    const auto term = [&](std::size_t i) { return model.stiffness[i].matrix; };
    const MatrixXd k = p0 * term(0) + p1 * term(1) + term(2) + term(3);
    MatrixXd l = first * (p0 * term(0) + term(2)) + second * p1 * term(1);
    if (wide) l += second * term(3);
    const MatrixXd m = model.mass[0].matrix + p1 * model.mass[1].matrix;
    VectorXd own(5);
    own << 0.0, 0.01 * ratio[4], 0.01 * ratio[5], 0.01 * ratio[6], 0.02;
    const MatrixXd to_modes = m * form.shapes,
                   damping = to_modes * (2.0 * own.cwiseProduct(form.omega)).asDiagonal() * to_modes.transpose();
    for (Index i = 0; i < hz.size(); ++i) {
      const double w = 2.0 * 3.14159265358979323846 * hz[i];
      const MatrixXcd dynamic =
          k.cast<std::complex<double>>() - w * w * m + std::complex<double>(0.0, 1.0) * (l + w * damping);
      const MatrixXcd h = -w * w * model.C * dynamic.partialPivLu().solve(model.B.cast<std::complex<double>>());
      EXPECT_LT((found.row(i).transpose() - h.reshaped()).norm(), 1e-10 * h.norm()) << hz[i];
    }
  }
}

TEST(LossFactors, SlopesAreThoseOfDifferences) {
  for (const bool wide : {false, true}) {
    const fe::ReducedModel model = chain(wide);
    const Target target = target_of(model);
    const MetricSlope slope = metric_slope(model, ratio, target, 0.02);
    for (Index s = 0; s < 7; ++s) {
      VectorXd up = ratio, down = ratio;
      up[s] += 1e-6, down[s] -= 1e-6;
      const double difference = (log_metric(model, up, target, 0.02) - log_metric(model, down, target, 0.02)) / 2e-6;
      EXPECT_NEAR(slope.gradient[s], difference, 1e-7 * slope.gradient.cwiseAbs().maxCoeff()) << s;
    }
  }
}

TEST(LossFactors, WithoutLossItIsTheModelOfModalDamping) {
  fe::ReducedModel model = chain(false), plain = model;
  plain.loss.resize(0), plain.mode_damping.resize(0), plain.parameters = 4;
  VectorXd at = ratio;
  at.tail(3).setConstant(2.0);  // 2 %, as the other modes
  at.segment(2, 2).setConstant(1e-12);
  const VectorXd hz = VectorXd::LinSpaced(30, 3.0, 90.0), elastic = (VectorXd(4) << at[0], at[1], 1.0, 1.0).finished();
  const ModalForm lossy = modal_form(model, at, true), light = modal_form(plain, elastic, true);
  const MatrixXcd a = accelerance(lossy, hz, 0.02), b = accelerance(light, hz, 0.02);
  EXPECT_LT((a - b).norm(), 1e-10 * b.norm());
  const MatrixXcd x = accelerance_derivatives(lossy, 33.0, 0.02), y = accelerance_derivatives(light, 33.0, 0.02);
  EXPECT_LT((x.leftCols(2) - y.leftCols(2)).norm(), 1e-9 * y.leftCols(2).norm());
}

// Rubber of a loss factor of 0.25: read from equalised responses its stiffness was 3 % too high in the mean, and with
// complex shapes it is off by more. Found together with its loss factor it is not.
TEST(LossFactors, StiffnessAndLossOfRubberAreFoundTogether) {
  test::FrameTruth truth;
  truth.loss = 0.25;
  const VectorXd hz = VectorXd::LinSpaced(400, 15.0, 240.0);
  const test::PlateFrame frame = test::plate_frame();
  const FullModel model = full_model(frame.model, test::frame_parameters_with_loss());
  UpdateOptions options;
  options.band_hz = {20.0, 180.0};
  options.starts = 1, options.suggest = false, options.bootstrap_draws = 0;
  const Part part{"frame", test::measured(test::true_responses(truth, hz), hz, frame, 0.01, 7), {}};
  const PartResult found = run_update(model, {part}, {}, options, "").parts[0];
  ASSERT_EQ(found.parameters.size(), 17u);
  const VectorXd ratios = test::true_ratios();
  int inside = 0;
  for (std::size_t s = 0; s < 17; ++s) {
    const ParameterEstimate& p = found.parameters[s];
    const double value = s < 15 ? ratios[static_cast<Index>(s)] * model.parameters[s].nominal : 0.25;
    inside += p.lower_95 <= value && value <= p.upper_95;
    // Seen: 0.04 % for stiffness, thickness and mass, 0.05 % for loss factors; |k*| would be 3.1 % above k'.
    EXPECT_NEAR(p.value, value, (s < 15 ? 0.003 : 0.01) * value) << p.name;
  }
  EXPECT_EQ(found.status, "converged") << found.reason;
  EXPECT_LT(found.model_to_noise, 1.2);
  // Strips were given 0.4 to 1.2 %: what the loss factors do not stand for.
  EXPECT_GT(found.own_damping.minCoeff(), 0.003);
  EXPECT_LT(found.own_damping.maxCoeff(), 0.014);
  EXPECT_GE(inside, 12);  // of 17 intervals of 95 %
}

TEST(LossFactors, EqualisedResponsesCannotTellThem) {
  const FullModel model = full_model(test::plate_frame().model, test::frame_parameters_with_loss());
  Part part{"frame", {}, {}};
  part.equalised.push_back({0.02, {}});
  EXPECT_THROW(run_update(model, {part}, {}, {}, ""), Error);
}

}  // namespace
}  // namespace kdyn::update
