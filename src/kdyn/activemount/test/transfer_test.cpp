// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/transfer.hpp"
#include "kdyn/numerics/dense.hpp"

#include <gtest/gtest.h>

#include "kdyn/activemount/poles.hpp"
#include "kdyn/activemount/test/reference.hpp"
#include "kdyn/element/linearise.hpp"

namespace kdyn::inline activemount {
namespace {

using C = std::complex<double>;

C plain(const Complex<double>& z) { return {z.re, z.im}; }

// Response of the state space, an independent formulation of the closed forms.
C from_states(const ActiveStateSpace& s, ActivePath path, double frequency_hz) {
  const C iw(0.0, 2.0 * std::numbers::pi * frequency_hz);
  const Eigen::Matrix<C, 7, 7> resolvent = iw * Eigen::Matrix<C, 7, 7>::Identity() - s.A.cast<C>();
  Eigen::Matrix<C, 3, 1> input = Eigen::Matrix<C, 3, 1>::Zero();
  if (is_passive(path))
    input << 1.0, iw, 0.0;
  else
    input(2) = 1.0;
  const int row = path == ActivePath::P_xx || path == ActivePath::S_x ? 0 : 1;
  const Eigen::Matrix<C, 7, 1> x = resolvent.partialPivLu().solve(s.B.cast<C>() * input);
  return (s.C.row(row).cast<C>() * x + s.D.row(row).cast<C>() * input)(0);
}

TEST(ActiveTransfer, MeetsTheReferenceOfEverySet) {
  for (const auto& [key, set] : reference()["transfer"].items()) {
    const ActiveMount<double> law = mount_named(key);
    for (std::size_t i = 0; i < reference()["frequencies_Hz"].size(); ++i) {
      const auto all = active_responses(law, reference()["frequencies_Hz"][i].get<double>());
      for (const ActivePath path : active_paths) {
        const C expected = complex_of(set[to_string(path)][i]), got = plain(all[static_cast<std::size_t>(path)]);
        // Both sides are double evaluations of one rational function of condition below 1e3.
        EXPECT_LT(std::abs(got - expected), 1e-10 * std::abs(expected)) << key << " " << to_string(path) << " " << i;
      }
    }
  }
}

TEST(ActiveTransfer, MeetsTheUndampedReference) {
  const ActiveMount<double> law = undamped(nominal_mount());
  for (std::size_t i = 0; i < reference()["frequencies_Hz"].size(); ++i) {
    const auto all = active_responses(law, reference()["frequencies_Hz"][i].get<double>());
    for (const ActivePath path : active_paths) {
      const C expected = complex_of(reference()["transfer_undamped"][to_string(path)][i]);
      // Close to an undamped resonance (10 Hz) digits are lost: 1e-9.
      EXPECT_LT(std::abs(plain(all[static_cast<std::size_t>(path)]) - expected), 1e-9 * std::abs(expected))
          << to_string(path) << " " << i;
    }
  }
}

TEST(ActiveTransfer, ClosedFormsAgreeWithTheStateSpaceOfTheLaw) {
  for (const char* key : {"nominal", "0C", "65C"}) {
    const ActiveMount<double> law = mount_named(key);
    const ActiveStateSpace states = state_space_of(law);
    for (const double f : {0.1, 1.0, 9.5, 33.0, 120.0, 281.0, 700.0})
      for (const ActivePath path : active_paths) {
        const C closed = plain(active_responses(law, f)[static_cast<std::size_t>(path)]),
                state = from_states(states, path, f);
        EXPECT_LT(std::abs(closed - state), 1e-11 * std::abs(closed)) << key << " " << to_string(path) << " " << f;
      }
  }
}

// P_xx + P_yx = -mA s^2 xA/xT and S_x + S_y = -mA s^2 xA/U: the difference of the two forces is the actuator's inertia,
// nothing else.
TEST(ActiveTransfer, ForceDifferenceIsTheInertiaOfTheActuator) {
  const ActiveMount<double> law = nominal_mount();
  for (const double f : {2.0, 12.0, 80.0, 250.0, 400.0}) {
    const double omega = 2.0 * std::numbers::pi * f;
    const auto all = active_responses(law, f);
    const ActiveOperators<double> o(law, omega);
    const C sum = plain(o.sum), CA = plain(o.CA);
    const C per_displacement = law.AT * law.AA / (CA * sum);  // p = -AT/S xT, xA = -p AA/CA
    const C per_volt = law.kM / (plain(o.coil) * CA) * (1.0 - law.AA * law.AA / (CA * sum));
    EXPECT_LT(std::abs(plain(all[0]) + plain(all[1]) - law.mA * omega * omega * per_displacement),
              1e-12 * std::abs(plain(all[1])));
    EXPECT_LT(std::abs(plain(all[2]) + plain(all[3]) - law.mA * omega * omega * per_volt),
              1e-12 * std::abs(plain(all[3])));
  }
}

TEST(ActiveTransfer, LinearisedElementIsTheTransferStiffness) {
  const ActiveMount<double> law = nominal_mount();
  const auto linear = linearise(law, 3e-4);
  for (const double f : {1.0, 10.0, 100.0}) {
    const C expected = plain(active_responses(law, f)[1]);
    EXPECT_LT(std::abs(linear.stiffness(f) - expected), 1e-10 * std::abs(expected));
  }
}

// [activemount E7] Energy balance on the engine side, where the work is done: -fx v = dE/dt + losses, losses never
// negative.
TEST(ActiveLaw, EnergyIsNotCreated) {
  const ActiveMount<double> law = nominal_mount();
  const auto memory = law.start(0.0);
  std::array<double, 7> x{};
  const double h = 1e-4;
  double work = 0.0, before_power = 0.0;
  Motion<double> from{};
  for (int i = 1; i <= 4000; ++i) {
    const double t = i * h;
    const double u = 1e-4 * (std::sin(60.0 * t) + 0.3 * std::sin(900.0 * t)),
                 v = 1e-4 * (60.0 * std::cos(60.0 * t) + 270.0 * std::cos(900.0 * t));
    const Motion<double> to{u, v};
    if (i == 1) from = {0.0, 1e-4 * 330.0};
    const double power = -law.integrate(x.data(), memory, from, to, 0.0, h).x * to.v;
    work += 0.5 * h * (power + before_power);
    before_power = power;
    from = to;
    // The trapezoid rule errs by (900 h)^2/12 = 7e-4 of the power that flows back and forth (1e-3 J).
    EXPECT_GT(work, law.energy_behind_engine_side(u, x.data(), memory) - 1e-6) << t;
  }
}

}  // namespace
}  // namespace kdyn::inline activemount
