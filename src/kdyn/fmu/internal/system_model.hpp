// SPDX-License-Identifier: Apache-2.0
// A multibody system as an FMU sees it: which of its signals come from outside, which go out, which parameters can be
// set. The exporter describes and the binary runs from this one class, so both have the same variables.
//
// resources/system.json of an FMU: {"identifier", "fmi", "kdyn", "image": mbs/model_image.hpp, "inputs": [names],
// "outputs": [names]}. Inputs take the place of signals of the model:
//   LOAD.force.x, LOAD.torque.x     component of a load, in the axes in which the model gives it
//   JOINT.drive, JOINT.drive_rate   motion of a driven joint, and its velocity
//   BUSHING.fz.coupling             input of a law: the switch of a hydro mount, the voltage of an active one; SPRING.coupling
// Outputs are signals of kdyn simulate; parameters are those of the laws, BUSHING.fz.static_stiffness.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kdyn/fmu/runtime/variables.hpp"
#include "kdyn/mbs/model_image.hpp"
#include "kdyn/mbs/sensitivity.hpp"
#include "kdyn/mbs/signals.hpp"

namespace kdyn::fmi {

struct SystemInput {
  enum class Kind { load, drive, law };
  Kind kind = Kind::load;
  std::string name, unit;
  std::string owner;  // name of the load or joint
  const char* meaning = "";
  int part = 0, component = 0;  // load and 0..5; joint; axis of the system and input of its law
  double start = 0.0, lower = 0.0, upper = 0.0;
  bool bounded = false, used = true;  // used: the model gives it another value than 0
};
// Every input that the model could have.
std::vector<SystemInput> possible_inputs(const mbs::Model& model);

class SystemModel {
 public:
  // Throws Error(bad_input) when the text is no such file.
  explicit SystemModel(const std::string& text);
  SystemModel(const SystemModel&) = delete;

  const std::vector<Variable>& variables() const { return variables_; }  // places in the list are value references
  const std::vector<SystemInput>& inputs() const { return inputs_; }
  mbs::OutsideSignal& signal(std::size_t input) { return *outside_[input]; }  // of loads and drives
  const std::vector<std::size_t>& outputs() const { return outputs_; }        // places in signals()
  const std::vector<mbs::Parameter>& parameters() const { return parameters_; }
  mbs::System& system() { return *system_; }
  const mbs::Signals& signals() const { return *signals_; }
  const mbs::RunOptions& run() const { return run_; }
  // Whether a load or drive of the model itself changes with time.
  bool has_clock() const { return has_clock_; }

 private:
  void add_inputs(const std::vector<std::string>& names, mbs::Model& model);
  void add_outputs(const std::vector<std::string>& names);
  void add_parameters();
  Variable& add(Group group, const std::string& name, const std::string& unit, const char* meaning);

  mbs::RunOptions run_;
  std::vector<SystemInput> inputs_;
  std::vector<std::shared_ptr<mbs::OutsideSignal>> outside_;
  std::unique_ptr<mbs::System> system_;
  std::unique_ptr<mbs::Signals> signals_;
  std::vector<std::size_t> outputs_;
  std::vector<mbs::Parameter> parameters_;
  std::vector<Variable> variables_;
  bool has_clock_ = false;
};

// Identification of the FMU with this text: damaged or exchanged files are found by it.
std::string system_token(const std::string& text);

}  // namespace kdyn::fmi
