// SPDX-License-Identifier: Apache-2.0
// Coupled bushings in a multibody run. Oracles: a rigid body integrated by Runge-Kutta with forces written out here,
// energy balance, stiffness by hand, and the run-time Bushing of the rig.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "bent_law.hpp"
#include "cases.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/mbs/linearise.hpp"

namespace kdyn::mbs {
namespace {

struct Setting {
  Coupling coupling = Coupling::none;
  std::array<BentLaw<double>, 3> laws;
  Vector3 position = Vector3::Zero();  // of the centre of mass at the start
  Vector3 push = Vector3::Zero();      // constant force, N
};

constexpr double mass = 12.0, turning_stiffness = 900.0, turning_damping = 2.0, shake = 300.0, shake_rate = 70.0;
const Vector3 inertia(0.2, 0.3, 0.25), arm(0.03, -0.05, 0.04), gravity(0.0, 0.0, -9.81);
const Matrix3 mounted = Eigen::AngleAxisd(0.7, Vector3(2.0, -1.0, 2.0) / 3.0).toRotationMatrix();

// A body whose bushing sits at `arm` from its centre, in axes turned against everything.
Model model_of(const Setting& s) {
  Model model;
  model.gravity = gravity;
  model.bodies.push_back(cases::rigid(mass, inertia.asDiagonal(), Vector3::Zero(), s.position));
  model.bodies[0].angular_velocity = {1.5, -2.0, 1.0};
  Connection c;
  c.name = "mount";
  c.coupling = s.coupling;
  c.marker1 = model.add_marker(-1, arm, mounted);
  c.marker2 = model.add_marker(0, arm, mounted);
  for (std::size_t k = 0; k < 3; ++k) c.laws[k] = bent_law(s.laws[k]);
  for (std::size_t k = 3; k < 6; ++k) c.laws[k] = kelvin_voigt_law(turning_stiffness, turning_damping);
  model.connections.push_back(c);
  PointLoad load;
  load.marker = model.add_marker(0, Vector3::Zero());
  load.force = {TimeSignal(s.push[0]), TimeSignal(fmt::format("{} + {}*sin({}*t)", s.push[1], shake, shake_rate)),
                TimeSignal(s.push[2])};
  model.loads.push_back(load);
  return model;
}

// The same body with everything written out: unit quaternion, Euler's equations, coupled forces by |x|/r.
class Oracle {
 public:
  explicit Oracle(const Setting& s) : s_(s) {
    y_.setZero();
    y_.segment<3>(0) = s.position;
    y_[3] = 1.0;
    y_.segment<3>(10) = Vector3(1.5, -2.0, 1.0);
  }
  using State =
      Eigen::Matrix<double, 13, 1>;  // position, quaternion (w, x, y, z), velocity, angular velocity in body axes

  void run(double duration, int steps) {
    const double h = duration / steps;
    for (int i = 0; i < steps; ++i) {
      const double t = i * h;
      const State a = rate(t, y_), b = rate(t + 0.5 * h, y_ + 0.5 * h * a), c = rate(t + 0.5 * h, y_ + 0.5 * h * b),
                  d = rate(t + h, y_ + h * c);
      y_ += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
  }
  Vector3 position() const { return y_.head<3>(); }
  Matrix3 rotation() const { return turn(y_); }

 private:
  static Matrix3 turn(const State& y) {
    return Eigen::Quaterniond(y[3], y[4], y[5], y[6]).normalized().toRotationMatrix();
  }

  State rate(double t, const State& y) const {
    const Matrix3 R = turn(y);
    const Vector3 velocity = y.segment<3>(7), spin = y.segment<3>(10);
    const Vector3 x = mounted.transpose() * (y.head<3>() + R * arm - arm),
                  v = mounted.transpose() * (velocity + R * spin.cross(arm));
    const std::size_t n = s_.coupling == Coupling::cylindrical ? 2 : s_.coupling == Coupling::spherical ? 3 : 0;
    double square = 0.0;
    for (std::size_t i = 0; i < n; ++i) square += x[static_cast<int>(i)] * x[static_cast<int>(i)];
    const double r = std::sqrt(square);
    Vector3 load;
    for (std::size_t i = 0; i < 3; ++i) {
      const BentLaw<double>& law = s_.laws[i];
      const double u = x[static_cast<int>(i)];
      const auto g = [&](double z) { return law.k1 * z + law.k2 * z * z + law.k3 * z * z * z; };
      load[static_cast<int>(i)] =
          law.f0 + law.c * v[static_cast<int>(i)] + (i < n && r > 0.0 ? std::abs(u) / r * g(u < 0.0 ? -r : r) : g(u));
    }
    // Rotation vector theta of the second frame in the first, theta' = W spin with W = I + skew/2 + f skew^2; the
    // moment does the work load . theta'.
    const Eigen::AngleAxisd turned(Matrix3(mounted.transpose() * R * mounted));
    const double angle = turned.angle();
    const Vector3 theta = angle * turned.axis();
    const double f = angle < 1e-4 ? 1.0 / 12.0 + angle * angle / 720.0
                                  : 1.0 / (angle * angle) - 0.5 * (1.0 + std::cos(angle)) / (angle * std::sin(angle));
    const Matrix3 W = Matrix3::Identity() + 0.5 * skew(theta) + f * skew(theta) * skew(theta);
    const Vector3 moment = turning_stiffness * theta + turning_damping * (W * (mounted.transpose() * spin));
    const Vector3 force = -mounted * load;
    const Vector3 torque = arm.cross(R.transpose() * force) - mounted * (W.transpose() * moment);
    State out;
    out.segment<3>(0) = velocity;
    const Eigen::Quaterniond q(y[3], y[4], y[5], y[6]), w(0.0, spin[0], spin[1], spin[2]), dq = q * w;
    out[3] = 0.5 * dq.w(), out[4] = 0.5 * dq.x(), out[5] = 0.5 * dq.y(), out[6] = 0.5 * dq.z();
    out.segment<3>(7) = (force + s_.push + Vector3(0.0, shake * std::sin(shake_rate * t), 0.0)) / mass + gravity;
    out.segment<3>(10) = (torque - spin.cross(inertia.cwiseProduct(spin))).cwiseQuotient(inertia);
    return out;
  }

  Setting s_;
  State y_;
};

struct End {
  Vector3 position;
  Matrix3 rotation;
  double closest = 1.0;  // of x and y of the bushing to zero in the run
};
End run_to_end(const Model& model, double step, double duration) {
  const System system(model);
  RunOptions options;
  options.step_s = step;
  options.duration_s = duration;
  options.rho_infinity = 0.9;
  options.tolerance = 1e-14;
  End end;
  const RunResult result = simulate(
      system, options,
      [&](const RunState& s, const Evaluation& e) {
        end.position = s.q.head<3>();
        end.rotation = Eigen::Map<const Matrix3>(s.q.data() + 3);
        end.closest = std::min({end.closest, std::abs(e.measure[0].x[0]), std::abs(e.measure[0].x[1])});
      },
      silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return end;
}

// The scheme errs by h^2, h^3, h^4, ...: six runs of halved steps leave h^7.
Eigen::VectorXd extrapolated(const Model& model, double step, double duration, double* closest) {
  std::vector<Eigen::VectorXd> row;
  for (int level = 0; level < 6; ++level) {
    const End end = run_to_end(model, step / std::pow(2.0, level), duration);
    Eigen::VectorXd y(12);
    y << end.position, Eigen::Map<const Eigen::Matrix<double, 9, 1>>(end.rotation.data());
    row.push_back(y);
    *closest = end.closest;
  }
  for (int order = 2; row.size() > 1; ++order) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      row[i] = row[i + 1] + (row[i + 1] - row[i]) / (std::pow(2.0, order) - 1.0);
    row.pop_back();
  }
  return row[0];
}

Setting odd_setting(Coupling coupling) {
  // Different cubic parts: no potential, and nothing that coupling would leave alone. It starts at r = 0 and passes
  // zero many times.
  Setting s;
  s.coupling = coupling;
  s.laws[0] = {0.0, 2e5, 0.0, 3e10, 60.0};
  s.laws[1] = {0.0, 1.5e5, 0.0, 6e10, 40.0};
  s.laws[2] = {0.0, 3e5, 0.0, 2e10, 80.0};
  return s;
}
Setting bent_setting() {
  // Curves with offset and curvature, pushed so far that x and y keep their signs, where such curves are smooth.
  Setting s;
  s.coupling = Coupling::cylindrical;
  s.laws[0] = {20.0, 2e5, 2e7, 4e9, 60.0};
  s.laws[1] = {-15.0, 1.5e5, -1e7, 9e9, 40.0};
  s.laws[2] = {0.0, 3e5, 3e7, 2e10, 80.0};
  s.push = mounted * Vector3(900.0, -800.0, 0.0);
  s.position = mounted * Vector3(3.6e-3, -3.2e-3, 0.0);
  return s;
}

TEST(MultibodyCoupling, RunsAsWrittenOut) {
  const double duration = 0.08;
  for (const Setting& s : {odd_setting(Coupling::none), odd_setting(Coupling::cylindrical),
                           odd_setting(Coupling::spherical), bent_setting()}) {
    Oracle oracle(s), coarse(s);
    oracle.run(duration, 16000);
    coarse.run(duration, 8000);
    // Runge-Kutta of fourth order at 5 us against 10 us: its own error.
    EXPECT_LT((oracle.position() - coarse.position()).cwiseAbs().maxCoeff(), 1e-14);
    double closest = 0.0;
    const Eigen::VectorXd y = extrapolated(model_of(s), 4e-4, duration, &closest);
    if (s.laws[0].k2 != 0.0) {
      EXPECT_GT(closest, 1e-4);
    }
    const Vector3 position = y.head<3>();
    const Matrix3 rotation = Eigen::Map<const Matrix3>(y.data() + 3);
    // The centre moves by millimetres: 1e-9 of that, and of a rotation.
    EXPECT_LT((position - oracle.position()).cwiseAbs().maxCoeff(), 1e-9 * 4e-3);
    EXPECT_LT((rotation - oracle.rotation()).cwiseAbs().maxCoeff(), 1e-9);
    RecordProperty("error", fmt::format("{:.1e}", (position - oracle.position()).cwiseAbs().maxCoeff()));
    std::printf("coupling %s: position %.1e m, rotation %.1e\n", coupling_names[static_cast<std::size_t>(s.coupling)],
                (position - oracle.position()).cwiseAbs().maxCoeff(),
                (rotation - oracle.rotation()).cwiseAbs().maxCoeff());
  }
}

TEST(MultibodyCoupling, LoadsAreThoseOfTheBushingOfTheRig) {
  // Elastomers with curves and friction along one path: static parts coupled, the others not.
  const auto law = [](double k) {
    return Json{{"model", "elastomer"},
                {"parameters",
                 {{"curve", {{-0.004, -6.0 * k}, {-0.002, -1.2 * k}, {0.0, 0.0}, {0.002, 1.0 * k}, {0.004, 4.0 * k}}},
                  {"rdl", 9e-5},
                  {"rho", 4500.0}}}};
  };
  for (const Coupling coupling : {Coupling::none, Coupling::cylindrical, Coupling::spherical}) {
    Setting s;
    s.coupling = coupling;
    Model model = model_of(s);
    Bushing bushing;
    bushing.coupling = coupling;
    for (std::size_t k = 0; k < 3; ++k) {
      const Json text = law(1000.0 * static_cast<double>(k + 1));
      model.connections[0].laws[k] = axis_law_from_json(text, "law");
      bushing.axes[k] = make_mount(elastomer_from_json(text, "law"));
    }
    const System system(model);
    for (const Vector3& x :
         {Vector3(0.0, 0.0, 0.0), Vector3(1e-3, -2e-3, 5e-4), Vector3(-3e-3, 1e-3, -1e-3), Vector3(0.0, 2e-3, 0.0)}) {
      VectorX q = system.initial_position();
      q.head<3>() = mounted * x;
      Evaluation e;
      system.place(q, VectorX::Zero(system.coordinates()), e);
      system.apply_static_laws(e);
      const auto expected = bushing.static_force({x[0], x[1], x[2], 0.0, 0.0, 0.0});
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(e.load[k], expected[k], 1e-9 * (std::abs(expected[k]) + 1.0));
    }
  }
}

TEST(MultibodyCoupling, ModesHaveTheStiffnessByHand) {
  // A bushing at the centre of mass, pulled aside: translations have the mass and the slopes of the coupled forces,
  // taken here by differences of the formula |x|/r g(sign(x) r).
  Setting s = bent_setting();
  s.coupling = Coupling::spherical;
  s.push = mounted * Vector3(900.0, -800.0, 700.0);  // off the kinks of all three curves
  Model model = model_of(s);
  model.gravity.setZero();
  model.bodies[0].angular_velocity.setZero();
  for (Marker& marker : model.markers) marker.x.setZero();
  model.loads[0].force[1] = TimeSignal(s.push[1]);
  const System system(model);
  const std::vector<Output> outputs = {{OutputKind::load, 0, 0}, {OutputKind::load, 0, 1}, {OutputKind::load, 0, 2}};
  const LinearModel linear = linearise(
      system, true, {{model.loads[0].marker, 0}, {model.loads[0].marker, 1}, {model.loads[0].marker, 2}}, outputs);
  ASSERT_EQ(linear.status, RunStatus::done) << linear.reason;
  const Vector3 x = mounted.transpose() * linear.at.q.head<3>();
  const auto force = [&](const Vector3& u) {
    const double r = u.norm();
    Vector3 f;
    for (int i = 0; i < 3; ++i) {
      const BentLaw<double>& law = s.laws[static_cast<std::size_t>(i)];
      const double z = u[i] < 0.0 ? -r : r;
      f[i] = law.f0 + std::abs(u[i]) / r * (law.k1 * z + law.k2 * z * z + law.k3 * z * z * z);
    }
    return f;
  };
  // In equilibrium with the push.
  EXPECT_LT((mounted * force(x) - s.push).cwiseAbs().maxCoeff(), 1e-7);
  Matrix3 K;
  const double step = 1e-5;
  for (int j = 0; j < 3; ++j) {
    const Vector3 d = step * Vector3::Unit(j);
    K.col(j) = (8.0 * (force(x + d) - force(x - d)) - (force(x + 2.0 * d) - force(x - 2.0 * d))) / (12.0 * step);
  }
  const Matrix3 turned = mounted * K * mounted.transpose();
  const double size = K.cwiseAbs().maxCoeff();
  // Differences of fourth order: (step/r)^4 = 1e-10 and rounding 1e-13/1e-5 over the size.
  EXPECT_LT((linear.K.topLeftCorner<3, 3>() - turned).cwiseAbs().maxCoeff(), 1e-8 * size);
  EXPECT_GT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-2 * size);  // no potential, no symmetry
  // At a low frequency the loads balance the forces put in.
  const Eigen::MatrixXcd y = frequency_response(linear, 1e-3);
  EXPECT_LT((y - mounted.transpose().cast<std::complex<double>>()).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MultibodyCoupling, KeepsEnergyWhereThereIsAPotential) {
  // Odd curves that differ by a line, no damping: the total stays, up to the second order of the scheme.
  Setting s = odd_setting(Coupling::spherical);
  for (auto& law : s.laws) law.k3 = 4e10, law.c = 0.0;
  s.laws[1].f0 = 25.0;
  Model model = model_of(s);
  for (std::size_t k = 3; k < 6; ++k) model.connections[0].laws[k] = kelvin_voigt_law(turning_stiffness, 0.0);
  model.bodies[0].velocity = {0.3, -0.4, 0.2};
  model.loads.clear();
  double before = 0.0;
  for (const double step : {4e-4, 2e-4, 1e-4}) {
    const System system(model);
    EXPECT_TRUE(system.bushings_without_potential().empty());
    RunOptions options;
    options.step_s = step;
    options.duration_s = 0.2;
    options.rho_infinity = 1.0;
    options.tolerance = 1e-13;
    std::optional<double> first;
    double drift = 0.0, most = 0.0;
    simulate(
        system, options,
        [&](const RunState& now, const Evaluation& e) {
          const auto energy = system.energy(now.q, now.v, now.laws, e);
          const double total = energy.kinetic + energy.gravity + energy.connections;
          if (!first) first = total;
          drift = std::max(drift, std::abs(total - *first));
          most = std::max(most, energy.connections);
        },
        silent_progress());
    EXPECT_GT(most, 1.0);
    if (before > 0.0) {
      EXPECT_LT(drift, before / 3.5);
    }
    before = drift;
  }
  // Some joules at 250 rad/s: (omega h)^2/12 = 5e-5 of them.
  EXPECT_LT(before, 5e-4);
}

TEST(MultibodyCoupling, EnergyIsTheWorkOfTheLoads) {
  // Work from zero to a point by Gauss-Legendre with three nodes: exact for the cubic loads along a straight way.
  Setting s = odd_setting(Coupling::cylindrical);
  for (auto& law : s.laws) law.k3 = 4e10;
  s.laws[0].f0 = -40.0;
  s.laws[2].f0 = 25.0, s.laws[2].k2 = 3e7, s.laws[2].k3 = 1e10;  // not coupled: anything
  const System system(model_of(s));
  const auto at = [&](const Vector3& x, Vector3* load) {
    VectorX q = system.initial_position();
    q.head<3>() = mounted * x;
    Evaluation e;
    system.place(q, VectorX::Zero(system.coordinates()), e);
    system.apply_static_laws(e);
    if (load) *load = {e.load[0], e.load[1], e.load[2]};
    LawState laws;
    laws.memory.resize(system.axes().size());
    return system.energy(q, VectorX::Zero(system.coordinates()), laws, e).connections;
  };
  for (const Vector3& x : {Vector3(2e-3, -1e-3, 1e-3), Vector3(-1e-3, 0.0, -2e-3), Vector3(0.0, 0.0, 1e-3)}) {
    double work = 0.0;
    const double node = std::sqrt(0.6);
    for (const auto& [place, weight] : {std::pair{-node, 5.0 / 18.0}, {0.0, 4.0 / 9.0}, {node, 5.0 / 18.0}}) {
      Vector3 load;
      at((0.5 + 0.5 * place) * x, &load);
      work += weight * load.dot(x);
    }
    EXPECT_NEAR(at(x, nullptr) - at(Vector3::Zero(), nullptr), work, 1e-13);
  }
}

TEST(MultibodyCoupling, SaysWhereEnergyIsUnknown) {
  const auto names = [](const Setting& s) { return System(model_of(s)).bushings_without_potential(); };
  EXPECT_EQ(names(odd_setting(Coupling::cylindrical)), std::vector<std::string>{"mount"});
  EXPECT_TRUE(names(odd_setting(Coupling::none)).empty());
  Setting equal = odd_setting(Coupling::cylindrical);
  equal.laws[1] = equal.laws[0];
  EXPECT_TRUE(names(equal).empty());
  equal.coupling = Coupling::spherical;  // z has another curve
  EXPECT_EQ(names(equal).size(), 1u);
  equal.coupling = Coupling::cylindrical;
  equal.laws[0].k2 = equal.laws[1].k2 = 1e7;  // equal, not odd
  EXPECT_EQ(names(equal).size(), 1u);
  const System system(model_of(equal));
  const VectorX q = system.initial_position(), v = VectorX::Zero(system.coordinates());
  Evaluation e;
  system.place(q, v, e);
  LawState laws;
  laws.memory.resize(system.axes().size());
  EXPECT_TRUE(std::isnan(system.energy(q, v, laws, e).connections));
}

TEST(MultibodyCoupling, StaticEnergyOfEveryLawIsTheWorkOfItsStaticForce) {
  // What coupling rests on: energy at rest at u less that at 0 is the integral of the static force (Simpson, smooth
  // pieces).
  const Json rubber = {{"model", "elastomer"}, {"parameters", {{"static_stiffness", 2e5}}}};
  const std::vector<Json> laws = {
      {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 2e5}, {"damping", 10.0}}}},
      {{"model", "maxwell"},
       {"parameters", {{"static_stiffness", 2e5}, {"stiffness", {6e4}}, {"relaxation_time", {2e-3}}}}},
      {{"model", "fractional_zener"},
       {"parameters", {{"static_stiffness", 2e5}, {"hardening", 1.5}, {"relaxation_time", 2e-3}, {"order", 0.45}}}},
      rubber,
      {{"model", "elastomer"}, {"parameters", {{"curve", {{-0.004, -4000.0}, {0.0, 0.0}, {0.004, 3000.0}}}}}},
      {{"model", "hydromount"},
       {"main_rubber", rubber},
       {"chamber_rubber", rubber},
       {"parameters",
        {{"chamber_area", 8.6e-3},
         {"channel_area", 8.2e-5},
         {"channel_length", 0.25},
         {"fluid_density", 950.0},
         {"fluid_damping_linear", 0.33},
         {"fluid_damping_nonlinear", 0.0}}}}};
  for (const Json& text : laws) {
    const auto law = axis_law_from_json(text, "law");
    const std::vector<double> none(static_cast<std::size_t>(law->state_count()), 0.0);
    const auto energy = [&](double u) { return law->stored_energy(u, none.data(), law->start(u)).value(); };
    for (const double u : {-2e-3, 1e-3, 3e-3}) {
      double work = 0.0;
      const int n = 200;
      for (int i = 0; i < n; ++i) {
        const double a = u * i / n, b = u * (i + 1) / n;
        work += (b - a) / 6.0 * (law->static_force(a) + 4.0 * law->static_force(0.5 * (a + b)) + law->static_force(b));
      }
      EXPECT_NEAR(energy(u) - energy(0.0), work, 1e-10 * std::abs(work)) << text["model"];
    }
  }
}

}  // namespace
}  // namespace kdyn::mbs
