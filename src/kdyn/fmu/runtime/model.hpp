// SPDX-License-Identifier: Apache-2.0
// The model of this FMU: in binaries the room that the exporter fills (model_data.hpp), in sources the numbers of model.inc.
#pragma once

#include "kdyn/fmu/runtime/model_data.hpp"

#if defined _WIN32
#define KDYN_FMI_EXPORT extern "C" __declspec(dllexport)
#elif defined __GNUC__
#define KDYN_FMI_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define KDYN_FMI_EXPORT extern "C"
#endif
#define KDYN_FMI_JOIN2(a, b) a##b
#define KDYN_FMI_JOIN(a, b) KDYN_FMI_JOIN2(a, b)

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

}  // namespace
}  // namespace kdyn::fmi
