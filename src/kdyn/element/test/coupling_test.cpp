// SPDX-License-Identifier: Apache-2.0
// Coupling of static forces against its formula written out, its slopes against differences, and the potential against
// its gradient.
#include "kdyn/element/coupling.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "kdyn/base/random.hpp"

namespace kdyn::inline element {
namespace {

// f0 + k1 u + k2 u^2 + k3 u^3, odd when f0 = k2 = 0.
struct Cubic {
  double f0, k1, k2, k3;
  template <class T>
  T operator()(const T& u) const {
    return f0 + u * (k1 + u * (k2 + u * k3));
  }
};
using Curves = std::array<Cubic, 3>;
constexpr Curves bent = {{{30.0, 2e5, 1e7, 4e9}, {-10.0, 3e5, -2e7, 9e9}, {5.0, 5e5, 4e7, -1e9}}};
constexpr Curves odd = {{{0.0, 2e5, 0.0, 4e9}, {0.0, 3e5, 0.0, 4e9}, {0.0, 5e5, 0.0, 4e9}}};

template <class T>
std::array<T, 3> total(Coupling coupling, const Curves& g, const std::array<T, 3>& u) {
  const auto curve = [&](std::size_t i, const T& x) { return g[i](x); };
  auto force = coupling_force(coupling, u.data(), curve);
  for (std::size_t i = 0; i < 3; ++i) force[i] += curve(i, u[i]);
  return force;
}

std::array<std::array<double, 3>, 3> slopes(Coupling coupling, const Curves& g, const std::array<double, 3>& u) {
  const auto force = total(coupling, g, std::array<Jet<3>, 3>{Jet<3>(u[0], 0), Jet<3>(u[1], 1), Jet<3>(u[2], 2)});
  std::array<std::array<double, 3>, 3> out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i][j] = force[i].v[static_cast<int>(j)];
  return out;
}

TEST(Coupling, IsItsFormula) {
  RandomStream random(5);
  for (int n = 0; n < 200; ++n) {
    const std::array<double, 3> u = {random.uniform(-2e-3, 2e-3), random.uniform(-2e-3, 2e-3),
                                     random.uniform(-2e-3, 2e-3)};
    for (const Coupling coupling : {Coupling::none, Coupling::cylindrical, Coupling::spherical}) {
      const auto force = total(coupling, bent, u);
      for (std::size_t i = 0; i < 3; ++i) {
        double expected = bent[i](u[i]);
        if (i < coupled_axes(coupling)) {
          // |x|/r g(sign(x) r), the offset of the curve beside it.
          const double r = coupling == Coupling::spherical ? std::hypot(u[0], u[1], u[2]) : std::hypot(u[0], u[1]);
          expected = bent[i].f0 + std::abs(u[i]) / r * (bent[i](u[i] < 0.0 ? -r : r) - bent[i].f0);
        }
        // Forces reach some hundred newtons and are sums of a few terms.
        EXPECT_NEAR(force[i], expected, 1e-12 * (std::abs(expected) + 100.0));
      }
    }
  }
}

TEST(Coupling, SlopesAreThoseOfDifferences) {
  RandomStream random(6);
  for (int n = 0; n < 100; ++n) {
    std::array<double, 3> u;
    for (double& x : u) x = (random.uniform(0.0, 1.0) < 0.5 ? -1.0 : 1.0) * random.uniform(2e-4, 2e-3);
    for (const Coupling coupling : {Coupling::cylindrical, Coupling::spherical}) {
      const auto exact = slopes(coupling, bent, u);
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t i = 0; i < 3; ++i) {
          const double step = 2e-5;
          const auto at = [&](double factor) {
            auto moved = u;
            moved[j] += factor * step;
            return total(coupling, bent, moved)[i];
          };
          const double difference = (0.8 * (at(1) - at(-1)) - 0.2 * (at(2) - at(-2)) + 4.0 / 105.0 * (at(3) - at(-3)) -
                                     1.0 / 280.0 * (at(4) - at(-4))) /
                                    step;
          // Eighth order: (step/distance to the kink)^8 is 1e-8 at worst, rounding 1e-13 over the step.
          EXPECT_NEAR(exact[i][j], difference, 1e-7 * 3e5);
        }
    }
  }
}

TEST(Coupling, PassesZeroSmoothly) {
  // One displacement passes zero beside the origin: the slope is the secant of the curve at r, from both sides.
  const double y = 1.5e-3, secant = 2e5 + 4e9 * y * y;
  for (const double x : {-1e-9, -1e-300, -0.0, 0.0, 1e-300, 1e-9}) {
    const auto k = slopes(Coupling::cylindrical, odd, {x, y, 2e-3});
    EXPECT_NEAR(k[0][0], secant, 1e-9 * secant);
    EXPECT_NEAR(k[0][1], 2.0 * 4e9 * x * y, 1e-9);
    EXPECT_NEAR(total(Coupling::cylindrical, odd, std::array<double, 3>{x, y, 0.0})[0], secant * x, 1e-12);
  }
  // All of them go to zero: the slopes are those of each curve at zero, whatever the direction.
  for (const double r : {1e-6, 1e-9, 1e-11, 2e-12, 1e-13, 1e-100, 1e-165, 1e-300, 0.0})
    for (const auto& direction :
         {std::array<double, 3>{1.0, 0.0, 0.0}, {0.6, -0.8, 0.0}, {-0.48, 0.6, 0.64}, {0.0, 0.0, -1.0}}) {
      const std::array<double, 3> u = {r * direction[0], r * direction[1], r * direction[2]};
      const auto k = slopes(Coupling::spherical, bent, u);
      const auto force = total(Coupling::spherical, bent, u);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          // The curvature moves the slope by k2 r; the offset of the curve takes its rounding over r, which reaches
          // 1e-9 of k1 at 1e-9 m.
          const double allowed =
              3e-9 * bent[i].k1 + 4.0 * std::abs(bent[i].k2) * r + (r > 1e-12 ? 4e-16 * std::abs(bent[i].f0) / r : 0.0);
          EXPECT_NEAR(k[i][j], i == j ? bent[i].k1 : 0.0, allowed) << r;
          const auto straight = slopes(Coupling::spherical, odd, u);
          EXPECT_NEAR(straight[i][j], i == j ? odd[i].k1 : 0.0, 1e-9 * odd[i].k1 + 3.0 * 4e9 * r * r) << r;
        }
        EXPECT_NEAR(force[i], bent[i].f0, 1e6 * r + 1e-12);
      }
    }
}

TEST(Coupling, IsLinearInTheStaticForces) {
  // By a parameter: dual numbers through the curve, and the formula with dG/dk3 = u^3 in place of G.
  const std::array<double, 3> u = {-7e-4, 4e-4, 1.1e-3};
  const std::array<Jet<1>, 3> fixed = {Jet<1>(u[0]), Jet<1>(u[1]), Jet<1>(u[2])};
  const auto dual = coupling_force(Coupling::spherical, fixed.data(), [](std::size_t i, const Jet<1>& x) {
    return x * (bent[i].k1 + x * (bent[i].k2 + x * Jet<1>(bent[i].k3, 0)));
  });
  const auto direct = coupling_force(Coupling::spherical, u.data(), [](std::size_t, double x) { return x * x * x; });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(dual[i].v[0], direct[i], 1e-14 * std::abs(direct[i]));
}

TEST(Coupling, PotentialOfOddCurvesThatDifferByALine) {
  // V = k r^2/2 + k3 r^4/4 + sum (k_i - k) x_i^2/2 with k of the first curve  [element E13]
  const auto potential = [](const std::array<double, 3>& u) {
    const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    double v = 0.5 * odd[0].k1 * square + 0.25 * 4e9 * square * square;
    for (std::size_t i = 0; i < 3; ++i) v += 0.5 * (odd[i].k1 - odd[0].k1) * u[i] * u[i];
    return v;
  };
  const std::array<double, 3> u = {-7e-4, 4e-4, 1.1e-3};
  const auto force = total(Coupling::spherical, odd, u);
  const auto k = slopes(Coupling::spherical, odd, u);
  for (std::size_t i = 0; i < 3; ++i) {
    const double step = 1e-6;
    auto more = u, less = u;
    more[i] += step;
    less[i] -= step;
    // V is about 0.3 J: rounding 5e-17/step = 5e-11, the cubic term k3 r step^2 = 4e-6.
    EXPECT_NEAR(force[i], (potential(more) - potential(less)) / (2.0 * step), 2e-5);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(k[i][j], k[j][i], 1e-12 * 5e5);
  }
  // Other odd curves have none: mixed slopes differ.
  Curves other = odd;
  other[1].k3 = 9e9;
  const auto unlike = slopes(Coupling::spherical, other, u);
  EXPECT_GT(std::abs(unlike[0][1] - unlike[1][0]), 1e3);
}

}  // namespace
}  // namespace kdyn::inline element
