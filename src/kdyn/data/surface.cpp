// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace kdyn::inline data {
namespace {

using Faces = std::vector<std::vector<int>>;

const Faces triangle = {{0, 1, 2}}, quad = {{0, 1, 2, 3}}, tetra = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
            wedge = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
            brick = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

struct Kind {
  const Faces* faces = nullptr;
  std::size_t nodes = 0;                   // with midside nodes where it has them
  std::vector<std::size_t> corners_among;  // where corners stand when midside nodes stand between them
};

// Plane stress, plane strain, plate, membrane and thin shell come as triangles and quads in the same order of numbers.
const std::map<int, Kind>& kinds() {
  static const std::map<int, Kind> all = [] {
    std::map<int, Kind> out;
    for (const int family : {40, 50, 60, 70, 90}) {
      out[family + 1] = {&triangle, 3, {}}, out[family + 2] = {&triangle, 6, {0, 2, 4}};
      out[family + 4] = {&quad, 4, {}}, out[family + 5] = {&quad, 8, {0, 2, 4, 6}};
    }
    out[111] = {&tetra, 4, {}}, out[118] = {&tetra, 10, {0, 2, 4, 9}};
    out[112] = {&wedge, 6, {}}, out[113] = {&wedge, 15, {0, 2, 4, 9, 11, 13}};
    out[115] = {&brick, 8, {}}, out[116] = {&brick, 20, {0, 2, 4, 6, 12, 14, 16, 18}};
    return out;
  }();
  return all;
}

struct Corners {
  std::size_t operator()(const std::array<std::int64_t, 4>& key) const {
    std::size_t sum = 0;
    for (const std::int64_t label : key) sum = sum * 1'000'003u + static_cast<std::size_t>(label);
    return sum;
  }
};

// The second node lies between the first and the third: midside nodes stand between corners.
bool midsides_between(const std::array<double, 3>& a, const std::array<double, 3>& middle,
                      const std::array<double, 3>& b) {
  double off = 0.0, length = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    off += std::pow(middle[i] - 0.5 * (a[i] + b[i]), 2);
    length += std::pow(b[i] - a[i], 2);
  }
  return off < 0.04 * length;
}

}  // namespace

std::span<const std::vector<int>> element_faces(int universal_type) {
  const auto found = kinds().find(universal_type);
  if (found == kinds().end()) return {};
  return *found->second.faces;
}

std::vector<SurfaceFace> surface_of(const Geometry& geometry) {
  std::unordered_map<std::int64_t, const GeometryNode*> node_of;
  for (const GeometryNode& node : geometry.nodes) node_of.emplace(node.label, &node);
  struct Seen {
    std::size_t at;  // in `faces`
    int times;
  };
  std::unordered_map<std::array<std::int64_t, 4>, Seen, Corners> seen;
  std::vector<SurfaceFace> faces;
  std::vector<bool> inside;
  for (const GeometryElement& element : geometry.elements) {
    const auto kind = kinds().find(element.type);
    if (kind == kinds().end() || element.nodes.size() < kind->second.faces->front().size()) continue;
    if (!std::all_of(element.nodes.begin(), element.nodes.end(),
                     [&](std::int64_t label) { return node_of.contains(label); }))
      continue;
    const auto& among = kind->second.corners_among;
    const bool between = !among.empty() && element.nodes.size() == kind->second.nodes &&
                         midsides_between(node_of[element.nodes[0]]->position, node_of[element.nodes[1]]->position,
                                          node_of[element.nodes[2]]->position);
    for (const std::vector<int>& corners : *kind->second.faces) {
      SurfaceFace face{{}, element.property};
      for (const int corner : corners) {
        const auto at = static_cast<std::size_t>(corner);
        const std::size_t place = between ? among[at] : at;
        if (place < element.nodes.size()) face.nodes.push_back(element.nodes[place]);
      }
      if (face.nodes.size() != corners.size()) continue;
      std::array<std::int64_t, 4> key = {-1, -1, -1, -1};
      std::copy(face.nodes.begin(), face.nodes.end(), key.begin());
      std::sort(key.begin(), key.end());
      const auto [entry, first] = seen.emplace(key, Seen{faces.size(), 0});
      // A face of two solids is inside; two shells on the same nodes are drawn once.
      if (++entry->second.times > 1) {
        inside[entry->second.at] = inside[entry->second.at] || kind->second.faces->size() > 1;
        continue;
      }
      faces.push_back(std::move(face));
      inside.push_back(false);
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < faces.size(); ++i)
    if (!inside[i]) {
      if (kept != i) faces[kept] = std::move(faces[i]);
      ++kept;
    }
  faces.resize(kept);
  return faces;
}

}  // namespace kdyn::inline data
