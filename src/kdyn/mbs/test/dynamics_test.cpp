// SPDX-License-Identifier: Apache-2.0
// Time integration against solutions that are not ours: plane Lagrange equations by Runge-Kutta, recorded histories of
// another program, the published solution of Andrews' mechanism.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "cases.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn::mbs {
namespace {

using Values = std::array<double, 4>;

// Two bars (length 1, the reference pendulum's mass and inertia) in a plane: angles from the x axis, y upwards.
Values rates(const Values& y, int bars) {
  const double m = 2.0, L = 1.0, c = 0.5, J = 0.16966666666666666, g = 9.81;
  const double a1 = y[0], a2 = y[1], w1 = y[2], w2 = y[3];
  if (bars == 1) return {w1, 0.0, -m * g * c * std::cos(a1) / (J + m * c * c), 0.0};
  const double k = m * L * c * std::cos(a1 - a2), s = m * L * c * std::sin(a1 - a2);
  const double M11 = J + m * c * c + m * L * L, M22 = J + m * c * c;
  const double f1 = -s * w2 * w2 - m * g * (c + L) * std::cos(a1), f2 = s * w1 * w1 - m * g * c * std::cos(a2);
  const double det = M11 * M22 - k * k;
  return {w1, w2, (M22 * f1 - k * f2) / det, (M11 * f2 - k * f1) / det};
}

// Classical Runge-Kutta with a step at which its error is below 1e-11.
std::vector<Vector3> exact_tip(int bars, double interval, int count) {
  Values y{};
  std::vector<Vector3> tips;
  const int inner = static_cast<int>(std::lround(interval / 5e-5));
  const double h = interval / inner;
  for (int n = 0; n <= count; ++n) {
    tips.emplace_back(std::cos(y[0]) + (bars == 2 ? std::cos(y[1]) : 0.0),
                      std::sin(y[0]) + (bars == 2 ? std::sin(y[1]) : 0.0), 0.0);
    for (int i = 0; i < inner; ++i) {
      const auto plus = [](const Values& a, const Values& b, double f) {
        return Values{a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2], a[3] + f * b[3]};
      };
      const Values k1 = rates(y, bars), k2 = rates(plus(y, k1, h / 2), bars), k3 = rates(plus(y, k2, h / 2), bars),
                   k4 = rates(plus(y, k3, h), bars);
      for (std::size_t j = 0; j < 4; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
  }
  return tips;
}

Model pendulum(int bars) {
  Model model;
  model.gravity = {0.0, -9.81, 0.0};
  const Matrix3 J = Vector3(0.01, 1.0 / 6.0, 0.16966666666666666).asDiagonal();
  for (int i = 0; i < bars; ++i) {
    model.bodies.push_back(cases::rigid(2.0, J, {0.5, 0.0, 0.0}, {static_cast<double>(i), 0.0, 0.0}));
    Joint joint;
    joint.kind = JointKind::revolute;
    joint.marker1 = i == 0 ? model.add_marker(-1, Vector3::Zero()) : model.add_marker(i - 1, {1.0, 0.0, 0.0});
    joint.marker2 = model.add_marker(i, Vector3::Zero());
    model.joints.push_back(joint);
  }
  model.add_marker(bars - 1, {1.0, 0.0, 0.0});
  return model;
}

struct Error {
  double tip = 0.0, energy = 0.0, joints = 0.0;
};

Error pendulum_error(int bars, double h) {
  const System system(pendulum(bars));
  RunOptions options;
  options.step_s = h;
  options.duration_s = 2.0;
  options.tolerance = 1e-13;
  const double interval = 0.01;
  const auto exact = exact_tip(bars, interval, 200);
  const long every = std::lround(interval / h);
  Error error;
  double energy0 = 0.0;
  long n = 0;
  const RunResult result = simulate(
      system, options,
      [&](const RunState& state, const Evaluation& e) {
        const auto energy = system.energy(state.q, state.v, state.laws, e);
        const double total = energy.kinetic + energy.gravity;
        if (n == 0) energy0 = total;
        error.energy = std::max(error.energy, std::abs(total - energy0) / (2.0 * 9.81));
        if (n > 0) error.joints = std::max(error.joints, e.phi.cwiseAbs().maxCoeff());
        if (n % every == 0)
          error.tip = std::max(error.tip, (e.frame.back().u - exact[static_cast<std::size_t>(n / every)]).norm());
        ++n;
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return error;
}

TEST(MultibodyDynamics, ConvergesWithOrderTwoOnPendulumAndDoublePendulum) {
  for (const int bars : {1, 2}) {
    std::vector<Error> errors;
    for (const double h : {2.5e-3, 1.25e-3, 6.25e-4}) errors.push_back(pendulum_error(bars, h));
    for (std::size_t i = 1; i < errors.size(); ++i)
      EXPECT_NEAR(std::log2(errors[i - 1].tip / errors[i].tip), 2.0, 0.05) << bars;
    // Figures of the specification at 1.25 ms: tip 5.6e-5 and 2.2e-4 m, energy 9e-6 and 3.4e-4 of m g L.
    EXPECT_LT(errors[1].energy, bars == 1 ? 1e-5 : 4e-4);
    EXPECT_LT(errors[1].tip, bars == 1 ? 6e-5 : 2.5e-4);
    EXPECT_LT(errors[1].joints, 1e-12);
  }
}

// --- Histories of Adams
// -------------------------------------------------------------------------------------------------------------

struct Table {
  std::vector<double> time;
  std::vector<Vector3> values;
};

// A vector of a case in data/public/adams: every tenth sample of what Adams wrote.
Table adams(const SignalSet& file, const std::string& quantity) {
  Table table;
  table.time = file.time;
  const Signal *x = file.find(quantity + "_x"), *y = file.find(quantity + "_y"), *z = file.find(quantity + "_z");
  for (std::size_t i = 0; i < file.rows; ++i) table.values.emplace_back(x->values[i], y->values[i], z->values[i]);
  return table;
}
SignalSet adams(const std::string& name) {
  return read_signal_table(std::string(KDYN_SOURCE_DIR) + "/data/public/adams/" + name + ".csv");
}

// Largest difference over the range of the vector (its largest component range).
double difference(const Table& table, const std::vector<Vector3>& ours, int every) {
  double worst = 0.0, range = 0.0;
  Vector3 low = table.values[0], high = low;
  for (std::size_t n = 0; n < table.values.size(); ++n) {
    worst = std::max(worst, (table.values[n] - ours[n * static_cast<std::size_t>(every)]).cwiseAbs().maxCoeff());
    low = low.cwiseMin(table.values[n]);
    high = high.cwiseMax(table.values[n]);
  }
  range = (high - low).maxCoeff();
  return range > 1e-9 ? worst / range : worst;
}

struct Histories {
  std::vector<Vector3> pos, vel, acc, avel, aacc, force, torque;
};

Histories run_adams(const Model& model, const Matrix3& joint_axes, double h) {
  const System system(model);
  RunOptions options;
  options.step_s = h;
  options.duration_s = 5.0;
  options.rho_infinity = 0.9;
  Histories out;
  const RunResult result = simulate(
      system, options,
      [&](const RunState& s, const Evaluation& e) {
        const Frame acc = system.frame_of(0, s.vd, true);
        out.pos.push_back(e.frame[0].u);
        out.vel.push_back(e.rate[0].u);
        out.acc.push_back(acc.u);
        const Vector3 w = vect(e.rate[0].R * e.frame[0].R.transpose());
        out.avel.push_back(w);
        out.aacc.push_back(vect(acc.R * e.frame[0].R.transpose()));
        Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
        if (!model.joints.empty()) system.joint_reaction(0, s.lambda, s.t, e, force, torque);
        // Adams gives what acts on the first marker (ground): in its axes for the joint's own request.
        out.force.push_back(-(joint_axes.transpose() * force));
        out.torque.push_back(-(joint_axes.transpose() * torque));
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return out;
}

Matrix3 turn_x(double degrees) {
  return Eigen::AngleAxisd(degrees * 3.14159265358979323846 / 180.0, Vector3::UnitX()).toRotationMatrix();
}

TEST(MultibodyDynamics, MeetsAdamsHistories) {
  struct Case {
    const char* file;
    JointKind kind;
    double angle;  // of the joint's marker about x
    Vector3 at;
  };
  const Case all[] = {{"revolute_1", JointKind::revolute, -90.0, {0, 0, 0}},
                      {"revolute_2", JointKind::revolute, -45.0, {1, 2, 3}},
                      {"spherical_1", JointKind::spherical, 0.0, {0, 0, 0}},
                      {"spherical_2", JointKind::spherical, -45.0, {1, 2, 3}}};
  const double h = 2.5e-4;
  const int every = 400;  // the tables hold every 0.1 s
  for (const Case& c : all) {
    Model model;
    model.gravity = {0.0, 0.0, -9.80665};
    const Matrix3 R = turn_x(c.angle);
    Body body = cases::rigid(1.0, Vector3(0.04, 0.1, 0.1).asDiagonal(), Vector3::Zero(), c.at + Vector3(2.0, 0.0, 0.0));
    body.rotation = R;
    model.bodies.push_back(body);
    model.add_marker(0, Vector3::Zero());
    Joint joint;
    joint.kind = c.kind;
    joint.marker1 = model.add_marker(-1, c.at, R);
    joint.marker2 = model.add_marker(0, {-2.0, 0.0, 0.0});
    model.joints.push_back(joint);
    const Histories ours = run_adams(model, Matrix3::Identity(), h);
    const std::pair<const char*, const std::vector<Vector3>*> signals[] = {
        {"pos", &ours.pos},   {"vel", &ours.vel},      {"acc", &ours.acc},       {"avel", &ours.avel},
        {"aacc", &ours.aacc}, {"rforce", &ours.force}, {"rtorque", &ours.torque}};
    const SignalSet recorded = adams(c.file);
    for (const auto& [name, values] : signals) {
      const double d = difference(adams(recorded, name), *values, every);
      // 1e-3 of the range asked for; Adams' own tolerance and six printed digits leave a few 1e-5.
      EXPECT_LT(d, 1e-3) << c.file << " " << name;
    }
  }
}

TEST(MultibodyDynamics, MeetsAdamsSpring) {
  // The record does not belong to the deck beside it: that one holds 100 N/m and 1 N s/m with a free length of 2 m and
  // starts at (0, 2, 0); the recorded motion starts at the origin and stays on z. Its own force, position and velocity
  // give 10 N/m and 0.5 N s/m: at 0.96 s 10 * 1.73992 + 0.5 * 0.281545 = 17.540 N, as recorded.
  Model model;
  model.gravity = {0.0, 0.0, -9.80665};
  model.bodies.push_back(cases::rigid(1.0, 0.1 * Matrix3::Identity()));
  model.add_marker(0, Vector3::Zero());
  Connection spring;
  spring.kind = ConnectionKind::spring;
  spring.marker1 = model.add_marker(-1, {0.0, 0.0, 20.0});
  spring.marker2 = 0;
  spring.rest_length = 20.0;
  spring.laws[0] = kelvin_voigt_law(10.0, 0.5);
  model.connections.push_back(spring);
  const Histories ours = run_adams(model, Matrix3::Identity(), 1e-3);
  const std::pair<const char*, const std::vector<Vector3>*> signals[] = {
      {"pos", &ours.pos}, {"vel", &ours.vel}, {"acc", &ours.acc}};
  const SignalSet recorded = adams("spring");
  for (const auto& [name, values] : signals) {
    const double d = difference(adams(recorded, name), *values, 100);
    EXPECT_LT(d, 1e-3) << name;
  }
}

// --- Andrews' squeezing mechanism
// ----------------------------------------------------------------------------------------------------

// Seven bodies in the plane, angles as in the IVP test set: K1 beta, K2 beta + Theta, K3 gamma, K4 Phi + delta, K5
// delta, K6 Omega + epsilon, K7 epsilon. Frames sit at the joint nearer to ground; the three bodies that meet K2 in one
// point are tied by point_on_line (along z), which leaves no redundant equation.
Model andrews() {
  const double m[7] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498},
               J[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
  const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530, l0 = .07785,
               mom = .033;
  const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874, sb = .01043,
               sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04,
               fa = .01421;
  const double beta = -0.0617138900142764496358948458001, theta = 0.0, gamma = 0.455279819163070380255912382449,
               phi = 0.222668390165885884674473185609, delta = 0.487364979543842550225598953530,
               omega = -0.222668390165885884674473185609, epsilon = 1.23054744454982119249735015568;
  const Vector3 A(xa, ya, 0), B(xb, yb, 0), C(xc, yc, 0);
  const double angle[7] = {beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon};
  const Vector3 com[7] = {{ra, 0, 0},  {-da, 0, 0},     {sb, -sa, 0}, {0, -(e - ea), 0},
                          {ta, tb, 0}, {zf - fa, 0, 0}, {-ub, -ua, 0}};
  const auto turn = [](double a) { return Matrix3(Eigen::AngleAxisd(a, Vector3::UnitZ()).toRotationMatrix()); };
  Vector3 at[7];
  at[0] = Vector3::Zero();
  at[1] = turn(beta) * Vector3(rr, 0, 0);
  at[2] = B;
  at[4] = A;
  at[3] = A + turn(delta) * Vector3(zt, 0, 0);
  at[6] = A;
  at[5] = A + turn(epsilon) * Vector3(0, -u, 0);
  Model model;
  for (int i = 0; i < 7; ++i) {
    Body body = cases::rigid(m[i], J[i] * Matrix3::Identity(), com[i], at[i]);
    body.rotation = turn(angle[i]);
    model.bodies.push_back(body);
    model.add_marker(i, Vector3::Zero());  // marker i: frame of body i
  }
  const auto tie = [&](JointKind kind, int marker1, int marker2) {
    Joint joint;
    joint.kind = kind;
    joint.marker1 = marker1;
    joint.marker2 = marker2;
    model.joints.push_back(joint);
  };
  tie(JointKind::revolute, model.add_marker(-1, Vector3::Zero()), 0);
  tie(JointKind::revolute, model.add_marker(0, {rr, 0, 0}), 1);
  tie(JointKind::revolute, model.add_marker(-1, B), 2);
  tie(JointKind::revolute, model.add_marker(-1, A), 4);
  tie(JointKind::revolute, model.add_marker(4, {zt, 0, 0}), 3);
  tie(JointKind::revolute, model.add_marker(-1, A), 6);
  tie(JointKind::revolute, model.add_marker(6, {0, -u, 0}), 5);
  const int end = model.add_marker(1, {-d, 0, 0});
  tie(JointKind::point_on_line, end, model.add_marker(2, {0, -ss, 0}));
  tie(JointKind::point_on_line, end, model.add_marker(3, {0, -e, 0}));
  tie(JointKind::point_on_line, end, model.add_marker(5, {zf, 0, 0}));
  Connection spring;
  spring.kind = ConnectionKind::spring;
  spring.marker1 = model.add_marker(-1, C);
  spring.marker2 = model.add_marker(2, {sd, -sc, 0});
  spring.rest_length = l0;
  spring.laws[0] = kelvin_voigt_law(c0, 0.0);
  model.connections.push_back(spring);
  PointLoad torque;
  torque.marker = 0;
  torque.torque[2] = mom;
  model.loads.push_back(torque);
  return model;
}

std::array<double, 7> andrews_angles(double h) {
  const System system(andrews());
  EXPECT_TRUE(system.findings().empty());
  RunOptions options;
  options.step_s = h;
  options.duration_s = 0.03;
  options.rho_infinity = 0.9;
  options.tolerance = 1e-14;
  options.full_newton = true;
  std::array<double, 7> angle{};
  const RunResult result = simulate(
      system, options,
      [&](const RunState&, const Evaluation& e) {
        for (std::size_t i = 0; i < 7; ++i) {
          // Continued beyond a turn from the last value.
          const double now = std::atan2(e.frame[i].R(1, 0), e.frame[i].R(0, 0));
          angle[i] += std::remainder(now - angle[i], 2.0 * 3.14159265358979323846);
        }
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  // beta, Theta, gamma, Phi, delta, Omega, epsilon
  return {angle[0], angle[1] - angle[0], angle[2], angle[3] - angle[4], angle[4], angle[5] - angle[6], angle[6]};
}

TEST(MultibodyDynamics, SolvesAndrewsMechanism) {
  const std::array<double, 7> reference = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                           -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                           1.048080741042263};
  // Five digits by one run; the error falls with h^2 (3.1e-6 of the value here, 4.9e-5 at 8 us).
  const auto angles = andrews_angles(2e-6);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_LT(std::abs(angles[i] - reference[i]), 5e-6 * std::abs(reference[i])) << i;
}

TEST(MultibodyDynamics, DropsRedundantRowsOfAFourBar) {
  // Three bars and ground with four parallel revolutes: 20 rows, 17 independent (plane motion with one degree of
  // freedom).
  Model model;
  model.gravity = {0.0, -9.81, 0.0};
  const Vector3 points[4] = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
  const Matrix3 J = 0.1 * Matrix3::Identity();
  for (int i = 0; i < 3; ++i) {
    Body body = cases::rigid(1.0, J, {0.5, 0.0, 0.0}, points[i]);
    const Vector3 along = points[i + 1] - points[i];
    body.rotation = Eigen::AngleAxisd(std::atan2(along.y(), along.x()), Vector3::UnitZ()).toRotationMatrix();
    body.angular_velocity = {0.0, 0.0, i == 1 ? 0.0 : 1.0};
    if (i == 1) body.velocity = {-1.0, 0.0, 0.0};
    if (i == 2) body.velocity = {-1.0, 0.0, 0.0};
    model.bodies.push_back(body);
  }
  const auto tie = [&](int m1, int m2) {
    Joint joint;
    joint.kind = JointKind::revolute;
    joint.marker1 = m1;
    joint.marker2 = m2;
    model.joints.push_back(joint);
  };
  tie(model.add_marker(-1, points[0]), model.add_marker(0, Vector3::Zero()));
  tie(model.add_marker(0, {1, 0, 0}), model.add_marker(1, Vector3::Zero()));
  tie(model.add_marker(1, {1, 0, 0}), model.add_marker(2, Vector3::Zero()));
  tie(model.add_marker(-1, points[3]), model.add_marker(2, {1, 0, 0}));
  const System system(model);
  EXPECT_EQ(system.multipliers(), 17);
  ASSERT_EQ(system.findings().size(), 1u);
  RunOptions options;
  options.step_s = 1e-3;
  options.duration_s = 0.5;
  double first = 0.0, worst = 0.0, gap = 0.0;
  const RunResult result = simulate(
      system, options,
      [&](const RunState& s, const Evaluation& e) {
        const auto energy = system.energy(s.q, s.v, s.laws, e);
        if (s.t == 0.0) first = energy.kinetic + energy.gravity;
        worst = std::max(worst, std::abs(energy.kinetic + energy.gravity - first));
        gap = std::max(gap, (e.frame[7].u - e.frame[6].u).norm());
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  EXPECT_LT(gap, 1e-11);   // the loop stays closed without the dropped rows
  EXPECT_LT(worst, 2e-4);  // of energies of some 10 J
}

}  // namespace
}  // namespace kdyn::mbs
