// SPDX-License-Identifier: Apache-2.0
// A law at work from its image; KDYN_LAWS lists the laws this program knows (all of them in kdyn, the needed ones in an
// exported source).
#pragma once

#include "kdyn/laws/instance_of.hpp"

namespace kdyn::inline laws {

// The name of a law as a number that stays the same whatever other laws there are (FNV-1a, 32 bit).
constexpr double law_code(const char* model) {
  unsigned long hash = 2166136261UL;
  for (; *model != '\0'; ++model) hash = ((hash ^ static_cast<unsigned char>(*model)) * 16777619UL) & 0xffffffffUL;
  return static_cast<double>(hash);
}

// Behind the numbers of a law that knows temperatures stands the one it starts at.
template <template <class> class LawOf>
LawInstance* instance_at_temperature(const LawOf<double>& law, ImageReader& reader) {
  if constexpr (offers::Heats<LawOf<double>>::value) {
    if (reader.good() && law.knows_temperature()) {
      double temperature_c = 0.0;
      reader(temperature_c);
      return reader.finished() ? new InstanceOf<LawOf>(law, temperature_c) : nullptr;
    }
  }
  return reader.finished() ? new InstanceOf<LawOf>(law) : nullptr;
}

// Null when the code or the numbers are not those of a known law.
inline LawInstance* make_instance(double code, const double* numbers, std::size_t count) {
#define KDYN_MAKE(Law)                                \
  if (code == law_code(Law<double>::model)) {         \
    Law<double> law;                                  \
    ImageReader reader(numbers, count);               \
    archive_law(law, reader);                         \
    return instance_at_temperature<Law>(law, reader); \
  }
  KDYN_LAWS(KDYN_MAKE)
#undef KDYN_MAKE
  return nullptr;
}

}  // namespace kdyn::inline laws
