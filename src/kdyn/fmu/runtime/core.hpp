// SPDX-License-Identifier: Apache-2.0
// What FMI 2.0 and FMI 3.0 share: variables, modes, steps, saved states, derivatives, over the unit of laws/unit.hpp.
//
// Co-simulation. Tools set the inputs and then call the step from t to t + h, so displacement and velocity are those at
// t. The end of the step is not known yet, and a force that waited for it would lag and feed energy into a loop.
// Therefore
//   1. the last step is taken again, now to the motion that has been given for its end: states and friction follow the true path;
//   2. the new step goes to where the motion leads,
//        v(t + h) = v + h a,   u(t + h) = u + h v + h^2 a/2,   a = (v - v_before)/h_before  (0 in the first step);
//   3. its force is reported. Next time it is taken again.
// A sine of circular frequency w then has errors of (w h)^2 in the velocity and (w h)^3/4 in the displacement of the
// reported force, and none in the memory. With derivatives of the inputs (FMI 2.0) step 2 uses their Taylor series
// instead. With `inputs_at_end_of_step` the step ends at the inputs and is never repeated.
//
// Model exchange. Memory changes in `settle` alone (a completed step of the integrator outside, or a jump of the inputs
// in event mode). Everything else evaluates without a trace, so rejected steps cost nothing.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kdyn/fmu/runtime/core_base.hpp"
#include "kdyn/fmu/runtime/model_data.hpp"
#include "kdyn/fmu/runtime/snapshot.hpp"
#include "kdyn/fmu/runtime/variables.hpp"

namespace kdyn::fmi {

class Core : public CoreBase {
 public:
  // Null when the token is not that of the model, or the model cannot be read.
  static Core* create(const ModelData& data, const char* name, const char* token, bool co_simulation) {
    const auto size = static_cast<std::size_t>(data.size);
    if (token == nullptr || std::strcmp(token, data.token) != 0 || size == 0 || size > model_room) return nullptr;
    Core* core = new Core(data, co_simulation);
    if (!core->original_.read_image(data.image, size)) {
      delete core;
      return nullptr;
    }
    if (name != nullptr) std::snprintf(core->name, sizeof core->name, "%s", name);
    core->variables_ = Variables(core->original_);
    core->make_room();
    core->reset();
    return core;
  }

  const Variables& variables() const { return variables_; }
  bool co_simulation() const { return co_simulation_; }
  Mode mode() const { return s_.mode; }
  void set_mode(Mode mode) { s_.mode = mode; }
  double time() const { return s_.time; }

  std::size_t state_count() const { return s_.x.size(); }
  std::size_t turning_count() const { return at(variables_.size(Group::turning)); }

  int reset() {
    s_ = fresh_;
    cached_ = false;
    return status_ok;
  }

  // Initialization.
  int enter_initialization() {
    if (s_.mode != Mode::instantiated) return fail("initialization mode follows instantiation or reset");
    s_.mode = Mode::initializing;
    return status_ok;
  }
  int exit_initialization() {
    if (s_.mode != Mode::initializing) return fail("initialization mode was not entered");
    start();
    s_.mode = co_simulation_ ? Mode::step : Mode::event;
    s_.last_time = s_.time;
    s_.at_u = s_.last_u = s_.u;
    s_.at_v = s_.last_v = s_.v;
    s_.moved = false;
    cached_ = false;
    return status_ok;
  }

  // Variables.
  int get(unsigned reference, double& value) {
    int i = 0;
    switch (variables_.find(reference, i)) {
      case Group::time: value = s_.time; return status_ok;
      case Group::displacement: value = s_.u[i]; return status_ok;
      case Group::velocity: value = s_.v[i]; return status_ok;
      case Group::input: value = s_.input[at(i)]; return status_ok;
      case Group::force: refresh(), value = force_[i]; return status_ok;
      case Group::signal: refresh(), value = signals_[at(i)]; return status_ok;
      case Group::state: refresh(), value = s_.x[at(i)]; return status_ok;
      case Group::rate: refresh(), value = rate_[at(i)]; return status_ok;
      case Group::turning: refresh(), value = turning_[at(i)]; return status_ok;
      case Group::parameter: value = s_.parameter[at(i)]; return status_ok;
      default: return fail("%s is no real variable", described(reference).name);
    }
  }
  int set(unsigned reference, double value) {
    int i = 0;
    const Group group = variables_.find(reference, i);
    if (!std::isfinite(value)) return fail("%s: the value is not finite", described(reference).name);
    if (group == Group::parameter) return set_parameter(reference, i, value);
    if (group == Group::displacement || group == Group::velocity) {
      (group == Group::displacement ? s_.u : s_.v)[i] = value;
      (group == Group::displacement ? s_.at_u : s_.at_v)[i] = value;
      s_.moved = true;
    } else if (group == Group::input) {
      s_.input[at(i)] = value;
    } else if (group == Group::state && before_start()) {
      s_.x[at(i)] = value;
    } else {
      return fail("%s cannot be set now", described(reference).name);
    }
    changed();
    return status_ok;
  }
  int get_option(unsigned reference, bool& value) const {
    int i = 0;
    if (variables_.find(reference, i) != Group::option) return fail("%s is no Boolean", described(reference).name);
    value = s_.at_end;
    return status_ok;
  }
  int set_option(unsigned reference, bool value) {
    int i = 0;
    if (variables_.find(reference, i) != Group::option) return fail("%s is no Boolean", described(reference).name);
    if (!before_start()) return fail("%s is set before the end of initialization", described(reference).name);
    s_.at_end = value;
    return status_ok;
  }
  // Derivatives of displacement and velocity, for the next step.
  int set_input_derivative(unsigned reference, int order, double value) {
    int i = 0;
    const Group group = variables_.find(reference, i);
    if ((group != Group::displacement && group != Group::velocity) || order < 1 || order > 2)
      return fail("%s has no input derivative of order %d: displacement and velocity have the orders 1 and 2",
                  described(reference).name, order);
    if (!std::isfinite(value)) return fail("%s: the derivative is not finite", described(reference).name);
    const bool first = order == 1, path = group == Group::displacement;
    (path ? (first ? s_.u1 : s_.u2) : (first ? s_.v1 : s_.v2))[i] = value;
    s_.given |= path ? (first ? given_u1 : given_u2) : (first ? given_v1 : given_v2);
    return status_ok;
  }

  // Co-simulation: one step from t to t + h.
  int step(double t, double h) {
    if (s_.mode != Mode::step) return fail("a step outside of step mode");
    if (!(h > 0.0) || !std::isfinite(h) || !std::isfinite(t)) return fail("step of length %g at time %g", h, t);
    if (std::fabs(t - s_.time) > 1e-6 * h + 1e-12 * std::fabs(t))
      return fail("the step starts at %.17g but the time is %.17g", t, s_.time);
    if (s_.at_end && s_.given == 0) {
      tune();
      s_.at_u = s_.u;
      s_.at_v = s_.v;
      s_.step_length = 0.0;
    } else {
      arrive();
      if (s_.time == s_.last_time) jump(h);
      look_ahead(h);
      s_.before.take(s_.unit);
      s_.first_v = s_.v;
      s_.step_length = h;
    }
    s_.given = 0;
    s_.unit.advance(s_.at_u.at, s_.at_v.at, h, s_.step_force.at);
    s_.unit.get_states(s_.x.data());
    s_.stepped = true;
    s_.moved = false;
    s_.time = t + h;
    cached_ = false;
    for (int a = 0; a < s_.unit.axes(); ++a)
      if (!std::isfinite(s_.step_force[a])) return fail("%s is not finite at time %g", force_name(a).name, s_.time);
    return status_ok;
  }

  // Model exchange: accepts what the integrator has reached, and a jump of the motion at one instant.
  void settle() {
    const double h = s_.time - s_.last_time;
    bool moved = h > 0.0;
    for (int a = 0; a < s_.unit.axes(); ++a) moved = moved || s_.at_u[a] != s_.last_u[a] || s_.at_v[a] != s_.last_v[a];
    if (!moved) return;
    tune();
    s_.unit.accept(s_.at_u.at, s_.at_v.at, s_.x.data(), h > 0.0 ? h : 0.0);
    s_.last_time = s_.time;
    s_.last_u = s_.at_u;
    s_.last_v = s_.at_v;
    cached_ = false;
  }
  int set_time(double t) {
    if (!std::isfinite(t)) return fail("the time is not finite");
    s_.time = t;
    cached_ = false;
    return status_ok;
  }
  int set_states(const double* x, std::size_t n) {
    if (n != s_.x.size()) return fail("%d states, not %d", static_cast<int>(n), static_cast<int>(s_.x.size()));
    for (std::size_t i = 0; i < n; ++i) s_.x[i] = x[i];
    cached_ = false;
    return status_ok;
  }
  int get_states(double* x, std::size_t n) const { return give(s_.x, x, n, "states"); }
  int get_rates(double* rate, std::size_t n) {
    refresh();
    return give(rate_, rate, n, "states");
  }
  int get_turning(double* z, std::size_t n) {
    refresh();
    return give(turning_, z, n, "event indicators");
  }
  int get_nominals(double* nominal, std::size_t n) const {
    if (n != s_.x.size()) return fail("%d states, not %d", static_cast<int>(n), static_cast<int>(s_.x.size()));
    for (unsigned i = 0; i < n; ++i) nominal[i] = nominal_value(described(variables_.first(Group::state) + i).unit);
    return status_ok;
  }

  // Saved states; `saved` is a Snapshot, made where it is null.
  int save(void** saved) const {
    if (*saved == nullptr)
      *saved = new Snapshot(s_);
    else
      *static_cast<Snapshot*>(*saved) = s_;
    return status_ok;
  }
  int restore(const void* saved) {
    if (saved == nullptr) return fail("no state to restore");
    s_ = *static_cast<const Snapshot*>(saved);
    cached_ = false;
    return status_ok;
  }
  static void free_saved(void* saved) { delete static_cast<Snapshot*>(saved); }

  // As bytes: check sum, token, numbers.
  int serialized_size(const void* saved, std::size_t& size) const {
    if (saved == nullptr) return fail("no state");
    std::vector<double> numbers;
    static_cast<const Snapshot*>(saved)->save(numbers);
    size = serialized_head + numbers.size() * sizeof(double);
    return status_ok;
  }
  int serialize(const void* saved, char* bytes, std::size_t room) const {
    if (saved == nullptr) return fail("no state");
    std::vector<double> numbers;
    static_cast<const Snapshot*>(saved)->save(numbers);
    const std::size_t size = serialized_head + numbers.size() * sizeof(double);
    if (room < size)
      return fail("too little room for the state: %lu of %lu bytes", static_cast<unsigned long>(room),
                  static_cast<unsigned long>(size));
    std::memcpy(bytes + sizeof(std::uint64_t), data_.token, token_room);
    std::memcpy(bytes + serialized_head, numbers.data(), numbers.size() * sizeof(double));
    const std::uint64_t sum = check_sum(bytes + sizeof sum, size - sizeof sum);
    std::memcpy(bytes, &sum, sizeof sum);
    return status_ok;
  }
  int deserialize(const char* bytes, std::size_t size, void** saved) const {
    std::uint64_t sum = 0;
    if (size < serialized_head || (size - serialized_head) % sizeof(double) != 0 ||
        std::memcmp(bytes + sizeof sum, data_.token, token_room) != 0)
      return fail("these bytes are no state of this FMU");
    std::memcpy(&sum, bytes, sizeof sum);
    std::vector<double> numbers((size - serialized_head) / sizeof(double));
    std::memcpy(numbers.data(), bytes + serialized_head, size - serialized_head);
    Snapshot* read = new Snapshot(fresh_);
    if (sum != check_sum(bytes + sizeof sum, size - sizeof sum) || !read->load(numbers.data(), numbers.size())) {
      delete read;
      return fail("these bytes are a damaged state");
    }
    delete static_cast<Snapshot*>(*saved);
    *saved = read;
    return status_ok;
  }

  // Exact derivatives of the unknowns along a direction of the knowns, by dual numbers.
  int derivative(const unsigned* unknown, std::size_t unknowns, const unsigned* known, std::size_t knowns,
                 const double* seed, double* out) {
    refresh();
    const auto zeros = [&](Group group) { return std::vector<double>(at(variables_.size(group)) + 1, 0.0); };
    PerAxis u, v, force;
    std::vector<double> x = zeros(Group::state), input = zeros(Group::input), parameter = zeros(Group::parameter),
                        rate = zeros(Group::rate), signals = zeros(Group::signal), turning = zeros(Group::turning);
    int i = 0;
    for (std::size_t k = 0; k < knowns; ++k) {
      switch (variables_.find(known[k], i)) {
        case Group::time: break;
        case Group::displacement: u[i] += seed[k]; break;
        case Group::velocity: v[i] += seed[k]; break;
        case Group::input: input[at(i)] += seed[k]; break;
        case Group::state: x[at(i)] += seed[k]; break;
        case Group::parameter: parameter[at(i)] += seed[k]; break;
        default: return fail("%s is no known of a derivative", described(known[k]).name);
      }
    }
    s_.unit.derivative(s_.at_u.at, s_.at_v.at, s_.x.data(), {u.at, v.at, x.data(), input.data(), parameter.data()},
                       before_start(), {force.at, rate.data(), signals.data(), turning.data()});
    for (std::size_t k = 0; k < unknowns; ++k) {
      switch (variables_.find(unknown[k], i)) {
        case Group::force: out[k] = force[i]; break;
        case Group::signal: out[k] = signals[at(i)]; break;
        case Group::state: out[k] = x[at(i)]; break;
        case Group::rate: out[k] = rate[at(i)]; break;
        case Group::turning: out[k] = turning[at(i)]; break;
        default: return fail("%s is no unknown of a derivative", described(unknown[k]).name);
      }
    }
    return status_ok;
  }

 private:
  Core(const ModelData& data, bool co_simulation) : data_(data), co_simulation_(co_simulation) {}

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Variable described(unsigned reference) const { return variables_.describe(original_, reference); }
  Variable force_name(int axis) const {
    return described(variables_.first(Group::force) + static_cast<unsigned>(axis));
  }

  void make_room() {
    const auto room = [&](Group group) { return at(variables_.size(group)); };
    fresh_.unit = original_;
    fresh_.before = original_;
    fresh_.input.resize(room(Group::input));
    fresh_.parameter.resize(room(Group::parameter));
    fresh_.x.resize(room(Group::state));
    for (unsigned i = 0; i < room(Group::input); ++i)
      fresh_.input[i] = described(variables_.first(Group::input) + i).start;
    for (int i = 0; i < variables_.size(Group::parameter); ++i) fresh_.parameter[at(i)] = original_.parameter(i);
    rate_.resize(room(Group::rate) + 1);
    signals_.resize(room(Group::signal) + 1);
    turning_.resize(room(Group::turning) + 1);
  }

  // Before the end of initialization the model rests where the inputs say.
  bool before_start() const { return s_.mode == Mode::instantiated || s_.mode == Mode::initializing; }
  void changed() {
    cached_ = false;
    s_.stepped = false;
  }
  void start() {
    tune();
    s_.unit.start(s_.u.at, s_.v.at);
    tell_inputs();
    s_.unit.set_states(s_.x.data());
  }
  void tell_inputs() {
    for (int i = 0; i < variables_.size(Group::input); ++i) s_.unit.set_input(i, s_.input[at(i)]);
  }
  // Parameters and inputs as they were set, into the unit.
  void tune() {
    bool other = false;
    for (int i = 0; s_.tuned && i < variables_.size(Group::parameter); ++i) {
      if (s_.unit.parameter(i) == s_.parameter[at(i)]) continue;
      s_.unit.set_parameter(i, s_.parameter[at(i)]);
      other = true;
    }
    if (other) s_.unit.retune();
    tell_inputs();
  }
  int set_parameter(unsigned reference, int i, double value) {
    const Variable about = described(reference);
    if (s_.mode == Mode::continuous)
      return fail("parameter %s is tuned in event mode, not between its visits", about.name);
    if (!(value >= about.lower && value <= about.upper) || (about.lower_open && value == about.lower))
      return fail("parameter %s: %g is out of its bounds, %s %g and at most %g", about.name, value,
                  about.lower_open ? "above" : "at least", about.lower, about.upper);
    s_.parameter[at(i)] = value;
    s_.tuned = true;
    changed();
    return status_ok;
  }

  // The last step ends at the inputs: it is taken again from its beginning.
  void arrive() {
    if (s_.step_length > 0.0) {
      double force[most_axes];
      s_.unit.take(s_.before);
      s_.unit.advance(s_.u.at, s_.v.at, s_.step_length, force);
      s_.unit.get_states(s_.x.data());
    }
    tune();
  }
  // Before the first step, inputs that differ from those of the initialization are a jump: a step of hardly any length.
  void jump(double h) {
    bool other = false;
    for (int a = 0; a < s_.unit.axes(); ++a) other = other || s_.u[a] != s_.last_u[a] || s_.v[a] != s_.last_v[a];
    double force[most_axes];
    if (other) s_.unit.advance(s_.u.at, s_.v.at, 1e-6 * h, force);
  }

  enum : unsigned { given_u1 = 1, given_u2 = 2, given_v1 = 4, given_v2 = 8 };
  // Where the motion leads.
  void look_ahead(double h) {
    for (int a = 0; a < s_.unit.axes(); ++a) {
      double u1 = s_.v[a], u2 = s_.step_length > 0.0 ? (s_.v[a] - s_.first_v[a]) / s_.step_length : 0.0, v1 = u2,
             v2 = 0.0;
      if (s_.given != 0) {
        v1 = (s_.given & given_v1) != 0 ? s_.v1[a] : 0.0;
        v2 = (s_.given & given_v2) != 0 ? s_.v2[a] : 0.0;
        if ((s_.given & given_u1) != 0) u1 = s_.u1[a];
        // A derivative of the displacement that is the velocity goes on with the velocity's own; another one is a
        // secant to the end.
        u2 = (s_.given & given_u2) != 0 ? s_.u2[a] : u1 == s_.v[a] ? v1 : 0.0;
      }
      s_.at_u[a] = s_.u[a] + h * (u1 + 0.5 * h * u2);
      s_.at_v[a] = s_.v[a] + h * (v1 + 0.5 * h * v2);
    }
    s_.u1 = s_.u2 = s_.v1 = s_.v2 = PerAxis();
  }

  void refresh() {
    if (cached_) return;
    if (before_start()) {
      start();
      s_.at_u = s_.u, s_.at_v = s_.v;
    } else if (s_.mode == Mode::step && s_.moved) {
      arrive();
      s_.at_u = s_.u, s_.at_v = s_.v;
    } else {
      tune();
    }
    s_.unit.evaluate(s_.at_u.at, s_.at_v.at, s_.x.data(), force_.at, rate_.data());
    s_.unit.inside(s_.at_u.at, s_.at_v.at, s_.x.data(), signals_.data());
    s_.unit.turning_values(s_.at_u.at, s_.at_v.at, s_.x.data(), turning_.data());
    if (s_.stepped) force_ = s_.step_force;
    cached_ = true;
  }

  int give(const std::vector<double>& from, double* to, std::size_t n, const char* what) const {
    const std::size_t size = &from == &turning_ ? at(variables_.size(Group::turning)) : s_.x.size();
    if (n != size) return fail("%d %s, not %d", static_cast<int>(n), what, static_cast<int>(size));
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    return status_ok;
  }

  static constexpr std::size_t serialized_head = sizeof(std::uint64_t) + token_room;
  // FNV-1a, 64 bit.
  static std::uint64_t check_sum(const char* bytes, std::size_t size) {
    std::uint64_t sum = 14695981039346656037ULL;
    for (std::size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 1099511628211ULL;
    return sum;
  }

  const ModelData& data_;
  bool co_simulation_;
  MountUnit original_;  // as exported: for descriptions
  Variables variables_;
  Snapshot fresh_, s_;
  bool cached_ = false;
  PerAxis force_;
  std::vector<double> rate_, signals_, turning_;
};

}  // namespace kdyn::fmi
