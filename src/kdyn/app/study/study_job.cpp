// SPDX-License-Identifier: Apache-2.0
// Fields of a study.
#include "kdyn/app/study/study_job.hpp"

namespace kdyn::app {

const FieldTable& fields_of(const StudyStage*) {
  using S = StudyStage;
  static const FieldTable table = FieldTable::of<S>("stage of a study", [](FieldTable& t) {
    t.add(&S::name, "name", "-", "Name of this step of the chain; by default that of its operation").unless_empty();
    t.add(&S::operation, "operation", "-", "Operation of kdyn: simulate, assess, fit elastomer, rig, ...")
        .must_be_given();
    t.add(&S::options, "options", "-",
          "Its options, as its own job file would hold them; {drive}/series.csv is what the step drive wrote");
    t.add(&S::files, "files", "-",
          "Files that stand for others in this step: {\"road.csv\": \"{road}/road.csv\"} or {\"road.csv\": "
          "\"measured.csv\"}")
        .unless_empty();
    t.add(&S::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyParameter*) {
  using P = StudyParameter;
  static const FieldTable table = FieldTable::of<P>("parameter of a study", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Name in tables and plots").must_be_given();
    t.add(&P::unit, "unit", "-", "Unit in tables and plots").unless_empty();
    t.add(&P::places, "places", "-",
          "Where it stands: STEP.OPTION, and on into the file that is named there, such as "
          "drive.model.bushings.engine_left.laws.fz.scale; * stands for any text")
        .unless_empty();
    t.add(&P::use, "use", "-", "value replaces what stands there, factor multiplies it, add is added to it")
        .one_of({"value", "factor", "add"});
    t.add(&P::values, "values", "-", "Values one by one: every one is combined with all others").unless_empty();
    t.add(&P::levels, "levels", "-",
          "Settings of several places at once by name: {\"rubber\": {\"drive.model.bushings.left.laws\": "
          "\"rubber.json\"}}")
        .unless_empty();
    t.add(&P::distribution, "distribution", "-", "How it scatters")
        .one_of({"uniform", "normal", "lognormal", "triangular"})
        .unless_null();
    t.add(&P::lower, "lower", "as unit says", "Lowest value; cuts a normal or lognormal distribution").unless_null();
    t.add(&P::upper, "upper", "as unit says", "Highest value").unless_null();
    t.add(&P::mean, "mean", "as unit says", "Mean of a normal or lognormal distribution").unless_null();
    t.add(&P::std, "std", "as unit says", "Its standard deviation").unless_null();
    t.add(&P::mode, "mode", "as unit says", "Most likely value of a triangular distribution").unless_null();
    t.add(&P::start, "start", "as unit says", "For optimise: where the first run lies; by default in the middle")
        .unless_null();
    t.add(&P::points, "points", "-", "For a grid: so many values from lower to upper").range(0, 1e6);
    t.add(&P::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyCorrelation*) {
  using C = StudyCorrelation;
  static const FieldTable table = FieldTable::of<C>("correlation", [](FieldTable& t) {
    t.add(&C::parameters, "parameters", "-", "Two parameters with distributions").must_be_given();
    t.add(&C::value, "value", "-", "Correlation of the normal quantities behind them")
        .range(-0.9999, 0.9999)
        .must_be_given();
    t.add(&C::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyPopulation*) {
  using P = StudyPopulation;
  static const FieldTable table = FieldTable::of<P>("population of parts", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Name of this part; its parameters are NAME.PARAMETER").must_be_given();
    t.add(&P::scatter, "scatter", "-", "scatter.json of a batch of fits (kdyn fit on a folder)")
        .reads()
        .must_be_given();
    t.add(&P::place, "place", "-",
          "Where the parameters of its model stand: drive.model.bushings.left.laws.fz.parameters")
        .must_be_given();
    t.add(&P::use, "use", "-",
          "factor: the part scatters about the model's own values; value: about those of the batch")
        .one_of({"value", "factor", "add"});
    t.add(&P::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyResponse*) {
  using R = StudyResponse;
  static const FieldTable table = FieldTable::of<R>("response of a study", [](FieldTable& t) {
    t.add(&R::name, "name", "-", "Name in tables and plots").must_be_given();
    t.add(&R::unit, "unit", "-", "Unit in tables and plots").unless_empty();
    t.add(&R::value, "value", "-", "Number in the result.json of a step: comfort.weighted_rms.seat_z").unless_empty();
    t.add(&R::file, "file", "-", "Or signals that a step wrote: drive/series.csv").unless_empty();
    t.add(&R::channel, "channel", "-", "Channel of that file").unless_empty();
    t.add(&R::statistic, "statistic", "-", "What is taken of the channel; peak is the largest absolute value")
        .one_of({"rms", "mean", "std", "minimum", "maximum", "peak", "range", "last"});
    t.add(&R::from_s, "from_s", "s", "Start of the part that counts").unless_null();
    t.add(&R::to_s, "to_s", "s", "End of the part that counts").unless_null();
    t.add(&R::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyTerm*) {
  using T = StudyTerm;
  static const FieldTable table = FieldTable::of<T>("term of an objective", [](FieldTable& t) {
    t.add(&T::response, "response", "-", "Response").must_be_given();
    t.add(&T::weight, "weight", "-", "Its factor; below 0 a sum brings the response up").range(-1e300, 1e300);
    t.add(&T::target, "target", "as unit says", "largest, squares: counts is what lies between it and the response")
        .unless_null();
    t.add(&T::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyObjective*) {
  using O = StudyObjective;
  static const FieldTable table = FieldTable::of<O>("objective of a study", [](FieldTable& t) {
    t.add(&O::kind, "kind", "-",
          "Which number is brought down: sum of weight times response, largest of them, sum of the squares of weight "
          "times (response - target), or a formula")
        .one_of({"sum", "largest", "squares", "formula"});
    t.add(&O::terms, "terms", "-", "[{\"response\", \"weight\", \"target\"}]").unless_empty();
    t.add(&O::formula, "formula", "-", "Of responses and parameters by name, [in brackets] where names hold blanks")
        .unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudyConstraint*) {
  using C = StudyConstraint;
  static const FieldTable table = FieldTable::of<C>("constraint of a study", [](FieldTable& t) {
    t.add(&C::name, "name", "-", "Name in tables; by default the response or formula").unless_empty();
    t.add(&C::response, "response", "-", "Response that is held").unless_empty();
    t.add(&C::formula, "formula", "-", "Or a formula of responses and parameters").unless_empty();
    t.add(&C::above, "above", "as unit says", "It is to be at least this").unless_null();
    t.add(&C::below, "below", "as unit says", "It is to be at most this").unless_null();
    t.add(&C::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const StudySearch*) {
  using S = StudySearch;
  static const FieldTable table = FieldTable::of<S>("search of an optimum", [](FieldTable& t) {
    t.add(&S::starts, "starts", "-", "Searches from so many of the best runs of the sample").range(1, 1000);
    t.add(&S::most_runs, "most_runs", "-", "Runs in all, at most: then the search ends without an optimum")
        .range(1, 1e6);
    t.add(&S::tolerance, "tolerance", "-", "How near the optimum, over the range of each parameter").range(1e-9, 0.1);
  });
  return table;
}

const FieldTable& fields_of(const StudyKeep*) {
  using K = StudyKeep;
  static const FieldTable table = FieldTable::of<K>("runs to keep", [](FieldTable& t) {
    t.add(&K::response, "response", "-", "Response by which runs are chosen").must_be_given();
    t.add(&K::smallest, "smallest", "-", "So many runs with its smallest values").range(0, 100);
    t.add(&K::largest, "largest", "-", "So many runs with its largest values").range(0, 100);
  });
  return table;
}

const FieldTable& fields_of(const StudyJob*) {
  using J = StudyJob;
  static const FieldTable table = FieldTable::of<J>("study", [](FieldTable& t) {
    t.add(&J::job, "job", "-", "JSON file with the fields below").from_words().job_file();
    t.add(&J::chain, "chain", "-",
          "Operations of one run, in order: [{\"name\", \"operation\", \"options\", \"files\"}]");
    t.add(&J::parameters, "parameters", "-",
          "What changes from run to run: [{\"name\", \"places\", \"use\", \"values\" or \"levels\" or "
          "\"distribution\"}]");
    t.add(&J::populations, "populations", "-",
          "Parts that scatter as a batch of fits found: [{\"name\", \"scatter\", \"place\"}]");
    t.add(&J::correlations, "correlations", "-",
          "Parameters that scatter together: [{\"parameters\": [\"left\", \"right\"], \"value\": 0.6}]");
    t.add(&J::design, "design", "-",
          "How runs are laid out: grid (all combinations), random, latin_hypercube, sobol (evenly spread), sensitivity "
          "(for Sobol indices), list (one run for each row of a table) or optimise (a search of the best parameters)")
        .one_of({"grid", "random", "latin_hypercube", "sobol", "sensitivity", "list", "optimise"});
    t.add(
         &J::runs, "runs", "-",
         "Runs of parameters with distributions, for each combination of the others; for sensitivity base points: runs "
         "times parameters + 2 are made; for optimise the sample before the searches")
        .range(1, 1e7);
    t.add(&J::seed, "seed", "-", "Seed of all chance: the same seed gives the same runs").range(0, 1e15);
    t.add(&J::list, "list", "-", "Table for the design list: a column for each parameter").reads();
    t.add(&J::responses, "responses", "-",
          "What is taken from each run: [{\"name\", \"value\"}] or [{\"name\", \"file\", \"channel\", \"statistic\"}]");
    t.add(&J::objective, "objective", "-", "For optimise: what is brought down, of responses");
    t.add(&J::constraints, "constraints", "-",
          "For optimise: what holds the responses: [{\"response\", \"above\", \"below\"}]");
    t.add(&J::search, "search", "-", "For optimise: how long and how finely it searches");
    t.add(&J::keep, "keep", "-", "Runs that are kept whole: [{\"response\", \"smallest\", \"largest\"}]");
    t.add(&J::allowed_failures, "allowed_failures", "-",
          "Share of runs that may fail without calling the study incomplete")
        .range(0.0, 1.0);
    t.add(&J::threads, "threads", "-", "Runs at once in this process; 0: as many as there are processor cores")
        .range(0, 4096);
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the job");
  });
  return table;
}

}  // namespace kdyn::app
