// SPDX-License-Identifier: Apache-2.0
// Contact of a sphere with a plane or of two spheres, as forces by formula on both bodies.
//
//   [mbs E91]  depth s = r - n . (x2 - x1) of a plane, r1 + r2 - |x2 - x1| of two spheres; N = k s^p max(0, 1 + d s') for s > 0 (Hunt and
//              Crossley 1975): neither a jump at the touch nor a pull
//   [mbs E92]  friction -mu N v_t/sqrt(v_t^2 + v_s^2), v_t the sliding speed of both bodies where they touch, spin included: of full size from
//              some v_s on; at rest it creeps, as every friction without memory does
// Both bodies feel the same force at the same point, x2 - r2 n: momentum and moment of momentum are kept.
//
// Spin comes from points one metre along the axes of each body: omega x a = sum_k c_k' (c_k . a). Their markers begin
// with ~, which no signal shows. By points alone the formulas hold in mirrored and shifted subsystems, too.
#include <array>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/internal/element_parts.hpp"

namespace kdyn::mbs {
namespace {

constexpr std::array<char, 3> axes = {'x', 'y', 'z'};

std::string position(const std::string& marker, std::size_t k) {
  return fmt::format("[{}.position.{}]", marker, axes[k]);
}
std::string velocity(const std::string& marker, std::size_t k) {
  return fmt::format("[{}.velocity.{}]", marker, axes[k]);
}

using Vector = std::array<std::string, 3>;

std::string dot(const Vector& a, const Vector& b) {
  return fmt::format("({}*{} + {}*{} + {}*{})", a[0], b[0], a[1], b[1], a[2], b[2]);
}
template <class F>
Vector each(F&& f) {
  return {f(0U), f(1U), f(2U)};
}

// One side: a point of a body, and the points along its axes where its spin counts.
struct Side {
  std::string marker;
  bool moves = false;

  Vector point() const {
    return each([&](std::size_t k) { return position(marker, k); });
  }
  Vector axis(char name) const {
    return each(
        [&](std::size_t k) { return fmt::format("({} - {})", position(marker + name, k), position(marker, k)); });
  }
  // Of the point at `arm` from it.
  Vector velocity_at(const Vector& arm) const {
    if (!moves) return {"0", "0", "0"};
    std::array<std::string, 3> along;
    for (std::size_t a = 0; a < 3; ++a) along[a] = dot(axis(axes[a]), arm);
    return each([&](std::size_t k) {
      std::string out = "(" + velocity(marker, k);
      for (std::size_t a = 0; a < 3; ++a)
        out += fmt::format(" + ({} - {})*{}", velocity(marker + axes[a], k), velocity(marker, k), along[a]);
      return out + ")";
    });
  }
};

Side side_of(Json& model, const Json& marker, const std::string& name, const std::string& where) {
  const MarkerPlace place = marker_place(model, marker, where);
  Side out{name, place.body != "ground"};
  const auto add = [&](const std::string& called, const Vector3& x) {
    list_of(model, "markers").push_back({{"name", called}, {"body", place.body}, {"position", json_of(x)}});
  };
  add(name, place.x);
  for (int a = 0; a < 3; ++a) add(name + axes[static_cast<std::size_t>(a)], place.x + place.R.col(a));
  return out;
}

void contact(Json& model, const Json& in, const std::string& where) {
  check_element_keys(
      in, where,
      {"name", "markers", "radius", "radii", "stiffness", "exponent", "damping", "friction", "slip_speed", "comment"});
  const std::string name = element_name(in, where);
  if (!in.contains("markers") || !in["markers"].is_array() || in["markers"].size() != 2)
    throw_bad_input(where + ".markers", "two markers are needed", R"(write ["floor", "ball"], the sphere second)");
  if (in.contains("radius") == in.contains("radii"))
    throw_bad_input(where, "either radius or radii is needed",
                    "radius: marker 1 is a plane, marker 2 a sphere; radii: two spheres");
  const bool plane = in.contains("radius");
  const auto above_0 = [&](const Json& part, const char* key, const std::string& at) {
    const double value = element_number(part, key, at);
    if (!(value > 0.0)) throw_bad_input(at + "." + key, "this must be above 0", "give it in SI units");
    return value;
  };
  double r1 = 0.0, r2 = 0.0;
  if (plane) {
    r2 = element_amount(in, "radius", 0.0, where);
  } else {
    const Json& radii = in["radii"];
    for (std::size_t k = 0; k < 2; ++k)
      if (!radii.is_array() || radii.size() != 2 || !radii[k].is_number() || !(radii[k].get<double>() >= 0.0))
        throw_bad_input(where + ".radii", "two radii from 0 on are needed", "write [0.02, 0.05], in m");
    r1 = radii[0].get<double>(), r2 = radii[1].get<double>();
    if (!(r1 + r2 > 0.0)) throw_bad_input(where + ".radii", "two points never touch", "give one of them a radius");
  }
  const double k = above_0(in, "stiffness", where), p = element_number(in, "exponent", 1.5, where),
               d = element_amount(in, "damping", 0.0, where), mu = element_amount(in, "friction", 0.0, where);
  if (!(p >= 1.0 && p <= 5.0))
    throw_bad_input(where + ".exponent", "the exponent lies from 1 to 5", "1.5 is a sphere on a plane (Hertz)");
  const double slip = in.contains("slip_speed") ? above_0(in, "slip_speed", where) : 1e-3;

  const Side one = side_of(model, in["markers"][0], fmt::format("~{}_1", name), where + ".markers[0]"),
             two = side_of(model, in["markers"][1], fmt::format("~{}_2", name), where + ".markers[1]");
  if (!one.moves && !two.moves)
    throw_bad_input(where + ".markers", "both sides stand on the ground", "put one of them on a body");
  const Vector x1 = one.point(), x2 = two.point();
  const Vector w = each([&](std::size_t i) { return fmt::format("({} - {})", x2[i], x1[i]); });
  const std::string length = fmt::format("sqrt({})", dot(w, w));
  const Vector n = plane ? one.axis('z') : each([&](std::size_t i) { return fmt::format("({}/{})", w[i], length); });
  const std::string depth = plane ? fmt::format("({} - {})", r2, dot(n, w)) : fmt::format("({} - {})", r1 + r2, length);
  // Arms from both points to where they touch.
  const Vector arm2 = each([&](std::size_t i) { return fmt::format("(-({})*{})", r2, n[i]); });
  const Vector arm1 = each([&](std::size_t i) { return fmt::format("({} - ({})*{})", w[i], r2, n[i]); });
  const Vector v1 = one.velocity_at(arm1), v2 = two.velocity_at(arm2);
  const Vector v = each([&](std::size_t i) { return one.moves ? fmt::format("({} - {})", v2[i], v1[i]) : v2[i]; });
  const std::string opening = dot(n, v);
  std::string normal = fmt::format("({})*max(0, {})^({})", k, depth, p);
  if (d > 0.0) normal += fmt::format("*max(0, 1 - ({})*{})", d, opening);
  // Out of reach nothing else is computed.
  const auto touching = [&](const std::string& text) { return fmt::format("if({} > 0, {}, 0)", depth, text); };
  const std::string slide = fmt::format("({})/sqrt(abs({} - {}^2) + {})", mu, dot(v, v), opening, slip * slip);
  const Vector f = each([&](std::size_t i) {
    return mu == 0.0 ? fmt::format("({})*{}", normal, n[i])
                     : fmt::format("({})*({} - {}*({} - {}*{}))", normal, n[i], slide, v[i], opening, n[i]);
  });
  const auto cross = [&](const Vector& a, const Vector& b, std::size_t i) {
    const std::size_t j = (i + 1) % 3, l = (i + 2) % 3;
    return fmt::format("({}*{} - {}*{})", a[j], b[l], a[l], b[j]);
  };
  const auto load = [&](const Side& side, const char* sign, const Vector& arm) {
    if (!side.moves) return;
    Json force = Json::array(), torque = Json::array();
    for (std::size_t i = 0; i < 3; ++i) {
      force.push_back(touching(fmt::format("{}({})", sign, f[i])));
      torque.push_back(mu == 0.0 && (!plane || &side == &two)
                           ? Json(0)
                           : Json(touching(fmt::format("{}{}", sign, cross(arm, f, i)))));
    }
    list_of(model, "loads")
        .push_back({{"name", side.marker}, {"marker", side.marker}, {"force", force}, {"torque", torque}});
  };
  load(two, "", arm2);
  load(one, "-", arm1);
}

}  // namespace

void expand_contacts(Json& model, const std::string& where) {
  if (!model.contains("contacts")) return;
  const Json all = model["contacts"];
  model.erase("contacts");
  if (!all.is_array()) throw_bad_input(where + ".contacts", "this must be a list", "write [ {...}, {...} ]");
  for (std::size_t i = 0; i < all.size(); ++i) contact(model, all[i], fmt::format("{}.contacts[{}]", where, i));
}

}  // namespace kdyn::mbs
