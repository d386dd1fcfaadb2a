// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/result_fields.hpp"

#include "kdyn/data/bench_fields.hpp"
#include "kdyn/laws/model_field.hpp"

namespace kdyn::inline identify {
namespace {

// Rows the fit has not seen.
struct CrossValidation {
  std::optional<Misfit> amplitudes, frequencies, records;
};
const FieldTable& fields_of(const CrossValidation*) {
  using C = CrossValidation;
  static const FieldTable table = FieldTable::results<C>("cross-validation", [](FieldTable& t) {
    t.add(&C::amplitudes, "amplitudes", "-", "Each amplitude level predicted without it; null with a single one");
    t.add(&C::frequencies, "frequencies", "-",
          "Each block of frequencies predicted without it; null with a single one");
    t.add(&C::records, "records", "-", "Each record that is no steady sine predicted without it; null without them");
  });
  return table;
}

// What every fit tells about its effort.
template <class Fit>
void add_effort(FieldTable& t) {
  t.add(&Fit::iterations, "iterations", "-", "Iterations");
  t.add(&Fit::evaluations, "evaluations", "-", "Evaluations of the model");
  t.add(&Fit::seconds, "seconds", "s", "Computing time").shown_in("s");
  t.add(&Fit::groups, "groups", "-", "Groups of data with their noise");
}

}  // namespace

const FieldTable& fields_of(const FitGroup*) {
  using G = FitGroup;
  static const FieldTable table = FieldTable::results<G>("group of data", [](FieldTable& t) {
    t.add(&G::name, "name", "-", "k_dyn, loss_angle, static or transient");
    t.add(&G::unit, "unit", "-", "Unit of its noise");
    t.add(&G::count, "count", "-", "Values");
    t.add(&G::noise, "noise", "as unit says", "Standard deviation used in the weights");
    t.add(&G::noise_given, "noise_given", "-", "Whether it was given; otherwise it is estimated");
    t.add(&G::down_weighted, "down_weighted", "-", "Values that count less because they lie far off");
    t.add(&G::widening, "interval_widening", "-", "Factor on intervals since neighbouring residuals are correlated");
  });
  return table;
}

const FieldTable& fields_of(const LoopHistory*) {
  using H = LoopHistory;
  static const FieldTable table = FieldTable::results<H>("history of a static loop", [](FieldTable& t) {
    t.add(&H::rest, "rest", "-", "Where the part rested before").one_of({"first_sample", "zero", "middle", "preload"});
    t.add(&H::preload, "preload", "N or N*m", "Of rest at a preload");
    t.add(&H::passes, "passes", "-", "1: the record is the first way; 2: cycled before; 0: a curve without hysteresis");
  });
  return table;
}

const FieldTable& fields_of(const Advice*) {
  using A = Advice;
  static const FieldTable table = FieldTable::results<A>("advice", [](FieldTable& t) {
    t.add(&A::kind, "kind", "-", "point, sweep or static");
    add_sine<A>(
        t, [](const A& a) { return a.axis; }, [](const A& a) -> const A& { return a; });
    t.add(&A::gain, "gain", "-", "Mean relative reduction of the standard deviations");
    t.add(&A::best_for, "best_for", "-", "Parameter that gains most");
    t.add(&A::best_gain, "best_gain", "-", "What that gains");
    t.add(&A::words, "words", "-", "The advice in one sentence");
  });
  return table;
}

const FieldTable& fields_of(const TemperatureLevel*) {
  using L = TemperatureLevel;
  static const FieldTable table = FieldTable::results<L>("temperature level", [](FieldTable& t) {
    t.add(&L::temperature_c, "temperature_c", "degC", "Temperature");
    t.add(&L::reference, "reference", "-", "Whether the law holds here without factors");
    t.add(&L::rows, "rows", "-", "Rows of the map");
    t.add(&L::converged, "converged", "-", "Whether its factors converged");
    t.add(&L::parameters, "parameters", "-", "Factors at this temperature").keyed_by("name");
    add_map_misfit(t, &L::rms_k_dyn_rel, &L::rms_loss_angle);
  });
  return table;
}

const FieldTable& fields_of(const ElastomerFitResult*) {
  using R = ElastomerFitResult;
  static const FieldTable table = FieldTable::results<R>("elastomer fit", [](FieldTable& t) {
    t.add(&R::criterion, "criterion", "-", "Data reduction that is compared").one_of({"harmonic", "loop"});
    add_map_misfit(t, &R::rms_k_dyn_rel, &R::rms_loss_angle);
    t.add(&R::rms_static, "rms_static_n", "N or N*m", "Misfit of static loops, rms; null without any");
    t.add(&R::rms_transient, "rms_transient_n", "N or N*m", "Misfit of transients, rms; null without any");
    add_effort<R>(t);
    t.add(&R::loop_history, "static_history", "-", "What each static loop is taken to come after");
    t.add(&R::cost_history, "cost_history", "-", "Cost over the iterations");
  });
  return table;
}

const FieldTable& fields_of(const HydroLevel*) {
  using L = HydroLevel;
  static const FieldTable table = FieldTable::results<L>("level of detail", [](FieldTable& t) {
    t.add(&L::detail, "detail", "-", "Level").one_of(hydro_detail_names());
    t.add(&L::exponent, "fluid_damping_exponent", "-", "Exponent of the fluid's nonlinear damping");
    t.add(&L::parameters, "parameters", "-", "Free parameters");
    t.add(&L::chi_square, "chi_square_per_value", "-", "Weighted squares of the map, per value");
    add_map_misfit(t, &L::rms_k_dyn_rel, &L::rms_loss_angle);
    t.add(&L::accepted, "accepted", "-", "Whether it earns its parameters");
    t.add(&L::chosen, "chosen", "-", "Whether it is the result");
    t.add(&L::note, "note", "-", "What it gained");
  });
  return table;
}

const FieldTable& fields_of(const HydroMountFitResult*) {
  using R = HydroMountFitResult;
  static const FieldTable table = FieldTable::results<R>("hydro mount fit", [](FieldTable& t) {
    t.add([](const R& r) { return r.criterion == Criterion::loop ? "loop" : "harmonic"; }, "criterion", "-",
          "Data reduction that is compared");
    add_map_misfit(t, &R::rms_k_dyn_rel, &R::rms_loss_angle);
    t.add(&R::rms_static, "rms_static_n", "N", "Misfit of static loops, rms; null without any");
    t.add(&R::rms_transient, "rms_transient_n", "N", "Misfit of time records, rms; null without any");
    t.add(&R::preload, "preload_n", "N", "Preload of the rows that were used");
    add_effort<R>(t);
    t.add(&R::cost_history, "cost_history", "-", "Cost over the iterations");
  });
  return table;
}

const FieldTable& fields_of(const Misfit*) {
  using M = Misfit;
  static const FieldTable table = FieldTable::results<M>("misfit", [](FieldTable& t) {
    add_map_misfit(t, &M::k_dyn_rel, &M::loss_angle);
    t.add(&M::total, "rms_total", "-", "rms of |ln(K_model/K)|");
  });
  return table;
}

const FieldTable& fields_of(const LawFit*) {
  using F = LawFit;
  static const FieldTable table = FieldTable::results<F>("fit of a law", [](FieldTable& t) {
    t.add(&F::rank, "rank", "-", "1: the best");
    t.add(&F::law, "law", "-", "Word in model files");
    t.add(&F::title, "title", "-", "Name");
    t.add(&F::status, "status", "-", "Of its fit");
    t.add(&F::score, "score", "-", "What the ranking uses: rms misfit of rows and records left out of the fit");
    t.add(&F::fit, "fit", "-", "Misfit of the rows it was fitted to");
    t.add(
        [](const F& f) {
          return CrossValidation{f.left_out_amplitudes, f.left_out_frequencies, f.left_out_records};
        },
        "cross_validation", "-", "Misfit of rows it was not fitted to");
    t.add(&F::amplitude_misfit, "amplitude_misfit", "-", "Misfit at each amplitude level");
    t.add(
        [](const F& f) {
          std::vector<double> out;
          for (const SeriesMisfit& s : f.series) out.push_back(s.force_rel);
          return out;
        },
        "series_force_rel", "-", "Force misfit of each record, over the rms of the force");
    t.add(&F::parameters, "parameters", "-", "Identified parameters").keyed_by("name");
    t.add(&F::not_told_apart, "not_told_apart", "-", "Parameters the data cannot separate");
    t.add([](const F& f) { return ModelObject{f.model}; }, "model", "-", "Model file");
    t.add(&F::iterations, "iterations", "-", "Iterations");
    t.add(&F::seconds, "seconds", "s", "Computing time").shown_in("s");
  });
  return table;
}

}  // namespace kdyn::inline identify
