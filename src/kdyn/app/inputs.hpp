// SPDX-License-Identifier: Apache-2.0
// Files as inputs of operations: read, sorted by kind, and recorded for the provenance.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/door/read.hpp"
#include "kdyn/identify/elastomer_fit.hpp"

namespace kdyn::app {

struct BenchInputs {
  ElastomerData data;
  std::vector<Finding> findings;  // of the readers
  std::vector<Source> inputs;
  std::string date, batch;  // as the files state them; empty: they do not
};

// What happens to time records of steady sines: they become points of a map, or stay what they are.
enum class SineRecords { reduce, keep };

// Reads every file through the door (door/read.hpp); maps are joined. Several parts or directions throw: a fit takes
// one of them.
BenchInputs read_bench_inputs(const std::vector<std::string>& paths, const ReadHints& hints,
                              SineRecords sines = SineRecords::reduce);
// The same for measurements that are read and chosen already.
BenchInputs bench_inputs(Contents&& contents, SineRecords sines);

// Throws unless the map was measured at one temperature; for laws that know no temperature.
void demand_one_temperature(const BenchInputs& inputs);

}  // namespace kdyn::app
