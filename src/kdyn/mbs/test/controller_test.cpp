// SPDX-License-Identifier: Apache-2.0
// Controllers as state-space blocks: against closed forms, the same thing built of masses, springs and dampers,
// independently assembled state matrices, recursions in z, and themselves after a restart.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/model_image.hpp"
#include "kdyn/mbs/run_snapshot.hpp"
#include "kdyn/mbs/sensitivity.hpp"
#include "kdyn/mbs/signals.hpp"

namespace kdyn::mbs {
namespace {

const Json ground = {{"body", "ground"}};

Json mass(const std::string& name, double kg, double z = 0.0) {
  return {{"name", name}, {"mass", kg}, {"inertia", {1.0, 1.0, 1.0}}, {"position", {0.0, 0.0, z}}};
}
Json rail(const std::string& body) {
  return {{"name", body + "_rail"}, {"kind", "translational"}, {"markers", {ground, {{"body", body}}}}};
}
Json link(const std::string& name, const Json& one, const Json& two, double k, double c) {
  return {{"name", name},
          {"markers", {one, two}},
          {"laws", {{"fz", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", c}}}}}}}};
}
// A mass on a rail along z, held by a spring and a damper.
Json oscillator(double m, double k, double c) {
  Json model = {{"run", {{"step_s", 1e-3}, {"duration_s", 1.0}}}};
  model["bodies"] = Json::array({mass("m", m)});
  model["joints"] = Json::array({rail("m")});
  model["bushings"] = Json::array({link("b", ground, {{"body", "m"}}, k, c)});
  return model;
}
void act(Json& model, const std::string& formula) {
  model["loads"] = Json::array({{{"name", "actuator"}, {"marker", {{"body", "m"}}}, {"force", {0.0, 0.0, formula}}}});
}

struct Trace {
  std::vector<double> t;
  std::vector<std::vector<double>> y;  // of the signals that were asked for
  RunResult result;
};
Trace run_of(const Json& model, const std::vector<std::string>& names) {
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  const Signals signals(system);
  std::vector<std::size_t> at;
  for (const std::string& name : names)
    for (std::size_t i = 0; i < signals.list().size(); ++i)
      if (signals.list()[i].name == name) at.push_back(i);
  EXPECT_EQ(at.size(), names.size());
  Trace out;
  std::vector<double> values;
  out.result = simulate_watched(
      system, file.run,
      [&](const Run& run) {
        signals.values(run, values);
        out.t.push_back(run.moved().t);
        std::vector<double>& row = out.y.emplace_back();
        for (const std::size_t i : at) row.push_back(values[i]);
      },
      silent_progress());
  return out;
}
double worst(const Trace& trace, const std::function<double(double)>& exact) {
  EXPECT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  double most = 0.0;
  for (std::size_t i = 0; i < trace.t.size(); ++i) most = std::max(most, std::abs(trace.y[i][0] - exact(trace.t[i])));
  return most;
}
std::string refusal(const Json& model) {
  try {
    const ModelFile file = model_from_json(model, "model");
    const System system(file.model);
    const RunResult result = simulate(system, file.run, {}, silent_progress());
    return result.status == RunStatus::done ? "" : result.reason;
  } catch (const Error& error) {
    return std::string(error.where()) + ": " + error.what() + " " + error.remedy();
  }
}
// exp(A t) x by the eigenvectors of A.
VectorX grown(const MatrixX& A, double t, const VectorX& x) {
  const Eigen::EigenSolver<MatrixX> solver(A);
  const Eigen::MatrixXcd V = solver.eigenvectors();
  const Eigen::VectorXcd e = (solver.eigenvalues() * t).array().exp();
  return (V * e.asDiagonal() * V.inverse() * x.cast<std::complex<double>>()).real();
}
std::vector<std::complex<double>> sorted(const Eigen::VectorXcd& values) {
  std::vector<std::complex<double>> out;
  for (const auto& v : values)
    if (v.imag() >= 0.0) out.push_back(v);
  std::sort(out.begin(), out.end(), [](auto a, auto b) {
    return std::abs(a.imag() - b.imag()) > 1e-6 ? a.imag() < b.imag() : a.real() < b.real();
  });
  return out;
}
std::vector<std::complex<double>> poles(const Json& model, bool static_start = false) {
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  const LinearModel linear = linearise(system, static_start, {}, {});
  EXPECT_EQ(linear.status, RunStatus::done) << linear.reason;
  Eigen::VectorXcd values(static_cast<Eigen::Index>(linear.A.rows()));
  values = Eigen::EigenSolver<MatrixX>(linear.A).eigenvalues();
  return sorted(values);
}
void expect_poles(const Json& model, const MatrixX& A, double tolerance, bool static_start = false) {
  const auto found = poles(model, static_start), expected = sorted(Eigen::EigenSolver<MatrixX>(A).eigenvalues());
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LT(std::abs(found[i] - expected[i]), tolerance * std::abs(expected[i])) << i;
}

// A filter alone, y' = (g sin w t - y)/T from 0: closed form; second order in the step.
TEST(Controller, FilterMeetsTheClosedForm) {
  const double T = 0.05, g = 3.0, w = 20.0;
  const auto error = [&](double step) {
    Json model = oscillator(1.0, 100.0, 1.0);
    model["run"]["step_s"] = step;
    model["controllers"] =
        Json::array({{{"name", "f"}, {"input", "sin(20*t)"}, {"filter", {{"time_constant_s", T}, {"gain", g}}}}});
    return worst(run_of(model, {"f.output"}), [&](double t) {
      const double a = 1.0 + w * w * T * T;
      return g / a * (std::sin(w * t) - w * T * std::cos(w * t) + w * T * std::exp(-t / T));
    });
  };
  const double coarse = error(2e-3), fine = error(1e-3);
  EXPECT_LT(fine, 2e-4 * g);
  EXPECT_NEAR(coarse / fine, 4.0, 0.4);
}

// The same transfer function three ways: poles and gain in falling powers, companion form, and a chain of two filters.
TEST(Controller, TransferFunctionStateSpaceAndChainAgree) {
  Json model = oscillator(2.0, 800.0, 4.0);
  model["bodies"][0]["velocity"] = {0.0, 0.0, 1.0};
  // (5 s + 300)/((s + 20)(s + 1000))
  model["controllers"] = Json::array(
      {{{"name", "tf"},
        {"input", "m.velocity.z"},
        {"transfer_function", {{"numerator", {0.0, 5.0, 300.0}}, {"denominator", {1.0, 1020.0, 20000.0}}}}},
       {{"name", "ss"},
        {"inputs", {{{"name", "speed"}, {"formula", "m.velocity.z"}}}},
        {"output", {{"name", "force"}, {"unit", "N"}}},
        {"state_space",
         {{"A", {{0.0, 1.0}, {-20000.0, -1020.0}}}, {"B", {{0.0}, {1.0}}}, {"C", {300.0, 5.0}}, {"D", 0.0}}}},
       {{"name", "first"}, {"input", "m.velocity.z"}, {"filter", {{"time_constant_s", 0.001}}}},
       // (5 s + 300)/(1000 (s + 20)) = 5e-3 + 0.2/(s + 20)
       {{"name", "second"},
        {"input", "first.output"},
        {"state_space", {{"A", -20.0}, {"B", 1.0}, {"C", 0.2}, {"D", 5e-3}}}}});
  act(model, "-50*ss.force");
  const Trace trace = run_of(model, {"tf.output", "ss.force", "second.output"});
  ASSERT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  double largest = 0.0;
  for (const auto& y : trace.y) {
    largest = std::max(largest, std::abs(y[0]));
    EXPECT_NEAR(y[0], y[1], 1e-12);
    EXPECT_NEAR(y[0], y[2], 1e-12);
  }
  EXPECT_GT(largest, 1e-3);
}

// A tuned absorber as a block with two states that reads place and speed of the mass, and as a second mass: the same
// poles, and runs that come together with the square of the step.
TEST(Controller, AbsorberAsBlockIsTheAbsorberAsMass) {
  const double ma = 0.4, ka = 60.0, ca = 0.8;
  const auto with_mass = [&](double step) {
    Json model = oscillator(5.0, 900.0, 3.0);
    model["run"]["step_s"] = step;
    model["bodies"][0]["velocity"] = {0.0, 0.0, 1.0};
    model["bodies"].push_back(mass("a", ma));
    model["joints"].push_back(rail("a"));
    model["bushings"].push_back(link("ab", {{"body", "m"}}, {{"body", "a"}}, ka, ca));
    return model;
  };
  const auto with_block = [&](double step) {
    Json model = oscillator(5.0, 900.0, 3.0);
    model["run"]["step_s"] = step;
    model["bodies"][0]["velocity"] = {0.0, 0.0, 1.0};
    model["controllers"] = Json::array({{{"name", "absorber"},
                                         {"inputs", {"m.position.z", "m.velocity.z"}},
                                         {"output", "force"},
                                         {"state_space",
                                          {{"A", {{0.0, 1.0}, {-ka / ma, -ca / ma}}},
                                           {"B", {{0.0, 0.0}, {ka / ma, ca / ma}}},
                                           {"C", {{ka, ca}}},
                                           {"D", {{-ka, -ca}}}}}}});
    act(model, "absorber.force");
    return model;
  };
  const auto apart = [&](double step) {
    const Trace one = run_of(with_mass(step), {"m.position.z"}), two = run_of(with_block(step), {"m.position.z"});
    double most = 0.0;
    for (std::size_t i = 0; i < one.t.size(); ++i) most = std::max(most, std::abs(one.y[i][0] - two.y[i][0]));
    return most;
  };
  const double coarse = apart(2e-3), fine = apart(1e-3);
  EXPECT_LT(fine, 1e-5);  // of a motion of 7 cm
  EXPECT_NEAR(coarse / fine, 4.0, 0.6);
  Json a = with_mass(1e-3), b = with_block(1e-3);
  a["bodies"][0].erase("velocity"), b["bodies"][0].erase("velocity");
  const auto one = poles(a), two = poles(b);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_LT(std::abs(one[i] - two[i]), 1e-11 * std::abs(one[i]));
}

// Quarter car with a skyhook through an actuator lag: the state matrix written down by hand.
Json quarter_car() {
  Json model = {{"gravity", {0.0, 0.0, -9.81}},
                {"run", {{"step_s", 1e-3}, {"duration_s", 1.0}, {"static_start", true}}}};
  model["bodies"] = Json::array({mass("wheel", 40.0), mass("car", 300.0, 0.4)});
  model["joints"] = Json::array({rail("wheel"), rail("car")});
  model["bushings"] =
      Json::array({link("tyre", ground, {{"body", "wheel"}}, 2e5, 100.0),
                   link("strut", {{"body", "wheel"}}, {{"body", "car"}, {"position", {0.0, 0.0, -0.4}}}, 2e4, 300.0)});
  model["bushings"][1]["forces"] = {{"fz", "sky.force"}};
  model["controllers"] = Json::array({{{"name", "sky"},
                                       {"input", "car.velocity.z"},
                                       {"output", {{"name", "force"}, {"unit", "N"}}},
                                       {"filter", {{"time_constant_s", 0.01}, {"gain", 1800.0}}}}});
  return model;
}
TEST(Controller, SkyhookHasThePolesOfItsStateMatrix) {
  const double mw = 40.0, mc = 300.0, kt = 2e5, ct = 100.0, k = 2e4, c = 300.0, g = 1800.0, T = 0.01;
  MatrixX A(5, 5);                                               // zw, zc, vw, vc, f
  A << 0, 0, 1, 0, 0,                                            //
      0, 0, 0, 1, 0,                                             //
      -(kt + k) / mw, k / mw, -(ct + c) / mw, c / mw, 1.0 / mw,  //
      k / mc, -k / mc, c / mc, -c / mc, -1.0 / mc,               //
      0, 0, 0, g / T, -1.0 / T;
  expect_poles(quarter_car(), A, 1e-10, true);
  // Response of the control force to a force on the wheel, through the matrices.
  const ModelFile file = model_from_json(quarter_car(), "model");
  const System system(file.model);
  int wheel = -1;
  for (std::size_t m = 0; m < file.model.markers.size(); ++m)
    if (file.model.markers[m].body == 0) wheel = static_cast<int>(m);
  const LinearModel linear =
      linearise(system, true, {{wheel, 2, -1}}, {{OutputKind::controller, 0, 0}, {OutputKind::load, 1, 2}});
  VectorX B = VectorX::Zero(5);
  B[2] = 1.0 / mw;
  for (const double hz : {0.5, 3.0, 12.0}) {
    const std::complex<double> s(0.0, 2.0 * 3.141592653589793 * hz);
    const Eigen::VectorXcd x = (s * Eigen::MatrixXcd::Identity(5, 5) - A.cast<std::complex<double>>())
                                   .partialPivLu()
                                   .solve(B.cast<std::complex<double>>());
    const Eigen::MatrixXcd H = frequency_response(linear, hz);
    EXPECT_LT(std::abs(H(0, 0) - x[4]), 1e-9 * std::abs(x[4]));
    const std::complex<double> load = k * (x[1] - x[0]) + c * (x[3] - x[2]) + x[4];
    EXPECT_LT(std::abs(H(1, 0) - load), 1e-9 * std::abs(load));
  }
}

// PID on one mass against x'' = (F - k x - c x' - y)/m with its two states by the matrix exponential.
TEST(Controller, PidOnOneMassMeetsTheMatrixExponential) {
  const double m = 2.0, k = 50.0, c = 1.0, p = 300.0, i = 900.0, d = 20.0, tau = 0.01;
  MatrixX A(5, 5);                                                                   // x, v, integral, filter, 1
  A << 0, 1, 0, 0, 0,                                                                //
      -(k + p + d / tau) / m, -c / m, -i / m, d / tau / m, (p + d / tau) * 0.1 / m,  //
      1, 0, 0, 0, -0.1,                                                              //
      1.0 / tau, 0, 0, -1.0 / tau, -0.1 / tau,                                       //
      0, 0, 0, 0, 0;
  const auto error = [&](double step) {
    Json model = oscillator(m, k, c);
    model["run"]["step_s"] = step;
    model["controllers"] = Json::array({{{"name", "pid"},
                                         {"input", "m.position.z - 0.1"},
                                         {"pid", {{"p", p}, {"i", i}, {"d", d}, {"filter_s", tau}}}}});
    act(model, "-pid.output");
    VectorX x0 = VectorX::Zero(5);
    x0[4] = 1.0;
    return worst(run_of(model, {"m.position.z"}), [&](double t) { return grown(A, t, x0)[0]; });
  };
  const double coarse = error(1e-3), fine = error(5e-4);
  EXPECT_LT(fine, 2e-5);
  EXPECT_NEAR(coarse / fine, 4.0, 0.6);
}

// Outputs that feed inputs at once: y1 = r + 0.5 y2, y2 = -2 y1 + 3 give y1 = (r + 1.5)/2, whatever the motion is.
TEST(Controller, AlgebraicLoopIsSolvedOrRefused) {
  Json model = oscillator(1.0, 100.0, 1.0);
  model["controllers"] = Json::array({{{"name", "a"}, {"input", "sin(9*t) + 0.5*back.output"}, {"gain", 1.0}},
                                      {{"name", "back"}, {"input", "a.output - 1.5"}, {"gain", -2.0}}});
  act(model, "10*a.output - 3*back.output*m.velocity.z");
  EXPECT_LT(worst(run_of(model, {"a.output"}), [](double t) { return 0.5 * (std::sin(9.0 * t) + 1.5); }), 1e-14);
  model["controllers"][0]["input"] = "1 + back.output";
  model["controllers"][1]["input"] = "a.output";
  model["controllers"][1]["gain"] = 1.0;
  EXPECT_NE(refusal(model).find("loop that has no solution"), std::string::npos) << refusal(model);
  // A bent loop: y = 2 - tanh(y) + x, its Newton iteration.
  model["controllers"] = Json::array({{{"name", "a"}, {"input", "2 - tanh(a.output) + m.position.z"}, {"gain", 1.0}}});
  act(model, "20*a.output");
  const Trace trace = run_of(model, {"a.output", "m.position.z"});
  ASSERT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  for (const auto& y : trace.y) ASSERT_NEAR(y[0], 2.0 - std::tanh(y[0]) + y[1], 1e-13);
}

// The Newton matrix holds everything between motion, inputs, states and outputs: four rounds at most, as without them.
TEST(Controller, TheTangentIsExact) {
  Json model = oscillator(2.0, 800.0, 4.0);
  model["bodies"][0]["velocity"] = {0.0, 0.0, 1.0};
  model["bodies"].push_back(mass("a", 1.0));
  model["joints"].push_back(rail("a"));
  model["bushings"].push_back(link("ab", {{"body", "m"}}, {{"body", "a"}}, 60.0, 0.8));
  model["bushings"][1]["forces"] = {{"fz", "3*two.output*cos(a.position.z)"}};
  model["controllers"] =
      Json::array({{{"name", "one"},
                    {"inputs", {"tanh(3*m.velocity.z) + 0.2*two.output", "ab.fz.rate*a.position.z"}},
                    {"outputs", {"f", "g"}},
                    {"state_space",
                     {{"A", {{-30.0, 4.0}, {-5.0, -80.0}}},
                      {"B", {{20.0, 2.0}, {0.0, 9.0}}},
                      {"C", {{40.0, 1.0}, {0.0, 7.0}}},
                      {"D", {{2.0, 0.0}, {0.0, 30.0}}}}}},
                   {{"name", "two"}, {"input", "one.f^3/1e4 - one.g"}, {"filter", {{"time_constant_s", 0.02}}}}});
  act(model, "-one.f - 0.1*two.output*m.velocity.z");
  model["run"]["full_newton"] = true;
  model["run"]["tolerance"] = 1e-13;
  const Trace trace = run_of(model, {"one.f"});
  ASSERT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  EXPECT_LE(trace.result.counts.iterations, 4 * trace.result.counts.steps);
  EXPECT_GT(trace.y.back()[0], -100.0);
}

// Limits: against Runge-Kutta of fourth order at a hundredth of the step.
TEST(Controller, LimitsHoldTheOutput) {
  Json model = oscillator(2.0, 800.0, 4.0);
  model["bodies"][0]["velocity"] = {0.0, 0.0, 1.0};
  model["controllers"] = Json::array({{{"name", "c"},
                                       {"input", "m.velocity.z"},
                                       {"filter", {{"time_constant_s", 0.02}, {"gain", 60.0}}},
                                       {"limits", {-6.0, 4.0}}}});
  act(model, "-c.output");
  const Trace trace = run_of(model, {"m.position.z", "c.output"});
  ASSERT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  Eigen::Vector3d x(0.0, 1.0, 0.0);
  const auto rate = [](const Eigen::Vector3d& y) {
    return Eigen::Vector3d(y[1], (-800.0 * y[0] - 4.0 * y[1] - std::clamp(60.0 * y[2], -6.0, 4.0)) / 2.0,
                           (y[1] - y[2]) / 0.02);
  };
  double most = 0.0, low = 0.0, high = 0.0;
  for (std::size_t n = 0; n < trace.t.size(); ++n) {
    if (n > 0)
      for (int i = 0; i < 100; ++i) {
        const double h = 1e-5;
        const Eigen::Vector3d a = rate(x), b = rate(x + 0.5 * h * a), c = rate(x + 0.5 * h * b), d = rate(x + h * c);
        x += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
      }
    most = std::max(most, std::abs(x[0] - trace.y[n][0]));
    low = std::min(low, trace.y[n][1]), high = std::max(high, trace.y[n][1]);
  }
  EXPECT_EQ(low, -6.0);
  EXPECT_EQ(high, 4.0);
  EXPECT_LT(most, 3e-5);  // of 5 cm; second order at 1 ms
}

// A levelled mass: the filter's output carries half of the weight at the static start and stays there; a controller that
// integrates is not at rest under an input, and a linear model not about moving states.
TEST(Controller, StartsAtRestOrSaysWhyNot) {
  Json model = oscillator(10.0, 5000.0, 20.0);
  model["gravity"] = {0.0, 0.0, -9.81};
  model["run"]["static_start"] = true;
  model["controllers"] = Json::array(
      {{{"name", "c"}, {"input", "m.position.z"}, {"filter", {{"time_constant_s", 0.2}, {"gain", -5000.0}}}}});
  act(model, "c.output");
  const Trace trace = run_of(model, {"m.position.z", "c.output"});
  ASSERT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  for (const auto& y : trace.y) {
    ASSERT_NEAR(y[0], -98.1 / 1e4, 1e-13);
    ASSERT_NEAR(y[1], 98.1 / 2.0, 1e-9);
  }
  // The poles of k = 5000 with the lagged spring beside it.
  MatrixX A(3, 3);
  A << 0, 1, 0, -500.0, -2.0, -500.0, 5.0, 0, -5.0;
  expect_poles(model, A, 1e-10, true);
  // From zero instead: the mass begins to rise, which is no rest.
  model["controllers"][0]["initial"] = "zero";
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  EXPECT_THROW(linearise(system, true, {}, {}), Error);
  EXPECT_NEAR(run_of(model, {"m.position.z"}).y[0][0], -98.1 / 5e3, 1e-13);
  // An integrator under the sag; under its own set value it is at rest.
  model["controllers"] =
      Json::array({{{"name", "c"}, {"input", "-m.position.z"}, {"pid", {{"p", 100.0}, {"i", 900.0}}}}});
  EXPECT_NE(refusal(model).find("controller c integrates"), std::string::npos) << refusal(model);
  model["controllers"][0]["input"] = "-9.81/510 - m.position.z";  // with p, k = 5100: sag 98.1/5100 at rest
  act(model, "c.output + 100*9.81/510");
  EXPECT_EQ(refusal(model), "");
  model["controllers"][0]["initial"] = Json::array({0.25});
  EXPECT_NEAR(run_of(model, {"c.state_1"}).y[0][0], 0.25, 1e-15);
}

// A sampled filter with an input in time is its own recursion, to the last digits.
TEST(SampledController, IsTheRecursionInZ) {
  Json model = oscillator(1.0, 100.0, 1.0);
  // (0.3 z + 0.1)/(z^2 - 0.9 z + 0.2)
  model["controllers"] =
      Json::array({{{"name", "c"},
                    {"input", "sin(9*t) + 1"},
                    {"sample_s", 0.005},
                    {"transfer_function", {{"numerator", {0.3, 0.1}}, {"denominator", {1.0, -0.9, 0.2}}}}}});
  const Trace trace = run_of(model, {"c.output", "c.in.input"});
  ASSERT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  double y1 = 0.0, y2 = 0.0, u1 = 0.0, u2 = 0.0, y = 0.0;
  for (std::size_t n = 0; n < trace.t.size(); ++n) {
    if (n % 5 == 0) {
      y = 0.9 * y1 - 0.2 * y2 + 0.3 * u1 + 0.1 * u2;
      y2 = y1, y1 = y, u2 = u1, u1 = std::sin(9.0 * trace.t[n]) + 1.0;
    }
    ASSERT_NEAR(trace.y[n][0], y, 1e-13) << n;
  }
}

// A digital PD on a free mass: between samples the force is constant, which the scheme follows exactly: the motion is the
// recursion x+ = x + T v + T^2 F/2m. On a spring and damper the steps converge with their square to the recursion by the
// matrix exponential.
TEST(SampledController, LoopOnOneMassMeetsItsRecursion) {
  const double T = 0.01, p = 200.0, d = 18.0;
  const auto error = [&](double m, double k, double c, double step) {
    Json model = oscillator(m, std::max(k, 1.0), c);
    if (k == 0.0) model.erase("bushings");
    model["run"]["step_s"] = step;
    model["controllers"] = Json::array({{{"name", "c"},
                                         {"inputs", {"0.1 - m.position.z", "-m.velocity.z"}},
                                         {"output", "force"},
                                         {"sample_s", T},
                                         {"state_space", {{"D", {{p, d}}}}}}});
    act(model, "c.force");
    const Trace trace = run_of(model, {"m.position.z", "m.velocity.z"});
    EXPECT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
    MatrixX A = MatrixX::Zero(3, 3);
    A(0, 1) = 1.0, A(1, 0) = -k / m, A(1, 1) = -c / m, A(1, 2) = 1.0 / m;
    const auto each = static_cast<std::size_t>(std::lround(T / step));
    VectorX x = VectorX::Zero(3);
    double most = 0.0;
    for (std::size_t n = 0; n < trace.t.size(); n += each) {
      most = std::max({most, std::abs(trace.y[n][0] - x[0]), T * std::abs(trace.y[n][1] - x[1])});
      x[2] = p * (0.1 - x[0]) - d * x[1];
      if (k == 0.0) {
        x[0] += T * x[1] + 0.5 * T * T * x[2] / m;
        x[1] += T * x[2] / m;
      } else {
        x = grown(A, T, x);
      }
    }
    return most;
  };
  EXPECT_LT(error(2.0, 0.0, 0.0, 1e-3), 1e-12);
  const double coarse = error(2.0, 800.0, 4.0, 1e-3), fine = error(2.0, 800.0, 4.0, 5e-4);
  EXPECT_LT(fine, 2e-5);
  EXPECT_NEAR(coarse / fine, 4.0, 0.6);
}

// Short forms are sampled with inputs held: filter and integrator between samples by their closed forms.
TEST(SampledController, ShortFormsHoldTheirInputs) {
  Json model = oscillator(1.0, 100.0, 1.0);
  const double T = 0.004, tau = 0.03;
  model["controllers"] =
      Json::array({{{"name", "f"}, {"input", "cos(7*t)"}, {"sample_s", T}, {"filter", {{"time_constant_s", tau}}}},
                   {{"name", "i"},
                    {"input", "cos(7*t)"},
                    {"sample_s", T},
                    {"pid", {{"i", 2.0}}},
                    {"initial", Json::array({0.5})}}});
  const Trace trace = run_of(model, {"f.output", "i.output"});
  double f = 0.0, i = 0.5, f_out = 0.0, i_out = 0.0;
  for (std::size_t n = 0; n < trace.t.size(); ++n) {
    if (n % 4 == 0) {
      const double u = std::cos(7.0 * trace.t[n]);
      f_out = f, i_out = 2.0 * i;
      f = u + (f - u) * std::exp(-T / tau), i += T * u;
    }
    ASSERT_NEAR(trace.y[n][0], f_out, 1e-13);
    ASSERT_NEAR(trace.y[n][1], i_out, 1e-13);
  }
}

Json both_kinds() {
  Json model = quarter_car();
  model["run"]["duration_s"] = 0.4;
  model["loads"] = Json::array({{{"name", "road"},
                                 {"marker", {{"body", "wheel"}}},
                                 {"force", {0.0, 0.0, "800*sin(12*t) + 300*digital.output"}}}});
  model["controllers"].push_back({{"name", "digital"},
                                  {"input", "sky.force/1000 + strut.fz.rate"},
                                  {"sample_s", 0.004},
                                  {"pid", {{"p", 0.2}, {"i", 0.5}}},
                                  {"initial", "zero"}});
  model["controllers"].push_back(
      {{"name", "loop"}, {"input", "0.3*tanh(loop.output) + wheel.velocity.z"}, {"gain", 0.5}});
  return model;
}

// Cut at an instant between samples and continued: the same bits; the file is text.
TEST(Controller, GoesOnWithTheSameBits) {
  for (const bool control : {false, true}) {
    Json model = both_kinds();
    if (control) model["run"]["step_control"] = {{"tolerance", 1e-6}};
    const ModelFile file = model_from_json(model, "model");
    const System system(file.model);
    const auto run = [&](double duration, const RunSnapshot* from, RunSnapshot& end, std::vector<double>& out) {
      RunOptions options = file.run;
      options.duration_s = duration;
      const RunResult result = simulate_on(
          system, options, from, "state",
          [&](const mbs::Run& now) {
            const RunState& s = now.state();
            for (const VectorX* v : {&s.q, &s.v, &s.vd, &s.laws.w, &s.laws.held, &now.evaluation().control.y})
              out.insert(out.end(), v->data(), v->data() + v->size());
          },
          silent_progress(), end);
      EXPECT_EQ(result.status, RunStatus::done) << result.reason;
    };
    RunSnapshot whole_end, cut, end;
    std::vector<double> whole, first, second;
    run(0.4, nullptr, whole_end, whole);
    run(0.203, nullptr, cut, first);
    Json text;
    to_json_fields(cut, text);
    RunSnapshot back;
    from_json_fields(back, parse_json(dump_json(text), "state.json"), "state.json");
    run(0.4, &back, end, second);
    ASSERT_GT(first.size(), 1000u);
    for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(first[i], whole[i]) << i;
    // The restored point is told again: it is the last one of the first part.
    const std::size_t lines = first.size() + second.size();
    ASSERT_GT(lines, whole.size());
    const std::size_t again = lines - whole.size();
    for (std::size_t i = again; i < second.size(); ++i)
      ASSERT_EQ(second[i], whole[first.size() - again + i]) << i << " of " << second.size();
  }
}

TEST(Controller, ImageActsAsTheModel) {
  Json model = both_kinds();
  model["controllers"][0]["limits"] = {-500.0, nullptr};
  const ModelFile file = model_from_json(model, "model");
  const ModelImage image = model_from_image(parse_json(dump_json(image_of(file.model, file.run)), "image"), "image");
  const auto end = [](const Model& m, const RunOptions& options) {
    const System system(m);
    VectorX q;
    simulate(
        system, options, [&](const RunState& s, const Evaluation&) { q = s.q; }, silent_progress());
    return q;
  };
  EXPECT_EQ((end(file.model, file.run) - end(image.model, image.run)).cwiseAbs().maxCoeff(), 0.0);
}

// A controller in a subsystem reads on the mirrored side what it would read on its own: the force across the mirror
// turns round, the motion is the mirror image.
TEST(Controller, MirroredSubsystemIsTheMirrorImage) {
  const Json side = {
      {"parameters", {{"gain", 40.0}}},
      {"bodies",
       {{{"name", "m"},
         {"mass", 2.0},
         {"inertia", {1.0, 1.0, 1.0}},
         {"position", {0.0, 0.5, 0.0}},
         {"velocity", {0.1, 1.0, 0.2}}}}},
      {"controllers",
       {{{"name", "c"},
         {"inputs", {"gain*m.velocity.y", {{"name", "up"}, {"formula", "m.velocity.z"}}}},
         {"outputs", {"across", "up"}},
         {"state_space",
          {{"A", {{-9.0, 0.0}, {0.0, -7.0}}}, {"B", {{9.0, 1.0}, {0.0, 7.0}}}, {"C", {{1.0, 0.0}, {0.0, 30.0}}}}}}}},
      {"loads", {{{"name", "f"}, {"marker", {{"body", "m"}}}, {"force", {"c.across", "-c.across", "-c.up"}}}}}};
  const Json model = {{"run", {{"step_s", 1e-3}, {"duration_s", 0.5}}},
                      {"bodies", Json::array({mass("other", 1.0)})},
                      {"subsystems",
                       {{{"name", "left"}, {"model", side}, {"parameters", {{"gain", 55.0}}}},
                        {{"name", "right"}, {"model", side}, {"mirror", "y"}, {"parameters", {{"gain", 55.0}}}}}}};
  const Trace trace = run_of(model, {"left_m.position.x", "left_m.position.y", "right_m.position.x",
                                     "right_m.position.y", "left_c.across", "right_c.across"});
  ASSERT_EQ(trace.result.status, RunStatus::done) << trace.result.reason;
  for (const auto& y : trace.y) {
    ASSERT_NEAR(y[0], y[2], 1e-12);
    ASSERT_NEAR(y[1], -y[3], 1e-12);
    ASSERT_NEAR(y[4], y[5], 1e-11);
  }
  EXPECT_GT(std::abs(trace.y.back()[4]), 1.0);
}

// The load of a spring holds what its formula adds.
TEST(Controller, LoadOfASpringHoldsItsFormula) {
  const Trace trace = run_of(
      [] {
        Json model = oscillator(2.0, 800.0, 4.0);
        model["bodies"][0]["velocity"] = {0.0, 0.0, 1.0};
        model["bushings"][0]["forces"] = {{"fz", "12*m.velocity.z"}};
        return model;
      }(),
      {"b.fz.load", "m.acceleration.z"});
  for (const auto& y : trace.y) ASSERT_NEAR(y[0], -2.0 * y[1], 1e-9);
}

TEST(Controller, SaysWhatIsWrong) {
  const auto with = [](const Json& controller) {
    Json model = oscillator(1.0, 100.0, 1.0);
    model["controllers"] = Json::array({controller});
    return refusal(model);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(with({{"name", "c"}, {"input", "m.velocity.z"}, {"gain", 2.0}}), "");
  has(with({{"name", "c"}, {"input", "m.velocity.z"}}), "says not what it does");
  has(with({{"name", "c"}, {"gain", 2.0}}), "the input is missing");
  has(with({{"name", "m"}, {"input", "1"}, {"gain", 2.0}}), "is called 'm', too");
  has(with({{"name", "c"}, {"input", "m.velocit.z"}, {"gain", 2.0}}), "did you mean 'm.velocity.z'");
  has(with({{"name", "c"}, {"input", "c.outptu"}, {"gain", 2.0}}), "did you mean 'c.output'");
  has(with({{"name", "c"}, {"input", "t"}, {"pid", {{"d", 1.0}}}}), "the derivative needs a filter");
  has(with({{"name", "c"}, {"input", "t"}, {"transfer_function", {{"numerator", {1, 0}}, {"denominator", {2}}}}}),
      "it would differentiate");
  has(with({{"name", "c"}, {"input", "t"}, {"state_space", {{"A", {{-1, 0}}}, {"B", 1}, {"C", 1}}}}), "A");
  has(with({{"name", "c"}, {"input", "t"}, {"state_space", {{"A", -1}, {"B", {1, 2}}, {"C", 1}}}}), "1 rows of 1");
  has(with({{"name", "c"}, {"input", "t"}, {"gain", 1}, {"limits", {2, 1}}}), "below the upper");
  has(with({{"name", "c"}, {"input", "t"}, {"gain", 1}, {"sample_s", 0.0015}}), "no multiple of the step");
  has(with({{"name", "c"}, {"input", "t"}, {"gain", 1}, {"initial", Json::array({1})}}), "0 states");
  has(with({{"name", "c"}, {"input", "t"}, {"gain", 1}, {"output", {{"name", "f"}, {"unit", "kN"}}}}), "no SI unit");
  // A sampled controller is no part of a linear model.
  Json model = oscillator(1.0, 100.0, 1.0);
  model["controllers"] = Json::array({{{"name", "c"}, {"input", "m.velocity.z"}, {"gain", 1}, {"sample_s", 0.002}}});
  const System system(model_from_json(model, "model").model);
  EXPECT_THROW(linearise(system, false, {}, {}), Error);
  // Gradients would be wrong.
  EXPECT_THROW(forward_sensitivity(system, {}, {}, {}, {}), Error);
}

}  // namespace
}  // namespace kdyn::mbs
