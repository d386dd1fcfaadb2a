// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/model_mirror.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/numerics/formula.hpp"

namespace kdyn::mbs {

const std::vector<std::string> part_lists = {"bodies", "markers", "joints", "bushings",   "springs",
                                             "loads",  "sensors", "tyres",  "controllers"};

namespace {

// Every place of a model that may hold a formula as text.
template <class F>
void signal(Json& in, F&& f) {
  if (in.is_string()) f(in);
  if (in.is_object() && in.contains("signal") && in["signal"].is_string()) f(in["signal"]);
}
template <class F>
void inputs(Json& controller, F&& f) {
  if (controller.contains("input")) {
    Json& one = controller["input"];
    f(one.is_object() && one.contains("formula") ? one["formula"] : one);
  }
  if (controller.contains("inputs") && controller["inputs"].is_array())
    for (Json& one : controller["inputs"]) f(one.is_object() && one.contains("formula") ? one["formula"] : one);
}

class Placer {
 public:
  Placer(const Json& model, const Placement& placement, std::string where)
      : model_(model),
        place_(placement),
        where_(std::move(where)) {
    for (const std::string& key : part_lists)
      if (model.contains(key) && model[key].is_array())
        for (const Json& part : model[key])
          if (part.is_object() && part.contains("name") && part["name"].is_string())
            own_[key].insert(part["name"].get<std::string>());
    if (model.contains("tables") && model["tables"].is_object())
      for (const auto& [name, table] : model["tables"].items()) own_["tables"].insert(name);
    for (const auto& [key, names] : own_) all_.insert(names.begin(), names.end());
    for (const auto& [inner, outer] : place_.connect)
      if (all_.contains(inner))
        throw_bad_input(where_ + ".connect." + inner, "the subsystem has a part of this name itself",
                        "connect names that it uses and does not have");
  }

  Json place() {
    Json out = Json::object();
    for (const std::string& key : part_lists)
      if (model_.contains(key)) out[key] = model_[key];
    if (model_.contains("tables") && model_["tables"].is_object())
      for (const auto& [name, table] : model_["tables"].items()) out["tables"][place_.prefix + name] = table;
    const auto each = [&](const char* key, auto&& f) {
      if (!out.contains(key) || !out[key].is_array()) return;
      for (Json& part : out[key])
        if (part.is_object()) f(part);
    };
    each("bodies", [&](Json& b) { body(b); });
    each("markers", [&](Json& m) { marker(m, true); });
    each("joints", [&](Json& j) { joint(j); });
    each("bushings", [&](Json& b) { bushing(b); });
    each("springs", [&](Json& s) {
      rename(s, "name");
      markers(s);
      if (s.contains("force")) formula(s["force"], false);
    });
    each("loads", [&](Json& l) { load(l); });
    each("sensors", [&](Json& s) { sensor(s); });
    each("tyres", [&](Json& t) { tyre(t); });
    // A mirrored controller reads what it would read on this side: its outputs mean the same as here.
    each("controllers", [&](Json& c) {
      rename(c, "name");
      inputs(c, [&](Json& one) { formula(one, false); });
    });
    for (const auto& [inner, outer] : place_.connect)
      if (!used_.contains(inner))
        throw_bad_input(where_ + ".connect." + inner, "the subsystem uses no such name",
                        "remove it, or correct the name");
    return out;
  }

 private:
  bool mirrored() const { return place_.mirror >= 0; }
  // Whether a component of a polar vector (positions, forces) or of an axial one (rotations, torques) changes its sign.
  bool turns(int k, bool axial) const { return mirrored() && ((k == place_.mirror) != axial); }

  std::string outer(const std::string& name) {
    const auto found = place_.connect.find(name);
    if (found == place_.connect.end()) return name;
    used_.insert(name);
    return found->second;
  }
  void rename(Json& part, const char* key) {
    if (part.contains(key) && part[key].is_string()) part[key] = place_.prefix + part[key].get<std::string>();
  }
  void refer(Json& in, const std::vector<const char*>& kinds) {
    if (!in.is_string()) return;
    const std::string name = in.get<std::string>();
    for (const char* kind : kinds)
      if (own_[kind].contains(name)) {
        in = place_.prefix + name;
        return;
      }
    in = outer(name);
  }
  bool is_own_body(const Json& part) {
    return part.contains("body") && part["body"].is_string() &&
           own_["bodies"].contains(part["body"].get<std::string>());
  }

  static void negate(Json& x) {
    if (x.is_number()) x = -x.get<double>();
  }
  void vector(Json& part, const char* key, bool axial) const {
    if (part.contains(key) && part[key].is_array() && part[key].size() == 3)
      for (int k = 0; k < 3; ++k)
        if (turns(k, axial)) negate(part[key][static_cast<std::size_t>(k)]);
  }
  // M R M of a matrix; an axial vector else.
  void rotation(Json& part, const char* key, bool vector_changes = true) const {
    if (!mirrored() || !part.contains(key) || !part[key].is_array() || part[key].size() != 3) return;
    if (!part[key][0].is_array()) {
      if (vector_changes) vector(part, key, true);
      return;
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if ((i == place_.mirror) != (j == place_.mirror) && part[key][static_cast<std::size_t>(i)].size() == 3)
          negate(part[key][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  }
  void shift(Json& part) const {
    if (place_.shift == std::vector<double>{0.0, 0.0, 0.0}) return;
    if (!part.contains("position")) part["position"] = Json::array({0.0, 0.0, 0.0});
    if (!part["position"].is_array() || part["position"].size() != 3) return;
    for (std::size_t k = 0; k < 3; ++k)
      if (part["position"][k].is_number()) part["position"][k] = part["position"][k].get<double>() + place_.shift[k];
  }

  void body(Json& b) {
    rename(b, "name");
    if (mirrored() && b.contains("flexible"))
      throw_bad_input(where_ + ".mirror", fmt::format("the flexible body {} cannot be mirrored", b.value("name", "")),
                      "give the other side a file of its own");
    vector(b, "position", false);
    shift(b);
    rotation(b, "rotation");
    vector(b, "velocity", false);
    vector(b, "angular_velocity", true);
    vector(b, "centre", false);
    rotation(b, "inertia", false);
    if (b.contains("shapes") && b["shapes"].is_array())
      for (Json& shape : b["shapes"]) mirror_shape(shape);
  }
  // x = p + R l of a point l of the shape: its image is M p + (M R M)(M l).
  void mirror_shape(Json& shape) {
    if (!mirrored() || !shape.is_object()) return;
    vector(shape, "position", false);
    rotation(shape, "rotation");
    if (!shape.contains("mirrored") || shape["mirrored"].is_string())
      shape["mirrored"] = shape.value("mirrored", "") + static_cast<char>('x' + place_.mirror);
  }
  void marker(Json& m, bool named) {
    if (named) rename(m, "name");
    if (m.contains("node") && mirrored() && is_own_body(m)) return;  // its body is refused
    vector(m, "position", false);
    if (!is_own_body(m)) shift(m);
    rotation(m, "rotation");
    if (m.contains("body")) refer(m["body"], {"bodies"});
    if (!named) rename(m, "name");
  }
  void any_marker(Json& m) {
    if (m.is_object()) marker(m, false);
    refer(m, {"markers"});
  }
  void markers(Json& part) {
    if (part.contains("markers") && part["markers"].is_array())
      for (Json& m : part["markers"]) any_marker(m);
  }
  void joint(Json& j) {
    rename(j, "name");
    markers(j);
    if (!j.contains("drive")) return;
    const bool axial = j.value("kind", Json("")) == "drive_rotation";
    const std::string axis = j.contains("axis") && j["axis"].is_string() ? j["axis"].get<std::string>() : "z";
    signal_of(j["drive"], turns(axial || axis.empty() ? 2 : std::clamp(axis[0] - 'x', 0, 2), axial));
  }
  void bushing(Json& b) {
    rename(b, "name");
    markers(b);
    if (b.contains("preload") && b["preload"].is_array())
      for (std::size_t k = 0; k < std::min<std::size_t>(6, b["preload"].size()); ++k)
        if (turns(static_cast<int>(k % 3), k > 2)) negate(b["preload"][k]);
    vector(b, "shift", false);
    vector(b, "turn", true);
    if (b.contains("marker_shift") && b["marker_shift"].is_array())
      for (Json& row : b["marker_shift"])
        for (int k = 0; k < 3 && row.is_array() && row.size() == 3; ++k)
          if (turns(k, false)) negate(row[static_cast<std::size_t>(k)]);
    if (b.contains("forces") && b["forces"].is_object())
      for (std::size_t k = 0; k < axis_names.size(); ++k)
        if (b["forces"].contains(axis_names[k]))
          formula(b["forces"][axis_names[k]], turns(static_cast<int>(k % 3), k > 2));
    // The laws stay as they are: the reader looks whether those of the turned axes are the same in both directions.
    if (mirrored()) {
      const std::string before = b.value("mirrored", "");
      const std::string axis(1, static_cast<char>('x' + place_.mirror));
      b["mirrored"] = before + axis;
    }
  }
  void load(Json& l) {
    rename(l, "name");
    if (l.contains("marker")) any_marker(l["marker"]);
    for (const bool torque : {false, true}) {
      const char* key = torque ? "torque" : "force";
      if (!l.contains(key) || !l[key].is_array()) continue;
      for (std::size_t k = 0; k < l[key].size(); ++k) signal_of(l[key][k], turns(static_cast<int>(k), torque));
    }
  }
  void sensor(Json& s) {
    rename(s, "name");
    markers(s);
    vector(s, "position", false);
    if (s.contains("body") && !is_own_body(s)) shift(s);
    vector(s, "rotation", true);
    vector(s, "turn", true);
    if (s.contains("body")) refer(s["body"], {"bodies"});
    if (s.contains("of")) refer(s["of"], {"bushings", "springs", "joints"});
  }

  // The spin axis, an axial vector, goes on pointing to the left of the direction of travel.
  void tyre(Json& t) {
    rename(t, "name");
    if (mirrored() && (place_.mirror != 1 || t.contains("marker")))
      throw_bad_input(
          where_ + ".mirror",
          place_.mirror != 1 ? "tyres are mirrored by y only: left and right"
                             : "a tyre that is given by its marker cannot be mirrored",
          place_.mirror != 1 ? "give the other side a subsystem of its own" : R"(give "body" and "axis" of the tyre)");
    if (t.contains("marker")) any_marker(t["marker"]);
    if (t.contains("body")) refer(t["body"], {"bodies"});
    vector(t, "axis", true);
    vector(t, "position", false);
    if (!mirrored()) return;
    if (t.contains("side") && t["side"].is_string())
      t["side"] = t["side"] == "left" ? "right" : "left";
    else
      t["mirrored"] = !t.value("mirrored", false);
  }

  // A number, formula, table or an object with one of them.
  void signal_of(Json& in, bool turned) {
    if (in.is_string()) return formula(in, turned);
    if (!in.is_object()) {
      if (turned && in.is_array()) {
        for (Json& row : in)
          if (row.is_array() && row.size() == 2) negate(row[1]);
      } else if (turned) {
        negate(in);
      }
      return;
    }
    if (in.contains("signal") && in["signal"].is_string()) formula(in["signal"], false);
    if (turned) in["factor"] = -(in.contains("factor") && in["factor"].is_number() ? in["factor"].get<double>() : 1.0);
  }

  // Names become those of the model; what they mean on the other side may have the other sign.
  void formula(Json& in, bool turned) {
    if (!in.is_string()) {
      if (turned) negate(in);
      return;
    }
    std::string text = in.get<std::string>();
    const auto words = Formula::words(text);
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
      const auto [name, opposite] = moved_name(word->name);
      const auto plain = Formula::words(name);
      std::string written = plain.size() == 1 && plain[0].name == name ? name : "[" + name + "]";
      if (opposite) written = "(-" + written + ")";
      text.replace(word->at, word->length, written);
    }
    in = turned ? "-(" + text + ")" : text;
  }
  std::pair<std::string, bool> moved_name(const std::string& word) {
    std::string part;  // the longest name that the word begins with
    const auto matches = [&](const std::string& name) {
      return word == name ||
             (word.size() > name.size() && word.compare(0, name.size(), name) == 0 && word[name.size()] == '.');
    };
    for (const std::string& name : all_)
      if (matches(name) && name.size() > part.size()) part = name;
    const bool own = !part.empty();
    if (!own)
      for (const auto& [inner, other] : place_.connect)
        if (matches(inner) && inner.size() > part.size()) part = inner;
    const std::string rest = word.substr(part.size());
    const std::string name = own ? place_.prefix + part + rest : part.empty() ? word : outer(part) + rest;
    return {name, mirrored() && opposite(part, rest)};
  }
  // Whether a signal of the mirrored side has the other sign.
  bool opposite(const std::string& part, const std::string& rest) const {
    const char last = rest.empty() ? ' ' : rest.back();
    const bool component = rest.size() > 2 && rest[rest.size() - 2] == '.' && last >= 'x' && last <= 'z';
    if (component && (rest.find(".position.") != std::string::npos || rest.find(".velocity.") != std::string::npos))
      return turns(last - 'x', false);
    for (std::size_t k = 0; k < axis_names.size(); ++k)
      for (const char* kind : {".deflection", ".rate"})
        if (rest.ends_with(std::string(".") + axis_names[k] + kind)) return turns(static_cast<int>(k % 3), k > 2);
    if (!model_.contains("sensors") || !model_["sensors"].is_array()) return false;
    for (const Json& sensor : model_["sensors"]) {
      if (!sensor.is_object() || sensor.value("name", "") != part) continue;
      const std::string kind = sensor.value("kind", "");
      if (kind == "string_pot") return false;
      const std::string axes = sensor.value("axes", kind == "angle" ? "z" : "xyz");
      const char axis = rest.size() == 2 ? rest[1] : axes.size() == 1 ? axes[0] : 'x';
      return turns(std::clamp(axis - 'x', 0, 2), kind == "gyro" || kind == "angle");
    }
    return false;
  }

  const Json& model_;
  const Placement& place_;
  std::string where_;
  std::map<std::string, std::set<std::string>> own_;
  std::set<std::string> all_, used_;
};

}  // namespace

void each_formula(Json& model, const std::function<void(Json&)>& f) {
  const auto parts = [&](const char* key, auto&& g) {
    if (model.contains(key) && model[key].is_array())
      for (Json& part : model[key])
        if (part.is_object()) g(part);
  };
  parts("loads", [&](Json& l) {
    for (const char* key : {"force", "torque"})
      if (l.contains(key) && l[key].is_array())
        for (Json& one : l[key]) signal(one, f);
  });
  parts("joints", [&](Json& j) {
    if (j.contains("drive")) signal(j["drive"], f);
  });
  parts("tyres", [&](Json& t) {
    if (t.contains("road") && t["road"].is_object() && t["road"].contains("height")) signal(t["road"]["height"], f);
  });
  parts("springs", [&](Json& s) {
    if (s.contains("force")) signal(s["force"], f);
  });
  parts("bushings", [&](Json& b) {
    if (b.contains("forces") && b["forces"].is_object())
      for (auto& [axis, one] : b["forces"].items()) signal(one, f);
  });
  parts("controllers", [&](Json& c) {
    inputs(c, [&](Json& one) {
      if (one.is_string()) f(one);
    });
  });
}

Json placed(const Json& model, const Placement& placement, const std::string& where) {
  return Placer(model, placement, where).place();
}

}  // namespace kdyn::mbs
