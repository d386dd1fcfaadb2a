// SPDX-License-Identifier: Apache-2.0
#include "truck.hpp"

#include <cmath>

#include "kdyn/base/error.hpp"

namespace four_poster {
namespace {

constexpr int dofs = 14;
enum Dof { frame = 0, wheels = 3, cab = 7, powertrain = 10, seat = 13 };
constexpr double gravity = 9.80665;

using Vector = Eigen::Matrix<double, dofs, 1>;
using Matrix = Eigen::Matrix<double, dofs, dofs>;

// Vertical motion of a point of a body, as a row over all degrees of freedom.
Vector rise(int body, double x, double y) {
  Vector g = Vector::Zero();
  g[body] = 1.0;
  g[body + 1] = -x;
  g[body + 2] = y;
  return g;
}

}  // namespace

Truck::Truck() {
  frame.ms = 1150.0, frame.Iyy = 3100.0, frame.Ixx = 420.0;
  frame.mu = {48.0, 48.0, 62.0, 62.0};
  frame.ks = {36e3, 36e3, 34e3, 34e3};
  frame.kt = {230e3, 230e3, 230e3, 230e3};
  frame.cs = {2600.0, 2600.0, 2300.0, 2300.0};
  frame.a = 1.45, frame.b = 1.75, frame.tf = 0.78, frame.tr = 0.78;
  const double cab_weight = (cab.mass + seat_mass) * gravity;
  for (const auto& [name, x, y] :
       {std::tuple{"cab front left", 0.95, 0.52}, {"cab front right", 0.95, -0.52}, {"cab rear left", -0.45, 0.52}, {"cab rear right", -0.45, -0.52}})
    mounts.push_back({name, true, x, y, -0.25 * cab_weight});
  // Three supports carry the powertrain by the lever rule.
  const double weight = powertrain.mass * gravity, front = 1.45, rear = 0.45, share = (powertrain.x - rear) / (front - rear);
  mounts.push_back({"engine left", false, front, 0.33, -0.5 * share * weight});
  mounts.push_back({"engine right", false, front, -0.33, -0.5 * share * weight});
  mounts.push_back({"gearbox", false, rear, 0.0, -(1.0 - share) * weight});
}

Run drive(const Truck& truck, std::vector<std::unique_ptr<MountModel>> mounts, const kdyn::Road& road, int substeps) {
  kdyn::demand(mounts.size() == truck.mounts.size() && substeps >= 1, "every mount has a model");
  Vector mass;
  mass << truck.frame.ms, truck.frame.Iyy, truck.frame.Ixx, truck.frame.mu[0], truck.frame.mu[1], truck.frame.mu[2], truck.frame.mu[3],
      truck.cab.mass, truck.cab.pitch_inertia, truck.cab.roll_inertia, truck.powertrain.mass, truck.powertrain.pitch_inertia,
      truck.powertrain.roll_inertia, truck.seat_mass;
  Matrix K = Matrix::Zero(), C = Matrix::Zero();
  const kdyn::VehicleMatrices<double> chassis = truck.frame.matrices();
  K.topLeftCorner<7, 7>() = chassis.stiffness;
  C.topLeftCorner<7, 7>() = chassis.damping;
  const Vector seat_stretch = Vector::Unit(seat) - rise(cab, truck.seat_x, truck.seat_y);
  K += truck.seat_stiffness * seat_stretch * seat_stretch.transpose();
  C += truck.seat_damping * seat_stretch * seat_stretch.transpose();
  std::vector<Vector> stretch;
  for (const MountPlace& m : truck.mounts) {
    const Body& body = m.on_cab ? truck.cab : truck.powertrain;
    stretch.push_back(rise(m.on_cab ? cab : powertrain, m.x - body.x, m.y) - rise(frame, m.x, m.y));
  }
  const Vector floor = rise(cab, truck.seat_x, truck.seat_y);

  Run run;
  run.interval = road.interval;
  const std::size_t count = mounts.size();
  run.mount_force.resize(count), run.mount_travel.resize(count);
  Vector x = Vector::Zero(), v = x, a = x;
  std::vector<double> force(count, 0.0), travel(count, 0.0);
  Eigen::Vector4d ground = road.height.row(0), ground_rate = road.velocity.row(0);
  const double h = road.interval / substeps;
  const auto tyre_force = [&](const Eigen::Vector4d& z) {
    Vector f = Vector::Zero();
    for (int i = 0; i < 4; ++i) f[wheels + i] = truck.frame.kt[static_cast<std::size_t>(i)] * z[i];
    return f;
  };
  // Power of the posters: the tyre's force on the road times the road's velocity.
  const auto post_power = [&](const Vector& at, const Eigen::Vector4d& z, const Eigen::Vector4d& z_rate) {
    double p = 0.0;
    for (int i = 0; i < 4; ++i) p += truck.frame.kt[static_cast<std::size_t>(i)] * (z[i] - at[wheels + i]) * z_rate[i];
    return p;
  };
  double power_in = post_power(x, ground, ground_rate), power_out = v.dot(C * v);
  const Eigen::Index samples = road.height.rows();
  for (Eigen::Index k = 0; k < samples; ++k) {
    run.time.push_back(static_cast<double>(k) * road.interval);
    run.seat.push_back(a[seat]);
    run.cab_floor.push_back(floor.dot(a));
    run.powertrain.push_back(a[powertrain]);
    for (std::size_t i = 0; i < count; ++i) run.mount_force[i].push_back(force[i]), run.mount_travel[i].push_back(travel[i]);
    if (k + 1 == samples) break;
    for (int sub = 1; sub <= substeps; ++sub) {
      // The road between its samples: the cubic through heights and slopes.
      const double s = static_cast<double>(sub) / substeps, s2 = s * s, s3 = s2 * s, T = road.interval;
      const Eigen::Vector4d z0 = road.height.row(k), z1 = road.height.row(k + 1), d0 = T * road.velocity.row(k), d1 = T * road.velocity.row(k + 1);
      ground = (2 * s3 - 3 * s2 + 1) * z0 + (s3 - 2 * s2 + s) * d0 + (-2 * s3 + 3 * s2) * z1 + (s3 - s2) * d1;
      ground_rate = ((6 * s2 - 6 * s) * z0 + (3 * s2 - 4 * s + 1) * d0 + (6 * s - 6 * s2) * z1 + (3 * s2 - 2 * s) * d1) / T;
      // Displacement and a first velocity from the old acceleration, forces there, then the velocity by the mean of both.
      const Vector x_new = x + h * v + 0.5 * h * h * a, v_guess = v + h * a;
      Vector f = tyre_force(ground) - K * x_new - C * v_guess;
      for (std::size_t i = 0; i < count; ++i) {
        const double u = stretch[i].dot(x_new), before = force[i];
        force[i] = mounts[i]->advance({u, stretch[i].dot(v_guess)}, h);
        run.into_mounts += 0.5 * (before + force[i]) * (u - travel[i]);
        travel[i] = u;
        f -= force[i] * stretch[i];
      }
      const Vector a_new = f.cwiseQuotient(mass);
      v += 0.5 * h * (a + a_new);
      x = x_new;
      a = a_new;
      const double in = post_power(x, ground, ground_rate), out = v.dot(C * v);
      run.work_in += 0.5 * h * (power_in + in);
      run.dissipated += 0.5 * h * (power_out + out);
      power_in = in, power_out = out;
    }
  }
  // Tyre springs hold energy by their deflection against the road, not against zero.
  double spring = 0.5 * x.dot(K * x);
  for (int i = 0; i < 4; ++i) spring += truck.frame.kt[static_cast<std::size_t>(i)] * (0.5 * ground[i] * ground[i] - ground[i] * x[wheels + i]);
  run.energy_left = 0.5 * v.dot(mass.cwiseProduct(v)) + spring;
  run.imbalance = std::abs(run.work_in - run.dissipated - run.into_mounts - run.energy_left) / std::max(run.work_in, 1e-12);
  return run;
}

}  // namespace four_poster
