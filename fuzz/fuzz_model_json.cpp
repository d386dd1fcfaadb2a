// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model file: refused with an Error of code bad_input, or a mount that answers, moves and is written and
// read again as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/rig.hpp"

namespace {

using namespace kdyn;

void exercise(const Mount& mount) {
  // One static value, one linearised and one steady response, and a few steps in the time domain.
  static_cast<void>(mount.static_force(1e-3));
  static_cast<void>(mount.static_displacement(100.0));
  static_cast<void>(mount.linear_stiffness(10.0, 0.0));
  static_cast<void>(mount.closed_form(10.0, 1e-3, 0.0));
  RigOptions options;
  options.frequencies_hz = {10.0};
  options.amplitudes_m = {1e-3};
  options.samples_per_cycle = 16;
  options.max_cycles = 3;
  options.measured_cycles = 1;
  static_cast<void>(run_rig(mount, options));

  Json written;
  mount.to_json(written);
  Json again;
  mount_from_json(parse_json(dump_json(written), "written.json"), "written.json")->to_json(again);
  if (written != again) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    exercise(*mount_from_json(parse_json(content, "fuzz.json"), "fuzz.json"));
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) __builtin_trap();
  }
  return 0;
}
