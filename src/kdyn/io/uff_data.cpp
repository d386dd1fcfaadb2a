// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/uff_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline io {
namespace {

Dof dof_of(std::int64_t node, int direction, const std::string& name) {
  Dof dof{node, std::abs(direction) <= 6 ? direction : 0, {}};
  if (name != "NONE") dof.name = name;
  return dof;
}

struct SiUnit {
  double factor = 1.0;
  std::string unit;  // empty: unknown
};

// The unit an axis names, in SI. "g" of an acceleration is standard gravity, not a gram.
SiUnit si_of(const UffAxis& axis) {
  if (axis.unit.empty() || axis.unit == "NONE") return {};
  if (lower_case(axis.unit) == "g" && axis.type == 12) return {9.80665, "m/s^2"};
  const auto unit = parse_unit(axis.unit);
  if (!unit) return {};
  static const std::pair<std::array<int, 5>, const char*> names[] = {
      {{1, 0, 0, 0}, "m"},    {{1, 0, -1, 0}, "m/s"}, {{1, 0, -2, 0}, "m/s^2"},   {{1, 1, -2, 0}, "N"},
      {{2, 1, -2, 0}, "Nm"},  {{-1, 1, -2, 0}, "Pa"}, {{0, 0, -2, 1}, "rad/s^2"}, {{0, 0, -1, 1}, "rad/s"},
      {{0, 0, 0, 1}, "rad"},  {{0, 0, 1, 0}, "s"},    {{0, 0, -1, 0}, "Hz"},      {{0, -1, 0, 0}, "1/kg"},
      {{0, 1, 0, 0}, "kg"},   {{0, 0, 0, 0}, "-"},    {{0, 1, -2, 0}, "N/m"},     {{2, 1, -3, 0, -1}, "V"},
      {{0, 0, 0, 0, 1}, "A"}, {{2, 1, -3, 0, 0}, "W"}};
  for (const auto& [dimension, name] : names)
    if (dimension == unit->dimension) return {unit->to_si, name};
  return unit->to_si == 1.0 ? SiUnit{1.0, axis.unit} : SiUnit{};
}

std::vector<double> abscissa_of(const UffFunction& f) {
  if (!f.even) return f.abscissa;
  std::vector<double> x(f.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = f.start + static_cast<double>(i) * f.step;
  return x;
}

// What tells two frequency axes apart without building them.
std::tuple<bool, double, double, std::size_t, double> axis_key(const UffFunction& f) {
  const double last = !f.even && !f.abscissa.empty() ? f.abscissa.back() : f.step;
  return {f.even, f.even ? f.start : (f.abscissa.empty() ? 0.0 : f.abscissa.front()), last, f.size(),
          f.even                  ? 0.0
          : f.abscissa.size() > 1 ? f.abscissa[1]
                                  : 0.0};
}

using PointPair = std::tuple<std::int64_t, int, std::string, std::int64_t, int, std::string>;
PointPair points_of(const UffFunction& f) {
  return {f.response_node,  f.response_direction,  f.response_name,
          f.reference_node, f.reference_direction, f.reference_name};
}

void note_units(const UffFile& file, const UffFunction& f, const SiUnit& unit, const UffAxis& axis,
                std::set<std::string>& told, std::vector<Finding>& findings) {
  const bool named = !axis.unit.empty() && axis.unit != "NONE";
  if (!unit.unit.empty() || f.size() == 0) return;
  const std::string message =
      named ? fmt::format("unit {} is not known; values were kept as they are", in_quotes(axis.unit))
            : "values have no unit; they were kept as they are";
  if (told.insert(message).second)
    findings.push_back(
        {Severity::warning, "unit_unknown", file.name, message, "check that they are SI, or convert them"});
}

// Header fields of 58 hold six digits. True when start and step survive them.
bool survives_header(double value) {
  const auto printed = parse_number(fmt::format("{:.5E}", value));
  return printed && std::abs(*printed - value) <= 1e-12 * std::abs(value);
}

struct EvenAxis {
  bool even = false;
  double start = 0.0, step = 0.0;
};
EvenAxis even_axis(const std::vector<double>& x) {
  if (x.size() < 2) return {x.size() == 1, x.empty() ? 0.0 : x[0], 0.0};
  const double step = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::abs(x[i] - (x.front() + static_cast<double>(i) * step)) > 1e-9 * std::abs(step)) return {};
  // The increment as it was meant: of the numbers within the rounding of the axis, the one with few digits.
  for (int digits = 5; digits <= 15; ++digits)
    if (const auto round = parse_number(fmt::format("{:.{}E}", step, digits));
        round && std::abs(*round - step) < 1e-13 * std::abs(x.back()) / static_cast<double>(x.size()))
      return {true, x.front(), *round};
  return {true, x.front(), step};
}

int axis_type_of(const std::string& unit) {
  if (unit == "m") return 8;
  if (unit == "m/s") return 11;
  if (unit == "m/s^2") return 12;
  if (unit == "N") return 13;
  if (unit == "Pa") return 15;
  return 0;
}

const char* axis_label_of(int type) {
  switch (type) {
    case 8: return "Displacement";
    case 11: return "Velocity";
    case 12: return "Acceleration";
    case 13: return "Force";
    case 15: return "Pressure";
    default: return "NONE";
  }
}

UffAxis ordinate(const std::string& unit) {
  UffAxis axis;
  axis.type = axis_type_of(unit);
  axis.label = axis_label_of(axis.type);
  axis.unit = unit.empty() ? "NONE" : unit;
  return axis;
}

void put_points(UffFunction& f, const Dof& response, const Dof& reference) {
  f.response_node = response.node, f.response_direction = response.direction,
  f.response_name = response.name.empty() ? "NONE" : response.name;
  f.reference_node = reference.node, f.reference_direction = reference.direction,
  f.reference_name = reference.name.empty() ? "NONE" : reference.name;
}

// Written where there is no name; read as none.
const std::string no_name = "kdyn";

void put_head(UffFile& out, const std::string& name) {
  out.header = UffHeader{{name.empty() ? no_name : name, "NONE", "kdyn", "NONE", "NONE", "kdyn", "NONE"}};
  out.units = UffUnits{1, "SI", 1.0, 1.0, 1.0, 273.15};
}

}  // namespace

// Universal files have no field for it; the last line of identification carries what an exponential window added to
// every pole, 1/s.
constexpr std::string_view added_decay_word = "added decay ";

FrequencyResponse frequency_response_of(UffFile&& file) {
  FrequencyResponse out;
  if (file.header && file.header->lines[0] != no_name && file.header->lines[0] != "NONE")
    out.name = file.header->lines[0];
  out.source.path = file.name;
  std::map<decltype(axis_key(UffFunction{})), std::size_t> axes;
  for (const UffFunction& f : file.functions)
    if (f.type == 4 && f.size() > 0) ++axes[axis_key(f)];
  if (axes.empty()) return out;
  const auto common = std::max_element(axes.begin(), axes.end(), [](const auto& a, const auto& b) {
                        return a.second < b.second;
                      })->first;
  std::size_t left_out = 0;
  std::map<PointPair, std::size_t> channel_of;
  std::set<std::string> told;
  for (UffFunction& f : file.functions) {
    if (f.type != 4 || f.size() == 0) continue;
    if (axis_key(f) != common) {
      ++left_out;
      continue;
    }
    if (out.channels.empty()) {
      out.frequency_hz = abscissa_of(f);
      const SiUnit unit = si_of(f.axes[0]);
      if (unit.factor != 1.0)
        for (double& x : out.frequency_hz) x *= unit.factor;
    }
    if (f.id[4].starts_with(added_decay_word))
      out.added_decay = parse_number(trim(std::string_view(f.id[4]).substr(added_decay_word.size()))).value_or(0.0);
    FrequencyResponseChannel channel;
    channel.output = dof_of(f.response_node, f.response_direction, f.response_name);
    channel.input = dof_of(f.reference_node, f.reference_direction, f.reference_name);
    const SiUnit numerator = si_of(f.axes[1]), denominator = si_of(f.axes[2]);
    note_units(file, f, numerator, f.axes[1], told, out.findings);
    channel.output_unit = numerator.unit, channel.input_unit = denominator.unit;
    if (f.is_complex)
      channel.values = std::move(f.complex);
    else
      channel.values.assign(f.real.begin(), f.real.end());
    const double factor = numerator.factor / denominator.factor;
    if (factor != 1.0)
      for (auto& value : channel.values) value *= factor;
    channel_of.emplace(points_of(f), out.channels.size());
    out.channels.push_back(std::move(channel));
  }
  for (const UffFunction& f : file.functions) {
    if (f.type != 6 || f.is_complex || f.size() != out.frequency_hz.size()) continue;
    if (const auto found = channel_of.find(points_of(f)); found != channel_of.end())
      out.channels[found->second].coherence = f.real;
  }
  if (left_out > 0)
    out.findings.push_back(
        {Severity::warning, "other_axis", file.name,
         fmt::format("{} frequency responses have another frequency axis and were left out", left_out),
         "split the file by frequency axis"});
  return out;
}

SignalSet signals_of(const UffFile& file) {
  SignalSet out;
  out.source.path = file.name;
  std::set<std::string> told;
  for (const UffFunction& f : file.functions) {
    if (f.type != 1 || f.is_complex) continue;
    if (!f.even) {
      out.findings.push_back(
          {Severity::warning, "uneven_time", file.name,
           fmt::format("time signal {} is not evenly sampled and was left out", in_quotes(f.response_name)),
           "resample it"});
      continue;
    }
    Signal signal;
    signal.dof = dof_of(f.response_node, f.response_direction, f.response_name);
    signal.name = signal.dof.name.empty() ? label(signal.dof) : signal.dof.name;
    const SiUnit unit = si_of(f.axes[1]);
    note_units(file, f, unit, f.axes[1], told, out.findings);
    signal.unit = unit.unit;
    signal.start_s = f.start, signal.step_s = f.step;
    signal.values = f.real;
    if (unit.factor != 1.0)
      for (double& value : signal.values) value *= unit.factor;
    out.signals.push_back(std::move(signal));
  }
  return out;
}

Geometry geometry_of(const UffFile& file) {
  Geometry out = file.geometry;
  const double to_m = file.units ? 1.0 / file.units->length : 1.0;
  std::map<std::int64_t, const CoordinateSystem*> systems;
  for (CoordinateSystem& system : out.systems) {
    for (double& x : system.p_GL_G) x *= to_m;
    systems.emplace(system.label, &system);
  }
  for (GeometryNode& node : out.nodes) {
    std::array<double, 3>& p = node.position;
    const auto found = systems.find(node.definition_system);
    const CoordinateKind kind = found == systems.end() ? CoordinateKind::cartesian : found->second->kind;
    if (kind == CoordinateKind::cylindrical) {
      p = {p[0] * std::cos(degree * p[1]), p[0] * std::sin(degree * p[1]), p[2]};
    } else if (kind == CoordinateKind::spherical) {
      const double r = p[0], theta = degree * p[1], phi = degree * p[2];
      p = {r * std::sin(theta) * std::cos(phi), r * std::sin(theta) * std::sin(phi), r * std::cos(theta)};
    }
    for (double& x : p) x *= to_m;
    if (found != systems.end()) {
      const CoordinateSystem& s = *found->second;
      const std::array<double, 3> local = p;
      for (std::size_t i = 0; i < 3; ++i)
        p[i] = s.p_GL_G[i] + s.R_GL[i][0] * local[0] + s.R_GL[i][1] * local[1] + s.R_GL[i][2] * local[2];
    }
    node.definition_system = 0;
  }
  return out;
}

ModeSet modes_of(const UffFile& file) {
  ModeSet out;
  out.name = file.header ? file.header->lines[0] : "";
  out.source.path = file.name;
  out.geometry = geometry_of(file);
  if (!file.units && !file.geometry.nodes.empty())
    out.findings.push_back({Severity::note, "no_units", file.name,
                            "the file has no dataset 164: lengths were taken for metres",
                            "check the size of the structure"});
  std::map<std::pair<std::int64_t, int>, std::size_t> place;
  std::vector<const UffShape*> used;
  std::size_t budget = 0, given = 0;
  for (const UffShape& shape : file.shapes) {
    if (shape.analysis != 2 && shape.analysis != 3 && shape.analysis != 7) continue;
    used.push_back(&shape);
    given += shape.values.size();
    for (const std::int64_t node : shape.nodes)
      for (int i = 0; i < shape.values_per_node; ++i) {
        const int direction = shape.values_per_node == 1 ? 0 : i < 6 ? i + 1 : 0;
        if (place.emplace(std::pair{node, direction}, out.dofs.size()).second)
          out.dofs.push_back({node, direction, {}});
      }
  }
  budget = out.dofs.size() * used.size();
  // Shapes over different nodes would fill a large table with zeros.
  const bool ragged = budget != given;
  if (ragged && budget > 4 * given + 1000) {
    out.findings.push_back({Severity::serious, "different_nodes", file.name,
                            "the mode shapes are given at different nodes and were not joined",
                            "export the modes at one set of nodes"});
    out.dofs.clear();
    return out;
  }
  if (ragged)
    out.findings.push_back({Severity::warning, "different_nodes", file.name,
                            "not every shape has every node; missing values are zero",
                            "export the modes at one set of nodes"});
  for (const UffShape* shape : used) {
    Mode mode;
    mode.name = shape->name;
    const bool damped = shape->analysis != 2 && std::abs(shape->eigenvalue) > 0.0;
    mode.pole = damped ? shape->eigenvalue
                       : pole_of(shape->frequency_hz, shape->viscous_damping > 0.0 ? shape->viscous_damping
                                                                                   : 0.5 * shape->hysteretic_damping);
    mode.modal_mass = shape->modal_mass, mode.modal_a = shape->modal_a;
    mode.shape.assign(out.dofs.size(), 0.0);
    const auto per_node = static_cast<std::size_t>(shape->values_per_node);
    for (std::size_t n = 0; n < shape->nodes.size(); ++n)
      for (std::size_t i = 0; i < per_node; ++i) {
        const int direction = per_node == 1 ? 0 : i < 6 ? static_cast<int>(i) + 1 : 0;
        mode.shape[place.at({shape->nodes[n], direction})] = shape->values[n * per_node + i];
      }
    out.complex_shapes = out.complex_shapes || shape->is_complex;
    if (mode.modal_mass != 0.0 || mode.modal_a != 0.0) out.scaling = ModeScaling::as_given;
    out.modes.push_back(std::move(mode));
  }
  return out;
}

UffFile to_uff(const FrequencyResponse& response) {
  UffFile out;
  put_head(out, response.name);
  const EvenAxis axis = even_axis(response.frequency_hz);
  const bool even = axis.even && survives_header(axis.start) && survives_header(axis.step);
  for (const FrequencyResponseChannel& channel : response.channels) {
    UffFunction f;
    f.type = 4, f.is_complex = true, f.even = even;
    put_points(f, channel.output, channel.input);
    if (response.added_decay != 0.0) f.id[4] = fmt::format("{}{}", added_decay_word, response.added_decay);
    if (even)
      f.start = axis.start, f.step = axis.step;
    else
      f.abscissa = response.frequency_hz;
    f.axes[0].type = 18, f.axes[0].label = "Frequency", f.axes[0].unit = "Hz";
    f.axes[1] = ordinate(channel.output_unit), f.axes[2] = ordinate(channel.input_unit);
    f.complex = channel.values;
    out.functions.push_back(f);
    if (!channel.coherence.empty()) {
      f.type = 6, f.is_complex = false;
      f.axes[1] = f.axes[2] = UffAxis{};
      f.complex.clear();
      f.real = channel.coherence;
      out.functions.push_back(std::move(f));
    }
  }
  return out;
}

UffFile to_uff(SignalSet signals) {
  UffFile out;
  put_head(out, "");
  for (Signal& signal : signals.signals) {
    UffFunction f;
    f.type = 1;
    put_points(f, signal.dof, {});
    if (f.response_name == "NONE" && signal.dof.node == 0) f.response_name = signal.name;
    f.start = signal.start_s, f.step = signal.step_s;
    f.axes[0].type = 17, f.axes[0].label = "Time", f.axes[0].unit = "s";
    f.axes[1] = ordinate(signal.unit);
    f.real = std::move(signal.values);
    out.functions.push_back(std::move(f));
  }
  return out;
}

UffFile to_uff(const Geometry& geometry) {
  UffFile out;
  put_head(out, geometry.name);
  out.geometry = geometry;
  return out;
}

UffFile to_uff(const ModeSet& modes) {
  UffFile out = to_uff(modes.geometry);
  put_head(out, modes.name);
  // Nodes in the order of the degrees of freedom; six values each as soon as one rotation is there.
  std::vector<std::int64_t> nodes;
  std::map<std::int64_t, std::size_t> row;
  bool rotations = false;
  for (const Dof& dof : modes.dofs) {
    if (row.emplace(dof.node, nodes.size()).second) nodes.push_back(dof.node);
    rotations = rotations || std::abs(dof.direction) > 3;
  }
  const int per_node = rotations ? 6 : 3;
  int number = 0;
  for (const Mode& mode : modes.modes) {
    UffShape shape;
    shape.mode = ++number;
    shape.id[0] = mode.name.empty() ? "NONE" : mode.name;
    shape.is_complex = modes.complex_shapes;
    shape.analysis = modes.complex_shapes ? 3 : 2;
    shape.characteristic = rotations ? 3 : 2, shape.values_per_node = per_node;
    shape.frequency_hz = mode.frequency_hz(), shape.viscous_damping = mode.damping_ratio();
    shape.modal_mass = mode.modal_mass, shape.eigenvalue = mode.pole, shape.modal_a = mode.modal_a;
    // Readers of complex modes look for modal A: phi phi^T / (m (s - lambda)(s - lambda*)) has the residue phi phi^T /
    // (2 i omega_d m).
    if (shape.modal_a == 0.0) shape.modal_a = std::complex<double>(0.0, 2.0 * mode.pole.imag() * mode.modal_mass);
    shape.modal_b = -mode.pole * shape.modal_a;
    shape.nodes = nodes;
    shape.values.assign(nodes.size() * static_cast<std::size_t>(per_node), 0.0);
    for (std::size_t i = 0; i < modes.dofs.size(); ++i) {
      const Dof& dof = modes.dofs[i];
      const int axis = dof.direction == 0 ? 1 : std::abs(dof.direction);
      if (axis > per_node) continue;
      shape.values[row[dof.node] * static_cast<std::size_t>(per_node) + static_cast<std::size_t>(axis - 1)] =
          dof.direction < 0 ? -mode.shape[i] : mode.shape[i];
    }
    out.shapes.push_back(std::move(shape));
  }
  return out;
}

}  // namespace kdyn::inline io
