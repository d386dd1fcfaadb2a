// SPDX-License-Identifier: Apache-2.0
// FMUs of every kind of mount, driven through their C interface as tools drive them, against the library. The oracle is
// the law itself, run natively. Tolerance 1e-12 of the largest force (both do the same operations; what remains is the
// compilers' rounding); figures are printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>
#include <set>

#include "kdyn/base/error.hpp"
#include "kdyn/element/element.hpp"
#include "kdyn/fmu/test/importer.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/laws/law_list.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/registry.hpp"

namespace kdyn::inline fmu {
namespace {

using test::Path;
using test::Unit;

struct Sample {
  std::string name;
  Json model;
  int version = 2;
};

// Every kind of law and each of its branches, in both versions of the standard.
std::vector<Sample> samples() {
  std::vector<Sample> list;
  for (const int version : {2, 3})
    for (const auto& [name, model] : test::sample_models()) list.push_back({name, model, version});
  return list;
}

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name << " in FMI " << sample.version; }

template <class Use>
void with_law(const Json& model, Use&& use) {
  const std::vector<double> numbers = find_law(model["model"].get<std::string>())->image(model, "test", std::nullopt);
#define KDYN_USE(Law)                                   \
  if (model["model"] == Law<double>::model) {           \
    Law<double> law;                                    \
    ImageReader reader(numbers.data(), numbers.size()); \
    archive_law(law, reader);                           \
    use(law);                                           \
  }
  KDYN_LAWS(KDYN_USE)
#undef KDYN_USE
}

// The law beside the FMU: states, memory and motion of the last accepted point.
template <class Law>
struct Native {
  Law law;
  typename Law::Memory memory;
  std::array<double, Law::state_count> x{};
  Motion<double> now;
  Native(const Law& l, const Motion<double>& from) : law(l), memory(l.start(from.u)), now(from) {}
  double advance(const Motion<double>& to, double h) {
    const double force = law.advance(x.data(), memory, now, to, law.prepare_step(h));
    now = to;
    return force;
  }
  double evaluate(const Motion<double>& at, const std::array<double, Law::state_count>& states,
                  std::array<double, Law::state_count>& rate) const {
    return law.evaluate(at, states.data(), memory, rate.data());
  }
};

struct Worst {
  double difference = 0.0, size = 0.0;
  void add(double expected, double found) {
    difference = std::max(difference, std::abs(expected - found));
    size = std::max(size, std::abs(expected));
  }
  double ratio() const { return size > 0.0 ? difference / size : difference; }
};

bool set_motion(Unit& unit, const Motion<double>& at) {
  return unit.set(unit["displacement"], at.u) && unit.set(unit["velocity"], at.v);
}

// Co-simulation with the motion at the end of each step, steps of changing length; every third step is first tried with
// another motion and rejected.
double co_simulation_at_end(Unit& unit, const Json& model) {
  Worst worst;
  const Path path;
  const auto mount = mount_from_json(model, "test");
  mount->start(path(0.0));
  EXPECT_TRUE(unit.begin_at_end(path(0.0).u, path(0.0).v));
  worst.add(mount->peek(path(0.0)), unit.value("force"));
  void* saved = nullptr;
  double t = 0.0;
  for (int i = 1; i <= 700; ++i) {
    const double h = (1.0 + 0.5 * (i % 3)) / 1000.0;
    const Motion<double> to = path(t + h);
    if (i % 3 == 0) {
      EXPECT_TRUE(unit.save(saved));
      EXPECT_TRUE(set_motion(unit, {to.u - 6e-4, -2.0 * to.v}));
      EXPECT_TRUE(unit.step(t, h));
      EXPECT_TRUE(set_motion(unit, {to.u + 6e-4, to.v}));
      EXPECT_TRUE(unit.step(t + h, h));
      EXPECT_TRUE(unit.restore(saved));
    }
    EXPECT_TRUE(set_motion(unit, to));
    worst.add(mount->peek(to), unit.value("force"));  // a look before the step
    EXPECT_TRUE(unit.step(t, h));
    worst.add(mount->advance(to, h), unit.value("force"));
    t += h;
    EXPECT_DOUBLE_EQ(unit.value("time"), t);
    const auto signals = mount->outputs();
    const auto values = mount->output_values();
    for (std::size_t s = 0; s < signals.size(); ++s)
      EXPECT_NEAR(unit.value(signals[s].name), values[s], 1e-9 * std::max(1e-9, std::abs(values[s])))
          << signals[s].name << " at " << t;
  }
  EXPECT_TRUE(unit.free_state(saved));
  EXPECT_EQ(saved, nullptr);
  return worst.ratio();
}

// Co-simulation as tools do it: inputs of the beginning, then the step. Once the motion at the end of a step has
// arrived, the force is exact there: the memory has followed the true path. `ahead` is the worst error of the forces
// reported by the steps themselves, of the largest.
double co_simulation(Unit& unit, const Json& model, double& ahead) {
  Worst worst, carried;
  const Path path;
  const auto mount = mount_from_json(model, "test");
  mount->start(path(0.0));
  EXPECT_TRUE(unit.begin(true, path(0.0).u, path(0.0).v));
  void* saved = nullptr;
  double t = 0.0, force = mount->peek(path(0.0));
  for (int i = 1; i <= 700; ++i) {
    const double h = (1.0 + 0.5 * (i % 3)) / 1000.0;
    if (i % 3 == 0) {  // a step that is rejected
      EXPECT_TRUE(unit.save(saved));
      EXPECT_TRUE(set_motion(unit, {path(t).u - 6e-4, -2.0 * path(t).v}) && unit.step(t, h) &&
                  set_motion(unit, {0.0, 0.3}) && unit.step(t + h, h));
      EXPECT_TRUE(unit.restore(saved));
    }
    EXPECT_TRUE(set_motion(unit, {1e-3, 0.1}));  // an iteration of the tool that is left
    unit.value("force");
    EXPECT_TRUE(set_motion(unit, path(t)));
    worst.add(force, unit.value("force"));
    EXPECT_TRUE(unit.step(t, h));
    t += h;
    carried.add(mount->advance(path(t), h), unit.value("force"));
    force = mount->peek(path(t));  // where a switch acts at this very moment: after it
  }
  EXPECT_TRUE(unit.free_state(saved));
  ahead = carried.ratio();
  return worst.ratio();
}

// Model exchange with a Runge-Kutta integrator outside, the same for both. Between steps the integrator looks at points
// it then leaves.
template <class Law>
double model_exchange(Unit& unit, Native<Law>& native, double& t) {
  constexpr int n = Law::state_count;
  using States = std::array<double, n>;
  const Path path;
  Worst worst;
  const std::size_t used = unit.state_count;
  EXPECT_LE(used, static_cast<std::size_t>(n));
  std::vector<double> x(used), rate(used);
  EXPECT_TRUE(unit.begin(false, path(0.0).u, path(0.0).v));
  EXPECT_TRUE(unit.enter_continuous_mode());
  EXPECT_TRUE(unit.get_states(x));
  const double h = 2e-5;
  const auto fmu_rate = [&](double at, const std::vector<double>& states) {
    EXPECT_TRUE(unit.set_time(at) && unit.set_states(states) && set_motion(unit, path(at)));
    EXPECT_TRUE(unit.rates(rate));
    return rate;
  };
  const auto native_rate = [&](double at, const States& states) {
    States r{};
    native.evaluate(path(at), states, r);
    return r;
  };
  const auto runge_kutta = [&](auto& y, auto&& f) {
    const auto along = [&](const auto& k, double s) {
      auto moved = y;
      for (std::size_t i = 0; i < y.size(); ++i) moved[i] += s * k[i];
      return moved;
    };
    const auto k1 = f(t, y), k2 = f(t + 0.5 * h, along(k1, 0.5 * h)), k3 = f(t + 0.5 * h, along(k2, 0.5 * h)),
               k4 = f(t + h, along(k3, h));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
  };
  for (int step = 0; step < 3000; ++step) {
    if (step % 7 == 0) fmu_rate(t + 40.0 * h, std::vector<double>(used, 1e-4));  // a step that is rejected
    runge_kutta(x, fmu_rate);
    const States before = native.x;
    runge_kutta(native.x, native_rate);
    t += h;
    const Motion<double> to = path(t);
    EXPECT_TRUE(unit.set_time(t) && unit.set_states(x) && set_motion(unit, to));
    States unused{};
    worst.add(native.evaluate(to, native.x, unused), unit.value("force"));
    EXPECT_TRUE(unit.completed_step());
    commit_step(native.law, native.memory, native.now, before.data(), to, native.x.data(), h);
    native.now = to;
    worst.add(native.evaluate(to, native.x, unused), unit.value("force"));
  }
  return worst.ratio();
}

// Derivatives of the force and of all rates by displacement, velocity, every state and every parameter, against central
// differences of the law where the run has brought it. A step of 1e-9 m against a friction scale of 1/rho = 2e-4 m:
// differences err by about 1e-8.
template <class Law>
double derivatives(Unit& unit, const Native<Law>& native, int version) {
  constexpr int n = Law::state_count;
  const auto used = static_cast<int>(unit.state_count);
  // A little further along the path: at the last accepted point the friction law has a corner.
  const double ahead = native.now.v > 0.0 ? 1e-6 : -1e-6;
  const Motion<double> at{native.now.u + ahead, native.now.v};
  EXPECT_TRUE(unit.enter_event_mode());
  EXPECT_TRUE(set_motion(unit, at));
  std::vector<unsigned> unknown = {unit["force"]}, known;
  std::vector<std::pair<unsigned, unsigned>> states;  // value references of a rate and of its state, in their order
  for (const auto& [name, vr] : unit.references)
    if (name.rfind("der(", 0) == 0) states.emplace_back(vr, unit[name.substr(4, name.size() - 5)]);
  std::sort(states.begin(), states.end());
  for (const auto& state : states) unknown.push_back(state.first);
  double worst = 0.0;
  const auto compare = [&](unsigned vr, double size, const std::function<std::array<double, n + 1>(double)>& values) {
    std::vector<double> slopes;
    EXPECT_TRUE(unit.derivative(unknown, {vr}, {1.0}, slopes));
    const auto up = values(size), down = values(-size);
    for (int i = 0; i <= used; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double expected = (up[k] - down[k]) / (2.0 * size);
      // Against the slope, and against what rounding of the values makes of a difference.
      const double scale = std::abs(expected) + 1e-8 * std::abs(up[k]) / size;
      if (scale > 0.0) worst = std::max(worst, std::abs(slopes[k] - expected) / scale);
    }
    known.push_back(vr);
  };
  const auto all = [&](const Law& law, const typename Law::Memory& memory, const Motion<double>& m,
                       const std::array<double, n>& x) {
    std::array<double, n + 1> out{};
    std::array<double, n> rate{};
    out[0] = law.evaluate(m, x.data(), memory, rate.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) out[i + 1] = rate[i];
    return out;
  };
  compare(unit["displacement"], 1e-9, [&](double d) {
    return all(native.law, native.memory, {at.u + d, at.v}, native.x);
  });
  compare(unit["velocity"], 1e-6, [&](double d) { return all(native.law, native.memory, {at.u, at.v + d}, native.x); });
  for (int i = 0; i < used; ++i) {
    compare(states[static_cast<std::size_t>(i)].second, 1e-9, [&](double d) {
      auto x = native.x;
      x[static_cast<std::size_t>(i)] += d;
      return all(native.law, native.memory, at, x);
    });
  }
  Law named = native.law;
  std::vector<std::pair<std::string, double>> list;
  named.visit_parameters([&](const char* name, double& value) { list.emplace_back(name, value); });
  for (const auto& [name, value] : list) {
    const std::string wanted = name;
    compare(unit[name], 1e-6 * std::max(std::abs(value), 1e-3), [&](double d) {
      Law law = native.law;
      law.visit_parameters([&](const char* visited, double& v) { v += visited == wanted ? d : 0.0; });
      law.complete();
      auto memory = native.memory;
      if constexpr (requires { law.retune(memory); }) law.retune(memory);
      return all(law, memory, at, native.x);
    });
  }
  if (version == 3) {  // the adjoint is the transpose
    std::vector<double> seed(unknown.size()), back, column;
    for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = 1.0 + 0.3 * static_cast<double>(i);
    EXPECT_TRUE(unit.adjoint(unknown, known, seed, back));
    for (std::size_t k = 0; k < known.size(); ++k) {
      EXPECT_TRUE(unit.derivative(unknown, {known[k]}, {1.0}, column));
      double sum = 0.0, size = 0.0;
      for (std::size_t i = 0; i < seed.size(); ++i) sum += seed[i] * column[i], size += std::abs(seed[i] * column[i]);
      EXPECT_NEAR(back[k], sum, 1e-12 * size);
    }
  }
  return worst;
}

// The FMU has the parameters of the law, neither fewer nor more.
template <class Law>
void same_parameters(const Unit& unit, Law law) {
  std::set<std::string> of_law, of_fmu(unit.parameters.begin(), unit.parameters.end());
  law.visit_parameters([&](const char* name, double&) { of_law.insert(name); });
  EXPECT_EQ(of_law, of_fmu);
}

// Every parameter, one after the other: set before initialization, the run is that of the law with that parameter.
template <class Law>
double parameters(Unit& unit, const Law& law) {
  Worst worst;
  const Path path;
  Law named = law;
  std::vector<std::pair<std::string, double>> list;
  named.visit_parameters([&](const char* name, double& value) { list.emplace_back(name, value); });
  for (const auto& [name, value] : list) {
    Law changed = law;
    const std::string wanted = name;
    EXPECT_TRUE(unit.instantiate(true, unit.token) && unit.set_boolean(unit["inputs_at_end_of_step"], true));
    double other = 0.9 * value;
    if (!unit.set(unit[name], other)) {  // below its bound: sharpness and the like
      EXPECT_EQ(unit.messages.back().rfind("parameter " + name + ": ", 0), 0U) << unit.messages.back();
      unit.messages.pop_back();
      other = 1.1 * value;
      EXPECT_TRUE(unit.set(unit[name], other)) << name;
    }
    changed.visit_parameters([&](const char* visited, double& v) { v = visited == wanted ? other : v; });
    changed.complete();
    Native<Law> native(changed, path(0.0));
    EXPECT_TRUE(unit.enter_initialization(0.0) && set_motion(unit, path(0.0)) && unit.exit_initialization());
    EXPECT_EQ(unit.value(name), other);
    const double h = 2e-3;
    for (int i = 1; i <= 60; ++i) {
      EXPECT_TRUE(set_motion(unit, path(i * h)) && unit.step((i - 1) * h, h));
      worst.add(native.advance(path(i * h), h), unit.value("force"));
    }
  }
  return worst.ratio();
}

// Half-way through a run a saved state is serialised and goes into another instance: both go on with the same digits.
void state_travels(Unit& unit, const Fmu& fmu, int version) {
  const Path path;
  EXPECT_TRUE(unit.begin(true, path(0.0).u, path(0.0).v));
  const double h = 1e-3;
  const auto run = [&](Unit& u, int from, int to) {
    std::vector<double> force;
    for (int i = from; i < to; ++i) {
      EXPECT_TRUE(set_motion(u, path((i + 1) * h)) && u.step(i * h, h));
      force.push_back(u.value("force"));
    }
    return force;
  };
  run(unit, 0, 150);
  void* saved = nullptr;
  std::vector<char> bytes;
  EXPECT_TRUE(unit.save(saved) && unit.serialise(saved, bytes));
  const auto expected = run(unit, 150, 300);
  EXPECT_TRUE(unit.restore(saved));
  EXPECT_EQ(run(unit, 150, 300), expected);
  const auto other = test::load(fmu, version);
  EXPECT_TRUE(other->begin(true, 0.0, 0.0));
  void* arrived = nullptr;
  EXPECT_TRUE(other->deserialise(bytes, arrived) && other->restore(arrived));
  EXPECT_EQ(run(*other, 150, 300), expected);
  void* broken = nullptr;
  for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 97) {  // whichever byte is damaged
    std::vector<char> damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_FALSE(other->deserialise(damaged, broken)) << i;
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{10}, bytes.size() - 8, bytes.size() - 1}) {
    EXPECT_FALSE(other->deserialise(
        std::vector<char>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)), broken));
  }
  EXPECT_EQ(broken, nullptr);
  other->messages.clear();
  EXPECT_TRUE(unit.free_state(saved) && other->free_state(arrived));
  // Reset brings the beginning back.
  EXPECT_TRUE(unit.reset() && unit.enter_initialization(0.0) && set_motion(unit, path(0.0)) &&
              unit.exit_initialization());
  const auto again = run(unit, 0, 50);
  EXPECT_TRUE(unit.begin(true, path(0.0).u, path(0.0).v));
  EXPECT_EQ(run(unit, 0, 50), again);
}

// A law that joins the registry joins these tests.
TEST(Fmu, EveryLawHasASample) {
  std::set<std::string> sampled;
  for (const auto& sample : test::sample_models()) sampled.insert(sample.model["model"].get<std::string>());
  for (const LawEntry& law : law_registry()) EXPECT_TRUE(sampled.count(law.model)) << law.model;
}

class EveryMount : public testing::TestWithParam<Sample> {};

TEST_P(EveryMount, BehavesAsItsLaw) {
  const Sample& sample = GetParam();
  const Fmu fmu = make_fmu(sample.model, "test", {.version = sample.version});
  const auto unit = test::load(fmu, sample.version);
  const double at_end = co_simulation_at_end(*unit, sample.model);
  double ahead = 0.0, exchange = 0.0, slopes = 0.0, tuned = 0.0;
  const double co = co_simulation(*unit, sample.model, ahead);
  with_law(sample.model, [&](const auto& law) {
    using Law = std::decay_t<decltype(law)>;
    same_parameters(*unit, law);
    Native<Law> native(law, Path()(0.0));
    double t = 0.0;
    exchange = model_exchange(*unit, native, t);
    slopes = derivatives(*unit, native, sample.version);
    tuned = parameters(*unit, law);
  });
  state_travels(*unit, fmu, sample.version);
  std::printf(
      "[ figure ] FMI %d %-22s co-simulation %.1e, at end %.1e, ahead %.1e  model exchange %.1e  parameters %.1e  "
      "derivatives %.1e\n",
      sample.version, sample.name.c_str(), co, at_end, ahead, exchange, tuned, slopes);
  EXPECT_LT(co, 1e-12);
  EXPECT_LT(at_end, 1e-12);
  EXPECT_LT(exchange, 1e-12);
  EXPECT_LT(tuned, 1e-12);
  EXPECT_LT(slopes, 1e-6);
  EXPECT_TRUE(unit->messages.empty()) << unit->messages.front();
}

INSTANTIATE_TEST_SUITE_P(Fmu, EveryMount, testing::ValuesIn(samples()), [](const auto& sample) {
  return sample.param.name + "_fmi" + std::to_string(sample.param.version);
});

}  // namespace
}  // namespace kdyn::inline fmu
