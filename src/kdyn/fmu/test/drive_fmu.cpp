// SPDX-License-Identifier: Apache-2.0
// Drives the binary of an FMI 2.0 FMU of one mount over the path of sample_models.hpp, with the motion at the end of
// each step, and prints the forces. A program of its own, so that it can be compiled for other systems: drive_fmu
// LIBRARY TOKEN
#include <cmath>
#include <cstddef>
#include <cstdio>

#ifdef _WIN32
#include <windows.h>
static void* load(const char* name) { return reinterpret_cast<void*>(LoadLibraryA(name)); }
static void* find(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}
#else
#include <dlfcn.h>
static void* load(const char* name) { return dlopen(name, RTLD_NOW); }
static void* find(void* library, const char* name) { return dlsym(library, name); }
#endif

namespace {

struct Callbacks {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void *allocate, *release, *finished, *environment;
};
void log(void*, const char*, int, const char*, const char*, ...) {}

// Value references of a mount: time, displacement, velocity, inputs, force. The last Boolean is found by trying.
struct Path {
  static void at(double t, double& u, double& v) {
    const double w = 2.0 * 3.14159265358979323846, a[] = {1e-3, 4e-4, 1e-4}, f[] = {3.0, 17.3, 61.0},
                 phase[] = {0.0, 0.4, 0.0};
    u = v = 0.0;
    for (int i = 0; i < 3; ++i)
      u += a[i] * std::sin(w * f[i] * t + phase[i]), v += a[i] * w * f[i] * std::cos(w * f[i] * t + phase[i]);
  }
};

}  // namespace

int main(int count, char** words) {
  void* library = count == 3 ? load(words[1]) : nullptr;
  if (library == nullptr) return 1;
  using Create = void* (*)(const char*, int, const char*, const char*, const Callbacks*, int, int);
  using Get = int (*)(void*, const unsigned*, std::size_t, double*);
  using Set = int (*)(void*, const unsigned*, std::size_t, const double*);
  using SetBoolean = int (*)(void*, const unsigned*, std::size_t, const int*);
  using Call = int (*)(void*);
  using Step = int (*)(void*, double, double, int);
  const Callbacks callbacks{log, nullptr, nullptr, nullptr, nullptr};
  void* unit = reinterpret_cast<Create>(find(library, "fmi2Instantiate"))("mount", 1, words[2], "", &callbacks, 0, 0);
  if (unit == nullptr) return 2;
  const auto set = reinterpret_cast<Set>(find(library, "fmi2SetReal"));
  const auto get = reinterpret_cast<Get>(find(library, "fmi2GetReal"));
  const auto set_boolean = reinterpret_cast<SetBoolean>(find(library, "fmi2SetBoolean"));
  const int on = 1;
  unsigned option = 0;
  while (option < 1000 && set_boolean(unit, &option, 1, &on) != 0) ++option;
  if (option == 1000) return 3;
  const unsigned motion[] = {1, 2};
  // The force is the first variable after the inputs that cannot be set.
  unsigned force = 3;
  double value = 0.0, at[2];
  while (get(unit, &force, 1, &value) == 0 && set(unit, &force, 1, &value) == 0) ++force;
  Path::at(0.0, at[0], at[1]);
  if (reinterpret_cast<Call>(find(library, "fmi2EnterInitializationMode"))(unit) != 0 ||
      set(unit, motion, 2, at) != 0 || reinterpret_cast<Call>(find(library, "fmi2ExitInitializationMode"))(unit) != 0)
    return 4;
  for (int i = 1; i <= 300; ++i) {
    const double h = 1e-3;
    Path::at(i * h, at[0], at[1]);
    if (set(unit, motion, 2, at) != 0 ||
        reinterpret_cast<Step>(find(library, "fmi2DoStep"))(unit, (i - 1) * h, h, 0) != 0 ||
        get(unit, &force, 1, &value) != 0)
      return 5;
    std::printf("%.17g\n", value);
  }
  return 0;
}
