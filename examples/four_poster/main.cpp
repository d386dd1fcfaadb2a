// SPDX-License-Identifier: Apache-2.0
// What better mount models change in a vehicle, and where they do not: a car on four posters with spring-damper mounts,
// with linear frequency-dependent mounts and with kdyn's nonlinear ones; comfort, mount loads and damage side by side,
// beside the scatter of parts.
//
// Sample runs (from the root of the repository):
//   build/release/examples/four_poster --out out/four_poster
//   mpirun -n 4 build/release/examples/four_poster --threads 1 --scatter 200 --out out/four_poster_200
//   build/release/examples/four_poster --seconds 4 --scatter 2 --out out/four_poster_short
//   build/release/examples/four_poster --engine-mount examples/four_poster/mounts/gearbox.json --out out/rubber_engine_mounts
//
// Writes report.html and result.json. The result does not depend on the number of ranks and threads. Any model file of
// kdyn can be given for the mounts. Ends with exit code 1 when the energy balance of a run does not close.
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/report/html.hpp"
#include "study.hpp"

int main(int argc, char** argv) {
  kdyn::mpi::Ranks ranks(argc, argv);
  four_poster::Settings settings;
  std::string out = "out/four_poster";
  CLI::App app{"What nonlinear mounts change in a vehicle", "four_poster"};
  app.add_option("--seconds", settings.seconds, "Length of every drive")->check(CLI::Range(3.0, 600.0));
  app.add_option("--scatter", settings.scatter, "Cars with scattered mounts; 0: none")->check(CLI::Range(0, 10000));
  app.add_option("--scatter-std", settings.scatter_std, "Relative standard deviation of the force of a mount")
      ->check(CLI::Range(0.0, 0.5));
  app.add_option("--threads", settings.threads, "Threads of each rank")->check(CLI::Range(1, 256));
  app.add_option("--engine-mount", settings.engine_mount, "Model file of the two engine mounts");
  app.add_option("--gearbox-mount", settings.gearbox_mount, "Model file of the gearbox mount");
  app.add_option("--subframe-mount", settings.subframe_mount, "Model file of the eight subframe bushings");
  app.add_option("--out", out, "Folder for report.html and result.json");
  CLI11_PARSE(app, argc, argv);
  try {
    const four_poster::Car car;
    const four_poster::Study study = four_poster::run_study(car, settings, ranks);
    if (!ranks.first()) return 0;
    const std::filesystem::path folder(out);
    kdyn::report::write_html(four_poster::study_report(car, settings, study), (folder / "report.html").string());
    kdyn::write_text((folder / "result.json").string(), kdyn::dump_json(four_poster::study_json(study)));
    for (std::size_t r = 0; r < study.roads.size(); ++r)
      for (std::size_t k = 0; k < study.results[r].size(); ++k) {
        const four_poster::Result& x = study.results[r][k];
        fmt::print(
            "{:<18}{:<30} seat {:.3f}  floor {:.3f}  powertrain {:.3f} m/s^2  damage loads {:.0f} {:.0f} {:.0f} N  "
            "energy balance {:.1e}\n",
            study.roads[r].name, to_string(four_poster::all_kinds[k]), x.value[0], x.value[1], x.value[2], x.value[3],
            x.value[4], x.value[5], x.run.imbalance);
      }
    fmt::print("energy balance, worst of all runs: {:.1e}; {:.1f} s on {} rank{}\nwrote {}\n", study.worst_imbalance,
               study.seconds, study.ranks, study.ranks == 1 ? "" : "s", (folder / "report.html").string());
    return study.worst_imbalance < 1e-3 ? 0 : 1;
  } catch (const kdyn::Error& error) {
    if (ranks.first())
      fmt::print(stderr, "four_poster: {}: {}\n  remedy: {}\n", error.where(), error.message(), error.remedy());
    return static_cast<int>(error.code());
  }
}
