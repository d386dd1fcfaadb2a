// SPDX-License-Identifier: Apache-2.0
// What better mount models change in a vehicle, and where they do not: a truck on four posters with spring-damper mounts, with linear
// frequency-dependent mounts and with kdyn's nonlinear ones; comfort, mount loads and damage side by side, beside the scatter of parts.
//
// Sample runs (from the root of the repository):
//   build/release/examples/four_poster --out out/four_poster
//   build/release/examples/four_poster --seconds 4 --scatter 2 --out out/four_poster_short
//   build/release/examples/four_poster --engine-mount data/cab_mount/y_truth.json --scatter 0 --out out/other_engine_mount
//
// Any model file of kdyn can be given for the mounts. Ends with exit code 1 when the energy balance of a run does not close.
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kdyn/base/error.hpp"
#include "kdyn/report/html.hpp"
#include "study.hpp"

int main(int argc, char** argv) {
  four_poster::Settings settings;
  std::string out = "out/four_poster";
  CLI::App app{"What nonlinear mounts change in a vehicle", "four_poster"};
  app.add_option("--seconds", settings.seconds, "Length of every drive")->check(CLI::Range(3.0, 600.0));
  app.add_option("--scatter", settings.scatter, "Vehicles with scattered mounts; 0: none")->check(CLI::Range(0, 10000));
  app.add_option("--scatter-std", settings.scatter_std, "Relative standard deviation of the force of a mount")->check(CLI::Range(0.0, 0.5));
  app.add_option("--threads", settings.threads, "Threads")->check(CLI::Range(1, 256));
  app.add_option("--cab-mount", settings.cab_mount, "Model file of the cab mounts");
  app.add_option("--engine-mount", settings.engine_mount, "Model file of the two engine mounts");
  app.add_option("--gearbox-mount", settings.gearbox_mount, "Model file of the gearbox mount");
  app.add_option("--out", out, "Folder for report.html");
  CLI11_PARSE(app, argc, argv);
  try {
    const four_poster::Truck truck;
    const four_poster::Study study = four_poster::run_study(truck, settings);
    const std::string path = (std::filesystem::path(out) / "report.html").string();
    kdyn::report::write_html(four_poster::study_report(truck, settings, study), path);
    for (std::size_t r = 0; r < study.roads.size(); ++r)
      for (std::size_t k = 0; k < study.results[r].size(); ++k) {
        const four_poster::Result& x = study.results[r][k];
        fmt::print("{:<18}{:<30} seat {:.3f}  cab floor {:.3f}  powertrain {:.3f} m/s^2  cab mount damage {:.3g}  travel {:.3f} mm  balance {:.1e}\n",
                   study.roads[r].name, to_string(four_poster::all_kinds[k]), x.seat, x.floor, x.powertrain, x.damage[0], 1e3 * x.travel_rms[0],
                   x.run.imbalance);
      }
    fmt::print("energy balance, worst of all runs: {:.1e}; {:.1f} s\nwrote {}\n", study.worst_imbalance, study.seconds, path);
    return study.worst_imbalance < 1e-3 ? 0 : 1;
  } catch (const kdyn::Error& error) {
    fmt::print(stderr, "four_poster: {}: {}\n  remedy: {}\n", error.where(), error.message(), error.remedy());
    return static_cast<int>(error.code());
  }
}
