// SPDX-License-Identifier: Apache-2.0
// The second formulation: all natural coordinates as unknowns, every multiplier explicit (orthonormality and gamma
// conditions too), dense Newton on the scaled system with a differenced matrix. Nothing of the condensed form enters:
// no tangent basis, no projection.
#include <gtest/gtest.h>

#include "cases.hpp"

namespace kdyn::mbs {
namespace {

// Conditions inside the bodies: 1/2 (a_i . a_i - 1), a_i . a_j, gamma_k - delta_k A.
VectorX inner_conditions(const System& system, const VectorX& q) {
  std::vector<double> phi;
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b) {
    const int n = system.modes(static_cast<int>(b));
    const double* x = q.data() + system.q_at(static_cast<int>(b));
    const Eigen::Map<const Matrix3> A(x + 3);
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) phi.push_back(i == j ? 0.5 * (A.col(i).squaredNorm() - 1.0) : A.col(i).dot(A.col(j)));
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 9; ++i) phi.push_back(x[12 + 9 * k + i] - x[12 + 9 * n + k] * A.data()[i]);
  }
  return Eigen::Map<const VectorX>(phi.data(), static_cast<Eigen::Index>(phi.size()));
}

class FullRun {
 public:
  FullRun(const System& system, const RunOptions& options) : system_(system), s_(options.rho_infinity, options.step_s) {
    Run start(system, options);
    EXPECT_EQ(start.start().status, RunStatus::done);
    now_ = start.state();
    inner_ = VectorX::Zero(inner_conditions(system, now_.q).size());
  }
  const RunState& state() const { return now_; }
  const Evaluation& evaluation() const { return e_; }

  void step() {
    const auto nq = now_.q.size(), nl = now_.lambda.size(), ni = inner_.size();
    q_const_ = now_.q + s_.h * now_.v + s_.h * s_.h * (0.5 - s_.b) * now_.a;
    scheme_.h = s_.h;
    scheme_.c = s_.c_w;
    const LawState& from = now_.laws;
    scheme_.offset = (1.0 - s_.am1) / (1.0 - s_.af1) * (-(from.w + s_.h * (1.0 - s_.g1) * from.b) / (s_.g1 * s_.h)) +
                     (s_.am1 * from.b - s_.af1 * from.wd) / (1.0 - s_.af1);
    e_.w = from.w;
    e_.wd = from.wd;
    // Unknowns: acceleration variable a, then multipliers scaled by the step.
    VectorX z(nq + nl + ni);
    z << now_.a, now_.lambda, inner_;
    for (int i = 0; i < 12; ++i) {
      const VectorX r = residual(z);
      if (i == 0) {
        MatrixX T(z.size(), z.size());
        for (Eigen::Index k = 0; k < z.size(); ++k) {
          // The multipliers enter linearly, accelerations nearly so.
          const double d = k < nq ? 1e-2 : 1.0;
          VectorX up = z, down = z;
          up[k] += d, down[k] -= d;
          T.col(k) = (residual(up) - residual(down)) / (2.0 * d);
        }
        lu_.compute(T);
      }
      const VectorX change = lu_.solve(-r);
      z += change;
      // Multipliers too: they can lag behind a position that is right.
      if (change.cwiseAbs().maxCoeff() < 1e-10 * (1.0 + z.cwiseAbs().maxCoeff())) break;
    }
    residual(z);
    for (std::size_t k = 0; k < system_.axes().size(); ++k) {
      const Axis& axis = system_.axes()[k];
      const BushingMeasure& m = e_.measure[static_cast<std::size_t>(axis.connection)];
      now_.laws.motion[k] = {m.x[axis.component], m.rate[axis.component]};
    }
    if (now_.laws.w.size() > 0) {
      const VectorX b = (e_.w - now_.laws.w - s_.h * (1.0 - s_.g1) * now_.laws.b) / (s_.g1 * s_.h);
      now_.laws.b = b;
      now_.laws.w = e_.w;
      now_.laws.wd = e_.wd;
    }
    now_.q = q_, now_.v = v_, now_.vd = vd_, now_.a = z.head(nq);
    now_.lambda = z.segment(nq, nl);
    inner_ = z.tail(ni);
    now_.t += s_.h;
  }

 private:
  VectorX residual(const VectorX& z) {
    const auto nq = now_.q.size(), nl = now_.lambda.size(), ni = inner_.size();
    const VectorX a = z.head(nq), lambda = z.segment(nq, nl), inner = z.tail(ni);
    q_ = q_const_ + s_.b * s_.h * s_.h * a;
    v_ = now_.v + s_.h * ((1.0 - s_.g) * now_.a + s_.g * a);
    vd_ = ((1.0 - s_.am) * a + s_.am * now_.a - s_.af * now_.vd) / (1.0 - s_.af);
    system_.place(q_, v_, e_);
    system_.apply_laws(now_.laws, scheme_, e_);
    system_.residual(q_, v_, vd_, lambda, now_.t + s_.h, e_);
    system_.constraints(now_.t + s_.h, e_);
    VectorX r(z.size());
    r.head(nq) = e_.r;
    // Phi_q^T of the inner conditions, written out.
    Eigen::Index row = 0;
    for (std::size_t b = 0; b < system_.model().bodies.size(); ++b) {
      const int n = system_.modes(static_cast<int>(b)), at = system_.q_at(static_cast<int>(b));
      const double* x = q_.data() + at;
      const Eigen::Map<const Matrix3> A(x + 3);
      Eigen::Map<Matrix3> rA(r.data() + at + 3);
      for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j, ++row) {
          rA.col(i) += inner[row] * A.col(j);
          if (i != j) rA.col(j) += inner[row] * A.col(i);
        }
      for (int k = 0; k < n; ++k)
        for (int i = 0; i < 9; ++i, ++row) {
          r[at + 12 + 9 * k + i] += inner[row];
          r[at + 3 + i] -= inner[row] * x[12 + 9 * n + k];
          r[at + 12 + 9 * n + k] -= inner[row] * A.data()[i];
        }
    }
    // Conditions over the square of the step: of the size of accelerations.
    r.segment(nq, nl) = e_.phi / (s_.h * s_.h);
    r.tail(ni) = inner_conditions(system_, q_) / (s_.h * s_.h);
    return r;
  }

  const System& system_;
  Alpha s_;
  RunState now_;
  VectorX inner_, q_const_, q_, v_, vd_;
  Evaluation e_;
  StateScheme scheme_;
  Eigen::PartialPivLU<MatrixX> lu_;
};

void expect_same_solution(const Model& model, RunOptions options, int steps) {
  const System system(model);
  options.tolerance = 1e-13;
  Run condensed(system, options);
  ASSERT_EQ(condensed.start().status, RunStatus::done);
  FullRun full(system, options);
  double worst_q = 0.0, worst_lambda = 0.0, largest_lambda = 0.0;
  for (int n = 0; n < steps; ++n) {
    std::string reason;
    ASSERT_TRUE(condensed.step(reason)) << reason;
    full.step();
    worst_q = std::max(worst_q, (condensed.state().q - full.state().q).cwiseAbs().maxCoeff());
    if (system.multipliers() > 0) {
      worst_lambda = std::max(worst_lambda, (condensed.state().lambda - full.state().lambda).cwiseAbs().maxCoeff());
      largest_lambda = std::max(largest_lambda, full.state().lambda.cwiseAbs().maxCoeff());
    }
  }
  // Both are the same discrete equations: what differs is rounding, amplified in multipliers by 1/h^2.
  EXPECT_LT(worst_q, 1e-10);
  EXPECT_LE(worst_lambda, 1e-6 * largest_lambda);
}

TEST(MultibodyFullCoordinates, SpinningPendulumWithBushing) {
  Model model;
  model.gravity = {0.0, -9.81, 0.0};
  for (int i = 0; i < 2; ++i)
    model.bodies.push_back(
        cases::rigid(2.0, Vector3(0.01, 0.16, 0.17).asDiagonal(), {0.5, 0.0, 0.0}, {1.0 * i, 0.0, 0.0}));
  model.bodies[0].angular_velocity = {0.0, 1.0, 0.0};
  Joint joint;
  joint.kind = JointKind::spherical;
  joint.marker1 = model.add_marker(-1, Vector3::Zero());
  joint.marker2 = model.add_marker(0, Vector3::Zero());
  model.joints.push_back(joint);
  Connection c;
  c.marker1 = model.add_marker(0, {1.0, 0.0, 0.0});
  c.marker2 = model.add_marker(1, Vector3::Zero());
  for (std::size_t k = 0; k < 6; ++k) c.laws[k] = kelvin_voigt_law(k < 3 ? 2e4 : 50.0, k < 3 ? 40.0 : 0.5);
  model.connections.push_back(c);
  RunOptions options;
  options.step_s = 2e-3;
  expect_same_solution(model, options, 150);
}

TEST(MultibodyFullCoordinates, FlexibleBeamOnHystereticBushings) {
  const auto c = cases::build("beam_two_bushings_hyst");
  expect_same_solution(c.model, c.options, 40);
}

}  // namespace
}  // namespace kdyn::mbs
