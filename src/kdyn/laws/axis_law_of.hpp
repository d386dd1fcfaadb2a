// SPDX-License-Identifier: Apache-2.0
// Makes an AxisLaw from any Element. Include it only where a law is turned into one (few .cpp files: Jets are slow to
// compile).
//
// Derivatives are taken in chunks of eight directions: a law's memory has any number of entries.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/element/archive.hpp"
#include "kdyn/element/element.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/laws/axis_law.hpp"

namespace kdyn::inline laws {

template <Element Law>
class AxisLawOf final : public AxisLaw {
  template <class T>
  using With = typename Law::template Rebind<T>;
  using LawMemory = typename Law::Memory;
  static constexpr int states = Law::state_count;
  static constexpr bool remembers = !std::is_empty_v<LawMemory>;
  static constexpr std::size_t room = states > 0 ? states : 1;  // arrays of no length confuse the compiler's checks
  static constexpr int chunk = 8;
  using J = Jet<chunk>;

 public:
  explicit AxisLawOf(Law law) : law_(std::move(law)) {
    law_.visit_parameters([&](const char* name, double&) { names_.emplace_back(name); });
  }

  std::unique_ptr<AxisLaw> clone() const override { return std::make_unique<AxisLawOf>(*this); }
  std::string model() const override { return Law::model; }
  void to_json(Json& out) const override { internal::file_of(law_, out); }
  int state_count() const override { return states; }
  bool has_memory() const override { return remembers; }
  const std::vector<std::string>& parameter_names() const override { return names_; }
  double parameter(std::size_t index) const override {
    Law copy = law_;
    return *member(copy, index);
  }
  // The bounds of the model file hold here too, and what a law derives from its parameters is made anew.
  void set_parameter(std::size_t index, double value) override {
    const ParameterInfo* info = Law::find_parameter(names_[index].c_str());
    if (info != nullptr &&
        (!(value >= info->lower && value <= info->upper) || (info->lower_open && value == info->lower)))
      throw_bad_input(fmt::format("{}.{}", Law::model, names_[index]),
                      fmt::format("value {:g} is not a number in {}{:g}, {:g}]", value, info->lower_open ? '(' : '[',
                                  info->lower, info->upper),
                      info->meaning);
    *member(law_, index) = value;
    law_.complete();
  }

  const ParameterInfo* parameter_info(std::size_t index) const override {
    return Law::find_parameter(names_[index].c_str());
  }

  int input_count() const override {
    if constexpr (requires { Law::input_signals; }) {
      if constexpr (requires { law_.listens(); })
        if (!law_.listens()) return 0;
      return static_cast<int>(Law::input_signals.size());
    }
    return 0;
  }
  InputName input([[maybe_unused]] int index) const override {
    if constexpr (requires { Law::input_signals; })
      return Law::input_signals[static_cast<std::size_t>(index)];
    else
      return {};
  }
  Memory with_input(const Memory& memory, [[maybe_unused]] int index, [[maybe_unused]] double value) const override {
    if constexpr (requires { Law::input_signals; }) {
      auto changed = std::make_shared<LawMemory>(of(&memory));
      law_.set_input(*changed, static_cast<std::size_t>(index), value);
      return changed;
    }
    return memory;
  }

  Memory start(double u) const override {
    if constexpr (remembers)
      return std::make_shared<const LawMemory>(law_.start(u));
    else
      return nullptr;
  }
  double static_force(double u, double* slope) const override {
    if (!slope) return law_.static_force(u);
    using J1 = Jet<1>;
    const J1 f = law_.template cast<J1>().static_force(J1(u, 0));
    *slope = f.v[0];
    return f.a;
  }
  const Curve& own_signal() const override {
    if constexpr (requires { law_.switch_signal; })
      return law_.switch_signal;
    else
      return AxisLaw::own_signal();
  }
  std::optional<double> stored_energy(double u, const double* w, const Memory& memory) const override {
    if constexpr (StoresEnergy<Law>)
      if (law_.has_stored_energy()) return law_.stored_energy(u, w, of(&memory));
    return std::nullopt;
  }

  double force(const Step& s, double* rate) const override {
    if constexpr (!remembers) {
      return law_.evaluate(s.to, s.w_to, LawMemory{}, rate);
    } else {
      if (s.h == 0.0) return law_.evaluate(s.to, s.w_to, of(s.memory), rate);
      LawMemory memory = of(s.memory);
      commit_step(law_, memory, s.from, s.w_from, s.to, s.w_to, s.h);
      return law_.evaluate(s.to, s.w_to, memory, rate);
    }
  }
  Memory commit(const Step& s) const override {
    if constexpr (remembers) {
      auto memory = std::make_shared<LawMemory>(of(s.memory));
      commit_step(law_, *memory, s.from, s.w_from, s.to, s.w_to, s.h);
      return memory;
    } else {
      return nullptr;
    }
  }

  void tangent(const Step& s, Tangent& out) const override {
    constexpr std::size_t n = states;
    // As many directions as there are: wider dual numbers only cost time.
    constexpr int width = std::min(2 + states, chunk);
    using JT = Jet<width>;
    for (auto* v : {&out.f_w, &out.rate, &out.rate_u, &out.rate_v}) v->resize(n);
    out.rate_w.resize(n * n);
    for (int first = 0; first < 2 + states; first += width) {
      Variables<JT> x(law_, s);
      const auto seed = [&](JT& value, int index) {
        if (index >= first && index < first + width) value.v[index - first] = 1.0;
      };
      seed(x.to.u, 0);
      seed(x.to.v, 1);
      for (int i = 0; i < states; ++i) seed(x.w_to[static_cast<std::size_t>(i)], 2 + i);
      std::array<JT, room> rate;
      const JT f = x.run(s.h, rate.data());
      out.f = f.a;
      const auto keep = [&](int index, double by_f, auto&& by_rate) {
        if (index == 0) out.f_u = by_f;
        if (index == 1) out.f_v = by_f;
        if (index >= 2) out.f_w[static_cast<std::size_t>(index - 2)] = by_f;
        for (std::size_t i = 0; i < n; ++i) {
          if (index == 0) out.rate_u[i] = by_rate(i);
          if (index == 1) out.rate_v[i] = by_rate(i);
          if (index >= 2) out.rate_w[i * n + static_cast<std::size_t>(index - 2)] = by_rate(i);
        }
      };
      for (int k = 0; k < width && first + k < 2 + states; ++k)
        keep(first + k, f.v[k], [&](std::size_t i) { return rate[i].v[k]; });
      for (std::size_t i = 0; i < n; ++i) out.rate[i] = rate[i].a;
    }
  }

  void pull_back(const Step& s, const Outputs& bar, const std::vector<int>& wanted, Inputs& gradient) const override {
    if constexpr (states == 0 && !remembers) {
      if (wanted.size() <= 2) return pull_back_by<4>(s, bar, wanted, gradient);
    }
    pull_back_by<chunk>(s, bar, wanted, gradient);
  }

  void push_forward(const Step& s, const Inputs& d, const std::vector<int>& wanted, Outputs& out) const override {
    using J1 = Jet<1>;
    Variables<J1> x(law_, s);
    x.from.u.v[0] = d.from.u;
    x.from.v.v[0] = d.from.v;
    x.to.u.v[0] = d.to.u;
    x.to.v.v[0] = d.to.v;
    for (std::size_t i = 0; i < std::min(d.w_from.size(), std::size_t{states}); ++i) x.w_from[i].v[0] = d.w_from[i];
    for (std::size_t i = 0; i < std::min(d.w_to.size(), std::size_t{states}); ++i) x.w_to[i].v[0] = d.w_to[i];
    const auto parameters = members(x.law);
    for (std::size_t i = 0; i < d.parameters.size(); ++i)
      parameters[static_cast<std::size_t>(wanted[i])]->v[0] = d.parameters[i];
    follow(x.law);
    if constexpr (remembers) {
      std::size_t i = 0;
      With<J1>::visit_memory(x.memory, [&](J1& value) {
        if (i < d.memory.size()) value.v[0] = d.memory[i];
        ++i;
      });
    }
    std::array<J1, room> rate;
    read(x.run(s.h, rate.data()), rate, x.memory, out);
  }

  void pull_back_start(const Motion<double>& at, const Outputs& bar, const std::vector<int>& wanted,
                       Inputs& gradient) const override {
    gradient.parameters.resize(wanted.size());
    std::vector<double*> sinks = {&gradient.to.u, &gradient.to.v};
    for (auto& x : gradient.parameters) sinks.push_back(&x);
    for (std::size_t first = 0; first < sinks.size(); first += chunk) {
      With<J> law = law_.template cast<J>();
      Motion<J> to{J(at.u), J(at.v)};
      std::vector<J*> sources = {&to.u, &to.v};
      const auto parameters = members(law);
      for (const int i : wanted) sources.push_back(parameters[static_cast<std::size_t>(i)]);
      for (std::size_t k = first; k < std::min(sources.size(), first + chunk); ++k)
        sources[k]->v[static_cast<int>(k - first)] = 1.0;
      follow(law);
      auto memory = law.start(to.u);
      std::array<J, room> rate, w;
      w.fill(J(0.0));
      const J f = law.evaluate(to, w.data(), memory, rate.data());
      const J total = weigh(f, rate, memory, bar);
      for (std::size_t k = first; k < std::min(sinks.size(), first + chunk); ++k)
        *sinks[k] += total.v[static_cast<int>(k - first)];
    }
  }

  void push_forward_start(const Motion<double>& at, const Inputs& d, const std::vector<int>& wanted,
                          Outputs& out) const override {
    using J1 = Jet<1>;
    With<J1> law = law_.template cast<J1>();
    Motion<J1> to{J1(at.u), J1(at.v)};
    to.u.v[0] = d.to.u;
    to.v.v[0] = d.to.v;
    const auto parameters = members(law);
    for (std::size_t i = 0; i < d.parameters.size(); ++i)
      parameters[static_cast<std::size_t>(wanted[i])]->v[0] = d.parameters[i];
    follow(law);
    auto memory = law.start(to.u);
    std::array<J1, room> rate, w;
    w.fill(J1(0.0));
    const J1 f = law.evaluate(to, w.data(), memory, rate.data());
    read(f, rate, memory, out);
  }

  double static_force_by_parameter(double u, int index) const override {
    using J1 = Jet<1>;
    auto law = law_.template cast<J1>();
    members(law)[static_cast<std::size_t>(index)]->v[0] = 1.0;
    return law.static_force(J1(u)).v[0];
  }

  std::size_t memory_size(const Memory& memory) const override {
    std::size_t count = 0;
    if constexpr (remembers) {
      LawMemory copy = of(&memory);
      Law::visit_memory(copy, [&](double&) { ++count; });
    }
    return count;
  }

  void memory_image(const Memory& memory, std::vector<double>& out) const override {
    if constexpr (remembers) {
      LawMemory copy = of(&memory);
      ImageWriter writer(out);
      Law::archive_memory(copy, writer);
    }
  }
  bool memory_of_image(const std::vector<double>& image, Memory& memory) const override {
    memory = nullptr;
    if constexpr (remembers) {
      auto made = std::make_shared<LawMemory>(law_.start(0.0));
      ImageReader reader(image.data(), image.size());
      Law::archive_memory(*made, reader);
      if (!reader.finished()) return false;
      memory = std::move(made);
      return true;
    }
    return image.empty();
  }

 private:
  template <int width>
  void pull_back_by(const Step& s, const Outputs& bar, const std::vector<int>& wanted, Inputs& gradient) const {
    using JB = Jet<width>;
    gradient.w_from.resize(states);
    gradient.w_to.resize(states);
    gradient.parameters.resize(wanted.size());
    const std::size_t entries = remembers ? memory_size(*s.memory) : 0;
    gradient.memory.resize(entries);
    // Kept from call to call: an adjoint comes here for every axis and step.
    static thread_local std::vector<double*> sinks;
    static thread_local std::vector<JB*> sources, parameters;
    sinks.assign({&gradient.to.u, &gradient.to.v});
    if (remembers) sinks.insert(sinks.end(), {&gradient.from.u, &gradient.from.v});
    for (auto& x : gradient.w_to) sinks.push_back(&x);
    if (remembers)
      for (auto& x : gradient.w_from) sinks.push_back(&x);
    for (auto& x : gradient.parameters) sinks.push_back(&x);
    for (auto& x : gradient.memory) sinks.push_back(&x);
    for (std::size_t first = 0; first < sinks.size(); first += width) {
      Variables<JB> x(law_, s);
      sources.assign({&x.to.u, &x.to.v});
      if (remembers) sources.insert(sources.end(), {&x.from.u, &x.from.v});
      for (int i = 0; i < states; ++i) sources.push_back(&x.w_to[static_cast<std::size_t>(i)]);
      if (remembers)
        for (int i = 0; i < states; ++i) sources.push_back(&x.w_from[static_cast<std::size_t>(i)]);
      parameters.clear();
      x.law.visit_parameters([&](const char*, JB& value) { parameters.push_back(&value); });
      for (const int i : wanted) sources.push_back(parameters[static_cast<std::size_t>(i)]);
      if constexpr (remembers) With<JB>::visit_memory(x.memory, [&](JB& value) { sources.push_back(&value); });
      for (std::size_t k = first; k < std::min(sources.size(), first + width); ++k)
        sources[k]->v[static_cast<int>(k - first)] = 1.0;
      follow(x.law);
      std::array<JB, room> rate;
      const JB f = x.run(s.h, rate.data());
      const JB total = weigh(f, rate, x.memory, bar);
      for (std::size_t k = first; k < std::min(sinks.size(), first + width); ++k)
        *sinks[k] += total.v[static_cast<int>(k - first)];
    }
  }

  static const LawMemory& of(const Memory* memory) {
    if constexpr (remembers) {
      return *static_cast<const LawMemory*>(memory->get());
    } else {
      static const LawMemory nothing{};
      return nothing;
    }
  }

  // The inputs of one step in another scalar.
  template <class T>
  struct Variables {
    With<T> law;
    Motion<T> from, to;
    std::array<T, room> w_from, w_to;
    typename With<T>::Memory memory;

    Variables(const Law& source, const Step& s)
        : law(source.template cast<T>()),
          from{T(s.from.u), T(s.from.v)},
          to{T(s.to.u), T(s.to.v)} {
      for (std::size_t i = 0; i < states; ++i) {
        w_from[i] = T(s.w_from ? s.w_from[i] : 0.0);
        w_to[i] = T(s.w_to[i]);
      }
      if constexpr (remembers) memory = Law::template cast_memory<T>(of(s.memory));
    }
    // [mbs E20]; leaves the memory of the end in `memory`.
    T run(double h, T* rate) {
      if constexpr (remembers)
        if (h != 0.0) commit_step(law, memory, from, w_from.data(), to, w_to.data(), T(h));
      return law.evaluate(to, w_to.data(), memory, rate);
    }
  };

  template <class L>
  static auto members(L& law) {
    using T = typename L::Scalar;
    std::vector<T*> all;
    law.visit_parameters([&](const char*, T& value) { all.push_back(&value); });
    return all;
  }
  static double* member(Law& law, std::size_t index) { return members(law).at(index); }

  // Laws that derive numbers from their parameters let the derivatives follow, once the parameters are seeded.
  template <class L>
  static void follow(L& law) {
    if constexpr (requires { law.follow_parameters(); }) law.follow_parameters();
  }

  template <class T, class M>
  static T weigh(const T& f, const std::array<T, room>& rate, M& memory, const Outputs& bar) {
    T total = bar.f * f;
    for (std::size_t i = 0; i < std::min(bar.rate.size(), std::size_t{states}); ++i) total += bar.rate[i] * rate[i];
    if constexpr (remembers) {
      std::size_t i = 0;
      With<T>::visit_memory(memory, [&](T& value) {
        if (i < bar.memory.size() && bar.memory[i] != 0.0) total += bar.memory[i] * value;
        ++i;
      });
    }
    return total;
  }
  template <class T, class M>
  static void read(const T& f, const std::array<T, room>& rate, M& memory, Outputs& out) {
    out.f = f.v[0];
    out.rate.clear();
    for (int i = 0; i < states; ++i) out.rate.push_back(rate[static_cast<std::size_t>(i)].v[0]);
    out.memory.clear();
    if constexpr (remembers) With<T>::visit_memory(memory, [&](T& value) { out.memory.push_back(value.v[0]); });
  }

  Law law_;
  std::vector<std::string> names_;
};

}  // namespace kdyn::inline laws
