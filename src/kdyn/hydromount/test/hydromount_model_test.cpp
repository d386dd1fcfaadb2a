// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/hydromount_model.hpp"

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "reference_mounts.hpp"

namespace kdyn::inline hydromount {
namespace {

Json minimal() {
  return parse_json(R"({"model": "hydromount",
    "main_rubber": {"model": "elastomer", "parameters": {"static_stiffness": 1e6}},
    "chamber_rubber": {"model": "elastomer", "parameters": {"static_stiffness": 1643e3}},
    "parameters": {"chamber_area": 8.586e-3, "channel_area": 8.191e-5, "channel_length": 0.248428, "fluid_density": 950.0835134858696,
      "fluid_damping_linear": 0.333, "fluid_damping_nonlinear": 1.393, "fluid_damping_exponent": 2, "decoupler_clearance": null,
      "decoupler_gradient": null, "pressure_limit": null, "bypass_area": null, "bypass_threshold": null, "coupled_damping": false}})",
                    "test");
}

TEST(HydroMountModel, ReadsTheDocumentedForm) {
  const HydroMount<double> law = hydromount_from_json(minimal(), "model");
  EXPECT_EQ(law.main_rubber.static_stiffness, 1e6);
  EXPECT_EQ(law.main_rubber.lambda, 0.0) << "an elastomer with static stiffness alone is a plain spring";
  EXPECT_FALSE(law.decoupler_clearance || law.pressure_limit || law.has_bypass());
  EXPECT_EQ(law.decoupler_gradient, 1.0);
}

TEST(HydroMountModel, RoundTripsEveryKey) {
  HydroMount<double> law = reference::table_1();
  law.main_rubber = Elastomer<double>{};
  law.decoupler_clearance = 1.25e-4;
  law.decoupler_gradient = 0.7;
  law.decoupler_residual_slope = 0.1;
  law.pressure_limit = 5e4;
  law.bypass_area = 2e-6;
  law.bypass_threshold = 4e4;
  law.coupled_damping = true;
  law.fluid_damping_exponent = 3.0;
  law.chamber_preload_curve = {{-100.0, 0.9}, {500.0, 1.4}};
  law.switch_signal = {{0.0, 1.0}, {0.5, 0.0}};
  prepare(law, "law");
  Json first, second;
  model_json(law, first);
  model_json(hydromount_from_json(parse_json(dump_json(first), "file"), "file"), second);
  EXPECT_EQ(first, second);
}

TEST(HydroMountModel, ErrorsNameTheField) {
  struct Case {
    const char *pointer, *value, *expected;
  };
  const Case cases[] = {
      {"/parameters/chamber_area", "0", "chamber_area"},
      {"/parameters/channel_length", "\"long\"", "channel_length"},
      {"/parameters/fluid_damping_exponent", "0.5", "fluid_damping_exponent"},
      {"/parameters/decoupler_clearance", "-1e-4", "decoupler_clearance"},
      {"/parameters/bypass_area", "1e-6", "bypass_threshold"},
      {"/parameters/switch_signal", "[[0, 1], [1, 2]]", "switch_signal"},
      {"/parameters/chamber_preload_curve", "[[1, 1], [0, 1]]", "chamber_preload_curve"},
      {"/parameters/chanel_area", "1", "chanel_area"},
      {"/main_rubber/parameters/static_stiffness", "-1", "main_rubber"},
      {"/chamber_rubber/parameters/rho", "null", "chamber_rubber"},
      {"/rubber", "{}", "rubber"},
  };
  for (const Case& c : cases) {
    Json model = minimal();
    model[Json::json_pointer(c.pointer)] = parse_json(c.value, "test");
    try {
      hydromount_from_json(model, "model");
      ADD_FAILURE() << c.pointer << " = " << c.value << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(error.where().find(c.expected), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty()) << error.what();
    }
  }
  for (const char* missing : {"main_rubber", "chamber_rubber", "parameters"}) {
    Json model = minimal();
    model.erase(missing);
    EXPECT_THROW(hydromount_from_json(model, "model"), Error) << missing;
  }
  Json model = minimal();
  model["parameters"].erase("fluid_density");
  EXPECT_THROW(hydromount_from_json(model, "model"), Error);
}

}  // namespace
}  // namespace kdyn::inline hydromount
