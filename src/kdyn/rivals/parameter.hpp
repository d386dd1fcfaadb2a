// SPDX-License-Identifier: Apache-2.0
// What every rival law says about its scalar parameters, once: field table, model file and fit read it.
#pragma once

#include <array>
#include <cstddef>

#include "kdyn/numerics/jet.hpp"

namespace kdyn {

struct RivalParameter {
  const char* name;
  const char* unit;
  double lower;
  bool lower_open;
  double upper;
  const char* meaning;
};

// The same parameters with another scalar.
template <class To, class From>
To cast_members(const From& from) {
  To to;
  for (std::size_t i = 0; i < From::members.size(); ++i) to.*To::members[i] = typename To::Scalar(value_of(from.*From::members[i]));
  return to;
}

}  // namespace kdyn
