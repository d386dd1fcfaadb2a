// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/export_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/mount_difference.hpp"

namespace kdyn::app {
namespace {

PropertyModels read_back(TeimOrbitFile&& file, const std::string& path) {
  Exchange exchange;
  exchange.path = path;
  if (is_ubf(file))
    exchange.mount = ubf_of(std::move(file));
  else
    exchange.bushing = bushing_of(std::move(file));
  std::vector<Finding> unheard;  // what the reader says about a file of our own is said by the comparison
  return property_models(exchange, "", unheard);
}

Json complete(const Mount& mount) {
  Json out;
  mount.to_json(out);
  return out;
}

bool has_curve(const Json& parameters) {
  return parameters.contains("curve") && parameters["curve"].is_array() && !parameters["curve"].empty();
}

std::string place_words(const MountDifference::Place& at, const AxisDisplay& units) {
  return fmt::format(
      "{:.3g} Hz, {:.3g} {}{}", at.frequency_hz, at.amplitude * units.displacement.factor, units.displacement.unit,
      at.preload == 0.0 ? "" : fmt::format(", preload {:.4g} {}", at.preload * units.force.factor, units.force.unit));
}

// "44 % of stiffness (10 Hz, 1 mm), 19.6 deg (...), ...": what is above rounding.
std::string words_of(const MountDifference& d, const AxisDisplay& units) {
  std::vector<std::string> parts;
  if (d.k_dyn_rel >= 1e-6)
    parts.push_back(
        fmt::format("{:.3g} % of dynamic stiffness ({})", 100.0 * d.k_dyn_rel, place_words(d.k_dyn_at, units)));
  if (d.loss_angle >= 1e-6)
    parts.push_back(
        fmt::format("{:.3g} deg of loss angle ({})", d.loss_angle / degree, place_words(d.loss_angle_at, units)));
  if (d.static_rel >= 1e-9)
    parts.push_back(fmt::format("{:.3g} % of the static {}'s range (at {:.3g} {})", 100.0 * d.static_rel,
                                lower_case(units.force_name), d.static_at * units.displacement.factor,
                                units.displacement.unit));
  if (d.path_rel >= 1e-6)
    parts.push_back(
        fmt::format("{:.3g} % of the {}'s range on a random path", 100.0 * d.path_rel, lower_case(units.force_name)));
  if (d.hot_k_dyn_rel >= 1e-6 || d.hot_loss_angle >= 1e-6)
    parts.push_back(fmt::format("{:.3g} % and {:.3g} deg at {:g} C", 100.0 * d.hot_k_dyn_rel, d.hot_loss_angle / degree,
                                d.hot_at_c));
  return parts.empty() ? "nothing that the rig shows" : "up to " + join(parts, ", ");
}

Severity severity_of(const MountDifference& d) {
  const bool small = d.k_dyn_rel < 0.01 && d.loss_angle < 0.5 * degree && d.static_rel < 0.01 && d.path_rel < 0.01 &&
                     d.hot_k_dyn_rel < 0.01;
  return small ? Severity::note : Severity::warning;
}

void collect(const Json& a, const Json& b, const std::string& name, std::vector<std::string>& out) {
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items())
      collect(value, b.contains(key) ? b[key] : Json(), name.empty() ? key : name + "." + key, out);
    for (const auto& [key, value] : b.items())
      if (!a.contains(key)) collect(Json(), value, name.empty() ? key : name + "." + key, out);
    return;
  }
  const auto same = [](const auto& self, const Json& x, const Json& y) -> bool {
    if (x.is_number() && y.is_number()) {
      const double p = x.get<double>(), q = y.get<double>();
      return std::abs(p - q) <= 1e-12 * std::max(std::abs(p), std::abs(q));
    }
    if (!x.is_array() || !y.is_array() || x.size() != y.size()) return x == y;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!self(self, x[i], y[i])) return false;
    return true;
  };
  if (!same(same, a, b)) out.push_back(name);
}

// What a model has beyond a static curve and a damper, in words.
std::string beyond_a_damper(const Json& model) {
  std::vector<std::string> words;
  const auto positive = [](const Json& parameters, const char* key) {
    return parameters.contains(key) && parameters[key].is_number() && parameters[key].get<double>() > 0.0;
  };
  const Json& rubber = model.contains("main_rubber") ? model["main_rubber"] : model;
  const Json& p = rubber["parameters"];
  const auto name = model["model"].get<std::string>();
  if (name == "kelvin_voigt") return "";
  if (name == "hydromount") words.push_back("the hydraulics");
  if (positive(p, "rdl") && positive(p, "rho") && positive(p, "scale_ampl"))
    words.push_back("friction, and with it amplitude dependence and hysteresis");
  if (positive(p, "lambda") && positive(p, "scale_freq")) words.push_back("frequency dependence of the stiffness");
  if (name != "elastomer" && name != "hydromount") words.push_back("the law " + name);
  if (!temperature_tables(model).empty()) words.push_back("the temperature table");
  return join(words, ", ");
}

// The same law with the same numbers does the same: then there is nothing to run.
MountDifference difference_of(const RigPrint& print, const Mount& model, const Mount& other,
                              const DifferenceGrid& grid) {
  return complete(model) == complete(other) ? MountDifference{} : mount_difference(print, rig_print(other, grid), grid);
}

struct Check {
  const ExportModel& one;
  const Mount& model;
  DifferenceGrid grid;
  RigPrint print;
  AxisKind axis;
  AxisDisplay units;
  std::string file;
};

// The format of others is enough for the law, and what it has no key for stands in our own block.
void tell_about_keys(const Check& c, const Mount* own, const Mount* other, ExportedAxis& out,
                     std::vector<Finding>& findings) {
  if (own == nullptr) {
    findings.push_back({Severity::serious, "lost", c.one.path, "the file does not read back as a mount",
                        "report this model as a bug"});
    return;
  }
  const MountDifference read = difference_of(c.print, c.model, *own, c.grid);
  const Json before = complete(c.model);
  std::vector<std::string> lost;
  for (const std::string& field : differing_fields(before, complete(*own))) {
    // Beside a curve the constant stiffness does nothing.
    const std::string part = field.starts_with("main_rubber.")      ? "main_rubber"
                             : field.starts_with("chamber_rubber.") ? "chamber_rubber"
                                                                    : "";
    const Json& parameters = part.empty() ? before["parameters"] : before[part]["parameters"];
    if (!field.ends_with(".static_stiffness") || !has_curve(parameters)) lost.push_back(field);
  }
  out.read_back = {c.axis, read};
  out.lost = lost;
  if (!read.none() || !lost.empty())
    findings.push_back({severity_of(read), "lost", c.one.path,
                        fmt::format("{} cannot hold {}; read back it differs by {}", c.file,
                                    lost.empty() ? "the model exactly" : join(lost, ", "), words_of(read, c.units)),
                        "use an FMU or C source to keep the law"});
  if (other == nullptr) {
    findings.push_back({Severity::warning, "own_keys", c.one.path,
                        fmt::format("a reader that skips the block [{}_KDYN] of {} finds no mount there",
                                    bushing_directions[c.one.direction], c.file),
                        "use an FMU or C source for such a tool"});
    out.lost_by_others = {"everything"};
    return;
  }
  const MountDifference skipped = difference_of(c.print, c.model, *other, c.grid);
  const std::vector<std::string> missing = differing_fields(complete(*own), complete(*other));
  out.without_kdyn_blocks = {c.axis, skipped};
  out.lost_by_others = missing;
  if (skipped.none()) return;
  const bool g4 = std::any_of(missing.begin(), missing.end(),
                              [](const std::string& field) { return field == "law" || field.ends_with(".law"); });
  findings.push_back(
      {severity_of(skipped), "own_keys", c.one.path,
       fmt::format(
           "a reader that skips the block [{}_KDYN] of {} does not see {}: it differs by {}{}",
           bushing_directions[c.one.direction], c.file, join(missing, ", "), words_of(skipped, c.units),
           g4 ? "; it runs the friction law g4, which drifts under random motion when it has no limit (ymax)" : ""),
       "use an FMU or C source for such a tool"});
}

// Akima's interpolation (1970), which readers of .bus use between the points; inside the table.
double akima(const Curve& c, double x) {
  const auto n = static_cast<std::ptrdiff_t>(c.size());
  const auto secant = [&](std::ptrdiff_t i) {
    // Two secants beyond each end by straight continuation.
    const auto inner = [&](std::ptrdiff_t k) {
      const auto &a = c[static_cast<std::size_t>(k)], &b = c[static_cast<std::size_t>(k + 1)];
      return (b.second - a.second) / (b.first - a.first);
    };
    if (n == 2) return inner(0);
    if (i < 0) return inner(0) + static_cast<double>(-i) * (inner(0) - inner(1));
    if (i > n - 2) return inner(n - 2) + static_cast<double>(i - n + 2) * (inner(n - 2) - inner(n - 3));
    return inner(i);
  };
  const auto slope = [&](std::ptrdiff_t i) {
    const double left = std::abs(secant(i - 1) - secant(i - 2)), right = std::abs(secant(i + 1) - secant(i));
    return left + right > 0.0 ? (right * secant(i - 1) + left * secant(i)) / (left + right)
                              : 0.5 * (secant(i - 1) + secant(i));
  };
  std::ptrdiff_t i = 0;
  while (i < n - 2 && x > c[static_cast<std::size_t>(i + 1)].first) ++i;
  const auto &a = c[static_cast<std::size_t>(i)], &b = c[static_cast<std::size_t>(i + 1)];
  const double h = b.first - a.first, d = x - a.first, p = slope(i), q = slope(i + 1), m = secant(i);
  return a.second + d * (p + d * ((3.0 * m - 2.0 * p - q) / h + d * (p + q - 2.0 * m) / (h * h)));
}

void tell_about_interpolation(const Check& c, ExportedAxis& out, std::vector<Finding>& findings) {
  const Json model = complete(c.model);
  const Json& rubber = model.contains("main_rubber") ? model["main_rubber"] : model;
  if (!has_curve(rubber["parameters"])) return;
  Curve curve = rubber["parameters"]["curve"].get<Curve>();
  for (auto& point : curve) point.second *= rubber["parameters"]["scale_curve"].get<double>();
  double worst = 0.0, at = 0.0;
  constexpr int samples = 500;
  for (int i = 0; i <= samples; ++i) {
    const double u = curve.front().first + (curve.back().first - curve.front().first) * i / samples;
    const double difference =
        std::abs(akima(curve, u) - c.model.static_force(u)) / (curve.back().second - curve.front().second);
    if (difference > worst) worst = difference, at = u;
  }
  out.akima_rel = worst;
  if (worst < 2e-3) return;
  findings.push_back({worst < 0.02 ? Severity::note : Severity::warning, "interpolation", c.one.path,
                      fmt::format("between the {} points of the curve a reader that interpolates as Akima does differs "
                                  "by up to {:.2g} % of the {}'s range (at "
                                  "{:.3g} {})",
                                  curve.size(), 100.0 * worst, lower_case(c.units.force_name),
                                  at * c.units.displacement.factor, c.units.displacement.unit),
                      "give the model's curve more points"});
}

// Static curve and one damper: what a sine at the chosen point and the whole grid make of that.
void tell_about_damper(const Check& c, const Mount* own, const ExportJob& job, ExportedAxis& out,
                       std::vector<Finding>& findings) {
  if (own == nullptr) {
    findings.push_back({Severity::serious, "lost", c.one.path, "the file does not read back as a mount",
                        "report this model as a bug"});
    return;
  }
  const MountDifference read = difference_of(c.print, c.model, *own, c.grid);
  const PointDifference point = difference_at(c.model, *own, job.frequency_hz, job.amplitude, 0.0);
  out.read_back = {c.axis, read};
  out.chosen_point = {c.axis,
                      job.frequency_hz,
                      job.amplitude,
                      point.model.k_dyn,
                      point.model.loss_angle,
                      point.other.k_dyn,
                      point.other.loss_angle};
  const std::string beyond = beyond_a_damper(complete(c.model));
  out.lost = beyond.empty() ? std::vector<std::string>() : std::vector{beyond};
  if (read.none()) return;
  const auto k = [&](double value) {
    return fmt::format("{:.4g} {}", value * c.units.stiffness.factor, c.units.stiffness.unit);
  };
  findings.push_back({severity_of(read), "lost", c.one.path,
                      fmt::format("{} holds the static curve and one damping value and loses {}. At {:g} Hz and {:.3g} "
                                  "{}, where the damping is taken, the model has {} and "
                                  "{:.2f} deg, the file {} and {:.2f} deg; elsewhere it differs by {}",
                                  c.file, beyond.empty() ? "what lies between" : beyond, job.frequency_hz,
                                  job.amplitude * c.units.displacement.factor, c.units.displacement.unit,
                                  k(point.model.k_dyn), point.model.loss_angle / degree, k(point.other.k_dyn),
                                  point.other.loss_angle / degree, words_of(read, c.units)),
                      "use UBF, C source or an FMU to keep the law"});
}

// Coupled against uncoupled static force on a diagonal of the coupled axes.
void tell_about_coupling(const std::vector<ExportModel>& axes, const std::string& coupling, const std::string& file,
                         double reach, ExportComparison& out, std::vector<Finding>& findings) {
  PropertyModels models;
  for (const ExportModel& one : axes) models.axes[one.direction] = one.model;
  models.coupling = coupling;
  const Bushing coupled = bushing_from_json(bushing_model(models), file);
  Bushing free = coupled;
  free.coupling = Coupling::none;
  const std::size_t count = coupled.coupling == Coupling::cylindrical ? 2 : 3;
  Bushing::Vector u{};
  for (std::size_t i = 0; i < count; ++i) u[i] = reach / std::sqrt(static_cast<double>(count));
  const Bushing::Vector a = coupled.static_force(u), b = free.static_force(u);
  double worst = 0.0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const double difference = std::abs(a[i] - b[i]) / std::max(std::abs(a[i]), 1e-300); difference > worst)
      worst = difference, at = i;
  out.coupling_rel = worst;
  findings.push_back({worst < 0.01 ? Severity::note : Severity::warning, "own_keys", file,
                      fmt::format("the file has no place for the coupling {}; it stands in the block [KDYN]. A reader "
                                  "that skips it has {:.4g} N along {} where "
                                  "the bushing has {:.4g} N, at {:.3g} mm along the diagonal",
                                  coupling, b[at], axis_names[at], a[at], 1e3 * reach),
                      "switch the coupling on where the bushing is installed, or use .gbs or an FMU"});
}

}  // namespace

std::vector<std::string> differing_fields(const Json& a, const Json& b) {
  std::vector<std::string> out;
  collect(a, b, "", out);
  return out;
}

void check_property_file(const std::string& text, const std::string& file, const std::vector<ExportModel>& axes,
                         const std::string& coupling, const std::array<double, 6>& place, const ExportJob& job,
                         ExportOutput& output, report::Document& document) {
  std::vector<Finding>& findings = output.findings;
  ExportComparison& comparison = output.comparison.emplace();
  const TeimOrbitFile parsed = parse_teimorbit(text, file);
  const PropertyModels own = read_back(TeimOrbitFile(parsed), file),
                       others = read_back(without_own_blocks(parsed), file);
  report::Table table{.title = "Read back and run beside the model",
                      .columns = {{"Direction"},
                                  {"Reader"},
                                  {"Stiffness", "%"},
                                  {"Loss angle", "deg"},
                                  {"Static force", "%"},
                                  {"Random path", "%"}}};
  double reach = 1e-3;
  for (const ExportModel& one : axes) {
    const auto model = mount_from_json(one.model, one.path);
    const AxisKind axis = one.direction < 3 ? AxisKind::translation : AxisKind::rotation;
    const auto mount_of = [&](const PropertyModels& models) {
      return models.axes[one.direction] ? mount_from_json(*models.axes[one.direction], file) : nullptr;
    };
    const auto mine = mount_of(own), other = mount_of(others);
    const DifferenceGrid grid = difference_grid(*model, axis);
    const Check check{one, *model, grid, rig_print(*model, grid), axis, axis_display(axis), file};
    if (one.direction < 3) reach = std::max(reach, check.grid.amplitudes.back());
    ExportedAxis& out = comparison.axes[one.direction].emplace();
    if (job.to == ExportTarget::ubf)
      tell_about_keys(check, mine.get(), other.get(), out, findings);
    else
      tell_about_damper(check, mine.get(), job, out, findings), tell_about_interpolation(check, out, findings);
    for (const auto& [shown, reader] :
         {std::pair(&out.read_back, "kdyn"), std::pair(&out.without_kdyn_blocks, "without kdyn's blocks")})
      if (*shown)
        table.rows.push_back(
            {{axis_names[one.direction], reader, 100.0 * (*shown)->of.k_dyn_rel, (*shown)->of.loss_angle / degree,
              100.0 * (*shown)->of.static_rel, 100.0 * (*shown)->of.path_rel}});
  }
  table.note =
      "Largest differences on a small grid of frequency, amplitude and preload, over the static reach and on a random "
      "path.";
  document.section("Comparison").add(std::move(table));
  if (own.coupling != coupling)
    findings.push_back({Severity::serious, "lost", file, fmt::format("the coupling {} does not read back", coupling),
                        "report this model as a bug"});
  if (own.place != place)
    findings.push_back({Severity::serious, "lost", file, "position and orientation of the bushing do not read back",
                        "report this model as a bug"});
  if (others.place != place)
    findings.push_back({Severity::warning, "own_keys", file,
                        fmt::format("the file has no place for position ({:g}, {:g}, {:g} mm) and orientation "
                                    "(rotation vector {:g}, {:g}, {:g} deg) of the "
                                    "bushing; they stand in the block [KDYN]. A reader that skips it has the bushing "
                                    "in the origin, along the axes",
                                    1e3 * place[0], 1e3 * place[1], 1e3 * place[2], place[3] / degree,
                                    place[4] / degree, place[5] / degree),
                        "install the bushing there, or use an FMU"});
  if (others.coupling != coupling) tell_about_coupling(axes, coupling, file, reach, comparison, findings);
}

}  // namespace kdyn::app
