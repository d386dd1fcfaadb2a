// SPDX-License-Identifier: Apache-2.0
// Models of other programs. Oracles: the same model in kdyn's own words, and published results of Adams for its decks
// (Project Chrono, BSD licence; read where the shared data are there).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/mbs/foreign_model.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

// A pendulum in millimetres and degrees: hinge about a turned axis, a spring by formula, a bushing, and things that only
// draw.
const std::string deck = R"(ADAMS/View model name: swing
!---
UNITS/
, FORCE = NEWTON, MASS = KILOGRAM
, LENGTH = MILLIMETER, TIME = SECOND
! adams_view_name='GROUND_PART'
PART/01, GROUND
MARKER/0101, PART = 01, QP = 100, 200, 300, REULER = 180D, 45D, 180D
MARKER/0102, PART = 1, QP = 100, 900, 300
! adams_view_name='BAR'
PART/02, MASS = 2, CM = 0201, IP = 4.0E4, 1.0E5, 1.1E5, 2.0E3
, VY = 0
MARKER/0201, PART = 02, QP = 400, 200, 300, REULER = 0.3, 0.1, 0
MARKER/0202, PART = 02, QP = 100, 200, 300, REULER = 180D, 45D, 180D
! adams_view_name='tip'
MARKER/0203, PART = 02, QP = 700, 200, 300
GRAPHICS/1, CYLINDER, CM = 0201, LENGTH = .8, RADIUS = 0.05
JOINT/1, REVOLUTE
, I = 0202, J = 0101
SFORCE/1, TRANSLATIONAL, I = 0203, J = 0102
, FUNCTION = - 0.2*(DM(0203,0102)-700.0)
, - 0.01*vr(203,102)
, + VARVAL(1)*STEP(TIME, 0, 0, 0.1, 1)
VARIABLE/1, FUNCTION = IF(DX(203)-500: 1.5, 1.5, 2.5)
BUSHING/1, I = 0202, J = 0101, K = 0,0,0, KT = 0,0,900, CT = 0,0,40
ACCGRAV/, JGRAV = -9806.65
REQUEST/1, D,I=0201,J=0101,C=text: X Y Z
END
)";

std::vector<VectorX> run(const ModelFile& file, double duration, double step) {
  const System system(file.model);
  RunOptions options = file.run;
  options.step_s = step, options.duration_s = duration;
  std::vector<VectorX> out;
  const RunResult result = simulate(
      system, options, [&](const RunState& s, const Evaluation&) { out.push_back(s.q); }, silent_progress());
  EXPECT_EQ(result.status, RunStatus::done) << result.reason;
  return out;
}

TEST(AdamsDeck, MovesAsTheModelInOwnWords) {
  const ModelFile file = model_from_text(deck, "swing.adm");
  EXPECT_FALSE(file.imported.empty());
  EXPECT_EQ(file.model.bodies.at(0).name, "BAR");
  EXPECT_NEAR(file.model.gravity.y(), -9.80665, 1e-12);
  const double c = std::cos(0.3), s = std::sin(0.3);
  // REULER 0.3, 0.1, 0: Rz(0.3) Rx(0.1); products of inertia are integrals of x y.
  Matrix3 z, x, J;
  z << c, -s, 0, s, c, 0, 0, 0, 1;
  x << 1, 0, 0, 0, std::cos(0.1), -std::sin(0.1), 0, std::sin(0.1), std::cos(0.1);
  J << 0.04, -0.002, 0, -0.002, 0.1, 0, 0, 0, 0.11;
  J = z * x * J * (z * x).transpose();
  const double h = std::sqrt(0.5);
  // 180, 45, 180 degrees: -45 degrees about x.
  const Json axes = {{1, 0, 0}, {0, h, h}, {0, -h, h}};
  Json own = {
      {"gravity", {0, -9.80665, 0}},
      {"bodies",
       {{{"name", "bar"},
         {"mass", 2},
         {"centre", {0.4, 0.2, 0.3}},
         {"inertia", {{J(0, 0), J(0, 1), J(0, 2)}, {J(1, 0), J(1, 1), J(1, 2)}, {J(2, 0), J(2, 1), J(2, 2)}}}}}},
      {"markers", {{{"name", "tip"}, {"body", "bar"}, {"position", {0.7, 0.2, 0.3}}}}},
      {"joints",
       {{{"name", "hinge"},
         {"kind", "revolute"},
         {"markers",
          {{{"body", "ground"}, {"position", {0.1, 0.2, 0.3}}, {"rotation", axes}},
           {{"body", "bar"}, {"position", {0.1, 0.2, 0.3}}, {"rotation", axes}}}}}}},
      {"springs",
       {{{"name", "coil"},
         {"markers", {{{"body", "ground"}, {"position", {0.1, 0.9, 0.3}}}, "tip"}},
         {"rest_length", 0.7},
         {"force", "200*coil.deflection + 10*coil.rate - if(tip.position.x > 0.5, 2.5, 1.5)*step(t, 0, 0, 0.1, 1)"}}}},
      {"bushings",
       {{{"name", "torsion"},
         {"markers",
          {{{"body", "ground"}, {"position", {0.1, 0.2, 0.3}}, {"rotation", axes}},
           {{"body", "bar"}, {"position", {0.1, 0.2, 0.3}}, {"rotation", axes}}}},
         {"laws", {{"tz", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 0.9}, {"damping", 0.04}}}}}}}}}}};
  const auto one = run(file, 0.5, 1e-3), two = run(model_from_json(own, "own"), 0.5, 1e-3);
  ASSERT_EQ(one.size(), two.size());
  double worst = 0.0;
  for (std::size_t n = 0; n < one.size(); ++n) worst = std::max(worst, (one[n] - two[n]).cwiseAbs().maxCoeff());
  EXPECT_LT(worst, 1e-8);
  EXPECT_GT((one.back() - one.front()).cwiseAbs().maxCoeff(), 0.1);
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = deck;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
std::string refusal(const std::string& text, const char* name = "swing.adm") {
  try {
    const ModelFile file = model_from_text(text, name);
    const System system(file.model);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.where() + ": " + error.message();
  }
  return "";
}

TEST(AdamsDeck, TellsWhatItCannotRead) {
  EXPECT_EQ(refusal(deck), "");
  EXPECT_NE(refusal(changed("REULER = 180D, 45D", "REULER = 180, 45")).find("swing.adm:8"), std::string::npos);
  EXPECT_NE(refusal(changed("REULER = 180D, 45D", "REULER = 180, 45")).find("more than one turn in radians"),
            std::string::npos);
  EXPECT_NE(refusal(changed("UNITS/\n, FORCE = NEWTON, MASS = KILOGRAM\n, LENGTH = MILLIMETER, TIME = SECOND\n", ""))
                .find("no UNITS"),
            std::string::npos);
  EXPECT_NE(refusal(changed("MILLIMETER", "PARSEC")).find("no unit of LENGTH"), std::string::npos);
  EXPECT_NE(refusal(changed("BUSHING/1,", "CONTACT/1,")).find("1 x CONTACT from line 25"), std::string::npos)
      << refusal(changed("BUSHING/1,", "CONTACT/1,"));
  EXPECT_NE(refusal(changed("DM(0203,0102)", "AKISPL(0203,1)")).find("AKISPL"), std::string::npos);
  EXPECT_NE(refusal(changed("J = 0101\nSFORCE", "J = 0199\nSFORCE")).find("no MARKER/0199"), std::string::npos);
  EXPECT_NE(refusal(changed("CM = 0201, IP", "IP")).find("no CM"), std::string::npos);
  EXPECT_NE(refusal(changed("REVOLUTE", "SCREW")).find("not known: SCREW"), std::string::npos);
  EXPECT_NE(refusal(changed("VARVAL(1)*", "VARVAL(2)*")).find("no VARIABLE/2"), std::string::npos);
  EXPECT_NE(refusal(changed("IF(DX(203)-500: 1.5, 1.5, 2.5)", "VARVAL(1)")).find("depend on themselves"),
            std::string::npos);
  // By wish, with a finding.
  const ForeignModel without = read_adams(changed("BUSHING/1,", "CONTACT/1,"), "swing.adm", {"contact"});
  EXPECT_TRUE(std::any_of(without.findings.begin(), without.findings.end(),
                          [](const Finding& f) { return f.code == "left_out"; }));
  // Metres for millimetres: what it weighs and where it is do not fit together.
  const ModelFile metres = model_from_text(changed("MILLIMETER", "METER"), "swing.adm");
  EXPECT_TRUE(std::any_of(metres.findings.begin(), metres.findings.end(),
                          [](const Finding& f) { return f.code == "gravity_units"; }));
}

// Any cut of the text and any byte changed is read or refused.
TEST(AdamsDeck, SurvivesDamage) {
  int read = 0, refused = 0;
  for (std::size_t n = 0; n < deck.size(); n += 7) {
    std::string text = deck;
    if (n % 2 == 0)
      text.resize(n);
    else
      text[n] = static_cast<char>((text[n] * 7 + 13) % 256);
    try {
      read_adams(text, "damaged");
      ++read;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(read, 3);
}

// Published curves of Adams: position of the centre of mass.
TEST(AdamsDeck, MeetsPublishedResults) {
  const std::filesystem::path folder = std::string(KDYN_SHARED_DIR) + "/data/mbs/adams";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared data";
  for (const auto& [name, curve, marker] :
       {std::tuple{"Revolute_Case01", "revolute_joint/Revolute_Case01_ADAMS_Pos.txt", "marker_201"},
        {"Revolute_Case02", "revolute_joint/Revolute_Case02_ADAMS_Pos.txt", "marker_201"},
        {"Spherical_Case01", "spherical_joint/Spherical_Case01_ADAMS_Pos.txt", "marker_201"},
        {"Spherical_Case02", "spherical_joint/Spherical_Case02_ADAMS_Pos.txt", "marker_201"}}) {
    const ModelFile file = read_model((folder / "models" / (std::string("test_") + name + ".adm")).string());
    const System system(file.model);
    int index = -1;
    for (std::size_t m = 0; m < file.model.markers.size(); ++m)
      if (file.model.markers[m].name == marker) index = static_cast<int>(m);
    ASSERT_GE(index, 0) << name;
    std::istringstream text(read_text((folder / curve).string()));
    std::string line;
    for (int i = 0; i < 3; ++i) std::getline(text, line);
    std::vector<std::array<double, 4>> rows;
    for (std::array<double, 4> row; text >> row[0] >> row[1] >> row[2] >> row[3];) rows.push_back(row);
    ASSERT_GT(rows.size(), 400u);
    RunOptions options = file.run;
    options.step_s = 1e-3, options.duration_s = 5.0;
    double worst = 0.0, range = 0.0;
    std::size_t n = 0;
    simulate(
        system, options,
        [&](const RunState& s, const Evaluation& e) {
          const auto step = std::lround(s.t / 1e-3);
          if (step % 10 != 0 || n >= rows.size()) return;
          const auto& row = rows[n++];
          const Vector3 published(row[1], row[2], row[3]);
          worst = std::max(worst, (e.frame[static_cast<std::size_t>(index)].u - published).norm());
          range = std::max(range, (published - Vector3(rows[0][1], rows[0][2], rows[0][3])).norm());
        },
        silent_progress());
    // Adams integrated to about 1e-4 of the range, seen in its own energy; our steps err by less.
    EXPECT_LT(worst, 1e-3 * range) << name;
    EXPECT_GT(range, 0.05) << name;
  }
}

// The published curve of the spring belongs to another model than its deck (k = 10 N/m instead of 100): the oracle is
// the equation of motion of the point, by Runge-Kutta of fourth order.
TEST(AdamsDeck, SpringFunctionOfThePublicDeck) {
  const std::filesystem::path path =
      std::string(KDYN_SHARED_DIR) + "/data/mbs/adams/models/test_TransSpring_Case01.adm";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared data";
  const ModelFile file = read_model(path.string());
  Eigen::Matrix<double, 6, 1> y;
  y << 0.0, 2.0, 0.0, 0.0, 0.0, 0.0;
  const auto rate = [](const Eigen::Matrix<double, 6, 1>& at) {
    const Vector3 x = at.head<3>(), v = at.tail<3>();
    const double r = x.norm();
    Eigen::Matrix<double, 6, 1> out;
    out << v, -(100.0 * (r - 2.0) + x.dot(v) / r) * x / r + Vector3(0.0, 0.0, -9.80665);
    return out;
  };
  double worst = 0.0;
  for (const VectorX& q : run(file, 3.0, 1e-3)) {
    worst = std::max(worst, (Vector3(q.head<3>()) + Vector3(0.0, 2.0, 0.0) - y.head<3>()).norm());
    for (int i = 0; i < 4; ++i) {
      const double h = 2.5e-4;
      const auto k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2), k4 = rate(y + h * k3);
      y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
  }
  EXPECT_LT(worst, 5e-4);  // second order at 1 ms: 3 s of 1.6 Hz with amplitudes of 2 m
}

const std::string robot = R"(<?xml version="1.0"?>
<robot name="arms">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.3" rpy="0.2 0 0"/><mass value="1"/><inertia ixx="0.05" iyy="0.06" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="flange"/>
  <link name="tool"><inertial><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 2" rpy="0 0.4 0"/><axis xyz="0 1 0"/><dynamics damping="0.3"/><limit lower="-1" upper="1" effort="500" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -1"/><axis xyz="0 1 0"/></joint>
  <joint name="plate" type="fixed"><parent link="lower"/><child link="flange"/><origin xyz="0 0 -0.6" rpy="0 0 0.5"/></joint>
  <joint name="slider" type="prismatic"><parent link="flange"/><child link="tool"/><origin xyz="0 0.1 0"/><axis xyz="0 0 1"/><dynamics damping="20"/></joint>
</robot>
)";

TEST(Urdf, MovesAsTheModelInOwnWords) {
  const ModelFile file = model_from_text(robot, "arms.urdf");
  ASSERT_EQ(file.model.bodies.size(), 3u);
  ASSERT_EQ(file.model.joints.size(), 3u);
  const double c = std::cos(0.4), s = std::sin(0.4), a = std::cos(0.2), b = std::sin(0.2);
  const Json turn = {0, 0.4, 0}, y = {-1.5707963267948966, 0, 0};
  const Json own = {
      {"gravity", {0, 0, -9.81}},
      {"bodies",
       {{{"name", "upper"},
         {"mass", 2},
         {"centre", {0, 0, -0.5}},
         {"inertia", {0.2, 0.2, 0.01}},
         {"position", {0, 0, 2}},
         {"rotation", turn}},
        {{"name", "lower"},
         {"mass", 1},
         {"centre", {0, 0, -0.3}},
         {"inertia",
          {{0.05, 0, 0},
           {0, 0.06 * a * a + 0.02 * b * b, 0.04 * a * b},
           {0, 0.04 * a * b, 0.06 * b * b + 0.02 * a * a}}},
         {"position", {-s, 0, 2 - c}},
         {"rotation", turn}},
        {{"name", "tool"},
         {"mass", 0.5},
         {"inertia", {0.01, 0.01, 0.01}},
         {"position", {-1.6 * s - 0.1 * std::sin(0.5) * c, 0.1 * std::cos(0.5), 2 - 1.6 * c + 0.1 * std::sin(0.5) * s}},
         {"rotation",
          {{c * std::cos(0.5), -c * std::sin(0.5), s},
           {std::sin(0.5), std::cos(0.5), 0},
           {-s * std::cos(0.5), s * std::sin(0.5), c}}}}}},
      {"joints",
       {{{"name", "shoulder"},
         {"kind", "revolute"},
         {"markers",
          {{{"body", "ground"}, {"position", {0, 0, 2}}, {"rotation", y}}, {{"body", "upper"}, {"rotation", y}}}}},
        {{"name", "elbow"},
         {"kind", "revolute"},
         {"markers",
          {{{"body", "upper"}, {"position", {0, 0, -1}}, {"rotation", y}}, {{"body", "lower"}, {"rotation", y}}}}},
        {{"name", "slider"},
         {"kind", "translational"},
         {"markers",
          {{{"body", "lower"},
            {"position", {-0.1 * std::sin(0.5), 0.1 * std::cos(0.5), -0.6}},
            {"rotation", {0, 0, 0.5}}},
           {{"body", "tool"}}}}}}},
      {"bushings",
       {{{"name", "damper"},
         {"markers",
          {{{"body", "ground"}, {"position", {0, 0, 2}}, {"rotation", y}}, {{"body", "upper"}, {"rotation", y}}}},
         {"forces", {{"tz", "0.3*damper.tz.rate"}}}},
        {{"name", "slide"},
         {"markers",
          {{{"body", "lower"},
            {"position", {-0.1 * std::sin(0.5), 0.1 * std::cos(0.5), -0.6}},
            {"rotation", {0, 0, 0.5}}},
           {{"body", "tool"}}}},
         {"forces", {{"fz", "20*slide.fz.rate"}}}}}}};
  const auto one = run(file, 0.4, 1e-3), two = run(model_from_json(own, "own"), 0.4, 1e-3);
  double worst = 0.0;
  for (std::size_t n = 0; n < one.size(); ++n) worst = std::max(worst, (one[n] - two[n]).cwiseAbs().maxCoeff());
  EXPECT_LT(worst, 1e-7);
}

TEST(Urdf, TellsWhatItCannotRead) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = robot;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return refusal(text.replace(at, from.size(), to), "arms.urdf");
  };
  EXPECT_EQ(refusal(robot, "arms.urdf"), "");
  EXPECT_NE(with("0 0.4 0", "0 40 0").find("arms.urdf:8: rpy"), std::string::npos) << with("0 0.4 0", "0 40 0");
  EXPECT_NE(with("lower=\"-1\" upper=\"1\"", "lower=\"-90\" upper=\"90\"").find("turns from -90 to 90 rad"),
            std::string::npos);
  EXPECT_NE(with("xyz=\"0 0 2\"", "xyz=\"0 0 2000\"").find("2000 m away"), std::string::npos);
  EXPECT_NE(with("type=\"continuous\"", "type=\"hinge\"").find("unknown joint 'hinge'"), std::string::npos);
  EXPECT_NE(with("<child link=\"lower\"/>", "<child link=\"lwer\"/>").find("does not exist"), std::string::npos);
  EXPECT_NE(with("<parent link=\"base\"/>", "<parent link=\"tool\"/>").find("ring"), std::string::npos);
  EXPECT_NE(with("<mass value=\"0.5\"/>", "<mass value=\"0\"/>").find("has no mass"), std::string::npos);
  EXPECT_NE(with("</robot>", "").find("no valid XML"), std::string::npos);
  EXPECT_NE(with("0 0 -0.5", "0 0 ${h}").find("xacro"), std::string::npos);
  EXPECT_NE(with("<dynamics damping=\"20\"/>", "<mimic joint=\"elbow\"/>").find("mimic"), std::string::npos);
}

TEST(Urdf, PublicFilesLoad) {
  const std::filesystem::path folder = std::string(KDYN_SHARED_DIR) + "/data/mbs/urdf";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared data";
  const ModelFile robot_file = read_model((folder / "r2d2.urdf").string());
  EXPECT_EQ(robot_file.model.bodies.size(), 16u);
  EXPECT_EQ(robot_file.model.joints.size(), 15u);
  const auto moved = run(robot_file, 0.1, 1e-3);
  // It falls freely: nothing holds it.
  EXPECT_NEAR(moved.back()[2] - moved.front()[2], -0.5 * 9.81 * 0.01, 1e-5);
  EXPECT_EQ(read_model((folder / "box.urdf").string()).model.bodies.size(), 3u);
}

}  // namespace
}  // namespace kdyn::mbs
