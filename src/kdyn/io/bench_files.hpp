// SPDX-License-Identifier: Apache-2.0
// What a bench file holds, the hints with which it is read, and the files that kdyn writes. Readers: bench_tables.hpp
// for tables of text and workbooks, exchange.hpp for any format, door/read.hpp for measurements sorted by part and
// direction.
//
//   map     frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg    nominal_amplitude_mm, temperature_c
//   static  displacement_mm,force_n                                             one slow cycle as it was recorded
//   series  time_s,displacement_mm,force_n
//   torsion amplitude_deg, preload_nm, k_dyn_nm_per_deg, angle_deg, moment_nm in their places
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
  std::size_t large_text = std::size_t{4} << 20;  // bytes beyond which a plain table of text is read in one pass
};

// Exactly one of map, loop and series is filled; which one, says kind.
struct BenchFile {
  BenchKind kind = BenchKind::unknown;
  StiffnessMap map;
  StaticLoop loop;
  BenchSeries series;
  std::vector<Finding> findings;
};

// The layouts above with the shortest digits that give the number back; reading returns the SI values to 1 unit in the
// last place.
std::string map_csv(const StiffnessMap& map);
std::string static_csv(const StaticLoop& loop);
std::string series_csv(const BenchSeries& series);
void write_map_csv(const std::string& path, const StiffnessMap& map);
void write_static_csv(const std::string& path, const StaticLoop& loop);
void write_series_csv(const std::string& path, const BenchSeries& series);

}  // namespace kdyn::inline io
