// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/tyre_reader.hpp"

#include <filesystem>

#include "kdyn/io/signal_csv.hpp"
#include "kdyn/io/tyre_file.hpp"
#include "kdyn/mbs/magic_formula_file.hpp"

namespace kdyn::mbs {
namespace {

double above_zero(const Item& item, const char* key, double otherwise, const char* remedy) {
  const double value = item.number(key, otherwise);
  if (!(value > 0.0)) throw_bad_input(item.at(key), fmt::format("{:g} is not above 0", value), remedy);
  return value;
}

Curve points(const Json& in, const std::string& where) {
  Curve out;
  if (!in.is_array() || in.size() < 2) throw_bad_input(where, "two points are needed", "write [[x, z], [x, z], ...]");
  for (std::size_t i = 0; i < in.size(); ++i) {
    const MatrixX row = Item::read_matrix(in[i], fmt::format("{}[{}]", where, i), 2, 1);
    out.emplace_back(row(0, 0), row(1, 0));
  }
  return out;
}

Curve profile_of(const Json& in, const std::string& where, const std::string& folder, std::vector<std::string>& files) {
  Curve out;
  std::string place = where;
  if (in.is_object()) {
    const Item item(in, where, {"file", "x", "z", "comment"});
    const std::string path = (std::filesystem::path(folder) / item.text("file")).string();
    if (item.text("file").empty())
      throw_bad_input(item.at("file"), "the file has no name", "name a table with columns");
    const SignalSet table = read_signal_table(path);
    files.push_back(path);
    const auto column = [&](const char* key) -> const std::vector<double>& {
      const std::string name = item.text(key, key);
      for (const Signal& s : table.signals)
        if (s.name == name) return s.values;
      std::vector<std::string> names;
      for (const Signal& s : table.signals) names.push_back(s.name);
      throw_bad_input(item.at(key), fmt::format("{} has no column {}", path, in_quotes(name)), suggest(name, names));
    };
    const auto &x = column("x"), &z = column("z");
    for (std::size_t i = 0; i < x.size(); ++i) out.emplace_back(x[i], z[i]);
    place = path;
  } else {
    out = points(in, where);
  }
  if (out.size() < 2) throw_bad_input(place, "the road has fewer than two points", "give its height along x");
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!std::isfinite(out[i].first) || !std::isfinite(out[i].second))
      throw_bad_input(fmt::format("{}[{}]", place, i), "a point of the road is no finite number", "repair the row");
    if (i > 0 && !(out[i].first > out[i - 1].first))
      throw_bad_input(fmt::format("{}[{}]", place, i), "x of the road does not rise from point to point",
                      "sort the points; write a step as two points a millimetre apart");
  }
  return out;
}

void read_road(const Item& item, Tyre& tyre, SignalReader& signals, const std::string& folder,
               std::vector<std::string>& files, std::vector<Finding>& findings) {
  if (item.has("height")) tyre.road.height = signals.drive(item["height"], item.at("height"));
  if (!item.has("profile")) {
    if (item.has("enveloping"))
      throw_bad_input(item.at("enveloping"), "the road has no profile to envelop",
                      "remove enveloping, or give profile");
    return;
  }
  const Curve profile = profile_of(item["profile"], item.at("profile"), folder, files);
  double highest = 0.0, farthest = 0.0;
  for (std::size_t i = 0; i < profile.size(); ++i) {
    farthest = std::max({farthest, std::abs(profile[i].first), std::abs(profile[i].second)});
    if (i > 0 && profile[i].first - profile[i - 1].first < tyre.radius)
      highest = std::max(highest, std::abs(profile[i].second - profile[i - 1].second));
  }
  if (!(farthest < 1e6))
    throw_bad_input(item.at("profile"), fmt::format("the road goes to {:.3g} m", farthest), "give x and z in m");
  if (highest > 2.0 * tyre.radius)
    findings.push_back({Severity::warning, "tyre_units", item.at("profile"),
                        fmt::format("the road steps by {:.3g} m: is its height given in mm?", highest), "give m"});
  tyre.road.begin = profile.front().first, tyre.road.end = profile.back().first;
  Enveloping cam{0.3 * tyre.radius, tyre.radius, tyre.radius, 1.8};
  bool enveloping = true;
  if (item.has("enveloping") && item["enveloping"].is_boolean()) {
    enveloping = item.flag("enveloping", true);
  } else if (item.has("enveloping")) {
    const Item own(item["enveloping"], item.at("enveloping"),
                   {"base", "half_length", "half_height", "exponent", "comment"});
    const char* remedy = "about 0.3, 1 and 1 radii, in m, and 1.8";
    cam.base = above_zero(own, "base", cam.base, remedy);
    cam.half_length = above_zero(own, "half_length", cam.half_length, remedy);
    cam.half_height = above_zero(own, "half_height", cam.half_height, remedy);
    cam.exponent = above_zero(own, "exponent", cam.exponent, remedy);
    if (cam.exponent < 1.0 || cam.exponent > 10.0)
      throw_bad_input(own.at("exponent"), fmt::format("{:g} makes no cam", cam.exponent), "1.8 is usual, 2 an ellipse");
    if (cam.base > 2.0 * tyre.radius || cam.half_length > 4.0 * tyre.radius || cam.half_length < 0.1 * tyre.radius ||
        cam.half_height > 4.0 * tyre.radius || cam.half_height < 0.1 * tyre.radius)
      throw_bad_input(own.where(), "the cams do not have the size of the tyre", remedy);
  }
  if (!enveloping) {
    tyre.road.path = RoadPath(profile, 0.0);
    double steepest = 0.0;
    for (std::size_t i = 1; i < profile.size(); ++i)
      steepest = std::max(
          steepest, std::abs(profile[i].second - profile[i - 1].second) / (profile[i].first - profile[i - 1].first));
    if (steepest > 0.5)
      findings.push_back({Severity::warning, "road_too_steep", item.at("profile"),
                          fmt::format("the road rises by {:.3g} m per m and the tyre follows it as a point", steepest),
                          "leave enveloping on"});
    return;
  }
  if ((tyre.road.end - tyre.road.begin) / cam.half_length > 2e3)
    throw_bad_input(item.at("profile"),
                    fmt::format("a road of {:.4g} m is too long for cams of {:.3g} m", tyre.road.end - tyre.road.begin,
                                cam.half_length),
                    "give the part that the run passes");
  tyre.road.path = RoadPath(cam_path(profile, cam), cam.base);
}

void of_file(const Item& item, Tyre& tyre, const std::string& folder, std::vector<std::string>& files,
             std::vector<Finding>& findings) {
  if (item.has("slip"))
    throw_bad_input(item.at("slip"), "the slip forces come from the file already", "remove slip or file");
  const std::string path = (std::filesystem::path(folder) / item.text("file")).string();
  const TyreFile file = read_tyre_file(path);
  // Several wheels with one file: what is to be said about it is said once.
  const bool first = std::find(files.begin(), files.end(), path) == files.end();
  std::vector<Finding> about = file.findings;
  tyre.file = path;
  tyre.magic = std::make_shared<const MagicFormula>(magic_formula_of(file, about));
  if (first) {
    files.push_back(path);
    findings.insert(findings.end(), about.begin(), about.end());
  }
  const auto take = [&](const char* key, const char* own, double& value, bool zero) {
    const auto found = file.numbers.find(key);
    if (found != file.numbers.end()) value = found->second;
    if (found == file.numbers.end() && !item.has(own))
      throw_bad_input(path, fmt::format("the file has no {}", key), fmt::format("give {} beside the file", own));
    if (!(value > 0.0) && !(zero && value == 0.0))
      throw_bad_input(file.place(key), fmt::format("{} is {:g}", key, value), "it must be above 0");
  };
  take("UNLOADED_RADIUS", "radius", tyre.radius, false);
  take("VERTICAL_STIFFNESS", "stiffness", tyre.stiffness, false);
  take("VERTICAL_DAMPING", "damping", tyre.damping, true);
  if (item.has("radius") && std::abs(item.number("radius", 0.0) - tyre.radius) > 1e-9 * tyre.radius)
    throw_bad_input(item.at("radius"), fmt::format("the file says {:g} m", tyre.radius), "remove radius");
  if (file.numbers.contains("BREFF") && file.numbers.contains("DREFF") && file.numbers.contains("FREFF")) {
    tyre.nominal_load = tyre.magic->fnomin;
    tyre.rolling_b = file.number("BREFF", 0.0), tyre.rolling_d = file.number("DREFF", 0.0),
    tyre.rolling_f = file.number("FREFF", 0.0);
  }
  if (!file.load_curve.empty()) tyre.load_curve = ShapeCurve(file.load_curve);
  tyre.low_speed = file.number("VXLOW", 1.0);
  const std::string side = lower_case(file.word("TYRESIDE"));
  if (item.has("side")) {
    const std::string own = item.text("side");
    if (own != "left" && own != "right")
      throw_bad_input(item.at("side"), "this is no side", R"(write "left" or "right")");
    if (side != "left" && side != "right" && side != "symmetric")
      findings.push_back({Severity::note, "tyre_side", file.place("TYRESIDE"),
                          "the file does not say whether its tyre was measured as left or right: it is taken as left",
                          "add TYRESIDE to the file"});
    tyre.mirrored = (side == "right" ? "right" : "left") != own && side != "symmetric";
  } else {
    tyre.mirrored = item.flag("mirrored", false);
  }
  if (file.number("USE_MODE", 14.0) < 0.0) tyre.mirrored = !tyre.mirrored;
  const bool has_x = tyre.magic->ptx1 != 0.0, has_y = tyre.magic->pty1 != 0.0 && tyre.magic->pty2 != 0.0;
  const Json none = Json::object();
  const Item own(item.has("relaxation") ? item["relaxation"] : none, item.at("relaxation"),
                 {"longitudinal", "lateral", "comment"});
  if (own.has("longitudinal")) tyre.relaxation_x = above_zero(own, "longitudinal", 0.0, "give it in m");
  if (own.has("lateral")) tyre.relaxation_y = above_zero(own, "lateral", 0.0, "give it in m");
  for (const auto& [has, key, value] :
       {std::tuple{has_x, "longitudinal", &tyre.relaxation_x}, {has_y, "lateral", &tyre.relaxation_y}})
    if (!has && !(*value > 0.0)) {
      *value = 0.5 * tyre.radius;
      findings.push_back(
          {Severity::warning, "tyre_no_relaxation", path,
           fmt::format("the file has no {} relaxation length: {:.3g} m, half a radius, is used", key, *value),
           fmt::format("give relaxation.{} of the tyre", key)});
    }
}

}  // namespace

Tyre read_tyre(const Item& item, SignalReader& signals, const std::string& folder, std::vector<std::string>& files,
               std::vector<Finding>& findings) {
  Tyre tyre;
  if (item.has("file"))
    of_file(item, tyre, folder, files, findings);
  else
    for (const char* key : {"side", "relaxation"})
      if (item.has(key)) throw_bad_input(item.at(key), "this belongs to a property file", "remove it, or give file");
  if (!item.has("file"))
    for (const char* key : {"radius", "stiffness"})
      if (!(std::string(key) == "stiffness" && item.has("load_curve"))) item.need(key);
  tyre.radius = above_zero(item, "radius", tyre.radius, "give the unloaded radius in m");
  tyre.stiffness = above_zero(item, "stiffness", tyre.stiffness, "give it in N/m");
  tyre.damping = item.number("damping", tyre.damping);
  if (tyre.damping < 0.0)
    throw_bad_input(item.at("damping"), "this is below 0", "it would give energy: give 0 or more");
  tyre.low_speed = above_zero(item, "low_speed", tyre.low_speed, "1 m/s is usual");
  if (item.has("load_curve")) tyre.load_curve = ShapeCurve(points(item["load_curve"], item.at("load_curve")));
  if (tyre.load_curve) {
    const double end = tyre.load_curve->back();
    double last = 0.0;
    if (tyre.load_curve->front() != 0.0 || tyre.load_curve->value(0.0) != 0.0)
      throw_bad_input(item.at("load_curve"), "the load curve does not begin with load 0 at deflection 0",
                      "its first row is [0, 0]");
    for (int i = 1; i <= 200; ++i) {
      const double load = tyre.load_curve->value(end * i / 200.0);
      if (!(load > last))
        throw_bad_input(item.at("load_curve"), fmt::format("the load does not rise at {:.4g} m", end * i / 200.0),
                        "repair the curve: deflection in m, load in N");
      last = load;
    }
    if (!item.has("stiffness") && !item.has("file")) tyre.stiffness = last / end;
  }
  if (tyre.radius > 5.0 || tyre.radius < 0.02)
    findings.push_back({Severity::warning, "tyre_units", item.at("radius"),
                        fmt::format("a radius of {:g} m: is it given in another unit?", tyre.radius), "give m"});
  if (tyre.stiffness * tyre.radius < 500.0 || tyre.stiffness * tyre.radius > 5e7)
    findings.push_back({Severity::warning, "tyre_units", item.at("stiffness"),
                        fmt::format("a stiffness of {:g} N/m: is it given in N/mm or kN/m?", tyre.stiffness),
                        "give N/m"});
  if (item.has("slip")) {
    const Item slip(item["slip"], item.at("slip"),
                    {"longitudinal_stiffness", "lateral_stiffness", "friction", "longitudinal_relaxation",
                     "lateral_relaxation", "comment"});
    LinearSlip law;
    law.stiffness_x = slip.number("longitudinal_stiffness", 0.0);
    law.stiffness_y = slip.number("lateral_stiffness", 0.0);
    for (const char* key : {"longitudinal_stiffness", "lateral_stiffness"})
      if (slip.number(key, 0.0) < 0.0)
        throw_bad_input(slip.at(key), "this is below 0",
                        "give the force over slip at zero slip in N, a positive number");
    if (law.stiffness_x == 0.0 && law.stiffness_y == 0.0)
      throw_bad_input(slip.where(), "the slip has no stiffness",
                      "give longitudinal_stiffness, lateral_stiffness or both");
    law.friction = above_zero(slip, "friction", 1.0, "1 is a dry road");
    tyre.relaxation_x = above_zero(slip, "longitudinal_relaxation", 0.5 * tyre.radius, "give it in m");
    tyre.relaxation_y = above_zero(slip, "lateral_relaxation", tyre.radius, "give it in m");
    tyre.linear = law;
  }
  if (item.has("road"))
    read_road(Item(item["road"], item.at("road"), {"height", "profile", "enveloping", "comment"}), tyre, signals,
              folder, files, findings);
  return tyre;
}

void check_tyres(const Model& model, const std::string& where) {
  for (std::size_t i = 0; i < model.tyres.size(); ++i) {
    const Tyre& tyre = model.tyres[i];
    const std::string place = fmt::format("{}.tyres[{}]", where, i);
    const Marker& marker = model.markers[static_cast<std::size_t>(tyre.marker)];
    if (marker.body < 0)
      throw_bad_input(place, fmt::format("tyre {} sits on the ground", tyre.name), "put it on a wheel");
    const Body& body = model.bodies[static_cast<std::size_t>(marker.body)];
    if (body.modes() > 0)
      throw_bad_input(place, fmt::format("tyre {} sits on a flexible body", tyre.name),
                      "give the wheel a rigid body of its own");
    const Vector3 axis = body.rotation * marker.R0.col(2);
    if (std::abs(axis.z()) > 0.7)
      throw_bad_input(place,
                      fmt::format("the axis of tyre {} points up by {:.3g} degrees: a wheel that lies rolls nowhere",
                                  tyre.name, std::asin(std::min(1.0, std::abs(axis.z()))) * 180.0 / constants::pi),
                      "the spin axis is the z axis of its marker, or axis of its body");
    if (axis.y() < -0.7)
      throw_bad_input(place, fmt::format("the axis of tyre {} points to the right of x", tyre.name),
                      "give the axis that points to the left of the direction of travel (+y for travel along +x), for "
                      "right wheels too");
    if (model.gravity.head<2>().norm() > 1e-6 * model.gravity.norm() || model.gravity.z() > 0.0)
      throw_bad_input(where + ".gravity",
                      "tyres stand on a road whose upward direction is z, but gravity points elsewhere",
                      "turn the model so that gravity is [0, 0, -9.81]");
  }
}

}  // namespace kdyn::mbs
