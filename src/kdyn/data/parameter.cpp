// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/parameter.hpp"

namespace kdyn::inline data {

const char* to_string(ParameterStatus status) {
  switch (status) {
    case ParameterStatus::free: return "free";
    case ParameterStatus::fixed: return "fixed";
    case ParameterStatus::derived: return "derived";
  }
  return "";
}

}  // namespace kdyn::inline data
