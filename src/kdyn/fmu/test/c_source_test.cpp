// SPDX-License-Identifier: Apache-2.0
// The generated C against the library: compiled with gcc as a user would, loaded, driven sample by sample, for every kind of law.
// Tolerance 1e-12 of the largest force: both do the same operations, differences are the compilers' order of operations and libm.
#include <dlfcn.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/fmu/c_source.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/rig/model_file.hpp"

namespace kdyn {
namespace {

using test::Path;

class Compiled {
 public:
  Compiled(const Json& model, const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("kdyn_c_source_" + name + "_" + std::to_string(::getpid()))) {
    const std::string stem = (folder_ / "mount").string();
    write_text(stem + ".c", c_source(model, "test", "mount").code);
    const std::string command = "gcc -std=c99 -Wall -Wextra -Werror -pedantic -O2 -shared -fPIC -o " + stem + ".so " + stem + ".c -lm";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    library_ = dlopen((stem + ".so").c_str(), RTLD_NOW);
    EXPECT_NE(library_, nullptr);
    parameters_.resize(4096);
    model_.resize(1 << 18);
  }
  ~Compiled() {
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  template <class F>
  F call(const char* name) {
    return reinterpret_cast<F>(dlsym(library_, name));
  }
  void* model() { return model_.data(); }
  void default_parameters() { call<void (*)(void*)>("mount_default_parameters")(parameters_.data()); }
  void start(const Motion<double>& at) { call<void (*)(void*, void*, double, double)>("mount_start")(model_.data(), parameters_.data(), at.u, at.v); }
  double advance(const Motion<double>& to, double h) {
    return call<double (*)(void*, double, double, double)>("mount_advance")(model_.data(), to.u, to.v, h);
  }
  double force(const Motion<double>& at) { return call<double (*)(const void*, double, double)>("mount_force")(model_.data(), at.u, at.v); }
  void set_parameter(std::size_t index, double value) { reinterpret_cast<double*>(parameters_.data())[index] = value; }
  std::vector<char> save() const { return model_; }
  void restore(const std::vector<char>& state) { model_ = state; }

 private:
  std::filesystem::path folder_;
  void* library_ = nullptr;
  std::vector<char> parameters_, model_;
};

class EveryLaw : public testing::TestWithParam<test::NamedModel> {};

TEST_P(EveryLaw, AgreesWithTheLibrary) {
  const auto& [name, model] = GetParam();
  Compiled compiled(model, name);
  const auto mount = mount_from_json(model, "test");
  const Path path;
  mount->start(path(0.0));
  compiled.default_parameters();
  compiled.start(path(0.0));
  double largest = 0.0, worst = 0.0, worst_peek = 0.0;
  const double h = 1.0 / 700.0;
  for (int i = 1; i <= 1500; ++i) {
    const Motion<double> to = path(i * h);
    // A look at a trial point that is then rejected must leave no trace.
    const Motion<double> trial{to.u - 3e-4, -to.v};
    worst_peek = std::max(worst_peek, std::abs(mount->peek(trial) - compiled.force(trial)));
    const double expected = mount->advance(to, h);
    worst = std::max(worst, std::abs(expected - compiled.advance(to, h)));
    largest = std::max(largest, std::abs(expected));
  }
  std::printf("[ figure ] %-22s step %.1e  look %.1e of the largest force\n", name.c_str(), worst / largest, worst_peek / largest);
  EXPECT_LT(worst, 1e-12 * largest);
  EXPECT_LT(worst_peek, 1e-12 * largest);
}

INSTANTIATE_TEST_SUITE_P(CSource, EveryLaw, testing::ValuesIn(test::sample_models()), [](const auto& sample) { return sample.param.name; });

TEST(CSource, BushingAgreesWithTheLibrary) {
  for (const char* coupling : {"none", "cylindrical", "spherical"}) {
    const Json model = test::bushing(coupling);
    Compiled compiled(model, std::string("bushing_") + coupling);
    Bushing bushing = bushing_from_json(model, "test");
    const auto motion = [](double t, Bushing::Vector& u, Bushing::Vector& v) {
      for (std::size_t i = 0; i < 6; ++i) {
        const Motion<double> at = Path{.scale = 0.5 + 0.1 * static_cast<double>(i), .shift = 0.7 * static_cast<double>(i)}(t);
        u[i] = at.u, v[i] = at.v;
      }
    };
    Bushing::Vector u, v, force, look;
    motion(0.0, u, v);
    bushing.start(u, v);
    compiled.call<void (*)(void*)>("mount_defaults")(compiled.model());
    compiled.call<void (*)(void*, const double*, const double*)>("mount_start")(compiled.model(), u.data(), v.data());
    double largest = 0.0, worst = 0.0;
    for (int i = 1; i <= 500; ++i) {
      motion(i / 700.0, u, v);
      const Bushing::Vector trial = bushing.peek(u, v);
      compiled.call<void (*)(const void*, const double*, const double*, double*)>("mount_force")(compiled.model(), u.data(), v.data(), look.data());
      const Bushing::Vector expected = bushing.advance(u, v, 1.0 / 700.0);
      compiled.call<void (*)(void*, const double*, const double*, double, double*)>("mount_advance")(compiled.model(), u.data(), v.data(),
                                                                                                     1.0 / 700.0, force.data());
      for (std::size_t a = 0; a < 6; ++a) {
        worst = std::max({worst, std::abs(expected[a] - force[a]), std::abs(trial[a] - look[a])});
        largest = std::max(largest, std::abs(expected[a]));
      }
    }
    EXPECT_LT(worst, 1e-12 * largest) << coupling;
  }
}

TEST(CSource, StateIsACopyOfTheStruct) {
  Compiled compiled(test::hydromount(), "state");
  const Path path;
  compiled.default_parameters();
  compiled.start(path(0.0));
  const double h = 1e-3;
  for (int i = 1; i < 200; ++i) compiled.advance(path(i * h), h);
  const std::vector<char> saved = compiled.save();
  const double first = compiled.advance(path(0.2), h);
  for (int i = 201; i < 300; ++i) compiled.advance(path(i * h), h);
  compiled.restore(saved);
  EXPECT_EQ(compiled.advance(path(0.2), h), first);
}

// The header tells other files exactly what the source holds: compiled in front of it, every type and function meets its declaration.
TEST(CSource, HeaderServesCAndCxx) {
  for (const auto& [name, model] :
       std::vector<test::NamedModel>{{"elastomer", test::elastomer_with_curve()}, {"bushing", test::bushing("spherical")}}) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("kdyn_header_" + name + "_" + std::to_string(::getpid()));
    const CSource source = c_source(model, "test", "mount");
    const std::string use =
        name == "bushing"
            ? "#include \"mount.h\"\nint main(void) { double z[6] = {0}, f[6]; static mount_model m; mount_defaults(&m); mount_start(&m, z, z); "
              "mount_advance(&m, z, z, 0.1, f); return f[2] == 0.0 ? 0 : 1; }\n"
            : "#include \"mount.h\"\nint main(void) { mount_parameters p; mount_model m; mount_default_parameters(&p); mount_start(&m, &p, 0.0, "
              "0.0); return mount_advance(&m, 1e-3, 0.0, 0.1) > 0.0 ? 0 : 1; }\n";
    write_text((folder / "mount.c").string(), source.code);
    write_text((folder / "mount.h").string(), source.header);
    write_text((folder / "use.c").string(), use);
    write_text((folder / "use.cpp").string(), use);
    for (const std::string command : {"gcc -std=c99 -Wall -Wextra -Werror use.c mount.c -o use -lm && ./use",
                                      "gcc -std=c99 -c mount.c && g++ -Wall -Wextra -Werror use.cpp mount.o -o use -lm && ./use"})
      EXPECT_EQ(std::system(("cd " + folder.string() + " && " + command).c_str()), 0) << name << ": " << command;
    std::filesystem::remove_all(folder);
  }
}

TEST(CSource, ParametersAreTunable) {
  Compiled compiled(test::elastomer(), "tunable");
  const CSource source = c_source(test::elastomer(), "test", "mount");
  const auto place = std::find(source.parameters.begin(), source.parameters.end(), "static_stiffness");
  ASSERT_NE(place, source.parameters.end());
  compiled.default_parameters();
  compiled.set_parameter(static_cast<std::size_t>(place - source.parameters.begin()), 500e3);
  const auto mount = mount_from_json(test::with(test::elastomer(), "static_stiffness", 500e3), "test");
  mount->start({0.0, 0.0});
  compiled.start({0.0, 0.0});
  const double expected = mount->advance({1e-4, 0.02}, 0.01);
  EXPECT_NEAR(compiled.advance({1e-4, 0.02}, 0.01), expected, 1e-12 * std::abs(expected));
}

TEST(CSource, RefusesWhatHasNoForm) {
  EXPECT_THROW(c_source({{"model", "hydro"}}, "m.json", "mount"), Error);
  EXPECT_THROW(c_source(test::elastomer(), "m.json", "1mount"), Error);
  EXPECT_THROW(c_source(Json::array(), "m.json", "mount"), Error);
}

}  // namespace
}  // namespace kdyn
