// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/store_json.hpp"

#include <algorithm>
#include <cmath>

namespace kdyn::inline io::internal {
namespace {

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::int64_t integer(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return 0;
}
std::int64_t integer_at(const Json& array, std::size_t i) {
  return array.is_array() && i < array.size() ? integer(array[i]) : 0;
}
int small(std::int64_t value) { return static_cast<int>(std::clamp<std::int64_t>(value, -2000000000, 2000000000)); }
std::string text(const Json& array, std::size_t i) {
  return array.is_array() && i < array.size() && array[i].is_string() ? array[i].get<std::string>() : std::string();
}
double number(const Json& array, std::size_t i) {
  return array.is_array() && i < array.size() && array[i].is_number() ? array[i].get<double>() : 0.0;
}

Dof dof_of(const Json& value) {
  const std::int64_t direction = integer_at(value, 1);
  return {integer_at(value, 0), direction >= -6 && direction <= 6 ? static_cast<int>(direction) : 0, text(value, 2)};
}

std::vector<std::int64_t> labels(const Json& array) {
  std::vector<std::int64_t> out;
  if (array.is_array())
    for (const Json& value : array) out.push_back(integer(value));
  return out;
}

}  // namespace

Json to_json(const Dof& dof) {
  Json out = Json::array({dof.node, dof.direction});
  if (!dof.name.empty()) out.push_back(dof.name);
  return out;
}
Json to_json(const std::vector<Dof>& dofs) {
  Json out = Json::array();
  for (const Dof& dof : dofs) out.push_back(to_json(dof));
  return out;
}
Dof dof_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value == nullptr ? Dof{} : dof_of(*value);
}
std::vector<Dof> dofs_at(const Json& object, const char* key) {
  std::vector<Dof> out;
  if (const Json* value = member(object, key); value != nullptr && value->is_array())
    for (const Json& one : *value) out.push_back(dof_of(one));
  return out;
}
std::string text_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}
double number_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_number() ? value->get<double>() : 0.0;
}
bool flag_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

Json geometry_json(const Geometry& geometry) {
  Json out = {{"name", geometry.name},
              {"nodes", Json::array()},
              {"systems", Json::array()},
              {"lines", Json::array()},
              {"elements", Json::array()}};
  for (const GeometryNode& n : geometry.nodes)
    out["nodes"].push_back(Json::array({n.label, n.motion_system, n.definition_system, n.color}));
  for (const CoordinateSystem& s : geometry.systems) {
    Json numbers = Json::array();
    for (const auto& row : s.R_GL)
      for (const double value : row) numbers.push_back(value);
    for (const double value : s.p_GL_G) numbers.push_back(value);
    out["systems"].push_back(Json::array({s.label, static_cast<int>(s.kind), s.name, numbers}));
  }
  for (const TraceLine& l : geometry.lines) out["lines"].push_back(Json::array({l.label, l.color, l.name, l.nodes}));
  for (const GeometryElement& e : geometry.elements)
    out["elements"].push_back(Json::array({e.label, e.type, e.property, e.material, e.color, e.nodes, e.beam}));
  return out;
}

void geometry_from_json(const Json& in, Geometry& geometry) {
  geometry.name = text_at(in, "name");
  const auto each = [&](const char* key, auto&& work) {
    if (const Json* list = member(in, key); list != nullptr && list->is_array())
      for (const Json& one : *list)
        if (one.is_array()) work(one);
  };
  each("nodes", [&](const Json& n) {
    geometry.nodes.push_back(
        {integer_at(n, 0), {0, 0, 0}, integer_at(n, 1), integer_at(n, 2), small(integer_at(n, 3))});
  });
  each("systems", [&](const Json& s) {
    CoordinateSystem system;
    system.label = integer_at(s, 0);
    const std::int64_t kind = integer_at(s, 1);
    system.kind = kind >= 0 && kind <= 2 ? static_cast<CoordinateKind>(kind) : CoordinateKind::cartesian;
    system.name = text(s, 2);
    if (s.size() > 3 && s[3].is_array() && s[3].size() == 12)
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 3; ++k) system.R_GL[i][k] = number(s[3], 3 * i + k);
        system.p_GL_G[i] = number(s[3], 9 + i);
      }
    geometry.systems.push_back(std::move(system));
  });
  each("lines", [&](const Json& l) {
    geometry.lines.push_back({integer_at(l, 0), text(l, 2), small(integer_at(l, 1)),
                              l.size() > 3 ? labels(l[3]) : std::vector<std::int64_t>{}});
  });
  each("elements", [&](const Json& e) {
    GeometryElement element;
    element.label = integer_at(e, 0), element.type = small(integer_at(e, 1)), element.property = integer_at(e, 2),
    element.material = integer_at(e, 3), element.color = small(integer_at(e, 4));
    if (e.size() > 5) element.nodes = labels(e[5]);
    if (e.size() > 6)
      for (std::size_t i = 0; i < 3; ++i) element.beam[i] = integer_at(e[6], i);
    geometry.elements.push_back(std::move(element));
  });
}

Json signals_meta(const std::vector<Signal>& signals) {
  Json meta = Json::array();
  for (const Signal& signal : signals)
    meta.push_back({{"name", signal.name},
                    {"unit", signal.unit},
                    {"dof", to_json(signal.dof)},
                    {"start_s", signal.start_s},
                    {"step_s", signal.step_s}});
  return meta;
}

}  // namespace kdyn::inline io::internal
