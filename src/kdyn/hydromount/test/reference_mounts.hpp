// SPDX-License-Identifier: Apache-2.0
// Mounts of the reference numbers (reference/hydro.json says where they come from) and the motion of their transients.
#pragma once

#include <cmath>
#include <numbers>

#include "kdyn/base/json.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"

namespace kdyn::reference {

inline const Json& hydro() {
  static const Json all = read_json(KDYN_SOURCE_DIR "/src/kdyn/hydromount/test/reference/hydro.json")["hydro"];
  return all;
}

inline void make_spring(Elastomer<double>& rubber, double stiffness) {
  rubber.static_stiffness = stiffness;
  rubber.lambda = rubber.rdl = rubber.rho = 0.0;
}

// Scheiblegger 2018, paper B, Table 1: constant springs, quadratic damping.
inline HydroMount<double> table_1() {
  HydroMount<double> law;
  make_spring(law.main_rubber, 1e6);
  make_spring(law.chamber_rubber, 1643e3);
  return law;
}

// Rubber law g4 (reading A) in both springs, optionally a decoupler: the mount of run B and of full_HB_vs_time.
inline HydroMount<double> with_rubber(const Json& options, double main, double chamber) {
  HydroMount<double> law = table_1();
  const auto rubber = [](Elastomer<double>& e, const Json& p, double k) {
    e.static_stiffness = k;
    e.alpha = p["alpha"], e.beta = p["beta"], e.gamma = p["gamma"], e.lambda = p["lam"], e.rdl = p["RDL"],
    e.rho = p["rho"];
    e.ymax = p["ymax"].get<double>();
    e.law = FrictionLaw::g4;
  };
  rubber(law.main_rubber, options["main"], main);
  rubber(law.chamber_rubber, options["chamber"], chamber);
  return law;
}

inline HydroMount<double> mount_of_run(const Json& run) {
  const Json& options = run["options"];
  HydroMount<double> law =
      options.contains("main") ? with_rubber(options, run["hydro"]["cT"], run["hydro"]["cB"]) : table_1();
  law.coupled_damping = options.contains("coupled");
  if (options.contains("D")) law.decoupler_clearance = options["D"].get<double>();
  if (options.contains("Plim")) {
    law.pressure_limit = options["Plim"].get<double>();
    law.pressure_limit_smoothing = options["eps_p"];
    law.bypass_area = options["Ai"].get<double>();
    law.bypass_threshold = options["Pth"].get<double>();
  }
  return law;
}

inline Motion<double> three_tones(double t) {
  Motion<double> m;
  for (const Json& term : hydro()["transient"]["terms"]) {
    const double a = term[0], w = 2.0 * std::numbers::pi * term[1].get<double>(), phase = term[2];
    m.u += a * std::sin(w * t + phase);
    m.v += a * w * std::cos(w * t + phase);
  }
  return m;
}

}  // namespace kdyn::reference
