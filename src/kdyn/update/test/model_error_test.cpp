// SPDX-License-Identifier: Apache-2.0
// Is the result honest about a model that lacks something, about channels that are wrong, and quiet when all is right?
// The truth is a finite-element model of its own (plate_frame.hpp); the counts over many noises are in
// validation/updating_model_error.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/refine_mesh.hpp"
#include "kdyn/update/test/plate_frame.hpp"

namespace kdyn::update {
namespace {

using Eigen::VectorXd;

const VectorXd hz = VectorXd::LinSpaced(500, 15.0, 240.0);

UpdateOptions quick() {
  UpdateOptions options;
  options.band_hz = {20.0, 180.0};
  options.starts = 1;
  options.suggest = false;
  options.bootstrap_draws = 0;
  return options;
}

class FrameUpdate : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    frame = new test::PlateFrame(test::plate_frame());
    model = new FullModel(full_model(frame->model, test::frame_parameters()));
    clean = new Eigen::MatrixXcd(test::true_responses({}, hz));
  }
  static void TearDownTestSuite() { delete frame, delete model, delete clean; }

  static Part part(const Eigen::MatrixXcd& responses) {
    return {"frame", test::measured(responses, hz, *frame, 0.01, 7), {}};
  }
  static PartResult run(const Eigen::MatrixXcd& responses, const UpdateOptions& options = quick()) {
    return run_update(*model, {part(responses)}, {}, options, "").parts[0];
  }
  static bool says(const PartResult& found, const std::string& code) {
    return std::any_of(found.findings.begin(), found.findings.end(), [&](const Finding& f) { return f.code == code; });
  }

  static test::PlateFrame* frame;
  static FullModel* model;
  static Eigen::MatrixXcd* clean;
};
test::PlateFrame* FrameUpdate::frame = nullptr;
FullModel* FrameUpdate::model = nullptr;
Eigen::MatrixXcd* FrameUpdate::clean = nullptr;

TEST_F(FrameUpdate, AGoodModelIsNotAccused) {
  const PartResult found = run(*clean);
  EXPECT_EQ(found.status, "converged") << found.reason;
  EXPECT_LT(found.model_to_noise, model_error_limit);
  EXPECT_FALSE(says(found, "model_error"));
  EXPECT_TRUE(found.channel_faults.empty());
  const VectorXd truth = test::true_ratios();
  int inside = 0;
  for (std::size_t s = 0; s < 15; ++s) {
    const double value = truth[static_cast<Eigen::Index>(s)] * model->parameters[s].nominal;
    inside += found.parameters[s].lower_95 <= value && value <= found.parameters[s].upper_95;
  }
  EXPECT_GE(inside, 11);  // 95 % intervals of one noise: 14 of 15 expected, fewer than 11 in one case of a thousand
}

TEST_F(FrameUpdate, AForgottenMassMakesItAPoorFit) {
  test::FrameTruth truth;
  truth.forgotten_kg = 0.8;
  const PartResult found = run(test::true_responses(truth, hz));
  EXPECT_GT(found.model_to_noise, 3.0);
  EXPECT_EQ(found.status, "poor_fit");
  EXPECT_TRUE(says(found, "model_error"));
  EXPECT_FALSE(found.likely_error.empty());
  for (const Verdict verdict : found.gate_at_optimum.verdict) EXPECT_NE(verdict, Verdict::determined);
  for (std::size_t s = 0; s < 15; ++s)  // wider than what noise alone gives
    EXPECT_GT(found.parameters[s].std,
              found.gate_at_optimum.std[static_cast<Eigen::Index>(s)] * model->parameters[s].nominal);
}

// A truth with four times the elements: thicknesses and masses take up what the coarse mesh has too much of stiffness,
// and only another mesh can tell. The oracle of that mesh is the frame built twice as fine.
TEST_F(FrameUpdate, AMeshThatIsTooCoarseIsSeenByAFinerOne) {
  test::FrameTruth fine;
  fine.refined = 2;
  const std::optional<fe::Model> halved = fe::with_mesh_halved(frame->model);
  ASSERT_TRUE(halved.has_value());
  fe::ModesOptions modes;
  modes.count = 30, modes.shift_hz = 100.0;
  const VectorXd cut = fe::find_modes(fe::assemble(*halved), modes).frequency_hz,
                 built = fe::find_modes(fe::assemble(test::plate_frame(fine).model), modes).frequency_hz;
  ASSERT_EQ(cut.size(), built.size());
  for (Eigen::Index i = 6; i < cut.size(); ++i) EXPECT_NEAR(cut[i], built[i], 1e-7 * built[i]) << i;

  const PartResult found = run(test::true_responses(fine, hz));
  EXPECT_GT(found.model_to_noise, 10.0);
  ASSERT_TRUE(found.finer_mesh.made());
  EXPECT_LT(found.finer_mesh.model_to_noise, model_error_limit);  // that mesh is the truth's
  EXPECT_NE(found.likely_error.find("the mesh"), std::string::npos) << found.likely_error;
  const VectorXd truth = test::true_ratios();
  int missed_by_much = 0;
  for (std::size_t s = 0; s < 15; ++s) {
    const auto i = static_cast<Eigen::Index>(s);
    const double value = truth[i] * model->parameters[s].nominal;
    EXPECT_LE(found.parameters[s].lower_95, value) << model->parameters[s].name;
    EXPECT_GE(found.parameters[s].upper_95, value) << model->parameters[s].name;
    missed_by_much += std::abs(found.optimum.ratio[i] - truth[i]) > 0.02;
  }
  EXPECT_GE(missed_by_much, 5);  // intervals were needed: without the mesh half of them missed
}

Eigen::Index column(Eigen::Index output, Eigen::Index input) { return output + 30 * input; }

TEST_F(FrameUpdate, WrongChannelsAreNamedAndLeftOutOnRequest) {
  Eigen::MatrixXcd wrong = *clean;
  for (Eigen::Index u = 0; u < 7; ++u) wrong.col(column(4, u)) *= -1.0;
  UpdateOptions options = quick();
  options.leave_out_faulty = true;
  const PartResult found = run(wrong, options);
  EXPECT_TRUE(says(found, "left_out"));
  EXPECT_EQ(found.outputs.size(), 29u);
  EXPECT_LT(found.model_to_noise, model_error_limit);
  EXPECT_EQ(found.status, "converged") << found.reason;
}

TEST_F(FrameUpdate, KindsOfFaultsAreToldApart) {
  const Stage stage = [&] {
    Stage out;
    out.damping = 0.02;
    out.target.frequency_hz = frequency_lines(20.0, 180.0, 0.02, 1.0);
    return out;
  }();
  // Exact responses of the model itself: what is found is the fault and nothing else.
  const fe::ReducedModel small =
      make_surrogate(model->matrices, model->group_of, model->rows(frame->outputs, "outputs"),
                     model->rows(frame->inputs, "inputs").transpose(), {.modes = 30})
          .model;
  const VectorXd nominal = VectorXd::Ones(15);
  const Eigen::MatrixXcd exact =
      accelerance(modal_form(small, nominal, false), stage.target.frequency_hz, stage.damping);
  const auto faults = [&](const std::function<void(Eigen::MatrixXcd&)>& spoil) {
    Stage now = stage;
    now.target.values = exact;
    spoil(now.target.values);
    return find_channel_faults(small, now, {}, nominal, {});
  };
  const auto lines = stage.target.frequency_hz.size();
  EXPECT_TRUE(faults([](Eigen::MatrixXcd&) {}).empty());
  const auto factor = faults([](Eigen::MatrixXcd& h) {
    for (Eigen::Index u = 0; u < 7; ++u) h.col(column(9, u)) *= 1.1;
  });
  ASSERT_EQ(factor.size(), 1u);
  EXPECT_EQ(factor[0].kind, ChannelFaultKind::factor);
  EXPECT_EQ(words_of(factor[0], frame->outputs, frame->inputs),
            "sensor " + label(frame->outputs[9]) + " reads 1.1 times what it should");
  const auto late = faults([&](Eigen::MatrixXcd& h) {
    for (Eigen::Index y = 0; y < 30; ++y)
      for (Eigen::Index l = 0; l < lines; ++l)
        h(l, column(y, 2)) *= std::polar(1.0, 2.0 * 3.141592653589793 * stage.target.frequency_hz[l] * 5e-4);
  });
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].kind, ChannelFaultKind::delay);
  EXPECT_TRUE(late[0].force);
  EXPECT_EQ(words_of(late[0], frame->outputs, frame->inputs),
            "force " + label(frame->inputs[2]) + " is late by 0.5 ms");
  const auto swapped = faults([](Eigen::MatrixXcd& h) {
    for (Eigen::Index u = 0; u < 7; ++u) h.col(column(3, u)).swap(h.col(column(20, u)));
  });
  ASSERT_EQ(swapped.size(), 1u);
  EXPECT_EQ(swapped[0].kind, ChannelFaultKind::swap);
  EXPECT_EQ(swapped[0].index, 3);
  EXPECT_EQ(swapped[0].other, 20);
}

TEST_F(FrameUpdate, WordsThatNameNoChannelAreRefused) {
  UpdateOptions options = quick();
  options.validation_inputs = {"77+Z"};
  EXPECT_THROW(run(*clean, options), Error);
  options = quick();
  options.leave_out = {"902+Q"};
  EXPECT_THROW(run(*clean, options), Error);
}

}  // namespace
}  // namespace kdyn::update
