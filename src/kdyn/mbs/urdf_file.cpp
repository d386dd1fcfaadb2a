// SPDX-License-Identifier: Apache-2.0
// URDF: a tree of links and joints in metres, kilograms and radians. A link without mass belongs to the one it is fixed
// to; a root without mass is the ground.
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/double_chars.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/foreign_model.hpp"
#include "kdyn/mbs/internal/foreign_words.hpp"

namespace kdyn::mbs {
namespace {

struct Place {
  Vector3 x = Vector3::Zero();
  Matrix3 R = Matrix3::Identity();
  Place then(const Place& next) const { return {x + R * next.x, R * next.R}; }
};

struct Link {
  pugi::xml_node node;
  double mass = 0.0;
  Vector3 centre = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
  int joint = -1;           // that it hangs on
  std::string body;         // its own, or that of the link it is fixed to
  Place in_body, in_world;  // of its frame
  bool placed = false;
};

struct UrdfJoint {
  pugi::xml_node node;
  std::string name, type, parent, child;
  Place origin;
  Vector3 axis = Vector3::UnitX();
};

class UrdfReader {
 public:
  UrdfReader(const std::string& content, std::string where, const std::vector<std::string>& ignore)
      : content_(content),
        where_(std::move(where)),
        ignore_(ignore.begin(), ignore.end()) {
    const pugi::xml_parse_result parsed = document_.load_buffer(content.data(), content.size());
    if (!parsed)
      throw_bad_input(fmt::format("{}:{}", where_, line_at(static_cast<std::size_t>(parsed.offset))),
                      fmt::format("this is no valid XML: {}", parsed.description()), "repair the file");
    robot_ = document_.child("robot");
    if (!robot_) throw_bad_input(where_, "there is no <robot>", "give a URDF file");
    if (content.find("${") != std::string::npos || content.find("<xacro:") != std::string::npos)
      throw_bad_input(where_, "the file has macros of xacro", "expand it first: xacro FILE > model.urdf");
  }

  ForeignModel read() {
    for (const pugi::xml_node& node : robot_.children()) {
      const std::string kind = node.name();
      if (kind == "link")
        link(node);
      else if (kind == "joint")
        joint(node);
      else if (node.type() == pugi::node_element)
        ++not_read_[kind];
    }
    if (links_.empty()) throw_bad_input(where_, "there is no <link>", "give a URDF file with links");
    hang();
    Json& model = out_.model;
    model["title"] = robot_.attribute("name").as_string();
    model["gravity"] = {0.0, 0.0, -9.81};
    model["run"] = {{"step_s", 1e-3}, {"duration_s", 1.0}};
    for (const char* key : {"bodies", "joints", "bushings"}) model[key] = Json::array();
    for (const std::string& name : order_) body(name);
    if (model["bodies"].empty()) throw_bad_input(where_, "no link has a mass", "give <inertial> with mass and inertia");
    for (const UrdfJoint& j : joints_) tie(j);
    out_.findings.push_back({Severity::note, "gravity_assumed", where_,
                             "URDF says nothing about gravity: 9.81 m/s^2 against z is taken",
                             "change it in the model"});
    std::string list;
    for (const auto& [kind, count] : not_read_) list += fmt::format("{}{} x {}", list.empty() ? "" : ", ", count, kind);
    if (!list.empty())
      out_.findings.push_back(
          {Severity::note, "not_read", where_, "not read, since it does not act on the motion: " + list, ""});
    return std::move(out_);
  }

 private:
  std::size_t line_at(std::size_t offset) const {
    return 1 + static_cast<std::size_t>(
                   std::count(content_.begin(),
                              content_.begin() + static_cast<std::ptrdiff_t>(std::min(offset, content_.size())), '\n'));
  }
  std::string place(const pugi::xml_node& node) const {
    return fmt::format("{}:{}", where_,
                       line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug()))));
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what, const std::string& remedy) const {
    throw_bad_input(place(node), what, remedy);
  }

  double number(const pugi::xml_node& node, const char* attribute, double otherwise) const {
    const pugi::xml_attribute a = node.attribute(attribute);
    if (!a) return otherwise;
    const std::string text = trimmed(a.value());
    double value = 0.0;
    const char* begin = text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
    const auto [end, ec] = double_from_chars(begin, text.data() + text.size(), value);
    if (ec != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      fail(node, fmt::format("{} = {} is no number", attribute, in_quotes(text)), "repair it");
    return value;
  }
  Vector3 vector(const pugi::xml_node& node, const char* attribute, const Vector3& otherwise) const {
    const pugi::xml_attribute a = node.attribute(attribute);
    if (!a) return otherwise;
    Vector3 out;
    const std::string text = a.value();
    const char *at = text.data(), *last = text.data() + text.size();
    for (int k = 0; k < 3; ++k) {
      while (at < last && std::isspace(static_cast<unsigned char>(*at))) ++at;
      if (at < last && *at == '+') ++at;
      const auto [end, ec] = double_from_chars(at, last, out[k]);
      if (ec != std::errc() || !std::isfinite(out[k]))
        fail(node, fmt::format("{} = {} is not three numbers", attribute, in_quotes(text)), "write \"0 0 1\"");
      at = end;
    }
    if (!trimmed(std::string(at, last)).empty())
      fail(node, fmt::format("{} = {} is not three numbers", attribute, in_quotes(text)), "write \"0 0 1\"");
    return out;
  }
  // Turned about fixed x, y, z by roll, pitch, yaw.
  Place origin(const pugi::xml_node& parent) const {
    Place out;
    const pugi::xml_node node = parent.child("origin");
    if (!node) return out;
    out.x = vector(node, "xyz", Vector3::Zero());
    const Vector3 rpy = vector(node, "rpy", Vector3::Zero());
    if (rpy.cwiseAbs().maxCoeff() > two_pi + 1e-6)
      fail(node, fmt::format("rpy = \"{}\" is more than one turn in radians", node.attribute("rpy").value()),
           "URDF takes radians: 1.5708 for a right angle");
    if (out.x.norm() > 1000.0)
      fail(node, fmt::format("the origin is {:.4g} m away", out.x.norm()),
           "URDF takes metres: divide millimetres by 1000");
    out.R = about(2, rpy.z()) * about(1, rpy.y()) * about(0, rpy.x());
    return out;
  }

  void link(const pugi::xml_node& node) {
    const std::string name = node.attribute("name").as_string();
    if (name.empty()) fail(node, "a link has no name", "give it one");
    if (name == "ground" || !links_.emplace(name, Link{}).second)
      fail(node, fmt::format("the name {} is used twice", in_quotes(name)), "give every link its own name");
    Link& l = links_[name];
    l.node = node;
    order_.push_back(name);
    for (const pugi::xml_node& child : node.children())
      if (child.type() == pugi::node_element && std::string(child.name()) != "inertial") ++not_read_[child.name()];
    const pugi::xml_node inertial = node.child("inertial");
    if (!inertial) return;
    l.mass = number(inertial.child("mass"), "value", 0.0);
    if (!(l.mass >= 0.0)) fail(inertial, fmt::format("the mass of {} is {}", name, l.mass), "give it in kg");
    const Place p = origin(inertial);
    l.centre = p.x;
    const pugi::xml_node i = inertial.child("inertia");
    Matrix3 J;
    const double xy = number(i, "ixy", 0.0), xz = number(i, "ixz", 0.0), yz = number(i, "iyz", 0.0);
    J << number(i, "ixx", 0.0), xy, xz, xy, number(i, "iyy", 0.0), yz, xz, yz, number(i, "izz", 0.0);
    l.inertia = p.R * J * p.R.transpose();
    if (l.mass > 0.0 && !i) fail(inertial, fmt::format("link {} has a mass and no inertia", name), "add <inertia>");
  }

  void joint(const pugi::xml_node& node) {
    static const std::set<std::string> types = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
    UrdfJoint j;
    j.node = node;
    j.name = node.attribute("name").as_string();
    j.type = node.attribute("type").as_string();
    j.parent = node.child("parent").attribute("link").as_string();
    j.child = node.child("child").attribute("link").as_string();
    if (j.name.empty() || !joint_names_.insert(j.name).second)
      fail(node, j.name.empty() ? "a joint has no name" : fmt::format("the name {} is used twice", in_quotes(j.name)),
           "give every joint its own name");
    if (!types.contains(j.type))
      fail(node, fmt::format("unknown joint {}", in_quotes(j.type)), suggest(j.type, {types.begin(), types.end()}));
    j.origin = origin(node);
    if (const pugi::xml_node axis = node.child("axis")) {
      j.axis = vector(axis, "xyz", Vector3::UnitX());
      if (!(j.axis.norm() > 1e-9)) fail(axis, "the axis has no direction", "give three numbers that are not all 0");
      j.axis.normalize();
    }
    for (const pugi::xml_node& child : node.children()) {
      const std::string kind = child.name();
      static const std::set<std::string> read = {"parent", "child", "origin", "axis", "limit", "dynamics"};
      if (child.type() != pugi::node_element || read.contains(kind)) continue;
      if (kind == "mimic" && !ignore_.contains(kind))
        fail(child, fmt::format("joint {} follows another one (mimic): kdyn does not have that", j.name),
             "remove it, or leave it out by wish: kdyn import FILE --ignore mimic");
      ++not_read_[kind];
    }
    joints_.push_back(std::move(j));
  }

  // Who hangs on whom, and where.
  void hang() {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const UrdfJoint& j = joints_[i];
      for (const std::string& name : {j.parent, j.child})
        if (!links_.contains(name))
          fail(j.node, fmt::format("joint {} names the link {}, which does not exist", j.name, in_quotes(name)),
               suggest(name, order_));
      Link& child = links_[j.child];
      if (child.joint >= 0)
        fail(j.node, fmt::format("link {} hangs on two joints", j.child), "URDF is a tree: remove one");
      child.joint = static_cast<int>(i);
    }
    for (const std::string& name : order_) put(name, 0);
  }
  void put(const std::string& name, int depth) {
    Link& l = links_[name];
    if (l.placed) return;
    if (depth > 1000) fail(l.node, "the joints form a ring, or hang more than 1000 deep", "URDF is a tree");
    const bool heavy = l.mass > 0.0;
    if (l.joint < 0) {
      l.body = heavy ? name : "ground";
      if (heavy)
        out_.findings.push_back({Severity::note, "floats", place(l.node),
                                 fmt::format("the root {} has a mass and is held by nothing: it falls freely", name),
                                 "add a root link without mass and a fixed joint, or a joint of the model to ground"});
    } else {
      const UrdfJoint& j = joints_[static_cast<std::size_t>(l.joint)];
      put(j.parent, depth + 1);
      const Link& parent = links_[j.parent];
      l.in_world = parent.in_world.then(j.origin);
      if (heavy) {
        l.body = name;
      } else if (j.type == "fixed") {
        l.body = parent.body;
        l.in_body = parent.in_body.then(j.origin);
      } else {
        fail(l.node, fmt::format("link {} moves against {} and has no mass", name, j.parent),
             "give it <inertial>, or fix it");
      }
    }
    l.placed = true;
  }

  void body(const std::string& name) {
    const Link& l = links_[name];
    if (l.body != name) return;
    Json out = {{"name", name},
                {"mass", l.mass},
                {"centre", numbers_of(l.centre)},
                {"inertia", rows_of(l.inertia)},
                {"position", numbers_of(l.in_world.x)}};
    if (!l.in_world.R.isIdentity(1e-12)) out["rotation"] = rows_of(l.in_world.R);
    out_.model["bodies"].push_back(std::move(out));
  }

  static Json marker(const Link& link, const Place& at) {
    const Place p = link.in_body.then(at);
    return {{"body", link.body}, {"position", numbers_of(p.x)}, {"rotation", rows_of(p.R)}};
  }

  void tie(const UrdfJoint& j) {
    const Link &parent = links_[j.parent], &child = links_[j.child];
    if (j.type == "floating" || parent.body == child.body) return;
    const Matrix3 along = z_along(j.axis);
    const Json markers =
        Json::array({marker(parent, {j.origin.x, j.origin.R * along}), marker(child, {Vector3::Zero(), along})});
    const bool turns = j.type == "revolute" || j.type == "continuous";
    const char* kind = turns                   ? "revolute"
                       : j.type == "prismatic" ? "translational"
                       : j.type == "planar"    ? "planar"
                                               : "fixed";
    out_.model["joints"].push_back({{"name", j.name}, {"kind", kind}, {"markers", markers}});
    if (!turns && j.type != "prismatic") return;
    const std::string axis = turns ? "tz" : "fz", name = j.name + "_limit";
    Json element = {{"name", name}, {"markers", markers}};
    if (const pugi::xml_node d = j.node.child("dynamics")) {
      const double damping = number(d, "damping", 0.0), friction = number(d, "friction", 0.0);
      if (damping < 0.0) fail(d, "the damping is below 0", "give it in N*s/m or N*m*s/rad");
      if (damping > 0.0) element["forces"][axis] = fmt::format("{}*[{}.{}.rate]", damping, name, axis);
      if (friction > 0.0)
        out_.findings.push_back({Severity::warning, "left_out", place(d),
                                 fmt::format("the friction of joint {} is left out", j.name),
                                 "add a bushing with friction to the model"});
    }
    if (const pugi::xml_node limit = j.node.child("limit"); limit && j.type != "continuous") {
      const double lower = number(limit, "lower", 0.0), upper = number(limit, "upper", 0.0),
                   effort = number(limit, "effort", 0.0);
      if (turns && std::max(std::abs(lower), std::abs(upper)) > 2.0 * two_pi)
        fail(limit, fmt::format("joint {} turns from {:g} to {:g} rad", j.name, lower, upper),
             "URDF takes radians: 1.5708 for a right angle");
      if (upper < lower)
        fail(limit, fmt::format("the limits of joint {} stand the wrong way round", j.name), "lower is below upper");
      if (upper > lower && (lower > 0.0 || upper < 0.0))
        fail(limit, fmt::format("joint {} begins at 0, outside its limits {:g} to {:g}", j.name, lower, upper),
             "URDF joints begin at 0: move the origin");
      if (upper > lower && effort > 0.0 && !(turns && std::max(-lower, upper) > 3.0)) {
        element["laws"][axis] = {{"model", "stop"},
                                 {"parameters",
                                  {{"stiffness", effort / (turns ? 0.01 : 0.001)},
                                   {"exponent", 1.0},
                                   {"lower_gap", -lower},
                                   {"upper_gap", upper}}}};
        out_.findings.push_back({Severity::note, "limit_as_stop", place(limit),
                                 fmt::format("the limits of joint {} act as stops that hold its effort of {:g} at {}",
                                             j.name, effort, turns ? "0.01 rad" : "1 mm"),
                                 "change the stop in the model"});
      } else {
        out_.findings.push_back({Severity::warning, "left_out", place(limit),
                                 fmt::format("the limits of joint {} are left out: {}", j.name,
                                             upper > lower ? "they say no effort, or reach beyond half a turn"
                                                           : "lower and upper are the same"),
                                 "add a stop to the model"});
      }
    }
    if (element.contains("laws") || element.contains("forces")) out_.model["bushings"].push_back(std::move(element));
  }

  const std::string& content_;
  std::string where_;
  std::set<std::string> ignore_, joint_names_;
  pugi::xml_document document_;
  pugi::xml_node robot_;
  std::map<std::string, Link> links_;
  std::vector<std::string> order_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, int> not_read_;
  ForeignModel out_;
};

}  // namespace

ForeignModel read_urdf(const std::string& content, const std::string& where, const std::vector<std::string>& ignore) {
  return UrdfReader(content, where, ignore).read();
}

}  // namespace kdyn::mbs
