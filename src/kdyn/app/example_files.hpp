// SPDX-License-Identifier: Apache-2.0
// The bundled examples, to be copied into a folder of one's own: measurements, models and the commands to try on them.
//
// They lie in share/kdyn beside the program (installed: bin/../share/kdyn; in a build: share/kdyn of the build folder)
// and are listed in share/kdyn/examples.json.
#pragma once

#include <string>
#include <vector>

namespace kdyn::app {

// The folder share/kdyn. Throws Error(file_access) when it is not beside the program.
std::string share_folder();

struct BundledExample {
  std::string name, title, source;  // source: a folder below share/kdyn
  std::vector<std::string> commands;
};

// Throws Error(file_access) when the examples are not beside the program.
std::vector<BundledExample> bundled_examples();

// Copies one into a folder that must not hold anything yet, with a README that says what to try. Returns the files.
std::vector<std::string> write_example(const std::string& name, const std::string& folder);

}  // namespace kdyn::app
