// SPDX-License-Identifier: Apache-2.0
// Any bytes as a formula: refused with an Error of code bad_input, or evaluated, and used as the input of a short
// transient.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/numerics/formula.hpp"
#include "kdyn/rig/rig.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const auto mount = kdyn::make_mount(kdyn::Elastomer<double>{});
  try {
    const kdyn::Formula formula(text, "formula");
    static_cast<void>(formula(0.0));
    static_cast<void>(formula(1.25));
    kdyn::RigOptions options;
    options.program = kdyn::RigProgram::transient;
    options.formula = std::string(text);
    options.duration_s = 0.05;
    options.sample_rate_hz = 400.0;
    const kdyn::RigResult result = kdyn::run_rig(*mount, options);
    if (result.series.force.size() != result.series.time.size()) __builtin_trap();
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) __builtin_trap();
  }
  return 0;
}
