// SPDX-License-Identifier: Apache-2.0
// What kdyn aem writes: poles and zeros beside their rules of thumb, phase envelopes, stability, responses.
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "kdyn/app/mount/active_mount_jobs.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/laws/model_field.hpp"

namespace kdyn {

const FieldTable& fields_of(const PhaseLimits*);
const FieldTable& fields_of(const PairMargin*);

const FieldTable& fields_of(const PhaseLimits*) {
  using L = PhaseLimits;
  static constexpr auto known = [](const L& l, double value) {
    return l.stable_without_error ? std::optional(value) : std::nullopt;
  };
  static const FieldTable table = FieldTable::results<L>("phase limits", [](FieldTable& t) {
    t.add(&L::frequency_hz, "frequency_hz", "Hz", "Frequency");
    t.add(&L::step, "step", "-", "Step size");
    t.add(&L::stable_without_error, "stable_without_error", "-", "Whether it is stable with an exact estimate");
    t.add([](const L& l) { return known(l, l.plus_deg); }, "plus_deg", "deg", "Largest phase error");
    t.add([](const L& l) { return known(l, l.minus_deg); }, "minus_deg", "deg", "Smallest phase error");
  });
  return table;
}

const FieldTable& fields_of(const PairMargin*) {
  using P = PairMargin;
  static const FieldTable table = FieldTable::results<P>("pair of estimate and plant", [](FieldTable& t) {
    t.add(&P::frequency_hz, "frequency_hz", "Hz", "Frequency");
    t.add(&P::step, "step", "-", "Step size");
    t.add(&P::radius, "spectral_radius", "-", "Spectral radius of the closed loop");
    t.add([](const P& p) { return p.stable(); }, "stable", "-", "Whether it is below 1");
    t.add(&P::phase_error_deg, "phase_error_deg", "deg", "Phase of the plant against the estimate");
    t.add(&P::estimate, "estimate", "-", "State of service the estimate is of");
    t.add(&P::plant, "plant", "-", "State of service of the mount");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

// A pole or zero, with the rules of thumb beside the exact value.
struct RootShown {
  Root root;
  std::string path{}, name{};
  std::optional<double> approximate_hz{}, corrected_hz{}, approximate_re{};
};
const FieldTable& fields_of(const RootShown*) {
  using R = RootShown;
  static const FieldTable table = FieldTable::results<R>("root", [](FieldTable& t) {
    t.add(&R::path, "path", "-", "Response the zero belongs to").unless_empty();
    t.add([](const R& r) { return r.root.s.real(); }, "re", "1/s", "Real part");
    t.add([](const R& r) { return r.root.s.imag(); }, "im", "1/s", "Imaginary part; of a pair the positive one");
    t.add([](const R& r) { return r.root.frequency_hz; }, "frequency_hz", "Hz", "|s| / 2 pi");
    t.add([](const R& r) { return r.root.damping; }, "damping", "-", "Damping ratio");
    t.add(&R::name, "name", "-", "What moves: fluid, actuator, coil, relaxation").unless_empty();
    t.add(&R::approximate_hz, "approximate_hz", "Hz", "Rule of thumb").unless_null();
    t.add(&R::corrected_hz, "corrected_hz", "Hz", "Corrected rule of thumb").unless_null();
    t.add(&R::approximate_re, "approximate_re", "1/s", "Rule of thumb for the coil").unless_null();
  });
  return table;
}

std::vector<RootShown> shown_poles(const ServiceResponse& nominal) {
  std::vector<RootShown> out;
  for (std::size_t i = 0; i < nominal.poles.size(); ++i) {
    RootShown& pole = out.emplace_back(RootShown{nominal.poles[i]});
    pole.name = pole_name(nominal.poles, i, nominal.law);
    if (pole.name == "fluid") pole.approximate_hz = nominal.approximate.fluid_pole_hz;
    if (pole.name == "actuator") {
      pole.approximate_hz = nominal.approximate.actuator_pole_hz;
      pole.corrected_hz = nominal.corrected.actuator_pole_hz;
    }
    if (pole.name == "coil") pole.approximate_re = nominal.approximate.electrical_pole;
  }
  return out;
}

std::vector<RootShown> shown_zeros(const ActiveAnalysis& a) {
  std::vector<RootShown> out;
  const ServiceResponse& nominal = a.temperatures.front();
  for (const ActivePath path : active_paths) {
    // Complex pairs in descending order: the first of S_y is the one beside the actuator, the two of P_yx are those of
    // actuator and fluid.
    std::size_t pair = 0;
    for (const Root& z : a.zeros[static_cast<std::size_t>(path)]) {
      RootShown& zero = out.emplace_back(RootShown{z, to_string(path)});
      if (!(z.s.imag() > 0.0)) continue;
      if (path == ActivePath::S_y && pair == 0) {
        zero.approximate_hz = nominal.approximate.S_y_zero_hz;
        zero.corrected_hz = nominal.corrected.S_y_zero_hz;
      }
      if (path == ActivePath::P_yx)
        zero.approximate_hz = pair == 0 ? nominal.approximate.P_yx_zero_2_hz : nominal.approximate.P_yx_zero_1_hz;
      ++pair;
    }
  }
  return out;
}

struct ServiceShown {
  const ServiceResponse& of;
};
const FieldTable& fields_of(const ServiceShown*) {
  using S = ServiceShown;
  static const FieldTable table = FieldTable::results<S>("state of service", [](FieldTable& t) {
    t.add([](const S& s) { return s.of.name; }, "name", "-", "Name");
    t.add(
        [](const S& s) {
          std::vector<RootShown> out;
          for (const Root& r : s.of.poles) out.push_back({r});
          return out;
        },
        "poles", "-", "Poles");
    t.add([](const S& s) { return s.of.approximate.actuator_pole_hz; }, "actuator_pole_approximate_hz", "Hz",
          "Rule of thumb");
    t.add([](const S& s) { return s.of.corrected.actuator_pole_hz; }, "actuator_pole_corrected_hz", "Hz",
          "Corrected rule of thumb");
  });
  return table;
}

struct VariationsShown {
  const ActiveAnalysis& of;
};
const FieldTable& fields_of(const VariationsShown*) {
  using V = VariationsShown;
  static constexpr auto shown = [](const std::vector<ServiceResponse>& list) {
    std::vector<ServiceShown> out;
    for (const ServiceResponse& s : list) out.push_back({s});
    return out;
  };
  static const FieldTable table = FieldTable::results<V>("variations", [](FieldTable& t) {
    t.add([](const V& v) { return v.of.variation_source; }, "source", "-",
          "Whose variations they are: model, published or none");
    t.add([](const V& v) { return shown(v.of.temperatures); }, "temperature", "-", "Over temperature, nominal first");
    t.add([](const V& v) { return shown(v.of.preloads); }, "preload", "-", "Over preload, nominal first");
  });
  return table;
}

struct EnvelopeShown {
  const PhaseEnvelope* of = nullptr;
};
const FieldTable& fields_of(const EnvelopeShown*) {
  using E = EnvelopeShown;
  static const FieldTable table = FieldTable::results<E>("phase envelope", [](FieldTable& t) {
    t.add([](const E& e) { return e.of->max_deg; }, "max_deg", "deg", "Width at its widest place");
    t.add([](const E& e) { return e.of->at_hz; }, "at_hz", "Hz", "Where that is");
    t.add([](const E& e) { return e.of->max_deviation_deg; }, "max_deviation_deg", "deg",
          "Largest distance from nominal");
    t.add(
        [](const E& e) -> const auto& { return e.of->frequency_hz; }, "frequency_hz", "Hz", "Frequencies");
    t.add(
        [](const E& e) -> const auto& { return e.of->lower_deg; }, "lower_deg", "deg", "Lower limit");
    t.add(
        [](const E& e) -> const auto& { return e.of->upper_deg; }, "upper_deg", "deg", "Upper limit");
  });
  return table;
}

struct RuleShown {
  std::string meaning;
  std::size_t variants = 0;
  std::optional<EnvelopeShown> S_x, S_y;
};
const FieldTable& fields_of(const RuleShown*) {
  using R = RuleShown;
  static const FieldTable table = FieldTable::results<R>("combination rule", [](FieldTable& t) {
    t.add(&R::meaning, "meaning", "-", "What is combined");
    t.add(&R::variants, "variants", "-", "How many mounts that makes");
    t.add([](const R& r) { return r.S_x; }, "S_x", "-", "Of the path to the engine side").unless_null();
    t.add([](const R& r) { return r.S_y; }, "S_y", "-", "Of the path to the chassis side").unless_null();
  });
  return table;
}

std::vector<std::pair<std::string, RuleShown>> shown_rules(const ActiveAnalysis& a) {
  std::vector<std::pair<std::string, RuleShown>> out;
  for (const PhaseEnvelope& e : a.envelopes) {
    if (out.empty() || out.back().first != to_string(e.rule))
      out.emplace_back(to_string(e.rule), RuleShown{meaning_of(e.rule), e.variants, {}, {}});
    (e.path == ActivePath::S_x ? out.back().second.S_x : out.back().second.S_y) = EnvelopeShown{&e};
  }
  return out;
}

struct LargestStep {
  const ActiveAnalysis& of;
};
const FieldTable& fields_of(const LargestStep*) {
  using L = LargestStep;
  static const FieldTable table = FieldTable::results<L>("largest step", [](FieldTable& t) {
    t.add(
        [](const L& l) -> const auto& { return l.of.stability_frequencies_hz; }, "frequency_hz", "Hz", "Frequencies");
    t.add(
        [](const L& l) -> const auto& { return l.of.largest_steps; }, "step", "-",
        "Largest stable step with an exact estimate");
  });
  return table;
}

struct ControlRun {
  const AemOutput& of;
};
const FieldTable& fields_of(const ControlRun*) {
  using C = ControlRun;
  static const FieldTable table = FieldTable::results<C>("control run", [](FieldTable& t) {
    t.add([](const C& c) { return c.of.analysis.control.status; }, "status", "-", "done, diverged or stopped");
    t.add([](const C& c) { return c.of.analysis.control.reason; }, "reason", "-", "Why");
    t.add([](const C& c) { return c.of.job.analysis.plant.empty() ? std::string("nominal") : c.of.job.analysis.plant; },
          "plant", "-", "State of service of the mount");
    t.add([](const C& c) { return c.of.analysis.control.attenuation_db; }, "attenuation_db", "dB",
          "Error with control over error without");
    t.add([](const C& c) { return c.of.analysis.control.largest_voltage; }, "largest_voltage", "V", "Largest voltage");
  });
  return table;
}

struct StabilityShown {
  const AemOutput& of;
};
const FieldTable& fields_of(const StabilityShown*) {
  using S = StabilityShown;
  static const FieldTable table = FieldTable::results<S>("stability", [](FieldTable& t) {
    t.add([](const S& s) { return s.of.job.analysis.error_signal; }, "error_signal", "-", "Path that is controlled")
        .one_of({"S_x", "S_y"});
    t.add([](const S& s) { return s.of.job.analysis.control.sample_rate_hz; }, "sample_rate_hz", "Hz",
          "Sampling rate of the controller");
    t.add([](const S&) { return "spectral radius of the closed loop with rotating weight below 1; step is mu |S|^2"; },
          "criterion", "-", "What stable means");
    t.add(
        [](const S& s) -> const auto& { return s.of.analysis.limits; }, "limits", "-",
        "Phase errors the nominal mount stands");
    t.add([](const S& s) { return LargestStep{s.of.analysis}; }, "largest_step", "-", "Largest stable steps");
    t.add(
        [](const S& s) -> const auto& { return s.of.analysis.pairs; }, "worst_pairs", "-",
        "Worst pairs of estimate and mount in service");
    t.add([](const S& s) { return ControlRun{s.of}; }, "control_run", "-", "A run of the controller");
  });
  return table;
}

struct ComplexLists {
  std::vector<double> re, im;
};
const FieldTable& fields_of(const ComplexLists*) {
  static const FieldTable table = FieldTable::results<ComplexLists>("complex values", [](FieldTable& t) {
    t.add(&ComplexLists::re, "re", "-", "Real parts");
    t.add(&ComplexLists::im, "im", "-", "Imaginary parts");
  });
  return table;
}
struct TransferUnits {};
const FieldTable& fields_of(const TransferUnits*) {
  using U = TransferUnits;
  static const FieldTable table = FieldTable::results<U>("units of responses", [](FieldTable& t) {
    t.add([](const U&) { return "N/m"; }, "P", "-", "Of P_xx and P_yx");
    t.add([](const U&) { return "N/V"; }, "S", "-", "Of S_x and S_y");
  });
  return table;
}
struct TransferShown {
  std::vector<double> frequency_hz;
  std::array<ComplexLists, active_paths.size()> paths;
};
const FieldTable& fields_of(const TransferShown*) {
  using T = TransferShown;
  static const FieldTable table = FieldTable::results<T>("responses", [](FieldTable& t) {
    t.add(&T::frequency_hz, "frequency_hz", "Hz", "Frequencies");
    for (const ActivePath path : active_paths)
      t.add([path](const T& r) -> const ComplexLists& { return r.paths[static_cast<std::size_t>(path)]; },
            to_string(path), "as units says", "Frequency response");
    t.add([](const T&) { return TransferUnits(); }, "units", "-", "Units");
  });
  return table;
}

TransferShown shown_transfer(const ActiveMount<double>& law) {
  TransferShown out;
  for (int i = 0; i <= 160; ++i) {
    const double f = std::pow(400.0, i / 160.0);
    out.frequency_hz.push_back(f);
    const auto all = active_responses(law, f);
    for (std::size_t p = 0; p < active_paths.size(); ++p) {
      out.paths[p].re.push_back(all[p].re);
      out.paths[p].im.push_back(all[p].im);
    }
  }
  return out;
}

NamedStateSpace shown_state_space(const ActiveMount<double>& law) {
  const ActiveStateSpace s = state_space_of(law);
  return {{"xA", "vA", "xK", "vK", "i", "zB", "zT"}, {"xT", "vT", "U"}, {"fx", "fy"}, s.A, s.B, s.C, s.D};
}

ModelObject model_file(const ActiveMountModel& model) {
  ModelObject out;
  active_mount_to_json(model, out.json);
  return out;
}

}  // namespace

const FieldTable& fields_of(const AemOutput*) {
  using O = AemOutput;
  static const FieldTable table = FieldTable::results<O>("aem result", [](FieldTable& t) {
    t.add([](const O& o) { return o.analysis.status; }, "status", "-", "done or stopped");
    t.add([](const O& o) { return o.analysis.reason; }, "reason", "-", "Why");
    t.add([](const O& o) { return model_file(o.model); }, "model", "-", "The model, as a model file");
    t.add([](const O& o) { return shown_poles(o.analysis.temperatures.front()); }, "poles", "-",
          "Poles of the nominal mount");
    t.add([](const O& o) { return shown_zeros(o.analysis); }, "zeros", "-", "Zeros of the four responses");
    t.add([](const O& o) { return VariationsShown{o.analysis}; }, "variations", "-", "The mount in service");
    t.add([](const O& o) { return shown_rules(o.analysis); }, "phase_envelope", "-",
          "Phase of the secondary path in service, by rule of combination");
    t.add([](const O& o) { return StabilityShown{o}; }, "stability", "-", "Stability of FxLMS control");
    t.add([](const O& o) { return shown_transfer(o.model.law); }, "transfer", "-",
          "Frequency responses of the nominal mount");
    t.add([](const O& o) { return shown_state_space(o.model.law); }, "state_space", "-",
          "The nominal mount in continuous time");
    t.add(
        [](const O& o) -> const auto& { return o.analysis.findings; }, "findings", "-",
        "What was noticed, and what to do");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

}  // namespace kdyn::app
