// SPDX-License-Identifier: Apache-2.0
// Fields of what a study found.
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/study/study_result.hpp"

namespace kdyn::study {

const FieldTable& fields_of(const Spread*);
const FieldTable& fields_of(const PairedDifference*);
const FieldTable& fields_of(const SensitivityIndex*);

const FieldTable& fields_of(const Spread*) {
  using S = Spread;
  static const FieldTable table = FieldTable::results<S>("spread", [](FieldTable& t) {
    t.add(&S::count, "count", "-", "Runs that count");
    t.add(&S::mean, "mean", "as unit says", "Mean");
    t.add(&S::mean_lower_95, "mean_lower_95", "as unit says", "Its 95 % interval");
    t.add(&S::mean_upper_95, "mean_upper_95", "as unit says", "Its 95 % interval");
    t.add(&S::std, "std", "as unit says", "Standard deviation over runs");
    t.add(&S::minimum, "minimum", "as unit says", "Smallest value");
    t.add(&S::lower_5, "lower_5", "as unit says", "Quantile of 5 %");
    t.add(&S::lower_25, "lower_25", "as unit says", "Quantile of 25 %");
    t.add(&S::median, "median", "as unit says", "Median");
    t.add(&S::upper_75, "upper_75", "as unit says", "Quantile of 75 %");
    t.add(&S::upper_95, "upper_95", "as unit says", "Quantile of 95 %");
    t.add(&S::maximum, "maximum", "as unit says", "Largest value");
  });
  return table;
}

const FieldTable& fields_of(const PairedDifference*) {
  using D = PairedDifference;
  static const FieldTable table = FieldTable::results<D>("difference", [](FieldTable& t) {
    t.add(&D::pairs, "pairs", "-", "Pairs of runs that agree in all else");
    t.add(&D::mean, "mean", "as unit says", "Mean of the differences from the first level");
    t.add(&D::lower_95, "lower_95", "as unit says", "Its 95 % interval");
    t.add(&D::upper_95, "upper_95", "as unit says", "Its 95 % interval");
    t.add(&D::std, "std", "as unit says", "Standard deviation of the differences");
  });
  return table;
}

const FieldTable& fields_of(const SensitivityIndex*) {
  using I = SensitivityIndex;
  static const FieldTable table = FieldTable::results<I>("sensitivity index", [](FieldTable& t) {
    t.add(&I::first, "first", "-", "Share of the variance that the parameter alone explains");
    t.add(&I::first_lower_95, "first_lower_95", "-", "Its 95 % interval");
    t.add(&I::first_upper_95, "first_upper_95", "-", "Its 95 % interval");
    t.add(&I::total, "total", "-", "Share with all it does together with others");
    t.add(&I::total_lower_95, "total_lower_95", "-", "Its 95 % interval");
    t.add(&I::total_upper_95, "total_upper_95", "-", "Its 95 % interval");
  });
  return table;
}

}  // namespace kdyn::study

namespace kdyn::app {

const FieldTable& fields_of(const StudyEffect*);
const FieldTable& fields_of(const StudyLevel*);
const FieldTable& fields_of(const StudyLevels*);
const FieldTable& fields_of(const StudyResponseResult*);
const FieldTable& fields_of(const StudyFailure*);
const FieldTable& fields_of(const KeptRun*);

const FieldTable& fields_of(const StudyEffect*) {
  using E = StudyEffect;
  static const FieldTable table = FieldTable::results<E>("effect", [](FieldTable& t) {
    t.add(&E::parameter, "parameter", "-", "Parameter").unless_empty();
    t.add([](const E& e) { return e.effect.determined; }, "determined", "-",
          "Whether the runs tell the effect: it moves, and not with others");
    t.add([](const E& e) { return e.effect.slope; }, "slope", "unit of response over unit of parameter",
          "Change of the response by one unit of the parameter");
    t.add([](const E& e) { return e.effect.per_std; }, "per_std", "as unit says",
          "Change by one standard deviation of the parameter");
    t.add([](const E& e) { return e.effect.lower_95; }, "lower_95", "as unit says", "Its 95 % interval");
    t.add([](const E& e) { return e.effect.upper_95; }, "upper_95", "as unit says", "Its 95 % interval");
    t.add([](const E& e) { return e.effect.share; }, "share", "-",
          "Its share of the variance, as far as the response is a straight line");
    t.add([](const E& e) { return e.effect.rank_correlation; }, "rank_correlation", "-", "Correlation of ranks");
    t.add([](const E& e) { return e.effect.rank_lower_95; }, "rank_lower_95", "-", "Its 95 % interval");
    t.add([](const E& e) { return e.effect.rank_upper_95; }, "rank_upper_95", "-", "Its 95 % interval");
    t.add(&E::index, "sobol", "-", "Sobol indices, of the design sensitivity").unless_null();
  });
  return table;
}

const FieldTable& fields_of(const StudyLevel*) {
  using L = StudyLevel;
  static const FieldTable table = FieldTable::results<L>("level", [](FieldTable& t) {
    t.add(&L::name, "name", "-", "Level").unless_empty();
    t.add(&L::spread, "spread", "-", "Spread over its runs");
    t.add(&L::against_first, "against_first", "-", "Against the first level, run by run");
  });
  return table;
}

const FieldTable& fields_of(const StudyLevels*) {
  using L = StudyLevels;
  static const FieldTable table = FieldTable::results<L>("levels", [](FieldTable& t) {
    t.add(&L::parameter, "parameter", "-", "Parameter").unless_empty();
    t.add(&L::levels, "levels", "-", "Its levels in order").keyed_by("name");
  });
  return table;
}

const FieldTable& fields_of(const StudyResponseResult*) {
  using R = StudyResponseResult;
  static const FieldTable table = FieldTable::results<R>("response", [](FieldTable& t) {
    t.add(&R::name, "name", "-", "Response").unless_empty();
    t.add(&R::unit, "unit", "-", "Unit");
    t.add(&R::spread, "spread", "-", "Spread over all runs that succeeded");
    t.add(&R::r_squared, "r_squared", "-", "Share of the variance that straight lines in all parameters explain");
    t.add(&R::effects, "effects", "-", "Effects of parameters that are numbers").keyed_by("parameter");
    t.add(&R::levels, "levels", "-", "Comparison of the levels of parameters").keyed_by("parameter").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyFailure*) {
  using F = StudyFailure;
  static const FieldTable table = FieldTable::results<F>("failure", [](FieldTable& t) {
    t.add(&F::reason, "reason", "-", "What went wrong");
    t.add(&F::runs, "runs", "-", "Runs that failed so");
    t.add(&F::first, "first", "-", "The first of them");
  });
  return table;
}

const FieldTable& fields_of(const KeptRun*) {
  using K = KeptRun;
  static const FieldTable table = FieldTable::results<K>("kept run", [](FieldTable& t) {
    t.add(&K::run, "run", "-", "Run");
    t.add(&K::why, "why", "-", "Why it was kept");
    t.add(&K::folder, "folder", "-", "Where its results are");
    t.add(&K::parameters, "parameters", "-", "Parameters").unless_empty();
    t.add(&K::responses, "responses", "as unit says", "Responses").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyOutput*) {
  using O = StudyOutput;
  static const FieldTable table = FieldTable::results<O>("study result", [](FieldTable& t) {
    t.add([](const O& o) { return o.result.status; }, "status", "-", "done, incomplete or stopped");
    t.add([](const O& o) { return o.result.reason; }, "reason", "-", "Why");
    t.add([](const O& o) { return o.plan.runs(); }, "runs", "-", "Runs of the design");
    t.add([](const O& o) { return o.result.done; }, "done", "-", "Runs that succeeded");
    t.add([](const O& o) { return o.result.failed; }, "failed", "-", "Runs that failed: they count in no number below");
    t.add([](const O& o) { return o.result.missing; }, "not_run", "-", "Runs that did not take place");
    t.add(
         [](const O& o) -> const auto& { return o.result.responses; }, "responses", "-", "Responses")
        .keyed_by("name");
    t.add(
         [](const O& o) -> const auto& { return o.result.optimum; }, "optimum", "-", "What the design optimise found")
        .unless_null();
    t.add(
        [](const O& o) -> const auto& { return o.result.kept; }, "kept", "-", "Runs that were kept whole");
    t.add(
        [](const O& o) -> const auto& { return o.result.failures; }, "failures", "-", "Reasons of failed runs");
    t.add(&O::files, "files", "-", "Files beside result.json");
    t.add(
        [](const O& o) -> const auto& { return o.result.findings; }, "findings", "-",
        "What was noticed, and what to do");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

}  // namespace kdyn::app
