// SPDX-License-Identifier: Apache-2.0
// A force element of somebody else inside a model: an FMU (FMI 2.0, model exchange) in place of a law.
//
//   {"model": "fmu", "file": "damper.fmu", "displacement": "x", "velocity": "v", "force": "F", "parameters": {"temperature": 20}}
//
// Its states are solved together with the model, with its own exact slopes where it gives them, so that the element is
// as accurate as one of kdyn's; its memory is the state it saves. Steps that Newton tries leave no trace.
//
// An FMU is a program: it runs with all rights of the user. It is loaded only while a RunsForeignCode says that he wants
// it, never because a model file says so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/axis_law.hpp"

namespace kdyn::mbs {

// While it lives, models that this thread reads may load FMUs.
class RunsForeignCode {
 public:
  explicit RunsForeignCode(bool allowed);
  ~RunsForeignCode();
  RunsForeignCode(const RunsForeignCode&) = delete;
  RunsForeignCode& operator=(const RunsForeignCode&) = delete;

 private:
  bool before_;
};

inline constexpr const char* allow_fmu_meaning =
    "Run the FMUs that the model names: they are programs with all your rights";

// Throws Error(bad_input) unless the user wants FMUs to run.
void demand_foreign_code(const std::string& path, const std::string& where);

bool is_fmu_law(const Json& in);
// `folder`: names in the file are relative to it. The FMU that is read is added to `files`.
std::unique_ptr<AxisLaw> fmu_law_from_json(const Json& in, const std::string& where, const std::string& folder,
                                           std::vector<std::string>& files);

}  // namespace kdyn::mbs
