// SPDX-License-Identifier: Apache-2.0
// Nothing is lost in silence: random models of every option go out as property files and come back through the
// operations. Either the two agree on the rig, or a finding names what was lost with figures that a comparison of the
// test's own confirms.
//
// The test's comparison uses other numbers than the product's: 512 samples per cycle until the response repeats to
// 1e-9, one point at a time.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>

#include "kdyn/app/exchange/export_check.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::app {
namespace {

namespace fs = std::filesystem;
constexpr double degree = std::numbers::pi / 180.0;
constexpr int models_per_format = 200;

Outcome run(const std::string& name, const Json& options) {
  const Operation* operation = find_operation(name);
  EXPECT_NE(operation, nullptr);
  return run_operation(*operation, options, silent_progress());
}

class PropertyFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("kdyn_property_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    write_text((folder_ / name).string(), text);
    return (folder_ / name).string();
  }
  // The export, its file written, and the import of that.
  struct Trip {
    Outcome out, in;
    std::string text;
  };
  Trip round_trip(const Json& model, const std::string& to, const Json& options = Json::object()) const {
    Json job = {{"models", {write("model.json", dump_json(model))}}, {"to", to}};
    job.update(options);
    Trip trip{run("export", job), {}, {}};
    trip.text = trip.out.files.front().content;
    trip.in = run("import", {{"file", write(trip.out.files.front().name, trip.text)}});
    return trip;
  }
  fs::path folder_;
};

double log_uniform(RandomStream& r, double low, double high) { return low * std::pow(high / low, r.uniform()); }
bool chance(RandomStream& r, double p) { return r.uniform() < p; }

// A rising curve through zero that stiffens to both sides, uneven in x.
Json random_curve(RandomStream& r, double k, double reach) {
  Json points = Json::array();
  const int half = 2 + static_cast<int>(r.below(4));
  const double third = r.uniform(0.0, 2.0), skew = r.uniform(-0.3, 0.3);
  for (int i = -half; i <= half; ++i) {
    const double x = static_cast<double>(i) / half * (1.0 + 0.1 * (i > 0 ? skew : -skew));
    points.push_back({x * reach, k * reach * (x + skew * x * x * 0.5 + third * x * x * x)});
  }
  return points;
}

Json random_temperature(RandomStream& r) {
  return Json::array({{-20.0, r.uniform(1.2, 2.0), r.uniform(1.0, 2.0), r.uniform(1.0, 2.0)},
                      {23.0, 1.0, 1.0, 1.0},
                      {80.0, r.uniform(0.6, 0.9), r.uniform(0.4, 0.9), r.uniform(0.4, 0.9)}});
}

// `unit` is the size of a displacement: 1 mm, or 1 degree of a torsional axis, and k that of a stiffness.
Json random_elastomer(RandomStream& r, double unit, double k, bool main = true) {
  const double stiffness = log_uniform(r, 0.3 * k, 3.0 * k);
  Json p = {{"static_stiffness", stiffness},
            {"alpha", log_uniform(r, 0.03, 0.5)},
            {"beta", log_uniform(r, 0.02, 0.5)},
            {"gamma", log_uniform(r, 5e-4, 2e-2)},
            {"lambda", chance(r, 0.2) ? 0.0 : log_uniform(r, 0.05, 1.0)},
            {"rdl", chance(r, 0.2) ? 0.0 : log_uniform(r, 0.03 * unit, 0.2 * unit)},
            {"rho", log_uniform(r, 0.5 / unit, 10.0 / unit)},
            {"ymax", chance(r, 0.4) ? Json(log_uniform(r, 0.1 * unit, 1.0 * unit)) : Json()}};
  if (chance(r, main ? 0.4 : 0.2)) p["curve"] = random_curve(r, stiffness, r.uniform(2.0, 8.0) * unit);
  if (chance(r, 0.3))
    for (const char* scale : {"scale_freq", "scale_ampl", "scale_curve", "scale_static_stiffness"})
      p[scale] = r.uniform(0.5, 2.0);
  Json model = {{"model", "elastomer"}, {"law", chance(r, 0.5) ? "masing" : "g4"}, {"parameters", std::move(p)}};
  if (chance(r, 0.3)) model["options"] = {{"start_up", "backbone"}, {"deadband", log_uniform(r, 1e-9, 1e-6)}};
  if (chance(r, 0.3)) model["temperature"] = random_temperature(r);
  return model;
}

Json random_hydro(RandomStream& r) {
  const double k = log_uniform(r, 1e5, 1e6);
  Json p = {{"chamber_area", r.uniform(2e-3, 1e-2)},
            {"channel_area", r.uniform(3e-5, 2e-4)},
            {"channel_length", r.uniform(0.1, 0.4)},
            {"fluid_density", r.uniform(950.0, 1150.0)},
            {"fluid_damping_linear", log_uniform(r, 0.05, 1.0)},
            {"fluid_damping_nonlinear", log_uniform(r, 0.1, 5.0)},
            {"fluid_damping_exponent", chance(r, 0.5) ? 2.0 : r.uniform(1.5, 3.0)},
            {"coupled_damping", chance(r, 0.4)}};
  if (chance(r, 0.5)) p["decoupler_clearance"] = log_uniform(r, 5e-5, 1e-3);
  if (chance(r, 0.3)) p["decoupler_gradient"] = r.uniform(0.2, 1.0);
  if (chance(r, 0.5)) p["decoupler_residual_slope"] = r.uniform(0.02, 0.6);
  if (chance(r, 0.25))
    p.update({{"pressure_limit", log_uniform(r, 1e4, 1e5)}, {"pressure_limit_smoothing", log_uniform(r, 5e2, 5e3)}});
  if (chance(r, 0.25))
    p.update({{"bypass_area", log_uniform(r, 1e-6, 1e-5)}, {"bypass_threshold", log_uniform(r, 1e4, 1e5)}});
  if (chance(r, 0.3))
    p["chamber_preload_curve"] =
        Json::array({{-1000.0, r.uniform(0.5, 0.9)}, {0.0, 1.0}, {1500.0, r.uniform(1.1, 2.0)}});
  if (chance(r, 0.2))
    p["switch_signal"] = Json::array({{0.0, 1.0}, {3.0, 1.0}, {3.2, 0.0}, {6.0, 0.0}, {6.1, r.uniform(0.5, 1.0)}});
  Json model = {{"model", "hydromount"},
                {"main_rubber", random_elastomer(r, 1e-3, k)},
                {"chamber_rubber", random_elastomer(r, 1e-3, k, false)},
                {"parameters", std::move(p)}};
  if (chance(r, 0.3))
    model["temperature"] = Json::array({{-20.0, r.uniform(1.5, 6.0), r.uniform(1.0, 1.5)}, {23.0, 1.0, 1.0}});
  return model;
}

Json random_bushing(RandomStream& r) {
  static const char* const couplings[] = {"none", "cylindrical", "spherical"};
  Json bushing = {{"model", "bushing"}, {"coupling", couplings[r.below(3)]}};
  for (const char* axis : {"fx", "fy", "fz"})
    if (chance(r, 0.8)) bushing["axes"][axis] = chance(r, 0.1) ? random_hydro(r) : random_elastomer(r, 1e-3, 5e5);
  for (const char* axis : {"tx", "ty", "tz"})
    if (chance(r, 0.4)) bushing["axes"][axis] = random_elastomer(r, degree, 500.0);
  if (!bushing.contains("axes")) bushing["axes"]["fz"] = random_elastomer(r, 1e-3, 5e5);
  return bushing;
}

Json random_model(RandomStream& r, int i) {
  return i % 10 == 0 ? random_bushing(r) : i % 10 < 4 ? random_hydro(r) : random_elastomer(r, 1e-3, 5e5);
}

// Stiffness (complex) at one point by the rig as a user would run it.
std::complex<double> on_the_rig(const Mount& mount, const Json& at, const char* amplitude, const char* preload) {
  RigOptions options;
  options.settle_tolerance = 1e-9;
  options.max_cycles = 300;
  const SteadyResponse s = run_rig_point(mount, options, at["frequency_hz"].get<double>(), at[amplitude].get<double>(),
                                         at[preload].get<double>())
                               .response;
  return std::polar(s.k_dyn, s.loss_angle);
}

bool names(const Outcome& outcome, const std::string& code, const std::string& text) {
  for (const Json& f : outcome.result["findings"])
    if (f["code"] == code && f["message"].get<std::string>().find(text) != std::string::npos) return true;
  return false;
}

// The figures of one axis against the rig run by the test itself.
void expect_confirmed(const Json& figures, const Mount& model, const Mount& other, bool rotation,
                      const std::string& what) {
  const char *amplitude = rotation ? "amplitude_rad" : "amplitude_m", *preload = rotation ? "preload_nm" : "preload_n";
  const auto ratio_at = [&](const Json& at) {
    return on_the_rig(other, at, amplitude, preload) / on_the_rig(model, at, amplitude, preload);
  };
  if (figures["k_dyn_rel"].get<double>() > 1e-3) {
    const double said = figures["k_dyn_rel"].get<double>(),
                 seen = std::abs(std::abs(ratio_at(figures["k_dyn_at"])) - 1.0);
    // A coarser rig of 64 samples, and hydraulics that repeat only to 1e-5 a cycle: 3 % of the figure and 0.3 % of
    // stiffness.
    EXPECT_NEAR(said, seen, 0.03 * seen + 3e-3) << what;
  }
  if (figures["loss_angle_deg"].get<double>() > 0.1) {
    const double said = figures["loss_angle_deg"].get<double>(),
                 seen = std::abs(std::arg(ratio_at(figures["loss_angle_at"]))) / degree;
    EXPECT_NEAR(said, seen, 0.03 * seen + 0.3) << what;
  }
}

std::map<std::string, Json> axes_of(const Json& model) {
  std::map<std::string, Json> axes;
  if (model["model"] != "bushing") return {{"fz", model}};
  for (const auto& [axis, one] : model["axes"].items()) axes[axis] = one;
  return axes;
}

// Oracle: the parameters of the model itself, complete as the law writes them, and a rig of the test.
TEST_F(PropertyFiles, UbfComesBackAsItWas) {
  int told_of_others = 0;
  for (int i = 0; i < models_per_format; ++i) {
    RandomStream r(15, static_cast<std::uint64_t>(i));
    const Json model = random_model(r, i);
    const Trip trip = round_trip(model, "ubf");
    const Json& bushing = trip.in.result["bushing"];
    if (model["model"] == "bushing") {
      EXPECT_EQ(bushing["coupling"], model["coupling"]);
    }
    for (const auto& [axis, one] : axes_of(model)) {
      const std::string what = "model " + std::to_string(i) + " " + axis;
      ASSERT_TRUE(bushing["axes"].contains(axis)) << what;
      const auto before = mount_from_json(one, what), after = mount_from_json(bushing["axes"][axis], what);
      const Json& compared = trip.out.result["comparison"][axis];
      EXPECT_TRUE(compared["read_back"]["equal"].get<bool>()) << what << compared.dump() << one.dump();
      EXPECT_EQ(compared["lost"].size(), 0u) << what;
      EXPECT_FALSE(names(trip.out, "lost", axis)) << what;
      // Every parameter by itself, but the constant stiffness that a law with a curve does not use.
      Json given, read;
      before->to_json(given), after->to_json(read);
      for (const std::string& field : differing_fields(given, read)) {
        const bool unused = field.ends_with("static_stiffness");  // beside a curve
        EXPECT_TRUE(unused) << what << ": " << field;
      }
      // What others miss is said, and the figures are right.
      if (!compared["without_kdyn_blocks"]["equal"].get<bool>()) {
        ++told_of_others;
        EXPECT_FALSE(compared["lost_by_others"].empty()) << what;
        EXPECT_TRUE(names(trip.out, "own_keys", compared["lost_by_others"][0].get<std::string>())) << what;
      }
    }
  }
  EXPECT_GT(told_of_others, models_per_format / 2);  // masing alone is in half of the rubbers
}

// The figures for a reader that skips kdyn's blocks, on fewer models: each takes a fine run of two mounts.
TEST_F(PropertyFiles, FiguresForOtherReadersAreThoseOfTheRig) {
  for (int i = 0; i < 30; ++i) {
    RandomStream r(16, static_cast<std::uint64_t>(i));
    Json model = i % 2 == 0 ? random_hydro(r) : random_elastomer(r, 1e-3, 5e5);
    if (model["model"] == "hydromount")
      model["parameters"].erase("switch_signal");  // a map of a mount that switches is none
    const Trip trip = round_trip(model, "ubf");
    const Json& figures = trip.out.result["comparison"]["fz"]["without_kdyn_blocks"];
    std::string text = trip.text;
    text.erase(text.find("[FZ_KDYN]"));  // one direction: the block is the last
    const Outcome other = run("import", {{"file", write("other.ubf", text)}});
    expect_confirmed(figures, *mount_from_json(model, "model"), *mount_from_json(other.result["models"]["fz"], "other"),
                     false, std::to_string(i));
  }
}

TEST_F(PropertyFiles, BusAndGbsSayWhatTheyLose) {
  for (const char* to : {"bus", "gbs"})
    for (int i = 0; i < models_per_format; ++i) {
      RandomStream r(17, static_cast<std::uint64_t>(i));
      const Json model = random_model(r, i);
      const Trip trip = round_trip(model, to);
      const Json& bushing = trip.in.result["bushing"];
      if (model["model"] == "bushing") {
        EXPECT_EQ(bushing["coupling"], model["coupling"]);
      }
      for (const auto& [axis, one] : axes_of(model)) {
        const std::string what = std::string(to) + " model " + std::to_string(i) + " " + axis;
        ASSERT_TRUE(bushing["axes"].contains(axis)) << what;
        const bool rotation = axis[0] == 't';
        const Json& compared = trip.out.result["comparison"][axis];
        const auto before = mount_from_json(one, what), after = mount_from_json(bushing["axes"][axis], what);
        // The static curve is the one thing these formats hold: equal to rounding. 1e-9: mm and degrees go through
        // decimal digits.
        const double reach = rotation ? 2.0 * degree : 2e-3;
        for (const double u : {-reach, 0.3 * reach, reach})
          EXPECT_NEAR(after->static_force(u), before->static_force(u), 1e-9 * std::abs(before->static_force(reach)))
              << what;
        if (compared["read_back"]["equal"].get<bool>()) continue;
        EXPECT_TRUE(names(trip.out, "lost", "one damping value")) << what;
        if (i % 10 == 5) expect_confirmed(compared["read_back"], *before, *after, rotation, what);
      }
    }
}

TEST_F(PropertyFiles, ASpringAndADamperComeBackExactly) {
  for (const char* to : {"bus", "gbs"}) {
    const Json model = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 123456.7}, {"damping", 33.06}}}};
    const Trip trip = round_trip(model, to);
    EXPECT_TRUE(trip.out.result["findings"].empty()) << trip.out.result["findings"].dump();
    // Again: the damping is that of the first file to rounding (0.33 N s/m were lost in the fourth digit before).
    const Trip again = round_trip(trip.in.result["models"]["fz"], to);
    const auto mount = mount_from_json(again.in.result["models"]["fz"], "again");
    for (const double hz : {0.1, 10.0, 100.0}) {
      const std::complex<double> K = mount->linear_stiffness(hz, 0.0);
      EXPECT_NEAR(K.imag() / (2.0 * std::numbers::pi * hz), 33.06, 1e-9);
      EXPECT_NEAR(K.real(), 123456.7, 1e-6);
    }
  }
}

TEST_F(PropertyFiles, TorsionIsSaidInItsUnits) {
  Json model = {{"model", "elastomer"},
                {"axis", "rotation"},
                {"parameters", {{"static_stiffness", 900.0}, {"rdl", 0.01}, {"rho", 40.0}}}};
  const std::string path = write("torsion.json", dump_json(model));
  EXPECT_THROW(run("export", {{"models", {path}}, {"to", "bus"}}), Error);  // about which axis?
  EXPECT_THROW(run("export", {{"models", {path}}, {"to", "bus"}, {"directions", {"fz"}}}), Error);
  const Outcome out = run("export", {{"models", {path}}, {"to", "bus"}, {"directions", {"ty"}}, {"amplitude", 0.02}});
  EXPECT_TRUE(names(out, "lost", "N m/deg"));
  EXPECT_FALSE(names(out, "lost", "N/mm"));
  const Outcome in = run("import", {{"file", write("t.bus", out.files.front().content)}});
  EXPECT_NEAR(in.result["models"]["ty"]["parameters"]["static_stiffness"].get<double>(), 900.0, 1e-9);
  EXPECT_EQ(in.result["models"]["ty"]["axis"], "ty");
}

TEST_F(PropertyFiles, CouplingHasANumber) {
  Json axis = {
      {"model", "elastomer"},
      {"parameters",
       {{"curve", Json::array({{-5e-3, -9000.0}, {-2e-3, -1000.0}, {0.0, 0.0}, {2e-3, 1000.0}, {5e-3, 9000.0}})}}}};
  const Json model = {{"model", "bushing"}, {"coupling", "cylindrical"}, {"axes", {{"fx", axis}, {"fy", axis}}}};
  const Trip bus = round_trip(model, "bus");
  EXPECT_TRUE(names(bus.out, "own_keys", "coupling cylindrical"));
  EXPECT_GT(bus.out.result["comparison"]["coupling_rel"].get<double>(), 0.0);
  EXPECT_EQ(bus.in.result["bushing"]["coupling"], "cylindrical");
  const Trip gbs = round_trip(model, "gbs");
  EXPECT_FALSE(names(gbs.out, "own_keys", "coupling"));
  EXPECT_EQ(gbs.in.result["bushing"]["coupling"], "cylindrical");
}

// Oracle: by hand for five points with secants 8/3, 1/2, 1/2, 8/3 (kN/mm): Akima's slope at 2 mm is the mean weighted
// by the neighbours' changes.
TEST_F(PropertyFiles, InterpolationOfOthersHasANumber) {
  const Json model = {
      {"model", "elastomer"},
      {"parameters",
       {{"curve", Json::array({{-5e-3, -9000.0}, {-2e-3, -1000.0}, {0.0, 0.0}, {2e-3, 1000.0}, {5e-3, 9000.0}})}}}};
  const Outcome out = round_trip(model, "bus").out;
  // Secants beyond the end 8/3 + 13/6 n. At 2 mm: |change right| 13/6, |change left| 0: slope 1/2. At 5 mm: both sides
  // change by 13/6: (8/3 + 29/6)/2. Between 0 and 2 mm all slopes are 1/2: a line.
  const double m = 8e6 / 3.0, p = 0.5e6, q = 3.75e6, h = 3e-3;
  const auto mount = mount_from_json(model, "m");
  double worst = 0.0;
  for (int i = 0; i <= 1000; ++i) {
    const double u = 5e-6 * i, d = u - 2e-3;
    const double there =
        d < 0.0 ? p * u : 1000.0 + d * (p + d * ((3.0 * m - 2.0 * p - q) / h + d * (p + q - 2.0 * m) / (h * h)));
    worst = std::max(worst, std::abs(there - mount->static_force(u)) / 18000.0);
  }
  // Sampled at other places: a smooth maximum.
  EXPECT_NEAR(out.result["comparison"]["fz"]["akima_rel"].get<double>(), worst, 1e-5);
}

TEST_F(PropertyFiles, WhatIsEditedInTheFileCounts) {
  const Json model = {{"model", "elastomer"},
                      {"parameters", {{"static_stiffness", 3e5}, {"rdl", 1e-4}, {"rho", 4000.0}}}};
  std::string text = round_trip(model, "ubf").text;
  const std::size_t at = text.find("300000");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 6, "400000");
  const Outcome in = run("import", {{"file", write("edited.ubf", text)}});
  EXPECT_EQ(in.result["models"]["fz"]["parameters"]["static_stiffness"].get<double>(), 4e5);
}

TEST_F(PropertyFiles, RefusesWhatHasNoForm) {
  const std::string maxwell =
      write("m.json",
            R"({"model":"maxwell","parameters":{"static_stiffness":1e5,"stiffness":[1e4],"relaxation_time":[0.1]}})");
  EXPECT_THROW(run("export", {{"models", {maxwell}}, {"to", "ubf"}}), Error);
  const std::string bushing = write(
      "b.json", R"({"model":"bushing","axes":{"fx":{"model":"elastomer","parameters":{"static_stiffness":1e5}}}})");
  EXPECT_THROW(run("export", {{"models", {bushing, maxwell}}, {"to", "bus"}, {"directions", {"fx", "fy"}}}), Error);
}

}  // namespace
}  // namespace kdyn::app
