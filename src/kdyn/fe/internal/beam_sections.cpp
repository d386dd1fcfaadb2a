// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/beam_sections.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace kdyn::fe::internal {
namespace {

// A wall of a section: a rectangle with its centre at (y, z). Upright ones carry shear along y.
struct Wall {
  double y = 0.0, z = 0.0, height = 0.0, width = 0.0;
  bool upright = false;
  double line = 0.0;  // length of its middle line, for torsion
};

double centre_of(const std::vector<Wall>& walls, double Wall::*coordinate) {
  double sum = 0.0, area = 0.0;
  for (const Wall& w : walls) sum += w.height * w.width * w.*coordinate, area += w.height * w.width;
  return area > 0.0 ? sum / area : 0.0;
}

// Areas and moments are those of the rectangles, torsion that of thin open walls: sum of length t^3 / 3.
Section of_walls(const std::vector<Wall>& walls) {
  Section s;
  const double yc = centre_of(walls, &Wall::y), zc = centre_of(walls, &Wall::z);
  for (const Wall& w : walls) {
    const double a = w.height * w.width, y = w.y - yc, z = w.z - zc;
    if (w.height < 0.0 || w.width < 0.0) return {};
    s.area += a;
    s.inertia_1 += w.width * std::pow(w.height, 3) / 12.0 + a * y * y;
    s.inertia_2 += w.height * std::pow(w.width, 3) / 12.0 + a * z * z;
    s.inertia_12 += a * y * z;
    s.torsion += w.line * std::pow(w.upright ? w.width : w.height, 3) / 3.0;
    (w.upright ? s.shear_1 : s.shear_2) += a;
  }
  if (s.area > 0.0) s.shear_1 /= s.area, s.shear_2 /= s.area;
  if (std::abs(s.inertia_12) < 1e-12 * (s.inertia_1 + s.inertia_2)) s.inertia_12 = 0.0;
  return s;
}

Section round(double outer, double inner) {
  constexpr double pi = std::numbers::pi;
  Section s;
  s.area = pi * (outer * outer - inner * inner);
  s.inertia_1 = s.inertia_2 = 0.25 * pi * (std::pow(outer, 4) - std::pow(inner, 4));
  s.torsion = 2.0 * s.inertia_1;
  s.shear_1 = s.shear_2 = inner > 0.0 ? 0.5 : 0.9;
  return s;
}

Section bar(double b, double h) {
  const double lo = std::min(b, h), hi = std::max(b, h);
  Section s;
  s.area = b * h;
  s.inertia_1 = b * h * h * h / 12.0, s.inertia_2 = h * b * b * b / 12.0;
  s.torsion = hi * lo * lo * lo * (1.0 / 3.0 - 0.21 * lo / hi * (1.0 - std::pow(lo / hi, 4) / 12.0));
  s.shear_1 = s.shear_2 = 5.0 / 6.0;
  return s;
}

// One cell: walls top, bottom, left, right. Torsion by Bredt: 4 A^2 / sum(l / t).
Section box(double b, double h, double top, double bottom, double left, double right) {
  const double inner = h - top - bottom, clear = b - left - right;
  if (inner < 0.0 || clear < 0.0) return {};
  Section s = of_walls({{0.5 * (h - top), 0, top, clear, false, 0},
                        {-0.5 * (h - bottom), 0, bottom, clear, false, 0},
                        {0, -0.5 * (b - left), h, left, true, 0},
                        {0, 0.5 * (b - right), h, right, true, 0}});
  if (left != right) {  // the clear width is not in the middle
    const double z = 0.5 * (left - right);
    s = of_walls({{0.5 * (h - top), z, top, clear, false, 0},
                  {-0.5 * (h - bottom), z, bottom, clear, false, 0},
                  {0, -0.5 * (b - left), h, left, true, 0},
                  {0, 0.5 * (b - right), h, right, true, 0}});
  }
  const double wide = b - 0.5 * (left + right), high = h - 0.5 * (top + bottom);
  s.torsion = 4.0 * std::pow(wide * high, 2) / (wide / top + wide / bottom + high / left + high / right);
  s.shear_1 = (left + right) * inner / s.area, s.shear_2 = (top + bottom) * clear / s.area;
  s.shear_centre_known = top == bottom && left == right;
  return s;
}

// Flanges of different width at top and bottom and a web between.
Section profile_i(double h, double bottom, double top, double web, double t_bottom, double t_top) {
  const double inner = h - t_bottom - t_top, apart = h - 0.5 * (t_bottom + t_top);
  const std::vector<Wall> walls = {{0.5 * t_bottom, 0, t_bottom, bottom, false, bottom},
                                   {h - 0.5 * t_top, 0, t_top, top, false, top},
                                   {t_bottom + 0.5 * inner, 0, inner, web, true, apart}};
  Section s = of_walls(walls);
  const double low = std::pow(bottom, 3) * t_bottom, high = std::pow(top, 3) * t_top;
  s.neutral.x() = centre_of(walls, &Wall::y) - (0.5 * t_bottom + apart * high / (low + high));
  if (std::abs(s.neutral.x()) < 1e-12 * h) s.neutral.x() = 0.0;
  return s;
}

// Web upright at the left (z from its middle line), flanges of width b (web included) to the right.
Section channel(double b, double h, double web, double flange) {
  const double inner = h - 2 * flange, apart = h - flange, middle = b - 0.5 * web;
  const std::vector<Wall> walls = {{0, 0, h, web, true, apart},
                                   {0.5 * apart, 0.5 * b, flange, b - web, false, middle},
                                   {-0.5 * apart, 0.5 * b, flange, b - web, false, middle}};
  Section s = of_walls(walls);
  s.shear_1 = web * inner / s.area;
  const double beyond = 3 * middle * middle * flange / (6 * middle * flange + apart * web);
  s.neutral.y() = centre_of(walls, &Wall::z) + beyond;
  return s;
}

// Axes y and z exchanged.
Section lying(Section s) {
  std::swap(s.inertia_1, s.inertia_2), std::swap(s.shear_1, s.shear_2);
  s.neutral = Eigen::Vector2d(s.neutral.y(), s.neutral.x());
  return s;
}

// Flange above (+1) or below (-1) of a web; the shear centre is where their middle lines meet.
Section profile_t(double width, double h, double flange, double web, double side) {
  const double rest = h - flange;
  const std::vector<Wall> walls = {{0, 0, flange, width, false, width},
                                   {-side * 0.5 * h, 0, rest, web, true, h - 0.5 * flange}};
  Section s = of_walls(walls);
  s.neutral.x() = centre_of(walls, &Wall::y);
  return s;
}

Section hexagon(double slope, double width, double h) {
  Section s;
  const double flat = width - 2 * slope;  // top and bottom
  if (flat < 0.0) return s;
  s.area = h * (width - slope);
  // Rectangle and four triangles of legs slope and h / 2.
  const double tri = 0.25 * slope * h, r = 0.5 * h;
  s.inertia_1 = flat * h * h * h / 12.0 + 4 * (slope * r * r * r / 36.0 + tri * std::pow(r / 3.0, 2));
  s.inertia_2 =
      h * flat * flat * flat / 12.0 + 4 * (r * std::pow(slope, 3) / 36.0 + tri * std::pow(0.5 * flat + slope / 3.0, 2));
  s.torsion = std::pow(s.area, 4) / (40.0 * (s.inertia_1 + s.inertia_2));  // St. Venant, compact sections
  s.shear_1 = s.shear_2 = 5.0 / 6.0;
  return s;
}

Section hat(double h, double t, double top, double flange) {
  const double inner = h - 2 * t, foot = flange + t;
  const double foot_z = 0.5 * top - t + 0.5 * foot, web_z = 0.5 * (top - t), line = h - t;
  Section s = of_walls({{h - 0.5 * t, 0, t, top, false, top - t},
                        {0.5 * h, web_z, inner, t, true, line},
                        {0.5 * h, -web_z, inner, t, true, line},
                        {0.5 * t, foot_z, t, foot, false, foot - 0.5 * t},
                        {0.5 * t, -foot_z, t, foot, false, foot - 0.5 * t}});
  s.shear_centre_known = false;
  return s;
}

// A hat on a closed plate: feet at the edges of the plate.
Section hat_on_plate(double plate, double h, double top, double t, double t_plate) {
  const double foot = 0.5 * (plate - top) + t, inner = h - t_plate - 2 * t;
  const double web_z = 0.5 * (top - t), foot_z = 0.5 * (plate - foot);
  Section s = of_walls({{0.5 * t_plate, 0, t_plate, plate, false, 0},
                        {h - 0.5 * t, 0, t, top, false, 0},
                        {t_plate + t + 0.5 * inner, web_z, inner, t, true, 0},
                        {t_plate + t + 0.5 * inner, -web_z, inner, t, true, 0},
                        {t_plate + 0.5 * t, foot_z, t, foot, false, 0},
                        {t_plate + 0.5 * t, -foot_z, t, foot, false, 0}});
  const double wide = top - t, high = h - 0.5 * (t + t_plate);
  s.torsion = 4.0 * std::pow(wide * high, 2) / (wide / t + wide / t_plate + 2 * high / t);
  s.shear_centre_known = false;
  return s;
}

// Two cells side by side: total width and height, place of the middle wall, walls left, middle, right, then top and
// bottom of the left and of the right cell.
Section two_cells(const std::vector<double>& d) {
  const double width = d[0], h = d[1], at = d[2], left = d[3], middle = d[4], right = d[5];
  const double clear_1 = at - left - 0.5 * middle, clear_2 = width - at - right - 0.5 * middle;
  if (clear_1 < 0.0 || clear_2 < 0.0) return {};
  const double z1 = left + 0.5 * clear_1, z2 = at + 0.5 * middle + 0.5 * clear_2;
  Section s = of_walls({{0, 0.5 * left, h, left, true, 0},
                        {0, at, h, middle, true, 0},
                        {0, width - 0.5 * right, h, right, true, 0},
                        {0.5 * (h - d[6]), z1, d[6], clear_1, false, 0},
                        {-0.5 * (h - d[7]), z1, d[7], clear_1, false, 0},
                        {0.5 * (h - d[8]), z2, d[8], clear_2, false, 0},
                        {-0.5 * (h - d[9]), z2, d[9], clear_2, false, 0}});
  // Bredt with two shear flows that meet in the middle wall.
  const double w1 = at - 0.5 * left, w2 = width - at - 0.5 * right, high_1 = h - 0.5 * (d[6] + d[7]),
               high_2 = h - 0.5 * (d[8] + d[9]), high = 0.5 * (high_1 + high_2);
  Eigen::Matrix2d flow;
  flow << high_1 / left + high / middle + w1 / d[6] + w1 / d[7], -high / middle, -high / middle,
      high_2 / right + high / middle + w2 / d[8] + w2 / d[9];
  const Eigen::Vector2d cells(2.0 * w1 * high_1, 2.0 * w2 * high_2);
  s.torsion = cells.dot(flow.inverse() * cells);
  s.shear_centre_known = false;
  return s;
}

using Make = Section (*)(const std::vector<double>&);
using D = const std::vector<double>&;
struct Kind {
  std::size_t dimensions;
  Make make;
};
const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = {
      {"rod", {1, [](D d) { return round(d[0], 0.0); }}},
      {"tube", {2, [](D d) { return round(d[0], d[1]); }}},
      {"tube2", {2, [](D d) { return round(d[0], d[0] - d[1]); }}},
      {"bar", {2, [](D d) { return bar(d[0], d[1]); }}},
      {"box", {4, [](D d) { return box(d[0], d[1], d[2], d[2], d[3], d[3]); }}},
      {"box1", {6, [](D d) { return box(d[0], d[1], d[2], d[3], d[4], d[5]); }}},
      {"i", {6, [](D d) { return profile_i(d[0], d[1], d[2], d[3], d[4], d[5]); }}},
      {"i1",
       {4,
        [](D d) {
          const double flange = 0.5 * (d[3] - d[2]);
          return profile_i(d[3], d[0] + d[1], d[0] + d[1], d[1], flange, flange);
        }}},
      {"chan", {4, [](D d) { return channel(d[0], d[1], d[2], d[3]); }}},
      {"chan1", {4, [](D d) { return channel(d[0] + d[1], d[3], d[1], 0.5 * (d[3] - d[2])); }}},
      {"chan2", {4, [](D d) { return lying(channel(d[2], d[3], d[1], d[0])); }}},
      {"t", {4, [](D d) { return profile_t(d[0], d[1], d[2], d[3], 1.0); }}},
      {"t2", {4, [](D d) { return profile_t(d[0], d[1], d[2], d[3], -1.0); }}},
      // The flange of T1 stands upright, its web points along -z.
      {"t1", {4, [](D d) { return lying(profile_t(d[0], d[1] + d[2], d[2], d[3], 1.0)); }}},
      {"l",
       {4,
        [](D d) {
          const std::vector<Wall> walls = {{0, 0.5 * (d[0] - d[3]), d[2], d[0], false, d[0] - 0.5 * d[3]},
                                           {0.5 * d[1], 0, d[1] - d[2], d[3], true, d[1] - 0.5 * d[2]}};
          Section s = of_walls(walls);
          s.shear_2 = d[2] * (d[0] - d[3]) / s.area;
          s.neutral = Eigen::Vector2d(centre_of(walls, &Wall::y), centre_of(walls, &Wall::z));
          return s;
        }}},
      {"z",
       {4,
        [](D d) {
          const double t = 0.5 * (d[3] - d[2]), z = 0.5 * (d[0] + d[1]), y = 0.5 * (d[3] - t);
          // The upper flange points along -z, the lower one along +z.
          return of_walls({{0, 0, d[3], d[1], true, d[3] - t},
                           {y, -z, t, d[0], false, d[0] + 0.5 * d[1]},
                           {-y, z, t, d[0], false, d[0] + 0.5 * d[1]}});
        }}},
      {"cross",
       {4,
        [](D d) {
          return of_walls({{0, 0, d[2], d[1], true, d[2]},
                           {0, 0.25 * d[0] + 0.5 * d[1], d[3], 0.5 * d[0], false, 0.5 * d[0]},
                           {0, -0.25 * d[0] - 0.5 * d[1], d[3], 0.5 * d[0], false, 0.5 * d[0]}});
        }}},
      {"h",
       {4,
        [](D d) {
          const double z = 0.5 * d[0] + 0.25 * d[1];
          return of_walls({{0, 0, d[3], d[0], false, d[0] + 0.5 * d[1]},
                           {0, z, d[2], 0.5 * d[1], true, d[2]},
                           {0, -z, d[2], 0.5 * d[1], true, d[2]}});
        }}},
      {"hexa", {3, [](D d) { return hexagon(d[0], d[1], d[2]); }}},
      {"hat", {4, [](D d) { return hat(d[0], d[1], d[2], d[3]); }}},
      {"hat1", {5, [](D d) { return hat_on_plate(d[0], d[1], d[2], d[3], d[4]); }}},
      {"dbox", {10, [](D d) { return two_cells(d); }}},
  };
  return all;
}

}  // namespace

std::size_t dimensions_of(const std::string& type) {
  const auto found = kinds().find(type);
  return found == kinds().end() ? 0 : found->second.dimensions;
}

std::optional<Section> section_of(const std::string& type, const std::vector<double>& dimensions) {
  const auto found = kinds().find(type);
  if (found == kinds().end() || dimensions.size() < found->second.dimensions) return std::nullopt;
  if (std::any_of(dimensions.begin(), dimensions.end(), [](double d) { return d < 0.0; })) return std::nullopt;
  const Section s = found->second.make(dimensions);
  if (!(s.area > 0.0 && s.inertia_1 > 0.0 && s.inertia_2 > 0.0 && s.torsion > 0.0) || !std::isfinite(s.torsion))
    return std::nullopt;
  return s;
}

std::string known_sections() {
  std::string out;
  for (const auto& [name, kind] : kinds()) {
    if (!out.empty()) out += ", ";
    for (const char c : name) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace kdyn::fe::internal
