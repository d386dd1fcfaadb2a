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
#include "kdyn/mbs/internal/element_parts.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::mbs {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

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
    expand_drives(model_, where_);
    expand_contacts(model_, where_);
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
      const std::string name = element_name(bushing, where);
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j)
          if (const double k = K(static_cast<int>(i), static_cast<int>(j)); k != 0.0)
            force[i] +=
                fmt::format("{}({})*{}", force[i].empty() ? "" : " + ", k, bushing_signal(name, axis_names[j], what));
      bushing.erase(key);
    }
    if (!any) return;
    for (std::size_t i = 0; i < 6; ++i)
      if (!force[i].empty()) add_bushing_force(bushing, axis_names[i], force[i]);
    if (!bushing.contains("forces")) bushing["forces"] = Json::object();  // a matrix of zeros
  }

  void coupler(const Json& in, const std::string& where) {
    check_element_keys(in, where, {"name", "of", "stiffness", "damping", "rest", "comment"});
    element_name(in, where);
    const double k = element_amount(in, "stiffness", 0.0, where), c = element_amount(in, "damping", 0.0, where);
    if (k == 0.0 && c == 0.0)
      throw_bad_input(where, "the coupler has neither stiffness nor damping", "add \"stiffness\"");
    if (!in.contains("of") || !in["of"].is_object() || in["of"].size() < 2)
      throw_bad_input(where + ".of", "a coupler ties two motions or more together",
                      R"(write {"left_link.fz": 1, "right_link.fz": -1})");
    struct Tied {
      std::string name, axis;
      double ratio;
    };
    std::vector<Tied> all;
    for (const auto& [motion, ratio] : in["of"].items()) {
      const std::string at = where + ".of." + motion;
      const auto dot = motion.rfind('.');
      std::string name = motion.substr(0, dot), axis = dot == std::string::npos ? "" : motion.substr(dot + 1);
      if (!ratio.is_number() || !std::isfinite(ratio.get<double>()) || ratio.get<double>() == 0.0)
        throw_bad_input(at, "the ratio must be a finite number, not 0", "1 and -1 tie equal motions together");
      if (named_part(model_, "joints", motion) != nullptr) {
        const JointMotion one = joint_motion(model_, motion, at);
        name = one.bushing, axis = one.axis;
      } else if (std::find(axis_names.begin(), axis_names.end(), axis) == axis_names.end()) {
        throw_bad_input(at, "this names no axis of a bushing, and no joint", "write JOINT, BUSHING.fz, BUSHING.tz");
      }
      bushing(name, at);
      all.push_back({name, axis, ratio});
    }
    const double rest = element_number(in, "rest", 0.0, where);
    for (const Tied& on : all) {
      std::string sum, rate;
      for (const Tied& of : all) {
        sum += fmt::format("{}({})*{}", sum.empty() ? "" : " + ", of.ratio,
                           bushing_signal(of.name, of.axis, "deflection"));
        rate += fmt::format("{}({})*{}", rate.empty() ? "" : " + ", of.ratio, bushing_signal(of.name, of.axis, "rate"));
      }
      if (rest != 0.0) sum += fmt::format(" - ({})", rest);
      std::string force;
      if (k > 0.0) force = fmt::format("({})*({})", on.ratio * k, sum);
      if (c > 0.0) force += fmt::format("{}({})*({})", force.empty() ? "" : " + ", on.ratio * c, rate);
      add_bushing_force(*named_part(model_, "bushings", on.name), on.axis, force);
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
    const std::string name = element_name(joint, where);
    const auto beside = [&](const char* what, const Json& law, bool counts) {
      made_.push_back({{"name", name + "_" + what},
                       {"markers", joint.contains("markers") ? joint["markers"] : Json()},
                       {"laws", {{turns ? "tz" : "fz", law}}}});
      if (counts) made_.back()["measure"] = "angle";
      joint.erase(what);
    };
    if (joint.contains("friction")) {
      const Json& in = joint["friction"];
      const std::string at = where + ".friction";
      check_element_keys(in, at, {"force", "sticks_within", "comment"});
      const double force = element_amount(in, "force", 0.0, at), within = element_number(in, "sticks_within", 1e-4, at);
      if (!(force > 0.0))
        throw_bad_input(at + ".force", "the friction is missing", "give it in N, or N m for a revolute joint");
      if (!(within > 0.0))
        throw_bad_input(at + ".sticks_within", "this must be above 0",
                        "the way in m (or rad) over which friction grows to half its limit");
      // The law needs a spring; this one is none.
      constexpr double none = 1e-12;
      beside("friction",
             {{"model", "berg"},
              {"parameters",
               {{"stiffness", none * force / within},
                {"friction_max", force},
                {"friction_displacement", within},
                {"viscous_stiffness", 0.0},
                {"relaxation_time", 1.0}}}},
             turns);
    }
    if (joint.contains("limits")) {
      const Json in = joint["limits"];
      const std::string at = where + ".limits";
      check_element_keys(in, at, {"lower", "upper", "stiffness", "exponent", "damping", "turns", "comment"});
      const bool counts = in.contains("turns");
      if (counts && (!turns || in["turns"] != true))
        throw_bad_input(at + ".turns", "this is true for a revolute joint whose limits lie beyond 3 rad, or left out",
                        "remove it");
      if (!in.contains("lower") && !in.contains("upper"))
        throw_bad_input(at, "no limit is given", "add \"lower\" or \"upper\"");
      Json parameters = {{"stiffness", element_number(in, "stiffness", at)},
                         {"exponent", element_number(in, "exponent", 1.5, at)},
                         {"damping", element_number(in, "damping", 0.0, at)}};
      constexpr double half_turn = 3.0;  // uncounted angles end at half a turn
      for (const auto& [key, gap, sign] :
           {std::tuple{"lower", "lower_gap", -1.0}, std::tuple{"upper", "upper_gap", 1.0}}) {
        if (!in.contains(key)) continue;
        const double limit = element_number(in, key, at);
        if (turns && !counts && std::abs(limit) > half_turn)
          throw_bad_input(at + "." + key, "a limit beyond 3 rad cannot be told from one on the other side",
                          "write radians; turn the markers so that the range lies about 0, or count turns by "
                          "\"turns\": true");
        parameters[gap] = sign * limit;
      }
      if (in.contains("lower") && in.contains("upper") && !(in["lower"].get<double>() < in["upper"].get<double>()))
        throw_bad_input(at, "the lower limit is not below the upper one", "exchange them");
      beside("limits", {{"model", "stop"}, {"parameters", parameters}}, counts);
    }
  }

  Json& model_;
  std::string where_;
  std::vector<Json> made_;
};

}  // namespace

void expand_elements(Json& model, const std::string& where) { Elements(model, where).expand(); }

}  // namespace kdyn::mbs
