// SPDX-License-Identifier: Apache-2.0
#include "car.hpp"

#include <cmath>

#include "kdyn/base/error.hpp"

namespace four_poster {
namespace {

constexpr int dofs = 17, wheels = 12, seat = 16;  // parts first, three each
constexpr double gravity = 9.80665;

using Vector = Eigen::Matrix<double, dofs, 1>;
using Matrix = Eigen::Matrix<double, dofs, dofs>;

// Vertical motion of a point of a part, as a row over all degrees of freedom.
Vector rise(const Car& car, Part p, double x, double y) {
  const int first = 3 * static_cast<int>(p);
  Vector g = Vector::Zero();
  g[first] = 1.0;
  g[first + 1] = -(x - car.part(p).x);
  g[first + 2] = y;
  return g;
}

// The linear rest of the car.
struct Chassis {
  Vector mass;
  Matrix K = Matrix::Zero(), C = Matrix::Zero();
};

Chassis assemble(const Car& car) {
  Chassis out;
  for (int i = 0; i < 4; ++i) {
    const RigidPart& p = car.parts[static_cast<std::size_t>(i)];
    out.mass.segment<3>(3 * i) << p.mass, p.pitch_inertia, p.roll_inertia;
  }
  out.mass.segment<4>(wheels).setConstant(car.wheel_mass);
  out.mass[seat] = car.seat_mass;
  const auto add = [&](const Vector& stretch, double k, double c) {
    out.K += k * stretch * stretch.transpose();
    out.C += c * stretch * stretch.transpose();
  };
  for (int w = 0; w < 4; ++w) {
    const std::size_t axle = w < 2 ? 0 : 1;
    const double y = (w % 2 == 0 ? 1.0 : -1.0) * car.half_track[axle];
    const Vector wheel = Vector::Unit(wheels + w);
    add(rise(car, axle == 0 ? Part::body : Part::rear_subframe, car.axle_x[axle], y) - wheel, car.spring[axle],
        car.damper[axle]);
    out.K(wheels + w, wheels + w) += car.tyre_stiffness;
  }
  add(Vector::Unit(seat) - rise(car, Part::body, car.seat_x, car.seat_y), car.seat_stiffness, car.seat_damping);
  return out;
}

}  // namespace

Car::Car() {
  // Three supports carry the powertrain by the lever rule; the rear axle carries its share of all that rests on the
  // body.
  const double engine_x = 1.25, gearbox_x = 0.85;
  const double weight = part(Part::powertrain).mass * gravity,
               on_engine = (part(Part::powertrain).x - gearbox_x) / (engine_x - gearbox_x);
  mounts.push_back(
      {"engine left", MountType::engine, Part::powertrain, Part::body, engine_x, 0.48, -0.5 * on_engine * weight});
  mounts.push_back(
      {"engine right", MountType::engine, Part::powertrain, Part::body, engine_x, -0.48, -0.5 * on_engine * weight});
  const double on_gearbox = (1.0 - on_engine) * weight;
  mounts.push_back(
      {"gearbox", MountType::gearbox, Part::powertrain, Part::front_subframe, gearbox_x, 0.0, -on_gearbox});
  double rear = 0.0;
  for (const auto& [mass, x] : {std::pair{part(Part::body).mass, 0.0},
                                {part(Part::powertrain).mass, part(Part::powertrain).x},
                                {part(Part::front_subframe).mass, part(Part::front_subframe).x},
                                {seat_mass, seat_x}})
    rear += mass * gravity * (axle_x[0] - x) / (axle_x[0] - axle_x[1]);
  const double hanging = 0.25 * (part(Part::front_subframe).mass * gravity + on_gearbox);
  for (const double x : {1.35, 0.75})
    for (const double y : {0.42, -0.42})
      mounts.push_back({"front subframe", MountType::subframe, Part::body, Part::front_subframe, x, y, hanging});
  watched = {0, 2, mounts.size()};
  for (const double x : {-1.28, -1.72})
    for (const double y : {0.45, -0.45})
      mounts.push_back({"rear subframe", MountType::subframe, Part::body, Part::rear_subframe, x, y, -0.25 * rear});
}

Run drive(const Car& car, std::vector<std::unique_ptr<MountModel>> mounts, const kdyn::Road& road, int substeps) {
  kdyn::demand(mounts.size() == car.mounts.size() && substeps >= 1, "every mount has a model");
  const Chassis chassis = assemble(car);
  std::vector<Vector> stretch;
  for (const MountPlace& m : car.mounts) stretch.push_back(rise(car, m.upper, m.x, m.y) - rise(car, m.lower, m.x, m.y));
  const Vector floor = rise(car, Part::body, car.seat_x, car.seat_y);
  constexpr int powertrain = 3 * static_cast<int>(Part::powertrain);

  Run run;
  run.interval = road.interval;
  run.force.resize(car.watched.size()), run.travel.resize(car.watched.size());
  const std::size_t count = mounts.size();
  Vector x = Vector::Zero(), v = x, a = x;
  std::vector<double> force(count, 0.0), travel(count, 0.0);
  const double h = road.interval / substeps, kt = car.tyre_stiffness;
  // Power of the posters: the tyre's force on the road times the road's velocity.
  const auto post_power = [&](const Vector& at, const Eigen::Vector4d& z, const Eigen::Vector4d& z_rate) {
    return kt * (z - at.segment<4>(wheels)).dot(z_rate);
  };
  Eigen::Vector4d ground = road.height.row(0), ground_rate = road.velocity.row(0);
  double power_in = post_power(x, ground, ground_rate), power_out = 0.0;
  const Eigen::Index samples = road.height.rows();
  for (Eigen::Index k = 0; k < samples; ++k) {
    run.seat.push_back(a[seat]);
    run.floor.push_back(floor.dot(a));
    run.powertrain.push_back(a[powertrain]);
    for (std::size_t i = 0; i < car.watched.size(); ++i) {
      run.force[i].push_back(force[car.watched[i]]);
      run.travel[i].push_back(travel[car.watched[i]]);
    }
    if (k + 1 == samples) break;
    for (int sub = 1; sub <= substeps; ++sub) {
      // The road between its samples: the cubic through heights and slopes.
      const double s = static_cast<double>(sub) / substeps, s2 = s * s, s3 = s2 * s, T = road.interval;
      const Eigen::Vector4d z0 = road.height.row(k), z1 = road.height.row(k + 1), d0 = T * road.velocity.row(k),
                            d1 = T * road.velocity.row(k + 1);
      ground = (2 * s3 - 3 * s2 + 1) * z0 + (s3 - 2 * s2 + s) * d0 + (-2 * s3 + 3 * s2) * z1 + (s3 - s2) * d1;
      ground_rate =
          ((6 * s2 - 6 * s) * z0 + (3 * s2 - 4 * s + 1) * d0 + (6 * s - 6 * s2) * z1 + (3 * s2 - 2 * s) * d1) / T;
      // Displacement and a first velocity from the old acceleration, forces there, then the velocity by the mean of
      // both.
      const Vector x_new = x + h * v + 0.5 * h * h * a, v_guess = v + h * a;
      Vector f = -(chassis.K * x_new) - chassis.C * v_guess;
      f.segment<4>(wheels) += kt * ground;
      for (std::size_t i = 0; i < count; ++i) {
        const double u = stretch[i].dot(x_new), before = force[i];
        force[i] = mounts[i]->advance({u, stretch[i].dot(v_guess)}, h);
        run.into_mounts += 0.5 * (before + force[i]) * (u - travel[i]);
        travel[i] = u;
        f -= force[i] * stretch[i];
      }
      const Vector a_new = f.cwiseQuotient(chassis.mass);
      v += 0.5 * h * (a + a_new);
      x = x_new;
      a = a_new;
      const double in = post_power(x, ground, ground_rate), out = v.dot(chassis.C * v);
      run.work_in += 0.5 * h * (power_in + in);
      run.dissipated += 0.5 * h * (power_out + out);
      power_in = in, power_out = out;
    }
  }
  // Tyre springs hold energy by their deflection against the road, not against zero.
  const double spring =
      0.5 * x.dot(chassis.K * x) + kt * (0.5 * ground.squaredNorm() - ground.dot(x.segment<4>(wheels)));
  run.energy_left = 0.5 * v.dot(chassis.mass.cwiseProduct(v)) + spring;
  run.imbalance =
      std::abs(run.work_in - run.dissipated - run.into_mounts - run.energy_left) / std::max(run.work_in, 1e-12);
  return run;
}

}  // namespace four_poster
