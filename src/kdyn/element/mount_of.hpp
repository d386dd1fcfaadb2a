// SPDX-License-Identifier: Apache-2.0
// Makes a run-time Mount from any Element. Include it only where a law is turned into a Mount (one .cpp per law).
#pragma once

#include <array>
#include <utility>

#include "kdyn/base/error.hpp"
#include "kdyn/element/linearise.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/element/plain_law.hpp"

namespace kdyn::inline element {

// A law that does not follow the plain form (element/plain_law.hpp) offers, found by argument-dependent lookup:
// model_json(law, out), static_displacement(law, force) and steady_response(law, frequency_hz, amplitude, u0), which
// may give nothing.
namespace internal {
// Outside the class, where its members of the same names would hide the law's functions from argument-dependent lookup.
template <Element Law>
double displacement_at_rest(const Law& law, double force) {
  if constexpr (requires { static_displacement(law, force); })
    return static_displacement(law, force);
  else
    return plain_static_displacement(law, force);
}
template <Element Law>
void file_of(const Law& law, Json& out) {
  if constexpr (requires { model_json(law, out); })
    model_json(law, out);
  else
    plain_json(Law::model, plain_law_table<Law>(), &law, out);
}
}  // namespace internal

template <Element Law>
class MountOf final : public Mount {
 public:
  explicit MountOf(Law law) : law_(std::move(law)) { start({}); }

  std::unique_ptr<Mount> clone() const override { return std::make_unique<MountOf>(*this); }
  std::string model() const override { return Law::model; }
  void to_json(Json& out) const override { internal::file_of(law_, out); }
  std::unique_ptr<Mount> at_temperature(double temperature_c) const override {
    if constexpr (requires { law_at_temperature(law_, temperature_c); })
      return std::make_unique<MountOf>(law_at_temperature(law_, temperature_c));
    else
      throw_bad_input("temperature_c", "this model knows no temperature",
                      "use a model with a temperature table, or leave temperature_c out");
  }
  double static_force(double u) const override { return law_.static_force(u); }
  double static_displacement(double force) const override { return internal::displacement_at_rest(law_, force); }

  void start(const Motion<double>& from) override {
    memory_ = law_.start(from.u);
    x_.fill(0.0);
    now_ = from;
  }
  double advance(const Motion<double>& to, double h) override {
    if (h != step_length_) {
      step_ = law_.prepare_step(h);
      step_length_ = h;
    }
    const double force = law_.advance(x_.data(), memory_, now_, to, step_);
    now_ = to;
    return force;
  }
  void change_velocity(double v) override { now_.v = v; }
  double peek(const Motion<double>& at) const override {
    std::array<double, Law::state_count> rate;
    return law_.evaluate(at, x_.data(), memory_, rate.data());
  }
  std::optional<double> stored_energy() const override {
    if constexpr (StoresEnergy<Law>)
      if (law_.has_stored_energy()) return law_.stored_energy(now_.u, x_.data(), memory_);
    return std::nullopt;
  }

  std::vector<MountSignal> outputs() const override {
    std::vector<MountSignal> signals;
    if constexpr (requires { Law::output_signals; })
      for (const auto& s : Law::output_signals) signals.push_back({s.name, s.unit, s.meaning});
    return signals;
  }
  std::vector<double> output_values() const override {
    if constexpr (requires { Law::output_signals; }) {
      const auto values = law_.outputs(now_, x_.data(), memory_);
      return {values.begin(), values.end()};
    }
    return {};
  }
  std::vector<MountSignal> inputs() const override {
    std::vector<MountSignal> signals;
    if constexpr (requires { Law::input_signals; })
      for (const auto& s : Law::input_signals) signals.push_back({s.name, s.unit, s.meaning});
    return signals;
  }
  void set_input(std::size_t index, double value) override {
    demand(index < inputs().size(), "the input signal exists");
    if constexpr (requires { Law::input_signals; }) law_.set_input(memory_, index, value);
  }

  std::complex<double> linear_stiffness(double frequency_hz, double u0) const override {
    return linearise(law_, u0).stiffness(frequency_hz);
  }
  std::optional<SteadyResponse> closed_form(double frequency_hz, double amplitude, double u0) const override {
    if constexpr (requires { steady_response(law_, frequency_hz, amplitude, u0); })
      return steady_response(law_, frequency_hz, amplitude, u0);
    else if constexpr (requires { law_.harmonic(frequency_hz, amplitude); })
      return plain_steady_response(law_, frequency_hz, amplitude);
    else
      return std::nullopt;
  }

 private:
  Law law_;
  typename Law::Memory memory_;
  std::array<double, Law::state_count> x_{};
  Motion<double> now_;
  typename Law::Step step_{};
  double step_length_ = -1.0;
};

// A law with what it derives from its parameters made anew.
template <Element Law>
std::unique_ptr<Mount> make_mount(const Law& law) {
  Law ready = law;
  ready.complete();
  return std::make_unique<MountOf<Law>>(std::move(ready));
}

}  // namespace kdyn::inline element
