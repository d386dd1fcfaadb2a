// SPDX-License-Identifier: Apache-2.0
// `kdyn serve`: the web application on the loopback.
#pragma once

#include <cstddef>
#include <string>

namespace kdyn::server {

struct ServeOptions {
  std::string project = "kdyn_project";
  int port = 8765;
  bool port_given = false;  // a port that was asked for is not replaced by another
  bool browser = true;
  int jobs = 2;  // at once
  std::size_t max_upload_mb = 2048;
  double job_hours = 6.0;  // longest run of a job while the machine is awake
};

// Serves until Ctrl-C or SIGTERM; returns the exit code.
int serve(const ServeOptions& options);

}  // namespace kdyn::server
