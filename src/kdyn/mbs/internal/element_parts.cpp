// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/element_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::mbs {

void check_element_keys(const Json& in, const std::string& where, const std::vector<std::string>& keys) {
  if (!in.is_object()) throw_bad_input(where, "this must be a JSON object", "write {\"name\": ...}");
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {}", in_quotes(key)), suggest(key, keys));
}

double element_number(const Json& in, const char* key, const std::string& where) {
  if (!in.contains(key) || !in[key].is_number() || !std::isfinite(in[key].get<double>()))
    throw_bad_input(where + "." + key, "this must be a finite number", "give a number in SI units");
  return in[key].get<double>();
}
double element_number(const Json& in, const char* key, double otherwise, const std::string& where) {
  return in.contains(key) ? element_number(in, key, where) : otherwise;
}
double element_amount(const Json& in, const char* key, double otherwise, const std::string& where) {
  const double value = element_number(in, key, otherwise, where);
  if (value < 0.0) throw_bad_input(where + "." + key, "this is below 0", "it would give energy: give 0 or more");
  return value;
}

std::string element_name(const Json& part, const std::string& where) {
  if (!part.contains("name") || !part["name"].is_string() || part["name"].get<std::string>().empty())
    throw_bad_input(where + ".name", "the name is missing", "give every part its own name");
  return part["name"].get<std::string>();
}

std::string bushing_signal(const std::string& bushing, const std::string& axis, const char* what) {
  return fmt::format("[{}.{}.{}]", bushing, axis, what);
}

void add_bushing_force(Json& bushing, const std::string& axis, const std::string& formula) {
  Json& forces = bushing["forces"];
  if (forces.contains(axis) && forces[axis].is_string())
    forces[axis] = fmt::format("({}) + {}", forces[axis].get<std::string>(), formula);
  else
    forces[axis] = formula;
}

Json& list_of(Json& model, const char* key) {
  if (!model.contains(key)) model[key] = Json::array();
  return model[key];
}

Json* named_part(Json& model, const char* list, const std::string& name) {
  if (!model.contains(list) || !model[list].is_array()) return nullptr;
  for (Json& one : model[list])
    if (one.is_object() && one.contains("name") && one["name"] == name) return &one;
  return nullptr;
}

JointMotion joint_motion(Json& model, const std::string& joint, const std::string& where) {
  const Json* found = named_part(model, "joints", joint);
  if (found == nullptr) {
    std::vector<std::string> known;
    if (model.contains("joints") && model["joints"].is_array())
      for (const Json& one : model["joints"])
        if (one.is_object() && one.contains("name") && one["name"].is_string()) known.push_back(one["name"]);
    throw_bad_input(where, fmt::format("there is no joint {} in this file", in_quotes(joint)), suggest(joint, known));
  }
  const std::string kind =
      found->contains("kind") && (*found)["kind"].is_string() ? (*found)["kind"].get<std::string>() : std::string();
  if (kind != "revolute" && kind != "translational")
    throw_bad_input(where, fmt::format("joint {} leaves more than one motion, or none", in_quotes(joint)),
                    "name a revolute or translational joint");
  const bool turns = kind == "revolute";
  JointMotion out{joint + "_motion", turns ? "tz" : "fz"};
  if (named_part(model, "bushings", out.bushing) != nullptr) return out;
  Json beside = {{"name", out.bushing}, {"markers", found->contains("markers") ? (*found)["markers"] : Json()}};
  if (turns) beside["measure"] = "angle";
  beside["forces"] = Json::object();
  list_of(model, "bushings").push_back(std::move(beside));
  return out;
}

Matrix3 rotation_in(const Json& part, const std::string& where) {
  if (!part.contains("rotation")) return Matrix3::Identity();
  const Json& in = part["rotation"];
  const auto fail = [&] {
    throw_bad_input(where + ".rotation", "this must be three numbers or three rows of three",
                    "give a rotation vector or a matrix");
  };
  const auto entry = [&](const Json& x) {
    if (!x.is_number() || !std::isfinite(x.get<double>())) fail();
    return x.get<double>();
  };
  if (!in.is_array() || in.size() != 3) fail();
  if (!in[0].is_array()) return rotation_of(Vector3(entry(in[0]), entry(in[1]), entry(in[2])));
  Matrix3 R;
  for (int i = 0; i < 3; ++i) {
    const Json& row = in[static_cast<std::size_t>(i)];
    if (!row.is_array() || row.size() != 3) fail();
    for (int j = 0; j < 3; ++j) R(i, j) = entry(row[static_cast<std::size_t>(j)]);
  }
  if (!(R.transpose() * R).isIdentity(1e-6) || R.determinant() < 0.0)
    throw_bad_input(where + ".rotation", "this is no rotation", "give three orthogonal columns of length 1");
  return R;
}

MarkerPlace marker_place(Json& model, const Json& marker, const std::string& where) {
  const Json* at = &marker;
  if (marker.is_string()) {
    at = named_part(model, "markers", marker.get<std::string>());
    if (at == nullptr)
      throw_bad_input(where, fmt::format("there is no marker {} in this file", in_quotes(marker.get<std::string>())),
                      R"(name a marker, or write {"body": ..., "position": [x, y, z]})");
  }
  if (!at->is_object() || !at->contains("body") || !(*at)["body"].is_string())
    throw_bad_input(where, "this is no marker", R"(name one, or write {"body": ..., "position": [x, y, z]})");
  if (at->contains("node"))
    throw_bad_input(where, "this element does not sit on a node of a flexible body",
                    "fix a small rigid body there, and use that");
  MarkerPlace out;
  out.body = (*at)["body"].get<std::string>();
  if (at->contains("position")) {
    const Json& x = (*at)["position"];
    for (std::size_t k = 0; k < 3; ++k) {
      if (!x.is_array() || x.size() != 3 || !x[k].is_number())
        throw_bad_input(where + ".position", "this must be three numbers", "give [x, y, z] in m");
      out.x[static_cast<Eigen::Index>(k)] = x[k].get<double>();
    }
  }
  out.R = rotation_in(*at, where);
  return out;
}

Json json_of(const Vector3& x) { return Json::array({x.x(), x.y(), x.z()}); }
Json json_of(const Matrix3& R) {
  Json out = Json::array();
  for (int i = 0; i < 3; ++i) out.push_back(json_of(Vector3(R.row(i))));
  return out;
}

}  // namespace kdyn::mbs
