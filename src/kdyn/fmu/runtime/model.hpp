// SPDX-License-Identifier: Apache-2.0
// The model of this FMU: in binaries the room that the exporter fills (model_data.hpp), in sources the numbers of
// model.inc.
#pragma once

#include "kdyn/fmu/runtime/core.hpp"
#include "kdyn/fmu/runtime/model_data.hpp"

namespace kdyn::fmi {
namespace {

#ifdef KDYN_FMU_SOURCE
#include "model.inc"
inline const ModelData& model_data() { return model; }
#else
__attribute__((used)) const ModelData open_room = {"kdyn model data 1", 0.0, "", {}};
// Its content is not known when this is compiled: nothing may be concluded from what stands above.
inline const ModelData& model_data() {
  const ModelData* data = &open_room;
  __asm__("" : "+r"(data));
  return *data;
}
#endif

inline Core* create_core(const char* name, const char* token, const char* /*resources*/, bool co_simulation, Reason&) {
  return Core::create(model_data(), name, token, co_simulation);
}

}  // namespace
}  // namespace kdyn::fmi
