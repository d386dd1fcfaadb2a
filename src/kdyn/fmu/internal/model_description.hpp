// SPDX-License-Identifier: Apache-2.0
// modelDescription.xml of FMI 2.0 and 3.0 and what else an archive holds besides sources and binary.
#pragma once

#include <string>
#include <vector>

#include "kdyn/fmu/fmu.hpp"
#include "kdyn/fmu/internal/c_unit.hpp"

namespace kdyn::internal {

// A variable of the FMU; its value reference is its place in the list.
struct FmuVariable {
  enum class Role { time, displacement, velocity, input, force, signal, state, rate, turning, parameter, option };
  Role role = Role::time;
  CVariable about;
  std::size_t axis = 0;   // the axis it belongs to
  std::size_t state = 0;  // rate: value reference of its state
};

// in the order of the groups in internal/fmi_core_c.cpp.
std::vector<FmuVariable> fmu_variables(const CUnit& unit);
std::vector<FmuVariableInfo> variable_infos(const CUnit& unit);
// Size of a state for a solver's tolerances.
double nominal_value(const std::string& unit);

struct FmuDescription {
  int version = 2;
  std::string identifier, title, token, source;  // source: the file to compile
};
std::string model_description(const CUnit& unit, const FmuDescription& about);
std::string build_description(const FmuDescription& about);
std::string documentation_page(const CUnit& unit, const FmuDescription& about);

}  // namespace kdyn::internal
