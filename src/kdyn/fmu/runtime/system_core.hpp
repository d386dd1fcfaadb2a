// SPDX-License-Identifier: Apache-2.0
// A multibody system behind FMI 2.0 and 3.0: co-simulation. The functions of the standard are those of mounts
// (fmi2_functions.hpp); this class takes the place of their core.
//
// A step from t to t + h is divided into equal parts of at most the model's step_s; each is one step of the scheme of
// kdyn simulate. Without inputs the result is that of kdyn simulate with steps of that length.
//
// Tools set the inputs at t and then call the step, whose end is not known yet. As with mounts
//   1. the last step is taken again with the inputs that have been given for its end: the state follows the true inputs;
//   2. the new step goes along the inputs carried on from where they are;
//   3. its outputs are reported. Next time it is taken again, unless the inputs came as foreseen.
//              between two values      carried on
//   loads      straight line           straight line of the last step
//   drives     cubic of value and      value, velocity, and acceleration of the last step
//              velocity at both ends
//   laws       held                    held: a switch acts from the beginning of the step in which it is set
// Until the velocity of a drive is set for the first time it is that of a parabola through the last three values.
// With `inputs_at_end_of_step` the step ends at the inputs and is never repeated.
//
// A part that fails leaves the system at the last good instant; after that only reset or a saved state help. Nothing is
// thrown to the outside.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/fmu/internal/system_model.hpp"
#include "kdyn/fmu/runtime/core_base.hpp"

namespace kdyn::fmi {

class SystemCore : public CoreBase {
 public:
  // Throws when the text is no system.
  explicit SystemCore(const std::string& text);

  Mode mode() const { return s_.mode; }
  void set_mode(Mode mode) { s_.mode = mode; }
  bool co_simulation() const { return true; }
  double time() const { return s_.time; }

  int reset();
  int enter_initialization();
  int exit_initialization();
  int get(unsigned reference, double& value);
  int set(unsigned reference, double value);
  int get_option(unsigned reference, bool& value) const;
  int set_option(unsigned reference, bool value);
  int set_time(double t);
  int step(double t, double h);

  int save(void** saved) const;
  int restore(const void* saved);
  static void free_saved(void* saved);

  // What systems do not have.
  std::size_t state_count() const { return 0; }
  std::size_t turning_count() const { return 0; }
  int set_input_derivative(unsigned, int, double) const { return fail("inputs have no derivatives here"); }
  int serialized_size(const void*, std::size_t&) const {
    return fail("states of this FMU cannot be turned into bytes");
  }
  int serialize(const void*, char*, std::size_t) const {
    return fail("states of this FMU cannot be turned into bytes");
  }
  int deserialize(const char*, std::size_t, void**) const {
    return fail("states of this FMU cannot be turned into bytes");
  }
  int derivative(const unsigned*, std::size_t, const unsigned*, std::size_t, const double*, double*) const {
    return fail("this FMU has no directional derivatives");
  }
  void settle() const { fail("this FMU has no model exchange"); }
  int set_states(const double*, std::size_t n) const { return none(n); }
  int get_states(double*, std::size_t n) const { return none(n); }
  int get_rates(double*, std::size_t n) const { return none(n); }
  int get_turning(double*, std::size_t n) const { return none(n); }
  int get_nominals(double*, std::size_t n) const { return none(n); }

 private:
  // One input over time. Values are those of the input at the ends of steps.
  struct Track {
    double value = 0.0, rate = 0.0;        // as set
    bool rate_given = false;               // drives
    double begin = 0.0, begin_rate = 0.0;  // at the beginning of the last step
    double before = 0.0,
           before_length = 0.0;  // value at the beginning of the step before it, and its length; 0: there was none
    double foreseen = 0.0, foreseen_rate = 0.0;  // where the last step went
  };
  // All that changes while the FMU runs.
  struct State {
    Mode mode = Mode::instantiated;
    double start_time = 0.0, time = 0.0;
    bool at_end = false;
    bool moved = false;        // an input was set since the last step
    bool broken = false;       // a step failed
    double step_length = 0.0;  // of the last step that can be taken again; 0: there is none
    double part = 0.0;         // length of the last part
    std::vector<Track> tracks;
    std::vector<double> parameters;
    std::shared_ptr<mbs::Run> run;  // now; shared with copies of this state, so that a step is taken on one's own
    std::shared_ptr<const mbs::Run> before;  // at the beginning of the last step
  };

  int none(std::size_t n) const {
    return n == 0 ? status_ok : fail("this FMU has no states and event indicators outside");
  }
  template <class F>
  int guarded(F&& f) const noexcept;
  const Variable* find(unsigned reference) const {
    return reference < model_.variables().size() ? &model_.variables()[reference] : nullptr;
  }
  bool before_start() const { return s_.mode == Mode::instantiated || s_.mode == Mode::initializing; }
  State fresh();
  int begin_run();
  int refresh();
  int arrive();
  mbs::Run& own_run();
  double part_count(double h) const;
  int go(double h);
  double end_rate(const Track& track) const;
  void lead(std::size_t input, double length, bool to_end);
  bool has_paths() const;

  mutable SystemModel model_;  // signals from outside and parameters of laws are written when they are used
  State s_;
  bool cached_ = false;
  std::vector<double> outputs_;
};

using Core = SystemCore;

// Null, with a reason, when there is no system for this token.
SystemCore* create_core(const char* name, const char* token, const char* resources, bool co_simulation, Reason& why);

}  // namespace kdyn::fmi
