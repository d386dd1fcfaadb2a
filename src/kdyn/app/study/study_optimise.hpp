// SPDX-License-Identifier: Apache-2.0
// The design optimise: what is brought down and held, as numbers of a run, and what the search found, as people read it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/study/study_plan.hpp"
#include "kdyn/numerics/formula.hpp"
#include "kdyn/study/analysis.hpp"
#include "kdyn/study/optimise.hpp"

namespace kdyn::app {

// Objective and constraints of a job as functions of parameters and responses.
class StudyGoal {
 public:
  // Throws Error(bad_input) for names nobody knows and for what says nothing.
  StudyGoal(const StudyJob& job, const StudyPlan& plan);

  const study::SearchProblem& problem() const { return problem_; }
  // Parts of the objective, constraints, responses.
  Eigen::VectorXd outputs(const std::vector<double>& parameters, const std::vector<double>& responses) const;
  struct Limit {
    std::string name;
    bool above;  // else below
    double limit;
  };
  const std::vector<Limit>& limits() const { return limits_; }  // in the order of the constraints

 private:
  struct Quantity {
    int response = -1;
    std::shared_ptr<const Formula> formula;
  };
  Quantity formula_of(const std::string& text, const std::string& where) const;
  double value(const Quantity& q, const std::vector<double>& variables) const;

  std::size_t parameters_ = 0;
  std::vector<std::string> names_;  // of parameters, then of responses
  study::SearchProblem problem_;
  struct Part {
    Quantity of;
    double weight = 1.0, target = 0.0;
  };
  std::vector<Part> parts_;
  bool summed_ = false;
  std::vector<Quantity> held_;  // by constraint
  std::vector<Limit> limits_;
};

struct OptimumParameter {
  std::string name, unit, bound;  // lower, upper or nothing
  double value = 0.0, lower = 0.0, upper = 0.0;
  double slope = study::not_known;  // of the objective
};
struct OptimumConstraint {
  std::string name, kind;  // above, below
  double value = 0.0, limit = 0.0, margin = 0.0;
  bool met = false, active = false;
  double price = study::not_known;  // what one unit of the limit is worth
};
struct ResponseSlope {
  std::string parameter;
  double slope = study::not_known;
};
struct OptimumResponse {
  std::string name, unit;
  double value = 0.0, noise = study::not_known;
  std::vector<ResponseSlope> slopes;
};
struct OptimumSearch {
  std::size_t from_run = 0, to_run = 0;
  double objective = 0.0;
  int steps = 0;
  std::string status;
  double apart = 0.0;  // from the best run, over the range of a parameter
  bool alike = false;  // its objective is that of the best run
};
struct StudyOptimum {
  std::string status;  // converged, infeasible, stalled, no_slope, out_of_runs, stopped
  std::optional<std::size_t> run;
  double objective = study::not_known, violation = study::not_known, difference = study::not_known;
  std::vector<OptimumParameter> parameters;
  std::vector<OptimumConstraint> constraints;
  std::vector<OptimumResponse> responses;
  std::vector<OptimumSearch> searches;
  // Of each run.
  std::vector<std::string> stages;
  std::vector<double> objectives, violations;
};

// Makes runs by `run`, which brings entry by entry what the plan holds; false: the user stopped. Values of responses
// come from `values`.
StudyOptimum optimise_study(const StudyJob& job, const StudyGoal& goal, StudyPlan& plan,
                            const std::function<bool()>& run,
                            const std::function<std::optional<std::vector<double>>(std::size_t)>& values);
// In words for people, and what to do.
std::string told(const StudyOptimum& optimum);
std::string remedy_of(const StudyOptimum& optimum);

const FieldTable& fields_of(const StudyOptimum*);

}  // namespace kdyn::app
