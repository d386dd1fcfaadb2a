// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/runtime/system_core.hpp"

#include <algorithm>
#include <exception>

#include "kdyn/base/error.hpp"

namespace kdyn::fmi {
namespace {

constexpr double most_parts = 1e8;      // of one step
constexpr double shortest_part = 1e-6;  // over step_s: below, accelerations drown in the rounding of positions
constexpr double open_joint = 1e-6;     // equations that were left out as dependent, as kdyn simulate tells it

bool differs(double a, double b, double scale) {
  return std::abs(a - b) > 1e-13 * std::max({std::abs(a), std::abs(b), std::abs(scale)});
}

}  // namespace

template <class F>
int SystemCore::guarded(F&& f) const noexcept {
  try {
    return f();
  } catch (const Error& error) {
    return fail("%s: %s; %s", error.where().c_str(), error.message().c_str(), error.remedy().c_str());
  } catch (const std::exception& error) {
    return fail("%s", error.what());
  } catch (...) {
    return fail("an unknown error");
  }
}

SystemCore::SystemCore(const std::string& text) : model_(text), s_(fresh()) {}

SystemCore::State SystemCore::fresh() {
  State s;
  for (const SystemInput& input : model_.inputs()) {
    Track track;
    track.value = input.start;
    s.tracks.push_back(track);
  }
  for (const Variable& v : model_.variables())
    if (v.group == Group::parameter) s.parameters.push_back(v.start);
  return s;
}

int SystemCore::reset() {
  return guarded([&] {
    s_ = fresh();
    cached_ = false;
    return status_ok;
  });
}

int SystemCore::enter_initialization() {
  if (s_.mode != Mode::instantiated) return fail("initialization mode follows instantiation or reset");
  s_.mode = Mode::initializing;
  return status_ok;
}

int SystemCore::exit_initialization() {
  if (s_.mode != Mode::initializing) return fail("initialization mode was not entered");
  return guarded([&] {
    if (s_.start_time != 0.0 && model_.has_clock())
      return fail(
          "the start time is %g s, but loads or drives of the model are given over time from 0 on: start at 0, or make "
          "them inputs",
          s_.start_time);
    cached_ = false;
    if (const int begun = begin_run(); begun != status_ok) return begun;
    s_.mode = Mode::step;
    s_.moved = false;
    return static_cast<int>(status_ok);
  });
}

// Laws with the parameters that were set, and a run at its beginning.
int SystemCore::begin_run() {
  for (std::size_t i = 0; i < s_.parameters.size(); ++i)
    mbs::set_parameter(model_.system(), model_.parameters()[i], s_.parameters[i]);
  for (std::size_t i = 0; i < s_.tracks.size(); ++i) {
    Track& track = s_.tracks[i];
    track.begin = track.foreseen = track.value;
    track.begin_rate = track.foreseen_rate = track.rate;
    track.before_length = 0.0;
    model_.signal(i) = {0.0, track.value, track.rate, 0.0, 0.0};
  }
  s_.before.reset();
  s_.step_length = 0.0;
  s_.run = std::make_shared<mbs::Run>(model_.system(), model_.run());
  const mbs::RunResult begun = s_.run->start();
  if (begun.status != mbs::RunStatus::done) return fail("%s", begun.reason.c_str());
  for (std::size_t i = 0; i < s_.tracks.size(); ++i) {
    const SystemInput& input = model_.inputs()[i];
    if (input.kind == SystemInput::Kind::law) s_.run->set_law_input(input.part, input.component, s_.tracks[i].value);
  }
  return status_ok;
}

int SystemCore::get(unsigned reference, double& value) {
  const Variable* v = find(reference);
  if (v == nullptr) return fail("there is no value reference %u", reference);
  const auto index = static_cast<std::size_t>(v->index);
  switch (v->group) {
    case Group::time: value = s_.time; return status_ok;
    case Group::input: value = s_.tracks[index].value; return status_ok;
    case Group::velocity: value = s_.tracks[index].rate; return status_ok;
    case Group::parameter: value = s_.parameters[index]; return status_ok;
    case Group::force:
      return guarded([&] {
        if (const int done = refresh(); done != status_ok) return done;
        value = outputs_[model_.outputs()[index]];
        return static_cast<int>(status_ok);
      });
    default: return fail("%s is no real variable", v->name);
  }
}

int SystemCore::set(unsigned reference, double value) {
  const Variable* v = find(reference);
  if (v == nullptr) return fail("there is no value reference %u", reference);
  const auto index = static_cast<std::size_t>(v->index);
  if (!std::isfinite(value)) return fail("%s: the value is not finite", v->name);
  if (v->bounded && (!(value >= v->lower && value <= v->upper) || (v->lower_open && value == v->lower)))
    return fail("%s: %g is out of its bounds, %s %g and at most %g", v->name, value,
                v->lower_open ? "above" : "at least", v->lower, v->upper);
  if (v->group == Group::input) {
    s_.tracks[index].value = value;
  } else if (v->group == Group::velocity) {
    s_.tracks[index].rate = value;
    s_.tracks[index].rate_given = true;
  } else if (v->group == Group::parameter) {
    if (!before_start()) return fail("parameter %s is set before the end of initialization", v->name);
    s_.parameters[index] = value;
  } else {
    return fail("%s cannot be set", v->name);
  }
  s_.moved = true;
  cached_ = false;
  return status_ok;
}

int SystemCore::get_option(unsigned reference, bool& value) const {
  const Variable* v = find(reference);
  if (v == nullptr || v->group != Group::option)
    return fail("%s is no Boolean", v == nullptr ? "this value reference" : v->name);
  value = s_.at_end;
  return status_ok;
}

int SystemCore::set_option(unsigned reference, bool value) {
  const Variable* v = find(reference);
  if (v == nullptr || v->group != Group::option)
    return fail("%s is no Boolean", v == nullptr ? "this value reference" : v->name);
  if (!before_start()) return fail("%s is set before the end of initialization", v->name);
  s_.at_end = value;
  return status_ok;
}

int SystemCore::set_time(double t) {
  if (!std::isfinite(t)) return fail("the time is not finite");
  if (!before_start()) return fail("the time of co-simulation is that of its steps");
  s_.start_time = s_.time = t;
  return status_ok;
}

bool SystemCore::has_paths() const {
  return std::any_of(model_.inputs().begin(), model_.inputs().end(),
                     [](const SystemInput& i) { return i.kind != SystemInput::Kind::law; });
}

// Velocity of an input at the end of the last step, where its value is known: given, or of the parabola through the
// last three values.
double SystemCore::end_rate(const Track& track) const {
  if (track.rate_given) return track.rate;
  const double h = s_.step_length;
  if (!(h > 0.0)) return track.rate;
  const double slope = (track.value - track.begin) / h;
  if (!(track.before_length > 0.0)) return slope;
  const double earlier = (track.begin - track.before) / track.before_length;
  return slope + h * (slope - earlier) / (h + track.before_length);
}

// The way of an input over a step that begins now: to its end, which is known, or where it leads.
void SystemCore::lead(std::size_t input, double length, bool to_end) {
  const SystemInput& about = model_.inputs()[input];
  Track& track = s_.tracks[input];
  mbs::OutsideSignal path;
  path.t0 = s_.run->state().t;
  path.value = track.begin;
  const bool drive = about.kind == SystemInput::Kind::drive;
  if (to_end && !drive) {
    path.rate = (track.value - track.begin) / length;
  } else if (to_end) {
    // Cubic with value and velocity of both ends.
    const double slope = (track.value - track.begin) / length, v0 = track.begin_rate, v1 = track.foreseen_rate;
    path.rate = v0;
    path.second_rate = (6.0 * slope - 4.0 * v0 - 2.0 * v1) / length;
    path.third_rate = 6.0 * (v0 + v1 - 2.0 * slope) / (length * length);
  } else if (track.before_length > 0.0) {
    const double slope = (track.begin - track.before) / track.before_length;
    path.rate = drive ? track.begin_rate : slope;
    // The chord of a parabola has the velocity of its middle.
    if (drive) path.second_rate = 2.0 * (track.begin_rate - slope) / track.before_length;
  } else if (drive) {
    path.rate = track.begin_rate;
  }
  track.foreseen = to_end ? track.value : path.value + length * (path.rate + 0.5 * length * path.second_rate);
  if (!to_end) track.foreseen_rate = path.rate + length * path.second_rate;
  model_.signal(input) = path;
}

double SystemCore::part_count(double h) const { return std::max(1.0, std::ceil(h / model_.run().step_s - 1e-9)); }

mbs::Run& SystemCore::own_run() {
  if (s_.run.use_count() > 1) s_.run = std::make_shared<mbs::Run>(*s_.run);
  return *s_.run;
}

int SystemCore::go(double h) {
  mbs::Run& run = own_run();
  const double count = part_count(h);
  double part = h / count;
  // Lengths that differ by rounding are one: the factors of the last step stay good.
  if (std::abs(part - model_.run().step_s) < 1e-9 * part) part = model_.run().step_s;
  if (std::abs(part - s_.part) < 1e-9 * part) part = s_.part;
  s_.part = part;
  for (double i = 0.0; i < count; i += 1.0) {
    std::string reason;
    if (!run.step_by(part, reason)) {
      s_.broken = true;
      const std::string bad = model_.system().model().bad_signal(run.state().t + part);
      return fail("%s%s%s", bad.c_str(), bad.empty() ? "" : "; ", reason.c_str());
    }
  }
  std::string joint;
  if (const double gap = model_.system().dropped_gap(run.state().t, run.evaluation(), &joint); !(gap < open_joint)) {
    s_.broken = true;
    return fail("joint %s, which depended on others at the start, opens by %g: the start is a singular position",
                joint.c_str(), gap);
  }
  return status_ok;
}

// The last step ends at the inputs: it is taken again from its beginning, unless they are those it went to.
int SystemCore::arrive() {
  s_.moved = false;
  if (!(s_.step_length > 0.0)) return status_ok;
  bool other = false;
  for (std::size_t i = 0; i < s_.tracks.size(); ++i) {
    Track& track = s_.tracks[i];
    const SystemInput::Kind kind = model_.inputs()[i].kind;
    if (kind == SystemInput::Kind::law) continue;
    const double rate = kind == SystemInput::Kind::drive ? end_rate(track) : 0.0;
    other = other || differs(track.value, track.foreseen, track.begin);
    if (kind == SystemInput::Kind::drive) {
      other = other || differs(rate, track.foreseen_rate, track.begin_rate);
      track.foreseen_rate = rate;
    }
  }
  if (!other) return status_ok;
  s_.run = std::make_shared<mbs::Run>(*s_.before);
  for (std::size_t i = 0; i < s_.tracks.size(); ++i)
    if (model_.inputs()[i].kind != SystemInput::Kind::law) lead(i, s_.step_length, true);
  return go(s_.step_length);
}

int SystemCore::step(double t, double h) {
  if (s_.mode != Mode::step) return fail("a step outside of step mode");
  if (s_.broken) return fail("an earlier step has failed: reset, or go back to a saved state");
  if (!(h > 0.0) || !std::isfinite(h) || !std::isfinite(t)) return fail("step of length %g at time %g", h, t);
  if (std::fabs(t - s_.time) > 1e-6 * h + 1e-12 * std::fabs(t))
    return fail("the step starts at %.17g but the time is %.17g", t, s_.time);
  const double step_s = model_.run().step_s;
  if (!(part_count(h) < most_parts)) return fail("a step of %g s has too many parts of at most %g s", h, step_s);
  if (h < shortest_part * step_s) return fail("a step of %g s is too short for a model with steps of %g s", h, step_s);
  return guarded([&] {
    cached_ = false;
    const bool first = s_.step_length == 0.0;
    if (!s_.at_end)
      if (const int done = arrive(); done != status_ok) return done;
    for (std::size_t i = 0; i < s_.tracks.size(); ++i) {
      Track& track = s_.tracks[i];
      const SystemInput& input = model_.inputs()[i];
      if (input.kind == SystemInput::Kind::law) {
        own_run().set_law_input(input.part, input.component, track.value);
        continue;
      }
      const bool drive = input.kind == SystemInput::Kind::drive;
      if (s_.at_end) {
        const double reached = track.foreseen, rate = track.foreseen_rate, last = s_.step_length;
        if (!first) track.before = track.begin, track.before_length = last;
        track.begin = reached, track.begin_rate = rate;
        s_.step_length = h;
        track.foreseen_rate = drive ? end_rate(track) : 0.0;
        s_.step_length = last;
        lead(i, h, true);
      } else {
        const double rate = drive ? end_rate(track) : 0.0;
        if (!first) track.before = track.begin, track.before_length = s_.step_length;
        track.begin = track.value, track.begin_rate = rate;
        lead(i, h, false);
      }
    }
    if (!s_.at_end && has_paths()) s_.before = s_.run;
    s_.step_length = h;
    s_.moved = false;
    if (const int done = go(h); done != status_ok) return done;
    s_.time = t + h;
    return static_cast<int>(status_ok);
  });
}

int SystemCore::refresh() {
  if (cached_) return status_ok;
  int done = status_ok;
  if (before_start())
    done = begin_run();
  else if (s_.moved && !s_.at_end && !s_.broken)
    done = arrive();
  if (done != status_ok) return done;
  model_.signals().values(s_.run->state(), s_.run->evaluation(), outputs_);
  for (const double value : outputs_)
    if (!std::isfinite(value)) return fail("a signal is not finite at time %g", s_.time);
  cached_ = true;
  return status_ok;
}

int SystemCore::save(void** saved) const {
  return guarded([&] {
    if (*saved == nullptr)
      *saved = new State(s_);
    else
      *static_cast<State*>(*saved) = s_;
    return status_ok;
  });
}

int SystemCore::restore(const void* saved) {
  if (saved == nullptr) return fail("no state to restore");
  return guarded([&] {
    const State& from = *static_cast<const State*>(saved);
    for (std::size_t i = 0; i < from.parameters.size(); ++i)
      mbs::set_parameter(model_.system(), model_.parameters()[i], from.parameters[i]);
    s_ = from;
    cached_ = false;
    return status_ok;
  });
}

void SystemCore::free_saved(void* saved) { delete static_cast<State*>(saved); }

}  // namespace kdyn::fmi
