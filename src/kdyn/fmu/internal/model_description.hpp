// SPDX-License-Identifier: Apache-2.0
// modelDescription.xml of FMI 2.0 and 3.0 and what else an archive holds besides sources and binaries. Variables are
// those that the binary itself finds (runtime/variables.hpp).
#pragma once

#include <string>
#include <vector>

#include "kdyn/fmu/fmu.hpp"
#include "kdyn/fmu/runtime/variables.hpp"

namespace kdyn::inline fmu::internal {

// What is described. Places in the list of variables are value references.
struct FmuSubject {
  std::vector<fmi::Variable> variables;
  const MountUnit* unit = nullptr;  // null: a multibody system, which has co-simulation alone
  std::string use;                  // what a person should know, HTML
  double step_s = 1e-3, stop_s = 1.0;
};
FmuSubject subject_of(const MountUnit& unit);
std::vector<FmuVariableInfo> variable_infos(const FmuSubject& subject);

struct FmuDescription {
  int version = 2;
  std::string identifier, title, token, source;  // source: the file to compile
  std::string author, model_version, license;    // empty: left out
  std::string date;                              // xs:dateTime
};
std::string model_description(const FmuSubject& subject, const FmuDescription& about);
std::string build_description(const FmuDescription& about);
std::string terminals(const MountUnit& unit);  // FMI 3.0: displacement, velocity and force of an axis belong together
std::string documentation_page(const FmuSubject& subject, const FmuDescription& about);

}  // namespace kdyn::inline fmu::internal
