// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/tyre.hpp"

#include <cmath>

#include "kdyn/mbs/magic_formula.hpp"

namespace kdyn::mbs {
namespace {

// Damping grows over the first part of the deflection: the force has no jump at the touch.
constexpr double damped_from = 0.002;  // of the radius
constexpr double least_relaxation = 0.05;
constexpr double lifted_decay_s = 0.01;    // deflections of a lifted tyre spring back
constexpr double standing_loss_s = 0.005;  // loss of the contact's stiffness at low speed
constexpr double sliding_at = 3.0;         // slip, over friction/slip stiffness, where a standing tyre begins to slide

template <class T>
T at_least(const T& x, double low) {
  return x < low ? T(low) : x;
}

template <class T>
struct V3 {
  T x, y, z;
};
template <class T>
V3<T> cross(const V3<T>& a, const V3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T dot(const V3<T>& a, const V3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// What slips do, whichever law.
template <class T>
struct SlipForces {
  T fx{}, fy{}, mx{}, my{}, mz{}, limit_x{1.0}, limit_y{1.0};
};

template <class T>
SlipForces<T> of_linear(const LinearSlip& law, const T& load, const T& kappa, const T& tan_alpha) {
  using std::sqrt, std::tanh;
  SlipForces<T> out;
  const T most = law.friction * load, fx = law.stiffness_x * kappa, fy = law.stiffness_y * tan_alpha,
          square = fx * fx + fy * fy;
  T share(1.0);
  if (square > 1e-20 * most * most) {
    const T size = sqrt(square);
    share = most * tanh(size / most) / size;
  }
  out.fx = share * fx, out.fy = share * fy;
  if (law.stiffness_x > 0.0) out.limit_x = sliding_at / law.stiffness_x * most;
  if (law.stiffness_y > 0.0) out.limit_y = sliding_at / law.stiffness_y * most;
  return out;
}

// tan_alpha: of a force to the left, against the file's slip angle. The tyre of the other side is its mirror image.
template <class T>
SlipForces<T> of_magic(const Tyre& tyre, const T& load, const T& kappa, const T& tan_alpha, const T& camber,
                       const T& speed, const T& rolls) {
  using std::atan;
  const double side = tyre.mirrored ? -1.0 : 1.0;
  const T alpha = -side * atan(tan_alpha), gamma = side * camber;
  const auto f = tyre.magic->evaluate(load, kappa, alpha, gamma, speed, rolls);
  SlipForces<T> out;
  out.fx = f.fx, out.fy = side * f.fy, out.mx = side * f.mx, out.my = f.my, out.mz = side * f.mz;
  if (f.stiffness_x > 0.0) out.limit_x = sliding_at * f.peak_x / f.stiffness_x;
  if (f.stiffness_y > 0.0) out.limit_y = sliding_at * f.peak_y / f.stiffness_y;
  return out;
}

// [mbs E71]
template <class T>
T deflection_rate(const T& s, const T& sigma, const T& slides, const T& speed, const T& limit, const T& low) {
  using std::abs;
  T rate = -slides - speed * s / sigma;
  // At low speed a deflection that grows without rolling ends by sliding.
  const T size = abs(s) / sigma;
  if (low > 0.0 && size > limit) {
    const T over = low * abs(slides) * (size - limit) / limit;
    rate = rate - (s > 0.0 ? over : T(-over));
  }
  return rate;
}

}  // namespace

template <class T>
TyreForce<T> evaluate(const Tyre& tyre, double t, const T* y, const T* w) {
  using std::abs, std::asin, std::atan, std::sqrt;
  const V3<T> u{y[0], y[1], y[2]}, e{y[3], y[4], y[5]}, v{y[6], y[7], y[8]}, o{y[9], y[10], y[11]};
  TyreForce<T> out;

  // [mbs E70]
  T height, by_x, tangent;
  tyre.road.path.at(u.x, height, by_x, tangent);
  const double lift = tyre.road.height(t), lift_rate = tyre.road.height.is_constant() ? 0.0 : tyre.road.height.rate(t);
  height = height + lift;
  const T c = sqrt(1.0 - e.z * e.z), over = u.z - height, loaded = over / c, rho = tyre.radius - loaded;
  const T c_rate = -e.z * (o.x * e.y - o.y * e.x) / c;
  const T rho_rate = -(v.z - lift_rate - by_x * v.x) / c + over / (c * c) * c_rate;
  out.deflection = rho, out.loaded_radius = loaded;
  const T ex = e.y / c, ey = -e.x / c;  // horizontal, forwards
  const T tilt = sqrt(1.0 + tangent * tangent);
  const V3<T> n{-tangent / tilt, T(0.0), 1.0 / tilt};
  V3<T> l = cross(e, n);
  const T flatness = sqrt(dot(l, l));
  l = {l.x / flatness, l.y / flatness, l.z / flatness};
  out.camber = asin(dot(e, n));
  T vertical(0.0);
  if (rho > 0.0) {
    T radial = tyre.load_curve ? tyre.load_curve->value(rho) : T(tyre.stiffness * rho);
    const double full = damped_from * tyre.radius;
    radial = radial + (rho < full ? T(tyre.damping / full * rho) : T(tyre.damping)) * rho_rate;
    if (radial > 0.0) vertical = radial / c;
  }
  out.load = vertical * tilt;
  V3<T> force{-tangent * vertical, T(0.0), vertical},
      torque{vertical * loaded * e.z * ex, vertical * loaded * e.z * ey, T(0.0)};

  // Contact in the road plane, seen from the wheel's centre.
  const V3<T> across = cross(n, l), up = cross(l, e);
  const V3<T> arm{-loaded / tilt * up.x, -loaded / tilt * up.y, -loaded / tilt * up.z};
  out.contact[0] = u.x + arm.x, out.contact[1] = u.y + arm.y, out.contact[2] = u.z + arm.z;
  const T spin = dot(o, e);
  const V3<T> rest{o.x - spin * e.x, o.y - spin * e.y, o.z - spin * e.z}, swing = cross(rest, arm);
  const V3<T> at{v.x + swing.x, v.y + swing.y, v.z + swing.z};
  // The road's own lift is no sliding.
  const V3<T> rise{T(0.0), T(0.0), T(lift_rate)};
  const T vx = dot(at, l) - dot(rise, l), vy = dot(at, across) - dot(rise, across);
  out.speed = vx;
  if (tyre.states() > 0) {
    // [mbs E72]
    T rolling(tyre.radius);
    if (rho > 0.0) {
      if (tyre.nominal_load > 0.0) {
        const T share = rho * (tyre.stiffness / tyre.nominal_load);
        rolling = tyre.radius - tyre.nominal_load / tyre.stiffness *
                                    (tyre.rolling_d * atan(tyre.rolling_b * share) + tyre.rolling_f * share);
      } else {
        rolling = tyre.radius - tyre.rolling_f * rho;
      }
    }
    const T slides_x = vx - rolling * spin, slides_y = vy, speed = abs(vx);
    T low(0.0), rolls(1.0);
    if (speed < tyre.low_speed) {
      const T share = speed / tyre.low_speed, below = 1.0 - share * share;
      low = below * below;
      rolls = share * share * (3.0 - 2.0 * share);
    }
    if (vx < 0.0) rolls = -rolls;
    if (vertical > 0.0) {
      T sigma_x(tyre.relaxation_x), sigma_y(tyre.relaxation_y);
      if (tyre.magic && tyre.relaxation_x <= 0.0) sigma_x = tyre.magic->relaxation_x(out.load);
      if (tyre.magic && tyre.relaxation_y <= 0.0)
        sigma_y = tyre.magic->relaxation_y(out.load, T((tyre.mirrored ? -1.0 : 1.0) * out.camber));
      sigma_x = at_least(sigma_x, least_relaxation * tyre.radius);
      sigma_y = at_least(sigma_y, least_relaxation * tyre.radius);
      const T kappa = (w[0] - low * standing_loss_s * slides_x) / sigma_x,
              tan_alpha = (w[1] - low * standing_loss_s * slides_y) / sigma_y;
      out.slip_x = kappa, out.slip_y = tan_alpha;
      const SlipForces<T> f = tyre.linear ? of_linear(*tyre.linear, out.load, kappa, tan_alpha)
                                          : of_magic(tyre, out.load, kappa, tan_alpha, out.camber, speed, rolls);
      out.fx = f.fx, out.fy = f.fy, out.mx = f.mx, out.mz = f.mz;
      // About the spin axis: the force with the rolling radius as its arm, against the rolling.
      const T tread = abs(spin) * tyre.radius / tyre.low_speed;
      T turns(1.0);
      if (tread < 1.0) turns = tread * tread * (3.0 - 2.0 * tread);
      out.my = -rolling * f.fx - f.my * (spin < 0.0 ? T(-turns) : turns);
      const V3<T> side = cross(arm, across);
      const auto add = [](V3<T>& to, const T& factor, const V3<T>& along) {
        to = {to.x + factor * along.x, to.y + factor * along.y, to.z + factor * along.z};
      };
      add(force, f.fx, l), add(force, f.fy, across);
      add(torque, f.fy, side), add(torque, f.mx, l), add(torque, f.mz, n), add(torque, out.my, e);
      out.rate[0] = deflection_rate(w[0], sigma_x, slides_x, speed, f.limit_x, low);
      out.rate[1] = deflection_rate(w[1], sigma_y, slides_y, speed, f.limit_y, low);
    } else {
      out.rate[0] = -w[0] / lifted_decay_s;
      out.rate[1] = -w[1] / lifted_decay_s;
    }
  }
  out.force[0] = force.x, out.force[1] = force.y, out.force[2] = force.z;
  out.torque[0] = torque.x, out.torque[1] = torque.y, out.torque[2] = torque.z;
  return out;
}

template TyreForce<double> evaluate(const Tyre&, double, const double*, const double*);
template TyreForce<TyreJet> evaluate(const Tyre&, double, const TyreJet*, const TyreJet*);

double stored_energy(const Tyre& tyre, double deflection) {
  if (!(deflection > 0.0)) return 0.0;
  if (!tyre.load_curve) return 0.5 * tyre.stiffness * deflection * deflection;
  const int parts = 400;
  double sum = 0.0;
  for (int i = 0; i <= parts; ++i)
    sum += (i == 0 || i == parts ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * tyre.load_curve->value(deflection * i / parts);
  return sum * deflection / (3.0 * parts);
}

RoadPath::RoadPath(const Curve& path, double base) : base_(base) {
  for (const auto& [x, z] : path) x_.push_back(x), y_.push_back(z);
  slope_ = shape_slopes(x_, y_);
}

// [mbs E76]
Curve cam_path(const Curve& profile, const Enveloping& cam) {
  const auto depth = [&](double s) {  // of the cam's under side above its lowest point
    const double share = std::min(1.0, std::abs(s) / cam.half_length);
    return cam.half_height * (1.0 - std::pow(1.0 - std::pow(share, cam.exponent), 1.0 / cam.exponent));
  };
  constexpr int looks = 64;
  const double a = cam.half_length, step = a / cam_grid;
  std::vector<double> depths;
  for (int k = -looks; k <= looks; ++k) depths.push_back(depth(a * k / looks));
  const auto height = [&](double x) {
    if (x <= profile.front().first) return profile.front().second;
    if (x >= profile.back().first) return profile.back().second;
    const auto next = std::upper_bound(profile.begin(), profile.end(), x,
                                       [](double value, const auto& row) { return value < row.first; });
    const auto last = next - 1;
    return last->second + (next->second - last->second) * (x - last->first) / (next->first - last->first);
  };
  Curve out;
  const double from = profile.front().first - a - step, to = profile.back().first + a + step;
  const auto count = static_cast<long>(std::ceil((to - from) / step));
  for (long i = 0; i <= count; ++i) {
    const double x = from + static_cast<double>(i) * step;
    // Level all along the cam.
    const double behind = height(x - a);
    bool level = true;
    for (auto row = std::upper_bound(profile.begin(), profile.end(), x - a,
                                     [](double value, const auto&r) { return value < r.first; });
         level && row != profile.end(); ++row) {
      level = row->second == behind;
      if (row->first >= x + a) break;
    }
    if (level) {
      out.emplace_back(x, behind);
      continue;
    }
    double highest = -1e300, at = 0.0;
    const auto look_at = [&](double s, double under) {
      if (const double z = height(x + s) - under; z > highest) highest = z, at = s;
    };
    const auto look = [&](double s) { look_at(s, depth(s)); };
    for (int k = -looks; k <= looks; ++k) look_at(a * k / looks, depths[static_cast<std::size_t>(k + looks)]);
    // Corners of the road inside the cam.
    auto row = std::lower_bound(profile.begin(), profile.end(), x - a,
                                [](const auto& r, double value) { return r.first < value; });
    for (; row != profile.end() && row->first <= x + a; ++row) look(row->first - x);
    // Between the looks.
    double low = std::max(-a, at - a / looks), high = std::min(a, at + a / looks);
    for (int k = 0; k < 20; ++k) {
      const double one = low + (high - low) / 3.0, two = high - (high - low) / 3.0;
      if (height(x + one) - depth(one) < height(x + two) - depth(two))
        low = one;
      else
        high = two;
    }
    look(0.5 * (low + high));
    out.emplace_back(x, highest);
  }
  return out;
}

}  // namespace kdyn::mbs
