// SPDX-License-Identifier: Apache-2.0
#include "kdyn/door/templates.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/door/read.hpp"

namespace kdyn::inline door {
namespace fs = std::filesystem;
namespace {

// Exports whose names alone would not tell: channels of controllers and abbreviations of their software, from memory of
// their manner.
std::vector<LayoutTemplate> bundled_layouts() {
  const auto make = [](const char* name, const char* comment, std::vector<std::string> match, Json columns,
                       Json units = Json::object()) {
    return LayoutTemplate{name, comment, "bundled", std::move(match), std::move(columns), std::move(units), ""};
  };
  return {
      make("mts_831_cyclic", "MTS 793 / 831 elastomer test: table of dynamic properties",
           {"MTS793", "Dynamic Stiffness", "Phase"}, Json::object()),
      make("mts_timed", "MTS 793 MPT: timed acquisition", {"MTS793", "Axial Displacement", "Axial Force"},
           {{"displacement", "Axial Displacement"}, {"force", "Axial Force"}}),
      make("mts_running_time", "MTS TestSuite: running time, displacement, force",
           {"Running Time", "Axial Displacement", "Axial Force"},
           {{"time", "Running Time"}, {"displacement", "Axial Displacement"}, {"force", "Axial Force"}}),
      make("instron_bluehill", "Instron Bluehill / Console: raw data with extension and load",
           {"Extension", "Load", "Time"}, {{"time", "Time"}, {"displacement", "Extension"}, {"force", "Load"}}),
      make("instron_wavematrix", "Instron WaveMatrix: position and load of the digital channels",
           {"Total Time", "Digital Position", "Load"},
           {{"time", "Total Time"}, {"displacement", "Digital Position"}, {"force", "Load"}}),
      make("zwick_testxpert", "Zwick/Roell testXpert: Standardweg and Standardkraft over Pruefzeit",
           {"Standardkraft", "Standardweg"}, {{"displacement", "Standardweg"}, {"force", "Standardkraft"}}),
      make("schenck_kennfeld", "Schenck/Inova-like map: f, x0, Fv, Cdyn, phi", {"x0", "Fv", "Cdyn", "phi"},
           {{"frequency", "f"}, {"amplitude", "x0"}, {"preload", "Fv"}, {"k_dyn", "Cdyn"}, {"loss_angle", "phi"}}),
  };
}

fs::path user_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0')
    return fs::path(config) / "kdyn" / "layouts";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".config" / "kdyn" / "layouts";
  return {};
}
fs::path project_folder() { return fs::path(".kdyn") / "layouts"; }

void add_folder(const fs::path& folder, std::vector<LayoutTemplate>& out, std::vector<Finding>& findings) {
  std::error_code ec;
  if (folder.empty() || !fs::is_directory(folder, ec)) return;
  std::vector<std::string> files;
  constexpr std::size_t most_files = 500, largest = std::size_t{1} << 20;
  for (const auto& entry : fs::directory_iterator(folder, ec))
    if (entry.path().extension() == ".json" && files.size() < most_files) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& path : files) try {
      out.push_back(parse_layout_template(read_text(path, largest), path));
    } catch (const Error& error) {
      findings.push_back({Severity::warning, "layout_unreadable", error.where(),
                          "a saved layout was left out: " + error.message(), error.remedy()});
    }
}

// The words that stand in the first lines, in plain small letters.
bool matches(const LayoutTemplate& layout, const std::string& head) {
  return !layout.match.empty() && std::all_of(layout.match.begin(), layout.match.end(), [&](const std::string& word) {
    return head.find(lower_case(word)) != std::string::npos;
  });
}

std::string head_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(std::size_t{8192}, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  if (!head.starts_with("PK\x03\x04")) return head;
  // A workbook: its texts.
  try {
    std::string texts;
    for (const DataTable& table : read_spreadsheet(read_text(path), path))
      for (std::size_t r = 0; r < std::min<std::size_t>(table.rows(), 40); ++r)
        for (std::size_t c = 0; c < table.columns(r); ++c) texts.append(table.at(r, c).text).append(1, '\n');
    return texts;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

LayoutTemplate parse_layout_template(std::string_view content, const std::string& path) {
  const Json in = parse_json(content, path);
  if (!in.is_object())
    throw_bad_input(path, "a layout is a JSON object", R"(write {"name": ..., "match": [...], "columns": {...}})");
  LayoutTemplate out;
  out.origin = path;
  for (const auto& [key, value] : in.items()) {
    const auto text = [&, &k = key, &v = value] {
      if (!v.is_string()) throw_bad_input(path + ": " + k, "must be text", "see docs/formats.md");
      return v.get<std::string>();
    };
    if (key == "name")
      out.name = text();
    else if (key == "comment")
      out.comment = text();
    else if (key == "decimal")
      out.decimal = text();
    else if (key == "columns" || key == "units") {
      if (!value.is_object()) throw_bad_input(path + ": " + key, "must be an object", "see docs/formats.md");
      (key == "columns" ? out.columns : out.units) = value;
    } else if (key == "match") {
      if (!value.is_array())
        throw_bad_input(path + ": match", "must be a list of words of the header", R"(write ["Load DataCell 2"])");
      for (const Json& word : value) {
        if (!word.is_string())
          throw_bad_input(path + ": match", "must be a list of texts", R"(write ["Load DataCell 2"])");
        out.match.push_back(word.get<std::string>());
      }
    } else {
      throw_bad_input(path + ": " + key, "unknown key of a layout",
                      suggest(key, {"name", "comment", "match", "columns", "units", "decimal"}));
    }
  }
  if (out.name.empty()) throw_bad_input(path, "the layout has no name", "add \"name\"");
  return out;
}

std::vector<LayoutTemplate> layout_templates(std::vector<Finding>& findings) {
  std::vector<LayoutTemplate> out;
  add_folder(project_folder(), out, findings);
  add_folder(user_folder(), out, findings);
  for (LayoutTemplate& one : bundled_layouts()) out.push_back(std::move(one));
  return out;
}

std::string user_layout_folder() { return user_folder().string(); }

std::string save_layout_template(const LayoutTemplate& layout, bool for_user) {
  const fs::path folder = for_user ? user_folder() : project_folder();
  if (folder.empty())
    throw_bad_input("save_layout", "there is no home folder to save it in", "save it for the project instead");
  std::string file;
  for (const char c : lower_case(layout.name)) file += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (file.empty()) throw_bad_input("save_layout", "the layout has no name", "give --save-layout NAME");
  const Json out = {{"name", layout.name},       {"comment", layout.comment}, {"match", layout.match},
                    {"columns", layout.columns}, {"units", layout.units},     {"decimal", layout.decimal}};
  const std::string path = (folder / (file + ".json")).string();
  write_text(path, dump_json(out));
  return path;
}

BenchReadOptions options_for(const std::string& path, std::string_view head, const ReadHints& hints,
                             std::vector<Finding>& findings) {
  BenchReadOptions options = bench_options(hints);
  if (hints.layout == "none") return options;
  const std::vector<LayoutTemplate> all = layout_templates(findings);
  const LayoutTemplate* chosen = nullptr;
  if (!hints.layout.empty()) {
    std::vector<std::string> names;
    for (const LayoutTemplate& one : all) {
      names.push_back(one.name);
      if (chosen == nullptr && lower_case(one.name) == lower_case(hints.layout)) chosen = &one;
    }
    if (chosen == nullptr)
      throw_bad_input("layout", fmt::format("there is no layout {}", in_quotes(hints.layout)),
                      suggest(hints.layout, names));
  } else {
    const DecodedText decoded = decode_text(head);
    const std::string text = lower_case(decoded.converted ? std::string_view(decoded.text) : head);
    for (const LayoutTemplate& one : all)
      if (matches(one, text)) {
        chosen = &one;
        break;
      }
  }
  if (chosen == nullptr) return options;
  ReadHints saved;
  saved.columns = chosen->columns, saved.units = chosen->units;
  const BenchReadOptions from_layout = bench_options(saved);
  for (const auto& [meaning, column] : from_layout.columns) options.columns.try_emplace(meaning, column);
  for (const auto& [column, unit] : from_layout.units) options.units.try_emplace(column, unit);
  if (options.decimal.empty()) options.decimal = chosen->decimal;
  options.columns_from = fmt::format("the layout {} ({})", in_quotes(chosen->name), chosen->origin);
  if (chosen->origin != "bundled" || !from_layout.columns.empty())
    findings.push_back({Severity::note, "layout_applied", path,
                        fmt::format("columns were read by {}", options.columns_from),
                        "--layout none reads without it"});
  return options;
}

BenchReadOptions options_for(const std::string& path, const ReadHints& hints, std::vector<Finding>& findings) {
  return options_for(path, head_of(path), hints, findings);
}

}  // namespace kdyn::inline door
