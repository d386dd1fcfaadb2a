// SPDX-License-Identifier: Apache-2.0
// modelDescription.xml of FMI 2.0 and 3.0 and what else an archive holds besides sources and binaries. Variables are those that the binary
// itself finds (runtime/variables.hpp).
#pragma once

#include <string>
#include <vector>

#include "kdyn/fmu/fmu.hpp"
#include "kdyn/fmu/runtime/variables.hpp"

namespace kdyn::internal {

// Places in the list are value references.
std::vector<fmi::Variable> fmu_variables(const Unit& unit);
std::vector<FmuVariableInfo> variable_infos(const Unit& unit);

struct FmuDescription {
  int version = 2;
  std::string identifier, title, token, source;  // source: the file to compile
  std::string author, model_version, license;    // empty: left out
  std::string date;                              // xs:dateTime
};
std::string model_description(const Unit& unit, const FmuDescription& about);
std::string build_description(const FmuDescription& about);
std::string terminals(const Unit& unit);  // FMI 3.0: displacement, velocity and force of an axis belong together
std::string documentation_page(const Unit& unit, const FmuDescription& about);

}  // namespace kdyn::internal
