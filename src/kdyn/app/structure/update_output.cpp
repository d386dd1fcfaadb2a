// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/structure/update_output.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/update/result_fields.hpp"

namespace kdyn::app {
namespace {

using update::FullModel;
using update::Gate;
using update::Metrics;
using update::PartResult;

// A parameter with what the calibration knows beside its estimate.
struct CalibratedParameter {
  const ParameterEstimate& of;
  std::optional<double> nominal, ratio;
  std::optional<std::string> group;
  std::optional<bool> identifiable;
};
const FieldTable& fields_of(const CalibratedParameter*) {
  using P = CalibratedParameter;
  static const FieldTable table = FieldTable::results<P>("calibrated parameter", [](FieldTable& t) {
    t.add([](const P& p) { return p.of.value; }, "value", "as unit says", "Value");
    t.add([](const P& p) { return p.of.unit; }, "unit", "-", "SI unit");
    t.add([](const P& p) { return p.of.std; }, "std", "as unit says",
          "Standard deviation; null when the data do not determine it");
    t.add([](const P& p) { return p.of.lower_95; }, "lower_95", "as unit says",
          "Lower end of the 95 % confidence interval");
    t.add([](const P& p) { return p.of.upper_95; }, "upper_95", "as unit says",
          "Upper end of the 95 % confidence interval");
    t.add([](const P& p) { return p.of.status; }, "status", "-", "Where the value is from")
        .one_of({"free", "fixed", "derived"});
    t.add(&P::nominal, "nominal", "as unit says", "Value of the model as given").unless_null();
    t.add(&P::ratio, "ratio", "-", "Value over nominal").unless_null();
    t.add(&P::group, "group", "-", "Group").unless_null();
    t.add(&P::identifiable, "identifiable", "-", "Whether the data determine it").unless_null();
  });
  return table;
}

std::vector<std::pair<std::string, CalibratedParameter>> calibrated(const PartResult& part, const FullModel& model) {
  std::vector<std::pair<std::string, CalibratedParameter>> out;
  for (const ParameterEstimate& estimate : part.parameters) {
    CalibratedParameter one{estimate, {}, {}, {}, {}};
    for (std::size_t s = 0; s < model.parameters.size(); ++s) {
      if (model.parameters[s].name != estimate.name) continue;
      one.nominal = model.parameters[s].nominal;
      one.ratio = part.optimum.ratio[static_cast<Eigen::Index>(s)];
      one.group = model.parameters[s].group;
      one.identifiable = part.gate_at_optimum.verdict[s] == update::Verdict::determined;
    }
    out.emplace_back(estimate.name, one);
  }
  return out;
}

struct BothMetrics {
  double calibration = 0.0, validation = 0.0;
};
const FieldTable& fields_of(const BothMetrics*) {
  using B = BothMetrics;
  static const FieldTable table = FieldTable::results<B>("metric of both", [](FieldTable& t) {
    t.add(&B::calibration, "calibration", "-", "Channels of the calibration");
    t.add(&B::validation, "validation", "-", "Validation channels; null: none");
  });
  return table;
}

struct MetricShown {
  const PartResult& of;
};
const FieldTable& fields_of(const MetricShown*) {
  using M = MetricShown;
  static const FieldTable table = FieldTable::results<M>("metric", [](FieldTable& t) {
    const auto resolved = [](const Metrics& m) { return BothMetrics{m.resolved_calibration, m.resolved_validation}; };
    t.add([](const M& m) { return m.of.metric.calibration; }, "calibration", "-", "Channels of the calibration");
    t.add([](const M& m) { return m.of.metric.validation; }, "validation", "-", "Validation channels; null: none");
    t.add([](const M& m) { return m.of.metric_before.calibration; }, "calibration_nominal", "-",
          "The same of the nominal model");
    t.add([](const M& m) { return m.of.metric_before.validation; }, "validation_nominal", "-",
          "The same of the nominal model");
    t.add([](const M&) { return "mean |log10(H/H_X)|^2, principal value of the ratio, all samples"; }, "definition",
          "-", "What it is");
    t.add([resolved](const M& m) { return resolved(m.of.metric); }, "resolved", "-", "Over resolved samples");
    t.add([resolved](const M& m) { return resolved(m.of.metric_before); }, "resolved_nominal", "-",
          "Over resolved samples, nominal model");
    t.add([](const M&) { return "the same over samples with |H_X| above three standard deviations of its noise"; },
          "resolved_definition", "-", "What resolved means");
    t.add([](const M& m) { return m.of.resolved_percent; }, "resolved_percent", "%", "Resolved samples");
    t.add(
        [](const M& m) {
          return BothMetrics{m.of.noise_metric.calibration, m.of.noise_metric.validation};
        },
        "noise", "-", "What a perfect model would have left over");
    t.add([resolved](const M& m) { return resolved(m.of.noise_metric); }, "resolved_noise", "-",
          "The same over resolved samples");
    t.add([](const M& m) { return m.of.damped_misfit; }, "damped_misfit", "-",
          "|H - H_X| / |H_X| of the raw responses with mapped damping");
  });
  return table;
}

struct PairShown {
  const PartResult& of;
  const update::ModePair& pair;
  const update::ModePair* before;  // of the same test mode; null: it had no partner
};
const FieldTable& fields_of(const PairShown*) {
  using P = PairShown;
  static const FieldTable table = FieldTable::results<P>("mode before and after", [](FieldTable& t) {
    t.add([](const P& p) { return p.of.test.frequency_hz[p.pair.test]; }, "test_hz", "Hz", "Frequency of the test");
    t.add([](const P& p) { return p.of.test.damping[p.pair.test]; }, "test_damping", "-", "Damping ratio of the test");
    t.add(
        [](const P& p) {
          return p.before != nullptr ? std::optional(p.of.before.frequency_hz[p.before->model]) : std::nullopt;
        },
        "before_hz", "Hz", "Frequency of the nominal model; null: no partner");
    t.add([](const P& p) { return p.before != nullptr ? std::optional(p.before->mac) : std::nullopt; }, "before_mac",
          "-", "MAC of that");
    t.add([](const P& p) { return p.of.after.frequency_hz[p.pair.model]; }, "after_hz", "Hz",
          "Frequency of the calibrated model");
    t.add([](const P& p) { return p.pair.mac; }, "after_mac", "-", "MAC of that");
    t.add([](const P& p) { return p.pair.moc; }, "after_moc", "-", "Correlation that punishes frequency too");
  });
  return table;
}

std::vector<PairShown> shown_pairs(const PartResult& part) {
  std::vector<PairShown> out;
  for (const update::ModePair& pair : part.pairs_after.pairs) {
    const auto before = std::find_if(part.pairs_before.pairs.begin(), part.pairs_before.pairs.end(),
                                     [&](const auto& p) { return p.test == pair.test; });
    out.push_back({part, pair, before != part.pairs_before.pairs.end() ? &*before : nullptr});
  }
  return out;
}

struct PartMass {
  double before = 0.0, after = 0.0;
  std::optional<double> weighed;
};
const FieldTable& fields_of(const PartMass*) {
  using M = PartMass;
  static const FieldTable table = FieldTable::results<M>("mass of a part", [](FieldTable& t) {
    t.add(&M::before, "before", "kg", "Nominal model");
    t.add(&M::after, "after", "kg", "Calibrated model");
    t.add(&M::weighed, "weighed", "kg", "As weighed").unless_null();
  });
  return table;
}

struct Predicted {
  double std = 0.0;
  const char* verdict = "";
};
const FieldTable& fields_of(const Predicted*) {
  using P = Predicted;
  static const FieldTable table = FieldTable::results<P>("predicted accuracy", [](FieldTable& t) {
    t.add(&P::std, "predicted_std", "-", "Predicted standard deviation of the ratio; null: not determined");
    t.add([](const P& p) { return p.verdict; }, "verdict", "-", "determined, weak or not determined");
  });
  return table;
}

struct GateShown {
  const Gate& of;
  const FullModel& model;
};
const FieldTable& fields_of(const GateShown*) {
  using G = GateShown;
  static const FieldTable table = FieldTable::results<G>("identifiability", [](FieldTable& t) {
    t.add(
        [](const G& g) {
          std::vector<std::pair<std::string, Predicted>> out;
          for (std::size_t s = 0; s < g.model.parameters.size(); ++s)
            out.emplace_back(g.model.parameters[s].name,
                             Predicted{g.of.std[static_cast<Eigen::Index>(s)], update::to_string(g.of.verdict[s])});
          return out;
        },
        "parameters", "-", "What the data can determine");
    t.add(
        [](const G& g) -> const auto& { return g.of.loose; }, "not_determined", "-", "Directions they cannot");
  });
  return table;
}

struct GatesShown {
  const PartResult& of;
  const FullModel& model;
};
const FieldTable& fields_of(const GatesShown*) {
  using G = GatesShown;
  static const FieldTable table = FieldTable::results<G>("identifiability before and after", [](FieldTable& t) {
    t.add([](const G& g) { return GateShown{g.of.gate, g.model}; }, "before", "-", "At the nominal parameters");
    t.add([](const G& g) { return GateShown{g.of.gate_at_optimum, g.model}; }, "at_optimum", "-", "At the optimum");
  });
  return table;
}

struct BasisShown {
  const PartResult& of;
};
const FieldTable& fields_of(const BasisShown*) {
  using B = BasisShown;
  static const FieldTable table = FieldTable::results<B>("basis", [](FieldTable& t) {
    t.add([](const B& b) { return b.of.model.size(); }, "size", "-", "Unknowns of the reduced model");
    t.add([](const B& b) { return b.of.basis_modes; }, "modes", "-", "Modes in it");
    t.add([](const B& b) { return b.of.basis_attachments; }, "attachment_vectors", "-", "Attachment vectors");
    t.add([](const B& b) { return b.of.basis_sensitivities; }, "sensitivity_vectors", "-", "Sensitivity vectors");
    t.add([](const B& b) { return b.of.basis_error_nominal; }, "error_first", "-",
          "Relative error of the first basis at its optimum");
    t.add([](const B& b) { return b.of.basis_error; }, "error", "-", "Relative error at the end");
    t.add([](const B& b) { return b.of.basis_rebuilt; }, "rebuilt", "-", "How often it was rebuilt");
  });
  return table;
}

struct FaultShown {
  std::string channel, kind, words;
  bool force;
  std::optional<std::string> with;
  double value, before, after;
};
const FieldTable& fields_of(const FaultShown*) {
  using F = FaultShown;
  static const FieldTable table = FieldTable::results<F>("fault of a channel", [](FieldTable& t) {
    t.add(&F::channel, "channel", "-", "Sensor or force");
    t.add(&F::force, "force", "-", "Whether it is a force");
    t.add(&F::kind, "kind", "-", "sign, swap, delay or factor");
    t.add(&F::with, "with", "-", "The other one of a swap").unless_null();
    t.add(&F::value, "value", "-", "Factor of its responses, or their delay in s");
    t.add(&F::before, "metric_before", "-", "Metric of its resolved samples");
    t.add(&F::after, "metric_after", "-", "The same when it is corrected");
    t.add(&F::words, "words", "-", "The same in words");
  });
  return table;
}
std::vector<FaultShown> faults_of(const PartResult& part) {
  static constexpr const char* kinds[] = {"sign", "swap", "delay", "factor"};
  std::vector<FaultShown> out;
  for (const update::ChannelFault& fault : part.channel_faults) {
    const std::vector<Dof>& dofs = fault.force ? part.inputs : part.outputs;
    FaultShown one{label(dofs[static_cast<std::size_t>(fault.index)]),
                   kinds[static_cast<int>(fault.kind)],
                   words_of(fault, part.outputs, part.inputs),
                   fault.force,
                   {},
                   fault.value,
                   fault.before,
                   fault.after};
    if (fault.kind == update::ChannelFaultKind::swap) one.with = label(dofs[static_cast<std::size_t>(fault.other)]);
    out.push_back(std::move(one));
  }
  return out;
}

struct ModeDamping {
  double hz = 0.0, all = 0.0, own = 0.0;
};
const FieldTable& fields_of(const ModeDamping*) {
  using M = ModeDamping;
  static const FieldTable table = FieldTable::results<M>("damping of a mode", [](FieldTable& t) {
    t.add(&M::hz, "frequency_hz", "Hz", "Of the calibrated model");
    t.add(&M::all, "damping", "-", "Damping ratio");
    t.add(&M::own, "beside_loss_factors", "-", "What of it no loss factor stands for");
  });
  return table;
}
std::vector<ModeDamping> damping_of(const PartResult& part) {
  std::vector<ModeDamping> out;
  for (Eigen::Index r = 0; r < part.own_damping.size(); ++r)
    out.push_back({part.after.frequency_hz[r], part.damping_after[r], part.own_damping[r]});
  return out;
}

struct PartShown {
  const PartResult& of;
  const FullModel& model;
  double weighed_kg;  // NaN: not weighed
};
const FieldTable& fields_of(const PartShown*) {
  using P = PartShown;
  static const FieldTable table = FieldTable::results<P>("updated part", [](FieldTable& t) {
    t.add([](const P& p) { return p.of.name; }, "name", "-", "Part");
    t.add([](const P& p) { return p.of.status; }, "status", "-", "How the calibration ended");
    t.add([](const P& p) { return p.of.reason; }, "reason", "-", "Why");
    t.add([](const P& p) { return calibrated(p.of, p.model); }, "parameters", "-", "Parameters");
    t.add([](const P& p) { return MetricShown{p.of}; }, "metric", "-", "How far model and test are apart");
    t.add([](const P& p) { return p.of.model_to_noise; }, "model_to_noise", "-",
          "Misfit of the model over that of noise, root of the metrics of resolved samples; above 2 the model lacks "
          "something");
    t.add(
         [](const P& p) {
           return p.of.finer_mesh.made() ? std::optional(p.of.finer_mesh.model_to_noise) : std::nullopt;
         },
         "finer_mesh_to_noise", "-",
         "The same after a calibration with a mesh twice as fine, tried where the model lacks something")
        .unless_null();
    t.add([](const P& p) { return p.of.likely_error; }, "likely_error", "-", "What that looks like").unless_empty();
    t.add([](const P& p) { return faults_of(p.of); }, "channel_faults", "-", "Sensors and forces that are wrong")
        .unless_empty();
    t.add([](const P& p) { return shown_pairs(p.of); }, "modes", "-", "Modes of test and model");
    t.add(
        [](const P& p) {
          return PartMass{p.of.mass_before, p.of.mass_after,
                          std::isfinite(p.weighed_kg) ? std::optional(p.weighed_kg) : std::nullopt};
        },
        "mass_kg", "kg", "Mass");
    t.add([](const P& p) { return GatesShown{p.of, p.model}; }, "gate", "-", "What the data can determine");
    t.add(
        [](const P& p) -> const auto& { return p.of.suggestions; }, "suggestions", "-", "What to measure next");
    t.add([](const P& p) { return BasisShown{p.of}; }, "basis", "-", "The reduced model");
    t.add(
        [](const P& p) -> const auto& { return p.of.starts.runs; }, "starts", "-", "Calibrations from several starts");
    t.add([](const P& p) { return p.of.starts.same_as_best; }, "same_as_best", "-", "Starts that ended at the best");
    t.add(
         [](const P& p) -> const auto& { return p.of.uncertainty; }, "uncertainty", "-",
         "Uncertainty by several methods")
        .keyed_by("name")
        .unless_empty();
    t.add([](const P& p) { return p.of.identified.modes.size(); }, "identified_modes", "-",
          "Modes identified from the test");
    t.add([](const P& p) { return damping_of(p.of); }, "damping_of_modes", "-",
          "With loss factors among the parameters: what damps each mode of the model")
        .unless_empty();
  });
  return table;
}

struct PopulationShown {
  update::Population of;
};
const FieldTable& fields_of(const PopulationShown*) {
  using P = PopulationShown;
  static const FieldTable table = FieldTable::results<P>("population", [](FieldTable& t) {
    t.add(
         [](const P& p) -> const auto& { return p.of.parameters; }, "parameters", "-", "Spread of the parameters")
        .keyed_by("name")
        .unless_empty();
    t.add(
        [](const P& p) -> const auto& { return p.of.cross_metric; }, "cross_metric", "-",
        "Model of the row's part against responses of the column's");
    t.add(
        [](const P& p) -> const auto& { return p.of.nominal_metric; }, "nominal_metric", "-",
        "Nominal model against responses of each part");
  });
  return table;
}

struct ChangeShown {
  const fe::CardChange& of;
};
const FieldTable& fields_of(const ChangeShown*) {
  using C = ChangeShown;
  static const FieldTable table = FieldTable::results<C>("change of a card", [](FieldTable& t) {
    t.add([](const C& c) { return c.of.parameter; }, "parameter", "-", "Parameter");
    t.add([](const C& c) { return c.of.file; }, "file", "-", "File of the deck");
    t.add([](const C& c) { return c.of.line; }, "line", "-", "Line of the card in the deck as given");
    t.add([](const C& c) { return c.of.card; }, "card", "-", "Card");
    t.add([](const C& c) { return c.of.field; }, "field", "-", "Field of the card");
    t.add([](const C& c) { return c.of.before; }, "before", "as the deck", "Value of the deck as given");
    t.add([](const C& c) { return c.of.after; }, "after", "as the deck", "Value of the updated deck");
  });
  return table;
}

struct DeckShown {
  const UpdatedDeckOfPart& of;
};
const FieldTable& fields_of(const DeckShown*) {
  using D = DeckShown;
  static const FieldTable table = FieldTable::results<D>("updated deck", [](FieldTable& t) {
    t.add([](const D& d) { return d.of.part; }, "part", "-", "Part whose parameters it holds");
    t.add([](const D& d) { return d.of.folder + "/" + d.of.deck.files.front().first; }, "deck", "-",
          "File below the results; its includes are beside it");
    t.add([](const D& d) { return d.of.deck.largest_difference; }, "read_back_difference", "-",
          "Relative difference of its matrices, read back, from those of the parameters");
    t.add(
        [](const D& d) {
          std::vector<ChangeShown> out;
          for (const fe::CardChange& change : d.of.deck.changes) out.push_back({change});
          return out;
        },
        "changes", "-", "Fields that changed");
  });
  return table;
}

std::vector<DeckShown> decks_of(const std::vector<UpdateCase>& cases) {
  std::vector<DeckShown> out;
  for (const UpdateCase& one : cases)
    for (const UpdatedDeckOfPart& deck : one.decks) out.push_back({deck});
  return out;
}

struct CaseShown {
  const UpdateCase& of;
};
std::vector<PartShown> parts_of(const UpdateCase& one) {
  std::vector<PartShown> out;
  for (std::size_t k = 0; k < one.result.parts.size(); ++k)
    out.push_back({one.result.parts[k], one.model, one.weighed_kg[k]});
  return out;
}
std::optional<PopulationShown> population_of(const UpdateCase& one) {
  return one.result.parts.size() > 1 ? std::optional(PopulationShown{one.population}) : std::nullopt;
}
const FieldTable& fields_of(const CaseShown*) {
  using C = CaseShown;
  static const FieldTable table = FieldTable::results<C>("configuration", [](FieldTable& t) {
    t.add([](const C& c) { return c.of.result.status; }, "status", "-", "How it ended");
    t.add([](const C& c) { return c.of.result.reason; }, "reason", "-", "Why");
    t.add([](const C& c) { return parts_of(c.of); }, "parts", "-", "Parts");
    t.add([](const C& c) { return population_of(c.of); }, "population", "-", "Of several parts: how alike they are")
        .unless_null();
    t.add([](const C& c) { return c.of.name; }, "name", "-", "Name of the configuration");
  });
  return table;
}

const PartResult* first_part(const UpdateOutput& o) {
  const auto& parts = o.cases.front().result.parts;
  return parts.empty() ? nullptr : &parts.front();
}

}  // namespace

const FieldTable& fields_of(const UpdateOutput*) {
  using O = UpdateOutput;
  static const FieldTable table = FieldTable::results<O>("update result", [](FieldTable& t) {
    t.add(&O::status, "status", "-", "converged, poor_fit, not_converged or stopped");
    t.add(&O::reason, "reason", "-", "Why");
    t.add(
         [](const O& o) {
           return first_part(o) != nullptr ? std::optional(calibrated(*first_part(o), o.cases.front().model))
                                           : std::nullopt;
         },
         "parameters", "-", "Parameters of the first part")
        .unless_null();
    t.add(
         [](const O& o) {
           return first_part(o) != nullptr ? std::optional(MetricShown{*first_part(o)}) : std::nullopt;
         },
         "metric", "-", "Metric of the first part")
        .unless_null();
    t.add(
         [](const O& o) {
           return first_part(o) != nullptr ? std::optional(first_part(o)->model_to_noise) : std::nullopt;
         },
         "model_to_noise", "-",
         "Of the first part: misfit of the model over that of noise; above 2 the model lacks something")
        .unless_null();
    t.add([](const O& o) { return parts_of(o.cases.front()); }, "parts", "-", "Parts of the first configuration")
        .unless_empty();
    t.add([](const O& o) { return population_of(o.cases.front()); }, "population", "-",
          "Of several parts: how alike they are")
        .unless_null();
    t.add(
         [](const O& o) {
           std::vector<CaseShown> out;
           for (const UpdateCase& one : o.cases)
             if (o.several) out.push_back({one});
           return out;
         },
         "configurations", "-", "Of several configurations: each of them")
        .unless_empty();
    t.add([](const O& o) { return decks_of(o.cases); }, "updated_decks", "-", "Decks with the calibrated parameters")
        .unless_empty();
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

}  // namespace kdyn::app
