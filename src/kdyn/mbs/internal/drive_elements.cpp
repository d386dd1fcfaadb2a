// SPDX-License-Identifier: Apache-2.0
// Motors and servos on revolute joints, as forces by formula about the axis of the joint, whose angle counts its turns.
//
//   [mbs E113] motor: T = command T(omega), omega = i phi' (speed of the motor, i the gear ratio), T from a table; i T acts on the joint
//   [mbs E114]  servo: T = k (angle - i phi) + c (speed - i phi'), held by T_m tanh(T/T_m) where a largest torque is given
//   [mbs E115]  rotor: a body of its own that turns about the axis, tied to the joint by a mesh k_m s + c_m s' on s = phi_r - i (phi - phi_0),
//              which acts on the rotor, and i times on the joint; T acts on the rotor then. Body 1 of the joint carries both reactions.
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/internal/element_parts.hpp"
#include "kdyn/numerics/formula.hpp"

namespace kdyn::mbs {
namespace {

// A number or a formula.
std::string term(const Json& in, const char* key, const std::string& where) {
  const Json& x = in[key];
  if (x.is_number() && std::isfinite(x.get<double>())) return fmt::format("({})", x.get<double>());
  if (!x.is_string() || x.get<std::string>().empty())
    throw_bad_input(where + "." + key, "this must be a number or a formula as text",
                    "write 20, or a formula of t such as \"20*sin(t)\"; a record goes through tables: \"profile(t)\"");
  return "(" + x.get<std::string>() + ")";
}

// Place and axes of a marker in global axes, at the start.
struct Pose {
  Vector3 u;
  Matrix3 R, body;
};
Pose pose_of(Json& model, const MarkerPlace& place, const std::string& where) {
  Pose out{place.x, place.R, Matrix3::Identity()};
  if (place.body == "ground") return out;
  const Json* body = named_part(model, "bodies", place.body);
  if (body == nullptr)
    throw_bad_input(where, fmt::format("there is no body {} in this file", in_quotes(place.body)),
                    "a rotor needs its joint and both bodies in one file");
  if (body->contains("flexible"))
    throw_bad_input(where, "the rotor of a drive does not sit on a flexible body",
                    "fix a small rigid body there, and put the joint on that");
  out.body = rotation_in(*body, where);
  Vector3 position = Vector3::Zero();
  if (body->contains("position"))
    for (std::size_t k = 0; k < 3 && (*body)["position"].size() == 3; ++k)
      position[static_cast<Eigen::Index>(k)] = (*body)["position"][k].get<double>();
  out.u = position + out.body * place.x;
  out.R = out.body * place.R;
  return out;
}

Vector3 vector_in(const Json* part, const char* key) {
  Vector3 out = Vector3::Zero();
  if (part != nullptr && part->contains(key) && (*part)[key].is_array() && (*part)[key].size() == 3)
    for (std::size_t k = 0; k < 3; ++k)
      if ((*part)[key][k].is_number()) out[static_cast<Eigen::Index>(k)] = (*part)[key][k].get<double>();
  return out;
}

// The rotor and its mesh; its own motion, as a bushing that measures it.
JointMotion rotor(Json& model, const Json& in, const std::string& drive, const Json& markers, double ratio,
                  const JointMotion& motion, const std::string& where) {
  check_element_keys(in, where, {"inertia", "mass", "stiffness", "damping", "comment"});
  const auto above_0 = [&](const char* key) {
    const double value = element_number(in, key, where);
    if (!(value > 0.0)) throw_bad_input(where + "." + key, "this must be above 0", "give it in SI units");
    return value;
  };
  const double J = above_0("inertia"), m = above_0("mass"), k = above_0("stiffness"),
               c = element_amount(in, "damping", 0.0, where);
  const MarkerPlace place1 = marker_place(model, markers[0], where), place2 = marker_place(model, markers[1], where);
  const Pose one = pose_of(model, place1, where), two = pose_of(model, place2, where);
  const Matrix3 P = one.R.transpose() * two.R;
  const double start = std::atan2(P(1, 0) - P(0, 1), P(0, 0) + P(1, 1));
  const Json* carrier = place1.body == "ground" ? nullptr : named_part(model, "bodies", place1.body);
  const Json* turned = place2.body == "ground" ? nullptr : named_part(model, "bodies", place2.body);
  // It moves along with its carrier, and turns as the joint does.
  const Vector3 spin = vector_in(carrier, "angular_velocity"), axis = one.R.col(2);
  const double rate = axis.dot(vector_in(turned, "angular_velocity") - spin);
  const Vector3 velocity = vector_in(carrier, "velocity") + spin.cross(one.u - vector_in(carrier, "position"));
  const std::string body = drive + "_rotor";
  Json made = {{"name", body},
               {"mass", m},
               {"inertia", Json::array({0.5 * J, 0.5 * J, J})},
               {"position", json_of(one.u)},
               {"rotation", json_of(one.R)},
               {"velocity", json_of(velocity)},
               {"angular_velocity", json_of(Vector3(spin + ratio * rate * axis))}};
  list_of(model, "bodies").push_back(std::move(made));
  const Json pair = Json::array({markers[0], Json{{"body", body}}});
  list_of(model, "joints").push_back({{"name", body}, {"kind", "revolute"}, {"markers", pair}});
  const JointMotion own = joint_motion(model, body, where);
  const auto both = [&](const char* what) {
    return fmt::format("({} - ({})*{})", bushing_signal(own.bushing, own.axis, what), ratio,
                       bushing_signal(motion.bushing, motion.axis, what));
  };
  std::string mesh = fmt::format("({})*({} + ({}))", k, both("deflection"), ratio * start);
  if (c > 0.0) mesh += fmt::format(" + ({})*{}", c, both("rate"));
  add_bushing_force(*named_part(model, "bushings", own.bushing), own.axis, fmt::format("({})", mesh));
  add_bushing_force(*named_part(model, "bushings", motion.bushing), motion.axis,
                    fmt::format("(-({}))*({})", ratio, mesh));
  return own;
}

void drive(Json& model, const Json& in, const std::string& where) {
  check_element_keys(in, where,
                     {"name", "joint", "torque_over_speed", "command", "angle", "speed", "stiffness", "damping",
                      "largest_torque", "gear_ratio", "rotor", "comment"});
  const std::string name = element_name(in, where);
  if (!in.contains("joint") || !in["joint"].is_string())
    throw_bad_input(where + ".joint", "the joint is missing", "name a revolute joint");
  const std::string joint = in["joint"].get<std::string>();
  const JointMotion motion = joint_motion(model, joint, where + ".joint");
  if (motion.axis != "tz")
    throw_bad_input(where + ".joint", "a drive turns a revolute joint",
                    "for a translational one write the force of a spring or bushing by formula");
  const double ratio = element_number(in, "gear_ratio", 1.0, where);
  if (ratio == 0.0)
    throw_bad_input(where + ".gear_ratio", "a ratio of 0 drives nothing",
                    "give turns of the motor by turn of the joint, below 0 where it turns the other way");
  JointMotion at = motion;
  double by = ratio;  // of the motor's speed over that of what it acts on
  if (in.contains("rotor")) {
    const Json markers = (*named_part(model, "joints", joint))["markers"];
    at = rotor(model, in["rotor"], name, markers, ratio, motion, where + ".rotor");
    by = 1.0;
  }
  const std::string speed = fmt::format("(({})*{})", by, bushing_signal(at.bushing, at.axis, "rate")),
                    angle = fmt::format("(({})*{})", by, bushing_signal(at.bushing, at.axis, "deflection"));
  const bool motor = in.contains("torque_over_speed"), servo = in.contains("angle") || in.contains("speed");
  if (motor == servo)
    throw_bad_input(where,
                    motor ? "torque_over_speed and a servo are two kinds of drive" : "it is not said what drives",
                    R"(give "torque_over_speed": [[speed, torque], ...], or "angle", "speed" with stiffness, damping)");
  const auto not_with = [&](const char* key, const char* what) {
    if (in.contains(key)) throw_bad_input(where + "." + key, what, "remove it");
  };
  std::string torque;
  if (motor) {
    for (const char* key : {"stiffness", "damping", "largest_torque"}) not_with(key, "this is for a servo");
    const Json& rows = in["torque_over_speed"];
    if (rows.is_string()) {
      torque = fmt::format("{}({})", rows.get<std::string>(), speed);
    } else {
      const std::string table = fmt::format("{}_torque", name);
      const auto words = Formula::words(table);
      if (words.size() != 1 || words[0].name != table)
        throw_bad_input(where + ".name", "a drive with a table has a name that formulas can call",
                        "use letters, digits and _");
      if (!model.contains("tables")) model["tables"] = Json::object();
      if (model["tables"].contains(table))
        throw_bad_input(where + ".name", fmt::format("there is a table {} already", in_quotes(table)),
                        "give the drive another name");
      model["tables"][table] = rows;
      torque = fmt::format("{}({})", table, speed);
    }
    if (in.contains("command")) torque = term(in, "command", where) + "*" + torque;
  } else {
    not_with("command", "this is for a motor with a table");
    const double k = element_amount(in, "stiffness", 0.0, where), c = element_amount(in, "damping", 0.0, where);
    if (in.contains("angle") != (k > 0.0))
      throw_bad_input(where + ".stiffness", k > 0.0 ? "a stiffness needs an angle" : "an angle needs a stiffness",
                      "give both, in rad and N m/rad at the motor");
    if (in.contains("speed") && !(c > 0.0))
      throw_bad_input(where + ".damping", "a speed needs a damping", "give it in N m s/rad at the motor");
    if (k > 0.0) torque = fmt::format("({})*({} - {})", k, term(in, "angle", where), angle);
    if (c > 0.0)
      torque += fmt::format("{}({})*({} - {})", torque.empty() ? "" : " + ", c,
                            in.contains("speed") ? term(in, "speed", where) : "0", speed);
    if (in.contains("largest_torque")) {
      const double most = element_number(in, "largest_torque", where);
      if (!(most > 0.0)) throw_bad_input(where + ".largest_torque", "this must be above 0", "give it in N m");
      torque = fmt::format("({})*tanh(({})/({}))", most, torque, most);
    }
  }
  // A load of a bushing acts against its deflection.
  add_bushing_force(*named_part(model, "bushings", at.bushing), at.axis, fmt::format("(-({}))*({})", by, torque));
}

}  // namespace

void expand_drives(Json& model, const std::string& where) {
  if (!model.contains("drives")) return;
  const Json all = model["drives"];
  model.erase("drives");
  if (!all.is_array()) throw_bad_input(where + ".drives", "this must be a list", "write [ {...}, {...} ]");
  for (std::size_t i = 0; i < all.size(); ++i) drive(model, all[i], fmt::format("{}.drives[{}]", where, i));
}

}  // namespace kdyn::mbs
