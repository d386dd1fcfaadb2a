// SPDX-License-Identifier: Apache-2.0
// The study: every road with every way to model the mounts, the comfort and damage of each, and the scatter of parts beside them.
#pragma once

#include <string>
#include <vector>

#include "kdyn/report/document.hpp"
#include "kdyn/signal/spectrum.hpp"
#include "truck.hpp"

namespace four_poster {

struct Settings {
  double seconds = 30.0;
  int scatter = 24;           // vehicles with scattered mounts
  double scatter_std = 0.10;  // of the force of each mount
  int threads = 2;
  Layout layout;
  std::string cab_mount = "data/cab_mount/z_truth.json", engine_mount = "data/cab_mount/x_truth.json", gearbox_mount = "data/cab_mount/y_truth.json";
};

struct RoadCase {
  std::string name, meaning;
  kdyn::RoadOptions road;
  bool obstacles = false;
};
std::vector<RoadCase> roads(double seconds);

// One drive, reduced to what the report shows.
struct Result {
  Run run;
  double seat = 0.0, floor = 0.0, powertrain = 0.0;  // weighted rms of seat (Wk) and floor (Wk), plain rms of the powertrain
  std::vector<double> damage;                        // of each mount force, exponent 5
  std::vector<double> travel_rms;                    // of each mount, m
  kdyn::Psd seat_psd, floor_psd, powertrain_psd;
};

struct Study {
  std::vector<RoadCase> roads;
  std::vector<std::vector<Result>> results;                       // [road][kind]
  std::vector<std::vector<double>> scatter_seat, scatter_damage;  // [road][vehicle], nonlinear mounts; damage of the first cab mount
  double worst_imbalance = 0.0;
  double seconds = 0.0;
};

Study run_study(const Truck& truck, const Settings& settings);
kdyn::report::Document study_report(const Truck& truck, const Settings& settings, const Study& study);

}  // namespace four_poster
