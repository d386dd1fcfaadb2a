// SPDX-License-Identifier: Apache-2.0
// One run of an operation as a folder. The process that runs it and the server that watches it talk through files only,
// so either may die:
//
//   job.json       operation, options and state; written by the server
//   progress.json  {"fraction", "what"}; written by the process while it runs
//   live.json      how its searches come on; written by the process while it runs
//   result.json    and report.html and what else the operation writes: the end of a run that computed something
//   error.json     {"code", "where", "message", "remedy"}: the end of one that did not
//   log.txt        what the process wrote to the terminal
#pragma once

#include <string>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::app {

// Runs the operation that folder/job.json asks for and writes the result there. `is_stopped`: whether it should end and
// bring what it has. Returns the exit code of the command line.
int run_job_folder(const std::string& folder, bool (*is_stopped)());

Json error_json(const Error& error);

// What std::bad_alloc means to a user.
inline constexpr const char *memory_message = "the memory of this machine does not suffice for these data and settings",
                            *memory_remedy = "ask for less (points, modes, parts, threads), or thin the data out";
Error out_of_memory();

}  // namespace kdyn::app
