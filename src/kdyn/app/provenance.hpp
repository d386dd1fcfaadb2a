// SPDX-License-Identifier: Apache-2.0
// What stands in every result.json about how it came about: written by run_operation, read by batches that go on.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/data/bench.hpp"

namespace kdyn::app {

struct Build {
  std::string version, revision, compiler;
};
const FieldTable& fields_of(const Build*);

struct Provenance {
  Build kdyn;
  std::string created, operation;
  Json options_given;
  std::vector<Source> inputs;
  double seconds = 0.0;
};
const FieldTable& fields_of(const Provenance*);

}  // namespace kdyn::app
