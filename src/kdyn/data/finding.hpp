// SPDX-License-Identifier: Apache-2.0
// What the data doctor says about a file: plain words, a place and a remedy.
#pragma once

#include <string>
#include <vector>

namespace kdyn::inline base {
class FieldTable;
}

namespace kdyn::inline data {

enum class Severity { note, warning, serious };

struct Finding {
  Severity severity = Severity::note;
  std::string code;     // short stable name: "outlier", "phase_complement", "duplicate_rows", ...
  std::string where;    // file, file:line or field
  std::string message;  // what was seen, with numbers
  std::string remedy;   // what to do
};

const char* to_string(Severity severity);
const FieldTable& fields_of(const Finding*);

}  // namespace kdyn::inline data
