// SPDX-License-Identifier: Apache-2.0
// Takes away from this process, for good, what the web application has no business with (Landlock, Linux 5.13 and
// later).
//
// Afterwards this thread, threads and processes it starts can write below the given folders only, read there and what
// programs need to run (system libraries, not homes, not most of /etc), and, from Linux 6.7 on, open no connection to
// anywhere. The paths of requests are checked on their own (project.hpp); this is the second wall, for paths that come
// out of files, such as includes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kdyn::app {

struct Confinement {
  bool files = false, network = false;
  std::string words;  // for the terminal
};

// Call before threads are started: other threads stay as free as they were.
// `more`: folders beside the project that may be written, where they exist.
Confinement confine_process(const std::filesystem::path& project, const std::vector<std::filesystem::path>& more = {});

}  // namespace kdyn::app
