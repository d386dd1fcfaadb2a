// SPDX-License-Identifier: Apache-2.0
// What a law says about its scalar parameters and signals, once: field tables, model files, fits, sliders and exported
// models read it.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline element {

struct ParameterInfo {
  const char* name;
  const char* unit;
  double lower;
  bool lower_open;  // the bound itself is not allowed
  double upper;
  const char* meaning;
};

// A signal of a mount beside motion and force: a state, something inside, an input.
struct SignalName {
  const char *name, *unit, *meaning;
};

// What acts on a mount from outside besides motion: voltage of a coil, switch of a decoupler.
struct InputName {
  const char *name, *unit, *meaning;
  double start, lower, upper;
};

// Sizes of a measured map, of which a law makes its first guess of the parameters.
struct MapSizes {
  double k_low = 0.0, k_high = 0.0;     // smallest and largest storage stiffness, N/m
  double loss = 0.0;                    // median imaginary part, N/m
  double amplitude = 0.0, omega = 0.0;  // geometric means, m and rad/s
  double omega_low = 0.0, omega_high = 0.0;
  double spread() const { return k_high - k_low > 0.1 * k_low ? k_high - k_low : 0.1 * k_low; }
};

inline bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// The row of this name; null when there is none.
template <class Table>
const ParameterInfo* parameter_named(const Table& table, const char* name) {
  for (const ParameterInfo& info : table)
    if (same_text(info.name, name)) return &info;
  return nullptr;
}

// A name behind the name of its part, "main_rubber.alpha", without the heap.
struct PartName {
  char text[96];

  PartName(const char* part, const char* name) {
    std::size_t n = 0;
    for (const char* piece : {part, ".", name})
      for (; *piece != '\0' && n + 1 < sizeof text; ++piece) text[n++] = *piece;
    text[n] = '\0';
  }
};
// The name behind "part.", or null when `name` belongs to something else.
inline const char* name_in_part(const char* name, const char* part) {
  while (*part != '\0')
    if (*name++ != *part++) return nullptr;
  return *name == '.' ? name + 1 : nullptr;
}

// The same law with another scalar, for a law whose parameters are all in its list of members.
template <class To, class From>
To cast_members(const From& from) {
  To to;
  for (std::size_t i = 0; i < From::members.size(); ++i)
    to.*To::members[i] = typename To::Scalar(value_of(from.*From::members[i]));
  return to;
}

}  // namespace kdyn::inline element
