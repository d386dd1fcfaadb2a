// SPDX-License-Identifier: Apache-2.0
// What the build made of fmu/runtime and put into kdyn: binaries for FMUs, and the licence they come with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline fmu::internal {

struct RuntimeBinary {
  std::string fmi2_platform,
      fmi3_platform;   // folder in the archive; empty: the version of the standard has none for it
  std::string ending;  // .so, .dll
  std::string_view bytes;
};
const std::vector<RuntimeBinary>& runtime_binaries();
const RuntimeBinary& system_binary();  // for multibody systems
std::string_view runtime_license();

// The binary with this model in its room. Throws Error(bad_input) at `where` when the image is too long for it.
std::string with_model(std::string_view binary, const std::vector<double>& image, const std::string& token,
                       const std::string& where);
// The same as source text: model.inc.
std::string model_source(const std::vector<double>& image, const std::string& token);

}  // namespace kdyn::inline fmu::internal
