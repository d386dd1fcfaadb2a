// SPDX-License-Identifier: Apache-2.0
// Measured signals as a table: a time column and any channels, with units in the header ("seat_z [m/s^2]",
// "seat_z_m_per_s2"), in a units row, or given by the caller. Values are SI; each conversion is recorded.
//
// Acceleration in g may be written [g]: a signal is not measured in grams. Columns of text (names of test runs) are
// read when asked for. Errors name file:line, column and remedy.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/signal.hpp"

namespace kdyn::inline io {

struct SignalTableOptions {
  std::map<std::string, std::string> units;  // column name -> unit, for columns that do not tell
  std::vector<std::string> text_columns;     // read as text where present
  std::vector<std::string> plain_columns;    // numbers without unit: indices, flags
  // Only columns for which this is true; the others are not read, and told. Without it all.
  std::function<bool(const std::string& name, const std::string& unit)> wanted;
  bool gaps = false;           // of delimited text and workbooks: an empty cell is a sample that was not taken, a NaN
  bool names_by_unit = false;  // force and response of a driving point share a name; the unit tells them apart
};

// Delimited text in any encoding, a workbook with one sheet, recordings (MDF 4, RPC III, TDMS), universal files, MATLAB
// and HDF5 files; the same for bytes in memory, recordings aside; and for delimited text.
SignalSet read_signal_table(const std::string& path, const SignalTableOptions& options = {});
SignalSet signal_table_of_bytes(std::string_view content, const std::string& name,
                                const SignalTableOptions& options = {});
SignalSet parse_signal_table(std::string_view content, const std::string& name, const SignalTableOptions& options = {});

// First column is time and at least one other carries a unit in brackets: signals of a test rather than a table of
// results.
bool looks_like_signal_csv(std::string_view content);
// The signals of such a file; channel names are degrees of freedom as in data/dof.hpp ("1+Z [N]").
SignalSet parse_signal_csv(std::string_view content, const std::string& name);

// The SI unit of a known dimension in its usual writing ("m/s^2"); empty when kdyn has no name for it.
std::string si_unit_of(std::string_view unit);

}  // namespace kdyn::inline io
