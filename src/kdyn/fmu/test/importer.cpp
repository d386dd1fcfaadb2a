// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/test/importer.hpp"

#include <dlfcn.h>
#include <zip.h>

#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include <pugixml.hpp>

#include "kdyn/base/file.hpp"

namespace kdyn::test {
namespace {

// What is common to both versions: the unpacked folder, the library and the description.
class Loaded : public Unit {
 public:
  Loaded(const Fmu& fmu, int version) {
    std::string pattern = (std::filesystem::temp_directory_path() / "kdyn_importer_XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    unpack(fmu.archive);
    resources = version == 2 ? "file://" + (folder_ / "resources").string() : (folder_ / "resources").string() + "/";
    pugi::xml_document document;
    EXPECT_TRUE(document.load_file((folder_ / "modelDescription.xml").c_str()));
    const pugi::xml_node root = document.child("fmiModelDescription");
    token = root.attribute(version == 2 ? "guid" : "instantiationToken").value();
    const std::string identifier = root.child("CoSimulation").attribute("modelIdentifier").value();
    for (const pugi::xml_node& v : root.child("ModelVariables").children()) {
      if (v.type() != pugi::node_element) continue;
      references[v.attribute("name").value()] = v.attribute("valueReference").as_uint();
      if (v.attribute("derivative") || v.child("Real").attribute("derivative")) ++state_count;
      if (std::string(v.attribute("causality").value()) == "parameter" && std::string(v.name()) != "Boolean" &&
          !v.child("Boolean"))
        parameters.emplace_back(v.attribute("name").value());
    }
    indicator_count = version == 2 ? root.attribute("numberOfEventIndicators").as_uint() : 0;
    if (version == 3)
      for (const pugi::xml_node& e : root.child("ModelStructure").children("EventIndicator"))
        indicator_count += e ? 1 : 0;
    const std::filesystem::path binary =
        folder_ / "binaries" / (version == 2 ? "linux64" : "x86_64-linux") / (identifier + ".so");
    library_ = dlopen(binary.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  ~Loaded() override {
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }

  bool has(const std::string& function) const override { return dlsym(library_, function.c_str()) != nullptr; }

 protected:
  template <class R, class... A>
  R call(const char* name, A... arguments) {
    auto* function = reinterpret_cast<R (*)(A...)>(dlsym(library_, name));
    EXPECT_NE(function, nullptr) << name;
    return function(arguments...);
  }

 private:
  void unpack(const std::string& bytes) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, &error);
    ASSERT_NE(archive, nullptr);
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
      zip_stat_t about;
      ASSERT_EQ(zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &about), 0);
      std::string content(about.size, '\0');
      zip_file_t* file = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
      ASSERT_EQ(zip_fread(file, content.data(), content.size()), static_cast<zip_int64_t>(content.size()));
      zip_fclose(file);
      write_text((folder_ / about.name).string(), content);
    }
    zip_close(archive);
  }

  std::filesystem::path folder_;
  void* library_ = nullptr;
};

// FMI 2.0: a component is a pointer, Booleans are ints, the status is an enumeration (0 is success).
struct Callbacks2 {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(std::size_t, std::size_t);
  void (*release)(void*);
  void (*step_finished)(void*, int);
  void* environment;
};
struct EventInfo2 {
  int new_states_needed, terminate, nominals_changed, values_changed, next_defined;
  double next;
};

void log_of_2(void* environment, const char*, int, const char*, const char* format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  static_cast<Unit*>(environment)->messages.emplace_back(text);
}

class Unit2 final : public Loaded {
 public:
  explicit Unit2(const Fmu& fmu) : Loaded(fmu, 2) {}
  ~Unit2() override {
    if (c_ != nullptr) call<void>("fmi2FreeInstance", c_);
  }
  bool instantiate(bool co_simulation, const std::string& given) override {
    if (c_ != nullptr) call<void>("fmi2FreeInstance", c_);
    callbacks_ = {log_of_2, std::calloc, std::free, nullptr, static_cast<Unit*>(this)};
    EXPECT_STREQ(call<const char*>("fmi2GetVersion"), "2.0");
    EXPECT_STREQ(call<const char*>("fmi2GetTypesPlatform"), "default");
    c_ = call<void*>("fmi2Instantiate", static_cast<const char*>("test"), co_simulation ? 1 : 0, given.c_str(),
                     resources.c_str(), static_cast<const Callbacks2*>(&callbacks_), 0, 0);
    return c_ != nullptr;
  }
  bool enter_initialization(double start) override {
    return ok("fmi2SetupExperiment", 1, 1e-6, start, 0, 0.0) && ok("fmi2EnterInitializationMode");
  }
  bool exit_initialization() override { return ok("fmi2ExitInitializationMode"); }
  bool reset() override { return ok("fmi2Reset"); }
  bool set(unsigned vr, double value) override {
    return ok("fmi2SetReal", static_cast<const unsigned*>(&vr), std::size_t{1}, static_cast<const double*>(&value));
  }
  bool get(unsigned vr, double& value) override {
    return ok("fmi2GetReal", static_cast<const unsigned*>(&vr), std::size_t{1}, &value);
  }
  bool set_boolean(unsigned vr, bool value) override {
    const int as_int = value ? 1 : 0;
    return ok("fmi2SetBoolean", static_cast<const unsigned*>(&vr), std::size_t{1}, static_cast<const int*>(&as_int));
  }
  bool set_input_derivative(unsigned vr, int order, double value) override {
    return ok("fmi2SetRealInputDerivatives", static_cast<const unsigned*>(&vr), std::size_t{1},
              static_cast<const int*>(&order), static_cast<const double*>(&value));
  }
  bool step(double time, double h) override { return ok("fmi2DoStep", time, h, 0); }

  bool enter_event_mode() override { return ok("fmi2EnterEventMode"); }
  bool enter_continuous_mode() override {
    EventInfo2 info{1, 1, 1, 1, 1, 1.0};
    if (!ok("fmi2NewDiscreteStates", &info)) return false;
    EXPECT_FALSE(info.new_states_needed || info.terminate || info.nominals_changed || info.values_changed ||
                 info.next_defined);
    return ok("fmi2EnterContinuousTimeMode");
  }
  bool set_time(double time) override { return ok("fmi2SetTime", time); }
  bool set_states(const std::vector<double>& x) override { return ok("fmi2SetContinuousStates", x.data(), x.size()); }
  bool get_states(std::vector<double>& x) override { return ok("fmi2GetContinuousStates", x.data(), x.size()); }
  bool rates(std::vector<double>& rate) override { return ok("fmi2GetDerivatives", rate.data(), rate.size()); }
  bool indicators(std::vector<double>& z) override { return ok("fmi2GetEventIndicators", z.data(), z.size()); }
  bool completed_step() override {
    int event = 1, terminate = 1;
    const bool good = ok("fmi2CompletedIntegratorStep", 1, &event, &terminate);
    EXPECT_FALSE(event || terminate);
    return good;
  }

  bool save(void*& state) override { return ok("fmi2GetFMUstate", &state); }
  bool restore(void* state) override { return ok("fmi2SetFMUstate", state); }
  bool free_state(void*& state) override { return ok("fmi2FreeFMUstate", &state); }
  bool serialise(void* state, std::vector<char>& bytes) override {
    std::size_t size = 0;
    if (!ok("fmi2SerializedFMUstateSize", state, &size)) return false;
    bytes.resize(size);
    return ok("fmi2SerializeFMUstate", state, bytes.data(), bytes.size());
  }
  bool deserialise(const std::vector<char>& bytes, void*& state) override {
    return ok("fmi2DeSerializeFMUstate", bytes.data(), bytes.size(), &state);
  }
  bool derivative(const std::vector<unsigned>& unknown, const std::vector<unsigned>& known,
                  const std::vector<double>& seed, std::vector<double>& out) override {
    out.assign(unknown.size(), 0.0);
    return ok("fmi2GetDirectionalDerivative", unknown.data(), unknown.size(), known.data(), known.size(), seed.data(),
              out.data());
  }
  bool adjoint(const std::vector<unsigned>&, const std::vector<unsigned>&, const std::vector<double>&,
               std::vector<double>&) override {
    return false;
  }

 private:
  template <class... A>
  bool ok(const char* name, A... arguments) {
    return call<int>(name, c_, arguments...) == 0;
  }
  Callbacks2 callbacks_{};
  void* c_ = nullptr;
};

// FMI 3.0: Booleans are bool, arrays come with their lengths.
void log_of_3(void* environment, int, const char*, const char* message) {
  static_cast<Unit*>(environment)->messages.emplace_back(message);
}
using Log3 = void (*)(void*, int, const char*, const char*);
using Intermediate3 = void (*)(void*, double, bool, bool, bool, bool, bool*, double*);

class Unit3 final : public Loaded {
 public:
  explicit Unit3(const Fmu& fmu) : Loaded(fmu, 3) {}
  ~Unit3() override {
    if (c_ != nullptr) call<void>("fmi3FreeInstance", c_);
  }
  bool instantiate(bool co_simulation, const std::string& given) override {
    if (c_ != nullptr) call<void>("fmi3FreeInstance", c_);
    EXPECT_STREQ(call<const char*>("fmi3GetVersion"), "3.0");
    const auto* name = static_cast<const char*>("test");
    const char* place = resources.c_str();
    void* self = static_cast<Unit*>(this);
    if (co_simulation)
      c_ = call<void*>("fmi3InstantiateCoSimulation", name, given.c_str(), place, false, false, false, false,
                       static_cast<const std::uint32_t*>(nullptr), std::size_t{0}, self, static_cast<Log3>(log_of_3),
                       static_cast<Intermediate3>(nullptr));
    else
      c_ = call<void*>("fmi3InstantiateModelExchange", name, given.c_str(), place, false, false, self,
                       static_cast<Log3>(log_of_3));
    if (c_ != nullptr) {
      std::size_t states = 99, indicators_found = 99;
      EXPECT_TRUE(ok("fmi3GetNumberOfContinuousStates", &states) &&
                  ok("fmi3GetNumberOfEventIndicators", &indicators_found));
      EXPECT_EQ(states, state_count);
      EXPECT_EQ(indicators_found, indicator_count);
    }
    return c_ != nullptr;
  }
  bool enter_initialization(double start) override {
    return ok("fmi3EnterInitializationMode", true, 1e-6, start, false, 0.0);
  }
  bool exit_initialization() override { return ok("fmi3ExitInitializationMode"); }
  bool reset() override { return ok("fmi3Reset"); }
  bool set(unsigned vr, double value) override {
    return ok("fmi3SetFloat64", static_cast<const std::uint32_t*>(&vr), std::size_t{1},
              static_cast<const double*>(&value), std::size_t{1});
  }
  bool get(unsigned vr, double& value) override {
    return ok("fmi3GetFloat64", static_cast<const std::uint32_t*>(&vr), std::size_t{1}, &value, std::size_t{1});
  }
  bool set_boolean(unsigned vr, bool value) override {
    return ok("fmi3SetBoolean", static_cast<const std::uint32_t*>(&vr), std::size_t{1},
              static_cast<const bool*>(&value), std::size_t{1});
  }
  bool set_input_derivative(unsigned, int, double) override { return false; }
  bool step(double time, double h) override {
    bool event = true, terminate = true, early = true;
    double last = 0.0;
    const bool good = ok("fmi3DoStep", time, h, false, &event, &terminate, &early, &last);
    EXPECT_FALSE(event || terminate || early);
    if (good) {
      EXPECT_DOUBLE_EQ(last, time + h);
    }
    return good;
  }

  bool enter_event_mode() override { return ok("fmi3EnterEventMode"); }
  bool enter_continuous_mode() override {
    bool again = true, terminate = true, nominals = true, values = true, defined = true;
    double next = 0.0;
    if (!ok("fmi3UpdateDiscreteStates", &again, &terminate, &nominals, &values, &defined, &next)) return false;
    EXPECT_FALSE(again || terminate || nominals || values || defined);
    return ok("fmi3EnterContinuousTimeMode");
  }
  bool set_time(double time) override { return ok("fmi3SetTime", time); }
  bool set_states(const std::vector<double>& x) override { return ok("fmi3SetContinuousStates", x.data(), x.size()); }
  bool get_states(std::vector<double>& x) override { return ok("fmi3GetContinuousStates", x.data(), x.size()); }
  bool rates(std::vector<double>& rate) override {
    return ok("fmi3GetContinuousStateDerivatives", rate.data(), rate.size());
  }
  bool indicators(std::vector<double>& z) override { return ok("fmi3GetEventIndicators", z.data(), z.size()); }
  bool completed_step() override {
    bool event = true, terminate = true;
    const bool good = ok("fmi3CompletedIntegratorStep", true, &event, &terminate);
    EXPECT_FALSE(event || terminate);
    return good;
  }

  bool save(void*& state) override { return ok("fmi3GetFMUState", &state); }
  bool restore(void* state) override { return ok("fmi3SetFMUState", state); }
  bool free_state(void*& state) override { return ok("fmi3FreeFMUState", &state); }
  bool serialise(void* state, std::vector<char>& bytes) override {
    std::size_t size = 0;
    if (!ok("fmi3SerializedFMUStateSize", state, &size)) return false;
    bytes.resize(size);
    return ok("fmi3SerializeFMUState", state, reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
  }
  bool deserialise(const std::vector<char>& bytes, void*& state) override {
    return ok("fmi3DeserializeFMUState", reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &state);
  }
  bool derivative(const std::vector<unsigned>& unknown, const std::vector<unsigned>& known,
                  const std::vector<double>& seed, std::vector<double>& out) override {
    out.assign(unknown.size(), 0.0);
    return ok("fmi3GetDirectionalDerivative", unknown.data(), unknown.size(), known.data(), known.size(), seed.data(),
              seed.size(), out.data(), out.size());
  }
  bool adjoint(const std::vector<unsigned>& unknown, const std::vector<unsigned>& known,
               const std::vector<double>& seed, std::vector<double>& out) override {
    out.assign(known.size(), 0.0);
    return ok("fmi3GetAdjointDerivative", unknown.data(), unknown.size(), known.data(), known.size(), seed.data(),
              seed.size(), out.data(), out.size());
  }

 private:
  template <class... A>
  bool ok(const char* name, A... arguments) {
    return call<int>(name, c_, arguments...) == 0;
  }
  void* c_ = nullptr;
};

}  // namespace

unsigned Unit::operator[](const std::string& name) const {
  const auto found = references.find(name);
  EXPECT_NE(found, references.end()) << name;
  return found == references.end() ? 0 : found->second;
}

double Unit::value(const std::string& name) {
  double out = 0.0;
  EXPECT_TRUE(get((*this)[name], out)) << name;
  return out;
}

bool Unit::begin(bool co_simulation, double u, double v) {
  if (!instantiate(co_simulation, token) || !enter_initialization(0.0)) return false;
  return set((*this)["displacement"], u) && set((*this)["velocity"], v) && exit_initialization();
}

bool Unit::begin_at_end(double u, double v) {
  if (!instantiate(true, token) || !set_boolean((*this)["inputs_at_end_of_step"], true) || !enter_initialization(0.0))
    return false;
  return set((*this)["displacement"], u) && set((*this)["velocity"], v) && exit_initialization();
}

std::unique_ptr<Unit> load(const Fmu& fmu, int version) {
  if (version == 2) return std::make_unique<Unit2>(fmu);
  return std::make_unique<Unit3>(fmu);
}

}  // namespace kdyn::test
