// SPDX-License-Identifier: Apache-2.0
// What FMI 2.0 and FMI 3.0 call by the same names. Keys: @FMI@ fmi2 or fmi3, @PREFIX@ FMI2_FUNCTION_PREFIX or FMI3_FUNCTION_PREFIX,
// @INSTANCE@ type of an instance, @STATE@ FMUstate or FMUState, @BYTE@ type of a byte, @DESERIALIZE@ spelling of the version.
#include "kdyn/fmu/internal/fmi_texts.hpp"

namespace kdyn::internal {

const char* const fmi_common_text = R"(/* With @PREFIX@ defined (static linking) names get the prefix. */
#ifdef @PREFIX@
#define KDYN_JOIN2(a, b) a##b
#define KDYN_JOIN(a, b) KDYN_JOIN2(a, b)
#define NAME(name) KDYN_JOIN(@PREFIX@, name)
#else
#define NAME(name) name
#endif
#if defined _WIN32
#define EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

#define CORE(c) ((core_instance*)(c))
#define STATUS(s) ((@FMI@Status)(s))

EXPORT @FMI@Status NAME(@FMI@SetDebugLogging)(@INSTANCE@ c, @FMI@Boolean on, size_t n, const @FMI@String categories[]) {
  (void)n;
  (void)categories;
  CORE(c)->logging = on;
  return @FMI@OK;
}

EXPORT void NAME(@FMI@FreeInstance)(@INSTANCE@ c) { free(c); }

EXPORT @FMI@Status NAME(@FMI@ExitInitializationMode)(@INSTANCE@ c) {
  if (CORE(c)->s.mode != CORE_INITIALIZING) return STATUS(core_fail(CORE(c), "initialization mode was not entered"));
  core_exit_initialization(CORE(c));
  return @FMI@OK;
}

EXPORT @FMI@Status NAME(@FMI@Terminate)(@INSTANCE@ c) {
  CORE(c)->s.mode = CORE_TERMINATED;
  return @FMI@OK;
}

EXPORT @FMI@Status NAME(@FMI@Reset)(@INSTANCE@ c) {
  core_reset(CORE(c));
  return @FMI@OK;
}

/* For types that no variable has. */
static @FMI@Status none(@INSTANCE@ c, size_t n) {
  return n == 0 ? @FMI@OK : STATUS(core_fail(CORE(c), "there is no variable of this type"));
}

/* Saved states. */
EXPORT @FMI@Status NAME(@FMI@Get@STATE@)(@INSTANCE@ c, @FMI@@STATE@* state) { return STATUS(core_save(CORE(c), state)); }
EXPORT @FMI@Status NAME(@FMI@Set@STATE@)(@INSTANCE@ c, @FMI@@STATE@ state) { return STATUS(core_restore(CORE(c), state)); }
EXPORT @FMI@Status NAME(@FMI@Free@STATE@)(@INSTANCE@ c, @FMI@@STATE@* state) {
  (void)c;
  if (state != NULL) {
    free(*state);
    *state = NULL;
  }
  return @FMI@OK;
}
EXPORT @FMI@Status NAME(@FMI@Serialized@STATE@Size)(@INSTANCE@ c, @FMI@@STATE@ state, size_t* size) {
  (void)c;
  (void)state;
  *size = core_serialized_size();
  return @FMI@OK;
}
EXPORT @FMI@Status NAME(@FMI@Serialize@STATE@)(@INSTANCE@ c, @FMI@@STATE@ state, @BYTE@ bytes[], size_t size) {
  return STATUS(core_serialize(CORE(c), state, (char*)bytes, size));
}
EXPORT @FMI@Status NAME(@FMI@@DESERIALIZE@@STATE@)(@INSTANCE@ c, const @BYTE@ bytes[], size_t size, @FMI@@STATE@* state) {
  return STATUS(core_deserialize(CORE(c), (const char*)bytes, size, state));
}

/* Model exchange. */
EXPORT @FMI@Status NAME(@FMI@EnterContinuousTimeMode)(@INSTANCE@ c) {
  core_settle(CORE(c));
  CORE(c)->s.mode = CORE_CONTINUOUS;
  return @FMI@OK;
}
EXPORT @FMI@Status NAME(@FMI@CompletedIntegratorStep)(@INSTANCE@ c, @FMI@Boolean no_set_state, @FMI@Boolean* event, @FMI@Boolean* terminate) {
  (void)no_set_state;
  core_settle(CORE(c));
  *event = *terminate = @FMI@False;
  return @FMI@OK;
}
EXPORT @FMI@Status NAME(@FMI@SetTime)(@INSTANCE@ c, double time) { return STATUS(core_set_time(CORE(c), time)); }
EXPORT @FMI@Status NAME(@FMI@SetContinuousStates)(@INSTANCE@ c, const double x[], size_t n) { return STATUS(core_set_states(CORE(c), x, n)); }
EXPORT @FMI@Status NAME(@FMI@GetContinuousStates)(@INSTANCE@ c, double x[], size_t n) { return STATUS(core_get_states(CORE(c), x, n)); }
EXPORT @FMI@Status NAME(@FMI@GetEventIndicators)(@INSTANCE@ c, double z[], size_t n) { return STATUS(core_get_turning(CORE(c), z, n)); }
EXPORT @FMI@Status NAME(@FMI@GetNominalsOfContinuousStates)(@INSTANCE@ c, double x[], size_t n) {
  return STATUS(core_get_nominals(CORE(c), x, n));
}

)";

}  // namespace kdyn::internal
