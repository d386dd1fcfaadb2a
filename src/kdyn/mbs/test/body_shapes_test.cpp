// SPDX-License-Identifier: Apache-2.0
// What bodies look like. Oracle: volumes by the theorem of Gauss, and the mirror image of every point.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

double volume(const SurfaceMesh& mesh) {
  double sum = 0.0;
  for (const auto& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return Vector3(mesh.points[static_cast<std::size_t>(t[k])].data()); };
    sum += corner(0).dot(corner(1).cross(corner(2)));
  }
  return sum / 6.0;
}

Vector3 centre(const SurfaceMesh& mesh) {
  Vector3 sum = Vector3::Zero();
  for (const auto& p : mesh.points) sum += Vector3(p.data());
  return sum / static_cast<double>(mesh.points.size());
}

Json body(const Json& shapes) {
  return {{"name", "b"},
          {"mass", 1},
          {"inertia", {1, 1, 1}},
          {"position", {0.4, 0.9, 0.2}},
          {"rotation", {0.1, 0.2, 0.3}},
          {"shapes", shapes}};
}
SurfaceMesh surface(const Json& shapes, const std::string& folder = "") {
  return model_from_json({{"bodies", {body(shapes)}}}, "model", folder).model.bodies[0].surface;
}
std::string refusal(const Json& shapes) {
  try {
    surface(shapes);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.where() + ": " + error.message();
  }
  return "";
}

class BodyShapes : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "wedge.obj")
        << "v 0 0 0\nv 300 0 0\nv 0 200 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      (std::string("kdyn_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(BodyShapes, HoldTheirVolumesAtTheirPlaces) {
  const SurfaceMesh box = surface({{{"box", {0.5, 0.4, 0.3}}, {"position", {1, 2, 3}}, {"rotation", {0, 0, 0.7}}}});
  EXPECT_NEAR(volume(box), 0.06, 1e-14);
  EXPECT_LT((centre(box) - Vector3(1, 2, 3)).norm(), 1e-14);
  // Sixteen corners inscribed in a circle.
  const double polygon = 8.0 * std::sin(std::numbers::pi / 8.0);
  EXPECT_NEAR(volume(surface({{{"cylinder", {{"radius", 0.2}, {"length", 0.5}}}}})), polygon * 0.04 * 0.5, 1e-14);
  const double ball = volume(surface({{{"sphere", 0.1}}})), whole = 4.0 / 3.0 * std::numbers::pi * 1e-3;
  EXPECT_LT(ball, whole);
  EXPECT_GT(ball, 0.9 * whole);
  const SurfaceMesh wedge = surface({{{"file", "wedge.obj"}, {"length_m", 1e-3}}}, folder_.string());
  EXPECT_NEAR(volume(wedge), 0.3 * 0.2 * 0.1 / 6.0, 1e-15);
  EXPECT_NEAR(volume(surface({{{"box", {1, 1, 1}}}, {{"sphere", 0.1}}})), 1.0 + ball, 1e-14);
}

TEST_F(BodyShapes, OfAMirroredSubsystemAreItsMirrorImage) {
  const Json part = {
      {"bodies",
       {body(
           {{{"file", "wedge.obj"}, {"length_m", 1e-3}, {"position", {0.1, 0.2, 0.3}}, {"rotation", {0.5, -0.2, 0.9}}},
            {{"box", {0.1, 0.2, 0.3}}, {"rotation", {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}}})}}};
  for (const int axis : {0, 1, 2}) {
    const Json model = {
        {"subsystems",
         {{{"name", "left"}, {"model", part}},
          {{"name", "right"}, {"model", part}, {"mirror", std::string(1, static_cast<char>('x' + axis))}}}}};
    const ModelFile file = model_from_json(model, "model", folder_.string());
    ASSERT_EQ(file.model.bodies.size(), 2U);
    const auto global = [](const Body& b) {
      std::vector<Vector3> out;
      for (const auto& p : b.surface.points) out.push_back(b.position + b.rotation * Vector3(p.data()));
      return out;
    };
    const std::vector<Vector3> left = global(file.model.bodies[0]), right = global(file.model.bodies[1]);
    ASSERT_EQ(left.size(), 12U);
    // A box is its own mirror image: its corners come in another order.
    for (std::size_t i = 0; i < left.size(); ++i) {
      Vector3 image = left[i];
      image[axis] = -image[axis];
      double nearest = 1.0;
      for (std::size_t k = i < 4 ? i : 4; k < (i < 4 ? i + 1 : 12); ++k)
        nearest = std::min(nearest, (right[k] - image).norm());
      EXPECT_LT(nearest, 1e-12) << "axis " << axis << ", point " << i;
    }
  }
}

TEST_F(BodyShapes, SayWhatIsWrong) {
  EXPECT_NE(refusal({{{"box", {0.5, 0.4}}}}).find("shapes[0].box"), std::string::npos);
  EXPECT_NE(refusal({{{"box", {0.5, 0.4, 0}}}}).find("above 0"), std::string::npos);
  EXPECT_NE(refusal({{{"box", {1, 1, 1}}, {"sphere", 1}}}).find("one of"), std::string::npos);
  EXPECT_NE(refusal({{{"sphere", 1}, {"length_m", 1}}}).find("length_m"), std::string::npos);
  EXPECT_NE(refusal({{{"sphere", 1}, {"mirrored", "q"}}}).find("no list of axes"), std::string::npos);
  EXPECT_NE(refusal({{{"ball", 1}}}).find("ball"), std::string::npos);
  EXPECT_NE(refusal({{{"file", "not_there.stl"}}}).find("not_there.stl"), std::string::npos);
  EXPECT_NE(refusal({{"box", {1, 1, 1}}}).find("list of shapes"), std::string::npos);
}

}  // namespace
}  // namespace kdyn::mbs
