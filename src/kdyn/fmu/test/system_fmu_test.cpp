// SPDX-License-Identifier: Apache-2.0
// Multibody models as FMUs, driven as standard masters do: set inputs, step, read outputs. The oracle is mbs::Run in
// the library, which the FMU carries too: without inputs both are the same computation, with inputs the library gets
// the same signal as a table or a formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <regex>
#include <set>

#include "kdyn/base/error.hpp"
#include "kdyn/fmu/internal/runtime_files.hpp"
#include "kdyn/fmu/system_fmu.hpp"
#include "kdyn/fmu/test/importer.hpp"
#include "kdyn/mbs/signals.hpp"

namespace kdyn::inline fmu {
namespace {

using test::Unit;

mbs::ModelFile example(const std::string& name) {
  return mbs::read_model(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/" + name + ".json");
}

Json example_json(const std::string& name) {
  return read_json(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/" + name + ".json");
}

// Signals of a run in the library, by name.
class Reference {
 public:
  explicit Reference(const mbs::ModelFile& file) : system_(file.model), run_(system_, file.run), signals_(system_) {
    EXPECT_EQ(run_.start().status, mbs::RunStatus::done);
  }
  void step(double h) {
    std::string reason;
    ASSERT_TRUE(run_.step_by(h, reason)) << reason;
  }
  double operator[](const std::string& name) {
    signals_.values(run_.state(), run_.evaluation(), values_);
    for (std::size_t i = 0; i < signals_.list().size(); ++i)
      if (signals_.list()[i].name == name) return values_[i];
    ADD_FAILURE() << name;
    return 0.0;
  }

 private:
  mbs::System system_;
  mbs::Run run_;
  mbs::Signals signals_;
  std::vector<double> values_;
};

bool begin(Unit& unit) {
  return unit.instantiate(true, unit.token) && unit.enter_initialization(0.0) && unit.exit_initialization();
}

// Largest difference of the outputs over the largest value of a signal of the same kind.
struct Difference {
  std::map<std::string, std::pair<double, double>> kinds;  // difference, size
  void add(const std::string& name, double got, double wanted) {
    // position, load: the three directions are of one kind, since some of them hardly move.
    const bool direction = name.size() > 2 && name[name.size() - 2] == '.';
    const std::string whole = direction ? name.substr(0, name.size() - 2) : name;
    auto& [off, size] = kinds[whole.substr(whole.rfind('.') + 1)];
    off = std::max(off, std::abs(got - wanted));
    size = std::max(size, std::abs(wanted));
  }
  double worst() const {
    double out = 0.0;
    for (const auto& [kind, pair] : kinds)
      if (pair.first > 0.0) out = std::max(out, pair.first / std::max(pair.second, 1e-9));
    return out;
  }
};

// The same scheme, the same numbers: nothing but the order of equal operations may differ.
TEST(SystemFmu, WithoutInputsItIsTheRun) {
  for (const char* name : {"double_mass", "engine", "beam_on_bushings", "subframe"}) {
    const mbs::ModelFile file = example(name);
    for (const int version : {2, 3}) {
      const SystemFmu made = make_system_fmu(file, {}, {.version = version, .name = "plant"});
      EXPECT_TRUE(made.inputs.empty());
      const auto unit = test::load(made.fmu, version);
      ASSERT_TRUE(begin(*unit)) << (unit->messages.empty() ? "" : unit->messages.back());
      Reference reference(file);
      Difference difference;
      for (int i = 0; i <= 100; ++i) {
        for (const std::string& output : made.outputs) difference.add(output, unit->value(output), reference[output]);
        ASSERT_TRUE(unit->step(i * file.run.step_s, file.run.step_s)) << unit->messages.back();
        reference.step(file.run.step_s);
      }
      EXPECT_LT(difference.worst(), 1e-12) << name;
      std::printf("[ figure ] %-17s FMI %d: largest difference from the run %.1e\n", name, version, difference.worst());
    }
  }
}

// A load from outside, with communication steps of two parts, is the table of its values: exactly, once the value of
// the step's end is known. What is read before errs as a straight line carried on from the last step does, (w h)^2 =
// 4e-3 of the load (10 Hz, 1 ms steps of 0.5 ms parts). The first step has no last one and holds the load.
TEST(SystemFmu, ALoadIsTheTableOfItsValues) {
  const double h = 1e-3, omega = 2.0 * std::numbers::pi * 10.0;
  const auto load = [&](double t) { return 150.0 * std::sin(omega * t); };
  Json model = example_json("engine");
  Json table = Json::array();
  for (int i = 0; i <= 400; ++i) table.push_back({i * h, load(i * h)});
  model["loads"][0]["force"][2] = table;
  const mbs::ModelFile with_table = mbs::model_from_json(model, "test");
  const SystemFmu made = make_system_fmu(
      example("engine"), {{"firing.force.z"}, {"block.acceleration.z", "left.fz.load", "engine.position.*"}}, {});
  ASSERT_EQ(made.inputs, (std::vector<std::string>{"firing.force.z"}));
  ASSERT_EQ(made.outputs.size(), 5U);
  const auto unit = test::load(made.fmu, 2);
  for (const bool at_end : {false, true}) {
    Reference reference(with_table);
    ASSERT_TRUE(unit->instantiate(true, unit->token) && unit->set_boolean((*unit)["inputs_at_end_of_step"], at_end));
    ASSERT_TRUE(unit->enter_initialization(0.0) && unit->exit_initialization());
    Difference reported, settled;
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(unit->set((*unit)["firing.force.z"], load((at_end ? i + 1 : i) * h)));
      if (!at_end)
        for (const std::string& output : made.outputs) settled.add(output, unit->value(output), reference[output]);
      ASSERT_TRUE(unit->step(i * h, h)) << unit->messages.back();
      for (int k = 0; k < 2; ++k) reference.step(0.5 * h);
      for (const std::string& output : made.outputs)
        if (i > 0) reported.add(output, unit->value(output), reference[output]);
    }
    std::printf("[ figure ] load, inputs of the %s: reported %.1e, settled %.1e\n", at_end ? "end" : "beginning",
                reported.worst(), settled.worst());
    // Table and line differ by rounding: positions and entries of rotations by some 1e-15, accelerations by that over
    // h^2/16, 1e-8 m/s^2 of 3.
    EXPECT_LT(settled.worst(), 5e-8);
    EXPECT_LT(reported.worst(), at_end ? 5e-8 : 5e-3);
  }
}

Json driven() {
  return Json::parse(R"json({
    "run": {"step_s": 5e-4, "duration_s": 1},
    "bodies": [{"name": "table", "mass": 5, "inertia": [1, 1, 1]},
               {"name": "mass", "mass": 20, "inertia": [1, 1, 1]}],
    "markers": [{"name": "top", "body": "table"}, {"name": "foot", "body": "mass"}],
    "joints": [{"name": "rail", "kind": "translational", "markers": [{"body": "ground"}, "top"]},
               {"name": "guide", "kind": "translational", "markers": [{"body": "ground"}, "foot"]},
               {"name": "shaker", "kind": "drive_translation", "axis": "z", "markers": [{"body": "ground"}, "top"],
                "drive": "2e-3*sin(62.83185307179586*t)"}],
    "bushings": [{"name": "mount", "markers": ["top", "foot"],
                  "laws": {"fz": {"model": "elastomer", "parameters": {"static_stiffness": 150000, "alpha": 0.1, "beta": 0.1, "gamma": 0.0035,
                                  "lambda": 0.38, "rdl": 9e-5, "rho": 4500}}}}]
})json");
}

// A drive by its motion, at 10 Hz and 1 ms. Of the mount's load (w h)^3/4 = 6e-5 and the errors of two steps of a path
// that is known too late; with the velocity from differences some times more. Once the end is known the cubic errs by
// (w h)^4/384 = 4e-8 between the ends.
TEST(SystemFmu, ADriveFollowsItsMotion) {
  const double h = 1e-3, omega = 2.0 * std::numbers::pi * 10.0;
  const mbs::ModelFile file = mbs::model_from_json(driven(), "test");
  const SystemFmu made = make_system_fmu(file, {{"shaker"}, {"mount.fz.*", "mass.position.z"}}, {.version = 3});
  ASSERT_EQ(made.inputs, (std::vector<std::string>{"shaker.drive"}));
  const auto unit = test::load(made.fmu, 3);
  for (const bool with_rate : {true, false}) {
    Reference reference(file);
    ASSERT_TRUE(unit->instantiate(true, unit->token) && unit->enter_initialization(0.0));
    ASSERT_TRUE(unit->set((*unit)["shaker.drive_rate"], 2e-3 * omega));
    ASSERT_TRUE(unit->exit_initialization()) << unit->messages.back();
    if (!with_rate) {
      ASSERT_TRUE(unit->reset() && unit->enter_initialization(0.0) && unit->exit_initialization());
    }
    Difference reported, settled;
    for (int i = 0; i < 500; ++i) {
      ASSERT_TRUE(unit->set((*unit)["shaker.drive"], 2e-3 * std::sin(omega * i * h)));
      if (with_rate) {
        ASSERT_TRUE(unit->set((*unit)["shaker.drive_rate"], 2e-3 * omega * std::cos(omega * i * h)));
      }
      // Without the velocity the first steps begin from rest.
      for (const std::string& output : made.outputs)
        if (i > 300) settled.add(output, unit->value(output), reference[output]);
      ASSERT_TRUE(unit->step(i * h, h)) << unit->messages.back();
      for (int k = 0; k < 2; ++k) reference.step(0.5 * h);
      for (const std::string& output : made.outputs)
        if (i > 300) reported.add(output, unit->value(output), reference[output]);
    }
    std::printf("[ figure ] drive %s velocity: reported %.1e, settled %.1e\n", with_rate ? "with" : "without",
                reported.worst(), settled.worst());
    EXPECT_LT(settled.worst(), with_rate ? 1e-5 : 5e-3);
    EXPECT_LT(reported.worst(), with_rate ? 1e-3 : 5e-3);
  }
}

// A switch acts from the time at which it is set: as the mount's own table does that jumps there, where a step ends by
// itself.
TEST(SystemFmu, ASwitchIsAnInput) {
  const double h = 5e-4;
  Json model = example_json("engine");
  model["bushings"][0]["laws"]["fz"]["parameters"]["switch_signal"] = {{0.0, 1.0}, {99.5 * h, 1.0}, {99.5 * h, 0.0}};
  Reference reference(mbs::model_from_json(model, "test"));
  const SystemFmu made = make_system_fmu(example("engine"), {{"left.fz.coupling"}, {}}, {});
  const auto unit = test::load(made.fmu, 2);
  ASSERT_TRUE(begin(*unit));
  Difference before, after, late;
  for (int i = 0; i < 200; ++i) {
    if (i == 99) {
      ASSERT_TRUE(unit->step(i * h, 0.5 * h));
      ASSERT_TRUE(unit->set((*unit)["left.fz.coupling"], 0.0));
      ASSERT_TRUE(unit->step((i + 0.5) * h, 0.5 * h));
    } else {
      ASSERT_TRUE(unit->step(i * h, h));
    }
    reference.step(h);
    for (const std::string& output : made.outputs)
      (i < 99 ? before : i < 150 ? after : late).add(output, unit->value(output), reference[output]);
  }
  std::printf("[ figure ] switch: %.1e before, %.1e after, %.1e late\n", before.worst(), after.worst(), late.worst());
  EXPECT_LT(before.worst(), 1e-12);
  // Both spread the jump over a step of h/1024, one before and one behind it [mbs E34]: 1e-6 of the jump.
  EXPECT_LT(after.worst(), 1e-5);
  EXPECT_LT(late.worst(), 1e-5);
  EXPECT_FALSE(unit->set((*unit)["left.fz.coupling"], 2.0));
  EXPECT_NE(unit->messages.back().find("left.fz.coupling"), std::string::npos);
}

// Parameters act from the start, static equilibrium included; reset gives back those of the model.
TEST(SystemFmu, ParametersBeforeTheStart) {
  Json model = example_json("engine");
  model["bushings"][2]["laws"]["fz"]["parameters"]["static_stiffness"] = 100000;
  Reference softer(mbs::model_from_json(model, "test")), original(example("engine"));
  const SystemFmu made = make_system_fmu(example("engine"), {}, {.version = 3});
  const auto unit = test::load(made.fmu, 3);
  ASSERT_TRUE(unit->instantiate(true, unit->token) && unit->set((*unit)["rear.fz.static_stiffness"], 100000));
  ASSERT_TRUE(unit->enter_initialization(0.0) && unit->exit_initialization());
  Difference difference;
  for (int i = 0; i < 50; ++i) {
    for (const std::string& output : made.outputs) difference.add(output, unit->value(output), softer[output]);
    ASSERT_TRUE(unit->step(i * 5e-4, 5e-4));
    softer.step(5e-4);
  }
  EXPECT_LT(difference.worst(), 1e-12);
  EXPECT_FALSE(unit->set((*unit)["rear.fz.static_stiffness"], 150000));
  ASSERT_TRUE(unit->reset() && unit->enter_initialization(0.0) && unit->exit_initialization());
  for (const std::string& output : made.outputs) EXPECT_EQ(unit->value(output), original[output]) << output;
  ASSERT_TRUE(unit->reset());
  EXPECT_FALSE(unit->set((*unit)["rear.fz.static_stiffness"], -1.0));
  EXPECT_NE(unit->messages.back().find("rear.fz.static_stiffness"), std::string::npos);
}

// Saved states hold everything: the same steps give the same numbers to the last bit, also after other steps and other
// inputs.
TEST(SystemFmu, SavedStatesRepeat) {
  for (const int version : {2, 3}) {
    const SystemFmu made = make_system_fmu(example("engine"), {{"firing"}, {}}, {.version = version});
    ASSERT_EQ(made.inputs, (std::vector<std::string>{"firing.force.z", "firing.torque.x"}));
    const auto unit = test::load(made.fmu, version);
    ASSERT_TRUE(begin(*unit));
    const auto go = [&](int from, int to, double factor) {
      for (int i = from; i < to; ++i)
        ASSERT_TRUE(unit->set((*unit)["firing.force.z"], factor * std::sin(0.1 * i)) && unit->step(i * 1e-3, 1e-3));
    };
    const auto outputs = [&] {
      std::vector<double> out;
      for (const std::string& output : made.outputs) out.push_back(unit->value(output));
      return out;
    };
    go(0, 20, 200.0);
    void* state = nullptr;
    ASSERT_TRUE(unit->save(state));
    go(20, 40, 200.0);
    const std::vector<double> first = outputs();
    go(40, 45, -700.0);
    ASSERT_TRUE(unit->restore(state));
    go(20, 30, -700.0);
    ASSERT_TRUE(unit->restore(state));
    go(20, 40, 200.0);
    EXPECT_EQ(outputs(), first);
    std::vector<char> bytes;
    EXPECT_FALSE(unit->serialise(state, bytes));
    EXPECT_TRUE(unit->free_state(state));
    EXPECT_EQ(state, nullptr);
  }
}

TEST(SystemFmu, RefusesWithAReason) {
  const SystemFmu made = make_system_fmu(example("double_mass"), {}, {});
  const auto unit = test::load(made.fmu, 2);
  EXPECT_FALSE(unit->instantiate(false, unit->token));
  EXPECT_NE(unit->messages.back().find("co-simulation"), std::string::npos);
  EXPECT_FALSE(unit->instantiate(true, "{other}"));
  // The model is found beside the binary when the tool names no place, or a wrong one.
  unit->resources.clear();
  EXPECT_TRUE(begin(*unit));
  unit->resources = "file:///nowhere/with%20space/resources";
  EXPECT_TRUE(begin(*unit));
  EXPECT_FALSE(unit->step(0.5, 1e-3));  // the time is 0
  EXPECT_FALSE(unit->step(0.0, -1e-3));
  EXPECT_FALSE(unit->step(0.0, 1e-12));
  EXPECT_TRUE(unit->step(0.0, 1e-3));
  // The hammer of the model is a formula in time.
  ASSERT_TRUE(unit->reset() && unit->enter_initialization(3.0));
  EXPECT_FALSE(unit->exit_initialization());
  EXPECT_NE(unit->messages.back().find("start time"), std::string::npos);

  Json broken = example_json("double_mass");
  broken["loads"][0]["force"][0] = "1/(0.0105 - t + abs(0.0105 - t))";
  const auto fails = test::load(make_system_fmu(mbs::model_from_json(broken, "test"), {}, {}).fmu, 2);
  ASSERT_TRUE(begin(*fails));
  int steps = 0;
  while (steps < 20 && fails->step(steps * 1e-3, 1e-3)) ++steps;
  EXPECT_EQ(steps, 10);
  ASSERT_FALSE(fails->messages.empty());
  EXPECT_NE(fails->messages.back().find("load hammer"), std::string::npos) << fails->messages.back();
  EXPECT_FALSE(fails->step(10e-3, 1e-3));
  EXPECT_TRUE(fails->reset());

  const mbs::ModelFile file = example("double_mass");
  EXPECT_THROW(make_system_fmu(file, {{"hamer"}, {}}, {}), Error);
  EXPECT_THROW(make_system_fmu(file, {{}, {"m3.*"}}, {}), Error);
  EXPECT_THROW(make_system_fmu(file, {}, {.name = "a b"}), Error);
}

// Names of libraries stand as plain text in the table of dynamic strings.
TEST(SystemFmu, BinaryNeedsTheCLibraryAlone) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "sanitizers bring libraries of their own";
#endif
  const std::string bytes(internal::system_binary().bytes);
  const std::regex library("(lib[a-zA-Z0-9_+-]+|ld-linux[a-z0-9_-]*)\\.so[.0-9]*");
  std::set<std::string> needed;
  for (auto it = std::sregex_iterator(bytes.begin(), bytes.end(), library); it != std::sregex_iterator(); ++it)
    needed.insert(it->str());
  for (const char* allowed : {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}) needed.erase(allowed);
  EXPECT_TRUE(needed.empty()) << *needed.begin();
  EXPECT_LT(bytes.size(), 8U << 20U);
  std::printf("[ figure ] binary of systems: %.2f MB\n", static_cast<double>(bytes.size()) * 1e-6);
}

}  // namespace
}  // namespace kdyn::inline fmu
