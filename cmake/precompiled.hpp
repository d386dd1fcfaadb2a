// SPDX-License-Identifier: Apache-2.0
// What most sources of a release build include, parsed once (cmake/KdynPrecompiled.cmake). Sources include what they use
// all the same: the other builds compile them without this file.
#pragma once

#include "kdyn/base/eigen_check.hpp"  // before anything of Eigen

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#ifdef KDYN_PRECOMPILE_TESTS
#include <gtest/gtest.h>
#endif

#include "kdyn/base/error.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#ifndef KDYN_PRECOMPILE_LIGHT  // modules below numerics do not link its solvers
#include "kdyn/numerics/dense.hpp"
#endif
