// SPDX-License-Identifier: Apache-2.0
// The generated C against the library: compiled with gcc as a user would, loaded, driven sample by sample.
// Tolerance 1e-12 of the largest force: both do the same operations, differences are the compilers' contraction and libm.
#include <dlfcn.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/element/motion.hpp"
#include "kdyn/fmu/c_source.hpp"

namespace kdyn {
namespace {

class Compiled {
 public:
  Compiled(const Json& model, const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("kdyn_c_source_" + name + "_" + std::to_string(::getpid()))) {
    const std::string stem = (folder_ / "mount").string();
    write_text(stem + ".c", c_source(model, "test", "mount").code);
    // -ffp-contract=off: the library is compiled for plain x86-64, where nothing is contracted.
    const std::string command =
        "gcc -std=c99 -Wall -Wextra -Werror -pedantic -O2 -ffp-contract=off -shared -fPIC -o " + stem + ".so " + stem + ".c -lm";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    library_ = dlopen((stem + ".so").c_str(), RTLD_NOW);
    EXPECT_NE(library_, nullptr);
    parameters_.resize(4096);
    model_.resize(65536);
    call<void (*)(void*)>("mount_default_parameters")(parameters_.data());
  }
  ~Compiled() {
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  void start(double u) { call<void (*)(void*, void*, double)>("mount_start")(model_.data(), parameters_.data(), u); }
  double advance(double u, double v, double h) { return call<double (*)(void*, double, double, double)>("mount_advance")(model_.data(), u, v, h); }
  double force(double u, double v) { return call<double (*)(const void*, double, double)>("mount_force")(model_.data(), u, v); }
  void set_parameter(std::size_t index, double value) { reinterpret_cast<double*>(parameters_.data())[index] = value; }
  std::vector<char> save() const { return model_; }
  void restore(const std::vector<char>& state) { model_ = state; }

 private:
  template <class F>
  F call(const char* name) {
    return reinterpret_cast<F>(dlsym(library_, name));
  }
  std::filesystem::path folder_;
  void* library_ = nullptr;
  std::vector<char> parameters_, model_;
};

// A transient of incommensurate tones with pauses and a coarse step, so that turning points fall inside steps.
struct Path {
  double u(double t) const {
    return 1e-3 * std::sin(2.0 * std::numbers::pi * 3.0 * t) + 4e-4 * std::sin(2.0 * std::numbers::pi * 17.3 * t + 0.4) +
           1e-4 * std::sin(2.0 * std::numbers::pi * 61.0 * t);
  }
  double v(double t) const {
    const double w = 2.0 * std::numbers::pi;
    return 1e-3 * w * 3.0 * std::cos(w * 3.0 * t) + 4e-4 * w * 17.3 * std::cos(w * 17.3 * t + 0.4) + 1e-4 * w * 61.0 * std::cos(w * 61.0 * t);
  }
};

void compare(const Json& model, const std::string& name) {
  Compiled compiled(model, name);
  const Elastomer<double> law = elastomer_from_json(model, "test");
  const auto mount = make_mount(law);
  const Path path;
  mount->start({path.u(0.0), 0.0});
  compiled.start(path.u(0.0));
  double largest = 0.0, worst = 0.0, worst_peek = 0.0;
  const double h = 1.0 / 700.0;
  for (int i = 1; i <= 5000; ++i) {
    const Motion<double> to{path.u(i * h), path.v(i * h)};
    // A look at a trial point that is then rejected must leave no trace.
    const Motion<double> trial{to.u - 3e-4, -to.v};
    worst_peek = std::max(worst_peek, std::abs(mount->peek(trial) - compiled.force(trial.u, trial.v)));
    const double expected = mount->advance(to, h);
    worst = std::max(worst, std::abs(expected - compiled.advance(to.u, to.v, h)));
    largest = std::max(largest, std::abs(expected));
  }
  EXPECT_LT(worst, 1e-12 * largest) << name;
  EXPECT_LT(worst_peek, 1e-12 * largest) << name;
}

Json base() {
  return {
      {"model", "elastomer"},
      {"law", "masing"},
      {"parameters",
       {{"static_stiffness", 338e3}, {"alpha", 0.1014}, {"beta", 0.0963}, {"gamma", 0.0035}, {"lambda", 0.3803}, {"rdl", 8.93e-5}, {"rho", 4528.2}}}};
}

TEST(CSource, MasingAgreesWithTheLibrary) { compare(base(), "masing"); }

TEST(CSource, LimitedMasingAgrees) {
  Json model = base();
  model["parameters"]["ymax"] = 150.0 / 338e3;
  compare(model, "masing_limited");
}

TEST(CSource, G4Agrees) {
  Json model = base();
  model["law"] = "g4";
  compare(model, "g4");
  model["parameters"]["ymax"] = 150.0 / 338e3;
  model["options"] = {{"start_up", "backbone"}, {"deadband", 1e-6}};
  compare(model, "g4_limited_backbone");
}

TEST(CSource, CurveAndScalesAgree) {
  Json model = base();
  model["parameters"].erase("static_stiffness");
  model["parameters"]["curve"] = {{-0.002, -1400.0}, {-0.001, -500.0}, {0.0, 10.0}, {0.0004, 150.0}, {0.001, 620.0}};
  model["parameters"]["scale_curve"] = 1.1;
  model["parameters"]["scale_freq"] = 0.9;
  model["parameters"]["scale_ampl"] = 1.3;
  compare(model, "curve");
}

TEST(CSource, LongStepsUseTheOtherBranchOfTheExactStep) {
  Json model = base();
  model["parameters"]["gamma"] = 1e-5;  // x = alpha h / (gamma (1 + beta)) is above 1
  compare(model, "stiff");
}

TEST(CSource, StateIsACopyOfTheStruct) {
  Compiled compiled(base(), "state");
  const Path path;
  compiled.start(0.0);
  const double h = 1e-3;
  for (int i = 1; i < 200; ++i) compiled.advance(path.u(i * h), path.v(i * h), h);
  const std::vector<char> saved = compiled.save();
  const double first = compiled.advance(path.u(0.2), path.v(0.2), h);
  for (int i = 201; i < 300; ++i) compiled.advance(path.u(i * h), path.v(i * h), h);
  compiled.restore(saved);
  EXPECT_EQ(compiled.advance(path.u(0.2), path.v(0.2), h), first);
}

TEST(CSource, ParametersAreTunable) {
  Compiled compiled(base(), "tunable");
  const CSource source = c_source(base(), "test", "mount");
  const auto place = std::find(source.parameters.begin(), source.parameters.end(), "static_stiffness");
  ASSERT_NE(place, source.parameters.end());
  compiled.set_parameter(static_cast<std::size_t>(place - source.parameters.begin()), 500e3);
  Json model = base();
  model["parameters"]["static_stiffness"] = 500e3;
  const auto mount = make_mount(elastomer_from_json(model, "test"));
  mount->start({0.0, 0.0});
  compiled.start(0.0);
  const double expected = mount->advance({1e-4, 0.02}, 0.01);
  EXPECT_NEAR(compiled.advance(1e-4, 0.02, 0.01), expected, 1e-12 * std::abs(expected));
}

TEST(CSource, RefusesWhatHasNoForm) {
  EXPECT_THROW(c_source({{"model", "hydro"}}, "m.json", "mount"), Error);
  EXPECT_THROW(c_source(base(), "m.json", "1mount"), Error);
  EXPECT_THROW(c_source(Json::array(), "m.json", "mount"), Error);
}

}  // namespace
}  // namespace kdyn
