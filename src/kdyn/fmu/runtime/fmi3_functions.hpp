// SPDX-License-Identifier: Apache-2.0
// FMI 3.0. Function signatures are those of the standard, "Functional Mock-up Interface Specification", version 3.0.
// Over kdyn::fmi::Core and kdyn::fmi::create_core, which stand before this file: those of a mount (core.hpp) or of a
// multibody system (system_core.hpp). With FMI3_FUNCTION_PREFIX defined (static linking) names get the prefix.
#pragma once

#include <vector>

#include "kdyn/fmu/runtime/export_macros.hpp"
#include "kdyn/fmu/runtime/fmi3.h"

#ifdef FMI3_FUNCTION_PREFIX
#define FMI3_FUNCTION(type, name) KDYN_FMI_EXPORT type KDYN_FMI_JOIN(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI3_FUNCTION(type, name) KDYN_FMI_EXPORT type name
#endif

namespace {
namespace for_fmi3 {

using kdyn::fmi::Core;
using kdyn::fmi::Mode;
using kdyn::fmi::status_ok;

Core& core(fmi3Instance c) { return *static_cast<Core*>(c); }
fmi3Status status(int s) { return static_cast<fmi3Status>(s); }

void log(const kdyn::fmi::CoreBase& c, int with, const char* message) {
  const auto callback = reinterpret_cast<fmi3LogMessageCallback>(c.message);
  if (callback != nullptr) callback(c.environment, status(with), "logStatusError", message);
}

fmi3Instance create(fmi3String name, fmi3String token, fmi3String resources, bool co_simulation, fmi3Boolean logging,
                    fmi3InstanceEnvironment environment, fmi3LogMessageCallback message) {
  kdyn::fmi::Reason why = {"the instantiation token is not that of this FMU"};
  Core* c = kdyn::fmi::create_core(name, token, resources, co_simulation, why);
  if (c == nullptr) {
    if (message != nullptr) message(environment, fmi3Error, "logStatusError", why.text);
    return nullptr;
  }
  c->message = reinterpret_cast<void (*)()>(message);
  c->environment = environment;
  c->log = log;
  c->logging = logging;
  return c;
}

fmi3Status none(fmi3Instance c, size_t n) { return status(core(c).none_of(n)); }
fmi3Status no_clocks(fmi3Instance c, size_t n) { return n == 0 ? fmi3OK : status(core(c).fail("there are no clocks")); }
fmi3Status only_scalars(fmi3Instance c) { return status(core(c).fail("all variables are scalars")); }

}  // namespace for_fmi3
}  // namespace

FMI3_FUNCTION(const char*, fmi3GetVersion)(void) { return "3.0"; }

FMI3_FUNCTION(fmi3Instance, fmi3InstantiateModelExchange)
(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean, fmi3Boolean logging,
 fmi3InstanceEnvironment environment, fmi3LogMessageCallback message) {
  return for_fmi3::create(name, token, resources, false, logging, environment, message);
}
FMI3_FUNCTION(fmi3Instance, fmi3InstantiateCoSimulation)
(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean, fmi3Boolean logging, fmi3Boolean event_mode,
 fmi3Boolean, const fmi3ValueReference[], size_t intermediates, fmi3InstanceEnvironment environment,
 fmi3LogMessageCallback message, fmi3IntermediateUpdateCallback) {
  if (event_mode || intermediates > 0) {
    if (message != nullptr)
      message(environment, fmi3Error, "logStatusError",
              "this FMU has no event mode and no intermediate variables in co-simulation");
    return nullptr;
  }
  return for_fmi3::create(name, token, resources, true, logging, environment, message);
}
FMI3_FUNCTION(fmi3Instance, fmi3InstantiateScheduledExecution)
(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3InstanceEnvironment environment,
 fmi3LogMessageCallback message, fmi3ClockUpdateCallback, fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
  if (message != nullptr) message(environment, fmi3Error, "logStatusError", "this FMU has no scheduled execution");
  return nullptr;
}
FMI3_FUNCTION(void, fmi3FreeInstance)(fmi3Instance c) { delete static_cast<for_fmi3::Core*>(c); }
FMI3_FUNCTION(fmi3Status, fmi3SetDebugLogging)(fmi3Instance c, fmi3Boolean on, size_t, const fmi3String[]) {
  for_fmi3::core(c).logging = on;
  return fmi3OK;
}

FMI3_FUNCTION(fmi3Status, fmi3EnterInitializationMode)
(fmi3Instance c, fmi3Boolean, fmi3Float64, fmi3Float64 start, fmi3Boolean, fmi3Float64) {
  const int entered = for_fmi3::core(c).enter_initialization();
  return for_fmi3::status(entered != for_fmi3::status_ok ? entered : for_fmi3::core(c).set_time(start));
}
FMI3_FUNCTION(fmi3Status, fmi3ExitInitializationMode)(fmi3Instance c) {
  return for_fmi3::status(for_fmi3::core(c).exit_initialization());
}
FMI3_FUNCTION(fmi3Status, fmi3EnterEventMode)(fmi3Instance c) {
  if (for_fmi3::core(c).co_simulation())
    return for_fmi3::status(for_fmi3::core(c).fail("this FMU has no event mode in co-simulation"));
  for_fmi3::core(c).set_mode(for_fmi3::Mode::event);
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3Terminate)(fmi3Instance c) {
  for_fmi3::core(c).set_mode(for_fmi3::Mode::terminated);
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3Reset)(fmi3Instance c) { return for_fmi3::status(for_fmi3::core(c).reset()); }

FMI3_FUNCTION(fmi3Status, fmi3GetFloat64)
(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 value[], size_t values) {
  if (values != n) return for_fmi3::only_scalars(c);
  for (size_t i = 0; i < n; ++i)
    if (for_fmi3::core(c).get(vr[i], value[i]) != for_fmi3::status_ok) return fmi3Error;
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3SetFloat64)
(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 value[], size_t values) {
  if (values != n) return for_fmi3::only_scalars(c);
  for (size_t i = 0; i < n; ++i)
    if (for_fmi3::core(c).set(vr[i], value[i]) != for_fmi3::status_ok) return fmi3Error;
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3GetBoolean)
(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Boolean value[], size_t values) {
  if (values != n) return for_fmi3::only_scalars(c);
  for (size_t i = 0; i < n; ++i)
    if (for_fmi3::core(c).get_option(vr[i], value[i]) != for_fmi3::status_ok) return fmi3Error;
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3SetBoolean)
(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Boolean value[], size_t values) {
  if (values != n) return for_fmi3::only_scalars(c);
  for (size_t i = 0; i < n; ++i)
    if (for_fmi3::core(c).set_option(vr[i], value[i]) != for_fmi3::status_ok) return fmi3Error;
  return fmi3OK;
}

// There are no variables of other types.
#define KDYN_FMI3_NO_TYPE(Name)                                                                                 \
  FMI3_FUNCTION(fmi3Status, fmi3Get##Name)                                                                      \
  (fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3##Name[], size_t) { return for_fmi3::none(c, n); } \
  FMI3_FUNCTION(fmi3Status, fmi3Set##Name)                                                                      \
  (fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3##Name[], size_t) { return for_fmi3::none(c, n); }
KDYN_FMI3_NO_TYPE(Float32)
KDYN_FMI3_NO_TYPE(Int8)
KDYN_FMI3_NO_TYPE(UInt8)
KDYN_FMI3_NO_TYPE(Int16)
KDYN_FMI3_NO_TYPE(UInt16)
KDYN_FMI3_NO_TYPE(Int32)
KDYN_FMI3_NO_TYPE(UInt32)
KDYN_FMI3_NO_TYPE(Int64)
KDYN_FMI3_NO_TYPE(UInt64)
KDYN_FMI3_NO_TYPE(String)
FMI3_FUNCTION(fmi3Status, fmi3GetBinary)
(fmi3Instance c, const fmi3ValueReference[], size_t n, size_t[], fmi3Binary[], size_t) { return for_fmi3::none(c, n); }
FMI3_FUNCTION(fmi3Status, fmi3SetBinary)
(fmi3Instance c, const fmi3ValueReference[], size_t n, const size_t[], const fmi3Binary[], size_t) {
  return for_fmi3::none(c, n);
}
FMI3_FUNCTION(fmi3Status, fmi3GetClock)(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3Clock[]) {
  return for_fmi3::no_clocks(c, n);
}
FMI3_FUNCTION(fmi3Status, fmi3SetClock)(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3Clock[]) {
  return for_fmi3::no_clocks(c, n);
}

FMI3_FUNCTION(fmi3Status, fmi3GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference, size_t*) {
  return for_fmi3::status(for_fmi3::core(c).fail("dependencies are those of modelDescription.xml"));
}
FMI3_FUNCTION(fmi3Status, fmi3GetVariableDependencies)
(fmi3Instance c, fmi3ValueReference, size_t[], fmi3ValueReference[], size_t[], fmi3DependencyKind[], size_t) {
  return for_fmi3::status(for_fmi3::core(c).fail("dependencies are those of modelDescription.xml"));
}

// Saved states.
FMI3_FUNCTION(fmi3Status, fmi3GetFMUState)(fmi3Instance c, fmi3FMUState* state) {
  return for_fmi3::status(for_fmi3::core(c).save(state));
}
FMI3_FUNCTION(fmi3Status, fmi3SetFMUState)(fmi3Instance c, fmi3FMUState state) {
  return for_fmi3::status(for_fmi3::core(c).restore(state));
}
FMI3_FUNCTION(fmi3Status, fmi3FreeFMUState)(fmi3Instance, fmi3FMUState* state) {
  if (state != nullptr) {
    for_fmi3::Core::free_saved(*state);
    *state = nullptr;
  }
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state, size_t* size) {
  return for_fmi3::status(for_fmi3::core(c).serialized_size(state, *size));
}
FMI3_FUNCTION(fmi3Status, fmi3SerializeFMUState)(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  return for_fmi3::status(for_fmi3::core(c).serialize(state, reinterpret_cast<char*>(bytes), size));
}
FMI3_FUNCTION(fmi3Status, fmi3DeserializeFMUState)
(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  return for_fmi3::status(for_fmi3::core(c).deserialize(reinterpret_cast<const char*>(bytes), size, state));
}

// Derivatives; the adjoint is the transpose, one known after the other.
FMI3_FUNCTION(fmi3Status, fmi3GetDirectionalDerivative)
(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns, const fmi3ValueReference known[], size_t knowns,
 const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities) {
  if (seeds != knowns || sensitivities != unknowns) return for_fmi3::only_scalars(c);
  return for_fmi3::status(for_fmi3::core(c).derivative(unknown, unknowns, known, knowns, seed, sensitivity));
}
FMI3_FUNCTION(fmi3Status, fmi3GetAdjointDerivative)
(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns, const fmi3ValueReference known[], size_t knowns,
 const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities) {
  if (seeds != unknowns || sensitivities != knowns) return for_fmi3::only_scalars(c);
  const double one = 1.0;
  std::vector<double> slope(unknowns);
  for (size_t j = 0; j < knowns; ++j) {
    if (for_fmi3::core(c).derivative(unknown, unknowns, &known[j], 1, &one, slope.data()) != for_fmi3::status_ok)
      return fmi3Error;
    sensitivity[j] = 0.0;
    for (size_t i = 0; i < unknowns; ++i) sensitivity[j] += seed[i] * slope[i];
  }
  return fmi3OK;
}

FMI3_FUNCTION(fmi3Status, fmi3EnterConfigurationMode)(fmi3Instance c) {
  return for_fmi3::status(for_fmi3::core(c).fail("there are no structural parameters"));
}
FMI3_FUNCTION(fmi3Status, fmi3ExitConfigurationMode)(fmi3Instance c) {
  return for_fmi3::status(for_fmi3::core(c).fail("there are no structural parameters"));
}
FMI3_FUNCTION(fmi3Status, fmi3GetIntervalDecimal)
(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3Float64[], fmi3IntervalQualifier[]) {
  return for_fmi3::no_clocks(c, n);
}
FMI3_FUNCTION(fmi3Status, fmi3GetIntervalFraction)
(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3UInt64[], fmi3UInt64[], fmi3IntervalQualifier[]) {
  return for_fmi3::no_clocks(c, n);
}
FMI3_FUNCTION(fmi3Status, fmi3GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3Float64[]) {
  return for_fmi3::no_clocks(c, n);
}
FMI3_FUNCTION(fmi3Status, fmi3GetShiftFraction)
(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3UInt64[], fmi3UInt64[]) { return for_fmi3::no_clocks(c, n); }
FMI3_FUNCTION(fmi3Status, fmi3SetIntervalDecimal)
(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3Float64[]) { return for_fmi3::no_clocks(c, n); }
FMI3_FUNCTION(fmi3Status, fmi3SetIntervalFraction)
(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3UInt64[], const fmi3UInt64[]) {
  return for_fmi3::no_clocks(c, n);
}
FMI3_FUNCTION(fmi3Status, fmi3SetShiftDecimal)
(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3Float64[]) { return for_fmi3::no_clocks(c, n); }
FMI3_FUNCTION(fmi3Status, fmi3SetShiftFraction)
(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3UInt64[], const fmi3UInt64[]) {
  return for_fmi3::no_clocks(c, n);
}
FMI3_FUNCTION(fmi3Status, fmi3ActivateModelPartition)(fmi3Instance c, fmi3ValueReference, fmi3Float64) {
  return for_fmi3::no_clocks(c, 1);
}

FMI3_FUNCTION(fmi3Status, fmi3EvaluateDiscreteStates)(fmi3Instance) { return fmi3OK; }
FMI3_FUNCTION(fmi3Status, fmi3UpdateDiscreteStates)
(fmi3Instance, fmi3Boolean* again, fmi3Boolean* terminate, fmi3Boolean* nominals_changed, fmi3Boolean* states_changed,
 fmi3Boolean* next_defined, fmi3Float64* next) {
  *again = *terminate = *nominals_changed = *states_changed = *next_defined = false;
  *next = 0.0;
  return fmi3OK;
}

// Model exchange.
FMI3_FUNCTION(fmi3Status, fmi3EnterContinuousTimeMode)(fmi3Instance c) {
  for_fmi3::core(c).settle();
  for_fmi3::core(c).set_mode(for_fmi3::Mode::continuous);
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3CompletedIntegratorStep)
(fmi3Instance c, fmi3Boolean, fmi3Boolean* event, fmi3Boolean* terminate) {
  for_fmi3::core(c).settle();
  *event = *terminate = false;
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3SetTime)(fmi3Instance c, fmi3Float64 time) {
  return for_fmi3::status(for_fmi3::core(c).set_time(time));
}
FMI3_FUNCTION(fmi3Status, fmi3SetContinuousStates)(fmi3Instance c, const fmi3Float64 x[], size_t n) {
  return for_fmi3::status(for_fmi3::core(c).set_states(x, n));
}
FMI3_FUNCTION(fmi3Status, fmi3GetContinuousStates)(fmi3Instance c, fmi3Float64 x[], size_t n) {
  return for_fmi3::status(for_fmi3::core(c).get_states(x, n));
}
FMI3_FUNCTION(fmi3Status, fmi3GetContinuousStateDerivatives)(fmi3Instance c, fmi3Float64 rate[], size_t n) {
  return for_fmi3::status(for_fmi3::core(c).get_rates(rate, n));
}
FMI3_FUNCTION(fmi3Status, fmi3GetEventIndicators)(fmi3Instance c, fmi3Float64 z[], size_t n) {
  return for_fmi3::status(for_fmi3::core(c).get_turning(z, n));
}
FMI3_FUNCTION(fmi3Status, fmi3GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 x[], size_t n) {
  return for_fmi3::status(for_fmi3::core(c).get_nominals(x, n));
}
FMI3_FUNCTION(fmi3Status, fmi3GetNumberOfEventIndicators)(fmi3Instance c, size_t* n) {
  *n = static_cast<size_t>(for_fmi3::core(c).turning_count());
  return fmi3OK;
}
FMI3_FUNCTION(fmi3Status, fmi3GetNumberOfContinuousStates)(fmi3Instance c, size_t* n) {
  *n = static_cast<size_t>(for_fmi3::core(c).state_count());
  return fmi3OK;
}

// Co-simulation.
FMI3_FUNCTION(fmi3Status, fmi3EnterStepMode)(fmi3Instance c) {
  return for_fmi3::status(for_fmi3::core(c).fail("this FMU has no event mode in co-simulation"));
}
FMI3_FUNCTION(fmi3Status, fmi3GetOutputDerivatives)
(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3Int32[], fmi3Float64[], size_t) {
  return n == 0 ? fmi3OK : for_fmi3::status(for_fmi3::core(c).fail("outputs have no derivatives"));
}
FMI3_FUNCTION(fmi3Status, fmi3DoStep)
(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean, fmi3Boolean* event, fmi3Boolean* terminate,
 fmi3Boolean* early, fmi3Float64* last) {
  const int done = for_fmi3::core(c).step(t, h);
  *event = *terminate = *early = false;
  *last = for_fmi3::core(c).time();
  return for_fmi3::status(done);
}
