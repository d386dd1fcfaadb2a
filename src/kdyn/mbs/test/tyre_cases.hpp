// SPDX-License-Identifier: Apache-2.0
// What the tests of tyres share: runs as signals by name, a wheel that moves up and down, a tyre on a road.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/signals.hpp"
#include "kdyn/mbs/tyre_watch.hpp"

namespace kdyn::mbs::tyres {

inline constexpr double pi = std::numbers::pi;
inline const std::string examples = std::string(KDYN_SOURCE_DIR) + "/examples/multibody";

// Signals of a run by name, a row for each step.
struct Record {
  std::vector<double> time;
  std::map<std::string, std::vector<double>> signal;
  RunResult result;
  std::vector<Finding> findings;
};
inline Record run_of(const ModelFile& file) {
  Record out;
  const System system(file.model);
  const Signals signals(system);
  TyreWatch watch(system);
  std::vector<double> values;
  out.result = simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        out.time.push_back(s.t);
        signals.values(s, e, values);
        for (std::size_t i = 0; i < values.size(); ++i) out.signal[signals.list()[i].name].push_back(values[i]);
        watch.see(s, e);
      },
      silent_progress());
  EXPECT_EQ(out.result.status, RunStatus::done) << out.result.reason;
  out.findings = watch.findings("run");
  return out;
}
inline Record run_of(const Json& model) { return run_of(model_from_json(model, "model", examples)); }
inline bool says(const std::vector<Finding>& findings, const std::string& code) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.code == code; });
}

// A wheel that moves up and down only.
inline Json guided(double mass, double height) {
  return {{"gravity", {0, 0, -9.81}},
          {"run", {{"step_s", 1e-4}, {"duration_s", 0.5}, {"tolerance", 1e-12}}},
          {"bodies", {{{"name", "wheel"}, {"mass", mass}, {"inertia", {1, 1, 1}}, {"position", {0, 0, height}}}}},
          {"joints",
           {{{"name", "guide"}, {"kind", "translational"}, {"markers", {{{"body", "ground"}}, {{"body", "wheel"}}}}}}},
          {"tyres", {{{"name", "tyre"}, {"body", "wheel"}, {"radius", 0.3}, {"stiffness", 2e5}, {"damping", 400}}}}};
}

inline Tyre example_tyre(bool linear) {
  Json model = guided(300.0, 0.29);
  model["tyres"][0] = {
      {"name", "tyre"}, {"body", "wheel"}, {"road", {{"profile", {{-5, 0}, {1, 0}, {1.02, 0.02}, {5, 0.1}}}}}};
  if (linear)
    model["tyres"][0].update({{"radius", 0.315},
                              {"stiffness", 2e5},
                              {"damping", 300},
                              {"slip", {{"longitudinal_stiffness", 8e4}, {"lateral_stiffness", 6e4}}}});
  else
    model["tyres"][0]["file"] = "car_tyre.tir";
  model["tyres"][0]["road"]["height"] = "0.01*sin(5*t)";
  return model_from_json(model, "model", examples).model.tyres[0];
}

}  // namespace kdyn::mbs::tyres
