// SPDX-License-Identifier: Apache-2.0
// Bench files: the three layouts of mount measurements as delimited text, recognised by their column names.
//
//   map     frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg    preload_n may be missing (0); nominal_amplitude_mm and
//                                                                               temperature_c may be added
//   static  displacement_mm,force_n                                             one slow cycle in the order it was recorded
//   series  time_s,displacement_mm,force_n                                      force_n may be missing: an input for the virtual rig
//   torsion amplitude_deg, preload_nm, k_dyn_nm_per_deg (or _per_rad), angle_deg, moment_nm in their places
//
// Other names (freq, disp, travel, stiffness, phase, tan_delta, ...) and other units are understood; a unit comes from
// the end of the name (_mm, _kn, _kip_per_in), from brackets (force [kN]) or from a units row, is converted to SI and
// recorded in Source::conversions. Only time (s) and frequency (Hz) may go without a unit, with a finding.
// `amplitude_pp_mm` is peak-to-peak and halved, with a finding. Values that cannot be (frequency <= 0, NaN, time
// running back) are errors with file:line; what is merely odd is left to the data doctor.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline io {

enum class BenchKind { map, static_loop, series, unknown };

const char* to_string(BenchKind kind);  // "map", "static", "series", "unknown"

struct BenchReadOptions {
  BenchKind expected = BenchKind::unknown;     // unknown: whichever layout fits
  std::map<std::string, std::string> units;    // column name as in the file -> unit; wins over what the file says
  std::map<std::string, std::string> columns;  // meaning ("force", "k_dyn", ...) -> column name as in the file
  std::string decimal;              // "comma" or "point" where the file cannot tell; tables only (bench_tables.hpp)
  std::vector<std::string> sheets;  // of a workbook: only these, hidden ones too
  std::string columns_from;         // empty: `columns` were said; else a saved layout, whose columns may be absent
};

// Exactly one of map, loop and series is filled; which one, says kind.
struct BenchFile {
  BenchKind kind = BenchKind::unknown;
  StiffnessMap map;
  StaticLoop loop;
  BenchSeries series;
  std::vector<Finding> findings;
};

// Throws Error: file_access when the file cannot be read, bad_input when its content breaks a rule.
BenchFile read_bench_file(const std::string& path, const BenchReadOptions& options = {});
BenchFile parse_bench(std::string_view content, const std::string& name, const BenchReadOptions& options = {});

// Like read_bench_file, but content that breaks a rule becomes a serious finding of a file of unknown kind. For `kdyn
// inspect`.
BenchFile inspect_bench_file(const std::string& path, const BenchReadOptions& options = {});

// The layouts above with the shortest digits that give the number back; reading returns the SI values to 1 unit in the
// last place.
std::string map_csv(const StiffnessMap& map);
std::string static_csv(const StaticLoop& loop);
std::string series_csv(const BenchSeries& series);
void write_map_csv(const std::string& path, const StiffnessMap& map);
void write_static_csv(const std::string& path, const StaticLoop& loop);
void write_series_csv(const std::string& path, const BenchSeries& series);

}  // namespace kdyn::inline io
