// SPDX-License-Identifier: Apache-2.0
// All directions of a bushing in one go: a folder, a workbook or a set of files in, one six-axis model out.
//
// Directions come from the files (door/read.hpp). Each is fitted by the operations of single mounts: elastomer, and
// hydro mount besides where the loss angle peaks over frequency or the elastomer does not describe the data; what
// describes the rows that both used better, by the Bayesian information criterion, is taken. Nothing is fitted here.
//
//   direction     axis        x y z -> fx fy fz, rx ry rz -> tx ty tz; a round bushing about z: radial -> fx and fy,
//                             axial -> fz, torsional -> tz, cardanic -> tx and ty; otherwise as the option says
//   missing axis  left out, or another one times a ratio that the user states
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/element/bushing.hpp"

namespace kdyn::app {

enum class BushingCoupling { automatic, none, cylindrical, spherical };

struct FitBushingJob {
  std::vector<std::string> data;
  ReadHints read;
  std::map<std::string, std::string> directions;  // as the files call it -> "fx" or "fx+fy"
  std::map<std::string, std::string> laws;        // axis -> elastomer or hydromount
  std::map<std::string, std::string> ratios;      // missing axis -> "0.8*fx"
  BushingCoupling coupling = BushingCoupling::automatic;
  std::vector<std::string> exports;
  Json elastomer = Json::object(), hydromount = Json::object();  // options of these fits
  std::string title;
};
const FieldTable& fields_of(const FitBushingJob*);
Outcome fit_bushing_job(const FitBushingJob& job, Progress& progress);

// Measurements of one direction and the axes they stand for.
struct MeasuredDirection {
  std::string label;              // as the files call it
  std::vector<std::size_t> axes;  // of axis_names
  std::string part, direction;    // how to ask for it
  std::vector<std::string> files;
  AxisKind kind = AxisKind::translation;
  bool peaks = false;                 // the loss angle does, over frequency
  double reach = 0.0;                 // largest displacement of a static loop; 0 without one
  std::vector<std::string> measured;  // "map of 60 rows", "static loop"
  std::string axis_words() const;     // "fx, fy"
};

struct BushingMeasurements {
  std::vector<MeasuredDirection> directions;
  bool round = false;  // one measured direction stands for fx and fy
  std::vector<Finding> findings;
};
// Reads files and folders and sorts them into directions. Throws when directions or parts are not clear.
BushingMeasurements read_bushing(const FitBushingJob& job);

// How one law met a direction.
struct LawTried {
  std::string law, status, reason;
  std::size_t parameters = 0;                                       // free ones
  std::optional<double> rms_kdyn_rel, rms_loss_deg, information{};  // of the rows that all laws tried used
  bool chosen = false;
};

struct FittedDirection {
  const MeasuredDirection* of = nullptr;
  std::string law, status, reason;
  Outcome outcome;  // of the fit that was chosen
  Json model;
  std::vector<ParameterEstimate> parameters;
  std::vector<LawTried> tried;
  std::optional<double> rms_kdyn_rel, rms_loss_deg, rms_static, rms_transient;
  double static_stiffness = 0.0;  // at zero displacement
  std::string folder;             // of its own result
};

struct EstimatedAxis {
  std::string axis, from;
  double ratio = 1.0;
};

struct FitBushingOutput {
  const FitBushingJob& job;
  std::string status, reason;
  std::vector<FittedDirection> directions;
  std::vector<EstimatedAxis> estimated;
  std::vector<std::string> absent;
  std::string coupling;
  Json model;
  std::vector<std::string> files;
  std::vector<Finding> findings;
};
const FieldTable& fields_of(const FitBushingOutput*);

report::Document bushing_report(const std::string& title, const FitBushingOutput& output);

}  // namespace kdyn::app
