// SPDX-License-Identifier: Apache-2.0
// Certified problems of the NIST Statistical Reference Datasets for nonlinear regression
// (itl.nist.gov/div898/strd/nls), and what the wrapper adds: bounds, stopping, honest status.
#include "kdyn/numerics/least_squares.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline numerics {
namespace {

struct Point {
  double x, y;
};

// Residuals model(x; theta) - y with derivatives by Jet.
template <int N, class Model>
LeastSquaresProblem regression(const std::vector<Point>& data, Model model) {
  LeastSquaresProblem problem;
  problem.parameters = N;
  problem.residuals = static_cast<int>(data.size());
  problem.evaluate = [data, model](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    std::array<Jet<N>, N> b;
    for (int i = 0; i < N; ++i) b[static_cast<std::size_t>(i)] = Jet<N>(theta[i], i);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Jet<N> residual = model(b, data[i].x) - data[i].y;
      r[static_cast<Eigen::Index>(i)] = residual.a;
      if (J != nullptr) J->row(static_cast<Eigen::Index>(i)) = derivatives(residual).transpose();
    }
    return true;
  };
  return problem;
}

const std::vector<Point> misra1a = {{77.6, 10.07},  {114.9, 14.73}, {141.1, 17.94}, {190.8, 23.93}, {239.9, 29.61},
                                    {289.0, 35.18}, {332.8, 40.02}, {378.4, 44.82}, {434.8, 50.76}, {477.3, 55.05},
                                    {536.8, 61.01}, {593.1, 66.40}, {689.1, 75.47}, {760.0, 81.78}};
const auto misra_model = [](const auto& b, double x) { return b[0] * (1.0 - exp(-b[1] * x)); };

const std::vector<Point> thurber = {
    {-3.067, 80.574},   {-2.981, 84.248},   {-2.921, 87.264},   {-2.912, 87.195},   {-2.840, 89.076},
    {-2.797, 89.608},   {-2.702, 89.868},   {-2.699, 90.101},   {-2.633, 92.405},   {-2.481, 95.854},
    {-2.363, 100.696},  {-2.322, 101.060},  {-1.501, 401.672},  {-1.460, 390.724},  {-1.274, 567.534},
    {-1.212, 635.316},  {-1.100, 733.054},  {-1.046, 759.087},  {-0.915, 894.206},  {-0.714, 990.785},
    {-0.566, 1090.109}, {-0.545, 1080.914}, {-0.400, 1122.643}, {-0.309, 1178.351}, {-0.109, 1260.531},
    {-0.103, 1273.514}, {0.010, 1288.339},  {0.119, 1327.543},  {0.377, 1353.863},  {0.790, 1414.509},
    {0.963, 1425.208},  {1.006, 1421.384},  {1.115, 1442.962},  {1.572, 1464.350},  {1.841, 1468.705},
    {2.047, 1447.894},  {2.200, 1457.628}};
const auto thurber_model = [](const auto& b, double x) {
  return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1.0 + x * (b[4] + x * (b[5] + x * b[6])));
};

// Of the eleven certified digits: the sum of squares to ten; parameters to seven and their standard deviations to six,
// since a solver that stops when the cost changes by 1e-13 leaves sqrt(1e-13 dof), about 2e-6 standard deviations, in
// the parameters.
void expect_certified(const LeastSquaresResult& result, const std::vector<double>& theta,
                      const std::vector<double>& deviation, double squares) {
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(2.0 * result.final_cost / squares, 1.0, 1e-10);
  const double variance = squares / static_cast<double>(result.residuals.size() - result.theta.size());
  const Covariance covariance = covariance_of(result.jacobian, 0.0);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(result.theta[at] / theta[i], 1.0, 1e-7) << i;
    EXPECT_NEAR(std::sqrt(variance * covariance.covariance(at, at)) / deviation[i], 1.0, 1e-6) << i;
  }
}

TEST(LeastSquares, MeetsMisra1aFromBothStarts) {
  const auto problem = regression<2>(misra1a, misra_model);
  for (const Eigen::Vector2d& start : {Eigen::Vector2d(500.0, 1e-4), Eigen::Vector2d(250.0, 5e-4)})
    expect_certified(solve_least_squares(problem, start), {2.3894212918e+02, 5.5015643181e-04},
                     {2.7070075241e+00, 7.2668688436e-06}, 1.2455138894e-01);
}

TEST(LeastSquares, MeetsThurber) {
  Eigen::VectorXd start(7);
  start << 1000.0, 1000.0, 400.0, 40.0, 0.7, 0.3, 0.03;
  expect_certified(solve_least_squares(regression<7>(thurber, thurber_model), start),
                   {1.2881396800e+03, 1.4910792535e+03, 5.8323836877e+02, 7.5416644291e+01, 9.6629502864e-01,
                    3.9797285797e-01, 4.9727297349e-02},
                   {4.6647963344e+00, 3.9571156086e+01, 2.8698696102e+01, 5.5675370270e+00, 3.1333340687e-02,
                    1.4984928198e-02, 6.5842344623e-03},
                   5.6427082397e+03);
}

TEST(LeastSquares, EndsAtABoundWithTheBestOfTheRest) {
  // b1 <= 230 while the optimum is 238.9: b2 is then the minimum over one variable, by golden section.
  auto problem = regression<2>(misra1a, misra_model);
  problem.lower = Eigen::Vector2d(100.0, 0.0);
  problem.upper = Eigen::Vector2d(230.0, 1.0);
  const auto result = solve_least_squares(problem, Eigen::Vector2d(900.0, 5e-4));  // the start is moved inside
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_EQ(result.theta[0], 230.0);
  const auto cost = [&](double b2) {
    double sum = 0.0;
    for (const Point& p : misra1a) sum += std::pow(230.0 * (1.0 - std::exp(-b2 * p.x)) - p.y, 2);
    return sum;
  };
  double low = 1e-4, high = 1e-3;
  const double golden = 1.0 / std::numbers::phi;
  for (int i = 0; i < 100; ++i) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    (cost(a) < cost(b) ? high : low) = cost(a) < cost(b) ? b : a;
  }
  EXPECT_NEAR(result.theta[1] / low, 1.0, 1e-6);  // golden section resolves the square root of rounding
}

TEST(LeastSquares, HoldsAndReleasesBounds) {
  // |A theta - b|^2 in the unit box, against the best of all 3^4 combinations of held and free parameters that
  // satisfies [numerics E8].
  Eigen::MatrixXd A(6, 4);
  A << 1, 2, 0, 1, 0, 1, 3, -1, 2, -1, 1, 0, 1, 1, 1, 1, 0, 2, -1, 3, 1, 0, 0, 2;
  Eigen::VectorXd b(6);
  b << 5, -4, 3, 1, 6, -2;
  LeastSquaresProblem problem;
  problem.parameters = 4;
  problem.residuals = 6;
  problem.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    r = A * theta - b;
    if (J != nullptr) *J = A;
    return true;
  };
  problem.lower = Eigen::VectorXd::Zero(4);
  problem.upper = Eigen::VectorXd::Ones(4);
  double best = 1e9;
  for (int code = 0; code < 81; ++code) {
    Eigen::VectorXd theta = Eigen::VectorXd::Zero(4);
    std::vector<int> free;
    for (int i = 0, rest = code; i < 4; ++i, rest /= 3) (rest % 3 == 2) ? free.push_back(i) : void(theta[i] = rest % 3);
    if (!free.empty()) {
      Eigen::MatrixXd part(6, static_cast<Eigen::Index>(free.size()));
      for (std::size_t i = 0; i < free.size(); ++i) part.col(static_cast<Eigen::Index>(i)) = A.col(free[i]);
      const Eigen::VectorXd solved = part.householderQr().solve(b - A * theta);
      for (std::size_t i = 0; i < free.size(); ++i) theta[free[i]] = solved[static_cast<Eigen::Index>(i)];
    }
    if (theta.minCoeff() >= 0.0 && theta.maxCoeff() <= 1.0) best = std::min(best, 0.5 * (A * theta - b).squaredNorm());
  }
  for (const double start : {0.0, 0.5, 1.0}) {
    const auto result = solve_least_squares(problem, Eigen::VectorXd::Constant(4, start));
    EXPECT_TRUE(result.converged) << result.reason;
    EXPECT_NEAR(result.final_cost, best, 1e-10 * best) << start;
  }
  // Everything at a bound.
  b.setConstant(-100.0);
  A = A.cwiseAbs();
  const auto corner = solve_least_squares(problem, Eigen::VectorXd::Constant(4, 0.5));
  EXPECT_TRUE(corner.converged) << corner.reason;
  EXPECT_EQ(corner.theta, Eigen::VectorXd::Zero(4));
}

TEST(LeastSquares, TellsItsStory) {
  const auto problem = regression<2>(misra1a, misra_model);
  const auto result = solve_least_squares(problem, Eigen::Vector2d(500.0, 1e-4));
  EXPECT_EQ(static_cast<int>(result.cost_history.size()), result.iterations + 1);
  EXPECT_EQ(result.cost_history.front(), result.initial_cost);
  EXPECT_NEAR(result.final_cost, 0.5 * result.residuals.squaredNorm(), 1e-15);
  EXPECT_GE(result.evaluations, result.iterations);

  LeastSquaresOptions few;
  few.max_iterations = 2;
  const auto open = solve_least_squares(problem, Eigen::Vector2d(500.0, 1e-4), few);
  EXPECT_FALSE(open.converged);
  EXPECT_FALSE(open.stopped);
  EXPECT_EQ(open.iterations, 2);
  EXPECT_FALSE(open.reason.empty());
  EXPECT_LE(open.final_cost, open.initial_cost);
}

TEST(LeastSquares, StopsWhenAsked) {
  struct Stop final : Progress {
    bool stop_requested() const override { return ++asked > 2; }
    mutable int asked = 0;
  } stop;
  const auto result = solve_least_squares(regression<2>(misra1a, misra_model), Eigen::Vector2d(500.0, 1e-4), {}, stop);
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_EQ(result.reason, "stopped on request");
}

TEST(LeastSquares, ShortensStepsIntoForbiddenLand) {
  // r = log(theta) is not defined for theta <= 0; from far away the first step would land there.
  LeastSquaresProblem problem;
  problem.parameters = problem.residuals = 1;
  problem.evaluate = [](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    if (theta[0] <= 0.0) return false;
    r[0] = std::log(theta[0]);
    if (J != nullptr) (*J)(0, 0) = 1.0 / theta[0];
    return true;
  };
  const auto result = solve_least_squares(problem, Eigen::VectorXd::Constant(1, 50.0));
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(result.theta[0], 1.0, 1e-9);
  // A start that is not allowed is a status, not an exception.
  const auto lost = solve_least_squares(problem, Eigen::VectorXd::Constant(1, -1.0));
  EXPECT_FALSE(lost.converged);
  EXPECT_FALSE(lost.reason.empty());
}

TEST(LeastSquares, RefusesAProblemThatIsNone) {
  auto problem = regression<2>(misra1a, misra_model);
  EXPECT_THROW(solve_least_squares(problem, Eigen::VectorXd::Zero(3)), Error);
  problem.lower = Eigen::VectorXd::Zero(2);
  EXPECT_THROW(solve_least_squares(problem, Eigen::VectorXd::Zero(2)), Error);
}

}  // namespace
}  // namespace kdyn::inline numerics
