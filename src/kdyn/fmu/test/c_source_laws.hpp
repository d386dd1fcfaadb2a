// SPDX-License-Identifier: Apache-2.0
// The exported source, compiled as a user would, and random models of one kind run through it beside the library.
// Models of a kind differ in numbers alone, so that one compilation serves them: a function that takes other numbers is
// added behind the exported text, which is not touched.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kdyn/base/file.hpp"
#include "kdyn/fmu/c_source.hpp"
#include "kdyn/fmu/test/random_laws.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/laws/unit.hpp"

namespace kdyn::test {

class Compiled {
 public:
  Compiled(const Json& model, const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("kdyn_c_source_" + name + "_" + std::to_string(::getpid()))) {
    const std::string stem = (folder_ / "mount").string();
    const CSource source = c_source(model, "test", "mount");
    write_text(stem + ".cpp",
               source.code +
                   "extern \"C\" int mount_load(mount_model* m, const double* image, unsigned long size);\n"
                   "extern \"C\" int mount_load(mount_model* m, const double* image, unsigned long size) {\n"
                   "  return m->unit.read_image(image, size) && m->unit.states() == mount_STATES && m->unit.signals() "
                   "== mount_SIGNALS &&\n"
                   "         m->unit.parameters() == mount_PARAMETERS && m->unit.turnings() == mount_TURNINGS;\n}\n");
    write_text(stem + ".h", source.header);
    // -O1: what is compared is the source; the optimiser's work is the same for all.
    const std::string command =
        "g++ -std=c++17 -Wall -Wextra -Werror -pedantic -O1 -ffp-contract=off -fno-exceptions -fno-rtti -shared -fPIC "
        "-o " +
        stem + ".so " + stem + ".cpp";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("does not compile: " + command);
    library_ = dlopen((stem + ".so").c_str(), RTLD_NOW);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    model_ = create();
  }
  ~Compiled() {
    call<void (*)(void*)>("mount_delete")(model_);
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  template <class F>
  F call(const char* name) {
    return reinterpret_cast<F>(dlsym(library_, name));
  }
  void* create() { return call<void* (*)()>("mount_new")(); }
  void copy(void* to, const void* from) { call<void (*)(void*, const void*)>("mount_copy")(to, from); }
  void* model() { return model_; }
  bool load(const std::vector<double>& image) {
    return call<int (*)(void*, const double*, unsigned long)>("mount_load")(model_, image.data(), image.size()) != 0;
  }
  // A mount.
  void start(const Motion<double>& at) { call<void (*)(void*, double, double)>("mount_start")(model_, at.u, at.v); }
  double advance(const Motion<double>& to, double h) {
    return call<double (*)(void*, double, double, double)>("mount_advance")(model_, to.u, to.v, h);
  }
  double force(const Motion<double>& at) {
    return call<double (*)(const void*, double, double)>("mount_force")(model_, at.u, at.v);
  }
  bool set_parameter(std::size_t index, double value) {
    return call<int (*)(void*, int, double)>("mount_set_parameter")(model_, static_cast<int>(index), value) != 0;
  }
  double derivative(const Motion<double>& at, double du, double dv, const double* dp) {
    return call<double (*)(const void*, double, double, double, double, const double*)>("mount_derivative")(
        model_, at.u, at.v, du, dv, dp);
  }
  // A bushing.
  void start(const double* u, const double* v) {
    call<void (*)(void*, const double*, const double*)>("mount_start")(model_, u, v);
  }
  void advance(const double* u, const double* v, double h, double* force) {
    call<void (*)(void*, const double*, const double*, double, double*)>("mount_advance")(model_, u, v, h, force);
  }
  void derivative(const double* u, const double* v, const double* du, const double* dv, const double* dp,
                  double* change) {
    call<void (*)(const void*, const double*, const double*, const double*, const double*, const double*, double*)>(
        "mount_derivative")(model_, u, v, du, dv, dp, change);
  }

 private:
  std::filesystem::path folder_;
  void* library_ = nullptr;
  void* model_ = nullptr;
};

// The largest differences, over the largest force and over the largest derivative of the kind at that point.
struct Agreement {
  int laws = 0;
  double force = 0.0, derivative = 0.0;
};

// What a derivative is compared with: the unit of the library at the same point.
class LibraryUnit {
 public:
  explicit LibraryUnit(const std::vector<double>& image) {
    if (!unit.read_image(image.data(), image.size())) throw std::runtime_error("the image cannot be read");
    const int room = unit.states() + unit.inputs() + unit.parameters() + unit.signals() + unit.turnings() + 1;
    x_.resize(static_cast<std::size_t>(room)), none_ = rate_ = signals_ = turning_ = x_;
  }
  void derivative(const double* u, const double* v, const double* du, const double* dv, const double* dp,
                  double* change) {
    unit.get_states(x_.data());
    unit.derivative(u, v, x_.data(), {du, dv, none_.data(), none_.data(), dp != nullptr ? dp : none_.data()}, false,
                    {change, rate_.data(), signals_.data(), turning_.data()});
  }
  MountUnit unit;

 private:
  std::vector<double> x_, none_, rate_, signals_, turning_;
};

// `count` random models of a kind, every third with 840 nested cycles; those that the law refuses are left out.
inline Agreement run_variants(Compiled& compiled, const Json& kind, int count, RandomStream& random) {
  Agreement out;
  for (int tries = 0; out.laws < count && tries < 40 * count; ++tries) {
    const int n = out.laws;
    Json model;
    const auto mount = random_mount(kind, random, model);
    if (!mount) continue;
    model["scale"] = random.uniform(0.5, 2.0);
    const auto scaled_mount = mount_from_json(model, "random");
    const std::vector<double> image = image_of_model(model, "random");
    if (!compiled.load(image)) throw std::runtime_error("a model of the kind has another form");
    LibraryUnit library(image);
    ++out.laws;
    const bool nested = n % 3 == 0;
    const double h = nested ? 0.0125 : 1e-3,
                 length = nested ? 84.0 : 1.5;  // 420 cycles that decay and 420 that grow, 8 steps each
    const RandomPath path(random, nested, length);
    Motion<double> at = path(0.0);
    scaled_mount->start(at);
    compiled.start(at);
    library.unit.start(std::array<double, 6>{at.u}.data(), std::array<double, 6>{at.v}.data());
    double worst = 0.0, largest = 0.0;
    const int steps = static_cast<int>(length / h);
    for (int i = 1; i <= steps; ++i) {
      at = path(i * h);
      const double expected = scaled_mount->advance(at, h);
      double same = 0.0;
      library.unit.advance(std::array<double, 6>{at.u}.data(), std::array<double, 6>{at.v}.data(), h, &same);
      worst = std::max({worst, std::abs(expected - compiled.advance(at, h)), std::abs(expected - same)});
      largest = std::max(largest, std::abs(expected));
    }
    out.force = std::max(out.force, worst / largest);
    // Onward of the last point, where friction has a corner.
    at.u += at.v > 0.0 ? 1e-6 : -1e-6;
    const auto compare = [&](double du, double dv, const double* dp) {
      double expected = 0.0;
      library.derivative(std::array<double, 6>{at.u}.data(), std::array<double, 6>{at.v}.data(), &du, &dv, dp,
                         &expected);
      const double found = compiled.derivative(at, du, dv, dp);
      if (found != expected)
        out.derivative =
            std::max(out.derivative, std::abs(found - expected) / std::max(std::abs(expected), 1e-9 * largest));
    };
    compare(1.0, 0.0, nullptr);
    compare(0.0, 1.0, nullptr);
    std::vector<double> dp(static_cast<std::size_t>(library.unit.parameters()), 0.0);
    for (double& one : dp) one = 1.0, compare(0.0, 0.0, dp.data()), one = 0.0;
  }
  return out;
}

inline std::vector<NamedModel> sample_bushings() {
  Json rest = {{"model", "bushing"}, {"coupling", "none"}};
  const std::vector<NamedModel> all = sample_models();
  const auto law = [&](const char* name) {
    for (const NamedModel& one : all)
      if (one.name == name) return one.model;
    throw std::runtime_error(name);
  };
  rest["axes"] = {{"fx", law("payne")},    {"fy", law("maxwell")},          {"fz", law("berg")},
                  {"tx", law("bouc_wen")}, {"ty", law("fractional_zener")}, {"tz", law("activemount")}};
  return {{"bushing", bushing("none")}, {"bushing_of_others", rest}};
}

// The same for bushings with random coupling, scales and place, all axes moving at once.
inline Agreement run_bushing_variants(Compiled& compiled, const Json& kind, int count, RandomStream& random) {
  Agreement out;
  for (int tries = 0; out.laws < count && tries < 40 * count; ++tries) {
    const int n = out.laws;
    Json model = kind;
    vary(model["axes"], random);
    model["coupling"] = coupling_names[static_cast<std::size_t>(n) % 3];
    for (auto& [axis, law] : model["axes"].items()) law["scale"] = random.uniform(0.5, 2.0);
    if (n % 2 == 0)
      for (const char* key : {"position", "orientation"}) {
        const double size = key[0] == 'p' ? 0.05 : 1.0;
        model[key] = {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
      }
    Bushing expected_bushing;
    try {
      expected_bushing = bushing_from_json(model, "random");
    } catch (const Error&) {
      continue;
    }
    const std::vector<double> image = image_of_model(model, "random");
    if (!compiled.load(image)) throw std::runtime_error("a bushing of the kind has another form");
    LibraryUnit library(image);
    ++out.laws;
    const bool nested = n % 3 == 0;
    const double h = nested ? 0.0125 : 1e-3, length = nested ? 84.0 : 1.0;
    std::vector<RandomPath> paths;
    for (int a = 0; a < 6; ++a) paths.emplace_back(random, nested, length);
    Bushing::Vector u, v, force, same;
    const auto move = [&](double t) {
      for (std::size_t a = 0; a < 6; ++a) {
        const Motion<double> at = paths[a](t);
        u[a] = at.u, v[a] = at.v;
      }
    };
    move(0.0);
    expected_bushing.start(u, v);
    compiled.start(u.data(), v.data());
    library.unit.start(u.data(), v.data());
    // Forces and moments differ in size: each axis counts by itself.
    Bushing::Vector worst{}, largest{};
    const int steps = static_cast<int>(length / h);
    for (int i = 1; i <= steps; ++i) {
      move(i * h);
      const Bushing::Vector expected = expected_bushing.advance(u, v, h);
      compiled.advance(u.data(), v.data(), h, force.data());
      library.unit.advance(u.data(), v.data(), h, same.data());
      for (std::size_t a = 0; a < 6; ++a) {
        worst[a] = std::max({worst[a], std::abs(expected[a] - force[a]), std::abs(expected[a] - same[a])});
        largest[a] = std::max(largest[a], std::abs(expected[a]));
      }
    }
    for (std::size_t a = 0; a < 6; ++a)
      if (largest[a] > 0.0) out.force = std::max(out.force, worst[a] / largest[a]);
    const auto compare = [&](const Bushing::Vector& du, const Bushing::Vector& dv, const double* dp) {
      library.derivative(u.data(), v.data(), du.data(), dv.data(), dp, same.data());
      compiled.derivative(u.data(), v.data(), du.data(), dv.data(), dp, force.data());
      double size = 0.0;
      for (const double one : same) size = std::max(size, std::abs(one));
      for (std::size_t a = 0; a < 6; ++a)
        if (size > 0.0) out.derivative = std::max(out.derivative, std::abs(force[a] - same[a]) / size);
    };
    for (std::size_t a = 0; a < 6; ++a) {
      Bushing::Vector along{};
      along[a] = 1.0;
      compare(along, {}, nullptr);
      compare({}, along, nullptr);
    }
    std::vector<double> dp(static_cast<std::size_t>(library.unit.parameters()), 0.0);
    for (double& one : dp) one = 1.0, compare({}, {}, dp.data()), one = 0.0;
  }
  return out;
}

}  // namespace kdyn::test
