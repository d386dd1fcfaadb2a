// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline activemount {
namespace {

using C = std::complex<double>;
using Law = ActiveMount<double>;

std::vector<double> even_grid(double lower, double upper, double step, const char* field) {
  if (!(upper > lower))
    throw_bad_input("frequency_upper_hz",
                    fmt::format("{:g} Hz is not above frequency_lower_hz = {:g} Hz", upper, lower),
                    "give a rising range");
  const double count = std::floor((upper - lower) / step + 1e-9) + 1.0;
  if (count > 20000.0)
    throw_bad_input(field, fmt::format("the grid has {:.3g} frequencies, the limit is 20000", count), "raise the step");
  std::vector<double> grid;
  for (int i = 0; i < static_cast<int>(count); ++i) grid.push_back(lower + i * step);
  return grid;
}

ServiceResponse service(const Law& nominal, const Variation& v) {
  const Law law = varied(nominal, v);
  return {v.name, law, poles_of(law), approximate_roots(law), corrected_roots(law)};
}

VariationSets chosen_variations(const ActiveMountModel& model, const AnalysisOptions& options, ActiveAnalysis& out) {
  const bool own = model.variations.has_value();
  if (options.variations == VariationSource::model && !own)
    throw_bad_input("variations", "the model file has no \"variations\"",
                    "add them to the model, or use published or none");
  if (options.variations == VariationSource::none) {
    out.variation_source = "none";
    return {{{"nominal", {}}}, {{"nominal", {}}}};
  }
  if (own && options.variations != VariationSource::published) {
    out.variation_source = "model";
    return *model.variations;
  }
  out.variation_source = "published";
  if (options.variations == VariationSource::automatic)
    out.findings.push_back(
        {Severity::note, "published_variations", "variations",
         "the model file does not say how temperature and preload change the mount: ratios of the published mount "
         "(Hausberg 2015) "
         "are taken",
         "add \"variations\" to the model file when this mount was measured at other temperatures or preloads"});
  return published_variations();
}

// Every ordered pair of estimate and plant among the products of temperature and preload.
std::vector<PairMargin> worst_pairs(const Law& nominal, const VariationSets& sets, ActivePath path, double rate,
                                    const std::vector<double>& frequencies, const std::vector<double>& steps) {
  std::vector<SampledPath> mounts;
  std::vector<std::string> names;
  for (const Variation& t : sets.temperature)
    for (const Variation& p : sets.preload) {
      mounts.push_back(sample_path(varied(varied(nominal, t), p), path, rate));
      names.push_back(t.name + ", " + p.name);
    }
  std::vector<PairMargin> worst;
  for (const double f : frequencies) {
    std::vector<C> S;
    for (const SampledPath& m : mounts) S.push_back(m.response(f));
    for (const double step : steps) {
      PairMargin margin;
      margin.frequency_hz = f;
      margin.step = step;
      for (std::size_t e = 0; e < mounts.size(); ++e)
        for (std::size_t p = 0; p < mounts.size(); ++p) {
          const double radius = loop_radius(mounts[p], f, step / std::norm(S[e]), S[e]);
          if (radius <= margin.radius) continue;
          margin.radius = radius;
          margin.phase_error_deg = std::arg(S[e] / S[p]) * 180.0 / std::numbers::pi;
          margin.estimate = names[e];
          margin.plant = names[p];
        }
      worst.push_back(std::move(margin));
    }
  }
  return worst;
}

// The last fifth of the analysis is the control run.
class LastFifth final : public Progress {
 public:
  explicit LastFifth(Progress& whole) : whole_(whole) {}
  void report(double fraction, std::string_view what) override { whole_.report(0.8 + 0.2 * fraction, what); }
  bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Progress& whole_;
};

Law plant_named(const Law& nominal, const VariationSets& sets, const std::string& name) {
  if (name.empty()) return nominal;
  std::vector<std::string> known;
  for (const auto* list : {&sets.temperature, &sets.preload})
    for (const Variation& v : *list) {
      if (v.name == name) return varied(nominal, v);
      known.push_back(v.name);
    }
  throw_bad_input("plant", fmt::format("there is no state of service {}", in_quotes(name)), suggest(name, known));
}

}  // namespace

const FieldTable& fields_of(const AnalysisOptions*) {
  using O = AnalysisOptions;
  static const FieldTable table = FieldTable::of<O>("aem", [](FieldTable& t) {
    t.add(&O::error_signal, "error_signal", "-",
          "What the controller measures: force on the engine side (S_x) or on the chassis (S_y)")
        .one_of({"S_x", "S_y"});
    t.add(&O::frequency_lower_hz, "frequency_lower_hz", "Hz", "Envelopes and stability: lowest frequency").above(0.0);
    t.add(&O::frequency_upper_hz, "frequency_upper_hz", "Hz", "Envelopes and stability: highest frequency").above(0.0);
    t.add(&O::frequency_step_hz, "frequency_step_hz", "Hz", "Envelopes: step of the grid").above(0.0);
    t.add(&O::variations, "variations", "-",
          "How service changes the mount: the model's own ratios, those of the published mount, or not at all")
        .one_of({"automatic", "model", "published", "none"});
    t.add(&O::steps, "steps", "-", "Stability: normalised steps mu |S|^2 of the adaptation").above(0.0);
    t.add(&O::stability_step_hz, "stability_step_hz", "Hz", "Stability: step of the frequency grid").above(0.0);
    t.add(&O::voltages, "voltages", "V", "Nonlinear response: voltage amplitudes").above(0.0);
    t.add(&O::plant, "plant", "-",
          "Control run: state of service of the mount, e.g. \"65 C\"; the estimate stays nominal");
    t.include(&O::control, field_table<FxlmsOptions>());
  });
  return table;
}

std::string pole_name(const std::vector<Root>& poles, std::size_t index, const Law& law) {
  std::size_t first = poles.size(), last = poles.size(), coil = poles.size();
  for (std::size_t i = 0; i < poles.size(); ++i)
    if (poles[i].s.imag() > 0.0) {
      if (first == poles.size()) first = i;
      last = i;
    } else if (coil == poles.size() ||
               std::abs(poles[i].s.real() + law.R / law.L) < std::abs(poles[coil].s.real() + law.R / law.L)) {
      coil = i;
    }
  if (index == coil) return "coil";
  if (index == last) return "fluid";
  if (index == first) return "actuator";
  return "relaxation";
}

ActiveAnalysis analyse(const ActiveMountModel& model, const AnalysisOptions& options, Progress& progress) {
  ActiveAnalysis out;
  out.status = "done";
  const Law& law = model.law;
  constexpr std::size_t most_steps = 50,
                        most_voltages = 50;  // curves that a person can tell apart, and minutes of work
  if (options.steps.size() > most_steps || options.voltages.size() > most_voltages)
    throw_bad_input(options.steps.size() > most_steps ? "steps" : "voltages",
                    fmt::format("{} are given, {} is the most", std::max(options.steps.size(), options.voltages.size()),
                                most_steps),
                    "choose those that matter");
  const VariationSets sets = chosen_variations(model, options, out);
  const std::vector<double> grid =
      even_grid(options.frequency_lower_hz, options.frequency_upper_hz, options.frequency_step_hz, "frequency_step_hz");
  out.stability_frequencies_hz =
      even_grid(options.frequency_lower_hz, options.frequency_upper_hz, options.stability_step_hz, "stability_step_hz");
  const Law plant = plant_named(law, sets, options.plant);
  const ActivePath path = options.error_signal == ErrorSignal::S_x ? ActivePath::S_x : ActivePath::S_y;
  const double rate = options.control.sample_rate_hz;
  if (options.frequency_upper_hz >= 0.5 * rate)
    throw_bad_input(
        "frequency_upper_hz",
        fmt::format("{:g} Hz is not below half the sampling rate, {:g} Hz", options.frequency_upper_hz, 0.5 * rate),
        "raise sample_rate_hz");

  out.poles = poles_of(law);
  for (const ActivePath p : active_paths) out.zeros.push_back(zeros_of(law, p));
  for (const Variation& v : sets.temperature) out.temperatures.push_back(service(law, v));
  for (const Variation& v : sets.preload) out.preloads.push_back(service(law, v));
  if (!out.temperatures.front().corrected.converged)
    out.findings.push_back({Severity::note, "rule_not_converged", "corrected_roots",
                            "the corrected rule for the actuator's resonance did not settle",
                            "rely on the exact poles"});

  for (const double U : options.voltages) {
    VoltageResponse v{U, {}, {}};
    for (int i = 0; i <= 120; ++i) {
      v.frequency_hz.push_back(std::pow(10.0, std::log10(400.0) * i / 120.0));
      v.states.push_back(
          steady_state_of(law, model.actuator_table, {.frequency_hz = v.frequency_hz.back(), .voltage = U}));
    }
    const auto several =
        std::count_if(v.states.begin(), v.states.end(), [](const ActiveSteadyState& s) { return s.solutions > 1; });
    if (several > 0)
      out.findings.push_back(
          {Severity::warning, "several_amplitudes", "actuator_table",
           fmt::format(
               "at {:g} V the diaphragm has more than one steady amplitude at {} frequencies; the smallest is shown", U,
               several),
           "expect jumps when the voltage changes"});
    out.voltages.push_back(std::move(v));
  }

  const auto stopped = [&](double fraction, const char* what) {
    progress.report(fraction, what);
    if (!progress.stop_requested()) return false;
    out.status = "stopped";
    out.reason = fmt::format("stopped before: {}", what);
    return true;
  };
  if (out.variation_source != "none")
    for (std::size_t r = 0; r < combination_rule_names.size(); ++r) {
      if (stopped(0.05 + 0.05 * static_cast<double>(r), "phase envelopes")) return out;
      for (PhaseEnvelope& e : phase_envelopes(law, sets, static_cast<CombinationRule>(r), grid))
        out.envelopes.push_back(std::move(e));
    }
  const SampledPath sampled = sample_path(law, path, rate);
  for (std::size_t i = 0; i < out.stability_frequencies_hz.size(); ++i) {
    if (stopped(0.4 + 0.2 * static_cast<double>(i) / static_cast<double>(out.stability_frequencies_hz.size()),
                "stability limits"))
      return out;
    const double f = out.stability_frequencies_hz[i];
    for (const double step : options.steps) out.limits.push_back(phase_limits(sampled, f, step));
    out.largest_steps.push_back(largest_step(sampled, f));
  }
  if (stopped(0.6, "pairs of estimate and plant")) return out;
  out.pairs = worst_pairs(law, sets, path, rate, out.stability_frequencies_hz, options.steps);
  if (stopped(0.8, "control run")) return out;
  LastFifth last(progress);
  out.control = run_fxlms(plant, law, path, options.control, last);
  if (out.control.status == "stopped") {
    out.status = "stopped";
    out.reason = out.control.reason;
  } else if (out.control.status == "diverged") {
    out.findings.push_back({Severity::warning, "control_diverged", "control run", out.control.reason,
                            "lower step, or use an estimate that fits the mount's temperature"});
  }
  return out;
}

}  // namespace kdyn::inline activemount
