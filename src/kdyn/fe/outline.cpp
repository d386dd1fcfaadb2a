// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/outline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "kdyn/data/surface.hpp"

namespace kdyn::fe {
namespace {

using Face = std::vector<int>;

// Corner nodes of the faces of an element.
std::vector<Face> faces_of(const Element& e) {
  std::vector<Face> out;
  for (const std::vector<int>& corners : element_faces(universal_type(e.shape))) {
    Face& face = out.emplace_back();
    for (const int corner : corners) face.push_back(e.nodes[static_cast<std::size_t>(corner)]);
  }
  return out;
}

// The faces as flat elements and their nodes, where they are not too many.
void add_surface(const Model& model, std::size_t most_points, std::set<int>& used, Geometry& out) {
  const std::vector<SurfaceFace> faces = surface_of(geometry_of(model));
  std::unordered_map<std::int64_t, int> index;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) index.emplace(model.nodes[i].label, static_cast<int>(i));
  std::set<int> all = used;
  for (const SurfaceFace& face : faces)
    for (const std::int64_t label : face.nodes) all.insert(index.at(label));
  if (faces.empty() || all.size() > most_points) return;
  used = std::move(all);
  for (const SurfaceFace& face : faces) {
    GeometryElement element;
    element.label = static_cast<std::int64_t>(out.elements.size()) + 1;
    element.type = universal_type(face.nodes.size() == 3 ? Shape::tria3 : Shape::quad4);
    element.property = face.property;
    element.nodes = face.nodes;
    out.elements.push_back(std::move(element));
  }
}

}  // namespace

std::vector<std::array<int, 2>> outline(const Model& model, std::size_t most) {
  std::map<Face, std::pair<Face, int>> faces;  // by sorted nodes: the face and how often it is there
  std::vector<std::array<int, 2>> out;
  for (const Element& e : model.elements) {
    if (e.shape == Shape::beam || e.shape == Shape::rod) out.push_back({e.nodes[0], e.nodes[1]});
    for (Face& face : faces_of(e)) {
      Face sorted = face;
      std::sort(sorted.begin(), sorted.end());
      auto& entry = faces[std::move(sorted)];
      if (entry.second++ == 0) entry.first = std::move(face);
    }
  }
  struct Edge {
    int faces = 0;
    bool sharp = false;
    Eigen::Vector3d normal;
  };
  std::map<std::array<int, 2>, Edge> edges;
  for (const auto& [key, entry] : faces) {
    const Face& face = entry.first;
    if (entry.second > 1) continue;  // inside of a solid
    const auto place = [&](std::size_t i) -> const Eigen::Vector3d& {
      return model.nodes[static_cast<std::size_t>(face[i])].position;
    };
    Eigen::Vector3d normal = (place(1) - place(0)).cross(place(2) - place(0));
    if (face.size() == 4) normal += (place(2) - place(0)).cross(place(3) - place(0));
    normal.normalize();
    for (std::size_t i = 0; i < face.size(); ++i) {
      const int a = face[i], b = face[(i + 1) % face.size()];
      Edge& edge = edges[{std::min(a, b), std::max(a, b)}];
      if (edge.faces++ == 0)
        edge.normal = normal;
      else
        edge.sharp = edge.sharp || std::abs(edge.normal.dot(normal)) < std::cos(25.0 * 3.14159265 / 180.0);
    }
  }
  const bool all = edges.size() <= most;
  for (const auto& [nodes, edge] : edges)
    if (all || edge.faces != 2 || edge.sharp) out.push_back(nodes);
  for (const Spring& s : model.springs)
    if (s.b >= 0) out.push_back({s.a, s.b});
  for (const RigidLink& link : model.rigid_links)
    if (link.dependents.size() <= 100)
      for (const int node : link.dependents) out.push_back({link.master, node});
  return out;
}

Geometry outline_geometry(const Model& model, const std::vector<std::array<int, 2>>& lines, std::size_t most_points) {
  Geometry out;
  out.name = model.name;
  std::set<int> used;
  for (const auto& line : lines) {
    used.insert(line.begin(), line.end());
    TraceLine trace;
    for (const int n : line) trace.nodes.push_back(model.nodes[static_cast<std::size_t>(n)].label);
    out.lines.push_back(std::move(trace));
  }
  add_surface(model, most_points, used, out);
  for (const int n : used) {
    const Node& node = model.nodes[static_cast<std::size_t>(n)];
    GeometryNode point;
    point.label = node.label;
    point.position = {node.position.x(), node.position.y(), node.position.z()};
    out.nodes.push_back(point);
  }
  return out;
}

}  // namespace kdyn::fe
