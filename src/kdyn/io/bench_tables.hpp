// SPDX-License-Identifier: Apache-2.0
// Bench measurements in tables as labs write them: stiffness maps, static loops and time records of one or several
// parts and directions.
//
// Recognised by content:
//   long       one row for each point
//   wide       one column, or pair of columns, for each amplitude, frequency, preload, temperature or direction; the values in one or two
//              header rows ("Kdyn 0.05mm [N/mm]", or a row of numbers behind "Amplitude [mm]")
//   blocks     "Amplitude = 0.1 mm" above each header
//   constants  preload, amplitude, temperature, part and direction in a preamble or in comments
// Stiffness: |K*| with phase, tan delta or loss factor; K' and K''; K and C; complex numbers as two columns.
// Amplitudes: zero-to-peak, peak-to-peak, +-, rms. Header words in English, German and French; other names by hints
// (BenchReadOptions::columns, also by number, letter or "=0.1 mm"). Gaps (empty, ---, n/a, #NV, NaN) leave their row
// out, with a finding. Columns, rows and sheets that are not used are told, and why.
//
// Directions and parts are never mixed: each set belongs to one part and one direction as far as the table tells.
// Equations: K* = K' + i K'', K'' = 2 pi f C, loss angle = arg K*.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/bench_files.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io {

// Whom measurements belong to, and who says so ("column 'Richtung'", "sheet x", "file name"). Empty: not told.
struct BenchLabels {
  std::string part, direction;
  double temperature_c = std::numeric_limits<double>::quiet_NaN();
  std::string part_from, direction_from;
  std::string date, batch;  // as written: of the measurement, and of the part's production
};

// A column, or a value that holds for all rows ("= 850 N"), and what it was taken for.
struct ColumnUse {
  std::string meaning, column, unit;
};

struct BenchSet {
  BenchFile bench;  // its findings are those of the whole table and stand in BenchTables
  BenchLabels labels;
  std::string place;  // "file" or "file!sheet"
  std::vector<ColumnUse> mapping;
};

struct BenchTables {
  std::vector<BenchSet> sets;
  std::vector<Finding> findings;
};

// What the title of a column says by itself: "Kraft [kN]" means a force in kN. Empty where it says nothing.
struct TitleMeaning {
  std::string meaning, unit;
};
TitleMeaning meaning_of_title(std::string_view title);

// Everything in the table that is a bench measurement. Throws Error(bad_input) with place and remedy when there is none
// or a cell is broken.
BenchTables read_bench_table(const DataTable& table, const BenchReadOptions& options = {});

// Delimited text in any encoding, JSON records, or a workbook with all its visible sheets. A sheet without measurements
// is told.
BenchTables read_bench_tables(std::string_view content, const std::string& name, const BenchReadOptions& options = {});

// Direction in a file name or folder: "left/z_map.csv" -> "z"; empty when none or several.
std::string direction_of_path(const std::string& path);

}  // namespace kdyn::inline io
