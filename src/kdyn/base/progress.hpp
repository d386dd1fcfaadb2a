// SPDX-License-Identifier: Apache-2.0
// How long work tells where it is and learns that it should stop. Algorithms take a Progress&; front ends implement it.
#pragma once

#include <string_view>

namespace kdyn::inline base {

class Progress {
 public:
  virtual ~Progress() = default;
  // fraction in [0, 1], or negative when unknown.
  virtual void report(double fraction, std::string_view what) { (void)fraction, (void)what; }
  // True once the user asked to stop: return what was computed so far with status "stopped".
  virtual bool stop_requested() const { return false; }
};

// For callers who do not care.
inline Progress& silent_progress() {
  static Progress silent;
  return silent;
}

}  // namespace kdyn::inline base
