// SPDX-License-Identifier: Apache-2.0
// The elastomer as a model file: what is understood, what is refused and how.
#include "kdyn/elastomer/elastomer_model.hpp"

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::inline elastomer {
namespace {

Elastomer<double> read(const std::string& text) { return elastomer_from_json(parse_json(text, "test"), "m.json"); }

void expect_refused(const std::string& text, const std::string& where, const std::string& word) {
  try {
    read(text);
    ADD_FAILURE() << text << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.where(), where) << text;
    EXPECT_NE((error.message() + error.remedy()).find(word), std::string::npos) << error.what();
  }
}

TEST(ElastomerModel, ReadsTheDocumentedForm) {
  const auto law = read(
      R"({"model":"elastomer","law":"g4","parameters":{"static_stiffness":338e3,"alpha":0.1,"beta":0.09,"gamma":0.0035,"lambda":0.3,
    "rdl":9e-5,"rho":4500,"ymax":4e-4,"curve":null},"options":{"start_up":"backbone","deadband":1e-6}})");
  EXPECT_EQ(law.law, FrictionLaw::g4);
  EXPECT_EQ(law.start_up, StartUp::backbone);
  EXPECT_EQ(law.deadband, 1e-6);
  EXPECT_EQ(law.ymax, 4e-4);
  EXPECT_EQ(law.scale_freq, 1.0);
  EXPECT_EQ(law.curve, nullptr);
}

TEST(ElastomerModel, StiffnessAloneIsAPlainSpring) {
  const auto mount = make_mount(read(R"({"model":"elastomer","parameters":{"static_stiffness":2e5}})"));
  const auto response = mount->closed_form(10.0, 1e-3, 0.0);
  ASSERT_TRUE(response.has_value());
  EXPECT_DOUBLE_EQ(response->k_dyn, 2e5);
  EXPECT_DOUBLE_EQ(response->k_dyn_loop, 2e5);
  EXPECT_EQ(response->loss_angle, 0.0);
  EXPECT_EQ(mount->static_displacement(100.0), 5e-4);
}

TEST(ElastomerModel, CurveGivesStiffnessAtTheOperatingPoint) {
  const auto law = read(
      R"({"model":"elastomer","parameters":{"curve":[[-0.002,-800],[0,0],[0.002,400],[0.004,2000]],"scale_curve":2}})");
  const auto mount = make_mount(law);
  const double u0 = mount->static_displacement(1800.0);
  EXPECT_NEAR(mount->static_force(u0), 1800.0, 1e-9);
  // Scale factors of the static part act on the force and its slope, not on the k of the dynamic parts  [elastomer
  // E21].
  EXPECT_NEAR(law.static_slope(u0), 2.0 * law.stiffness_at(u0), 1e-9);
}

TEST(ElastomerModel, RefusesWhatItDoesNotUnderstand) {
  expect_refused(R"([])", "m.json", "JSON object");
  expect_refused(R"({"model":"elastomer"})", "m.json.parameters", "missing");
  expect_refused(R"({"model":"elastomer","parameters":{"lambda":0.2}})", "m.json.parameters.static_stiffness", "curve");
  expect_refused(R"({"model":"elastomer","parameters":[]})", "m.json.parameters", "object");
  expect_refused(R"({"model":"elastomer","parameters":{"static_stiffness":1},"colour":"red"})", "m.json.colour",
                 "unknown");
  expect_refused(R"({"model":"elastomer","parameters":{"static_stifness":1,"static_stiffness":1}})",
                 "m.json.parameters.static_stifness", "static_stiffness");
  expect_refused(R"({"model":"elastomer","law":"coulomb","parameters":{"static_stiffness":1}})", "m.json.law",
                 "masing");
  expect_refused(R"({"model":"elastomer","parameters":{"static_stiffness":0}})", "m.json.parameters.static_stiffness",
                 "0");
  expect_refused(R"({"model":"elastomer","parameters":{"static_stiffness":1,"ymax":-1}})", "m.json.parameters.ymax",
                 "-1");
  expect_refused(R"({"model":"elastomer","parameters":{"static_stiffness":"soft"}})",
                 "m.json.parameters.static_stiffness", "soft");
  expect_refused(R"({"model":"elastomer","parameters":{"curve":[[0,0]]}})", "m.json.parameters.curve", "two points");
  expect_refused(R"({"model":"elastomer","parameters":{"curve":[[0,0],[1,1],[0.5,2]]}})", "m.json.parameters.curve[2]",
                 "rise");
  expect_refused(R"({"model":"elastomer","parameters":{"curve":[[0,0],[1]]}})", "m.json.parameters.curve[1]", "pairs");
  expect_refused(R"({"model":"elastomer","parameters":{"static_stiffness":1},"options":{"deadband":-1}})",
                 "m.json.options.deadband", "-1");
}

TEST(ElastomerModel, PrepareNamesTheMemberThatBreaksARule) {
  Elastomer<double> law;
  law.rho = -3.0;
  try {
    prepare(law, "fit");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "fit.rho");
  }
}

}  // namespace
}  // namespace kdyn::inline elastomer
