// SPDX-License-Identifier: Apache-2.0
// Jobs of the page without a server: what the runner takes for processes are Web Workers, which the page starts and
// ends.
#pragma once

#include <string>

namespace kdyn::app::browser {

// The page tells that the worker of this number is gone; `ending` says how, in words.
void process_ended(int number, const std::string& ending);

}  // namespace kdyn::app::browser
