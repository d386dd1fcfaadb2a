// SPDX-License-Identifier: Apache-2.0
// Signals and parameters of a multibody model by name, as kdyn simulate writes them and kdyn insitu reads them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/signal.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/run.hpp"
#include "kdyn/mbs/sensitivity.hpp"
#include "kdyn/mbs/signals.hpp"

namespace kdyn::app {

struct NamedOutput {
  std::string name, unit;
  mbs::Output output;
  double gain = 1.0, offset = 0.0, delay_s = 0.0;  // of a sensor
  int sensor = -1;                                 // of the model; -1: no sensor
};
// Every signal that can be compared with a measurement; markers are added at the origins of bodies.
std::vector<NamedOutput> named_outputs(mbs::Model& model);

// Forces and torques on the points of the outputs and of the loads, motions of driven joints.
struct NamedInput {
  std::string name, unit;
  mbs::LinearInput input;
};
std::vector<NamedInput> named_inputs(const mbs::Model& model, const std::vector<NamedOutput>& outputs);

struct NamedParameter {
  std::string name, unit;
  mbs::Parameter parameter;
  double scale = 0.0;  // above 0: zero is a value like others (place of a bushing)
  // How far from its start it is searched, where that is no matter of max_factor and max_shift.
  enum class Reach { usual, delay, turn, frequency } reach = Reach::usual;
};
std::vector<NamedParameter> named_parameters(const mbs::System& system);

[[noreturn]] void throw_unknown_name(const std::string& name, const std::vector<std::string>& known,
                                     const std::string& where);
// The entry of that name; throws with the nearest names when there is none.
template <class T>
const T& look_up(const std::vector<T>& known, const std::string& name, const std::string& where) {
  for (const T& one : known)
    if (one.name == name) return one;
  std::vector<std::string> names;
  for (const T& one : known) names.push_back(one.name);
  throw_unknown_name(name, names, where);
}

// A channel that shows one value all the time says nothing: it is left out and told. The last one stays and is
// refused where the rms of signals is needed. `used`: rows of the table.
std::vector<std::string> without_dead(std::vector<std::string> signals,
                                      const std::map<std::string, std::string>& columns, const SignalSet& table,
                                      const std::vector<std::size_t>& used, std::vector<Finding>& findings);

// Samples of a column that were not taken.
void tell_gaps(const Signal& column, const std::vector<std::size_t>& used, const std::string& data,
               std::vector<Finding>& findings);

}  // namespace kdyn::app
