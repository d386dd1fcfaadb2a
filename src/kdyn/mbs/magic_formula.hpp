// SPDX-License-Identifier: Apache-2.0
// The Magic Formula of steady tyre forces, in the form of MF-Tyre 5.2 and PAC2002.
//
// Source: H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd edition 2006, section 4.3 (the same equations as the property
// files' own names of coefficients stand for).
//   [mbs E73]  pure slip,  [mbs E74]  combined slip,  [mbs E75]  moments and relaxation lengths
//
// W-axes of ISO 8855 (TYDEX): x along the road in the wheel plane, forwards; z away from the road; y to the left. Slip
// kappa = -(sliding speed along x)/|Vx|, slip angle alpha = atan(Vy/|Vx|) of the contact point, camber gamma about x.
// Forces act on the wheel. Rolling resistance (my) is given as an amount, against the spin.
//
// Holds for one inflation pressure. No turn slip (parking, spin at standstill).
// Changed: below FZMIN forces are those at FZMIN in proportion to the load, so that they vanish with it; above FZMAX
// they are those at FZMAX; slips and camber end at the limits of the file. Horizontal and vertical shifts, trail and
// residual moment come with a factor `rolls` (0 at standstill, 1 rolling, trail negative rolling backwards): a standing
// tyre has no ply steer.
#pragma once

#include <cmath>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::mbs {

// Coefficients by the names of the file.
struct MagicFormula {
  // Size, load, reference speed; ranges; scaling.
  double unloaded_radius = 0.3, fnomin = 4000.0, longvl = 16.7;
  double fzmin = 0.0, fzmax = 1e9, kpumin = -1.5, kpumax = 1.5, alpmin = -1.5708, alpmax = 1.5708, cammin = -0.7854,
         cammax = 0.7854;
  double lfzo = 1, lcx = 1, lmux = 1, lex = 1, lkx = 1, lhx = 1, lvx = 1, lgax = 1, lcy = 1, lmuy = 1, ley = 1, lky = 1,
         lhy = 1, lvy = 1, lgay = 1, ltr = 1, lres = 1, lgaz = 1, lxal = 1, lyka = 1, lvyka = 1, ls = 1, lsgkp = 1,
         lsgal = 1, lmx = 1, lvmx = 1, lmy = 1;
  double pcx1 = 0, pdx1 = 0, pdx2 = 0, pdx3 = 0, pex1 = 0, pex2 = 0, pex3 = 0, pex4 = 0, pkx1 = 0, pkx2 = 0, pkx3 = 0,
         phx1 = 0, phx2 = 0, pvx1 = 0, pvx2 = 0, rbx1 = 0, rbx2 = 0, rcx1 = 0, rex1 = 0, rex2 = 0, rhx1 = 0, ptx1 = 0,
         ptx2 = 0, ptx3 = 0;
  double pcy1 = 0, pdy1 = 0, pdy2 = 0, pdy3 = 0, pey1 = 0, pey2 = 0, pey3 = 0, pey4 = 0, pky1 = 0, pky2 = 0, pky3 = 0,
         phy1 = 0, phy2 = 0, phy3 = 0, pvy1 = 0, pvy2 = 0, pvy3 = 0, pvy4 = 0, rby1 = 0, rby2 = 0, rby3 = 0, rcy1 = 0,
         rey1 = 0, rey2 = 0, rhy1 = 0, rhy2 = 0, rvy1 = 0, rvy2 = 0, rvy3 = 0, rvy4 = 0, rvy5 = 0, rvy6 = 0, pty1 = 0,
         pty2 = 0;
  double qbz1 = 0, qbz2 = 0, qbz3 = 0, qbz4 = 0, qbz5 = 0, qbz9 = 0, qbz10 = 0, qcz1 = 0, qdz1 = 0, qdz2 = 0, qdz3 = 0,
         qdz4 = 0, qdz6 = 0, qdz7 = 0, qdz8 = 0, qdz9 = 0, qez1 = 0, qez2 = 0, qez3 = 0, qez4 = 0, qez5 = 0, qhz1 = 0,
         qhz2 = 0, qhz3 = 0, qhz4 = 0, ssz1 = 0, ssz2 = 0, ssz3 = 0, ssz4 = 0;
  double qsx1 = 0, qsx2 = 0, qsx3 = 0, qsy1 = 0, qsy2 = 0, qsy3 = 0, qsy4 = 0;
  // What is computed, by USE_MODE of the file: forces along, forces across with their moments, and both together.
  // Files without coefficients of combined slip: the friction ellipse of PAC2002.
  bool longitudinal = true, lateral = true, combined = true, ellipse = false;

  template <class T>
  struct Forces {
    T fx{}, fy{}, mx{}, my{}, mz{};
    T stiffness_x{}, stiffness_y{}, peak_x{}, peak_y{};  // slip stiffness (both positive) and largest force, N
  };

  // gamma, alpha in rad; fz > 0; speed: |Vx|; rolls: -1..1.
  template <class T>
  Forces<T> evaluate(const T& fz_given, const T& kappa_given, const T& alpha_given, const T& gamma_given,
                     const T& speed, const T& rolls) const;
  // [mbs E75] Relaxation lengths along and across.
  template <class T>
  T relaxation_x(const T& fz) const {
    using std::exp;
    const double fz0 = fnomin * lfzo;
    const T load = within(fz, fzmin, fzmax), dfz = (load - fz0) / fz0;
    return load * (ptx1 + ptx2 * dfz) * exp(-ptx3 * dfz) * (unloaded_radius / fnomin * lsgkp);
  }
  template <class T>
  T relaxation_y(const T& fz, const T& gamma) const {
    using std::atan, std::sin, std::abs;
    const double fz0 = fnomin * lfzo;
    return pty1 * sin(2.0 * atan(within(fz, fzmin, fzmax) / (pty2 * fz0))) *
           (1.0 - pky3 * abs(within(gamma, cammin, cammax) * lgay)) * (unloaded_radius * lfzo * lsgal);
  }

  template <class T>
  static T within(const T& x, double low, double high) {
    return x < low ? T(low) : x > high ? T(high) : x;
  }

 private:
  template <class T>
  static T at_most_one(const T& x) {
    return x > 1.0 ? T(1.0) : x;
  }
  template <class T>
  static double sign(const T& x) {
    return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0;
  }
  // C atan(B x - E (B x - atan(B x)))
  template <class T>
  static T angle(const T& C, const T& B, const T& E, const T& x) {
    using std::atan;
    const T Bx = B * x;
    return C * atan(Bx - E * (Bx - atan(Bx)));
  }
};

template <class T>
MagicFormula::Forces<T> MagicFormula::evaluate(const T& fz_given, const T& kappa_given, const T& alpha_given,
                                               const T& gamma_given, const T& speed, const T& rolls) const {
  using std::abs, std::atan, std::cos, std::exp, std::sin, std::sqrt, std::tan;
  const double fz0 = fnomin * lfzo, R0 = unloaded_radius;
  const double lowest = fzmin > 1e-3 * fnomin ? fzmin : 1e-3 * fnomin;
  const T fz = within(fz_given, lowest, fzmax);
  const T light = fz_given < lowest ? fz_given / lowest : T(1.0);
  const T kappa = within(kappa_given, kpumin, kpumax), alpha = within(alpha_given, alpmin, alpmax),
          gamma = within(gamma_given, cammin, cammax);
  const T dfz = (fz - fz0) / fz0, shifts = abs(rolls);

  // [mbs E73] along
  const T gx = gamma * lgax;
  const T Cx = T(pcx1 * lcx), mux = (pdx1 + pdx2 * dfz) * (1.0 - pdx3 * gx * gx) * lmux, Dx = mux * fz;
  const T Kx = fz * (pkx1 + pkx2 * dfz) * exp(pkx3 * dfz) * lkx, Bx = Kx / (Cx * Dx);
  const T SHx = (phx1 + phx2 * dfz) * lhx * shifts, SVx = fz * (pvx1 + pvx2 * dfz) * (lvx * lmux) * shifts;
  const T kx = kappa + SHx;
  const T Ex = at_most_one(T((pex1 + pex2 * dfz + pex3 * dfz * dfz) * ((1.0 - pex4 * sign(kx)) * lex)));
  T fx = Dx * sin(angle(Cx, Bx, Ex, kx)) + SVx;

  // [mbs E73] across
  const T gy = gamma * lgay;
  const T Cy = T(pcy1 * lcy), muy = (pdy1 + pdy2 * dfz) * (1.0 - pdy3 * gy * gy) * lmuy, Dy = muy * fz;
  const T Ky = (pky1 * fz0 * lky) * sin(2.0 * atan(fz / (pky2 * fz0))) * (1.0 - pky3 * abs(gy)), By = Ky / (Cy * Dy);
  const T SHy = ((phy1 + phy2 * dfz) * lhy + phy3 * gy) * shifts,
          SVy = fz * ((pvy1 + pvy2 * dfz) * lvy + (pvy3 + pvy4 * dfz) * gy) * lmuy * shifts;
  const T ay = alpha + SHy;
  const T Ey = at_most_one(T((pey1 + pey2 * dfz) * (1.0 - (pey3 + pey4 * gy) * sign(ay)) * ley));
  const T fy0 = Dy * sin(angle(Cy, By, Ey, ay)) + SVy;
  T fy = fy0, SVyk = T(0.0);

  // [mbs E74]
  if (combined && ellipse) {
    const T kc = kappa + SHx + SVx / Kx, ac = sin(alpha + SHy + SVy / Ky);
    const T by_k = abs(kc) > 1e-6 ? T(fx / kc) : Kx, by_a = abs(ac) > 1e-6 ? T(fy / ac) : Ky;
    const T x = by_k * ac / Dy, y = by_a * kc / Dx;
    fx = fx / sqrt(1.0 + x * x);
    fy = fy / sqrt(1.0 + y * y);
  } else if (combined) {
    const T Bxa = rbx1 * cos(atan(rbx2 * kappa)) * lxal, Cxa = T(rcx1), Exa = at_most_one(T(rex1 + rex2 * dfz)),
            SHxa = T(rhx1);
    fx = fx * cos(angle(Cxa, Bxa, Exa, T(alpha + SHxa))) / cos(angle(Cxa, Bxa, Exa, SHxa));
    const T Byk = rby1 * cos(atan(rby2 * (alpha - rby3))) * lyka, Cyk = T(rcy1),
            Eyk = at_most_one(T(rey1 + rey2 * dfz)), SHyk = rhy1 + rhy2 * dfz;
    const T DVyk = muy * fz * (rvy1 + rvy2 * dfz + rvy3 * gamma) * cos(atan(rvy4 * alpha));
    SVyk = DVyk * sin(rvy5 * atan(rvy6 * kappa)) * lvyka * shifts;
    fy = fy0 * cos(angle(Cyk, Byk, Eyk, T(kappa + SHyk))) / cos(angle(Cyk, Byk, Eyk, SHyk)) + SVyk;
  }

  // [mbs E75] aligning moment: trail times side force, and what is left
  const T gz = gamma * lgaz;
  const T SHt = (qhz1 + qhz2 * dfz + (qhz3 + qhz4 * dfz) * gz) * shifts, SHf = SHy + SVy / Ky;
  const T at = alpha + SHt, ar = alpha + SHf;
  const T Bt = (qbz1 + qbz2 * dfz + qbz3 * dfz * dfz) * (1.0 + qbz4 * gz + qbz5 * abs(gz)) * (lky / lmuy), Ct = T(qcz1),
          Dt = fz * (qdz1 + qdz2 * dfz) * (1.0 + qdz3 * gz + qdz4 * gz * gz) * (R0 / fz0 * ltr);
  const T Et = at_most_one(T((qez1 + qez2 * dfz + qez3 * dfz * dfz) *
                             (1.0 + (qez4 + qez5 * gz) * ((2.0 / constants::pi) * atan(Bt * Ct * at)))));
  const T Br = qbz9 * (lky / lmuy) + qbz10 * By * Cy,
          Dr = fz * ((qdz6 + qdz7 * dfz) * lres + (qdz8 + qdz9 * dfz) * gz) * (R0 * lmuy);
  T at_eq = at, ar_eq = ar;
  if (combined) {
    const T ratio = Kx / Ky * kappa, square = ratio * ratio;
    const auto equivalent = [&](const T& a) {
      const T tangent = tan(a);
      const T sum = tangent * tangent + square;
      return sum > 0.0 ? T(atan(sqrt(sum)) * sign(a)) : T(a);
    };
    at_eq = equivalent(at), ar_eq = equivalent(ar);
  }
  const T trail = Dt * cos(angle(Ct, Bt, Et, at_eq)) * cos(alpha) * rolls,
          residual = Dr * cos(atan(Br * ar_eq)) * cos(alpha) * shifts;
  T mz = -trail * (fy - SVyk) + residual;
  if (combined) mz = mz + R0 * ls * (ssz1 + ssz2 * fy / fz0 + (ssz3 + ssz4 * dfz) * gamma) * fx * shifts;

  if (!longitudinal) fx = T(0.0);
  if (!lateral) fy = T(0.0), mz = T(0.0);
  Forces<T> out;
  out.fx = fx * light, out.fy = fy * light, out.mz = mz * light;
  if (lateral) out.mx = R0 * fz * (qsx1 * lvmx + (-qsx2 * gamma + qsx3 * fy / fnomin) * lmx) * shifts * light;
  if (longitudinal) {
    const T ratio = speed / longvl;
    out.my = R0 * fz * (qsy1 + qsy2 * fx / fnomin + qsy3 * ratio + qsy4 * ratio * ratio * ratio * ratio) * lmy * light;
    if (out.my < 0.0) out.my = T(0.0);  // it never drives
  }
  out.stiffness_x = Kx * light, out.stiffness_y = abs(Ky) * light, out.peak_x = abs(Dx) * light,
  out.peak_y = abs(Dy) * light;
  return out;
}

}  // namespace kdyn::mbs
