// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/study/study_optimise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {

const FieldTable& fields_of(const OptimumParameter*);
const FieldTable& fields_of(const OptimumConstraint*);
const FieldTable& fields_of(const ResponseSlope*);
const FieldTable& fields_of(const OptimumResponse*);
const FieldTable& fields_of(const OptimumSearch*);

const FieldTable& fields_of(const OptimumParameter*) {
  using P = OptimumParameter;
  static const FieldTable table = FieldTable::results<P>("parameter at the optimum", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Parameter").unless_empty();
    t.add(&P::unit, "unit", "-", "Unit");
    t.add(&P::value, "value", "as unit says", "At the best run");
    t.add(&P::lower, "lower", "as unit says", "Lower bound");
    t.add(&P::upper, "upper", "as unit says", "Upper bound");
    t.add(&P::bound, "at_bound", "-", "lower or upper where it lies at one");
    t.add(&P::slope, "objective_slope", "objective over unit", "Change of the objective by one unit");
  });
  return table;
}

const FieldTable& fields_of(const OptimumConstraint*) {
  using C = OptimumConstraint;
  static const FieldTable table = FieldTable::results<C>("constraint at the optimum", [](FieldTable& t) {
    t.add(&C::name, "name", "-", "What is held");
    t.add(&C::kind, "kind", "-", "above or below");
    t.add(&C::limit, "limit", "as unit says", "Limit");
    t.add(&C::value, "value", "as unit says", "At the best run");
    t.add(&C::margin, "margin", "as unit says", "What is left to the limit; below 0 it is broken");
    t.add(&C::met, "met", "-", "Whether it is met, within a millionth of its span over the sample");
    t.add(&C::active, "active", "-", "Whether it holds the objective back");
    t.add(&C::price, "price", "objective over unit", "What the objective would gain if the limit gave way by one unit");
  });
  return table;
}

const FieldTable& fields_of(const ResponseSlope*) {
  using S = ResponseSlope;
  static const FieldTable table = FieldTable::results<S>("slope of a response", [](FieldTable& t) {
    t.add(&S::parameter, "parameter", "-", "Parameter").unless_empty();
    t.add(&S::slope, "slope", "unit of response over unit of parameter", "Change of the response by one unit");
  });
  return table;
}

const FieldTable& fields_of(const OptimumResponse*) {
  using R = OptimumResponse;
  static const FieldTable table = FieldTable::results<R>("response at the optimum", [](FieldTable& t) {
    t.add(&R::name, "name", "-", "Response").unless_empty();
    t.add(&R::unit, "unit", "-", "Unit");
    t.add(&R::value, "value", "as unit says", "At the best run");
    t.add(&R::noise, "noise", "as unit says", "How finely runs tell it, measured");
    t.add(&R::slopes, "slopes", "-", "By each parameter, by differences").keyed_by("parameter").unless_empty();
  });
  return table;
}

const FieldTable& fields_of(const OptimumSearch*) {
  using S = OptimumSearch;
  static const FieldTable table = FieldTable::results<S>("search", [](FieldTable& t) {
    t.add(&S::from_run, "from_run", "-", "Where it began");
    t.add(&S::to_run, "to_run", "-", "Where it ended");
    t.add(&S::objective, "objective", "-", "Objective there");
    t.add(&S::alike, "alike", "-",
          "Whether that is the best objective, within a millionth of its span over the sample");
    t.add(&S::apart, "apart", "-", "Largest difference of a parameter from the best run, over its range");
    t.add(&S::steps, "steps", "-", "Steps it took");
    t.add(&S::status, "status", "-", "converged, infeasible, stalled, no_slope, out_of_runs or stopped");
  });
  return table;
}

const FieldTable& fields_of(const StudyOptimum*) {
  using O = StudyOptimum;
  static const FieldTable table = FieldTable::results<O>("optimum", [](FieldTable& t) {
    t.add(&O::status, "status", "-",
          "converged; infeasible: no run meets the constraints; stalled: runs do not follow their slopes; no_slope: "
          "runs beside it fail; out_of_runs; stopped");
    t.add(&O::run, "run", "-", "The best run").unless_null();
    t.add(&O::objective, "objective", "-", "Objective there");
    t.add(&O::violation, "violation", "-", "Largest broken constraint over its span in the sample");
    t.add(&O::difference, "difference", "-", "Step of the slopes over the range of each parameter");
    t.add(&O::parameters, "parameters", "-", "Parameters there").keyed_by("name");
    t.add(&O::constraints, "constraints", "-", "Constraints there").unless_empty();
    t.add(&O::responses, "responses", "-", "Responses there, and their slopes").keyed_by("name");
    t.add(&O::searches, "searches", "-", "Searches and where they ended");
  });
  return table;
}

namespace {

std::string name_of(study::SearchEnd end) {
  switch (end) {
    case study::SearchEnd::converged: return "converged";
    case study::SearchEnd::infeasible: return "infeasible";
    case study::SearchEnd::stalled: return "stalled";
    case study::SearchEnd::no_slope: return "no_slope";
    case study::SearchEnd::out_of_runs: return "out_of_runs";
    case study::SearchEnd::stopped: return "stopped";
  }
  return "";
}

std::string name_of(study::RunStage stage) {
  switch (stage) {
    case study::RunStage::start: return "start";
    case study::RunStage::sample: return "sample";
    case study::RunStage::noise: return "noise";
    case study::RunStage::slope: return "slope";
    case study::RunStage::step: return "step";
  }
  return "";
}

}  // namespace

StudyGoal::StudyGoal(const StudyJob& job, const StudyPlan& plan) : parameters_(plan.columns().size()) {
  std::vector<std::string> responses;
  for (const StudyColumn& c : plan.columns()) names_.push_back(c.name);
  for (const StudyResponse& r : job.responses) responses.push_back(r.name), names_.push_back(r.name);
  const auto response = [&](const std::string& name, const std::string& where) {
    const auto found = std::find(responses.begin(), responses.end(), name);
    if (found == responses.end())
      throw_bad_input(where, fmt::format("there is no response {}", in_quotes(name)), suggest(name, responses));
    return Quantity{static_cast<int>(found - responses.begin()), nullptr};
  };
  problem_.parameters = parameters_, problem_.watched = responses.size();
  const StudyObjective& o = job.objective;
  if (o.kind == StudyObjectiveKind::formula) {
    if (o.formula.empty() || !o.terms.empty())
      throw_bad_input("objective", o.formula.empty() ? "the formula is missing" : "a formula has no terms",
                      R"(write "objective": {"kind": "formula", "formula": "seat^2 + 0.1*travel"})");
    parts_.push_back({formula_of(o.formula, "objective.formula"), 1.0, 0.0});
  } else {
    if (o.terms.empty() || !o.formula.empty())
      throw_bad_input(
          "objective",
          o.terms.empty() ? "it is not said what is brought down" : "terms and formula are two ways to say it",
          R"(write "objective": {"terms": [{"response": "seat"}]}, or "kind": "formula" and "formula")");
    for (std::size_t i = 0; i < o.terms.size(); ++i) {
      const StudyTerm& term = o.terms[i];
      const std::string where = fmt::format("objective.terms[{}]", i);
      if (!std::isfinite(term.weight) || term.weight == 0.0)
        throw_bad_input(where + ".weight", "a weight of 0 counts for nothing", "give a weight, or take the term out");
      if (term.target && !std::isfinite(*term.target))
        throw_bad_input(where + ".target", "the target is no finite number", "give a number");
      Part part{response(term.response, where + ".response"), term.weight, term.target.value_or(0.0)};
      switch (o.kind) {
        case StudyObjectiveKind::sum:
          if (term.target)
            throw_bad_input(where + ".target", "a sum has no targets",
                            "use squares or largest, which bring responses to targets");
          summed_ = true;
          break;
        case StudyObjectiveKind::largest:
          problem_.kind = study::ObjectiveKind::largest;
          // |w (y - target)| is the larger of both signs.
          if (term.target) {
            parts_.push_back(part);
            part.weight = -part.weight;
          }
          break;
        default: problem_.kind = study::ObjectiveKind::squares;
      }
      parts_.push_back(std::move(part));
    }
  }
  problem_.parts = summed_ ? 1 : parts_.size();
  for (std::size_t i = 0; i < job.constraints.size(); ++i) {
    const StudyConstraint& c = job.constraints[i];
    const std::string where = fmt::format("constraints[{}]", i);
    if (c.response.empty() == c.formula.empty())
      throw_bad_input(
          where, c.response.empty() ? "it is not said what is held" : "response and formula are two ways to say it",
          R"(write {"response": "travel", "below": 0.02})");
    if (!c.above && !c.below) throw_bad_input(where, "the limit is missing", R"(give "above", "below" or both)");
    if (c.above && c.below && !(*c.above < *c.below))
      throw_bad_input(where, "above is not below the other limit: nothing lies between them",
                      "give a range; a response is brought to one value by squares with a target");
    const Quantity held =
        c.response.empty() ? formula_of(c.formula, where + ".formula") : response(c.response, where + ".response");
    const std::string name = !c.name.empty() ? c.name : c.response.empty() ? c.formula : c.response;
    for (const bool above : {true, false}) {
      const auto& limit = above ? c.above : c.below;
      if (!limit) continue;
      if (!std::isfinite(*limit))
        throw_bad_input(where, "the limit is no finite number", "give a number, or leave it out");
      held_.push_back(held);
      limits_.push_back({name, above, *limit});
    }
  }
  problem_.constraints = held_.size();
}

StudyGoal::Quantity StudyGoal::formula_of(const std::string& text, const std::string& where) const {
  Formula::Names names;
  names.variable = [&](const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
  };
  names.remedy = [&](const std::string& name) { return suggest(name, names_); };
  Quantity out;
  out.formula = std::make_shared<const Formula>(text, where, names);
  if (out.formula->uses_time())
    throw_bad_input(where, "t is the time, which a study does not have", "name parameters and responses only");
  if (!out.formula->has_variables())
    throw_bad_input(where, "the formula is the same in every run", "name a parameter or response");
  return out;
}

double StudyGoal::value(const Quantity& q, const std::vector<double>& variables) const {
  return q.formula ? q.formula->value(0.0, variables.data(), variables.size())
                   : variables[parameters_ + static_cast<std::size_t>(q.response)];
}

Eigen::VectorXd StudyGoal::outputs(const std::vector<double>& parameters, const std::vector<double>& responses) const {
  std::vector<double> variables = parameters;
  variables.insert(variables.end(), responses.begin(), responses.end());
  Eigen::VectorXd out(static_cast<Eigen::Index>(problem_.outputs()));
  Eigen::Index at = 0;
  double sum = 0.0;
  for (const Part& part : parts_) {
    const double y = part.weight * (value(part.of, variables) - part.target);
    if (summed_)
      sum += y;
    else
      out[at++] = y;
  }
  if (summed_) out[at++] = sum;
  for (std::size_t k = 0; k < held_.size(); ++k) {
    const double y = value(held_[k], variables);
    out[at++] = limits_[k].above ? limits_[k].limit - y : y - limits_[k].limit;
  }
  for (const double y : responses) out[at++] = y;
  return out;
}

StudyOptimum optimise_study(const StudyJob& job, const StudyGoal& goal, StudyPlan& plan,
                            const std::function<bool()>& run,
                            const std::function<std::optional<std::vector<double>>(std::size_t)>& values) {
  const study::SearchProblem& problem = goal.problem();
  study::SearchOptions options;
  options.sample = static_cast<std::size_t>(job.runs), options.starts = static_cast<std::size_t>(job.search.starts);
  options.most_runs = static_cast<std::size_t>(job.search.most_runs), options.tolerance = job.search.tolerance;
  options.seed = static_cast<std::uint64_t>(job.seed), options.start = plan.place(0);
  if (options.sample > options.most_runs)
    throw_bad_input("search.most_runs",
                    fmt::format("the sample alone takes {} runs, and {} are allowed", job.runs, job.search.most_runs),
                    "raise search.most_runs, or take fewer runs");
  StudyOptimum out;
  plan.remove_runs();
  const auto parameters_of = [&](std::size_t i) {
    std::vector<double> x;
    for (std::size_t c = 0; c < plan.columns().size(); ++c) x.push_back(plan.entry(i, c));
    return x;
  };
  const study::SearchResult found = study::optimise(
      problem, options,
      [&](const std::vector<study::SearchRun>& batch) -> std::optional<std::vector<study::RunOutputs>> {
        const std::size_t first = plan.runs();
        for (const study::SearchRun& one : batch) {
          plan.add_run(one.x);
          out.stages.push_back(name_of(one.stage));
        }
        if (!run()) return std::nullopt;
        std::vector<study::RunOutputs> outputs;
        for (std::size_t i = first; i < plan.runs(); ++i) {
          const auto responses = values(i);
          outputs.push_back(responses ? study::RunOutputs(goal.outputs(parameters_of(i), *responses)) : std::nullopt);
        }
        return outputs;
      });
  out.status = name_of(found.end);
  out.difference = found.difference > 0.0 ? found.difference : study::not_known;
  out.objectives.assign(plan.runs(), study::not_known), out.violations = out.objectives;
  for (std::size_t i = 0; i < found.runs.size(); ++i)
    if (found.outputs[i]) {
      out.objectives[i] = study::objective_of(problem, *found.outputs[i]);
      if (found.scale.size() > 0) out.violations[i] = study::violation_of(problem, *found.outputs[i], found.scale);
    }
  for (const study::LocalResult& search : found.searches)
    out.searches.push_back({search.start_run, search.end_run, out.objectives[search.end_run], search.steps,
                            name_of(search.end), 0.0, false});
  if (!found.best_run) return out;
  const double span = found.scale[0] * (problem.kind == study::ObjectiveKind::squares ? found.scale[0] : 1.0);
  for (OptimumSearch& s : out.searches) {
    s.alike = s.status == "converged" && std::abs(s.objective - out.objectives[*found.best_run]) <= 1e-6 * span;
    for (std::size_t c = 0; c < plan.columns().size(); ++c)
      s.apart = std::max(s.apart, std::abs(found.runs[s.to_run].x[c] - found.runs[*found.best_run].x[c]));
  }
  out.run = found.best_run;
  out.objective = out.objectives[*out.run], out.violation = out.violations[*out.run];
  const Eigen::VectorXd& y = *found.outputs[*out.run];
  const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  const study::LocalResult* end = found.best_search ? &found.searches[*found.best_search] : nullptr;
  const bool slopes = end != nullptr && end->slope.size() > 0,
             prices = slopes && end->constraint_price.size() == at(problem.constraints);
  Eigen::VectorXd objective_slope;
  if (slopes) {
    if (problem.kind == study::ObjectiveKind::value) objective_slope = end->slope.row(0).transpose();
    if (problem.kind == study::ObjectiveKind::squares)
      objective_slope = 2.0 * end->slope.topRows(at(problem.parts)).transpose() * y.head(at(problem.parts));
  }
  for (std::size_t c = 0; c < plan.columns().size(); ++c) {
    const StudyColumn& column = plan.columns()[c];
    const double lower = column.distribution.lower, upper = column.distribution.upper;
    OptimumParameter& p = out.parameters.emplace_back();
    p.name = column.name, p.unit = column.unit, p.value = plan.entry(*out.run, c), p.lower = lower, p.upper = upper;
    const double near = 1e-9 * (upper - lower);
    p.bound = p.value - lower <= near ? "lower" : upper - p.value <= near ? "upper" : "";
    if (objective_slope.size() > 0) p.slope = objective_slope[at(c)] / (upper - lower);
  }
  for (std::size_t k = 0; k < problem.constraints; ++k) {
    const StudyGoal::Limit& limit = goal.limits()[k];
    OptimumConstraint& c = out.constraints.emplace_back();
    const double broken = y[at(problem.parts + k)];
    c.name = limit.name, c.kind = limit.above ? "above" : "below", c.limit = limit.limit, c.margin = -broken;
    c.value = limit.above ? limit.limit - broken : limit.limit + broken;
    const double scale = found.scale[at(problem.parts + k)];
    c.met = broken <= study::met_within * scale;
    if (prices) c.price = end->constraint_price[at(k)];
    // What holds it back has a price beside the span of the objective over that of the constraint.
    const double unit = found.scale[0] * (problem.kind == study::ObjectiveKind::squares ? found.scale[0] : 1.0) / scale;
    c.active = std::abs(broken) <= 1e-4 * scale && (!prices || c.price > 1e-6 * unit);
    if (prices && !c.active && c.price <= 1e-6 * unit) c.price = 0.0;
  }
  for (std::size_t r = 0; r < job.responses.size(); ++r) {
    OptimumResponse& one = out.responses.emplace_back();
    const Eigen::Index row = at(problem.parts + problem.constraints + r);
    one.name = job.responses[r].name, one.unit = job.responses[r].unit, one.value = y[row];
    if (found.noise.size() > 0) one.noise = found.noise[row];
    if (!slopes) continue;
    for (std::size_t c = 0; c < plan.columns().size(); ++c)
      one.slopes.push_back(
          {plan.columns()[c].name, end->slope(row, at(c)) / (out.parameters[c].upper - out.parameters[c].lower)});
  }
  return out;
}

std::string told(const StudyOptimum& o) {
  const std::size_t searches = o.searches.size();
  if (!o.run) return o.status == "stopped" ? "it was stopped in the sample" : "no run gave an objective";
  if (o.status == "converged") {
    std::size_t alike = 0;
    for (const OptimumSearch& s : o.searches) alike += s.alike ? 1U : 0U;
    return searches > 1
               ? fmt::format("{} of {} searches ended at this objective", std::max<std::size_t>(1, alike), searches)
               : "the search ended where slopes and bounds balance";
  }
  if (o.status == "infeasible")
    return "no run meets all constraints: the best is where the search could not bring them nearer";
  if (o.status == "stalled")
    return "runs do not follow their slopes: the objective jumps or has a kink there, or another run is better";
  if (o.status == "no_slope") return "runs beside the best one fail on both sides of a parameter";
  if (o.status == "out_of_runs") return "search.most_runs was reached before the search had ended";
  return "it was stopped; the same command goes on where it was";
}

std::string remedy_of(const StudyOptimum& o) {
  if (o.status == "infeasible") return "loosen a constraint, widen the bounds, or begin with a larger sample (runs)";
  if (o.status == "stalled")
    return "run the chain with a finer tolerance or step so that its numbers are smooth, or take responses without "
           "jumps";
  if (o.status == "no_slope") return "narrow the bounds to where runs succeed, or mend the model";
  if (o.status == "out_of_runs") return "raise search.most_runs: the search goes on where it was";
  return "nothing to do";
}

}  // namespace kdyn::app
