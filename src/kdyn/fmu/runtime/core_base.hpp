// SPDX-License-Identifier: Apache-2.0
// What every FMU of kdyn has, whatever is inside: a name, a way to tell why a call was refused, a mode.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace kdyn::fmi {

enum Status { status_ok = 0, status_discard = 2, status_error = 3 };  // as in both versions of the standard
enum class Mode { instantiated, initializing, event, continuous, step, terminated };

// Why an instance was refused.
struct Reason {
  char text[400];
};

class CoreBase {
 public:
  // Logging as the version of the standard wants it.
  void (*log)(const CoreBase& core, int status, const char* message) = nullptr;
  bool logging = false;
  const void* callbacks = nullptr;
  void (*message)() = nullptr;
  void* environment = nullptr;
  char name[128] = "";

  int fail(const char* format, ...) const {
    char text[400];
    va_list list;
    va_start(list, format);
    std::vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (log != nullptr) log(*this, status_error, text);
    return status_error;
  }
  // For types that no variable has.
  int none_of(std::size_t count) const { return count == 0 ? status_ok : fail("there is no variable of this type"); }
};

}  // namespace kdyn::fmi
