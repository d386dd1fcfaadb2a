// SPDX-License-Identifier: Apache-2.0
// Files as inputs of operations: read, sorted by kind, and recorded for the provenance.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/io/bench_files.hpp"

namespace kdyn::app {

struct BenchInputs {
  ElastomerData data;
  std::vector<Finding> findings;  // of the readers
  Json inputs = Json::array();
};

// Reads every file; maps are joined. Files of different axis kinds do not go together and throw.
BenchInputs read_bench_inputs(const std::vector<std::string>& paths, const Json& units);

Json source_json(const Source& source);

}  // namespace kdyn::app
