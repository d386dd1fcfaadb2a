// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/finding.hpp"

namespace kdyn::inline data {

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::serious: return "serious";
  }
  return "";
}

}  // namespace kdyn::inline data
