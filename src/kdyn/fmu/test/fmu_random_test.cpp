// SPDX-License-Identifier: Apache-2.0
// A thousand random laws on long random paths, in the binary of FMUs and in the library. The binary is written with
// each model and loaded, as an importer would do it. Among the paths are sines that decay over hundreds of cycles and
// grow back, so that friction closes hundreds of nested loops. Tolerance 1e-12 of the largest force: the same source,
// compiled twice.
#include <dlfcn.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "kdyn/base/file.hpp"
#include "kdyn/fmu/internal/runtime_files.hpp"
#include "kdyn/fmu/runtime/variables.hpp"
#include "kdyn/fmu/test/random_laws.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/registry.hpp"

namespace kdyn::inline fmu {
namespace {

// As much of FMI 2.0 as the runs need.
class Binary {
 public:
  Binary(const std::string& file, const std::vector<double>& image) : file_(file) {
    write_text(file_, internal::with_model(internal::runtime_binaries().front().bytes, image, "{random}", "random"));
    library_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
    unit_ = call<void*>("fmi2Instantiate", static_cast<const char*>("m"), 1, static_cast<const char*>("{random}"),
                        static_cast<const char*>(""), static_cast<void*>(nullptr), 0, 0);
    EXPECT_NE(unit_, nullptr);
    get_ = reinterpret_cast<decltype(get_)>(dlsym(library_, "fmi2GetReal"));
    set_ = reinterpret_cast<decltype(set_)>(dlsym(library_, "fmi2SetReal"));
    step_ = reinterpret_cast<decltype(step_)>(dlsym(library_, "fmi2DoStep"));
  }
  ~Binary() {
    call<void>("fmi2FreeInstance", unit_);
    dlclose(library_);
    std::filesystem::remove(file_);
  }
  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;
  template <class R, class... A>
  R call(const char* name, A... arguments) {
    return reinterpret_cast<R (*)(A...)>(dlsym(library_, name))(arguments...);
  }
  void start(unsigned option, const Motion<double>& at) {
    const int on = 1;
    EXPECT_EQ(call<int>("fmi2SetBoolean", unit_, static_cast<const unsigned*>(&option), std::size_t{1}, &on), 0);
    EXPECT_EQ(call<int>("fmi2EnterInitializationMode", unit_), 0);
    move(at);
    EXPECT_EQ(call<int>("fmi2ExitInitializationMode", unit_), 0);
  }
  void move(const Motion<double>& at) {
    const unsigned references[] = {1, 2};
    const double values[] = {at.u, at.v};
    if (set_(unit_, references, 2, values) != 0) failed = true;
  }
  void step(double t, double h) { failed = failed || step_(unit_, t, h, 0) != 0; }
  double value(unsigned reference) {
    double out = 0.0;
    failed = failed || get_(unit_, &reference, 1, &out) != 0;
    return out;
  }
  double derivative(unsigned unknown, unsigned known) {
    const double one = 1.0;
    double out = 0.0;
    failed = failed || call<int>("fmi2GetDirectionalDerivative", unit_, static_cast<const unsigned*>(&unknown),
                                 std::size_t{1}, static_cast<const unsigned*>(&known), std::size_t{1}, &one, &out) != 0;
    return out;
  }
  bool failed = false;

 private:
  std::string file_;
  void *library_ = nullptr, *unit_ = nullptr;
  int (*get_)(void*, const unsigned*, std::size_t, double*) = nullptr;
  int (*set_)(void*, const unsigned*, std::size_t, const double*) = nullptr;
  int (*step_)(void*, double, double, int) = nullptr;
};

TEST(FmuRandom, AThousandLawsOnLongPaths) {
  const std::vector<test::NamedModel> kinds = test::sample_models();
  const std::string file =
      (std::filesystem::temp_directory_path() / ("kdyn_random_" + std::to_string(::getpid()) + ".so")).string();
  RandomStream random(2026, 15);
  double worst = 0.0, worst_slope = 0.0;
  int laws = 0, slopes = 0, nested_runs = 0;
  for (int tried = 0; laws < 1000; ++tried) {
    ASSERT_LT(tried, 3000);
    const auto& [name, kind] = kinds[static_cast<std::size_t>(tried) % kinds.size()];
    Json model;
    const auto mount = test::random_mount(kind, random, model);
    if (!mount) continue;
    const bool nested = laws % 25 == 0;
    ++laws;
    nested_runs += nested ? 1 : 0;
    const std::vector<double> image = image_of_model(model, "random");
    MountUnit unit;
    ASSERT_TRUE(unit.read_image(image.data(), image.size()));
    const fmi::Variables variables(unit);
    const unsigned force = variables.first(fmi::Group::force);
    Binary binary(file, image);
    const double h = nested ? 0.0125 : 1e-3,
                 length = nested ? 84.0 : 1.5;  // 420 cycles that decay and 420 that grow, 8 steps each
    const test::RandomPath path(random, nested, length);
    (*mount)->start(path(0.0));
    binary.start(variables.first(fmi::Group::option), path(0.0));
    double difference = 0.0, largest = 0.0;
    const int steps = static_cast<int>(length / h);
    for (int i = 1; i <= steps; ++i) {
      const Motion<double> to = path(i * h);
      binary.move(to);
      binary.step((i - 1) * h, h);
      const double expected = (*mount)->advance(to, h);
      difference = std::max(difference, std::abs(expected - binary.value(force)));
      largest = std::max(largest, std::abs(expected));
    }
    EXPECT_FALSE(binary.failed) << name;
    worst = std::max(worst, difference / largest);
    EXPECT_LT(difference, 1e-12 * largest) << name << " " << model.dump();
    // Slope of the force by displacement, a little ahead of the last point (friction has a corner there), against the
    // library's differences. Where the two one-sided differences disagree there is a corner of a curve or table between
    // them.
    const Motion<double> last = path(steps * h), at{last.u + (last.v > 0.0 ? 1e-6 : -1e-6), last.v};
    const double d = 1e-9, here = (*mount)->peek(at), up = (*mount)->peek({at.u + d, at.v}),
                 down = (*mount)->peek({at.u - d, at.v});
    const double slope = (up - down) / (2.0 * d);
    if (std::abs((up - here) - (here - down)) > 1e-3 * std::abs(up - down)) continue;
    binary.move(at);
    const double found = binary.derivative(force, 1);
    // Rounding of the forces over 2e-9 m, and the curvature of friction over 1e-9 m.
    EXPECT_NEAR(found, slope, 1e-5 * std::abs(slope) + 1e-14 * largest / d) << name;
    worst_slope = std::max(worst_slope, std::abs(found - slope) / std::abs(slope));
    ++slopes;
  }
  std::printf("[ figure ] %d laws, %d of them with 840 nested cycles: forces %.1e, %d slopes %.1e\n", laws, nested_runs,
              worst, slopes, worst_slope);
  EXPECT_GT(slopes, 900);
}

}  // namespace
}  // namespace kdyn::inline fmu
