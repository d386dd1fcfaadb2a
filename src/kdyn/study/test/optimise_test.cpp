// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/study/step_program.hpp"

namespace kdyn::study {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Runs of a function of x in 0 .. 1.
template <class F>
RunBatch runs_of(F f) {
  return [f](const std::vector<SearchRun>& batch) {
    std::vector<RunOutputs> out;
    for (const SearchRun& run : batch) out.push_back(f(run.x));
    return std::optional(std::move(out));
  };
}

VectorXd numbers(std::initializer_list<double> values) {
  VectorXd out(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

const std::vector<double>& best(const SearchResult& r) { return r.runs[*r.best_run].x; }

// [study E16] min (x - 2)^2 + (y - 1)^2 with x + y <= 1, x, y <= 3: the foot of the perpendicular, (1, 0), multiplier 2.
TEST(StepProgram, MeetsAProjectionInClosedForm) {
  MatrixXd G(3, 2);
  G << 1, 1, 1, 0, 0, 1;
  const StepSolution s = solve_step(2.0 * MatrixXd::Identity(2, 2), numbers({-4, -2}), G, numbers({1, 3, 3}));
  ASSERT_TRUE(s.solved);
  EXPECT_NEAR(s.z[0], 1.0, 1e-10);
  EXPECT_NEAR(s.z[1], 0.0, 1e-10);
  EXPECT_NEAR(s.multipliers[0], 2.0, 1e-9);
  EXPECT_NEAR(s.multipliers[1], 0.0, 1e-9);
}

// Banana of Rosenbrock over -2 .. 2: minimum 0 at (1, 1). Differences of 1e-4 of the range: (4e-4)^2/6 times the third
// derivative (2400) over the smallest curvature (0.4) bounds the place by 2e-4; the tolerance is that over the range.
TEST(Optimise, FollowsTheBananaOfRosenbrock) {
  SearchOptions o;
  o.sample = 1, o.starts = 1, o.start = {0.2, 0.75};  // (-1.2, 1)
  const auto f = [](const std::vector<double>& u) {
    const double x = 4 * u[0] - 2, y = 4 * u[1] - 2;
    return RunOutputs(numbers({100 * std::pow(y - x * x, 2) + std::pow(1 - x, 2)}));
  };
  const SearchResult r = optimise({2, ObjectiveKind::value, 1, 0, 0}, o, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::converged);
  EXPECT_NEAR(best(r)[0], 0.75, 5e-5);
  EXPECT_NEAR(best(r)[1], 0.75, 5e-5);
  EXPECT_LT(r.runs.size(), 400U);
}

// The same as two squares, which Gauss-Newton meets in few steps.
TEST(Optimise, TakesSumsOfSquaresAsSuch) {
  SearchOptions o;
  o.sample = 1, o.starts = 1, o.start = {0.2, 0.75};
  const auto f = [](const std::vector<double>& u) {
    const double x = 4 * u[0] - 2, y = 4 * u[1] - 2;
    return RunOutputs(numbers({10 * (y - x * x), 1 - x}));
  };
  const SearchResult r = optimise({2, ObjectiveKind::squares, 2, 0, 0}, o, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::converged);
  EXPECT_NEAR(best(r)[0], 0.75, 1e-6);
  EXPECT_NEAR(best(r)[1], 0.75, 1e-6);
  EXPECT_LT(r.searches[0].steps, 20);
}

// min (x - 2)^2 + (y - 1)^2 in 0 .. 3 with x + y <= 1 and x <= 1.5: (1, 0), where the bound y = 0 holds with price 0;
// d objective/d limit = -2. The closed form of the projection; slopes are exact for a quadratic, the price as far as the
// last step (1e-5) times the curvature (18) of the unit box.
TEST(Optimise, MeetsAConstraintAndTellsItsPrice) {
  const auto f = [](const std::vector<double>& u) {
    const double x = 3 * u[0], y = 3 * u[1];
    return RunOutputs(numbers({std::pow(x - 2, 2) + std::pow(y - 1, 2), x + y - 1, x - 1.5, x}));
  };
  const SearchResult r = optimise({2, ObjectiveKind::value, 1, 2, 1}, {}, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::converged);
  EXPECT_NEAR(best(r)[0], 1.0 / 3.0, 1e-5);
  EXPECT_NEAR(best(r)[1], 0.0, 1e-5);
  const LocalResult& end = r.searches[*r.best_search];
  EXPECT_NEAR(end.constraint_price[0], 2.0, 1e-3);
  EXPECT_NEAR(end.constraint_price[1], 0.0, 1e-6);
  EXPECT_NEAR(end.slope(3, 0), 3.0, 1e-8);
  EXPECT_NEAR(end.slope(3, 1), 0.0, 1e-8);
}

// min -x - y on the circle x^2 + y^2 <= 1: (1, 1)/sqrt(2), price sqrt(2)/2. A curved constraint with no curvature of the objective.
TEST(Optimise, FollowsACurvedConstraint) {
  const auto f = [](const std::vector<double>& u) {
    return RunOutputs(numbers({-u[0] - u[1], u[0] * u[0] + u[1] * u[1] - 1}));
  };
  SearchOptions o;
  o.sample = 20, o.starts = 1;
  const SearchResult r = optimise({2, ObjectiveKind::value, 1, 1, 0}, o, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::converged);
  EXPECT_NEAR(best(r)[0], std::sqrt(0.5), 1e-4);
  EXPECT_NEAR(best(r)[1], std::sqrt(0.5), 1e-4);
  EXPECT_NEAR(r.searches[0].constraint_price[0], std::sqrt(0.5), 1e-3);
}

// Problem 43 of Hock and Schittkowski (Rosen-Suzuki): minimum -44 at (0, 1, 2, -1), published.
TEST(Optimise, SolvesTheProblemOfRosenAndSuzuki) {
  const auto f = [](const std::vector<double>& u) {
    double x[4];
    for (std::size_t j = 0; j < 4; ++j) x[j] = 6 * u[j] - 3;
    const double a = x[0], b = x[1], c = x[2], d = x[3];
    return RunOutputs(
        numbers({a * a + b * b + 2 * c * c + d * d - 5 * a - 5 * b - 21 * c + 7 * d,
                 a * a + b * b + c * c + d * d + a - b + c - d - 8, a * a + 2 * b * b + c * c + 2 * d * d - a - d - 10,
                 2 * a * a + b * b + c * c + 2 * a - b - d - 5}));
  };
  const SearchResult r = optimise({4, ObjectiveKind::value, 1, 3, 0}, {}, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::converged);
  EXPECT_NEAR((*r.outputs[*r.best_run])[0], -44.0, 1e-3);
  const double exact[] = {0, 1, 2, -1};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(6 * best(r)[j] - 3, exact[j], 2e-3);
}

// The largest of three: minimum of max(x^2 + y^4, (2 - x)^2 + (2 - y)^2, 2 exp(y - x)) is 1.952225 at (1.139038, 0.899560) (Charalambous and Conn 1978).
TEST(Optimise, BringsTheLargestOfThreeDown) {
  const auto f = [](const std::vector<double>& u) {
    const double x = 4 * u[0] - 1, y = 4 * u[1] - 1;
    return RunOutputs(numbers({x * x + std::pow(y, 4), std::pow(2 - x, 2) + std::pow(2 - y, 2), 2 * std::exp(y - x)}));
  };
  const SearchResult r = optimise({2, ObjectiveKind::largest, 3, 0, 0}, {}, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::converged);
  EXPECT_NEAR(objective_of({2, ObjectiveKind::largest, 3, 0, 0}, *r.outputs[*r.best_run]), 1.952225, 1e-5);
  EXPECT_NEAR(4 * best(r)[0] - 1, 1.139038, 1e-4);
  EXPECT_NEAR(4 * best(r)[1] - 1, 0.899560, 1e-4);
}

// Rastrigin's function has a minimum near every whole number and the lowest, 0, in the middle of -3.1 .. 4.3. From the
// corner a search ends in another; with a sample in front the lowest is met.
TEST(Optimise, FindsTheLowestOfManyMinimaByItsSample) {
  const auto f = [](const std::vector<double>& u) {
    double sum = 0.0;
    for (const double one : u) {
      const double x = 7.4 * one - 3.1;
      sum += x * x + 4 * (1 - std::cos(2 * std::numbers::pi * x));
    }
    return RunOutputs(numbers({sum}));
  };
  SearchOptions o;
  o.sample = 1, o.starts = 1, o.start = {0.97, 0.97};
  const SearchProblem p{2, ObjectiveKind::value, 1, 0, 0};
  const SearchResult local = optimise(p, o, runs_of(f));
  EXPECT_EQ(local.end, SearchEnd::converged);
  EXPECT_GT((*local.outputs[*local.best_run])[0], 1.0);
  o.sample = 200, o.starts = 6;
  const SearchResult global = optimise(p, o, runs_of(f));
  EXPECT_EQ(global.end, SearchEnd::converged);
  EXPECT_LT((*global.outputs[*global.best_run])[0], 1e-6);
}

// Noise of 1e-5: measured within a factor of three, differences are widened by it, and the place is met as far as noise
// lets it be: error of the slope noise/h with h = (3e-5)^(1/3) = 0.03 over the curvature 2.
TEST(Optimise, WidensItsDifferencesByTheNoiseOfTheRuns) {
  auto random = std::make_shared<RandomStream>(7);
  const auto f = [random](const std::vector<double>& u) {
    return RunOutputs(numbers({std::pow(u[0] - 0.3, 2) + std::pow(u[1] - 0.6, 2) + 1e-5 * random->normal()}));
  };
  const SearchResult r = optimise({2, ObjectiveKind::value, 1, 0, 0}, {}, runs_of(f));
  EXPECT_GT(r.noise[0], 3e-6);
  EXPECT_LT(r.noise[0], 3e-5);
  EXPECT_GT(r.difference, 0.01);
  EXPECT_NEAR(best(r)[0], 0.3, 5e-3);
  EXPECT_NEAR(best(r)[1], 0.6, 5e-3);
}

// Runs that fail in a corner, also beside the optimum at its edge, which a search approaches from inside.
TEST(Optimise, BearsRunsThatFail) {
  const auto f = [](const std::vector<double>& u) -> RunOutputs {
    if (u[0] > 0.7) return std::nullopt;
    return numbers({std::pow(u[0] - 0.5, 2) + std::pow(u[1] - 0.25, 2)});
  };
  const SearchResult r = optimise({2, ObjectiveKind::value, 1, 0, 0}, {}, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::converged);
  EXPECT_NEAR(best(r)[0], 0.5, 1e-5);
  EXPECT_NEAR(best(r)[1], 0.25, 1e-5);
}

TEST(Optimise, SaysWhenConstraintsCannotBeMet) {
  const auto f = [](const std::vector<double>& u) {
    return RunOutputs(numbers({u[0], 1.0 + u[0] * u[0] + std::pow(u[1] - 0.5, 2)}));
  };
  const SearchResult r = optimise({2, ObjectiveKind::value, 1, 1, 0}, {}, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::infeasible);
  // Where it comes nearest.
  EXPECT_NEAR(best(r)[0], 0.0, 1e-3);
  EXPECT_NEAR(best(r)[1], 0.5, 1e-2);
}

TEST(Optimise, SaysWhenRunsDoNotSuffice) {
  SearchOptions o;
  o.sample = 10, o.most_runs = 30, o.starts = 1;
  const auto f = [](const std::vector<double>& u) {
    const double x = 4 * u[0] - 2, y = 4 * u[1] - 2;
    return RunOutputs(numbers({100 * std::pow(y - x * x, 2) + std::pow(1 - x, 2)}));
  };
  const SearchResult r = optimise({2, ObjectiveKind::value, 1, 0, 0}, o, runs_of(f));
  EXPECT_EQ(r.end, SearchEnd::out_of_runs);
  EXPECT_LE(r.runs.size(), 30U);
  // With more of them the first are the same.
  o.most_runs = 500;
  const SearchResult more = optimise({2, ObjectiveKind::value, 1, 0, 0}, o, runs_of(f));
  for (std::size_t i = 0; i < r.runs.size(); ++i) EXPECT_EQ(r.runs[i].x, more.runs[i].x);
}

// |x - 1/3| has no slope at its minimum: never called an optimum found by slopes unless it is there.
TEST(Optimise, IsNeverWrongAtAKinkWithoutSayingSo) {
  const auto f = [](const std::vector<double>& u) { return RunOutputs(numbers({std::abs(u[0] - 1.0 / 3.0)})); };
  const SearchResult r = optimise({1, ObjectiveKind::value, 1, 0, 0}, {}, runs_of(f));
  if (r.end == SearchEnd::converged) {
    EXPECT_NEAR(best(r)[0], 1.0 / 3.0, 1e-3);
  }
  EXPECT_NEAR(best(r)[0], 1.0 / 3.0, 1e-2);
}

}  // namespace
}  // namespace kdyn::study
