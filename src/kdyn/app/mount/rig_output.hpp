// SPDX-License-Identifier: Apache-2.0
// What kdyn rig writes: map, static loop or series of a mount, or of every axis of a bushing.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/laws/model_field.hpp"

namespace kdyn::app {

// What the programme gave on one axis.
struct RigAxis {
  const RigResult& result;
  AxisKind axis;
  RigProgram program;
  std::optional<double> centre{};  // of an axis of a bushing
};
const FieldTable& fields_of(const RigAxis*);

// The measured force of an input file beside the simulated one.
struct RigComparison {
  double rms = 0.0, relative = 0.0, offset = 0.0;
};
const FieldTable& fields_of(const RigComparison*);

struct RigOutput {
  const RigJob& job;
  RigAxis axis;
  ModelObject model;
  std::optional<RigComparison> comparison;
};

struct BushingRigOutput {
  const RigJob& job;
  std::string status, reason;
  ModelObject model;
  std::vector<std::pair<std::string, RigAxis>> axes;
  const std::vector<Finding>& findings;
};

}  // namespace kdyn::app
