// SPDX-License-Identifier: Apache-2.0
// Contacts of spheres with planes and with each other: against integration of the contact law by itself, closed forms of
// rolling and sliding, momentum and energy.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

constexpr double g = 9.81;

struct End {
  VectorX q, v;
  RunResult run;
};
End run(const Json& model, const std::function<void(const RunState&, const Evaluation&)>& look = {}) {
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  End out;
  out.run = simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        out.q = s.q, out.v = s.v;
        if (look) look(s, e);
      },
      silent_progress());
  EXPECT_EQ(out.run.status, RunStatus::done) << out.run.reason;
  return out;
}
// Angular velocity in global axes of the body whose coordinates begin at `at`.
Vector3 spin(const End& end, int at) {
  const Eigen::Map<const Matrix3> A(end.q.data() + at + 3), rate(end.v.data() + at + 3);
  return vect(rate * A.transpose());
}

Json ball(const std::string& name, double mass, double radius, const Vector3& at, const Vector3& velocity) {
  const double J = 0.4 * mass * radius * radius;
  return {{"name", name},
          {"mass", mass},
          {"inertia", {J, J, J}},
          {"position", {at.x(), at.y(), at.z()}},
          {"velocity", {velocity.x(), velocity.y(), velocity.z()}}};
}

// A ball falls onto the floor and bounces: position and velocity against Runge and Kutta's integration of
// m z'' = -m g + k s^1.5 max(0, 1 + d s') with a fiftieth of the step.
TEST(Contact, ABouncingBallMeetsItsOwnEquation) {
  const double m = 0.5, r = 0.05, k = 4e5, d = 0.3;
  const Json model = {{"gravity", {0, 0, -g}},
                      {"run", {{"step_s", 2e-5}, {"duration_s", 0.45}}},
                      {"bodies", {ball("ball", m, r, {0, 0, 0.25}, {0, 0, 0})}},
                      {"contacts",
                       {{{"name", "touch"},
                         {"markers", {{{"body", "ground"}}, {{"body", "ball"}}}},
                         {"radius", r},
                         {"stiffness", k},
                         {"damping", d}}}}};
  double z = 0.25, v = 0.0, t = 0.0, worst = 0.0, highest = 0.0, lowest_force = 0.0;
  const auto a = [&](double at, double rate) {
    const double s = r - at;
    return -g + (s > 0.0 ? k * std::pow(s, 1.5) * std::max(0.0, 1.0 - d * rate) / m : 0.0);
  };
  const End end = run(model, [&](const RunState& s, const Evaluation& e) {
    while (t < s.t - 1e-12) {
      const double h = 4e-7;
      const double k1 = v, l1 = a(z, v), k2 = v + 0.5 * h * l1, l2 = a(z + 0.5 * h * k1, k2), k3 = v + 0.5 * h * l2,
                   l3 = a(z + 0.5 * h * k2, k3), k4 = v + h * l3, l4 = a(z + h * k3, k4);
      z += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
      v += h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0;
      t += h;
    }
    worst = std::max(worst, std::abs(s.q[2] - z));
    if (s.t > 0.25) highest = std::max(highest, s.q[2]);
    for (const double f : e.formula) lowest_force = std::min(lowest_force, -f);  // a push is a negative load
  });
  // Contact lasts some 12 ms: (pi h/12 ms)^2/12 of the change of speed (4 m/s), over the 0.2 s that follow.
  EXPECT_LT(worst, 1e-5);
  EXPECT_GE(lowest_force, 0.0);  // never pulls
  // It comes up again, and by less than it fell.
  EXPECT_GT(highest, 0.1);
  EXPECT_LT(highest, 0.24);
  EXPECT_NEAR(end.q[0], 0.0, 1e-12);
}

// The floor may stand askew and sit on a body that is held: the same bounce along its normal.
TEST(Contact, APlaneOnABodyActsAsOneOnTheGround) {
  const double m = 0.5, r = 0.05;
  const auto bounce = [&](const Vector3& turn, bool on_body) {
    const Matrix3 R = rotation_of(turn);
    const Vector3 n = R.col(2), at = 0.1 * n, velocity = -1.5 * n + 0.4 * Vector3(R.col(0));
    Json floor = {{"body", on_body ? "plate" : "ground"}};
    if (!on_body) floor["rotation"] = {turn.x(), turn.y(), turn.z()};
    Json model = {{"run", {{"step_s", 5e-5}, {"duration_s", 0.1}}},
                  {"bodies", {ball("ball", m, r, at, velocity)}},
                  {"contacts",
                   {{{"name", "touch"},
                     {"markers", {floor, {{"body", "ball"}}}},
                     {"radius", r},
                     {"stiffness", 4e5},
                     {"damping", 0.3},
                     {"friction", 0.3},
                     {"slip_speed", 0.1}}}}};
    if (on_body) {
      model["bodies"].push_back({{"name", "plate"},
                                 {"mass", 3.0},
                                 {"inertia", {0.1, 0.1, 0.1}},
                                 {"rotation", {turn.x(), turn.y(), turn.z()}}});
      model["joints"] = {
          {{"name", "weld"},
           {"kind", "fixed"},
           {"markers", {{{"body", "ground"}, {"rotation", {turn.x(), turn.y(), turn.z()}}}, {{"body", "plate"}}}}}};
    }
    const End end = run(model);
    VectorX out(6);
    out << R.transpose() * Vector3(end.v.head<3>()), R.transpose() * spin(end, 0);
    return out;
  };
  const VectorX level = bounce({0, 0, 0}, false);
  EXPECT_GT(level[2], 0.5);
  EXPECT_GT(level[4], 0.1);  // it has begun to roll
  // The formulas are the same but for rounding, which Newton's tolerance adds to.
  EXPECT_LT((bounce({0.4, -0.7, 0.2}, false) - level).norm(), 1e-7);
  EXPECT_LT((bounce({0.4, -0.7, 0.2}, true) - level).norm(), 1e-7);
}

Json slope(double angle, double mu, double duration) {
  // Gravity leans instead of the plane; the ball begins where the spring carries it.
  const double m = 2.0, r = 0.1, k = 1e6, s = std::pow(m * g * std::cos(angle) / k, 1.0 / 1.5);
  return {{"gravity", {g * std::sin(angle), 0, -g * std::cos(angle)}},
          {"run", {{"step_s", 1e-4}, {"duration_s", duration}}},
          {"bodies", {ball("ball", m, r, {0, 0, r - s}, {0, 0, 0})}},
          {"contacts",
           {{{"name", "road"},
             {"markers", {{{"body", "ground"}}, {{"body", "ball"}}}},
             {"radius", r},
             {"stiffness", k},
             {"damping", 1.0},
             {"friction", mu},
             {"slip_speed", 5e-3}}}}};
}

// Rolling: a = g sin/(1 + 2/5), with friction 2/7 of what mu = 0.6 gives at most, so that it slips by
// v_s q/sqrt(1 - q^2), q = 2/7 tan(angle)/mu.
TEST(Contact, ABallRollsDownASlope) {
  const double angle = 0.3;
  const End end = run(slope(angle, 0.6, 0.5));
  const double v = g * std::sin(angle) / 1.4 * 0.5, q = 2.0 / 7.0 * std::tan(angle) / 0.6;
  // Until friction is there the ball runs ahead by 2/7 of the slip.
  EXPECT_NEAR(end.v[0], v, 5e-4);
  // Arm of the friction is the radius; the ball sinks in by 0.07 mm, which the closed form does not know: 7e-4.
  EXPECT_NEAR(end.v[0] - 0.1 * spin(end, 0).y(), 5e-3 * q / std::sqrt(1.0 - q * q), 1e-5);
}

// Sliding: a = g (sin - mu cos), spin from friction alone: 5 mu g cos/(2 r).
TEST(Contact, ABallSlidesDownASteepSlope) {
  const double angle = 0.9, mu = 0.1;
  const End end = run(slope(angle, mu, 0.5));
  EXPECT_NEAR(end.v[0], g * (std::sin(angle) - mu * std::cos(angle)) * 0.5, 2e-3);
  EXPECT_NEAR(spin(end, 0).y(), 2.5 * mu * g * std::cos(angle) / 0.1 * 0.5, 2e-2);
}

// Two balls meet off centre: momentum and moment of momentum stay, energy falls.
TEST(Contact, TwoBallsKeepTheirMomentum) {
  const double r1 = 0.04, r2 = 0.06;
  Json model = {
      {"run", {{"step_s", 2e-5}, {"duration_s", 0.05}, {"tolerance", 1e-12}}},
      {"bodies", {ball("one", 0.3, r1, {0, 0, 0}, {2, 0, 0}), ball("two", 0.8, r2, {0.12, 0.03, 0.02}, {-1, 0.2, 0})}},
      {"contacts",
       {{{"name", "hit"},
         {"markers", {{{"body", "one"}}, {{"body", "two"}}}},
         {"radii", {r1, r2}},
         {"stiffness", 1e6},
         {"damping", 0.2}}}}};
  model["bodies"][0]["angular_velocity"] = {5, 20, -30};
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  Vector3 p0, L0, p, L;
  double energy0 = -1.0, energy = 0.0, risen = 0.0;
  const auto body = [&](const RunState& s, int b, double m, double r) {
    const int at = system.q_at(b);
    const Vector3 x = s.q.segment<3>(at), v = s.v.segment<3>(at);
    const Eigen::Map<const Matrix3> A(s.q.data() + at + 3), rate(s.v.data() + at + 3);
    const Vector3 w = vect(rate * A.transpose());
    const double J = 0.4 * m * r * r;
    p += m * v, L += m * x.cross(v) + J * w;
    energy += 0.5 * m * v.squaredNorm() + 0.5 * J * w.squaredNorm();
  };
  double touched = 0.0;
  const RunResult result = simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        p.setZero(), L.setZero(), energy = 0.0;
        body(s, 0, 0.3, r1), body(s, 1, 0.8, r2);
        double force = 0.0;
        for (const double f : e.formula) force = std::max(force, std::abs(f));
        touched = std::max(touched, force);
        if (energy0 < 0.0) p0 = p, L0 = L, energy0 = energy;
        risen = std::max(risen, energy - energy0);
      },
      silent_progress());
  ASSERT_EQ(result.status, RunStatus::done) << result.reason;
  EXPECT_GT(touched, 100.0);
  EXPECT_LT((p - p0).norm(), 1e-9 * p0.norm());
  // Moment of momentum of the scheme is of second order; 1e-5 of it at these steps.
  EXPECT_LT((L - L0).norm(), 1e-5 * L0.norm());
  EXPECT_LT(energy, 0.98 * energy0);
  EXPECT_LT(risen, 1e-9);
}

// A spinning ball on a free plate, friction between them: momentum and moment of momentum stay, and energy falls.
TEST(Contact, APlateThatIsFreeTakesWhatTheBallLoses) {
  const double m = 0.5, r = 0.05, M = 1.5;
  Json model = {{"run", {{"step_s", 2e-5}, {"duration_s", 0.06}, {"tolerance", 1e-12}}},
                {"bodies",
                 {ball("ball", m, r, {0.03, 0.02, 0.06}, {0.4, 0.1, -1.5}),
                  {{"name", "plate"}, {"mass", M}, {"inertia", {0.02, 0.03, 0.04}}, {"angular_velocity", {1, -2, 3}}}}},
                {"contacts",
                 {{{"name", "touch"},
                   {"markers", {{{"body", "plate"}}, {{"body", "ball"}}}},
                   {"radius", r},
                   {"stiffness", 4e5},
                   {"damping", 0.3},
                   {"friction", 0.5},
                   {"slip_speed", 0.1}}}}};
  model["bodies"][0]["angular_velocity"] = {40, 25, -10};
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  Vector3 p0, L0, p, L;
  double energy0 = -1.0, energy = 0.0, turned = 0.0;
  const Matrix3 J[2] = {0.4 * m * r * r * Matrix3::Identity(), Vector3(0.02, 0.03, 0.04).asDiagonal()};
  const RunResult result = simulate(
      system, file.run,
      [&](const RunState& s, const Evaluation& e) {
        p.setZero(), L.setZero(), energy = 0.0;
        for (int b = 0; b < 2; ++b) {
          const int at = system.q_at(b);
          const Vector3 x = s.q.segment<3>(at), v = s.v.segment<3>(at);
          const Eigen::Map<const Matrix3> A(s.q.data() + at + 3), rate(s.v.data() + at + 3);
          const Vector3 w = vect(rate * A.transpose()), spin = A * J[b] * A.transpose() * w;
          const double mass = b == 0 ? m : M;
          p += mass * v, L += mass * x.cross(v) + spin;
          energy += 0.5 * mass * v.squaredNorm() + 0.5 * w.dot(spin);
        }
        if (energy0 < 0.0) p0 = p, L0 = L, energy0 = energy;
        for (const double f : e.formula) turned = std::max(turned, std::abs(f));
      },
      silent_progress());
  ASSERT_EQ(result.status, RunStatus::done) << result.reason;
  EXPECT_GT(turned, 10.0);
  EXPECT_LT((p - p0).norm(), 1e-9);
  // Second order in the turn of a step (1e-3), of the spin of the ball and of the plate.
  EXPECT_LT((L - L0).norm(), 1e-5 * L0.norm());
  EXPECT_LT(energy, 0.98 * energy0);
}

// One factorisation in every iteration converges quadratically: slopes of the spin, and how its torques turn, are right.
TEST(Contact, TheTangentIsExact) {
  Json model = slope(0.3, 0.4, 0.1);
  model["run"]["full_newton"] = true, model["run"]["tolerance"] = 1e-13;
  model["bodies"][0]["angular_velocity"] = {3, -20, 7};
  const End end = run(model);
  EXPECT_LE(end.run.counts.iterations, 4 * end.run.counts.steps);
}

// Drag by formula, -c v|v|: a body falls with v = v_e tanh(g t/v_e), v_e = sqrt(m g/c).
TEST(Contact, DragByFormulaBringsAFallToItsSpeed) {
  const double m = 2.0, c = 0.05, limit = std::sqrt(m * g / c);
  const Json model = {{"gravity", {0, 0, -g}},
                      {"run", {{"step_s", 5e-3}, {"duration_s", 3.0}}},
                      {"bodies", {ball("drop", m, 0.1, {0, 0, 0}, {0, 0, 0})}},
                      {"loads",
                       {{{"name", "air"},
                         {"marker", {{"body", "drop"}}},
                         {"force", {0, 0, "-0.05*drop.velocity.z*abs(drop.velocity.z)"}}}}}};
  EXPECT_NEAR(run(model).v[2], -limit * std::tanh(g * 3.0 / limit), 1e-5 * limit);
}

TEST(Contact, WrongContactsAreRefusedByName) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json model = {{"bodies", {ball("ball", 1.0, 0.1, {0, 0, 1}, {0, 0, 0})}},
                  {"contacts",
                   {{{"name", "touch"},
                     {"markers", {{{"body", "ground"}}, {{"body", "ball"}}}},
                     {"radius", 0.1},
                     {"stiffness", 1e5}}}}};
    change(model["contacts"][0]);
    try {
      model_from_json(model, "model");
    } catch (const Error& error) {
      return error.where() + ": " + error.message();
    }
    return std::string("nothing");
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(refused([](Json&) {}), "nothing");
  EXPECT_PRED2(has, refused([](Json& c) { c.erase("radius"); }), "radius or radii");
  EXPECT_PRED2(has, refused([](Json& c) { c["stiffness"] = 0; }), "stiffness");
  EXPECT_PRED2(has, refused([](Json& c) { c["exponent"] = 0.5; }), "exponent");
  EXPECT_PRED2(has, refused([](Json& c) { c["friction"] = -0.1; }), "friction");
  EXPECT_PRED2(has, refused([](Json& c) { c["frction"] = 0.1; }), "unknown field");
}

}  // namespace
}  // namespace kdyn::mbs
