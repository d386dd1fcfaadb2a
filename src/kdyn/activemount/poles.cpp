// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/poles.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/angle.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/numerics/polynomial.hpp"

namespace kdyn::inline activemount {
namespace {

using Law = ActiveMount<double>;

// [activemount E11] CT = NT/DT, CB = NB/DB, CK, CA = NA/coil, and Q, the common denominator.
struct Polynomials {
  Polynomial NT, DT, NB, DB, CK, NA, coil, Q;

  explicit Polynomials(const Law& m) {
    const auto rubber = [](double c1, double c2, double d1, double d2, Polynomial& N, Polynomial& D) {
      D = {c2, d1 + d2};
      N = c1 * D + Polynomial{0.0, d1 * c2, d1 * d2};
    };
    rubber(m.cT1, m.cT2, m.dT1, m.dT2, NT, DT);
    rubber(m.cB1, m.cB2, m.dB1, m.dB2, NB, DB);
    CK = {0.0, m.dK, m.mK()};
    coil = {m.R, m.L};
    NA = Polynomial{m.cA, m.dA, m.mA} * coil;
    if (m.back_emf) NA = NA + Polynomial{0.0, m.kM * m.kM};
    Q = (m.AB * m.AB) * DB * CK * NA + (m.AK * m.AK) * NB * NA + (m.AA * m.AA) * coil * CK * NB;
  }
};

std::vector<Root> as_roots(const std::vector<std::complex<double>>& values) {
  std::vector<Root> roots;
  for (const std::complex<double>& s : values) {
    if (s.imag() < 0.0) continue;
    const double size = std::abs(s);
    roots.push_back({s, size / two_pi, size > 0.0 ? -s.real() / size : 0.0});
  }
  std::sort(roots.begin(), roots.end(), [](const Root& a, const Root& b) { return std::abs(a.s) > std::abs(b.s); });
  return roots;
}

}  // namespace

std::vector<Root> poles_of(const Law& law) { return as_roots(roots_of(Polynomials(law).Q)); }

std::vector<Root> zeros_of(const Law& m, ActivePath path) {
  const Polynomials p(m);
  const Polynomial mass = {0.0, 0.0, m.mA};  // mA s^2
  switch (path) {
    case ActivePath::P_xx: return as_roots(roots_of(p.NT * p.Q + (m.AT * m.AT) * p.NB * p.CK * p.NA * p.DT));
    case ActivePath::P_yx:
      return as_roots(roots_of(p.NT * p.Q + m.AT * p.NB * p.CK * (m.AT * p.NA + (-m.AA) * mass * p.coil) * p.DT));
    case ActivePath::S_x: return as_roots(roots_of(p.NB * p.CK));
    case ActivePath::S_y:
      return as_roots(
          roots_of((m.AA * m.AT) * p.NB * p.CK + mass * ((m.AB * m.AB) * p.DB * p.CK + (m.AK * m.AK) * p.NB)));
  }
  return {};
}

ApproximateRoots approximate_roots(const Law& m) {
  // [activemount E12]
  const double bulge = m.AB * m.AB / m.cB1, actuator = m.AA * m.AA / m.cA, rubber = m.AT * m.AT / m.cT1;
  const auto hz = [](double square) { return std::sqrt(square) / two_pi; };
  return {hz(m.AK * m.AK / ((bulge + actuator) * m.mK())),
          hz((bulge + actuator) * m.cA / (bulge * m.mA)),
          -m.R / m.L,
          hz(m.AK * m.AK / ((bulge + actuator + rubber) * m.mK())),
          hz((bulge + actuator + rubber) * m.cA / ((bulge + (m.AT * m.AT - m.AA * m.AT) / m.cT1) * m.mA)),
          hz(m.AA * m.AT * m.cB1 / (m.AB * m.AB * m.mA))};
}

CorrectedRoots corrected_roots(const Law& m) {
  // [activemount E13]
  const auto fixed_point = [&](double start_hz, auto&& square, bool& converged) {
    double omega = two_pi * start_hz;
    for (int i = 0; i < 500; ++i) {
      const ActiveOperators<double> o(m, omega);
      const double coil = m.back_emf ? (o.s * (Complex<double>{m.kM * m.kM, 0.0} / o.coil)).re : 0.0;
      const double next = std::sqrt(square(o.CB.re, m.cA + coil));
      const bool still = std::abs(next - omega) <= 1e-13 * next;
      omega = next;
      if (still) return omega / two_pi;
    }
    converged = false;
    return omega / two_pi;
  };
  const ApproximateRoots start = approximate_roots(m);
  CorrectedRoots roots;
  roots.converged = true;
  roots.actuator_pole_hz = fixed_point(
      start.actuator_pole_hz,
      [&](double cB, double cA) { return (m.AB * m.AB / cB + m.AA * m.AA / cA) * cA / (m.AB * m.AB / cB * m.mA); },
      roots.converged);
  roots.S_y_zero_hz = fixed_point(
      start.S_y_zero_hz, [&](double cB, double) { return m.AA * m.AT * cB / (m.AB * m.AB * m.mA); }, roots.converged);
  return roots;
}

ActiveMount<double> undamped(Law law) {
  for (double Law::*d : {&Law::dT1, &Law::dT2, &Law::dB1, &Law::dB2, &Law::dK, &Law::dA, &Law::dKq}) law.*d = 0.0;
  law.back_emf = false;
  return law;
}

ActiveStateSpace state_space_of(const Law& law) {
  using J = Jet<10>;  // directions: seven states, xT, vT, U
  const ActiveMount<J> dual = law.cast<J>();
  std::array<J, 7> x, rate;
  for (int j = 0; j < 7; ++j) x[static_cast<std::size_t>(j)] = J(0.0, j);
  const ActiveForces<J> f = dual.respond({J(0.0, 7), J(0.0, 8)}, J(0.0, 9), x.data(), dual.start(J(0.0)), rate.data());
  ActiveStateSpace out;
  for (int j = 0; j < 7; ++j) {
    out.A.row(j) = derivatives(rate[static_cast<std::size_t>(j)]).head<7>().transpose();
    out.B.row(j) = derivatives(rate[static_cast<std::size_t>(j)]).tail<3>().transpose();
  }
  out.C << derivatives(f.x).head<7>().transpose(), derivatives(f.y).head<7>().transpose();
  out.D << derivatives(f.x).tail<3>().transpose(), derivatives(f.y).tail<3>().transpose();
  return out;
}

}  // namespace kdyn::inline activemount
