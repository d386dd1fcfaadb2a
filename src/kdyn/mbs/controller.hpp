// SPDX-License-Identifier: Apache-2.0
// Controllers of a model: linear blocks with states whose inputs are formulas over the motion and whose outputs are
// names for formulas  [mbs E90].
//
//   {"name": "sky", "input": "top.velocity.z", "output": {"name": "force", "unit": "N"},
//    "state_space": {"A": [[-100]], "B": [[100]], "C": [[1500]], "D": [[0]]}, "limits": {"force": [-800, 800]}}
//
// In place of "state_space": "transfer_function": {"numerator": [..], "denominator": [..]} (falling powers),
// "pid": {"p": .., "i": .., "d": .., "filter_s": ..}, "filter": {"time_constant_s": .., "gain": ..} or "gain": ..
// Or "fmu": {"file": .., ...} (internal/co_simulation.hpp), with "sample_s" its communication step.
// With "sample_s" a digital one: its matrices say x+ = A x + B u, and what it puts out is held between samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/control_unit.hpp"
#include "kdyn/mbs/relative.hpp"
#include "kdyn/mbs/state_formula.hpp"

namespace kdyn::mbs {

// Where its states begin: at rest under its inputs at the start, at zero, or as given. `automatic`: at rest when the
// model begins at static equilibrium, else at zero.
enum class ControllerStart { automatic, zero, steady, given };

struct Controller {
  std::string name;
  std::vector<std::string> input_names, output_names, output_units;
  std::vector<StateFormula> inputs;
  MatrixX A, B, C, D;     // x' = A x + B u, or x+ = A x + B u;  y = C x + D u
  VectorX lower, upper;   // of the outputs; infinite where there is no limit
  double sample_s = 0.0;  // 0: it acts at every instant
  ControllerStart start = ControllerStart::automatic;
  VectorX initial;                    // given
  std::shared_ptr<ControlUnit> unit;  // an FMU in place of the matrices, which are empty; null: none

  int states() const { return static_cast<int>(A.rows()); }
  int outputs() const { return static_cast<int>(output_names.size()); }
  bool sampled() const { return sample_s > 0.0; }
};

// The block without its input formulas, which may read parts that are not known yet: their texts, in order.
struct ControllerText {
  Controller controller;
  std::vector<std::string> formulas, where;
};
// `folder`: names in the file are relative to it. An FMU that is read is added to `files`.
ControllerText controller_from_json(const Json& in, const std::string& where, const std::string& folder,
                                    std::vector<std::string>& files);

// Sizes, finite numbers, limits; throws Error(bad_input).
void check_controller(const Controller& controller, const std::string& where);

}  // namespace kdyn::mbs
