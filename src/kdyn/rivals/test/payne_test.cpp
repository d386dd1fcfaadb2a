// SPDX-License-Identifier: Apache-2.0
// The Payne law against springs and sliders moved one by one, sliders under a sine in closed form, time runs and
// quadrature.
#include "kdyn/rivals/payne.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <numbers>
#include <numeric>

#include "kdyn/base/random.hpp"

namespace kdyn::inline rivals {
namespace {

using C = std::complex<double>;

struct Shape {
  double onset, tail;
};
const Shape shapes[] = {{1.2, 0.8}, {0.6, 0.3}, {3.0, 1.0}, {0.9, 0.9}};

PayneNetwork<double> network_of(const Shape& shape) { return {4e5, 2e-4, shape.onset, shape.tail}; }

// Slope of the backbone by a dual number; the law itself needs none.
double slope(const PayneNetwork<double>& p, double x) {
  using J = Jet<1>;
  const PayneNetwork<J> dual{J(p.stiffness), J(p.displacement), J(p.onset), J(p.tail)};
  return dual.value(J(x, 0)).v[0];
}

// Springs in series with sliders: spring j has the drop of the slope between two places and yields between them.
struct SliderNetwork {
  std::vector<double> yield, stiffness, stretch;
  double plain = 0.0, u = 0.0, dissipated = 0.0;

  SliderNetwork(const PayneNetwork<double>& p, double smallest, double largest, int elements) {
    const double ratio = std::pow(largest / smallest, 1.0 / elements);
    double edge = smallest, before = p.stiffness;
    for (int j = 0; j <= elements; ++j) {
      const double now = slope(p, edge);
      yield.push_back(j == 0 ? 0.5 * edge : edge / ratio * 0.5 * (1.0 + ratio));
      stiffness.push_back(before - now);
      before = now;
      edge *= ratio;
    }
    stretch.assign(yield.size(), 0.0);
    plain = before;
  }
  double move(double to) {
    double force = plain * to;
    for (std::size_t j = 0; j < yield.size(); ++j) {
      const double wanted = stretch[j] + to - u;
      stretch[j] = std::clamp(wanted, -yield[j], yield[j]);
      dissipated += stiffness[j] * yield[j] * std::abs(wanted - stretch[j]);
      force += stiffness[j] * stretch[j];
    }
    u = to;
    return force;
  }
  double stored() const {
    double sum = 0.5 * plain * u * u;
    for (std::size_t j = 0; j < yield.size(); ++j) sum += 0.5 * stiffness[j] * stretch[j] * stretch[j];
    return sum;
  }
  // A slider under a sine, by hand: stuck over the angle t of each half, cos(t) = 1 - 2 y/a.
  C harmonic(double a) const {
    C K = plain;
    for (std::size_t j = 0; j < yield.size(); ++j) {
      if (a <= yield[j]) {
        K += stiffness[j];
        continue;
      }
      const double t = std::acos(1.0 - 2.0 * yield[j] / a);
      K += stiffness[j] / std::numbers::pi * C(t - std::sin(t) * std::cos(t), std::sin(t) * std::sin(t));
    }
    return K;
  }
};

// Work along a monotone move: Gauss' rule on pieces that shrink towards the start, where the branch is not smooth, and
// end at kinks.
double work_to(const PayneNetwork<double>& p, MasingMemory<double>& memory, double to) {
  double work = 0.0;
  const int direction = to > memory.last().u ? 1 : -1;
  while (direction * (to - memory.last().u) > 0.0) {
    const auto kink = memory.branch_end(direction);
    const double from = memory.last().u,
                 end = kink && direction * (to - *kink) > 0.0 && direction * (*kink - from) > 0.0 ? *kink : to;
    double begin = 0.0;
    for (int i = 12; i >= 0; --i) {
      const double upto = std::pow(0.3, i) * (end - from);
      work += integrate(upto - begin, [&](double x) { return memory.peek(p, from + begin + x); });
      begin = upto;
    }
    memory.commit(p, end);
  }
  return work;
}

TEST(PayneNetwork, IsARowOfSliders) {
  // 8 000 elements over nine decades lie 0.26 % apart: the midpoint rule leaves (0.26 %)^2/12 of each, some of the 6e-7
  // adding up.
  constexpr double tolerance = 3e-6;
  RandomStream random(77);
  for (const Shape& shape : shapes)
    for (int path = 0; path < 4; ++path) {
      const PayneNetwork<double> p = network_of(shape);
      SliderNetwork sliders(p, 1e-10, 0.1, 8000);
      // [rivals E12]; an element is the difference of two slopes, each rounded.
      const double slope = std::accumulate(sliders.stiffness.begin(), sliders.stiffness.end(), sliders.plain);
      ASSERT_GE(*std::min_element(sliders.stiffness.begin(), sliders.stiffness.end()),
                -2.0 * std::numeric_limits<double>::epsilon() * slope);
      ASSERT_GE(sliders.plain, 0.0);
      MasingMemory<double> memory(0.0);
      const double size = std::pow(10.0, random.uniform(-5.0, -2.0)), scale = p.value(size);
      double work = 0.0;
      for (int i = 0; i < 25; ++i) {
        const double u = size * random.uniform(-1.0, 1.0);
        work += work_to(p, memory, u);
        EXPECT_NEAR(memory.last().y, sliders.move(u), tolerance * scale);
        EXPECT_NEAR(memory.stored_energy(p), sliders.stored(), tolerance * scale * size);
        EXPECT_NEAR(work - memory.stored_energy(p), sliders.dissipated, 25 * tolerance * scale * size);
      }
    }
}

TEST(PayneNetwork, HarmonicIsThatOfTheSliders) {
  for (const Shape& shape : shapes) {
    Payne<double> law;
    law.onset_exponent = shape.onset;
    law.tail_exponent = shape.tail;
    law.link_stiffness = 0.0;
    const SliderNetwork sliders(law.network(), 1e-12, 1.0, 20000);
    for (const double a : {1e-6, 3e-5, 2e-4, 1e-3, 2e-2}) {
      const Complex<double> K = law.harmonic(30.0, a);
      // Elements 0.14 % apart leave 2e-7 of the network each; where a falls inside one the acos makes it 1e-5 of that
      // element.
      EXPECT_LT(std::abs(C(K.re - law.static_stiffness, K.im) - sliders.harmonic(a)), 2e-6 * law.payne_stiffness)
          << shape.onset << " " << a;
    }
  }
}

TEST(PayneNetwork, TipsFollowKraus) {
  // s = p: the secant of the backbone is k_p/(1 + (x/x_c)^(2m)); s = 1 saturates at k_p x_c.
  for (const double m : {0.2, 0.4, 0.5}) {
    const PayneNetwork<double> p{4e5, 2e-4, 2.0 * m, 2.0 * m};
    for (const double x : {1e-7, 1e-4, 2e-4, 5e-3, 3.0})
      EXPECT_NEAR(p.value(x) / x, 4e5 / (1.0 + std::pow(x / 2e-4, 2.0 * m)), 1e-9 * p.value(x) / x);
  }
  const PayneNetwork<double> limited{4e5, 2e-4, 2.0, 1.0};
  EXPECT_NEAR(limited.value(1e3), 80.0, 1e-10);
  EXPECT_EQ(limited.value(-1e3), -limited.value(1e3));
  EXPECT_EQ(limited.value(0.0), 0.0);
  // Far beyond any double of X = (x/x_c)^p.
  const PayneNetwork<double> sharp{4e5, 1e-40, 10.0, 0.5};
  EXPECT_NEAR(sharp.value(1.0), 4e5 * 1e-20, 1e-10 * 4e-15);
}

TEST(PayneNetwork, AreaIsTheIntegralOfTheBackbone) {
  for (const Shape& shape : shapes) {
    const PayneNetwork<double> p = network_of(shape);
    for (const double x : {1e-9, 5e-5, 1.999e-4, 2.001e-4, 4e-3, 10.0}) {
      // Graded Gauss panels from 1e-18 of the way: what is left out is 1e-36 of the whole.
      double sum = 0.0, begin = 0.0;
      for (int i = 60; i >= 0; --i) {
        const double upto = std::pow(0.5, i) * x;
        sum += integrate(upto - begin, [&](double t) { return p.value(begin + t); });
        begin = upto;
      }
      EXPECT_NEAR(p.area(x), sum, 1e-12 * sum) << shape.onset << " " << x;
      EXPECT_EQ(p.area(-x), p.area(x));
    }
    EXPECT_EQ(p.area(0.0), 0.0);
  }
}

// First harmonic of a run to the steady cycle: with 256 steps a cycle until the slowest link (3 s) has settled to
// e^-14, then with 4096.
C simulated(const Payne<double>& law, double frequency_hz, double amplitude) {
  const double omega = 2.0 * std::numbers::pi * frequency_hz;
  auto memory = law.start(0.0);
  std::array<double, Payne<double>::state_count> x{};
  C sum = 0.0;
  const auto run = [&](int cycles, int n) {
    const auto step = law.prepare_step(1.0 / (frequency_hz * n));
    const auto motion = [&](int i) {
      const double phase = 2.0 * std::numbers::pi * i / n;
      return Motion<double>{amplitude * std::sin(phase), amplitude * omega * std::cos(phase)};
    };
    for (int i = 0; i < cycles * n; ++i) {
      const double force = law.advance(x.data(), memory, motion(i), motion(i + 1), step);
      if (i >= (cycles - 1) * n) sum += force * std::polar(2.0 / n, -2.0 * std::numbers::pi * (i + 1) / n);
    }
  };
  run(static_cast<int>(42.0 * frequency_hz), 256);
  sum = 0.0;
  run(3, 4096);
  return sum / C(0.0, -amplitude);
}

TEST(Payne, HarmonicAgreesWithTheTimeRun) {
  for (const Shape& shape : shapes)
    for (const double a : {1e-5, 3e-4, 5e-3}) {
      Payne<double> law;
      law.onset_exponent = shape.onset;
      law.tail_exponent = shape.tail;
      law.link_stiffness = 1e5;
      const Complex<double> K = law.harmonic(2.0 * std::numbers::pi * 8.0, a);
      // Samples of a force that bends at its turning points within sqrt(x_c/a) of a cycle, and what is left of the
      // settling: 1e-6.
      EXPECT_LT(std::abs(simulated(law, 8.0, a) - C(K.re, K.im)), 5e-6 * abs(K)) << shape.onset << " " << a;
    }
}

TEST(Payne, LinksFollowAPowerOfFrequency) {
  // At small amplitudes K = k + k_p + g sum of (tau_3/tau_i)^alpha i w tau_i/(1 + i w tau_i): a loss that grows like
  // w^alpha in the band.
  for (const double alpha : {0.0, 0.1, 0.2}) {
    Payne<double> law;
    law.frequency_exponent = alpha;
    for (double f = 1.0; f < 40.0; f *= 1.4) {
      const double w = 2.0 * std::numbers::pi * f, rise = law.harmonic(1.01 * w, 1e-12).im / law.harmonic(w, 1e-12).im;
      // The ripple of four branches in three decades, 1.3 % up and down with a period of 3/4 decade, has slopes of
      // 0.05; the rest is the ends.
      EXPECT_NEAR(std::log(rise) / std::log(1.01), alpha, 0.08) << alpha << " " << f;
    }
  }
}

TEST(Payne, LinksBreakDownWithAmplitude) {
  Payne<double> law;
  Payne<double> bare = law;
  bare.link_stiffness = 0.0;
  const double omega = 60.0, whole = law.harmonic(omega, 1e-12).im - bare.harmonic(omega, 1e-12).im;
  double before = 1.0 + 1e-9;
  for (const double a : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
    const double share = (law.harmonic(omega, a).im - bare.harmonic(omega, a).im) / whole;
    EXPECT_LT(share, before);
    EXPECT_GT(share, law.kept_share);
    before = share;
  }
  EXPECT_LT(before, 0.5);
}

}  // namespace
}  // namespace kdyn::inline rivals
