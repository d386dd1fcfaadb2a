// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/bushing_file.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

struct Factors {  // to SI, of one direction
  double displacement, force, damping;
};

Factors factors_of(const TeimOrbitUnits& units, std::size_t direction) {
  const bool rotation = direction >= 3;
  const double displacement = rotation ? units.angle : units.length,
               force = rotation ? units.force * units.length : units.force;
  return {displacement, force, force * units.time / displacement};
}

void take_curve(const TeimOrbitBlock& block, const Factors& factors, BushingDirection& out, const std::string& where,
                std::vector<Finding>& findings) {
  for (const TeimOrbitTable& table : block.tables) {
    if (table.columns.size() < 2) continue;
    out.curve.clear();
    for (const auto& row : table.rows) out.curve.emplace_back(factors.displacement * row[0], factors.force * row[1]);
    std::stable_sort(out.curve.begin(), out.curve.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    bool rising = out.curve.size() >= 2;
    for (std::size_t i = 1; i < out.curve.size(); ++i)
      rising = rising && out.curve[i].first > out.curve[i - 1].first && out.curve[i].second >= out.curve[i - 1].second;
    if (!rising)
      findings.push_back(
          {Severity::warning, "curve_not_rising", fmt::format("{}:{}: block {}", where, table.line, block.title),
           "the curve does not rise everywhere", "curves of a bushing have positive slope: check signs and order"});
    return;
  }
}

std::optional<double> number_of(const TeimOrbitBlock& block, std::string_view part) {
  for (const auto& [key, value] : block.values)
    if (key.find(part) != std::string::npos)
      if (const auto number = internal::field_number(value); number && std::isfinite(*number)) return number;
  return std::nullopt;
}

// The shortest digits that give the number back; no minus before a zero.
std::string exact(double value) { return fmt::format("{}", value == 0.0 ? 0.0 : value); }

void print_units(std::string& out) {
  out +=
      "[UNITS]\n LENGTH        =  'mm'\n ANGLE         =  'degrees'\n FORCE         =  'newton'\n MASS          =  "
      "'kg'\n TIME          =  "
      "'second'\n";
}

void print_comments(std::string& out, const std::vector<std::string>& comments) {
  for (std::string comment : comments) {
    std::replace_if(
        comment.begin(), comment.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    out += "$ " + comment + "\n";
  }
}

void print_curve(std::string& out, const Curve& curve, const Factors& factors, const char* column) {
  out += fmt::format("{{  x        {}}}\n", lower_case(column));
  for (const auto& [x, f] : curve)
    out += fmt::format(" {:>24} {:>24}\n", exact(x / factors.displacement), exact(f / factors.force));
}

}  // namespace

bool is_bushing_file(const TeimOrbitFile& file) {
  for (const TeimOrbitBlock& block : file.blocks) {
    if (block.title == "FX_CURVE" && file.find("MODEL") == nullptr) return true;
    if (block.title.starts_with("SPLINE_STIFFNESS_") || block.title.starts_with("CONSTANT_STIFFNESS_")) return true;
    if (const auto type = block.text("FILE_TYPE"); type && (lower_case(*type) == "bus" || lower_case(*type) == "gbs"))
      return true;
  }
  return false;
}

BushingFile bushing_of(TeimOrbitFile&& file) {
  const TeimOrbitUnits units = teimorbit_units(file);
  BushingFile out;
  out.name = file.name;
  for (const char* title : {"GLOBAL", "KDYN"})
    if (const TeimOrbitBlock* block = file.find(title))
      if (const auto coupling = block->text("COUPLING")) out.coupling = lower_case(*coupling);
  out.place = installed_place(file);
  for (std::size_t d = 0; d < 6; ++d) {
    const std::string direction = bushing_directions[d];
    const Factors factors = factors_of(units, d);
    BushingDirection& to = out.directions[d];
    for (const TeimOrbitBlock& block : file.blocks) {
      if (block.title == direction + "_CURVE" || block.title == "SPLINE_STIFFNESS_" + direction)
        take_curve(block, factors, to, file.name, file.findings);
      if (block.title == "CONSTANT_STIFFNESS_" + direction)
        if (const auto value = number_of(block, "STIFFNESS"))
          to.stiffness = *value * factors.force / factors.displacement;
      if (block.title == "CONSTANT_DAMPING_" + direction)
        if (const auto value = number_of(block, "DAMPING")) to.damping = *value * factors.damping;
      if (block.title == "DAMPING")
        if (const auto text = block.text(direction + "_DAMPING"))
          if (const auto value = internal::field_number(*text); value && std::isfinite(*value))
            to.damping = *value * factors.damping;
      for (const char* method : {"CUBIC_STIFFNESS_", "RUBBER_DAMPING_", "HYDROMOUNT_DAMPING_"})
        if (block.title == method + direction)
          file.findings.push_back({Severity::warning, "method_not_read", fmt::format("{}:{}", file.name, block.line),
                                   fmt::format("block {} is not read", block.title),
                                   "export curves and constant damping"});
    }
    if (!to.curve.empty() && to.stiffness) to.stiffness.reset();
  }
  out.findings = std::move(file.findings);
  return out;
}

std::string bus_text(const BushingFile& file) {
  const TeimOrbitUnits units;
  std::string out =
      "$---------------------------------------------------------------------MDI_HEADER\n[MDI_HEADER]\n FILE_TYPE     "
      "=  'bus'\n FILE_VERSION  =  "
      "4.0\n FILE_FORMAT   =  'ASCII'\n";
  print_comments(out, file.comments);
  out += "$--------------------------------------------------------------------------UNITS\n";
  print_units(out);
  out += "$------------------------------------------------------------------------DAMPING\n[DAMPING]\n";
  for (std::size_t d = 0; d < 6; ++d)
    out += fmt::format(" {}_DAMPING    =  {}\n", bushing_directions[d],
                       exact(file.directions[d].damping.value_or(0.0) / factors_of(units, d).damping));
  for (std::size_t d = 0; d < 6; ++d) {
    out += fmt::format("$-----------------------------------------------------------------------{}_CURVE\n[{}_CURVE]\n",
                       bushing_directions[d], bushing_directions[d]);
    const BushingDirection& from = file.directions[d];
    Curve curve = from.curve;
    // A direction without a curve is a straight line: the format wants all six.
    if (curve.empty()) {
      const double reach = d >= 3 ? 0.1 : 0.01, k = from.stiffness.value_or(0.0);
      curve = {{-reach, -k * reach}, {0.0, 0.0}, {reach, k * reach}};
    }
    print_curve(out, curve, factors_of(units, d), bushing_directions[d]);
  }
  // Other tools keep the coupling with the installation of the bushing, not in this file.
  const std::string place = place_block(file.place);
  out += place;
  if (file.coupling != "rectangular")
    out += fmt::format("{} COUPLING      =  '{}'\n", place.empty() ? "[KDYN]\n" : "", file.coupling);
  return out;
}

std::string gbs_text(const BushingFile& file) {
  const TeimOrbitUnits units;
  std::string out =
      "$-------------------------------------------------------------------------HEADER\n[HEADER]\n FILE_TYPE     =  "
      "'gbs'\n FILE_VERSION  =  1.0\n "
      "FILE_FORMAT   =  'ASCII'\n";
  print_comments(out, file.comments);
  print_units(out);
  out += fmt::format("[GLOBAL]\n COUPLING      =  '{}'\n[DIRECTIONS]\n(ACTIVITY)\n{{  fx  fy  fz  tx  ty  tz}}\n",
                     file.coupling);
  const auto active = [](const BushingDirection& d) { return !d.curve.empty() || d.stiffness || d.damping; };
  for (const BushingDirection& direction : file.directions) out += active(direction) ? "   1" : "   0";
  out += "\n[FRICTION]\n FRICTION      =  'no'\n";
  for (std::size_t d = 0; d < 6; ++d) {
    const BushingDirection& from = file.directions[d];
    const Factors factors = factors_of(units, d);
    if (!from.curve.empty()) {
      out += fmt::format("[SPLINE_STIFFNESS_{}]\n", bushing_directions[d]);
      print_curve(out, from.curve, factors, bushing_directions[d]);
    } else if (from.stiffness) {
      out += fmt::format("[CONSTANT_STIFFNESS_{}]\n STIFFNESS     =  {}\n", bushing_directions[d],
                         exact(*from.stiffness * factors.displacement / factors.force));
    }
    if (from.damping)
      out += fmt::format("[CONSTANT_DAMPING_{}]\n DAMPING       =  {}\n", bushing_directions[d],
                         exact(*from.damping / factors.damping));
  }
  out += place_block(file.place);
  return out;
}

}  // namespace kdyn::inline io
