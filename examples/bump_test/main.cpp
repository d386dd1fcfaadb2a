// SPDX-License-Identifier: Apache-2.0
// A bump test that never took place: simulates the published car rolling over a bump, without and with added mass, as
// sensors with 30 dB of signal over noise would record it; and a minute on a country road for `kdyn assess`. Writes the
// files that data/bump_test holds.
//
// Sample runs (from the root of the repository):
//   build/release/examples/bump_test --out out/bump_test
//   build/release/kdyn vehicle --data out/bump_test/decays.csv --added-mass 130 250 40 4 4 5 5 --out out/vehicle
//   build/release/kdyn assess out/bump_test/drive_old.csv --compare out/bump_test/drive_new.csv --out out/assess
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/vehicle/decay_file.hpp"
#include "kdyn/vehicle/decay_test.hpp"
#include "kdyn/vehicle/load.hpp"
#include "kdyn/vehicle/road.hpp"

namespace {

using namespace kdyn;

// Driver's seat 0.35 m to the left, 0.1 m behind the centre of gravity and 0.4 m above the axis of roll and pitch.
std::string drive_csv(const Vehicle<double>& car, const Road& road) {
  const VehicleResponse r = exact_response(car.matrices(), car.kt, road.height, road.interval);
  std::string out = "time_s,seat_x [m/s^2],seat_y [m/s^2],seat_z [m/s^2],spring_front_left [N]\n";
  constexpr double x = -0.1, y = 0.35, above = 0.4;
  for (Eigen::Index k = 0; k < r.displacement.rows(); ++k) {
    const auto a = r.acceleration.row(k), u = r.displacement.row(k);
    const double travel = u[0] - car.a * u[1] + car.tf * u[2] - u[3];
    out += fmt::format("{:.3f},{:.5g},{:.5g},{:.5g},{:.5g}\n", static_cast<double>(k) * road.interval, above * a[1],
                       -above * a[2], a[0] - x * a[1] + y * a[2], car.ks[0] * travel);
  }
  return out;
}

// Four accelerometers on the floor, gyros, three hubs (the fourth cable was too short) and a string pot.
std::vector<Sensor> crew_sensors() {
  std::vector<Sensor> out;
  const auto add = [&](const char* name, SensorKind kind, const char* body, double x, double y, const char* axes) {
    Sensor s;
    s.name = name, s.kind = kind, s.body = body, s.position = {x, y, 0.0}, s.axes = axes;
    out.push_back(s);
  };
  add("floor_fl", SensorKind::accelerometer, "body", 0.15, 0.55, "z");
  add("floor_fr", SensorKind::accelerometer, "body", -0.10, -0.60, "z");
  add("floor_rl", SensorKind::accelerometer, "body", -2.45, 0.50, "z");
  add("floor_rr", SensorKind::accelerometer, "body", -3.05, -0.45, "z");
  add("gyro", SensorKind::gyro, "body", -1.20, 0.10, "xy");
  add("hub_fl", SensorKind::accelerometer, "A", 0.0, 0.0, "z");
  add("hub_fr", SensorKind::accelerometer, "B", 0.0, 0.0, "z");
  add("hub_rr", SensorKind::accelerometer, "D", 0.0, 0.0, "z");
  Sensor pot;
  pot.name = "travel_rl", pot.kind = SensorKind::string_pot, pot.markers = {"body", "C"};
  pot.position = {-2.76, 0.70, 0.0};
  out.push_back(pot);
  return out;
}

std::vector<Load> crew_loads() {
  Load boot, seat;
  boot.name = "boot", boot.mass = 80.0, boot.position = {-2.9, -0.3, 0.0};
  seat.name = "seat", seat.mass = 60.0, seat.position = {-0.4, 0.4, 0.0};
  return {boot, seat};
}

}  // namespace

int main(int argc, char** argv) {
  std::string out = "out/bump_test";
  CLI::App app{"Simulates a bump test and a drive", "bump_test"};
  app.add_option("--out", out, "Folder for decays.csv, sensors.csv with its job, drive_old.csv and drive_new.csv");
  CLI11_PARSE(app, argc, argv);
  try {
    const Vehicle<double> car;
    const AddedMass added = {130.0, 250.0, 40.0, 4.0, 4.0, 5.0, 5.0};
    DecayTest test;
    test.rate_hz = 250.0;
    const auto sigma = noise_for(simulate_decays(car, {added}, test), 30.0);
    test.with_bump = true;
    DecaySet decays = simulate_decays(car, {added}, test);
    add_noise(decays, sigma, 2016);
    const std::filesystem::path folder(out);
    write_text((folder / "decays.csv").string(), decay_csv(decays));

    // The same bumps seen by sensors where a crew would put them, with sandbags instead of an added inertia.
    const std::vector<Sensor> sensors = crew_sensors();
    const std::vector<Load> loads = crew_loads();
    std::vector<Finding> findings;
    DecayTest crew;
    crew.rate_hz = 250.0;
    crew.channels = channels_of(sensors, {}, findings);
    crew.points = points_of(loads, {});
    const auto crew_sigma = noise_for(simulate_decays(car, {}, crew), 30.0);
    crew.with_bump = true;
    DecaySet seen = simulate_decays(car, {}, crew);
    add_noise(seen, crew_sigma, 2026);
    write_text((folder / "sensors.csv").string(), decay_csv(seen));
    Json job = {{"data", {"data/bump_test/sensors.csv"}}, {"sensors", Json::array()}, {"loads", Json::array()}};
    for (const Sensor& s : sensors) {
      Json entry = {{"name", s.name}, {"kind", sensor_names[static_cast<std::size_t>(s.kind)]}};
      if (!s.body.empty()) entry["body"] = s.body;
      if (!s.markers.empty()) entry["markers"] = s.markers;
      if (s.position != Sensor{}.position) entry["position"] = s.position;
      if (s.has_axes()) entry["axes"] = s.axes;
      job["sensors"].push_back(entry);
    }
    for (const Load& l : loads) job["loads"].push_back({{"name", l.name}, {"mass", l.mass}, {"position", l.position}});
    write_text((folder / "sensors.json").string(), dump_json(job));

    RoadOptions road;
    road.roughness = 64e-6;
    road.speed = 22.0;
    road.wheelbase = car.a + car.b;
    road.track = 2.0 * car.tf;
    road.length_s = 16.0;
    road.rate_hz = 250.0;
    road.seed = 8;
    Road profile = random_road(road);
    add_obstacle(profile, road, 8.0, 0.04, 1.2, true, true);
    write_text((folder / "drive_old.csv").string(), drive_csv(car, profile));
    Vehicle<double> softer = car;
    for (double& c : softer.cs) c *= 1.3;
    for (double& k : softer.ks) k *= 0.85;
    write_text((folder / "drive_new.csv").string(), drive_csv(softer, profile));
    fmt::print("wrote {}\n", (folder / "{decays,sensors,drive_old,drive_new}.csv").string());
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "bump_test: {}: {}\n  remedy: {}\n", error.where(), error.message(), error.remedy());
    return static_cast<int>(error.code());
  }
}
