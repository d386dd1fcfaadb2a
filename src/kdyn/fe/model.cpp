// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::fe {
namespace {

struct ShapeFacts {
  int nodes, universal;  // FE descriptor of universal files
};
ShapeFacts facts(Shape shape) {
  switch (shape) {
    case Shape::quad4: return {4, 44};
    case Shape::tria3: return {3, 41};
    case Shape::quad8: return {8, 45};
    case Shape::tria6: return {6, 42};
    case Shape::hex8: return {8, 115};
    case Shape::hex20: return {20, 116};
    case Shape::wedge6: return {6, 112};
    case Shape::wedge15: return {15, 113};
    case Shape::tet4: return {4, 111};
    case Shape::tet10: return {10, 118};
    case Shape::beam: return {2, 21};
    case Shape::rod: return {2, 11};
  }
  return {0, 0};
}

template <class Item>
std::int64_t next_label(const std::vector<Item>& items) {
  return items.empty() ? 1 : items.back().label + 1;
}

}  // namespace

int node_count(Shape shape) { return facts(shape).nodes; }
int universal_type(Shape shape) { return facts(shape).universal; }
bool is_shell(Shape shape) {
  return shape == Shape::quad4 || shape == Shape::tria3 || shape == Shape::quad8 || shape == Shape::tria6;
}
bool is_solid(Shape shape) { return !is_shell(shape) && shape != Shape::beam && shape != Shape::rod; }

int Model::add_node(std::int64_t label, const Eigen::Vector3d& position) {
  nodes.push_back({label, position, -1, 0u, false});
  return static_cast<int>(nodes.size()) - 1;
}

int Model::add_material(double young, double poisson, double density) {
  materials.push_back({next_label(materials), young, poisson, density, 0.0, 0.0});
  return static_cast<int>(materials.size()) - 1;
}

int Model::add_solid_property(int material) {
  Property property;
  property.label = next_label(properties);
  property.material = material;
  properties.push_back(property);
  return static_cast<int>(properties.size()) - 1;
}

int Model::add_shell_property(int material, double thickness) {
  const int index = add_solid_property(material);
  properties.back().thickness = thickness;
  return index;
}

int Model::add_element(Shape shape, int property, std::initializer_list<int> corner) {
  demand(static_cast<int>(corner.size()) == node_count(shape), "an element has as many nodes as its shape");
  Element element;
  element.label = next_label(elements);
  element.shape = shape;
  element.property = property;
  std::copy(corner.begin(), corner.end(), element.nodes.begin());
  elements.push_back(element);
  return static_cast<int>(elements.size()) - 1;
}

int Model::node_index(std::int64_t label) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.label == label; });
  if (found == nodes.end())
    throw_bad_input(fmt::format("node {}", label), "the model has no such node",
                    "use the label of a node of the model");
  return static_cast<int>(found - nodes.begin());
}

Geometry geometry_of(const Model& model) {
  Geometry out;
  out.name = model.name;
  for (std::size_t i = 0; i < model.frames.size(); ++i) {
    CoordinateSystem system;
    system.label = static_cast<std::int64_t>(i) + 1;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        system.R_GL[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = model.frames[i](r, c);
    out.systems.push_back(system);
  }
  for (const Node& node : model.nodes) {
    if (node.scalar) continue;
    GeometryNode point;
    point.label = node.label;
    point.position = {node.position.x(), node.position.y(), node.position.z()};
    point.motion_system = node.frame + 1;
    out.nodes.push_back(point);
  }
  for (const Element& element : model.elements) {
    GeometryElement item;
    item.label = element.label;
    item.type = universal_type(element.shape);
    item.property = model.properties[static_cast<std::size_t>(element.property)].label;
    for (int i = 0; i < node_count(element.shape); ++i)
      item.nodes.push_back(model.nodes[static_cast<std::size_t>(element.nodes[static_cast<std::size_t>(i)])].label);
    out.elements.push_back(std::move(item));
  }
  return out;
}

}  // namespace kdyn::fe
