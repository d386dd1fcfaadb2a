// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/body_shapes.hpp"

#include <filesystem>
#include <numbers>

#include "kdyn/base/file.hpp"
#include "kdyn/mbs/internal/model_item.hpp"

namespace kdyn::mbs {
namespace {

constexpr std::size_t most_points = 1000;  // of one body: pictures move every one of them
constexpr int around = 16;                 // corners of a circle

void add(SurfaceMesh& out, const SurfaceMesh& part) {
  const int first = static_cast<int>(out.points.size());
  out.points.insert(out.points.end(), part.points.begin(), part.points.end());
  for (const auto& t : part.triangles) out.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

double length_of(double value, const std::string& where) {
  if (!(value > 0.0) || value > 1e6) throw_bad_input(where, "this must be a length above 0", "give it in m");
  return value;
}

SurfaceMesh box(const Vector3& sides) {
  SurfaceMesh out;
  for (int corner = 0; corner < 8; ++corner) {
    std::array<double, 3> x{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      x[axis] = ((corner >> axis) & 1 ? 0.5 : -0.5) * sides[static_cast<Eigen::Index>(axis)];
    out.points.push_back(x);
  }
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {0, 1 << axis}) {
      const int one = 1 << ((axis + 1) % 3), two = 1 << ((axis + 2) % 3);
      const int far = side + one + two;
      out.triangles.push_back(side == 0 ? std::array{far, one, 0} : std::array{side, side + one, far});
      out.triangles.push_back(side == 0 ? std::array{two, far, 0} : std::array{side, far, side + two});
    }
  return out;
}

// Rings of (height, radius) along z, closed at both ends.
SurfaceMesh turned(const std::vector<std::array<double, 2>>& rings) {
  SurfaceMesh out;
  for (const auto& [z, radius] : rings)
    for (int i = 0; i < around; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / around;
      out.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  const int last = static_cast<int>(rings.size()) - 1;
  for (int r = 0; r < last; ++r)
    for (int i = 0; i < around; ++i) {
      const int a = r * around + i, b = r * around + (i + 1) % around;
      out.triangles.push_back({a, b, b + around});
      out.triangles.push_back({a, b + around, a + around});
    }
  for (int i = 1; i + 1 < around; ++i) {
    out.triangles.push_back({0, i + 1, i});
    out.triangles.push_back({last * around, last * around + i, last * around + i + 1});
  }
  return out;
}

SurfaceMesh shape(const Json& in, const std::string& where, const std::string& folder,
                  std::vector<std::string>& files) {
  const Item item(in, where,
                  {"box", "cylinder", "sphere", "file", "length_m", "position", "rotation", "mirrored", "comment"});
  const int kinds = item.has("box") + item.has("cylinder") + item.has("sphere") + item.has("file");
  if (kinds != 1)
    throw_bad_input(where, "a shape is one of box, cylinder, sphere and file", R"(write {"box": [0.5, 0.3, 0.2]})");
  if (item.has("length_m") && !item.has("file"))
    throw_bad_input(item.at("length_m"), "this is the unit of a file", "leave it out: other shapes are in m");
  SurfaceMesh out;
  if (item.has("box")) {
    const Vector3 sides = item.vector("box");
    for (int k = 0; k < 3; ++k) length_of(sides[k], item.at("box"));
    out = box(sides);
  } else if (item.has("cylinder")) {
    const Item cylinder(item["cylinder"], item.at("cylinder"), {"radius", "length"});
    const double radius = length_of(cylinder.number("radius", 0.0), cylinder.at("radius"));
    const double half = 0.5 * length_of(cylinder.number("length", 0.0), cylinder.at("length"));
    out = turned({{-half, radius}, {half, radius}});
  } else if (item.has("sphere")) {
    const double radius = length_of(item.number("sphere", 0.0), item.at("sphere"));
    std::vector<std::array<double, 2>> rings;
    for (int i = 0; i <= 8; ++i) {
      const double latitude = std::numbers::pi * (i / 8.0 - 0.5);
      rings.push_back({radius * std::sin(latitude), radius * std::cos(latitude)});
    }
    out = turned(rings);
  } else {
    const std::string path = (std::filesystem::path(folder) / item.text("file")).string();
    out = thinned(parse_surface(read_text(path), path), most_points);
    files.push_back(path);
    const double unit = length_of(item.number("length_m", 1.0), item.at("length_m"));
    for (auto& p : out.points)
      for (double& x : p) x *= unit;
  }
  const Vector3 position = item.vector("position");
  const Matrix3 R = item.rotation("rotation");
  const std::string mirrored = item.text("mirrored");  // by the mirror of a subsystem (model_mirror.cpp)
  if (mirrored.find_first_not_of("xyz") != std::string::npos)
    throw_bad_input(item.at("mirrored"), "this is no list of axes", R"(write "y", or mirror the subsystem)");
  for (auto& p : out.points) {
    Vector3 x(p.data());
    for (const char axis : mirrored) x[axis - 'x'] = -x[axis - 'x'];
    x = position + R * x;
    p = {x.x(), x.y(), x.z()};
  }
  return out;
}

}  // namespace

SurfaceMesh body_surface(const Json& in, const std::string& where, const std::string& folder,
                         std::vector<std::string>& files) {
  if (!in.is_array()) throw_bad_input(where, "this must be a list of shapes", R"(write [{"box": [0.5, 0.3, 0.2]}])");
  SurfaceMesh out;
  for (std::size_t i = 0; i < in.size(); ++i) add(out, shape(in[i], fmt::format("{}[{}]", where, i), folder, files));
  return thinned(out, most_points);
}

}  // namespace kdyn::mbs
