// SPDX-License-Identifier: Apache-2.0
// An identified parameter as every result of kdyn reports it.
#pragma once

#include <limits>
#include <string>

namespace kdyn::inline base {
class FieldTable;
}

namespace kdyn::inline data {

enum class ParameterStatus { free, fixed, derived };

const char* to_string(ParameterStatus status);

struct ParameterEstimate {
  std::string name, unit, meaning;
  double value = std::numeric_limits<double>::quiet_NaN();  // NaN: absent (null in JSON), e.g. no friction limit
  double std = 0.0;                       // standard deviation; 0 for fixed ones, infinite when the data do not tell
  double lower_95 = 0.0, upper_95 = 0.0;  // 95 % confidence interval
  ParameterStatus status = ParameterStatus::free;
};

const FieldTable& fields_of(const ParameterEstimate*);

}  // namespace kdyn::inline data
