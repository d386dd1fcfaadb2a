// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/modulus_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/internal/header_words.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io {
namespace {

enum ModulusColumn { at_temperature, at_frequency, at_storage, at_loss, at_tan, modulus_columns };

constexpr std::array<std::string_view, modulus_columns> modulus_words = {
    "t temp temperature temperatur t_c temperature_c sample_temperature probentemperatur temperatur_probe",
    "f freq frequency frequenz frequence f_hz freq_hz frequency_hz omega angular_frequency kreisfrequenz w",
    "e' g' e_stor g_stor e_storage g_storage e_prime g_prime storage_modulus speichermodul e1 g1 storage "
    "e'_storage_modulus "
    "module_de_conservation storage_modulus_e' storage_modulus_g' mod_e' mod_g'",
    "e'' g'' e\" g\" e_loss g_loss e_double_prime g_double_prime loss_modulus verlustmodul e2 g2 loss module_de_perte "
    "loss_modulus_e'' loss_modulus_g'' mod_e'' mod_g''",
    "tan_delta tandelta tan_d tand tan(delta) tan_(delta) tan_del loss_factor verlustfaktor",
};

// A word of a list that blanks separate.
bool is_listed(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

struct NamedColumn {
  int what = -1;  // ModulusColumn
  std::string unit;
};

// "E' [MPa]" or "E' (MPa)" -> name and unit.
NamedColumn read_name(std::string_view cell) {
  NamedColumn out;
  std::string name(trim(cell));
  const std::size_t open = name.find_last_of("[(");
  if (open != std::string::npos && open > 0 && (name.back() == ']' || name.back() == ')')) {
    const std::string inside(trim(std::string_view(name).substr(open + 1, name.size() - open - 2)));
    if (inside != "delta" && inside != "\xce\xb4") out.unit = inside, name = std::string(trim(name.substr(0, open)));
  }
  const std::string plain = internal::plain_words(name);
  for (int k = 0; k < modulus_columns; ++k)
    if (is_listed(modulus_words[static_cast<std::size_t>(k)], plain)) out.what = k;
  return out;
}

bool is_modulus_header(const std::vector<std::string>& cells) {
  std::array<int, modulus_columns> count{};
  for (const std::string& cell : cells)
    if (const NamedColumn column = read_name(cell); column.what >= 0) ++count[static_cast<std::size_t>(column.what)];
  return count[at_temperature] > 0 && count[at_frequency] > 0 && count[at_storage] > 0;
}

double celsius(double value, const std::string& unit, const std::string& where) {
  if (unit.empty() || unit == "C" || unit == "degC" ||
      unit ==
          "\xc2\xb0"
          "C" ||
      unit == "deg C" || unit == "\xe2\x84\x83")
    return value;
  if (unit == "K") return value - 273.15;
  if (unit == "F" || unit == "degF" ||
      unit ==
          "\xc2\xb0"
          "F")
    return (value - 32.0) / 1.8;
  throw_bad_input(where, fmt::format("the temperature has the unit {}", in_quotes(unit)), "write degC, K or degF");
}

}  // namespace

std::optional<ModulusTable> read_modulus_table(std::string_view content, const std::string& name) {
  std::string text;
  std::string place = name;
  if (looks_like_spreadsheet(content)) {
    for (const DataTable& sheet : read_spreadsheet(content, name)) {
      if (sheet.hidden) continue;
      std::string csv = table_csv(sheet);
      CsvLayout layout;
      try {
        layout = detect_csv(csv, sheet.name(), is_modulus_header);
      } catch (const Error&) {
        continue;  // a sheet without a table
      }
      if (!is_modulus_header(layout.columns)) continue;
      text = std::move(csv), place = sheet.name();
      break;
    }
    if (text.empty()) return std::nullopt;
  } else {
    if (looks_binary(content)) return std::nullopt;
    const DecodedText decoded = decode_text(content);
    text = decoded.text.empty() ? std::string(content) : decoded.text;
  }
  CsvLayout layout;
  try {
    layout = detect_csv(text, place, is_modulus_header);
  } catch (const Error&) {
    return std::nullopt;  // no table at all: other readers say what it is
  }
  if (!is_modulus_header(layout.columns)) return std::nullopt;

  ModulusTable out;
  out.findings = layout.findings;
  std::array<std::optional<std::size_t>, modulus_columns> where{};
  std::array<std::string, modulus_columns> unit;
  std::string unused;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const NamedColumn column = read_name(layout.columns[i]);
    if (column.what < 0) {
      unused += (unused.empty() ? "" : ", ") + in_quotes(layout.columns[i]);
      continue;
    }
    const auto what = static_cast<std::size_t>(column.what);
    if (where[what])
      throw_bad_input(fmt::format("{}:{}", place, layout.header_line),
                      fmt::format("columns {} and {} mean the same", in_quotes(layout.columns[*where[what]]),
                                  in_quotes(layout.columns[i])),
                      "keep one of them");
    where[what] = i;
    unit[what] = !column.unit.empty()      ? column.unit
                 : i < layout.units.size() ? std::string(trim(layout.units[i]))
                                           : std::string();
    if (unit[what] == "-") unit[what].clear();
  }
  if (!unused.empty())
    out.findings.push_back({Severity::note, "columns_not_used", place, "not used: " + unused, "nothing to do"});
  std::vector<std::size_t> wanted;
  std::array<std::size_t, modulus_columns> order{};
  for (std::size_t k = 0; k < modulus_columns; ++k)
    if (where[k]) order[k] = wanted.size(), wanted.push_back(*where[k]);
  const CsvTable table = read_csv_columns(text, layout, wanted);
  out.findings.insert(out.findings.end(), table.findings.begin(), table.findings.end());

  const std::string header = fmt::format("{}:{}", place, layout.header_line);
  const auto factor = [&](ModulusColumn k, const char* si) {
    return unit[k].empty() ? 1.0 : factor_to_si(unit[k], si, header);
  };
  double to_hz = 1.0;
  if (unit[at_frequency].find("rad") != std::string::npos ||
      (unit[at_frequency].empty() && read_name(layout.columns[*where[at_frequency]]).what == at_frequency &&
       internal::plain_words(layout.columns[*where[at_frequency]]).find("omega") != std::string::npos))
    to_hz = 1.0 / (2.0 * std::numbers::pi);
  else if (!unit[at_frequency].empty())
    to_hz = factor_to_si(unit[at_frequency], "Hz", header);
  const double to_pa = factor(at_storage, "Pa"),
               loss_to_pa = where[at_loss] && !unit[at_loss].empty() ? factor(at_loss, "Pa") : to_pa;
  out.modulus_unit = unit[at_storage];
  if (unit[at_storage].empty())
    out.findings.push_back({Severity::warning, "no_unit", header, "the storage modulus has no unit: taken as Pa",
                            "write the unit behind its name, such as E' [MPa]; shift factors do not depend on it"});
  for (std::size_t i = 0; i < table.rows; ++i) {
    const auto value = [&](ModulusColumn k) { return table.columns[order[k]][i]; };
    const std::string line = fmt::format("{}:{}", place, table.lines.of(i));
    const double storage = to_pa * value(at_storage);
    double loss = std::numeric_limits<double>::quiet_NaN();
    if (where[at_loss])
      loss = loss_to_pa * value(at_loss);
    else if (where[at_tan])
      loss = storage * value(at_tan);
    if (!(value(at_frequency) > 0.0) || !(storage > 0.0))
      throw_bad_input(line,
                      fmt::format("frequency {:g} and storage {:g} have to be above 0", value(at_frequency), storage),
                      "correct the row or leave it out");
    out.temperature_c.push_back(celsius(value(at_temperature), unit[at_temperature], header));
    out.frequency_hz.push_back(to_hz * value(at_frequency));
    out.storage.push_back(storage);
    out.loss.push_back(loss);
  }
  return out;
}

}  // namespace kdyn::inline io
