// SPDX-License-Identifier: Apache-2.0
// The exported source against the library: compiled as a user would, loaded, driven sample by sample, for every kind of
// law. Tolerance 1e-12 of the largest force: both do the same operations, differences are the compilers' order of
// operations and libm.
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/fmu/c_source.hpp"
#include "kdyn/fmu/test/c_source_laws.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::inline fmu {
namespace {

using test::Path;

using test::Compiled;

class EveryLaw : public testing::TestWithParam<test::NamedModel> {};

TEST_P(EveryLaw, AgreesWithTheLibrary) {
  const auto& [name, model] = GetParam();
  Compiled compiled(model, name);
  const auto mount = mount_from_json(model, "test");
  const Path path;
  mount->start(path(0.0));
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
  std::printf("[ figure ] %-22s step %.1e  look %.1e of the largest force\n", name.c_str(), worst / largest,
              worst_peek / largest);
  EXPECT_LT(worst, 1e-12 * largest);
  EXPECT_LT(worst_peek, 1e-12 * largest);
  // The same source with other numbers; validation/c_source_laws.cpp runs a thousand of them.
  RandomStream random(15, std::hash<std::string>{}(name));
  const test::Agreement found = test::run_variants(compiled, model, 4, random);
  EXPECT_GE(found.laws, 1);
  EXPECT_LT(found.force, 1e-12);
  EXPECT_LT(found.derivative, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(CSource, EveryLaw, testing::ValuesIn(test::sample_models()),
                         [](const auto& sample) { return sample.param.name; });

// Coupling, scales and place are numbers of the model: one source serves all. Both bushings together have every law.
TEST(CSource, BushingsAgreeWithTheLibrary) {
  for (const auto& [name, model] : test::sample_bushings()) {
    Compiled compiled(model, name);
    RandomStream random(16, std::hash<std::string>{}(name));
    const test::Agreement found = test::run_bushing_variants(compiled, model, 9, random);
    std::printf("[ figure ] %s: %d bushings, forces %.1e, derivatives %.1e\n", name.c_str(), found.laws, found.force,
                found.derivative);
    EXPECT_GE(found.laws, 6);
    EXPECT_LT(found.force, 1e-12);
    EXPECT_LT(found.derivative, 1e-11);
  }
}

TEST(CSource, ACopyIsASavedState) {
  Compiled compiled(test::hydromount(), "state");
  const Path path;
  compiled.start(path(0.0));
  const double h = 1e-3;
  for (int i = 1; i < 200; ++i) compiled.advance(path(i * h), h);
  void* saved = compiled.create();
  compiled.copy(saved, compiled.model());
  const double first = compiled.advance(path(0.2), h);
  for (int i = 201; i < 300; ++i) compiled.advance(path(i * h), h);
  compiled.copy(compiled.model(), saved);
  EXPECT_EQ(compiled.advance(path(0.2), h), first);
  compiled.call<void (*)(void*)>("mount_delete")(saved);
}

// A decaying sine that grows back: every cycle lies inside the one before, and all of them must be closed again on the
// way out.
TEST(CSource, NestedCyclesOfAnyDepth) {
  Compiled compiled(test::elastomer(), "nested");
  const auto mount = mount_from_json(test::elastomer(), "test");
  constexpr int cycles = 900, per_cycle = 40;  // 1800 turning points: more than are reserved
  const double f = 10.0, h = 1.0 / (f * per_cycle), half = cycles / (2.0 * f);
  const auto motion = [&](double t) {
    const double w = 2.0 * std::numbers::pi * f, a = 1e-3 * std::abs(t - half) / half,
                 slope = (t < half ? -1e-3 : 1e-3) / half;
    return Motion<double>{a * std::sin(w * t), a * w * std::cos(w * t) + slope * std::sin(w * t)};
  };
  mount->start(motion(0.0));
  compiled.start(motion(0.0));
  double worst = 0.0, largest = 0.0;
  for (int i = 1; i <= cycles * per_cycle; ++i) {
    const double expected = mount->advance(motion(i * h), h);
    worst = std::max(worst, std::abs(expected - compiled.advance(motion(i * h), h)));
    largest = std::max(largest, std::abs(expected));
  }
  EXPECT_LT(worst, 1e-12 * largest);
}

// The header serves C and C++, and two exported models live in one program.
TEST(CSource, HeaderServesCAndCxx) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("kdyn_header_" + std::to_string(::getpid()));
  for (const auto& [name, model] : std::vector<test::NamedModel>{{"mount", test::elastomer_with_curve()},
                                                                 {"bushing", test::bushing("spherical")}}) {
    const CSource source = c_source(model, "test", name);
    write_text((folder / (name + ".cpp")).string(), source.code);
    write_text((folder / (name + ".h")).string(), source.header);
  }
  const std::string use =
      "#include \"mount.h\"\n#include \"bushing.h\"\n#include <stddef.h>\n#include <stdio.h>\n"
      "int main(void) { double z[6] = {0}, u[6] = {1e-3, 1e-3, 0, 0, 0, 0}, f[6]; mount_model* m = mount_new(); "
      "bushing_model* b = bushing_new(); "
      "if (m == NULL || b == NULL) return 1; mount_start(m, 0.0, 0.0); bushing_start(b, z, z); bushing_advance(b, u, "
      "z, 0.1, f); "
      "printf(\"%s %s %g %g\\n\", mount_parameter_name(0), mount_parameter_unit(0), mount_parameter(m, 0), f[0]); "
      "if (!(mount_advance(m, 1e-3, 0.0, 0.1) > 0.0 && f[0] > 0.0)) return 2; if (mount_set_parameter(m, 0, -1.0)) "
      "return 3; "
      "mount_delete(m); bushing_delete(b); return 0; }\n";
  write_text((folder / "use.c").string(), use);
  write_text((folder / "use.cpp").string(), use);
  EXPECT_EQ(std::system(("cd " + folder.string() +
                         " && g++ -std=c++17 -O1 -c mount.cpp bushing.cpp && gcc -std=c99 -pedantic -Wall -Wextra "
                         "-Werror -c use.c -o use.o && "
                         "g++ use.o mount.o bushing.o -o use && ./use && g++ -Wall -Wextra -Werror use.cpp mount.o "
                         "bushing.o -o use2 && ./use2")
                            .c_str()),
            0);
  std::filesystem::remove_all(folder);
}

TEST(CSource, ParametersAreTunableAndDerivativesExact) {
  Compiled compiled(test::elastomer(), "tunable");
  const CSource source = c_source(test::elastomer(), "test", "mount");
  const auto place = std::find(source.parameters.begin(), source.parameters.end(), "static_stiffness");
  ASSERT_NE(place, source.parameters.end());
  const auto index = static_cast<std::size_t>(place - source.parameters.begin());
  EXPECT_TRUE(compiled.set_parameter(index, 500e3));
  EXPECT_FALSE(compiled.set_parameter(index, -1.0));
  const auto mount = mount_from_json(test::with(test::elastomer(), "static_stiffness", 500e3), "test");
  mount->start({0.0, 0.0});
  compiled.start({0.0, 0.0});
  const double expected = mount->advance({1e-4, 0.02}, 0.01);
  EXPECT_NEAR(compiled.advance({1e-4, 0.02}, 0.01), expected, 1e-12 * std::abs(expected));
  // Onward along the path; central differences of a smooth function: relative error of about 1e-8.
  const Motion<double> at{1.1e-4, 0.03};
  const double du = 1e-9, dv = 1e-5;
  EXPECT_NEAR(compiled.derivative(at, 1.0, 0.0, nullptr),
              (compiled.force({at.u + du, at.v}) - compiled.force({at.u - du, at.v})) / (2.0 * du), 1.0);
  EXPECT_NEAR(compiled.derivative(at, 0.0, 1.0, nullptr),
              (compiled.force({at.u, at.v + dv}) - compiled.force({at.u, at.v - dv})) / (2.0 * dv), 1e-3);
  std::vector<double> dp(source.parameters.size(), 0.0);
  dp[index] = 1.0;
  const double slope = compiled.derivative(at, 0.0, 0.0, dp.data()), step = 50.0;
  compiled.set_parameter(index, 500e3 + step);
  const double plus = compiled.force(at);
  compiled.set_parameter(index, 500e3 - step);
  EXPECT_NEAR(slope, (plus - compiled.force(at)) / (2.0 * step), 1e-7 * std::abs(slope));
}

TEST(CSource, RefusesWhatHasNoForm) {
  EXPECT_THROW(c_source({{"model", "hydro"}}, "m.json", "mount"), Error);
  EXPECT_THROW(c_source(test::elastomer(), "m.json", "1mount"), Error);
  EXPECT_THROW(c_source(Json::array(), "m.json", "mount"), Error);
}

}  // namespace
}  // namespace kdyn::inline fmu
