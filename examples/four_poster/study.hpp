// SPDX-License-Identifier: Apache-2.0
// The study: every road with every way to model the mounts, the comfort and damage of each, and the scatter of parts
// beside them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "car.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/mpi/ranks.hpp"
#include "kdyn/report/document.hpp"
#include "kdyn/signal/spectrum.hpp"

namespace four_poster {

struct Settings {
  double seconds = 30.0;
  int scatter = 24;           // cars with scattered mounts
  double scatter_std = 0.10;  // of the force of each mount
  int threads = 2;            // of each rank
  Layout layout;
  std::string engine_mount = "examples/four_poster/mounts/engine_hydro.json",
              gearbox_mount = "examples/four_poster/mounts/gearbox.json",
              subframe_mount = "examples/four_poster/mounts/subframe_bushing.json";
};

struct RoadCase {
  std::string name, meaning;
  kdyn::RoadOptions road;
  bool obstacles = false;
};
std::vector<RoadCase> roads(double seconds);

// What a drive is judged by.
struct Figure {
  const char *name, *brief, *unit;
};
inline constexpr std::size_t figure_count = 6;
inline constexpr std::array<Figure, figure_count> figures = {{{"Seat acceleration (Wk)", "Seat", "m/s^2"},
                                                              {"Floor acceleration (Wk)", "Floor", "m/s^2"},
                                                              {"Powertrain acceleration", "Powertrain", "m/s^2"},
                                                              {"Engine mount damage load", "Engine", "N"},
                                                              {"Gearbox mount damage load", "Gearbox", "N"},
                                                              {"Rear subframe bushing damage load", "Bushing", "N"}}};
inline constexpr double damage_exponent = 5.0;
using Figures = std::array<double, figure_count>;

struct Result {
  Run run;
  Figures value{};
  std::array<double, 3> travel{};  // rms of the watched mounts, m
  kdyn::Psd seat_psd, powertrain_psd;
};

struct Study {
  std::vector<RoadCase> roads;
  std::vector<std::vector<Result>> results;   // [road][kind]
  std::vector<std::vector<Figures>> scatter;  // [road][car], nonlinear mounts
  // Range of the spectra over these cars, line by line.
  struct Band {
    std::vector<double> seat_low, seat_high, powertrain_low, powertrain_high;
  };
  std::vector<Band> bands;
  std::array<double, 3> linear_misfit{};  // of the linear models of the watched mounts at their amplitude
  double worst_imbalance = 0.0;
  double seconds = 0.0;
  int ranks = 1;
};

// Complete on the first rank only.
Study run_study(const Car& car, const Settings& settings, kdyn::mpi::Ranks& ranks);
kdyn::Json study_json(const Study& study);
kdyn::report::Document study_report(const Car& car, const Settings& settings, const Study& study);

}  // namespace four_poster
