// SPDX-License-Identifier: Apache-2.0
// Column mappings that are kept: what was said once of the export of a bench is applied when its header comes again.
//
// A template is a JSON file:  {"name": "our 831", "match": ["Channel 1", "Load Cell 2"], "columns": {"force": "Load
// Cell 2"}, "units": {...}, "decimal": "comma", "comment": "..."}. `match` are words of the header that must all be
// there (any case). Searched in this order, the first that matches wins: folder .kdyn/layouts of the working directory
// (project), $XDG_CONFIG_HOME/kdyn/layouts (user; by default ~/.config/kdyn), and the bundled ones for MTS, Instron,
// Zwick/Roell and Schenck-like exports. Hints of the command win over a template.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/io/bench_files.hpp"

namespace kdyn::inline door {

struct ReadHints;

struct LayoutTemplate {
  std::string name, comment, origin;  // origin: "bundled" or the file
  std::vector<std::string> match;
  Json columns = Json::object(), units = Json::object();
  std::string decimal;
};

// One template as its file holds it. Throws Error(bad_input) naming file and key.
LayoutTemplate parse_layout_template(std::string_view content, const std::string& path);

// All templates, nearest first. A damaged file is told and left out.
std::vector<LayoutTemplate> layout_templates(std::vector<Finding>& findings);
// Where those of the user lie; empty without a home.
std::string user_layout_folder();
// Writes one for the project or the user; returns its path.
std::string save_layout_template(const LayoutTemplate& layout, bool for_user);

// The options for one file: hints, completed by the named template or by the first whose words stand in the head of the
// file.
BenchReadOptions options_for(const std::string& path, const ReadHints& hints, std::vector<Finding>& findings);
BenchReadOptions options_for(const std::string& path, std::string_view head, const ReadHints& hints,
                             std::vector<Finding>& findings);

}  // namespace kdyn::inline door
