// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/ubf.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

// Spellings of the appendix and variable names of .ubu; the rest of a key stays.
constexpr std::pair<std::string_view, std::string_view> misspelt[] = {
    {"FRICITION_", "FRICTION_"}, {"MAIN_RUBER_", "MAIN_RUBBER_"}, {"CHAMEBR_", "CHAMBER_"}, {"SCLAE_", "SCALE_"}};
constexpr std::pair<std::string_view, std::string_view> variables[] = {
    {"KSTAT", "STIFFNESS_STATIC"},
    {"ALFA", "ALPHA"},
    {"SCALER", "LAMBDA"},
    {"RHO", "RHO_RUBBER"},
    {"RDL", "RDL_RUBBER"},
    {"KSIGN", "FRICTION_SIGNUM_GRADIENT"},
    {"FMAX1", "FRICTION_MAX_1"},
    {"FMAX2", "FRICTION_MAX_2"},
    {"SET_FSTAT", "SCALE_STIFFNESS_STATIC"},
    {"SET_LIN", "SCALE_FREQ"},
    {"SET_NONLIN", "SCALE_AMPL"},
    {"ACT_NONLINEAR", "USE_CURVE"},
    {"SET_CURVE", "SCALE_CURVE"},
    {"CT10", "MAIN_RUBBER_STIFFNESS_STATIC"},
    {"RDLT", "MAIN_RUBBER_RDL"},
    {"RHODLT", "MAIN_RUBBER_RHO"},
    {"SET_NONLINCT", "MAIN_RUBBER_SCALE_AMPL"},
    {"SET_LINCT", "MAIN_RUBBER_SCALE_FREQ"},
    {"FMAX1T", "MAIN_RUBBER_FRICTION_MAX_1"},
    {"FMAX2T", "MAIN_RUBBER_FRICTION_MAX_2"},
    {"KSIGNT", "MAIN_RUBBER_FRICTION_SIGNUM_GRADIENT"},
    {"CB10", "CHAMBER_RUBBER_STIFFNESS_STATIC"},
    {"RDLB", "CHAMBER_RUBBER_RDL"},
    {"RHODLB", "CHAMBER_RUBBER_RHO"},
    {"GB_FRC_DAMP", "CHAMBER_RUBBER_LAMBDA"},
    {"SET_NONLINCB", "CHAMBER_RUBBER_SCALE_AMPL"},
    {"SET_LINCB", "CHAMBER_RUBBER_SCALE_FREQ"},
    {"FMAX1B", "CHAMBER_RUBBER_FRICTION_MAX_1"},
    {"FMAX2B", "CHAMBER_RUBBER_FRICTION_MAX_2"},
    {"KSIGNB", "CHAMBER_RUBBER_FRICTION_SIGNUM_GRADIENT"},
    {"AB10", "CHAMBER_AREA"},
    {"AK10", "FLUID_CHANNEL_AREA"},
    {"LK10", "FLUID_CHANNEL_LENGTH"},
    {"D10", "FLUID_DAMPING_LINEAR"},
    {"BETA10", "FLUID_DAMPING_NONLINEAR"},
    {"SET_POW", "FLUID_DAMPING_EXPONENT"},
    {"KSIGND", "FLUID_DAMPING_EXPONENT_GRADIENT"},
    {"RHOF", "FLUID_DENSITY"},
    {"MK10", "FLUID_MASS"},
    {"F010", "FLUID_RESONANCE_FREQUENCY"},
    {"P_LIMIT", "FLUID_PRESSURE_LIMIT"},
    {"KSIGNP", "FLUID_PRESSURE_LIMIT_SIGNUM_GRADIENT"},
    {"AK10I", "FLUID_PRESSURE_LIMIT_BYPASS_AREA"},
    {"P_THRESHOLD", "FLUID_PRESSURE_LIMIT_BYPASS_THRESHOLD"},
    {"D_DECOUPLING", "DECOUPLING_CLEARANCE"},
    {"K_DECOUPLING", "DECOUPLING_GRADIENT"},
    {"SET_FB", "SCALE_CHAMBER_STIFFNESS"},
    {"SET_FLDAMP1", "SCALE_FLUID_DAMPING_LINEAR"},
    {"SET_FLDAMP2", "SCALE_FLUID_DAMPING_NONLINEAR"},
    {"SET_FLTMD", "SCALE_FLUID_TUNED_MASS_DAMPER"},
    {"SET_FREQ", "SCALE_FREQ_SHIFT"},
    {"SET_FT", "SCALE_MAIN_RUBBER_CURVE"}};

std::string standard_key(std::string key) {
  for (const auto& [wrong, right] : misspelt)
    if (key.starts_with(wrong)) key = std::string(right) + key.substr(wrong.size());
  // The chamber key carries one misspelling behind the other.
  if (key.starts_with("CHAMBER_RUBBER_FRICITION_")) key = "CHAMBER_RUBBER_FRICTION_" + key.substr(25);
  if (key.starts_with("MAIN_RUBBER_FRICITION_")) key = "MAIN_RUBBER_FRICTION_" + key.substr(22);
  for (const auto& [variable, right] : variables)
    if (key == variable) return std::string(right);
  return key;
}

const UbfKey* find_key(const std::string& key) {
  const auto& keys = ubf_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const UbfKey& known) { return known.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

// Factor of a unit made of m, N, s, kg, Hz, deg from the file's units; rotational directions use angle and moment
// instead of length and force.
double factor_of(std::string_view unit, const TeimOrbitUnits& u, bool rotation) {
  const double x = rotation ? u.angle : u.length, f = rotation ? u.force * u.length : u.force;
  if (unit == "m") return x;
  if (unit == "1/m") return 1.0 / x;
  if (unit == "N") return f;
  if (unit == "N/m") return f / x;
  if (unit == "s") return u.time;
  if (unit == "s/m") return u.time / x;
  if (unit == "fluid m") return u.length;
  if (unit == "m^2") return u.length * u.length;
  if (unit == "kg") return u.mass;
  if (unit == "kg/m^3") return u.mass / (u.length * u.length * u.length);
  if (unit == "N*s/m") return u.force * u.time / u.length;
  if (unit == "N*s^2/m^2") return u.force * u.time * u.time / (u.length * u.length);
  if (unit == "N/m^2") return u.force / (u.length * u.length);
  if (unit == "Hz") return 1.0 / u.time;
  if (unit == "deg") return 0.017453292519943295;
  return 1.0;
}

bool is_own_text(std::string_view key) {
  return key.ends_with("FRICTION_LAW") || key.ends_with("FRICTION_START_UP") || key == "FLUID_DAMPING_COUPLED";
}
bool is_text(std::string_view key) { return key == "USE_CURVE" || key == "MAIN_RUBBER_USE_CURVE" || is_own_text(key); }

void take_tables(const TeimOrbitBlock& block, const TeimOrbitUnits& units, bool rotation, UbfDirection& out,
                 UbfFile& file) {
  for (const TeimOrbitTable& table : block.tables) {
    const auto& known = ubf_tables();
    const auto key =
        std::find_if(known.begin(), known.end(), [&](const UbfTableKey& one) { return one.name == table.name; });
    if (key == known.end() || table.columns.size() != key->columns.size()) {
      file.findings.push_back({Severity::warning, "table_unused",
                               fmt::format("{}:{}: block {}", file.name, table.line, block.title),
                               fmt::format("the table {} is not one that kdyn writes", in_quotes(table.name)),
                               "check its name and columns"});
      continue;
    }
    UbfTable& rows = out.tables[table.name];
    rows = table.rows;
    for (auto& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) row[i] *= factor_of(key->columns[i].second, units, rotation);
  }
}

void take_values(const TeimOrbitBlock& block, const TeimOrbitUnits& units, bool rotation, UbfDirection& out,
                 UbfFile& file) {
  out.present = true;
  std::vector<std::string> unknown;
  for (const auto& [written, value] : block.values) {
    const std::string key = standard_key(written);
    const UbfKey* known = find_key(key);
    const auto number = internal::field_number(value);
    if (known != nullptr && number && std::isfinite(*number))
      out.numbers[key] = *number * factor_of(known->unit, units, rotation);
    else if (is_text(key))
      out.texts[key] = lower_case(value);
    else if (known != nullptr)
      file.findings.push_back({Severity::serious, "bad_value",
                               fmt::format("{}:{}: block {}", file.name, block.line, block.title),
                               fmt::format("{} = {} is no number", written, in_quotes(value)), "repair the line"});
    else if (unknown.size() < 20 && !lower_case(key).starts_with("testrig"))
      unknown.push_back(in_quotes(written));
  }
  if (!unknown.empty())
    file.findings.push_back({Severity::note, "keys_unused",
                             fmt::format("{}:{}: block {}", file.name, block.line, block.title),
                             "not used: " + join(unknown, ", "), "nothing, unless one of them is misspelt"});
}

Curve curve_of(const TeimOrbitTable& table, double x_factor, double y_factor) {
  Curve curve;
  if (table.columns.size() < 2) return curve;
  for (const auto& row : table.rows) curve.emplace_back(x_factor * row[0], y_factor * row[1]);
  std::stable_sort(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return curve;
}

}  // namespace

const std::vector<UbfKey>& ubf_keys() {
  static const std::vector<UbfKey> keys = {{"STIFFNESS_STATIC", "N/m"},
                                           {"SCALE_STIFFNESS_STATIC", "-"},
                                           {"SCALE_CURVE", "-"},
                                           {"ALPHA", "-"},
                                           {"BETA", "-"},
                                           {"GAMMA", "s"},
                                           {"LAMBDA", "-"},
                                           {"SCALE_FREQ", "-"},
                                           {"RDL_RUBBER", "m"},
                                           {"RHO_RUBBER", "1/m"},
                                           {"FRICTION_SIGNUM_GRADIENT", "s/m"},
                                           {"FRICTION_MAX_1", "m"},
                                           {"FRICTION_MAX_2", "m"},
                                           {"FRICTION_DEADBAND", "m", true},
                                           {"SCALE_AMPL", "-"},
                                           {"DYNAMIC_HARDENING_1", "-"},
                                           {"DYNAMIC_HARDENING_2", "-"},
                                           {"AMPLITUDE_1", "m"},
                                           {"AMPLITUDE_2", "m"},
                                           {"LOSS_ANGLE", "deg"},
                                           {"LAYOUT_FREQUENCY", "Hz"},
                                           {"MAIN_RUBBER_AMPLITUDE_1", "m"},
                                           {"MAIN_RUBBER_AMPLITUDE_2", "m"},
                                           {"MAIN_RUBBER_DYNAMIC_HARDENING_1", "-"},
                                           {"MAIN_RUBBER_DYNAMIC_HARDENING_2", "-"},
                                           {"MAIN_RUBBER_LAYOUT_FREQUENCY", "Hz"},
                                           {"MAIN_RUBBER_LOSS_ANGLE", "deg"},
                                           {"MAIN_RUBBER_STIFFNESS_STATIC", "N/m"},
                                           {"MAIN_RUBBER_LAMBDA", "-"},
                                           {"MAIN_RUBBER_RDL", "m"},
                                           {"MAIN_RUBBER_RHO", "1/m"},
                                           {"MAIN_RUBBER_SCALE_AMPL", "-"},
                                           {"MAIN_RUBBER_SCALE_FREQ", "-"},
                                           {"MAIN_RUBBER_FRICTION_MAX_1", "m"},
                                           {"MAIN_RUBBER_FRICTION_MAX_2", "m"},
                                           {"MAIN_RUBBER_FRICTION_SIGNUM_GRADIENT", "s/m"},
                                           {"CHAMBER_RUBBER_STIFFNESS_STATIC", "N/m"},
                                           {"CHAMBER_RUBBER_ALPHA", "-", true},
                                           {"CHAMBER_RUBBER_BETA", "-", true},
                                           {"CHAMBER_RUBBER_GAMMA", "s", true},
                                           {"CHAMBER_RUBBER_AMPLITUDE_1", "m"},
                                           {"CHAMBER_RUBBER_AMPLITUDE_2", "m"},
                                           {"CHAMBER_RUBBER_DYNAMIC_HARDENING_1", "-"},
                                           {"CHAMBER_RUBBER_DYNAMIC_HARDENING_2", "-"},
                                           {"CHAMBER_RUBBER_FRICTION_MAX_1", "m"},
                                           {"CHAMBER_RUBBER_FRICTION_MAX_2", "m"},
                                           {"CHAMBER_RUBBER_FRICTION_SIGNUM_GRADIENT", "s/m"},
                                           {"CHAMBER_RUBBER_LAMBDA", "-"},
                                           {"CHAMBER_RUBBER_LAYOUT_FREQUENCY", "Hz"},
                                           {"CHAMBER_RUBBER_LOSS_ANGLE", "deg"},
                                           {"CHAMBER_RUBBER_RDL", "m"},
                                           {"CHAMBER_RUBBER_RHO", "1/m"},
                                           {"CHAMBER_RUBBER_SCALE_AMPL", "-"},
                                           {"CHAMBER_RUBBER_SCALE_FREQ", "-"},
                                           {"CHAMBER_AREA", "m^2"},
                                           {"CHAMBER_PRELOAD_SENSITIVITY_OFFSET", "fluid m"},
                                           {"CHAMBER_PRELOAD_SENSITIVITY_SIGNUM_GRADIENT", "-"},
                                           {"DECOUPLING_CLEARANCE", "fluid m"},
                                           {"DECOUPLING_GRADIENT", "-"},
                                           {"FLUID_CHANNEL_AREA", "m^2"},
                                           {"FLUID_CHANNEL_LENGTH", "fluid m"},
                                           {"FLUID_DAMPING_EXPONENT", "-"},
                                           {"FLUID_DAMPING_EXPONENT_GRADIENT", "-"},
                                           {"FLUID_DAMPING_LINEAR", "N*s/m"},
                                           {"FLUID_DAMPING_NONLINEAR", "N*s^2/m^2"},
                                           {"FLUID_DENSITY", "kg/m^3"},
                                           {"FLUID_MASS", "kg"},
                                           {"FLUID_PRESSURE_LIMIT_BYPASS_AREA", "m^2"},
                                           {"FLUID_PRESSURE_LIMIT_BYPASS_THRESHOLD", "N/m^2"},
                                           {"FLUID_RESONANCE_FREQUENCY", "Hz"},
                                           {"FLUID_PRESSURE_LIMIT", "N/m^2"},
                                           {"FLUID_PRESSURE_LIMIT_SIGNUM_GRADIENT", "-"},
                                           {"SCALE_CHAMBER_STIFFNESS", "-"},
                                           {"SCALE_FLUID_DAMPING_LINEAR", "-"},
                                           {"SCALE_FLUID_DAMPING_NONLINEAR", "-"},
                                           {"SCALE_FLUID_TUNED_MASS_DAMPER", "-"},
                                           {"SCALE_FREQ_SHIFT", "-"},
                                           {"SCALE_MAIN_RUBBER_CURVE", "-"},
                                           {"MAIN_RUBBER_SCALE_STIFFNESS_STATIC", "-", true},
                                           {"MAIN_RUBBER_FRICTION_DEADBAND", "m", true},
                                           {"CHAMBER_RUBBER_SCALE_CURVE", "-", true},
                                           {"CHAMBER_RUBBER_FRICTION_DEADBAND", "m", true},
                                           {"DECOUPLING_RESIDUAL_SLOPE", "-", true},
                                           {"FLUID_PRESSURE_LIMIT_SMOOTHING", "N/m^2", true},
                                           {"FORCE_SCALE", "-", true}};
  return keys;
}

const std::vector<UbfTableKey>& ubf_tables() {
  static const std::vector<UbfTableKey> tables = {
      {"TEMPERATURE", {{"temperature_c", "-"}, {"stiffness", "-"}, {"freq", "-"}, {"ampl", "-"}}},
      {"MAIN_RUBBER_TEMPERATURE", {{"temperature_c", "-"}, {"stiffness", "-"}, {"freq", "-"}, {"ampl", "-"}}},
      {"CHAMBER_RUBBER_TEMPERATURE", {{"temperature_c", "-"}, {"stiffness", "-"}, {"freq", "-"}, {"ampl", "-"}}},
      {"CHAMBER_RUBBER_CURVE", {{"x", "m"}, {"f", "N"}}},
      {"FLUID_TEMPERATURE", {{"temperature_c", "-"}, {"damping_linear", "-"}, {"damping_nonlinear", "-"}}},
      {"CHAMBER_PRELOAD_CURVE", {{"f", "N"}, {"factor", "-"}}},
      {"SWITCH_SIGNAL", {{"t", "s"}, {"coupling", "-"}}}};
  return tables;
}

bool is_ubf(const TeimOrbitFile& file) {
  for (const TeimOrbitBlock& block : file.blocks) {
    if (const auto type = block.text("FILE_TYPE")) return lower_case(*type) == "ubf" || lower_case(*type) == "ubu";
    if (block.title == "MODEL" && block.text("MODEL_TYPE")) return true;
  }
  return false;
}

UbfFile ubf_of(TeimOrbitFile&& file) {
  TeimOrbitUnits units = teimorbit_units(file);
  if (!units.given) {
    // The appendix prints SI: that, not mm, is what a file without units means.
    units.length = units.angle = 1.0;
    file.findings.back().message = "there is no [UNITS] block: the SI units of the appendix were taken";
  }
  UbfFile out;
  out.name = file.name;
  out.place = installed_place(file);
  out.findings = std::move(file.findings);
  if (const TeimOrbitBlock* model = file.find("MODEL")) {
    if (const auto type = model->text("MODEL_TYPE")) out.model_type = lower_case(*type) == "g4d" ? "G4D" : "G4E";
    if (const auto shape = model->text("SHAPE")) out.shape = lower_case(*shape);
  }
  for (std::size_t d = 0; d < 6; ++d) {
    const bool rotation = d >= 3;
    const double x = rotation ? units.angle : units.length, f = rotation ? units.force * units.length : units.force;
    for (const TeimOrbitBlock& block : file.blocks) {
      const std::string direction = bushing_directions[d];
      if (block.title == direction) {
        take_values(block, units, rotation, out.directions[d], out);
        for (const TeimOrbitTable& table : block.tables) out.directions[d].curve = curve_of(table, x, f);
      } else if (block.title == direction + "_KDYN") {
        take_values(block, units, rotation, out.directions[d], out);
        take_tables(block, units, rotation, out.directions[d], out);
      } else if (block.title == direction + "_CURVE" && !block.tables.empty()) {
        out.directions[d].curve = curve_of(block.tables.front(), x, f);
      } else if (block.title == direction + "_CHAMBER_CURVE" && !block.tables.empty()) {
        out.directions[d].chamber_curve = curve_of(block.tables.front(), units.length, 1.0 / units.length);
      }
    }
  }
  return out;
}

std::string ubf_text(const UbfFile& file) {
  std::string out =
      "$---------------------------------------------------------------------MDI_HEADER\n[MDI_HEADER]\n FILE_TYPE     "
      "=  'ubf'\n FILE_VERSION  =  "
      "1.0\n FILE_FORMAT   =  'ASCII'\n";
  out +=
      "[UNITS]\n LENGTH        =  'meter'\n ANGLE         =  'radians'\n FORCE         =  'newton'\n MASS          =  "
      "'kg'\n TIME          =  "
      "'second'\n";
  out += fmt::format("[MODEL]\n MODEL_TYPE    =  '{}'\n SHAPE         =  '{}'\n", file.model_type, file.shape);
  const TeimOrbitUnits si{1.0, 1.0, 1.0, 1.0, 1.0, true};
  for (std::size_t d = 0; d < 6; ++d) {
    const UbfDirection& from = file.directions[d];
    if (!from.present) continue;
    out += fmt::format("$-----------------------------------------------------------------------------{0}\n[{0}]\n",
                       bushing_directions[d]);
    const auto keys = [&](bool own) {
      std::string lines;
      for (const auto& [key, text] : from.texts)
        if (is_own_text(key) == own) lines += fmt::format(" {:<45} =  '{}'\n", key, text);
      for (const UbfKey& key : ubf_keys())
        if (const auto found = from.numbers.find(key.key); key.own == own && found != from.numbers.end())
          lines += fmt::format(" {:<45} =  {}\n", key.key, found->second / factor_of(key.unit, si, d >= 3));
      return lines;
    };
    out += keys(false);
    const auto table = [&](const char* suffix, const Curve& curve, const char* columns) {
      if (curve.empty()) return;
      out += fmt::format("[{}{}]\n{{ {} }}\n", bushing_directions[d], suffix, columns);
      for (const auto& [x, y] : curve) out += fmt::format(" {} {}\n", x, y);
    };
    table("_CURVE", from.curve, "x f");
    table("_CHAMBER_CURVE", from.chamber_curve, "x c");
    std::string own = keys(true);
    for (const UbfTableKey& key : ubf_tables())
      if (const auto found = from.tables.find(key.name); found != from.tables.end()) {
        own += fmt::format("({})\n{{", key.name);
        for (const auto& column : key.columns) own += fmt::format(" {}", column.first);
        own += " }\n";
        for (const auto& row : found->second) own += fmt::format(" {}\n", fmt::join(row, " "));
      }
    if (!own.empty()) out += fmt::format("[{}_KDYN]\n{}", bushing_directions[d], own);
  }
  out += place_block(file.place);
  return out;
}

}  // namespace kdyn::inline io
