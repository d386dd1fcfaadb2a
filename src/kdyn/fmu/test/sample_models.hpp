// SPDX-License-Identifier: Apache-2.0
// One model for each kind of law and each of its branches, as model files say it, and a path that uses them.
#pragma once

#include <cmath>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/element/motion.hpp"

namespace kdyn::test {

inline Json elastomer(const std::string& law = "masing") {
  return {{"model", "elastomer"},
          {"law", law},
          {"parameters",
           {{"static_stiffness", 338e3},
            {"alpha", 0.1014},
            {"beta", 0.0963},
            {"gamma", 0.0035},
            {"lambda", 0.3803},
            {"rdl", 8.93e-5},
            {"rho", 4528.2}}}};
}

inline Json with(Json model, const std::string& name, const Json& value) {
  model["parameters"][name] = value;
  return model;
}

inline Json elastomer_with_curve() {
  Json model = elastomer();
  model["parameters"].erase("static_stiffness");
  model["parameters"]["curve"] =
      Json::array({{-0.002, -1400.0}, {-0.001, -500.0}, {0.0, 10.0}, {0.0004, 150.0}, {0.001, 620.0}});
  model["parameters"]["scale_curve"] = 1.1;
  model["parameters"]["scale_freq"] = 0.9;
  model["parameters"]["scale_ampl"] = 1.3;
  return model;
}

// The hydro cab mount of Scheiblegger 2018, paper B, Table 1, with rubber that has friction.
inline Json hydromount() {
  Json chamber = elastomer();
  chamber["parameters"]["static_stiffness"] = 410e3;
  return {{"model", "hydromount"},
          {"main_rubber", elastomer()},
          {"chamber_rubber", chamber},
          {"parameters",
           {{"chamber_area", 8.586e-3},
            {"channel_area", 8.191e-5},
            {"channel_length", 0.248428},
            {"fluid_density", 950.08},
            {"fluid_damping_linear", 0.333},
            {"fluid_damping_nonlinear", 1.393}}}};
}

inline Json activemount() {
  return {{"model", "activemount"},
          {"parameters", {{"cT1", 418.1e3},  {"cT2", 48.1e3}, {"dT1", 268.7}, {"dT2", 11.1},     {"cB1", 180.4e3},
                          {"cB2", 272.9e3},  {"dB1", 1525.7}, {"dB2", 62.9},  {"AT", 3872.4e-6}, {"AB", 2362.2e-6},
                          {"AA", 1683.9e-6}, {"AK", 92.5e-6}, {"lK", 0.3288}, {"dK", 0.4},       {"rho", 1000.0},
                          {"cA", 53.5e3},    {"dA", 19.5},    {"mA", 0.1058}, {"R", 3.7},        {"L", 3.5e-3},
                          {"kM", 14.0},      {"dKq", 2.0}}}};
}

struct NamedModel {
  std::string name;
  Json model;
};
inline void PrintTo(const NamedModel& sample, std::ostream* out) { *out << sample.name; }

inline std::vector<NamedModel> sample_models() {
  std::vector<NamedModel> list = {
      {"masing", elastomer()},
      {"masing_limited", with(elastomer(), "ymax", 150.0 / 338e3)},
      {"g4", elastomer("g4")},
      {"curve", elastomer_with_curve()},
      {"plain_spring", {{"model", "elastomer"}, {"parameters", {{"static_stiffness", 338e3}}}}},
      {"stiff",
       with(elastomer(), "gamma", 1e-5)},  // x = alpha h/(gamma (1 + beta)) above 1: the other branch of the exact step
      {"kelvin_voigt", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 338e3}, {"damping", 500.0}}}}},
      {"maxwell",
       {{"model", "maxwell"},
        {"parameters", {{"static_stiffness", 338e3}, {"stiffness", {30e3, 50e3}}, {"relaxation_time", {0.1, 2e-3}}}}}},
      {"berg",
       {{"model", "berg"},
        {"parameters",
         {{"stiffness", 338e3},
          {"friction_max", 60.0},
          {"friction_displacement", 2e-4},
          {"viscous_stiffness", 30e3},
          {"relaxation_time", 3e-3}}}}},
      {"bouc_wen",
       {{"model", "bouc_wen"},
        {"parameters",
         {{"stiffness", 338e3},
          {"hysteretic_stiffness", 100e3},
          {"yield_displacement", 2e-4},
          {"sharpness", 1.5},
          {"shape", 0.6},
          {"damping", 300.0}}}}},
      {"fractional_zener",
       {{"model", "fractional_zener"},
        {"parameters", {{"static_stiffness", 338e3}, {"hardening", 1.0}, {"relaxation_time", 1e-4}, {"order", 0.4}}}}},
      {"maxwell_without_branches",
       {{"model", "maxwell"},
        {"parameters",
         {{"static_stiffness", 338e3}, {"stiffness", Json::array()}, {"relaxation_time", Json::array()}}}}},
      {"payne",
       {{"model", "payne"},
        {"parameters",
         {{"static_stiffness", 200e3},
          {"payne_stiffness", 400e3},
          {"payne_displacement", 2e-4},
          {"onset_exponent", 1.2},
          {"tail_exponent", 0.8},
          {"link_stiffness", 15e3},
          {"frequency_exponent", 0.1},
          {"kept_share", 0.3}}}}},
      {"hydromount", hydromount()},
      {"activemount", activemount()}};
  Json g4 = with(elastomer("g4"), "ymax", 150.0 / 338e3);
  g4["options"] = {{"start_up", "backbone"}, {"deadband", 1e-6}};
  list.push_back({"g4_limited_backbone", g4});
  Json decoupled = with(with(hydromount(), "decoupler_clearance", 3e-4), "decoupler_gradient", 0.9);
  decoupled = with(with(decoupled, "decoupler_residual_slope", 0.05), "fluid_damping_exponent", 1.75);
  list.push_back({"hydromount_decoupler",
                  with(decoupled, "chamber_preload_curve", Json::array({{-500.0, 0.8}, {0.0, 1.0}, {500.0, 1.3}}))});
  Json limited = with(with(hydromount(), "pressure_limit", 2e4), "bypass_area", 2e-5);
  limited = with(with(limited, "bypass_threshold", 1.5e4), "coupled_damping", true);
  list.push_back({"hydromount_bypass", limited});
  list.push_back(
      {"hydromount_switched", with(with(hydromount(), "pressure_limit", 3e4), "switch_signal",
                                   Json::array({{0.0, 1.0}, {0.4, 1.0}, {0.4, 0.0}, {0.8, 0.0}, {0.9, 0.7}}))});
  return list;
}

inline Json bushing(const std::string& coupling) {
  Json y = elastomer_with_curve();
  return {{"model", "bushing"},
          {"coupling", coupling},
          {"axes",
           {{"fx", elastomer("g4")},
            {"fy", y},
            {"fz", hydromount()},
            {"tx", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 900.0}, {"damping", 2.0}}}}}}}};
}

// A transient of incommensurate tones at a coarse step, so that turning points fall inside steps.
struct Path {
  double scale = 1.0, shift = 0.0;
  Motion<double> operator()(double t) const {
    const double w = 2.0 * std::numbers::pi, a[] = {1e-3, 4e-4, 1e-4}, f[] = {3.0, 17.3, 61.0},
                 phase[] = {shift, 0.4 + shift, 0.0};
    Motion<double> at;
    for (int i = 0; i < 3; ++i) {
      at.u += scale * a[i] * std::sin(w * f[i] * t + phase[i]);
      at.v += scale * a[i] * w * f[i] * std::cos(w * f[i] * t + phase[i]);
    }
    return at;
  }
};

}  // namespace kdyn::test
