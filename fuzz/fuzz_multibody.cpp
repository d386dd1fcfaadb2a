// SPDX-License-Identifier: Apache-2.0
// Any bytes as a multibody model: refused with an Error, or a system that starts and takes a few steps; not converging
// is a status.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/mbs/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kdyn;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    // Names of files lead into a folder that does not exist.
    mbs::ModelFile file = mbs::model_from_json(parse_json(content, "fuzz.json"), "fuzz.json", "no_such_folder");
    const mbs::System system(std::move(file.model));
    file.run.duration_s = std::min(file.run.duration_s, 4.0 * file.run.step_s);
    // Step control may take 65536 steps in each; a few show as much.
    file.run.smallest_step_s = std::max(file.run.smallest_step_s, file.run.step_s / 64.0);
    file.run.largest_step_s = 0.0;
    const mbs::RunResult result = mbs::simulate(system, file.run, {}, silent_progress());
    if (result.status != mbs::RunStatus::done && result.reason.empty()) __builtin_trap();
  } catch (const Error& error) {
    if (error.message().empty() || error.remedy().empty()) __builtin_trap();
  }
  return 0;
}
