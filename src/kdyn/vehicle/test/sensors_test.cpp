// SPDX-License-Identifier: Apache-2.0
// Vehicles from sensors at given places. The oracle is the simulated vehicle, the bound of Cramer and Rao, and where a
// formula is tested an independent writing of it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/internal/driven.hpp"
#include "kdyn/vehicle/load.hpp"
#include "kdyn/vehicle/plan.hpp"
#include "reference_case.hpp"

namespace kdyn::inline vehicle {
namespace {

using internal::Assumed;
using internal::ChannelValue;
using internal::DecayLikelihood;
using internal::Direction;
using internal::DrivenLikelihood;

Sensor sensor(const std::string& name, SensorKind kind, const std::string& body, double x, double y,
              const std::string& axes) {
  Sensor s;
  s.name = name, s.kind = kind, s.body = body, s.position = {x, y, 0.3}, s.axes = axes;
  return s;
}

// Four accelerometers on the body, hubs A, B and D, a gyro.
std::vector<Sensor> crew() {
  std::vector<Sensor> out = {sensor("fl", SensorKind::accelerometer, "body", 0.2, 0.5, "z"),
                             sensor("fr", SensorKind::accelerometer, "body", -0.1, -0.6, "z"),
                             sensor("rl", SensorKind::accelerometer, "body", -2.5, 0.4, "z"),
                             sensor("rr", SensorKind::accelerometer, "body", -2.9, -0.5, "z"),
                             sensor("gyro", SensorKind::gyro, "body", -1.0, 0.1, "xy")};
  for (const char* wheel : {"A", "B", "D"})
    out.push_back(sensor(std::string("hub") + wheel, SensorKind::accelerometer, wheel, 0.0, 0.0, "z"));
  return out;
}

std::vector<PointMass> two_loads() {
  PointMass front, rear;
  front.name = "boot", front.mass = 70.0, front.x = -2.9, front.y = -0.4, front.Iyy = 3.0;
  rear.name = "seat", rear.mass = 60.0, rear.x = -0.3, rear.y = 0.5;
  return {front, rear};
}

DecayTest test_with(const std::vector<Sensor>& sensors, const VehicleLayout& layout = {}) {
  std::vector<Finding> findings;
  DecayTest test;
  test.channels = channels_of(sensors, layout, findings);
  test.points = {two_loads()};
  return test;
}

bool has(const VehicleFitResult& fit, const std::string& code, const std::string& where = "") {
  return std::any_of(fit.findings.begin(), fit.findings.end(),
                     [&](const Finding& f) { return f.code == code && (where.empty() || f.where == where); });
}

TEST(Sensors, ShowTheRigidMotionOfTheirPlace) {
  Vehicle<double> car;
  std::vector<Finding> findings;
  std::vector<Sensor> all = {sensor("p", SensorKind::accelerometer, "body", -2.0, 0.3, "z"),
                             sensor("upside", SensorKind::accelerometer, "body", 0.0, 0.0, "z"),
                             sensor("gyro", SensorKind::gyro, "body", 0.0, 0.0, "xy")};
  all[1].rotation = {3.14159265358979, 0.0, 0.0};
  Sensor pot;
  pot.name = "pot", pot.kind = SensorKind::string_pot, pot.markers = {"body", "C"}, pot.position = {-2.76, 0.7, 0.0};
  all.push_back(pot);
  const auto channels = channels_of(all, {}, findings);
  ASSERT_EQ(channels.size(), 5u);
  // A rigid body turned by theta about y and phi about x: z = zs + (w x r).z with r from the centre of gravity.
  Eigen::VectorXd X(7);
  X << 0.01, 0.002, -0.003, 0.1, 0.2, 0.3, 0.4;
  const auto shown = [&](std::size_t c) { return output_row(channels[c], car).dot(X); };
  const auto rigid = [&](double x, double y) {
    const Eigen::Vector3d w(X[2], X[1], 0.0), r(x + car.a, y, 0.0);
    return X[0] + w.cross(r)[2];
  };
  EXPECT_NEAR(shown(0), rigid(-2.0, 0.3), 1e-15);
  EXPECT_NEAR(shown(1), -rigid(0.0, 0.0), 1e-12);
  EXPECT_NEAR(shown(2), X[2], 1e-15);
  EXPECT_NEAR(shown(3), X[1], 1e-15);
  EXPECT_NEAR(shown(4), rigid(-2.76, 0.7) - X[5], 1e-15);
  EXPECT_EQ(channels[4].unit(), "m");
  EXPECT_EQ(channels[2].unit(), "rad/s");
}

TEST(Sensors, WhatTheModelDoesNotHaveIsToldOrRefused) {
  std::vector<Finding> findings;
  EXPECT_EQ(channels_of({sensor("p", SensorKind::accelerometer, "body", 0.0, 0.0, "xyz")}, {}, findings).size(), 1u);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("p.x, p.y"), std::string::npos);
  const auto complaint = [&](const Sensor& s) {
    try {
      channels_of({s}, {}, findings);
    } catch (const Error& e) {
      return e.where() + ": " + e.message();
    }
    return std::string("no error");
  };
  EXPECT_NE(complaint(sensor("p", SensorKind::accelerometer, "E", 0.0, 0.0, "z")).find("no 'E' on this vehicle"),
            std::string::npos);
  EXPECT_NE(complaint(sensor("p", SensorKind::accelerometer, "body", 1200.0, 0.0, "z")).find("on no vehicle"),
            std::string::npos);
  EXPECT_NE(complaint(sensor("p", SensorKind::gyro, "A", 0.0, 0.0, "x")).find("only the body"), std::string::npos);
  EXPECT_NE(complaint(sensor("p", SensorKind::accelerometer, "body", 0.0, 0.0, "x")).find("no sensor measures"),
            std::string::npos);
}

// Point masses move the centre of gravity: second formulation by Steiner about the joint centre.
TEST(Sensors, PointMassesAreThoseOfTheLoadedBody) {
  const Vehicle<double> car;
  const std::vector<PointMass> loads = two_loads();
  const Eigen::MatrixXd M = car.matrices({}, loads).mass;
  double mass = car.ms, sx = 0.0, sy = 0.0, Iyy = car.Iyy, Ixx = car.Ixx;
  for (const PointMass& p : loads) {
    const double x = p.x + car.a;
    mass += p.mass, sx += p.mass * x, sy += p.mass * p.y, Iyy += p.mass * x * x + p.Iyy, Ixx += p.mass * p.y * p.y;
  }
  EXPECT_NEAR(M(0, 0), mass, 1e-9);
  EXPECT_NEAR(M(0, 1), -sx, 1e-9);
  EXPECT_NEAR(M(0, 2), sy, 1e-9);
  EXPECT_NEAR(M(1, 1), Iyy, 1e-9);
  EXPECT_NEAR(M(2, 2), Ixx, 1e-9);
  EXPECT_NEAR((M - M.transpose()).norm(), 0.0, 1e-12);
}

// All that can be unknown, against central differences of the cost.
void expect_gradient(const internal::Likelihood& likelihood, const Assumed& at, const std::vector<double>& sigma,
                     double tolerance) {
  std::vector<Direction> directions;
  Vehicle<double> copy = at.vehicle;
  const int members = static_cast<int>(copy.members().size());
  for (int p = 0; p < members; ++p) directions.push_back({{{p, *copy.members()[static_cast<std::size_t>(p)]}}});
  const bool free = dynamic_cast<const DecayLikelihood*>(&likelihood) != nullptr;
  std::vector<std::pair<int, ChannelValue>> values;
  for (const int c : {0, 3}) {
    values.emplace_back(c, ChannelValue::gain), values.emplace_back(c, ChannelValue::x),
        values.emplace_back(c, ChannelValue::y);
    if (free) values.emplace_back(c, ChannelValue::delay);
  }
  values.emplace_back(4, ChannelValue::turn), values.emplace_back(5, ChannelValue::turn);  // the gyro
  for (const auto& [c, what] : values) directions.push_back({{{internal::index_of(c, what), 1.0}}});
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  ASSERT_TRUE(likelihood.evaluate(at, sigma, r, directions, &J));
  const Eigen::VectorXd gradient = J.transpose() * r;
  const auto cost = [&](const Assumed& there) {
    Eigen::VectorXd residual;
    EXPECT_TRUE(likelihood.evaluate(there, sigma, residual, {}, nullptr));
    return 0.5 * residual.squaredNorm();
  };
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const double h = 1e-5;
    Assumed up = at, down = at;
    for (auto* there : {&up, &down}) {
      const double step = there == &up ? h : -h;
      if (i < static_cast<std::size_t>(members)) {
        *there->vehicle.members()[i] *= std::exp(step);
        continue;
      }
      const auto [c, what] = values[i - static_cast<std::size_t>(members)];
      DecayChannel& channel = there->channels[static_cast<std::size_t>(c)];
      if (what == ChannelValue::gain) channel.gain *= std::exp(step);
      if (what == ChannelValue::delay) channel.delay_s += step;
      if (what == ChannelValue::x) channel.x += step;
      if (what == ChannelValue::y) channel.y += step;
      if (what == ChannelValue::turn) channel.turn_to(channel.turn_z + step);
    }
    EXPECT_NEAR(gradient[static_cast<Eigen::Index>(i)], (cost(up) - cost(down)) / (2.0 * h),
                tolerance * (1.0 + gradient.cwiseAbs().maxCoeff()))
        << i;
  }
}

TEST(Sensors, GradientAgreesWithDifferences) {
  for (const VehicleLayout layout : {VehicleLayout{2, false}, VehicleLayout{3, true}}) {
    DecayTest test = test_with(crew(), layout);
    test.rate_hz = 200.0, test.length_s = 0.8;
    Vehicle<double> car;
    car.layout = layout;
    DecaySet set = simulate_decays(car, {}, test);
    const auto sigma = noise_for(set, 20.0);
    add_noise(set, sigma, 3);
    Assumed at{car, set.channels};
    int k = 0;
    for (double* value : at.vehicle.members()) *value *= 1.0 + 0.05 * std::sin(1.7 * k++);
    at.channels[3].delay_s = 0.002, at.channels[3].gain = -1.1;
    // Central differences of a cost near 1e4: rounding 1e-16 * 1e4/1e-5, truncation h^2.
    expect_gradient(DecayLikelihood(set, layout.hitch), at, sigma, 1e-5);
  }
}

TEST(Sensors, TimeDomainAgreesWithFreeDecays) {
  DecayTest test = test_with(crew());
  test.rate_hz = 400.0, test.length_s = 0.6;
  test.cases = {bump_case("A")};
  const Vehicle<double> car;
  DecaySet set = simulate_decays(car, {}, test);
  const auto sigma = noise_for(set, 20.0);
  add_noise(set, sigma, 4);
  Vehicle<double> other = car;
  other.ks[0] *= 1.2, other.cs[2] *= 0.7, other.a *= 1.1;
  Eigen::VectorXd r;
  ASSERT_TRUE(DecayLikelihood(set, false).evaluate({other, set.channels}, sigma, r, {}, nullptr));
  const double expected = r.squaredNorm();
  ASSERT_TRUE(DrivenLikelihood(set, false).evaluate({other, set.channels}, sigma, r, {}, nullptr));
  // Runge-Kutta with steps of 1.25 ms on 11 Hz: (0.09)^5/120 per step.
  EXPECT_NEAR(r.squaredNorm() / expected, 1.0, 1e-5);
}

TEST(Sensors, TimeDomainGradientAgreesWithDifferences) {
  DecayTest test = test_with(crew());
  test.rate_hz = 200.0, test.length_s = 0.5;
  test.cases = {bump_case("AC")};
  Vehicle<double> car;
  DecaySet set = simulate_decays(car, {}, test);
  const auto sigma = noise_for(set, 20.0);
  add_noise(set, sigma, 5);
  set.layout.bilinear = car.layout.bilinear = true;
  car.rebound = {1.8, 1.6, 2.2, 2.0, 1.0, 1.0};
  car.cs.fill(1100.0);
  // The kinks of the dampers at rest of each suspension move with the parameters: first order in h there.
  expect_gradient(DrivenLikelihood(set, false), {car, set.channels}, sigma, 2e-4);
}

TEST(Sensors, IdentifyWithinTheBound) {
  const Vehicle<double> car;
  DecaySet set = simulate_decays(car, {}, test_with(crew()));
  const auto sigma = noise_for(set, 30.0);
  const Eigen::VectorXd bound = cramer_rao(car, set, sigma, true, {}), truth = values_of(car, true);
  add_noise(set, sigma, 1);
  VehicleFitOptions options;
  options.added_mass_std = 0.0;  // the bound takes it for exact
  const VehicleFitResult fit = identify_vehicle(set, options);
  ASSERT_EQ(fit.status, "converged");
  EXPECT_FALSE(has(fit, "misfit"));
  for (Eigen::Index i = 0; i < truth.size(); ++i) {
    const ParameterEstimate& p = fit.parameters[static_cast<std::size_t>(i)];
    EXPECT_LT(std::abs(p.value / truth[i] - 1.0), 4.5 * bound[i]) << p.name;
    EXPECT_NEAR(p.std / p.value / bound[i], 1.0, 0.25) << p.name;  // the bound at the solution is that at the truth
  }
}

// A gyro that sits turned by 0.2 rad about the vertical axis, and a tilted accelerometer: found along with the vehicle.
TEST(Sensors, OrientationIsFoundWithTheVehicle) {
  std::vector<Sensor> sensors = crew();
  sensors[4].turn = {0.0, 0.0, 0.2}, sensors[1].turn = {0.3, 0.0, 0.0};
  const Vehicle<double> car;
  DecaySet set = simulate_decays(car, {}, test_with(sensors));
  add_noise(set, noise_for(set, 30.0), 21);
  sensors[4].turn = sensors[1].turn = {0.0, 0.0, 0.0};
  sensors[4].unknown = sensors[1].unknown = {SensorUnknown::orientation};
  std::vector<Finding> findings;
  set.channels = channels_of(sensors, {}, findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "orientation_as_gain");
  const VehicleFitResult fit = identify_vehicle(set, {});
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  const Eigen::VectorXd truth = values_of(car, true);
  for (std::size_t i = 0; i < 15; ++i)
    EXPECT_LT(std::abs(fit.parameters[i].value - truth[static_cast<Eigen::Index>(i)]), 4.5 * fit.parameters[i].std)
        << fit.parameters[i].name;
  ASSERT_EQ(fit.parameters.size(), 17u);
  EXPECT_EQ(fit.parameters[15].name, "fr.z.gain");
  EXPECT_NEAR(fit.parameters[15].value, std::cos(0.3), 4.5 * fit.parameters[15].std);
  EXPECT_EQ(fit.parameters[16].name, "gyro.turn.z");
  EXPECT_NEAR(fit.parameters[16].value, 0.2, 4.5 * fit.parameters[16].std);
  EXPECT_LT(fit.parameters[16].std, 0.01);
}

TEST(Sensors, ATurnedGyroIsNamed) {
  const DecaySet straight = simulate_decays({}, {}, test_with(crew()));
  for (const double turn : {0.25 * two_pi, -0.3}) {
    std::vector<Sensor> sensors = crew();
    sensors[4].turn = {0.0, 0.0, turn};
    DecaySet set = simulate_decays({}, {}, test_with(sensors));
    add_noise(set, noise_for(set, 30.0), 22);
    set.channels = straight.channels;
    const VehicleFitResult fit = identify_vehicle(set, {});
    EXPECT_NE(fit.status, "converged");
    EXPECT_TRUE(has(fit, "sensor_turned", "gyro")) << turn;
  }
}

TEST(Sensors, ThreeAxlesAndAHitch) {
  for (const bool hitch : {false, true}) {
    Vehicle<double> truck;
    truck.layout = {3, hitch};
    truck.ms = 14000.0, truck.Iyy = 90000.0, truck.Ixx = 9000.0;
    truck.mu = {350.0, 350.0, 500.0, 500.0, 450.0, 450.0};
    truck.ks = {250e3, 250e3, 500e3, 500e3, 400e3, 400e3}, truck.kt = {1.1e6, 1.1e6, 2e6, 2e6, 2e6, 2e6};
    truck.cs = {12e3, 12e3, 20e3, 20e3, 16e3, 16e3};
    truck.a = hitch ? -0.4 : 3.0, truck.b = hitch ? 1.7 : 1.4, truck.b3 = hitch ? 3.0 : 2.7;
    truck.tf = 1.0, truck.tr = 0.95, truck.t3 = 0.9;
    truck.hitch = 5.5, truck.kh = 600e3, truck.ch = 9e3;
    std::vector<Sensor> sensors = {sensor("fl", SensorKind::accelerometer, "body", hitch ? 5.5 : 0.2, 0.8, "z"),
                                   sensor("fr", SensorKind::accelerometer, "body", hitch ? 5.0 : -0.1, -0.9, "z"),
                                   sensor("rl", SensorKind::accelerometer, "body", -5.5, 0.8, "z"),
                                   sensor("rr", SensorKind::accelerometer, "body", -5.9, -0.9, "z")};
    for (const char* wheel : {"A", "B", "C", "D", "E", "F"})
      sensors.push_back(sensor(std::string("hub") + wheel, SensorKind::accelerometer, wheel, 0.0, 0.0, "z"));
    DecayTest test = test_with(sensors, truck.layout);
    test.points[0][0].mass = 900.0, test.points[0][0].x = -5.0, test.points[0][0].y = -0.6;
    test.points[0][1].mass = 900.0, test.points[0][1].y = 0.7;
    test.cases = {bump_case("ABCDEF"), bump_case("AB"), bump_case("ACE"), bump_case("EF")};
    DecaySet set = simulate_decays(truck, {}, test);
    const auto sigma = noise_for(set, 40.0);
    const Eigen::VectorXd bound = cramer_rao(truck, set, sigma, true, {}), truth = values_of(truck, true);
    add_noise(set, sigma, 2);
    const VehicleFitResult fit = identify_vehicle(set, {});
    ASSERT_EQ(fit.status, "converged") << fit.reason;
    const auto& parameters = vehicle_parameters(true, truck.layout);
    for (Eigen::Index i = 0; i < truth.size(); ++i) {
      const double scale = parameters[static_cast<std::size_t>(i)].signed_length ? 1.0 : truth[i];
      EXPECT_LT(std::abs(fit.parameters[static_cast<std::size_t>(i)].value - truth[i]) / scale, 4.5 * bound[i])
          << parameters[static_cast<std::size_t>(i)].name << " " << hitch;
    }
  }
}

TEST(Sensors, AccelerometerBesideTheCentreOfGravityIsPlaced) {
  DecayTest test;
  test.channels = seven_motions(MotionKind::acceleration);
  test.channels[0].x = 0.25, test.channels[0].y = -0.1;
  DecaySet set = simulate_decays({}, {published_mass}, test);
  add_noise(set, noise_for(set, 30.0), 6);
  set.channels = seven_motions(MotionKind::acceleration);  // given as motion of the centre of gravity
  const VehicleFitResult fit = identify_vehicle(set, {});
  ASSERT_EQ(fit.status, "converged");
  EXPECT_TRUE(has(fit, "not_at_centre", "zs"));
  const Eigen::VectorXd truth = values_of(Vehicle<double>{}, true);
  for (std::size_t i = 0; i < 15; ++i)
    EXPECT_LT(std::abs(fit.parameters[i].value - truth[static_cast<Eigen::Index>(i)]), 4.5 * fit.parameters[i].std)
        << fit.parameters[i].name;
  ASSERT_EQ(fit.parameters.size(), 17u);
  EXPECT_NEAR(fit.parameters[15].value, 0.25, 4.5 * fit.parameters[15].std);
  EXPECT_NEAR(fit.parameters[16].value, -0.1, 4.5 * fit.parameters[16].std);
}

TEST(Sensors, BrokenChannelsAreNamed) {
  DecayTest test = test_with(crew());
  test.length_s = 1.2, test.cases = {bump_case("ABCD"), bump_case("AC")};
  const DecaySet clean = simulate_decays({}, {}, test);
  DecaySet good = clean;
  add_noise(good, noise_for(clean, 30.0), 7);
  DecaySet sign = good;
  for (DecayRecord& r : sign.records) r.samples.col(2) *= -1.0;
  const VehicleFitResult reversed = identify_vehicle(sign, {});
  EXPECT_TRUE(has(reversed, "channel_sign", "rl.z"));
  EXPECT_NE(reversed.status, "converged");
  // A hub makes the fit believe that its wheel is still excited: the records must not be cut until it rests.
  DecaySet hub = good;
  for (DecayRecord& r : hub.records) r.samples.col(6) *= -1.0;
  const VehicleFitResult reversed_hub = identify_vehicle(hub, {});
  EXPECT_TRUE(has(reversed_hub, "channel_sign", "hubA.z"));
  EXPECT_FALSE(has(reversed_hub, "no_signal"));
  DecaySet swapped = good;
  for (DecayRecord& r : swapped.records) r.samples.col(6).swap(r.samples.col(8));
  EXPECT_TRUE(has(identify_vehicle(swapped, {}), "channels_swapped"));
  DecaySet flat = good;
  for (DecayRecord& r : flat.records) r.samples.col(7) = r.samples.col(7).cwiseMin(20.0);
  EXPECT_EQ(clipped_channels(flat), std::vector<std::string>{"hubB.z"});
  EXPECT_TRUE(clipped_channels(good).empty());
}

TEST(Sensors, LoadsComeFromTheJob) {
  const Json text =
      Json::parse(R"([{"mass": 70, "position": [-2.9, -0.4, 0]}, {"mass": 3, "body": "B", "config": 2}])");
  std::vector<Load> loads(2);
  for (std::size_t i = 0; i < 2; ++i) from_json_fields(loads[i], text[i], "loads");
  const auto points = points_of(loads, {});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0][0].x, -2.9);
  EXPECT_EQ(points[1][0].wheel, 1);
}

}  // namespace
}  // namespace kdyn::inline vehicle
