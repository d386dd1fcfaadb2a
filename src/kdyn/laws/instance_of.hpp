// SPDX-License-Identifier: Apache-2.0
// Makes a LawInstance from any law that fulfils the Element concept and describes itself (docs/architecture.md, "A
// law").
#pragma once

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "kdyn/elastomer/temperature_table.hpp"
#include "kdyn/element/archive.hpp"
#include "kdyn/element/motion.hpp"
#include "kdyn/laws/instance.hpp"

namespace kdyn::inline laws {

// What a law may offer beyond the Element concept.
namespace offers {
template <class L, class = void>
struct Outputs : std::false_type {};
template <class L>
struct Outputs<L, std::void_t<decltype(L::output_signals)>> : std::true_type {};
template <class L, class = void>
struct Inputs : std::false_type {};
template <class L>
struct Inputs<L, std::void_t<decltype(L::input_signals)>> : std::true_type {};
template <class L, class = void>
struct Turning : std::false_type {};
template <class L>
struct Turning<L, std::void_t<decltype(L::turning_signals)>> : std::true_type {};
template <class L, class = void>
struct UsedStates : std::false_type {};
template <class L>
struct UsedStates<L, std::void_t<decltype(std::declval<const L&>().used_states())>> : std::true_type {};
template <class L, class = void>
struct ListensToInputs : std::false_type {};
template <class L>
struct ListensToInputs<L, std::void_t<decltype(std::declval<const L&>().listens())>> : std::true_type {};
template <class L, class = void>
struct Follows : std::false_type {};
template <class L>
struct Follows<L, std::void_t<decltype(std::declval<L&>().follow_parameters())>> : std::true_type {};
template <class L, class = void>
struct Retunes : std::false_type {};
template <class L>
struct Retunes<L, std::void_t<decltype(std::declval<const L&>().retune(std::declval<typename L::Memory&>()))>>
    : std::true_type {};
template <class L, class = void>
struct Heats : std::false_type {};
template <class L>
struct Heats<L, std::void_t<decltype(std::declval<L&>().heat(std::declval<const typename L::Scalar&>()))>>
    : std::true_type {};
template <class L, class = void>
struct Reserves : std::false_type {};
template <class L>
struct Reserves<L, std::void_t<decltype(L::reserve(std::declval<typename L::Memory&>(), std::size_t()))>>
    : std::true_type {};
template <class L, class = void>
struct CommitsStates : std::false_type {};
template <class L>
struct CommitsStates<
    L, std::void_t<decltype(std::declval<const L&>().commit(
           std::declval<typename L::Memory&>(), Motion<typename L::Scalar>(), std::declval<const typename L::Scalar*>(),
           Motion<typename L::Scalar>(), std::declval<const typename L::Scalar*>(), typename L::Scalar()))>>
    : std::true_type {};
}  // namespace offers

// Turning points that a memory holds without asking for more room while it steps.
inline constexpr std::size_t reserved_turning_points = 1024;

template <template <class> class LawOf>
class InstanceOf final : public LawInstance {
  using Law = LawOf<double>;
  using Dual = LawOf<Jet<1>>;
  using J = Jet<1>;
  using Memory = typename Law::Memory;
  static constexpr std::size_t room = Law::state_count > 0 ? Law::state_count : 1;  // arrays of no length are no arrays

 public:
  explicit InstanceOf(Law law) : law_(std::move(law)) {
    law_.visit_parameters([&](const char* name, double& value) {
      parameters_.push_back({PartName("", name), &value, Law::find_parameter(name)});
    });
    start(0.0, 0.0);
  }
  // A law that knows temperatures: its parameters are those of its own temperature, `temperature_c` is one more.
  InstanceOf(Law law, double temperature_c) : InstanceOf(std::move(law)) {
    for (const Parameter& p : parameters_) own_.push_back(*p.value);
    own_.push_back(temperature_c);
    start(0.0, 0.0);
  }
  InstanceOf(const InstanceOf& other) : InstanceOf(other.law_) {
    own_ = other.own_;
    take(other);
  }
  InstanceOf& operator=(const InstanceOf&) = delete;

  LawInstance* copy() const override { return new InstanceOf(*this); }
  bool assign(const LawInstance& other) override {
    if (other.model() != model() || other.parameters() != parameters()) return false;
    take(static_cast<const InstanceOf&>(other));
    return true;
  }
  const char* model() const override { return Law::model; }
  const char* title() const override { return Law::title; }
  const Law& law() const { return law_; }

  int states() const override {
    if constexpr (offers::UsedStates<Law>::value)
      return law_.used_states();
    else
      return Law::state_count;
  }
  int parameters() const override { return static_cast<int>(own_.empty() ? parameters_.size() : own_.size()); }
  int signals() const override {
    if constexpr (offers::Outputs<Law>::value)
      return static_cast<int>(Law::output_signals.size());
    else
      return 0;
  }
  int inputs() const override {
    if constexpr (offers::ListensToInputs<Law>::value)
      if (!law_.listens()) return 0;
    if constexpr (offers::Inputs<Law>::value)
      return static_cast<int>(Law::input_signals.size());
    else
      return 0;
  }
  int turnings() const override {
    if constexpr (offers::Turning<Law>::value)
      return static_cast<int>(Law::turning_signals.size());
    else
      return 0;
  }
  SignalName state(int i) const override { return Law::state_signals[at(i)]; }
  const char* parameter_name(int i) const override {
    return is_temperature(i) ? temperature_parameter.name : parameters_[at(i)].name.text + 1;
  }
  const ParameterInfo& parameter_info(int i) const override {
    return is_temperature(i) ? temperature_parameter : *parameters_[at(i)].info;
  }
  SignalName signal([[maybe_unused]] int i) const override {
    if constexpr (offers::Outputs<Law>::value)
      return Law::output_signals[at(i)];
    else
      return {"", "", ""};
  }
  InputName input([[maybe_unused]] int i) const override {
    if constexpr (offers::Inputs<Law>::value)
      return Law::input_signals[at(i)];
    else
      return {"", "", "", 0.0, 0.0, 0.0};
  }
  SignalName turning([[maybe_unused]] int i) const override {
    if constexpr (offers::Turning<Law>::value)
      return Law::turning_signals[at(i)];
    else
      return {"", "", ""};
  }

  double parameter(int i) const override { return own_.empty() ? *parameters_[at(i)].value : own_[at(i)]; }
  void set_parameter(int i, double value) override { (own_.empty() ? *parameters_[at(i)].value : own_[at(i)]) = value; }
  void retune() override {
    heat();
    law_.complete();
    step_length_ = -1.0;
    if constexpr (offers::Retunes<Law>::value) law_.retune(memory_);
  }

  void start(double u, double v) override {
    heat();
    law_.complete();
    step_length_ = -1.0;
    memory_ = law_.start(u);
    if constexpr (offers::Reserves<Law>::value) Law::reserve(memory_, reserved_turning_points);
    x_.fill(0.0);
    u_ = u;
    v_ = v;
  }
  void set_input([[maybe_unused]] int i, [[maybe_unused]] double value) override {
    if constexpr (offers::Inputs<Law>::value) law_.set_input(memory_, at(i), value);
  }
  void get_states(double* x) const override {
    for (int i = 0; i < states(); ++i) x[i] = x_[at(i)];
  }
  void set_states(const double* x) override { x_ = padded<double>(x); }
  double static_force(double u) const override { return law_.static_force(u); }

  double advance(double u, double v, double h) override {
    if (h != step_length_) {
      step_ = law_.prepare_step(h);
      step_length_ = h;
    }
    const double force = law_.advance(x_.data(), memory_, {u_, v_}, {u, v}, step_);
    u_ = u;
    v_ = v;
    return force;
  }
  double force(double u, double v) const override {
    std::array<double, room> rate{};
    return law_.evaluate({u, v}, x_.data(), memory_, rate.data());
  }
  double evaluate(double u, double v, const double* x, double* rate) const override {
    const std::array<double, room> all = padded<double>(x);
    std::array<double, room> rates{};
    const double force = law_.evaluate({u, v}, all.data(), memory_, rates.data());
    for (int i = 0; i < states(); ++i) rate[i] = rates[at(i)];
    return force;
  }
  void accept(double u, double v, const double* x, double h) override {
    const std::array<double, room> all = padded<double>(x);
    // A jump at one instant is a very short step: its path is straight and has no turning point inside.
    const double length = h > 0.0 ? h : 1e-12;
    const Motion<double> from{u_, h > 0.0 ? v_ : (u - u_) / length}, to{u, h > 0.0 ? v : (u - u_) / length};
    if constexpr (offers::CommitsStates<Law>::value)
      law_.commit(memory_, from, x_.data(), to, all.data(), length);
    else
      law_.commit(memory_, from, to, length);
    x_ = all;
    u_ = u;
    v_ = v;
  }
  void inside([[maybe_unused]] double u, [[maybe_unused]] double v, [[maybe_unused]] const double* x,
              [[maybe_unused]] double* signals) const override {
    if constexpr (offers::Outputs<Law>::value) {
      const auto values = law_.outputs({u, v}, padded<double>(x).data(), memory_);
      for (std::size_t i = 0; i < values.size(); ++i) signals[i] = values[i];
    }
  }
  void turning_values([[maybe_unused]] double u, [[maybe_unused]] double v, [[maybe_unused]] const double* x,
                      [[maybe_unused]] double* out) const override {
    if constexpr (offers::Turning<Law>::value) {
      const auto values = law_.turning({u, v}, padded<double>(x).data(), memory_);
      for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
    }
  }

  void derivative(double u, double v, const double* x, const Direction& along, bool starts,
                  Response& out) const override {
    const Dual law = dual_law(along.parameter);
    const Motion<J> here{lift(u, along.u), lift(v, along.v)};
    std::array<J, room> states_at, rate;
    const std::array<double, room> all = padded<double>(x);
    for (std::size_t i = 0; i < room; ++i) states_at[i] = J(all[i]);
    if (along.x != nullptr)
      for (int i = 0; i < states(); ++i) states_at[at(i)].v[0] = along.x[i];
    typename Dual::Memory memory = starts ? law.start(here.u) : cast_memory();
    if (!starts && along.parameter != nullptr) {
      if constexpr (offers::Retunes<Dual>::value) law.retune(memory);
    }
    if constexpr (offers::Inputs<Law>::value) {
      for (int i = 0; i < inputs(); ++i)
        law.set_input(memory, at(i), lift(law_.input_value(memory_, at(i)), along.input ? along.input[i] : 0.0));
    }
    out.force = law.evaluate(here, states_at.data(), memory, rate.data()).v[0];
    if (out.rate != nullptr)
      for (int i = 0; i < states(); ++i) out.rate[i] = rate[at(i)].v[0];
    if constexpr (offers::Outputs<Law>::value) {
      if (out.signals != nullptr) {
        const auto values = law.outputs(here, states_at.data(), memory);
        for (std::size_t i = 0; i < values.size(); ++i) out.signals[i] = values[i].v[0];
      }
    }
    if constexpr (offers::Turning<Law>::value) {
      if (out.turning != nullptr) {
        const auto values = law.turning(here, states_at.data(), memory);
        for (std::size_t i = 0; i < values.size(); ++i) out.turning[i] = values[i].v[0];
      }
    }
  }
  Jet<1> static_force(const Jet<1>& u, const double* parameter_direction) const override {
    return dual_law(parameter_direction).static_force(u);
  }

  void save(std::vector<double>& out) const override {
    InstanceOf& self = const_cast<InstanceOf&>(*this);  // one walk serves both ways; writing changes nothing
    ImageWriter writer(out);
    self.walk(writer);
  }
  bool load(const double* in, std::size_t size) override {
    ImageReader reader(in, size);
    walk(reader);
    if (!reader.finished()) return false;
    heat();
    law_.complete();
    step_length_ = -1.0;
    return true;
  }

 private:
  struct Parameter {
    PartName name;  // behind a dot
    double* value;
    const ParameterInfo* info;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static J lift(double value, double slope) {
    J jet(value);
    jet.v[0] = slope;
    return jet;
  }
  bool is_temperature(int i) const { return !own_.empty() && at(i) + 1 == own_.size(); }
  // The law at the temperature that was set.
  void heat() {
    if constexpr (offers::Heats<Law>::value) {
      if (own_.empty()) return;
      for (std::size_t i = 0; i < parameters_.size(); ++i) *parameters_[i].value = own_[i];
      law_.heat(own_.back());
    }
  }
  // All states of the law, those it does not use at zero.
  template <class T>
  std::array<T, room> padded(const double* x) const {
    std::array<T, room> all{};
    for (int i = 0; i < states(); ++i) all[at(i)] = T(x[i]);
    return all;
  }
  Dual dual_law(const double* direction) const {
    Dual law = law_.template cast<J>();
    if (direction != nullptr) {
      int i = 0;
      law.visit_parameters([&](const char*, J& value) {
        if (!own_.empty()) value = J(own_[at(i)]);
        value.v[0] = direction[i++];
      });
      if constexpr (offers::Heats<Dual>::value)
        if (!own_.empty()) law.heat(lift(own_.back(), direction[i]));
      if constexpr (offers::Follows<Dual>::value) law.follow_parameters();
    }
    return law;
  }
  typename Dual::Memory cast_memory() const {
    if constexpr (std::is_empty<Memory>::value)
      return {};
    else
      return Law::template cast_memory<J>(memory_);
  }
  template <class Archive>
  void walk(Archive& archive) {
    for (int i = 0; i < parameters(); ++i) archive(own_.empty() ? *parameters_[at(i)].value : own_[at(i)]);
    if constexpr (!std::is_empty<Memory>::value) Law::archive_memory(memory_, archive);
    for (int i = 0; i < Law::state_count; ++i) archive(x_[at(i)]);
    archive(u_);
    archive(v_);
  }
  void take(const InstanceOf& other) {
    bool tuned = false;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      tuned = tuned || *parameters_[i].value != *other.parameters_[i].value;
      *parameters_[i].value = *other.parameters_[i].value;
    }
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i] = other.own_[i];
    if (tuned) {  // what the law derives from parameters is not made anew without need: this is called in every step of
                  // an FMU
      law_.complete();
      step_length_ = -1.0;
    }
    memory_ = other.memory_;
    if constexpr (offers::Reserves<Law>::value) Law::reserve(memory_, reserved_turning_points);
    x_ = other.x_;
    u_ = other.u_;
    v_ = other.v_;
  }

  Law law_;
  std::vector<Parameter> parameters_;  // of the law as it works, at its temperature
  std::vector<double> own_;            // as they were set, and the temperature; empty: the law knows none
  Memory memory_{};
  std::array<double, room> x_{};
  double u_ = 0.0, v_ = 0.0;
  typename Law::Step step_{};
  double step_length_ = -1.0;
};

}  // namespace kdyn::inline laws
