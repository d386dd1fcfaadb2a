// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/surface_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io {
namespace {

using Point = std::array<double, 3>;
constexpr std::size_t most_triangles = 5'000'000;
constexpr double largest = 1e9;  // of a coordinate, whatever its unit
constexpr std::size_t binary_head = 84, binary_triangle = 50;

const char* const what_is_read = "give an STL file or an OBJ file with vertices (v) and faces (f)";

// STL names the corners of each triangle anew.
class Corners {
 public:
  explicit Corners(SurfaceMesh& mesh) : mesh_(mesh) {}
  int at(const Point& p) {
    const auto [found, fresh] = places_.try_emplace(p, static_cast<int>(mesh_.points.size()));
    if (fresh) mesh_.points.push_back(p);
    return found->second;
  }

 private:
  SurfaceMesh& mesh_;
  std::map<Point, int> places_;
};

void add(SurfaceMesh& mesh, std::array<int, 3> corners, const std::string& where) {
  if (mesh.triangles.size() == most_triangles)
    throw_bad_input(where, fmt::format("there are more than {} triangles", most_triangles), "give a coarser surface");
  if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
    mesh.triangles.push_back(corners);
}

void check(const Point& p, const std::string& where) {
  for (const double x : p)
    if (!(std::abs(x) <= largest))
      throw_bad_input(where, fmt::format("{:g} is no coordinate of a part", x), "export the file again");
}

SurfaceMesh binary_stl(std::string_view content, const std::string& name) {
  SurfaceMesh mesh;
  Corners corners(mesh);
  for (std::size_t at = binary_head, t = 1; at < content.size(); at += binary_triangle, ++t) {
    const std::string where = fmt::format("{}: triangle {}", name, t);
    std::array<float, 12> numbers;  // normal and three corners
    std::memcpy(numbers.data(), content.data() + at, sizeof numbers);
    std::array<int, 3> three{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Point p = {numbers[3 + 3 * k], numbers[4 + 3 * k], numbers[5 + 3 * k]};
      check(p, where);
      three[k] = corners.at(p);
    }
    add(mesh, three, where);
  }
  return mesh;
}

// Words of one line after another.
class Lines {
 public:
  Lines(std::string_view content, const std::string& name) : rest_(content), name_(name) {}
  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = trim(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    words_.clear();
    for (std::size_t from = 0; from < line_.size();) {
      const std::size_t to = std::min(line_.find_first_of(" \t", from), line_.size());
      if (to > from) words_.push_back(line_.substr(from, to - from));
      from = to + 1;
    }
    return true;
  }
  const std::vector<std::string_view>& words() const { return words_; }
  std::string where() const { return fmt::format("{}:{}", name_, number_); }
  Point point() const {
    Point p{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto x = words_.size() > k + 1 ? parse_number(words_[k + 1]) : std::nullopt;
      if (!x) throw_bad_input(where(), fmt::format("{} holds no three coordinates", in_quotes(line_)), what_is_read);
      p[k] = *x;
    }
    check(p, where());
    return p;
  }

 private:
  std::string_view rest_, line_;
  const std::string& name_;
  std::size_t number_ = 0;
  std::vector<std::string_view> words_;
};

SurfaceMesh text_stl(std::string_view content, const std::string& name) {
  SurfaceMesh mesh;
  Corners corners(mesh);
  std::vector<int> open;  // corners of the facet so far
  for (Lines lines(content, name); lines.next();) {
    if (lines.words().empty()) continue;
    const std::string word = lower_case(lines.words()[0]);
    if (word == "vertex") open.push_back(corners.at(lines.point()));
    if (word != "endfacet" && open.size() <= 3) continue;
    if (open.size() != 3)
      throw_bad_input(lines.where(), "a facet does not have three vertices", "export the file again");
    add(mesh, {open[0], open[1], open[2]}, lines.where());
    open.clear();
  }
  if (!open.empty()) throw_bad_input(name, "the file ends within a facet", "copy or export it again");
  return mesh;
}

SurfaceMesh obj(std::string_view content, const std::string& name) {
  SurfaceMesh mesh;
  for (Lines lines(content, name); lines.next();) {
    const auto& words = lines.words();
    if (words.empty()) continue;
    if (words[0] == "v") mesh.points.push_back(lines.point());
    if (words[0] != "f") continue;
    std::vector<int> corners;  // 7, 7/1, 7//3, or -1 for the last vertex so far
    for (std::size_t k = 1; k < words.size(); ++k) {
      const auto number = parse_number(words[k].substr(0, words[k].find('/')));
      const auto count = static_cast<double>(mesh.points.size());
      const double index = !number ? 0.0 : *number < 0.0 ? count + *number : *number - 1.0;
      if (!number || *number == 0.0 || index != std::floor(index) || index < 0.0 || index >= count)
        throw_bad_input(lines.where(), fmt::format("there is no vertex {} before this line", in_quotes(words[k])),
                        "export the file again");
      corners.push_back(static_cast<int>(index));
    }
    if (corners.size() < 3)
      throw_bad_input(lines.where(), "a face has less than three corners", "export the file again");
    for (std::size_t k = 2; k < corners.size(); ++k) add(mesh, {corners[0], corners[k - 1], corners[k]}, lines.where());
  }
  return mesh;
}

// Triangles that a binary STL file of this size and head holds.
std::optional<std::uint32_t> binary_count(std::string_view content) {
  if (content.size() < binary_head) return std::nullopt;
  std::uint32_t count = 0;
  std::memcpy(&count, content.data() + 80, sizeof count);
  return content.size() == binary_head + std::size_t{count} * binary_triangle ? std::optional(count) : std::nullopt;
}

}  // namespace

SurfaceMesh parse_surface(std::string_view content, const std::string& name) {
  SurfaceMesh mesh;
  if (binary_count(content)) {
    mesh = binary_stl(content, name);
  } else if (lower_case(trim(content.substr(0, 80))).starts_with("solid")) {
    mesh = text_stl(content, name);
  } else if (content.find('\0') == std::string_view::npos) {
    mesh = obj(content, name);
  }
  if (mesh.triangles.empty()) throw_bad_input(name, "there is no surface in this file", what_is_read);
  return mesh;
}

SurfaceMesh thinned(const SurfaceMesh& mesh, std::size_t most) {
  if (mesh.points.size() <= most) return mesh;
  Point low = mesh.points[0], high = low;
  for (const Point& p : mesh.points)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  double extent = 0.0;
  for (std::size_t k = 0; k < 3; ++k) extent = std::max(extent, high[k] - low[k]);
  for (double cells = 200.0;; cells *= 0.85) {
    std::map<std::array<int, 3>, int> first;
    std::vector<int> stands_for;
    SurfaceMesh out;
    for (const Point& p : mesh.points) {
      std::array<int, 3> cell{};
      for (std::size_t k = 0; k < 3; ++k)
        cell[k] = extent > 0.0 ? static_cast<int>((p[k] - low[k]) / extent * cells) : 0;
      const auto [found, fresh] = first.try_emplace(cell, static_cast<int>(out.points.size()));
      if (fresh) out.points.push_back(p);
      stands_for.push_back(found->second);
    }
    if (out.points.size() > most && cells > 1.0) continue;
    for (const auto& t : mesh.triangles) {
      const auto corner = [&](std::size_t k) { return stands_for[static_cast<std::size_t>(t[k])]; };
      if (corner(0) != corner(1) && corner(1) != corner(2) && corner(2) != corner(0))
        out.triangles.push_back({corner(0), corner(1), corner(2)});
    }
    return out;
  }
}

}  // namespace kdyn::inline io
