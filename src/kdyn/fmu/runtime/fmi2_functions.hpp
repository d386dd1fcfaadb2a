// SPDX-License-Identifier: Apache-2.0
// FMI 2.0. Function signatures are those of the standard, "Functional Mock-up Interface for Model Exchange and
// Co-Simulation", version 2.0.4. Over kdyn::fmi::Core and kdyn::fmi::create_core, which stand before this file: those
// of a mount (core.hpp) or of a multibody system (system_core.hpp). With FMI2_FUNCTION_PREFIX defined (static linking)
// names get the prefix.
#pragma once

#include "kdyn/fmu/runtime/export_macros.hpp"
#include "kdyn/fmu/runtime/fmi2.h"

#ifdef FMI2_FUNCTION_PREFIX
#define FMI2_FUNCTION(type, name) KDYN_FMI_EXPORT type KDYN_FMI_JOIN(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI2_FUNCTION(type, name) KDYN_FMI_EXPORT type name
#endif

namespace {
namespace for_fmi2 {

using kdyn::fmi::Core;
using kdyn::fmi::Mode;
using kdyn::fmi::status_ok;

Core& core(fmi2Component c) { return *static_cast<Core*>(c); }
fmi2Status status(int s) { return static_cast<fmi2Status>(s); }

void log(const kdyn::fmi::CoreBase& c, int with, const char* message) {
  const auto* functions = static_cast<const fmi2CallbackFunctions*>(c.callbacks);
  if (functions != nullptr && functions->logger != nullptr)
    functions->logger(functions->componentEnvironment, c.name, status(with), "logStatusError", "%s", message);
}

fmi2Status none(fmi2Component c, size_t n) { return status(core(c).none_of(n)); }

}  // namespace for_fmi2
}  // namespace

FMI2_FUNCTION(const char*, fmi2GetTypesPlatform)(void) { return "default"; }
FMI2_FUNCTION(const char*, fmi2GetVersion)(void) { return "2.0"; }

FMI2_FUNCTION(fmi2Component, fmi2Instantiate)
(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions* functions,
 fmi2Boolean, fmi2Boolean logging) {
  kdyn::fmi::Reason why = {"the guid is not that of this FMU"};
  for_fmi2::Core* c = kdyn::fmi::create_core(name, guid, resources, type == fmi2CoSimulation, why);
  if (c == nullptr) {
    if (functions != nullptr && functions->logger != nullptr)
      functions->logger(functions->componentEnvironment, name, fmi2Error, "logStatusError", "%s", why.text);
    return nullptr;
  }
  c->callbacks = functions;
  c->log = for_fmi2::log;
  c->logging = logging != fmi2False;
  return c;
}
FMI2_FUNCTION(void, fmi2FreeInstance)(fmi2Component c) { delete static_cast<for_fmi2::Core*>(c); }
FMI2_FUNCTION(fmi2Status, fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t, const fmi2String[]) {
  for_fmi2::core(c).logging = on != fmi2False;
  return fmi2OK;
}

FMI2_FUNCTION(fmi2Status, fmi2SetupExperiment)
(fmi2Component c, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean, fmi2Real) {
  return for_fmi2::status(for_fmi2::core(c).set_time(start));
}
FMI2_FUNCTION(fmi2Status, fmi2EnterInitializationMode)(fmi2Component c) {
  return for_fmi2::status(for_fmi2::core(c).enter_initialization());
}
FMI2_FUNCTION(fmi2Status, fmi2ExitInitializationMode)(fmi2Component c) {
  return for_fmi2::status(for_fmi2::core(c).exit_initialization());
}
FMI2_FUNCTION(fmi2Status, fmi2Terminate)(fmi2Component c) {
  for_fmi2::core(c).set_mode(for_fmi2::Mode::terminated);
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2Reset)(fmi2Component c) { return for_fmi2::status(for_fmi2::core(c).reset()); }

FMI2_FUNCTION(fmi2Status, fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
  for (size_t i = 0; i < n; ++i)
    if (for_fmi2::core(c).get(vr[i], value[i]) != for_fmi2::status_ok) return fmi2Error;
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2SetReal)
(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
  for (size_t i = 0; i < n; ++i)
    if (for_fmi2::core(c).set(vr[i], value[i]) != for_fmi2::status_ok) return fmi2Error;
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2GetBoolean)
(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[]) {
  for (size_t i = 0; i < n; ++i) {
    bool on = false;
    if (for_fmi2::core(c).get_option(vr[i], on) != for_fmi2::status_ok) return fmi2Error;
    value[i] = on ? fmi2True : fmi2False;
  }
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2SetBoolean)
(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[]) {
  for (size_t i = 0; i < n; ++i)
    if (for_fmi2::core(c).set_option(vr[i], value[i] != fmi2False) != for_fmi2::status_ok) return fmi2Error;
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2GetInteger)(fmi2Component c, const fmi2ValueReference[], size_t n, fmi2Integer[]) {
  return for_fmi2::none(c, n);
}
FMI2_FUNCTION(fmi2Status, fmi2SetInteger)(fmi2Component c, const fmi2ValueReference[], size_t n, const fmi2Integer[]) {
  return for_fmi2::none(c, n);
}
FMI2_FUNCTION(fmi2Status, fmi2GetString)(fmi2Component c, const fmi2ValueReference[], size_t n, fmi2String[]) {
  return for_fmi2::none(c, n);
}
FMI2_FUNCTION(fmi2Status, fmi2SetString)(fmi2Component c, const fmi2ValueReference[], size_t n, const fmi2String[]) {
  return for_fmi2::none(c, n);
}

// Saved states.
FMI2_FUNCTION(fmi2Status, fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate* state) {
  return for_fmi2::status(for_fmi2::core(c).save(state));
}
FMI2_FUNCTION(fmi2Status, fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state) {
  return for_fmi2::status(for_fmi2::core(c).restore(state));
}
FMI2_FUNCTION(fmi2Status, fmi2FreeFMUstate)(fmi2Component, fmi2FMUstate* state) {
  if (state != nullptr) {
    for_fmi2::Core::free_saved(*state);
    *state = nullptr;
  }
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t* size) {
  return for_fmi2::status(for_fmi2::core(c).serialized_size(state, *size));
}
FMI2_FUNCTION(fmi2Status, fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  return for_fmi2::status(for_fmi2::core(c).serialize(state, bytes, size));
}
FMI2_FUNCTION(fmi2Status, fmi2DeSerializeFMUstate)
(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state) {
  return for_fmi2::status(for_fmi2::core(c).deserialize(bytes, size, state));
}

FMI2_FUNCTION(fmi2Status, fmi2GetDirectionalDerivative)
(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns, const fmi2ValueReference known[], size_t knowns,
 const fmi2Real seed[], fmi2Real out[]) {
  return for_fmi2::status(for_fmi2::core(c).derivative(unknown, unknowns, known, knowns, seed, out));
}

// Model exchange.
FMI2_FUNCTION(fmi2Status, fmi2EnterEventMode)(fmi2Component c) {
  for_fmi2::core(c).set_mode(for_fmi2::Mode::event);
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2NewDiscreteStates)(fmi2Component, fmi2EventInfo* info) {
  *info = {fmi2False, fmi2False, fmi2False, fmi2False, fmi2False, 0.0};
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2EnterContinuousTimeMode)(fmi2Component c) {
  for_fmi2::core(c).settle();
  for_fmi2::core(c).set_mode(for_fmi2::Mode::continuous);
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2CompletedIntegratorStep)
(fmi2Component c, fmi2Boolean, fmi2Boolean* event, fmi2Boolean* terminate) {
  for_fmi2::core(c).settle();
  *event = *terminate = fmi2False;
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2SetTime)(fmi2Component c, fmi2Real time) {
  return for_fmi2::status(for_fmi2::core(c).set_time(time));
}
FMI2_FUNCTION(fmi2Status, fmi2SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t n) {
  return for_fmi2::status(for_fmi2::core(c).set_states(x, n));
}
FMI2_FUNCTION(fmi2Status, fmi2GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t n) {
  return for_fmi2::status(for_fmi2::core(c).get_states(x, n));
}
FMI2_FUNCTION(fmi2Status, fmi2GetDerivatives)(fmi2Component c, fmi2Real rate[], size_t n) {
  return for_fmi2::status(for_fmi2::core(c).get_rates(rate, n));
}
FMI2_FUNCTION(fmi2Status, fmi2GetEventIndicators)(fmi2Component c, fmi2Real z[], size_t n) {
  return for_fmi2::status(for_fmi2::core(c).get_turning(z, n));
}
FMI2_FUNCTION(fmi2Status, fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real x[], size_t n) {
  return for_fmi2::status(for_fmi2::core(c).get_nominals(x, n));
}

// Co-simulation.
FMI2_FUNCTION(fmi2Status, fmi2SetRealInputDerivatives)
(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer order[], const fmi2Real value[]) {
  for (size_t i = 0; i < n; ++i)
    if (for_fmi2::core(c).set_input_derivative(vr[i], order[i], value[i]) != for_fmi2::status_ok) return fmi2Error;
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2GetRealOutputDerivatives)
(fmi2Component c, const fmi2ValueReference[], size_t n, const fmi2Integer[], fmi2Real[]) {
  return n == 0 ? fmi2OK : for_fmi2::status(for_fmi2::core(c).fail("outputs have no derivatives"));
}
FMI2_FUNCTION(fmi2Status, fmi2DoStep)(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean) {
  return for_fmi2::status(for_fmi2::core(c).step(t, h));
}
FMI2_FUNCTION(fmi2Status, fmi2CancelStep)(fmi2Component c) {
  return for_fmi2::status(for_fmi2::core(c).fail("steps do not run in the background"));
}
FMI2_FUNCTION(fmi2Status, fmi2GetStatus)(fmi2Component, const fmi2StatusKind, fmi2Status* value) {
  *value = fmi2OK;
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = for_fmi2::core(c).time();
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2GetIntegerStatus)(fmi2Component, const fmi2StatusKind, fmi2Integer*) {
  return fmi2Discard;
}
FMI2_FUNCTION(fmi2Status, fmi2GetBooleanStatus)(fmi2Component, const fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = fmi2False;
  return fmi2OK;
}
FMI2_FUNCTION(fmi2Status, fmi2GetStringStatus)(fmi2Component, const fmi2StatusKind, fmi2String*) { return fmi2Discard; }
