// SPDX-License-Identifier: Apache-2.0
// A loaded FMU (FMI 2.0, model exchange, Linux): unpacked into a private folder, its variables, and the calls that a law
// needs. Loading runs the FMU's own code in this process: only fmu_law.cpp does, when the user has said so.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/mbs/internal/fmu_package.hpp"

namespace kdyn::mbs::internal {

class FmuUnit {
 public:
  // Throws Error(bad_input) with `where`: no FMU, not for this system, what it lacks.
  FmuUnit(const std::string& path, const std::string& where);
  ~FmuUnit();
  FmuUnit(const FmuUnit&) = delete;
  FmuUnit& operator=(const FmuUnit&) = delete;

  struct Variable {
    unsigned reference = 0;
    std::string causality, unit;
    bool real = false;
  };
  const std::map<std::string, Variable>& variables() const { return variables_; }
  std::size_t states() const { return states_.size(); }
  bool has_derivatives() const { return directional_; }

  // Everything below throws Error(bad_input) with the FMU's own message when it refuses.
  // Begins anew at time 0: `set` is called in initialization, where parameters and inputs are set.
  template <class Set>
  void begin(Set&& set) {
    open();
    set();
    close();
  }
  void set(unsigned reference, double value);
  double get(unsigned reference);
  void set_time(double t);
  void set_states(const double* x);
  void states_now(double* x);
  void rates(double* rate);
  // The step is accepted; discrete states are brought up to date. Throws when the continuous states jump.
  void completed_step(double t, bool event);
  std::vector<double> indicators();
  // Derivatives of `force` and of the rates by one known variable.
  void derivative(unsigned force, unsigned by, std::vector<double>& out);
  unsigned state_reference(std::size_t i) const { return states_[i]; }

  class State;
  std::shared_ptr<const State> save();
  void restore(const State& state);
  std::vector<char> bytes_of(const State& state);  // empty: the FMU cannot
  std::shared_ptr<const State> state_of(const std::vector<char>& bytes);

 private:
  struct Calls;
  void open();
  void close();
  void settle(double t);
  void check(int status, const char* what);

  std::string where_, guid_, identifier_, messages_;
  FmuPackage package_;
  void* component_ = nullptr;
  std::unique_ptr<Calls> calls_;
  std::map<std::string, Variable> variables_;
  std::vector<unsigned> states_, rates_;
  std::size_t indicator_count_ = 0;
  bool directional_ = false, serialises_ = false, completed_needed_ = true;
  double next_event_ = 0.0;
  bool has_next_event_ = false;
};

}  // namespace kdyn::mbs::internal
