// SPDX-License-Identifier: Apache-2.0
// Controllers in a run: their start, the instants at which they are sampled, and FMUs that step by themselves.
//
//   [mbs E95]  at a sample: u, y with x held, x+ = A x + B u; loads jump, and the scheme begins anew with a = v' behind the jump
//   [mbs E97]  a unit goes over a communication step after the model has, with the inputs of both its ends; its outputs are held over
//              the next one, or go on along their last change
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

void Run::look_at_controllers() {
  const auto& controllers = system_.model().controllers;
  for (const Controller& c : controllers) {
    if (!c.sampled()) continue;
    samples_ = true;
    has_units_ = has_units_ || c.unit != nullptr;
    const double steps = c.sample_s / options_.step_s;
    if (std::round(steps) < 1.0 || std::abs(steps - std::round(steps)) > 1e-9 * steps)
      throw_bad_input("controller " + c.name + ".sample_s",
                      fmt::format("{:g} s is no multiple of the step {:g} s: steps end where it is sampled", c.sample_s,
                                  options_.step_s),
                      fmt::format("take the step {:.6g} s", c.sample_s / std::max(1.0, std::ceil(steps - 1e-9))));
  }
  if (samples_) system_.prepare(mass_lu_);
  begun_.assign(controllers.size(), 0);
  std::size_t outputs = 0;
  for (const Controller& c : controllers) outputs += c.output_names.size();
  unit_jump_.assign(outputs, 0.0), unit_largest_.assign(outputs, 0.0);
}

// All units anew with the inputs of the start as it is in e_; the largest change of their outputs, relative.
double Run::restart_units() {
  double change = 0.0;
  system_.start_controllers(options_.static_start, e_);
  system_.apply_formulas(0.0, e_);
  ControlPoint& p = e_.control;
  for (std::size_t k = 0; k < begun_.size(); ++k) {
    const Controller& c = system_.model().controllers[k];
    if (!c.unit) continue;
    const ControlPlace& place = system_.control_at()[k];
    const int m = c.outputs();
    const VectorX u = p.u.segment(place.u, c.B.cols()), y = c.unit->begin(u), before = p.held.segment(place.held, m);
    begun_[k] = c.unit->begun();
    if (!y.allFinite())
      throw_bad_input("controller " + c.name, "the FMU gives an output that is no finite number at the start",
                      "check its parameters");
    const double size = std::max(y.cwiseAbs().maxCoeff(), before.cwiseAbs().maxCoeff());
    if (size > 0.0) change = std::max(change, (y - before).cwiseAbs().maxCoeff() / size);
    p.held.segment(place.held, m) = y;
    p.held.segment(place.held + m, m + 1).setZero();
    p.held.segment(place.held + 2 * m + 1, u.size()) = u;
  }
  return change;
}

void Run::begin_units() {
  e_.control.held.setZero(system_.held_numbers());
  system_.place(now_.q, VectorX::Zero(system_.coordinates()), e_);
  restart_units();
}

// The equilibrium with outputs held, and outputs at the equilibrium, in turn.
bool Run::settle_units(std::string& reason) {
  for (int i = 0; i < 100; ++i) {
    if (restart_units() < 1e-12) return true;
    if (!static_equilibrium(reason)) return false;
  }
  reason =
      "an FMU for co-simulation does not come to rest with the model: its outputs change with every search of the "
      "equilibrium";
  return false;
}

// [mbs E93] States of the controllers at the start.
bool Run::begin_controllers(std::string& reason) {
  if (has_units_) restart_units();
  system_.start_controllers(options_.static_start, e_);
  system_.apply_formulas(0.0, e_);
  if (!e_.control.solved) {
    reason = "the controllers read each other's outputs in a loop that has no solution at the start";
    return false;
  }
  double input = 0.0;
  if (const std::string name = system_.unsteady_controller(e_.control, &input); !name.empty()) {
    reason = fmt::format(
        "controller {} integrates, and its input is {:.4g} at the start: it is not at rest there; write \"initial\": "
        "\"zero\" or its states",
        name, input);
    return false;
  }
  system_.begin_held(e_.control, now_.laws);
  e_.w = now_.laws.w;
  return true;
}

void Run::sample_controllers() {
  const auto& controllers = system_.model().controllers;
  std::vector<char> due(controllers.size(), 0);
  bool any = false, units = false;
  for (std::size_t k = 0; k < controllers.size(); ++k) {
    if (!controllers[k].sampled()) continue;
    const double samples = now_.t / controllers[k].sample_s;
    if (std::abs(samples - std::round(samples)) * controllers[k].sample_s > 1e-6 * options_.step_s) continue;
    due[k] = 1, any = true;
    units = units || controllers[k].unit != nullptr;
  }
  if (!any) return;
  StateScheme given;
  given.t = now_.t;
  system_.apply_laws(now_.laws, given, e_);
  if (units) {
    system_.apply_formulas(now_.t, e_);
    for (std::size_t k = 0; k < controllers.size(); ++k)
      if (due[k] != 0 && controllers[k].unit) step_unit(k);
    system_.apply_laws(now_.laws, given, e_);
  }
  e_.control.due = due;
  system_.apply_formulas(now_.t, e_);
  for (std::size_t k = 0; k < controllers.size(); ++k)
    if (due[k] != 0 && !controllers[k].unit) system_.sample(k, e_.control, now_.laws.held, now_.laws.held);
  accelerate(mass_lu_);
  const auto n = system_.control_states();
  now_.laws.wd.tail(n) = e_.wd.tail(n);
  now_.laws.b.tail(n) = e_.wd.tail(n);
  past_ = 0;
}

// [mbs E97]
void Run::step_unit(std::size_t k) {
  const Controller& c = system_.model().controllers[k];
  const ControlPlace& place = system_.control_at()[k];
  if (c.unit->begun() != begun_[k])
    throw_bad_input("controller " + c.name, "its FMU was begun anew by another run of the same model",
                    "run one after the other");
  const int m = c.outputs();
  VectorX& held = now_.laws.held;
  const double from = held[place.held + 2 * m], h = now_.t - from;
  const VectorX u0 = held.segment(place.held + 2 * m + 1, c.B.cols()), u1 = e_.control.u.segment(place.u, c.B.cols());
  const VectorX y = c.unit->advance(from, h, u0, u1), before = held.segment(place.held, m),
                expected = before + h * held.segment(place.held + m, m);
  if (!y.allFinite())
    throw_bad_input("controller " + c.name,
                    fmt::format("the FMU gives an output that is no finite number at {:.9g} s", now_.t),
                    "check its parameters, its sample_s and the inputs it is given");
  for (int i = 0; i < m; ++i) {
    const auto o = static_cast<std::size_t>(place.y + i);
    unit_jump_[o] = std::max(unit_jump_[o], std::abs(y[i] - expected[i]));
    unit_largest_[o] = std::max(unit_largest_[o], std::abs(y[i]));
  }
  held.segment(place.held, m) = y;
  held.segment(place.held + m, m) = c.unit->goes_on() ? VectorX((y - before) / h) : VectorX(VectorX::Zero(m));
  held[place.held + 2 * m] = now_.t;
  held.segment(place.held + 2 * m + 1, c.B.cols()) = u1;
}

double Run::unit_jump(std::size_t controller) const {
  const Controller& c = system_.model().controllers[controller];
  double most = 0.0;
  for (int i = 0; c.unit && i < c.outputs(); ++i) {
    const auto o = static_cast<std::size_t>(system_.control_at()[controller].y + i);
    if (unit_largest_[o] > 0.0) most = std::max(most, unit_jump_[o] / unit_largest_[o]);
  }
  return most;
}

}  // namespace kdyn::mbs
