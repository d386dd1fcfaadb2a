// SPDX-License-Identifier: Apache-2.0
// Contact of a sphere with a plane or of two spheres: a bushing, or a spring, whose forces are formulas.
//
//   [mbs E111]  depth s = r - z of a plane, z the place of the sphere along its normal; r1 + r2 - L of two spheres at the distance L;
//              N = k s^p max(0, 1 + d s') for s > 0 (Hunt and Crossley 1975): neither a jump at the touch nor a pull
//   [mbs E112]  on a plane: friction -mu N v_t/sqrt(v_t^2 + v_s^2), v_t the sliding velocity where both touch, spin included: of full size from
//              some v_s on; below it creeps, as every friction without memory does
// The bushing measures in the axes of the plane, which may move; its forces act on both bodies at the middle of the
// sphere, with the torque that moves them to the plane: momentum and moment of momentum are kept.
#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/internal/element_parts.hpp"

namespace kdyn::mbs {
namespace {

double above_0(const Json& in, const char* key, const std::string& where) {
  const double value = element_number(in, key, where);
  if (!(value > 0.0)) throw_bad_input(where + "." + key, "this must be above 0", "give it in SI units");
  return value;
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
  const double k = above_0(in, "stiffness", where), p = element_number(in, "exponent", 1.5, where),
               d = element_amount(in, "damping", 0.0, where), mu = element_amount(in, "friction", 0.0, where);
  if (!(p >= 1.0 && p <= 5.0))
    throw_bad_input(where + ".exponent", "the exponent lies from 1 to 5", "1.5 is a sphere on a plane (Hertz)");
  const double slip = in.contains("slip_speed") ? above_0(in, "slip_speed", where) : 1e-2;
  const auto normal = [&](const std::string& depth, const std::string& opening) {
    std::string out = fmt::format("({})*max(0, {})^({})", k, depth, p);
    if (d > 0.0) out += fmt::format("*max(0, 1 - ({})*{})", d, opening);
    return out;
  };
  if (in.contains("radii")) {
    double both = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Json& radii = in["radii"];
      if (!radii.is_array() || radii.size() != 2 || !radii[i].is_number() || !(radii[i].get<double>() >= 0.0))
        throw_bad_input(where + ".radii", "two radii from 0 on are needed", "write [0.02, 0.05], in m");
      both += radii[i].get<double>();
    }
    if (!(both > 0.0)) throw_bad_input(where + ".radii", "two points never touch", "give one of them a radius");
    if (mu > 0.0) throw_bad_input(where + ".friction", "two spheres touch without friction here", "leave friction out");
    // A spring pushes with a negative load; its deflection without a rest length is the distance.
    list_of(model, "springs")
        .push_back({{"name", name},
                    {"markers", in["markers"]},
                    {"force", fmt::format("-{}", normal(fmt::format("({} - [{}.deflection])", both, name),
                                                        fmt::format("[{}.rate]", name)))}});
    return;
  }
  const double r = element_amount(in, "radius", 0.0, where);
  const auto signal = [&](const char* axis, const char* what) { return bushing_signal(name, axis, what); };
  const std::string N = normal(fmt::format("({} - {})", r, signal("fz", "deflection")), signal("fz", "rate"));
  Json forces = {{"fz", "-" + N}};
  if (mu > 0.0) {
    // Of the sphere against the plane, at -r z of its middle.
    const std::string vx = fmt::format("({} - ({})*{})", signal("fx", "rate"), r, signal("ty", "rate")),
                      vy = fmt::format("({} + ({})*{})", signal("fy", "rate"), r, signal("tx", "rate"));
    const std::string slide = fmt::format("({})*{}/sqrt({}^2 + {}^2 + {})", mu, N, vx, vy, slip * slip);
    forces["fx"] = fmt::format("{}*{}", slide, vx);
    forces["fy"] = fmt::format("{}*{}", slide, vy);
    if (r > 0.0) {
      forces["tx"] = fmt::format("({})*{}*{}", r, slide, vy);
      forces["ty"] = fmt::format("-({})*{}*{}", r, slide, vx);
    }
  }
  list_of(model, "bushings")
      .push_back({{"name", name}, {"markers", in["markers"]}, {"measure", "spin"}, {"forces", forces}});
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
