// SPDX-License-Identifier: Apache-2.0
// Surfaces from STL and OBJ. Oracle: the volume that a closed surface holds, by the theorem of Gauss.
#include "kdyn/io/surface_file.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn {
namespace {

using Point = std::array<double, 3>;

double volume(const SurfaceMesh& mesh) {
  double sum = 0.0;
  for (const auto& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.points[static_cast<std::size_t>(t[k])]; };
    const Point a = corner(0), b = corner(1), c = corner(2);
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6.0;
}

// Corners of the triangles of a tetrahedron of volume 1/6, seen from outside.
const std::vector<std::array<Point, 3>> tetrahedron = {{{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}},
                                                       {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}},
                                                       {{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}},
                                                       {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

std::string text_stl() {
  std::string out = "solid part\n";
  for (const auto& triangle : tetrahedron) {
    out += " facet normal 0 0 0\n  outer loop\n";
    for (const Point& p : triangle) out += fmt::format("   vertex {:e} {:e} {:e}\n", p[0], p[1], p[2]);
    out += "  endloop\n endfacet\n";
  }
  return out + "endsolid part\n";
}

// `head` may begin with "solid", as that of some programs does.
std::string binary_stl(const std::string& head) {
  std::string out = head;
  out.resize(80, ' ');
  const auto put = [&](auto value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(static_cast<std::uint32_t>(tetrahedron.size()));
  for (const auto& triangle : tetrahedron) {
    for (int k = 0; k < 3; ++k) put(0.0F);
    for (const Point& p : triangle)
      for (const double x : p) put(static_cast<float>(x));
    put(std::uint16_t{0});
  }
  return out;
}

const char* const cube_obj =
    "# a cube with sides of 2\nmtllib none.mtl\nv -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 "
    "1\nv -1 1 1\nvn 0 0 1\n"
    "f 4 3 2 1\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\nf -6 -5 -1 -2\nf 2 3 7 6\nf 1 5 8 4\n";

std::string message_of(const std::string& content) {
  try {
    parse_surface(content, "part.stl");
  } catch (const Error& error) {
    return error.where() + ": " + error.message();
  }
  return "";
}

TEST(SurfaceFile, EveryFormHoldsItsVolume) {
  for (const std::string& content : {text_stl(), binary_stl("made by a program"), binary_stl("solid of a program")}) {
    const SurfaceMesh mesh = parse_surface(content, "part");
    EXPECT_EQ(mesh.points.size(), 4U);
    EXPECT_NEAR(volume(mesh), 1.0 / 6.0, 1e-12);
  }
  const SurfaceMesh cube = parse_surface(cube_obj, "cube.obj");
  EXPECT_EQ(cube.points.size(), 8U);
  EXPECT_NEAR(volume(cube), 8.0, 1e-12);
}

TEST(SurfaceFile, SaysWhatIsWrongAndWhere) {
  const std::string stl = text_stl();
  EXPECT_NE(message_of(stl.substr(0, stl.find("endloop"))).find("ends within a facet"), std::string::npos);
  EXPECT_NE(message_of("solid a\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\n").find("part.stl:5"), std::string::npos);
  EXPECT_NE(message_of("solid a\nfacet\nvertex 0 0 x\n").find("part.stl:3"), std::string::npos);
  EXPECT_NE(message_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n").find("part.stl:4: there is no vertex '4'"),
            std::string::npos);
  EXPECT_NE(message_of("v 0 0 0\nv 1 0 nan\n").find("part.stl:2"), std::string::npos);
  EXPECT_NE(message_of("v 0 0 0\n").find("no surface"), std::string::npos);
  EXPECT_NE(message_of(binary_stl("x").substr(0, 200)).find("no surface"), std::string::npos);
  EXPECT_NE(message_of("").find("no surface"), std::string::npos);
}

// A sphere of many triangles with few points still is about that sphere: its polyhedron lies inside, cells are a tenth of its size.
TEST(SurfaceFile, ThinnedKeepsTheShape) {
  std::string text;
  constexpr int n = 120;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < n; ++k) {
      const double polar = std::numbers::pi * i / n, around = 2.0 * std::numbers::pi * k / n;
      text += fmt::format("v {} {} {}\n", std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around),
                          std::cos(polar));
    }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const int a = i * n + k + 1, b = i * n + (k + 1) % n + 1;
      text += fmt::format("f {} {} {} {}\n", a, a + n, b + n, b);
    }
  const SurfaceMesh whole = parse_surface(text, "sphere.obj"), few = thinned(whole, 600);
  const double sphere = 4.0 / 3.0 * std::numbers::pi;
  EXPECT_NEAR(volume(whole), sphere, 0.003 * sphere);
  EXPECT_LE(few.points.size(), 600U);
  EXPECT_GT(few.points.size(), 300U);
  EXPECT_NEAR(volume(few), sphere, 0.1 * sphere);
  EXPECT_EQ(thinned(few, 600).points.size(), few.points.size());
}

}  // namespace
}  // namespace kdyn
