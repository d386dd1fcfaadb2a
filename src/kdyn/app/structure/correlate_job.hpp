// SPDX-License-Identifier: Apache-2.0
// Options, inputs and report of `kdyn correlate`: two sets of modes or responses beside each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/app/structure/modal_inputs.hpp"
#include "kdyn/modes/correlate.hpp"

namespace kdyn::app {

struct CorrelateJob {
  std::vector<std::string> files;  // the test, then the model
  std::string test_geometry, model_geometry;
  double length_m = 1.0, mass_kg = 1.0;   // one unit of a Nastran deck
  std::vector<std::string> ignore_cards;  // of a deck
  int count = 60;                         // modes to compute of a deck or of matrices
  std::string title;
  CorrelateOptions correlate;
};
Outcome correlate_job(const CorrelateJob& job, Progress& progress);
const FieldTable& fields_of(const CorrelateJob*);
struct CorrelateOutput;
const FieldTable& fields_of(const CorrelateOutput*);

// One of the two sets: modes, responses, or both.
struct CorrelateSide {
  std::string name;  // of its first file
  std::optional<ModeSet> modes;
  std::optional<FrequencyResponse> responses;
  Geometry drawn;  // what pictures show of it: of large meshes the outline
};

struct CorrelateReportInput {
  std::string title;
  const CorrelateSide& test;
  const CorrelateSide& model;
  const ModeCorrelation* modes;          // null: no modes on both sides
  const ResponseCorrelation* responses;  // likewise
  const std::vector<Finding>& findings;
};
report::Document correlate_report(const CorrelateReportInput& in);

}  // namespace kdyn::app
