// SPDX-License-Identifier: Apache-2.0
// Model files of every law with their options, for tests that go over all laws.
#pragma once

#include <vector>

#include "kdyn/base/json.hpp"

namespace kdyn::test {

inline std::vector<Json> sample_laws() {
  std::vector<Json> all;
  const Json rubber = Json::parse(
      R"({"model":"elastomer","parameters":{"static_stiffness":338e3,"alpha":0.1014,"beta":0.0963,"gamma":0.0035,
    "lambda":0.3803,"rdl":8.93e-5,"rho":4528.2}})");
  all.push_back(rubber);
  Json limited = rubber, g4 = rubber, curve = rubber;
  limited["parameters"]["ymax"] = 3e-4;
  all.push_back(limited);
  g4["law"] = "g4";
  g4["parameters"]["ymax"] = 2e-4;
  g4["options"] = {{"start_up", "backbone"}};
  all.push_back(g4);
  curve["parameters"].erase("static_stiffness");
  curve["parameters"]["curve"] = Json::parse("[[-0.004,-2000],[-0.001,-350],[0,0],[0.001,330],[0.005,2600]]");
  curve["parameters"]["scale_curve"] = 1.1;
  all.push_back(curve);
  const Json hydro = Json::parse(R"({"model":"hydromount",
    "main_rubber":{"model":"elastomer","parameters":{"static_stiffness":400e3,"alpha":0.1,"beta":0.1,"gamma":0.003,"lambda":0.3,"rdl":5e-5,"rho":3000}},
    "chamber_rubber":{"model":"elastomer","parameters":{"static_stiffness":600e3,"alpha":0.2,"beta":0.2,"gamma":0.002,"lambda":0.2,"rdl":3e-5,"rho":2500}},
    "parameters":{"chamber_area":8.586e-3,"channel_area":8.191e-5,"channel_length":0.248428,"fluid_density":950.08,"fluid_damping_linear":0.333,
      "fluid_damping_nonlinear":1.393}})");
  all.push_back(hydro);
  Json decoupled = hydro, bypass = hydro, switched = hydro;
  decoupled["parameters"].update({{"decoupler_clearance", 3e-4},
                                  {"decoupler_gradient", 0.9},
                                  {"decoupler_residual_slope", 0.1},
                                  {"fluid_damping_exponent", 1.75},
                                  {"coupled_damping", true}});
  all.push_back(decoupled);
  bypass["parameters"].update({{"bypass_area", 2e-5}, {"bypass_threshold", 1.5e4}, {"pressure_limit", 6e4}});
  all.push_back(bypass);
  switched["parameters"].update({{"switch_signal", Json::parse("[[0,1],[0.2,1],[0.25,0],[0.5,0],[0.5,1]]")},
                                 {"chamber_preload_curve", Json::parse("[[-1000,0.8],[1000,1.3]]")}});
  all.push_back(switched);
  all.push_back(Json::parse(
      R"({"model":"activemount","parameters":{"cT1":418.1e3,"cT2":48.1e3,"dT1":268.7,"dT2":11.1,"cB1":180.4e3,"cB2":272.9e3,
    "dB1":1525.7,"dB2":62.9,"AT":3872.4e-6,"AB":2362.2e-6,"AA":1683.9e-6,"AK":92.5e-6,"lK":0.3288,"dK":0.4,"rho":1000,"cA":53.5e3,"dA":19.5,
    "mA":0.1058,"R":3.7,"L":3.5e-3,"kM":14.0,"dKq":2.0}})"));
  all.push_back(Json::parse(R"({"model":"kelvin_voigt","parameters":{"stiffness":338e3,"damping":500}})"));
  all.push_back(Json::parse(
      R"({"model":"maxwell","parameters":{"static_stiffness":300e3,"stiffness":[80e3,40e3,20e3],"relaxation_time":[0.1,0.01,0.001]}})"));
  all.push_back(Json::parse(
      R"({"model":"maxwell","parameters":{"static_stiffness":300e3,"stiffness":[],"relaxation_time":[]}})"));
  all.push_back(Json::parse(
      R"({"model":"berg","parameters":{"stiffness":338e3,"friction_max":60,"friction_displacement":2e-4,"viscous_stiffness":30e3,
    "relaxation_time":3e-3}})"));
  all.push_back(Json::parse(
      R"({"model":"bouc_wen","parameters":{"stiffness":338e3,"hysteretic_stiffness":100e3,"yield_displacement":2e-4,"sharpness":1.5,
    "shape":0.6,"damping":300}})"));
  all.push_back(Json::parse(
      R"({"model":"fractional_zener","parameters":{"static_stiffness":338e3,"hardening":1.0,"relaxation_time":1e-4,"order":0.4}})"));
  all.push_back(Json::parse(
      R"({"model":"payne","parameters":{"static_stiffness":200e3,"payne_stiffness":400e3,"payne_displacement":2e-4,
    "onset_exponent":1.2,"tail_exponent":0.8,"link_stiffness":15e3,"frequency_exponent":0.1,"kept_share":0.3}})"));
  return all;
}

}  // namespace kdyn::test
