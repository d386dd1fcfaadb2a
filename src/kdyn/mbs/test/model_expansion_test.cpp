// SPDX-License-Identifier: Apache-2.0
// Parameters, includes, subsystems and mirrors of model files. Oracle: the same model written out by hand, and a run
// whose mirror image is another run.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/model_expansion.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

Json expanded(const Json& in, const std::map<std::string, double>& values = {}) {
  return expand_model(in, "model", "", values).model;
}
std::string refusal(const Json& in, const std::map<std::string, double>& values = {}) {
  try {
    model_from_json(in, "model", "", values);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.where() + ": " + error.message();
  }
  return "";
}

TEST(ModelExpansion, ParametersAreWorkedOutInAnyOrder) {
  const Json in = {{"parameters",
                    {{"half", "=track/2"},
                     {"track", {{"value", 1500}, {"unit", "mm"}}},
                     {"k", {{"value", "=2*100"}, {"unit", "N/mm"}}},
                     {"angle", "=30*deg"},
                     {"count", 3}}},
                   {"bodies",
                    {{{"name", "b"},
                      {"mass", "=count*2"},
                      {"position", {"=half + 30*mm", 0, "=max(half, 0.1)"}},
                      {"comment", "=not read"}}}},
                   {"loads", {{{"name", "l"}, {"force", {"k*sin(angle*t)", 0, {{"signal", "half + k_other"}}}}}}}};
  const Json out = expanded(in);
  EXPECT_FALSE(out.contains("parameters"));
  EXPECT_EQ(out["bodies"][0]["mass"], 6);
  EXPECT_DOUBLE_EQ(out["bodies"][0]["position"][0].get<double>(), 0.78);
  EXPECT_DOUBLE_EQ(out["bodies"][0]["position"][2].get<double>(), 0.75);
  EXPECT_EQ(out["bodies"][0]["comment"], "=not read");
  EXPECT_EQ(out["loads"][0]["force"][0], "(200000)*sin((0.5235987755982988)*t)");
  EXPECT_EQ(out["loads"][0]["force"][2]["signal"], "(0.75) + k_other");
  EXPECT_DOUBLE_EQ(expanded(in, {{"track", 2.0}})["bodies"][0]["position"][0].get<double>(), 1.03);
  EXPECT_EQ(expanded(out), out);
}

TEST(ModelExpansion, SaysWhatIsWrong) {
  const auto with = [](const Json& parameters, const Json& mass = 1) {
    return Json{{"parameters", parameters}, {"bodies", {{{"name", "b"}, {"mass", mass}, {"inertia", {1, 1, 1}}}}}};
  };
  EXPECT_EQ(refusal(with({{"a", 1}})), "");
  EXPECT_NE(refusal(with({{"a", "=b"}, {"b", "=a"}})).find("depends on itself"), std::string::npos);
  EXPECT_NE(refusal(with({{"a", "=1/0"}})).find("not a finite number"), std::string::npos);
  EXPECT_NE(refusal(with({{"a", {{"value", 1}, {"unit", "furlong"}}}})).find("no unit"), std::string::npos);
  EXPECT_NE(refusal(with({{"mm", 1}})).find("name of a unit"), std::string::npos);
  EXPECT_NE(refusal(with({{"sin", 1}})).find("no name for a parameter"), std::string::npos);
  EXPECT_NE(refusal(with({{"a", 1}}, "=a + c")).find("unknown name, 'c'"), std::string::npos);
  EXPECT_NE(refusal(with({{"a", 1}}, "=a*t")).find("no time"), std::string::npos);
  EXPECT_NE(refusal(with({{"track", 1}}), {{"trak", 2.0}}).find("no parameter 'trak'"), std::string::npos);
  const auto sub = [&](const Json& more) {
    Json model = with({{"a", 1}});
    Json part = {{"name", "left"}, {"model", {{"bodies", {{{"name", "w"}, {"mass", 1}, {"inertia", {1, 1, 1}}}}}}}};
    if (!more.is_null()) part.update(more);
    model["subsystems"] = Json::array({part});
    return model;
  };
  EXPECT_EQ(refusal(sub({})), "");
  EXPECT_NE(refusal(sub({{"mirror", "left"}})).find("no axis"), std::string::npos);
  EXPECT_NE(refusal(sub({{"connect", {{"body", "b"}}}})).find("uses no such name"), std::string::npos);
  EXPECT_NE(refusal(sub({{"connect", {{"w", "b"}}}})).find("part of this name itself"), std::string::npos);
  EXPECT_NE(refusal(sub({{"parameters", {{"k", 1}}}})).find("no parameter 'k'"), std::string::npos);
  EXPECT_NE(refusal(sub({{"model", {{"bodys", Json::array()}}}})).find("unknown field 'bodys'"), std::string::npos);
  EXPECT_NE(refusal(sub({{"file", "x.json"}})).find("given twice"), std::string::npos);
}

class Folder {
 public:
  Folder() : path(std::filesystem::temp_directory_path() / "kdyn_model_expansion") {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path / "parts");
  }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const Json& content) const { std::ofstream(path / name) << content.dump(); }
  std::filesystem::path path;
};

TEST(ModelExpansion, IncludesCountFromTheirFile) {
  const Folder folder;
  folder.write("parts/law.json", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 500}, {"damping", 1}}}});
  folder.write(
      "parts/common.json",
      {{"gravity", {0, 0, -1}},
       {"parameters", {{"m", 4}}},
       {"bushings",
        {{{"name", "b"}, {"markers", {{{"body", "ground"}}, {{"body", "mass"}}}}, {"laws", {{"fz", "law.json"}}}}}}});
  folder.write("model.json", {{"include", "parts/common.json"},
                              {"gravity", {0, 0, -2}},
                              {"bodies", {{{"name", "mass"}, {"mass", "=m"}, {"inertia", {1, 1, 1}}}}}});
  const ModelFile file = read_model((folder.path / "model.json").string());
  EXPECT_EQ(file.model.gravity.z(), -2.0);
  EXPECT_EQ(file.model.bodies[0].G(0, 0), 4.0);
  EXPECT_EQ(file.model.connections.at(0).laws[2]->static_force(1.0), 500.0);
  EXPECT_EQ(file.parameters.at("m"), 4.0);
  ASSERT_FALSE(file.files.empty());
  EXPECT_EQ(file.files[0], (folder.path / "parts/common.json").string());
  // A file that includes itself ends with an error.
  folder.write("loop.json", {{"include", "loop.json"}});
  EXPECT_THROW(read_model((folder.path / "loop.json").string()), Error);
}

// A corner with everything that a mirror touches.
Json corner() {
  const auto law = [](double k) {
    return Json{{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", k / 500}}}};
  };
  return {
      {"parameters", {{"k", 3e4}}},
      {"tables", {{"bend", {{-1.0, -50.0}, {0.0, 0.0}, {1.0, 80.0}}}}},
      {"bodies",
       {{{"name", "arm"},
         {"mass", 3},
         {"centre", {0.05, 0.2, 0.01}},
         {"inertia", {{0.05, 0.003, -0.002}, {0.003, 0.04, 0.001}, {-0.002, 0.001, 0.06}}},
         {"position", {0.1, 0.3, 0.2}},
         {"rotation", {0.2, -0.1, 0.3}},
         {"velocity", {0.1, 0.2, -0.1}},
         {"angular_velocity", {0.3, -0.4, 0.2}}}}},
      {"markers",
       {{{"name", "tip"}, {"body", "arm"}, {"position", {0.02, 0.4, 0.03}}, {"rotation", {0.1, 0.2, -0.2}}}}},
      {"bushings",
       {{{"name", "pivot"},
         {"markers",
          {{{"body", "frame"}, {"position", {0.1, 0.3, 0.2}}, {"rotation", {0.2, -0.1, 0.3}}}, {{"body", "arm"}}}},
         {"laws",
          {{"fx", law(3e4)}, {"fy", law(4e4)}, {"fz", law(5e4)}, {"tx", law(80)}, {"ty", law(90)}, {"tz", law(100)}}},
         {"forces", {{"fy", "40*pivot.fy.rate + 9*arm.velocity.y + 3"}, {"tx", "2*gyro.x + 4*pivot.tz.deflection"}}},
         {"preload", {5, 6, 7, 0.1, 0.2, 0.3}}}}},
      {"springs",
       {{{"name", "coil"},
         {"markers", {{{"body", "ground"}, {"position", {0, 0.8, 0.9}}}, "tip"}},
         {"law", law(2000)},
         {"rest_length", 0.6},
         {"force", "bend(tip.velocity.y)"}}}},
      {"loads",
       {{{"name", "push"},
         {"marker", "tip"},
         {"force", {"20*sin(9*t)", 15, "bend(frame.velocity.y) - tip.position.y*10"}},
         {"torque", {{{0, 0.5}, {1, 1.0}}, "0.4*cos(5*t)", 0.3}},
         {"follows", true}}}},
      {"sensors", {{{"name", "gyro"}, {"kind", "gyro"}, {"body", "arm"}, {"position", {0, 0.1, 0}}}}}};
}
Json frame(const char* mirror) {
  const Json law = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 2e4}, {"damping", 100}}}};
  Json laws;
  for (const char* axis : {"fx", "fy", "fz", "tx", "ty", "tz"}) laws[axis] = law;
  Json part = {{"name", "side"}, {"model", corner()}, {"connect", {{"frame", "body"}}}};
  if (mirror) part["mirror"] = mirror;
  return {{"gravity", {0, 0, -9.81}},
          {"run", {{"step_s", 1e-3}, {"duration_s", 0.3}}},
          {"bodies", {{{"name", "body"}, {"mass", 8}, {"inertia", {0.3, 0.4, 0.5}}}}},
          {"bushings", {{{"name", "mount"}, {"markers", {{{"body", "ground"}}, {{"body", "body"}}}}, {"laws", laws}}}},
          {"subsystems", {part}}};
}

// The mirrored model moves as the mirror image of the model: positions M x, frames M R M.
TEST(ModelExpansion, AMirroredModelMovesAsItsImage) {
  const auto run = [](const Json& model) {
    const ModelFile file = model_from_json(model, "model");
    const System system(file.model);
    std::vector<VectorX> states;
    EXPECT_EQ(
        simulate(
            system, file.run, [&](const RunState& s, const Evaluation&) { states.push_back(s.q); }, silent_progress())
            .status,
        RunStatus::done);
    return states;
  };
  for (const char* axis : {"y", "x"}) {
    Json own = frame(nullptr), other = frame(axis);
    if (*axis == 'x') own["gravity"] = other["gravity"] = {0, 0, -9.81};
    const auto one = run(own), two = run(other);
    Matrix3 M = Matrix3::Identity();
    M(*axis - 'x', *axis - 'x') = -1.0;
    ASSERT_EQ(one.size(), two.size());
    double worst = 0.0, moved = 0.0;
    for (std::size_t n = 0; n < one.size(); ++n)
      for (int b = 0; b < 2; ++b) {
        const Eigen::Map<const Vector3> x(one[n].data() + 12 * b), y(two[n].data() + 12 * b);
        const Eigen::Map<const Matrix3> A(one[n].data() + 12 * b + 3), B(two[n].data() + 12 * b + 3);
        worst = std::max({worst, (M * x - y).cwiseAbs().maxCoeff(), (M * A * M - B).cwiseAbs().maxCoeff()});
        moved = std::max(moved, std::abs(x[*axis - 'x'] - one[0][12 * b + *axis - 'x']));
      }
    EXPECT_GT(moved, 1e-3);
    EXPECT_LT(worst, 1e-9) << axis;  // the same operations with other signs: rounding over 300 steps
  }
}

TEST(ModelExpansion, ALawThatTellsDirectionsApartIsNotMirroredInSilence) {
  Json model = frame("y");
  Json& laws = model["subsystems"][0]["model"]["bushings"][0]["laws"];
  laws["fy"] = {{"model", "stop"}, {"parameters", {{"stiffness", 1e5}, {"lower_gap", 0.001}}}};
  EXPECT_NE(refusal(model).find("not the same in both directions"), std::string::npos) << refusal(model);
  std::swap(laws["fy"], laws["fx"]);
  EXPECT_EQ(refusal(model), "");
}

TEST(ModelExpansion, TheAxleOfTheExamplesIsSymmetric) {
  const std::string path = std::string(KDYN_SOURCE_DIR) + "/examples/multibody/axle.json";
  const ModelFile file = read_model(path);
  ASSERT_EQ(file.model.bodies.size(), 5u);
  EXPECT_EQ(file.model.bodies[1].name, "left_wheel");
  EXPECT_EQ(file.model.bodies[3].name, "right_wheel");
  EXPECT_EQ(file.model.bodies[3].position.y(), -0.75);
  EXPECT_EQ(read_model(path, {{"half_track", 0.8}}).model.bodies[3].position.y(), -0.8);
}

}  // namespace
}  // namespace kdyn::mbs
