// SPDX-License-Identifier: Apache-2.0
// A folder of small files that jobs may name, made anew for each process and entered.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace fuzz {

inline std::string map_text() {
  std::string out = "frequency_hz,amplitude_mm,k_dyn_n_per_mm,loss_angle_deg\n";
  for (const double f : {1.0, 5.0, 20.0, 60.0})
    for (const double a : {0.05, 0.2, 1.0})
      out += fmt::format("{},{},{:.6g},{:.6g}\n", f, a, 400.0 + 30.0 * std::log(f) - 60.0 * std::log(a),
                         4.0 + 0.5 * std::log(f) + a);
  return out;
}

inline std::string responses_text() {
  std::string out =
      "# unit 1+X:1+X m/s^2 N\n# unit 2+X:1+X m/s^2 N\nfrequency_hz,1+X:1+X_re,1+X:1+X_im,2+X:1+X_re,2+X:1+X_im\n";
  for (int line = 0; line < 40; ++line) {
    const double f = 6.0 + 2.0 * line, w = 6.2831853 * f, r = 1.0 - w * w / 2.5e4;
    const double d = r * r + 1e-4;
    out += fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g}\n", f, -w * w * r / d / 1e5, w * w * 0.01 / d / 1e5,
                       -w * w / d / 1e5, 0.0);
  }
  return out;
}

inline std::string signals_text() {
  std::string out = "time [s],m.position.x [m],seat_z [m/s^2]\n";
  for (int i = 0; i < 200; ++i)
    out += fmt::format("{:.4f},{:.6g},{:.6g}\n", 0.005 * i, 0.01 * std::cos(0.157 * i), std::sin(0.31 * i));
  return out;
}

inline bool enter_folder_of_job_files() {
  namespace fs = std::filesystem;
  // Runs of a fuzzer end by a signal; what they leave lies where temporary files lie.
  std::string place = (fs::temp_directory_path() / "kdyn_fuzz_XXXXXX").string();
  if (::mkdtemp(place.data()) == nullptr) return false;
  fs::current_path(place);
  kdyn::write_text("map.csv", map_text());
  kdyn::write_text("frf.csv", responses_text());
  kdyn::write_text("signals.csv", signals_text());
  kdyn::write_text(
      "mount.json",
      R"({"model":"elastomer","parameters":{"static_stiffness":3e5,"alpha":0.1,"beta":0.1,"gamma":3e-3,"lambda":0.38,"rdl":9e-5,"rho":4500}})");
  kdyn::write_text(
      "system.json",
      R"({"run":{"step_s":0.005,"duration_s":0.9},"gravity":[0,0,0],"bodies":[{"name":"m","mass":2,"inertia":[1,1,1],"position":[0.01,0,0]}],)"
      R"("markers":[{"name":"c","body":"m"}],"joints":[],"bushings":[{"name":"b","markers":[{"body":"ground"},"c"],)"
      R"("laws":{"fx":{"model":"kelvin_voigt","parameters":{"stiffness":2000,"damping":4}}}}]})");
  kdyn::write_text(
      "deck.bdf",
      "SOL 103\nCEND\nSPC = 1\nBEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCONM2,101,1,,1.0\nCONM2,102,2,,1.2\n"
      "SPC1,1,23456,1,2\nCELAS2,201,30000.,1,1\nCELAS2,202,80000.,1,1,2,1\nENDDATA\n");
  return true;
}

}  // namespace fuzz
