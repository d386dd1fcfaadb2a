// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/fmu_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/internal/fmu_unit.hpp"

namespace kdyn::mbs {
namespace {

thread_local bool runs_foreign_code = false;

using internal::FmuUnit;

// One loaded FMU for a law and all its copies: what a copy went through lies in its memory alone.
struct Loaded {
  Loaded(const std::string& path, const std::string& where) : unit(path, where) {}
  FmuUnit unit;
  std::mutex mutex;
  unsigned u = 0, v = 0, f = 0;
  std::vector<std::pair<unsigned, double>> parameters;
};

struct FmuMemory {
  std::shared_ptr<Loaded> loaded;  // outlives the state
  std::shared_ptr<const FmuUnit::State> state;
  double t = 0.0;
  std::vector<double> x0;                // states at the start; the law's own count from there
  std::vector<double> rate, indicators;  // there
};

[[noreturn]] void no_gradient() {
  throw_bad_input("bushings", "an FMU tells no derivatives of whole runs",
                  "gradients and identification need a law of kdyn in its place");
}

class FmuLaw final : public AxisLaw {
 public:
  FmuLaw(std::shared_ptr<Loaded> loaded, Json given) : loaded_(std::move(loaded)), given_(std::move(given)) {}

  std::unique_ptr<AxisLaw> clone() const override { return std::make_unique<FmuLaw>(*this); }
  std::string model() const override { return "fmu"; }
  void to_json(Json& out) const override { out = given_; }
  int state_count() const override { return static_cast<int>(loaded_->unit.states()); }
  bool has_memory() const override { return true; }
  const std::vector<std::string>& parameter_names() const override {
    static const std::vector<std::string> none;
    return none;
  }
  double parameter(std::size_t) const override { return std::numeric_limits<double>::quiet_NaN(); }
  void set_parameter(std::size_t, double) override { no_gradient(); }

  Memory start(double u) const override {
    const std::lock_guard lock(loaded_->mutex);
    return begin(u);
  }
  double static_force(double u, double* slope) const override {
    const std::lock_guard lock(loaded_->mutex);
    const auto at = [&](double place) {
      begin(place);
      return loaded_->unit.get(loaded_->f);
    };
    const double d = 1e-6 * std::max(1e-3, std::abs(u));
    if (slope != nullptr) *slope = (at(u + d) - at(u - d)) / (2.0 * d);
    return at(u);
  }
  std::optional<double> stored_energy(double, const double*, const Memory&) const override { return std::nullopt; }

  double force(const Step& step, double* rate) const override {
    const std::lock_guard lock(loaded_->mutex);
    const std::vector<double> x = go_to(step);
    loaded_->unit.rates(rate);
    return loaded_->unit.get(loaded_->f);
  }
  Memory commit(const Step& step) const override {
    const std::lock_guard lock(loaded_->mutex);
    const auto& from = memory_of(*step.memory);
    go_to(step);
    const double t = from.t + step.h;
    loaded_->unit.completed_step(t, false);
    return remember(t, from.x0);
  }
  void tangent(const Step& step, Tangent& out) const override {
    const std::lock_guard lock(loaded_->mutex);
    FmuUnit& unit = loaded_->unit;
    const std::size_t n = unit.states();
    std::vector<double> x = go_to(step);
    out.rate.resize(n), out.rate_u.resize(n), out.rate_v.resize(n), out.f_w.resize(n), out.rate_w.resize(n * n);
    unit.rates(out.rate.data());
    out.f = unit.get(loaded_->f);
    std::vector<double> column;
    const auto by = [&](unsigned reference, double value, double size, const std::function<void(double)>& change) {
      if (unit.has_derivatives()) {
        unit.derivative(loaded_->f, reference, column);
        return;
      }
      // Central differences of a force that is smooth between events.
      const double d = 1e-6 * std::max(size, std::abs(value));
      column.assign(1 + n, 0.0);
      std::vector<double> rate(n);
      for (const double sign : {1.0, -1.0}) {
        change(value + sign * d);
        unit.rates(rate.data());
        column[0] += sign * unit.get(loaded_->f) / (2.0 * d);
        for (std::size_t i = 0; i < n; ++i) column[1 + i] += sign * rate[i] / (2.0 * d);
      }
      change(value);
    };
    by(loaded_->u, step.to.u, 1e-4, [&](double value) { unit.set(loaded_->u, value); });
    out.f_u = column[0], std::copy(column.begin() + 1, column.end(), out.rate_u.begin());
    by(loaded_->v, step.to.v, 1e-3, [&](double value) { unit.set(loaded_->v, value); });
    out.f_v = column[0], std::copy(column.begin() + 1, column.end(), out.rate_v.begin());
    for (std::size_t k = 0; k < n; ++k) {
      by(unit.state_reference(k), x[k], 1e-6, [&](double value) {
        x[k] = value;
        unit.set_states(x.data());
      });
      out.f_w[k] = column[0];
      for (std::size_t i = 0; i < n; ++i) out.rate_w[i * n + k] = column[1 + i];
    }
  }

  void pull_back(const Step&, const Outputs&, const std::vector<int>&, Inputs&) const override { no_gradient(); }
  void push_forward(const Step&, const Inputs&, const std::vector<int>&, Outputs&) const override { no_gradient(); }
  void pull_back_start(const Motion<double>&, const Outputs&, const std::vector<int>&, Inputs&) const override {
    no_gradient();
  }
  void push_forward_start(const Motion<double>&, const Inputs&, const std::vector<int>&, Outputs&) const override {
    no_gradient();
  }
  double static_force_by_parameter(double, int) const override { no_gradient(); }
  std::size_t memory_size(const Memory&) const override { return 0; }

  // Time, states at the start, and the bytes of the FMU, six to a number.
  void memory_image(const Memory& memory, std::vector<double>& out) const override {
    const std::lock_guard lock(loaded_->mutex);
    const FmuMemory& m = memory_of(memory);
    const std::vector<char> bytes = loaded_->unit.bytes_of(*m.state);
    out.push_back(m.t);
    out.insert(out.end(), m.x0.begin(), m.x0.end());
    out.push_back(static_cast<double>(bytes.size()));
    for (std::size_t i = 0; i < bytes.size(); i += 6) {
      std::uint64_t six = 0;
      std::memcpy(&six, bytes.data() + i, std::min<std::size_t>(6, bytes.size() - i));
      out.push_back(static_cast<double>(six));
    }
  }
  bool memory_of_image(const std::vector<double>& image, Memory& memory) const override {
    const std::size_t n = loaded_->unit.states();
    if (image.size() < n + 2 || !(image[n + 1] >= 1.0) || image[n + 1] > 6.0 * static_cast<double>(image.size()))
      return false;
    std::vector<char> bytes(static_cast<std::size_t>(image[n + 1]));
    if (image.size() != n + 2 + (bytes.size() + 5) / 6) return false;
    for (std::size_t i = 0; i < bytes.size(); i += 6) {
      const double number = image[n + 2 + i / 6];
      if (!(number >= 0.0 && number < 281474976710656.0)) return false;
      const auto six = static_cast<std::uint64_t>(number);
      std::memcpy(bytes.data() + i, &six, std::min<std::size_t>(6, bytes.size() - i));
    }
    const std::lock_guard lock(loaded_->mutex);
    loaded_->unit.restore(*loaded_->unit.state_of(bytes));
    memory = remember(image[0], {image.begin() + 1, image.begin() + 1 + static_cast<std::ptrdiff_t>(n)});
    return true;
  }

 private:
  static const FmuMemory& memory_of(const Memory& memory) { return *static_cast<const FmuMemory*>(memory.get()); }

  Memory begin(double u) const {
    FmuUnit& unit = loaded_->unit;
    unit.begin([&] {
      for (const auto& [reference, value] : loaded_->parameters) unit.set(reference, value);
      unit.set(loaded_->u, u);
      unit.set(loaded_->v, 0.0);
    });
    std::vector<double> x0(unit.states());
    unit.states_now(x0.data());
    return remember(0.0, std::move(x0));
  }
  Memory remember(double t, std::vector<double> x0) const {
    FmuUnit& unit = loaded_->unit;
    std::vector<double> rate(unit.states());
    unit.rates(rate.data());
    return std::make_shared<const FmuMemory>(
        FmuMemory{loaded_, unit.save(), t, std::move(x0), std::move(rate), unit.indicators()});
  }
  // The FMU at the end of a step that is tried; gives its states there. Where an event indicator changes its sign inside
  // the step (friction that turns round, a stop that is met), the FMU is taken there first. Displacement is cubic between
  // both ends [element E2], and so are the states.
  std::vector<double> go_to(const Step& step) const {
    FmuUnit& unit = loaded_->unit;
    const FmuMemory& from = memory_of(*step.memory);
    const std::size_t n = from.x0.size();
    unit.restore(*from.state);
    std::vector<double> begin(n), end(n), x(n), rate(n);
    for (std::size_t i = 0; i < n; ++i) {
      end[i] = from.x0[i] + (step.w_to == nullptr ? 0.0 : step.w_to[i]);
      begin[i] = step.w_from == nullptr ? end[i] : from.x0[i] + step.w_from[i];
    }
    const auto place = [&](double share, const Motion<double>& motion, const std::vector<double>& states) {
      unit.set_time(from.t + share * step.h);
      unit.set(loaded_->u, motion.u);
      unit.set(loaded_->v, motion.v);
      unit.set_states(states.data());
    };
    place(1.0, step.to, end);
    if (!(step.h > 0.0) || from.indicators.empty()) return end;
    const StepVelocity<double> path(step.from, step.to, step.h);
    unit.rates(rate.data());
    const auto inside = [&](double s) {
      for (std::size_t i = 0; i < n; ++i) {
        const double up = end[i] - begin[i], a = step.h * from.rate[i] - up, b = up - step.h * rate[i];
        x[i] = begin[i] + s * up + s * (1.0 - s) * ((1.0 - s) * a + s * b);
      }
      place(s, {step.from.u + step.h * path.travelled(s), path.c0 + s * (path.c1 + s * path.c2)}, x);
    };
    std::vector<double> before = from.indicators, after = unit.indicators();
    double reached = 0.0;
    constexpr int most_events = 8;
    for (int event = 0; event < most_events; ++event) {
      double first = 2.0;
      for (std::size_t i = 0; i < after.size(); ++i)
        if (before[i] * after[i] < 0.0)
          first = std::min(first, crossing(reached, before[i], after[i], first, [&](double s) {
                             inside(s);
                             return unit.indicators()[i];
                           }));
      if (first > 1.0) break;
      inside(first);
      unit.completed_step(from.t + first * step.h, true);
      // Just behind it, on the other side.
      reached = first + 1e-9 * (1.0 - first);
      inside(reached);
      before = unit.indicators();
      place(1.0, step.to, end);
      after = unit.indicators();
    }
    place(1.0, step.to, end);
    return end;
  }
  // Where f, of different signs at `from` and 1, is zero; nothing beyond `limit` is of interest.
  template <class F>
  static double crossing(double from, double f_from, double f_to, double limit, F&& f) {
    double a = from, b = 1.0, fa = f_from, fb = f_to;
    // Regula falsi that halves what stays (Illinois), to the last digits.
    for (int round = 0; round < 100 && b - a > 1e-14; ++round) {
      const double middle = std::clamp((a * fb - b * fa) / (fb - fa), a, b), at = f(middle);
      if (at == 0.0) return middle;
      if ((at > 0.0) == (fa > 0.0)) {
        a = middle, fa = at, fb *= 0.5;
      } else {
        b = middle, fb = at, fa *= 0.5;
      }
      if (a > limit) break;
      if (std::abs(at) < 1e-15 * (std::abs(f_from) + std::abs(f_to))) return middle;
    }
    return 0.5 * (a + b);
  }

  std::shared_ptr<Loaded> loaded_;
  Json given_;
};

}  // namespace

RunsForeignCode::RunsForeignCode(bool allowed) : before_(runs_foreign_code) { runs_foreign_code = allowed; }
RunsForeignCode::~RunsForeignCode() { runs_foreign_code = before_; }

void demand_foreign_code(const std::string& path, const std::string& where) {
  if (!runs_foreign_code)
    throw_bad_input(where, fmt::format("{} is a program; it would run with all your rights", in_quotes(path)),
                    "give --allow-fmu when you trust its author");
}

bool is_fmu_law(const Json& in) { return in.is_object() && in.contains("model") && in["model"] == "fmu"; }

std::unique_ptr<AxisLaw> fmu_law_from_json(const Json& in, const std::string& where, const std::string& folder,
                                           std::vector<std::string>& files) {
  const std::vector<std::string> keys = {"model", "file", "displacement", "velocity", "force", "parameters", "comment"};
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {}", in_quotes(key)), suggest(key, keys));
  const auto text = [&](const char* key, const char* otherwise) {
    if (!in.contains(key)) return std::string(otherwise);
    if (!in[key].is_string()) throw_bad_input(where + "." + key, "this must be text", "put it in quotes");
    return in[key].get<std::string>();
  };
  const std::string file = text("file", "");
  if (file.empty()) throw_bad_input(where + ".file", "the FMU is not named", R"(write "file": "damper.fmu")");
  const std::string path = (std::filesystem::path(folder) / file).string();
  demand_foreign_code(path, where + ".file");
  auto loaded = std::make_shared<Loaded>(path, where);
  if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
  const auto& variables = loaded->unit.variables();
  std::vector<std::string> known;
  for (const auto& [name, variable] : variables)
    if (variable.real) known.push_back(name);
  const auto find = [&](const std::string& name, const std::string& at, const char* causality) {
    const auto found = variables.find(name);
    if (found == variables.end() || !found->second.real)
      throw_bad_input(at, fmt::format("the FMU has no real variable {}", in_quotes(name)), suggest(name, known));
    if (found->second.causality != causality)
      throw_bad_input(
          at, fmt::format("{} is no {} of the FMU, it is {}", in_quotes(name), causality, found->second.causality),
          "name the variable that is meant");
    return found->second;
  };
  // What a unit that is told has to be: numbers of another one would be taken as they are.
  const auto in_unit = [&](const char* key, const char* otherwise, const char* causality,
                           const std::vector<std::string>& units) {
    const std::string name = text(key, otherwise), at = where + "." + key;
    const FmuUnit::Variable v = find(name, at, causality);
    if (!v.unit.empty() && std::find(units.begin(), units.end(), v.unit) == units.end())
      throw_bad_input(at,
                      fmt::format("{} of the FMU is in {}, not in {}", in_quotes(name), v.unit, join(units, " or ")),
                      "export the FMU in SI units");
    return v.reference;
  };
  loaded->u = in_unit("displacement", "displacement", "input", {"m", "rad"});
  loaded->v = in_unit("velocity", "velocity", "input", {"m/s", "rad/s"});
  loaded->f = in_unit("force", "force", "output", {"N", "N*m", "N.m"});
  if (in.contains("parameters")) {
    if (!in["parameters"].is_object())
      throw_bad_input(where + ".parameters", "this must be numbers by name", R"(write {"stiffness": 3e5})");
    for (const auto& [name, value] : in["parameters"].items()) {
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        throw_bad_input(where + ".parameters." + name, "this must be a finite number", "give it in the FMU's unit");
      loaded->parameters.emplace_back(find(name, where + ".parameters." + name, "parameter").reference, value);
    }
  }
  auto law = std::make_unique<FmuLaw>(std::move(loaded), in);
  law->static_force(0.0, nullptr);  // parameters out of their range are told here
  return law;
}

}  // namespace kdyn::mbs
