// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/model_elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::mbs {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

void check_keys(const Json& in, const std::string& where, const std::vector<std::string>& keys) {
  if (!in.is_object()) throw_bad_input(where, "this must be a JSON object", "write {\"name\": ...}");
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {}", in_quotes(key)), suggest(key, keys));
}

double number(const Json& in, const char* key, const std::string& where) {
  if (!in.contains(key) || !in[key].is_number() || !std::isfinite(in[key].get<double>()))
    throw_bad_input(where + "." + key, "this must be a finite number", "give a number in SI units");
  return in[key].get<double>();
}
double number(const Json& in, const char* key, double otherwise, const std::string& where) {
  return in.contains(key) ? number(in, key, where) : otherwise;
}
// A stiffness, damping or friction: not below 0.
double amount(const Json& in, const char* key, double otherwise, const std::string& where) {
  const double value = number(in, key, otherwise, where);
  if (value < 0.0) throw_bad_input(where + "." + key, "this is below 0", "it would give energy: give 0 or more");
  return value;
}

std::string name_of(const Json& part, const std::string& where) {
  if (!part.contains("name") || !part["name"].is_string() || part["name"].get<std::string>().empty())
    throw_bad_input(where + ".name", "the name is missing", "give every part its own name");
  return part["name"].get<std::string>();
}

Matrix6 matrix(const Json& in, const std::string& where) {
  const auto fail = [&] {
    throw_bad_input(where, "this must be 6 rows of 6 finite numbers", "write the rows of fx, fy, fz, tx, ty, tz");
  };
  Matrix6 out;
  if (!in.is_array() || in.size() != 6) fail();
  for (int i = 0; i < 6; ++i) {
    const Json& row = in[static_cast<std::size_t>(i)];
    if (!row.is_array() || row.size() != 6) fail();
    for (int j = 0; j < 6; ++j) {
      const Json& x = row[static_cast<std::size_t>(j)];
      if (!x.is_number() || !std::isfinite(x.get<double>())) fail();
      out(i, j) = x.get<double>();
    }
  }
  return out;
}

// Rows and columns are N and N m, m and rad: scaled to a unit diagonal before anything is judged.
Matrix6 scaled(const Matrix6& K) {
  Matrix6 out = K;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const double size = std::sqrt(std::abs(K(i, i) * K(j, j)));
      out(i, j) = size > 0.0 ? K(i, j) / size : K(i, j) == 0.0 ? 0.0 : 2.0;
    }
  return out;
}

void check_energy(const Matrix6& K, bool symmetric, const std::string& where) {
  const Matrix6 unit = scaled(K);
  if (symmetric && !(unit - unit.transpose()).isZero(1e-6))
    throw_bad_input(where, "the matrix is not symmetric: turning round in it would give energy",
                    "check the signs and the order fx, fy, fz, tx, ty, tz");
  const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(0.5 * (unit + unit.transpose()));
  if (K.diagonal().minCoeff() < 0.0 || eigen.eigenvalues()[0] < -1e-6)
    throw_bad_input(where,
                    symmetric ? "the matrix pushes away from rest in some direction (a negative eigenvalue)"
                              : "the matrix pushes along with some motion (a negative eigenvalue)",
                    "check the signs of the entries beside the diagonal");
}

std::string signal(const std::string& bushing, std::size_t axis, const char* what) {
  return fmt::format("[{}.{}.{}]", bushing, axis_names[axis], what);
}

// Adds a formula to one axis of a bushing.
void add_force(Json& bushing, std::size_t axis, const std::string& formula) {
  Json& forces = bushing["forces"];
  const char* name = axis_names[axis];
  if (forces.contains(name) && forces[name].is_string())
    forces[name] = fmt::format("({}) + {}", forces[name].get<std::string>(), formula);
  else
    forces[name] = formula;
}

class Elements {
 public:
  Elements(Json& model, std::string where) : model_(model), where_(std::move(where)) {}

  void expand() {
    each("joints", [&](Json& joint, const std::string& at) { joint_parts(joint, at); });
    for (Json& part : made_) {
      if (!model_.contains("bushings")) model_["bushings"] = Json::array();
      model_["bushings"].push_back(std::move(part));
    }
    each("bushings", [&](Json& bushing, const std::string& at) { field(bushing, at); });
    if (!model_.contains("couplers")) return;
    const Json couplers = model_["couplers"];
    model_.erase("couplers");
    if (!couplers.is_array()) throw_bad_input(where_ + ".couplers", "this must be a list", "write [ {...}, {...} ]");
    for (std::size_t i = 0; i < couplers.size(); ++i) coupler(couplers[i], fmt::format("{}.couplers[{}]", where_, i));
  }

 private:
  template <class F>
  void each(const char* key, F&& f) {
    if (!model_.contains(key) || !model_[key].is_array()) return;  // the reader says so
    for (std::size_t i = 0; i < model_[key].size(); ++i)
      if (model_[key][i].is_object()) f(model_[key][i], fmt::format("{}.{}[{}]", where_, key, i));
  }

  // "stiffness_matrix" and "damping_matrix" of a bushing.
  static void field(Json& bushing, const std::string& where) {
    std::array<std::string, 6> force;
    bool any = false;
    for (const auto& [key, what] : {std::pair{"stiffness_matrix", "deflection"}, {"damping_matrix", "rate"}}) {
      if (!bushing.contains(key)) continue;
      any = true;
      const bool stiffness = what == std::string("deflection");
      const Matrix6 K = matrix(bushing[key], where + "." + key);
      check_energy(K, stiffness, where + "." + key);
      const std::string name = name_of(bushing, where);
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j)
          if (const double k = K(static_cast<int>(i), static_cast<int>(j)); k != 0.0)
            force[i] += fmt::format("{}({})*{}", force[i].empty() ? "" : " + ", k, signal(name, j, what));
      bushing.erase(key);
    }
    if (!any) return;
    for (std::size_t i = 0; i < 6; ++i)
      if (!force[i].empty()) add_force(bushing, i, force[i]);
    if (!bushing.contains("forces")) bushing["forces"] = Json::object();  // a matrix of zeros
  }

  void coupler(const Json& in, const std::string& where) {
    check_keys(in, where, {"name", "of", "stiffness", "damping", "comment"});
    name_of(in, where);
    const double k = amount(in, "stiffness", 0.0, where), c = amount(in, "damping", 0.0, where);
    if (k == 0.0 && c == 0.0)
      throw_bad_input(where, "the coupler has neither stiffness nor damping", "add \"stiffness\"");
    if (!in.contains("of") || !in["of"].is_object() || in["of"].size() < 2)
      throw_bad_input(where + ".of", "a coupler ties two motions or more together",
                      R"(write {"left_link.fz": 1, "right_link.fz": -1})");
    struct Tied {
      Json* bushing;
      std::string name;
      std::size_t axis;
      double ratio;
    };
    std::vector<Tied> all;
    for (const auto& [motion, ratio] : in["of"].items()) {
      const std::string at = where + ".of." + motion;
      const auto dot = motion.rfind('.');
      const std::string name = motion.substr(0, dot), axis = dot == std::string::npos ? "" : motion.substr(dot + 1);
      const auto which = std::find(axis_names.begin(), axis_names.end(), axis);
      if (which == axis_names.end())
        throw_bad_input(at, "this names no axis of a bushing", "write BUSHING.fz, BUSHING.tz");
      if (!ratio.is_number() || !std::isfinite(ratio.get<double>()) || ratio.get<double>() == 0.0)
        throw_bad_input(at, "the ratio must be a finite number, not 0", "1 and -1 tie equal motions together");
      all.push_back({bushing(name, at), name, static_cast<std::size_t>(which - axis_names.begin()), ratio});
    }
    for (const Tied& on : all) {
      std::string sum, rate;
      for (const Tied& of : all) {
        sum += fmt::format("{}({})*{}", sum.empty() ? "" : " + ", of.ratio, signal(of.name, of.axis, "deflection"));
        rate += fmt::format("{}({})*{}", rate.empty() ? "" : " + ", of.ratio, signal(of.name, of.axis, "rate"));
      }
      std::string force;
      if (k > 0.0) force = fmt::format("({})*({})", on.ratio * k, sum);
      if (c > 0.0) force += fmt::format("{}({})*({})", force.empty() ? "" : " + ", on.ratio * c, rate);
      add_force(*on.bushing, on.axis, force);
    }
  }
  Json* bushing(const std::string& name, const std::string& where) {
    std::vector<std::string> known;
    if (model_.contains("bushings") && model_["bushings"].is_array())
      for (Json& one : model_["bushings"]) {
        if (!one.is_object() || !one.contains("name") || !one["name"].is_string()) continue;
        known.push_back(one["name"].get<std::string>());
        if (known.back() == name) return &one;
      }
    throw_bad_input(where, fmt::format("there is no bushing {} in this file", in_quotes(name)), suggest(name, known));
  }

  // "friction" and "limits" of the one motion that a joint leaves: a bushing beside it with a law on that axis.
  void joint_parts(Json& joint, const std::string& where) {
    if (!joint.contains("friction") && !joint.contains("limits")) return;
    const std::string kind =
        joint.contains("kind") && joint["kind"].is_string() ? joint["kind"].get<std::string>() : "";
    const bool turns = kind == "revolute";
    if (!turns && kind != "translational")
      throw_bad_input(where, "friction and limits are for joints with one motion: revolute and translational",
                      "give the joint a bushing beside it, with a law on the axis that is meant");
    const std::string name = name_of(joint, where);
    const auto beside = [&](const char* what, const Json& law) {
      made_.push_back({{"name", name + "_" + what},
                       {"markers", joint.contains("markers") ? joint["markers"] : Json()},
                       {"laws", {{turns ? "tz" : "fz", law}}}});
      joint.erase(what);
    };
    if (joint.contains("friction")) {
      const Json& in = joint["friction"];
      const std::string at = where + ".friction";
      check_keys(in, at, {"force", "sticks_within", "comment"});
      const double force = amount(in, "force", 0.0, at), within = number(in, "sticks_within", 1e-4, at);
      if (!(force > 0.0))
        throw_bad_input(at + ".force", "the friction is missing", "give it in N, or N m for a revolute joint");
      if (!(within > 0.0))
        throw_bad_input(at + ".sticks_within", "this must be above 0",
                        "the way in m (or rad) over which friction grows to half its limit");
      // The law needs a spring; this one is none.
      constexpr double none = 1e-12;
      beside("friction", {{"model", "berg"},
                          {"parameters",
                           {{"stiffness", none * force / within},
                            {"friction_max", force},
                            {"friction_displacement", within},
                            {"viscous_stiffness", 0.0},
                            {"relaxation_time", 1.0}}}});
    }
    if (joint.contains("limits")) {
      const Json in = joint["limits"];
      const std::string at = where + ".limits";
      check_keys(in, at, {"lower", "upper", "stiffness", "exponent", "damping", "comment"});
      if (!in.contains("lower") && !in.contains("upper"))
        throw_bad_input(at, "no limit is given", "add \"lower\" or \"upper\"");
      Json parameters = {{"stiffness", number(in, "stiffness", at)},
                         {"exponent", number(in, "exponent", 1.5, at)},
                         {"damping", number(in, "damping", 0.0, at)}};
      constexpr double half_turn = 3.0;  // angles are measured up to half a turn
      for (const auto& [key, gap, sign] :
           {std::tuple{"lower", "lower_gap", -1.0}, std::tuple{"upper", "upper_gap", 1.0}}) {
        if (!in.contains(key)) continue;
        const double limit = number(in, key, at);
        if (turns && std::abs(limit) > half_turn)
          throw_bad_input(at + "." + key, "a limit beyond 3 rad cannot be told from one on the other side",
                          "write radians; turn the markers so that the range lies about 0");
        parameters[gap] = sign * limit;
      }
      if (in.contains("lower") && in.contains("upper") && !(in["lower"].get<double>() < in["upper"].get<double>()))
        throw_bad_input(at, "the lower limit is not below the upper one", "exchange them");
      beside("limits", {{"model", "stop"}, {"parameters", parameters}});
    }
  }

  Json& model_;
  std::string where_;
  std::vector<Json> made_;
};

}  // namespace

void expand_elements(Json& model, const std::string& where) { Elements(model, where).expand(); }

}  // namespace kdyn::mbs
