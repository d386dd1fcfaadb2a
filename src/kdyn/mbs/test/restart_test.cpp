// SPDX-License-Identifier: Apache-2.0
// A run that is saved, written as text, read and restored goes on with the same bits as the run that was not  [mbs E60].
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run_snapshot.hpp"

namespace kdyn::mbs {
namespace {

// A block between two bushings of every kind of memory: friction (turning points), states with friction (hydro mount),
// Maxwell states, and one that remembers nothing; a pendulum hangs from it by a joint.
Json model_of(const Json& law) {
  const Json plain = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 2e4}, {"damping", 60.0}}}};
  return {
      {"gravity", {0.0, 0.0, -9.81}},
      {"run", {{"step_s", 1e-3}, {"duration_s", 0.4}, {"static_start", false}}},
      {"bodies",
       {{{"name", "block"}, {"mass", 12.0}, {"inertia", {0.2, 0.3, 0.25}}},
        {{"name", "bob"}, {"mass", 1.0}, {"inertia", {0.01, 0.01, 0.01}}, {"position", {0.0, 0.0, -0.3}}}}},
      {"bushings",
       {{{"name", "left"},
         {"markers",
          {{{"body", "ground"}, {"position", {-0.2, 0.0, 0.0}}}, {{"body", "block"}, {"position", {-0.2, 0.0, 0.0}}}}},
         {"laws",
          {{"fx", plain},
           {"fy", plain},
           {"fz", law},
           {"ty", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 500.0}, {"damping", 1.0}}}}}}}},
        {{"name", "right"},
         {"markers",
          {{{"body", "ground"}, {"position", {0.2, 0.0, 0.0}}}, {{"body", "block"}, {"position", {0.2, 0.0, 0.0}}}}},
         {"laws", {{"fx", plain}, {"fy", plain}, {"fz", plain}}}}}},
      {"joints",
       {{{"name", "pin"},
         {"kind", "spherical"},
         {"markers", {{{"body", "block"}}, {{"body", "bob"}, {"position", {0.0, 0.0, 0.3}}}}}}}},
      {"loads",
       {{{"name", "shaker"},
         {"marker", {{"body", "block"}}},
         {"force", {"20*sin(31*t)", 0.0, "300*sin(40*t) + 120*sin(93*t)"}}}}}};
}

struct Trace {
  std::vector<double> t, x, load;
  RunCounts counts;
};

Trace run(const ModelFile& file, double duration, const RunSnapshot* from, RunSnapshot& end) {
  RunOptions options = file.run;
  options.duration_s = duration;
  Trace out;
  const System system(file.model);
  const RunResult result = simulate_on(
      system, options, from, "state",
      [&](const mbs::Run& now) {
        const RunState& s = now.state();
        const Evaluation& e = now.evaluation();
        out.t.push_back(s.t);
        for (const VectorX* v : {&s.q, &s.v, &s.vd, &s.lambda})
          for (Eigen::Index i = 0; i < v->size(); ++i) out.x.push_back((*v)[i]);
        for (const double load : e.load) out.load.push_back(load);
      },
      silent_progress(), end);
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  out.counts = result.counts;
  return out;
}

RunSnapshot through_text(const RunSnapshot& snapshot) {
  Json out;
  to_json_fields(snapshot, out);
  RunSnapshot back;
  from_json_fields(back, parse_json(dump_json(out), "state.json"), "state.json");
  return back;
}

void goes_on(const Json& model, const std::string& what) {
  SCOPED_TRACE(what);
  const ModelFile file = model_from_json(model, "model", "");
  RunSnapshot end, middle;
  const Trace whole = run(file, 0.4, nullptr, end), first = run(file, 0.17, nullptr, middle);
  const RunSnapshot saved = through_text(middle);
  const Trace rest = run(file, 0.4, &saved, end);
  // The first instant of the rest is the last of the first part.
  ASSERT_EQ(first.t.size() + rest.t.size(), whole.t.size() + 1);
  const auto ends_alike = [](const std::vector<double>& all, const std::vector<double>& part) {
    ASSERT_GE(all.size(), part.size());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), all.end() - static_cast<std::ptrdiff_t>(part.size())));
  };
  ends_alike(whole.t, rest.t);
  ends_alike(whole.x, rest.x);
  ends_alike(whole.load, rest.load);
  EXPECT_EQ(first.counts.factorisations + rest.counts.factorisations, whole.counts.factorisations);
}

const Json elastomer = {{"model", "elastomer"},
                        {"parameters",
                         {{"static_stiffness", 3e4},
                          {"alpha", 0.1},
                          {"beta", 0.1},
                          {"gamma", 0.0035},
                          {"lambda", 0.38},
                          {"rdl", 9e-5},
                          {"rho", 4500}}}};

// Its channel and its rubbers remember.
Json hydromount() {
  return read_json(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/engine.json")["bushings"][0]["laws"]["fz"];
}

TEST(MultibodyRestart, LawsWithoutMemoryGoOn) {
  goes_on(model_of({{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 3e4}, {"damping", 40.0}}}}), "plain");
}

TEST(MultibodyRestart, FrictionAndStatesGoOn) {
  goes_on(model_of(elastomer), "elastomer");
  goes_on(model_of(hydromount()), "hydro mount");
}

TEST(MultibodyRestart, ChosenStepsGoOn) {
  Json model = model_of(elastomer);
  model["run"]["step_s"] = 0.01;
  model["run"]["step_control"] = {{"tolerance", 1e-7}};
  goes_on(model, "step control");
  // A pulse of a table right behind the seam.
  model["loads"][0]["force"][2] = Json::parse("[[0, 0], [0.1712, 0], [0.1717, 900], [0.1722, 0], [1, 0]]");
  goes_on(model, "step control with a pulse");
}

TEST(MultibodyRestart, ABeginningIsAStateToo) {
  const ModelFile file = model_from_json(model_of(elastomer), "model", "");
  RunSnapshot start, end;
  run(file, 0.0, nullptr, start);
  const Trace whole = run(file, 0.1, nullptr, end), again = run(file, 0.1, &start, end);
  EXPECT_EQ(whole.x, again.x);
}

// Another step is another discrete solution: both go to the same one as they shrink.
TEST(MultibodyRestart, AnotherStepGoesOnAsItsOwn) {
  ModelFile file = model_from_json(model_of(elastomer), "model", "");
  RunSnapshot middle, end;
  run(file, 0.2, nullptr, middle);
  const Trace same = run(file, 0.4, &middle, end);
  file.run.step_s = 5e-4;
  const Trace finer = run(file, 0.4, &middle, end);
  const std::size_t n = same.x.size() / same.t.size();
  ASSERT_EQ(finer.t.size(), 2 * same.t.size() - 1);
  // Positions move by millimetres; the error of the scheme at 1 ms is some micrometres.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(finer.x[finer.x.size() - n + i], same.x[same.x.size() - n + i], 5e-5);
}

TEST(MultibodyRestart, StatesOfOtherModelsAreRefused) {
  const Json json = model_of(elastomer);
  const ModelFile file = model_from_json(json, "model", "");
  RunSnapshot saved, end;
  run(file, 0.05, nullptr, saved);
  const auto refused = [&](const Json& model, RunSnapshot state, const std::string& mention) {
    const ModelFile other = model_from_json(model, "model", "");
    const System system(other.model);
    try {
      simulate_on(
          system, other.run, &state, "state.json", [](const mbs::Run&) {}, silent_progress(), end);
      ADD_FAILURE() << "not refused: " << mention;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE((error.message() + error.remedy()).find(mention), std::string::npos) << error.message();
    }
  };
  Json changed = json;
  changed["bodies"][1]["name"] = "weight";
  changed["joints"][0]["markers"][1]["body"] = "weight";
  refused(changed, saved, "bodies");
  changed = json;
  changed["joints"][0]["kind"] = "revolute";
  refused(changed, saved, "joints");
  changed = json;
  changed["bushings"][0]["laws"]["fz"] = json["bushings"][0]["laws"]["fx"];
  refused(changed, saved, "law");
  changed = json;
  changed["bushings"][0]["laws"].erase("ty");
  refused(changed, saved, "bushings");
  RunSnapshot damaged = saved;
  damaged.laws[2].memory.pop_back();
  refused(json, damaged, "damaged");
  damaged = saved;
  damaged.factor.pop_back();
  refused(json, damaged, "factor");
  damaged = saved;
  damaged.q[3] = std::nan("");
  refused(json, damaged, "coordinates");
  damaged = saved;
  damaged.format = "kdyn run 99";
  refused(json, damaged, "format");
  changed = json;
  changed["run"]["step_s"] = 7e-4;
  refused(changed, saved, "multiple");
}

}  // namespace
}  // namespace kdyn::mbs
