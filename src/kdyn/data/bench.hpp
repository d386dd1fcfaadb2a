// SPDX-License-Identifier: Apache-2.0
// What a mount bench delivers, in SI units: dynamic-stiffness maps, quasi-static loops and time series of one
// direction.
//
// Axis kind: translational directions use m, N, N/m; torsional ones rad, N*m, N*m/rad in the same members.
// Amplitudes are zero-to-peak. Sign: positive displacement gives positive force (docs/notation.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace kdyn::inline base {
class FieldTable;
}

namespace kdyn::inline data {

enum class AxisKind { translation, rotation };

// A column that was converted at the io border: what the file said and what it was multiplied by.
struct UnitConversion {
  std::string column, unit, si_unit;
  double factor = 1.0;
};

// Where data came from; part of a result's provenance.
struct Source {
  std::string path, sha256;
  std::vector<UnitConversion> conversions{};
  std::string sheet{};                           // or block, of files with several
  std::map<std::string, std::string> mapping{};  // meaning -> column it was read from
};

const FieldTable& fields_of(const UnitConversion*);
const FieldTable& fields_of(const Source*);

// File line of each data row, held as runs of consecutive lines. Empty when the data are not from a file.
struct LineNumbers {
  struct Run {
    std::size_t row, line;  // the first row of the run and its line
  };
  std::vector<Run> runs;

  // Rows are added in order; a run ends where comments or blank lines lie between two rows.
  void add(std::size_t row, std::size_t line) {
    if (runs.empty() || line - runs.back().line != row - runs.back().row) runs.push_back({row, line});
  }
  std::size_t of(std::size_t row) const {  // 0 when unknown
    std::size_t line = 0;
    for (std::size_t low = 0, high = runs.size(); low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (runs[middle].row <= row)
        line = runs[middle].line + (row - runs[middle].row), low = middle + 1;
      else
        high = middle;
    }
    return line;
  }
};

// One row of a stepped-sine measurement.
struct MapRow {
  double frequency_hz = 0.0;
  double amplitude = 0.0;          // m or rad, zero-to-peak, as achieved
  double preload = 0.0;            // N or N*m, static force at which the sine is superposed
  double k_dyn = 0.0;              // N/m or N*m/rad, magnitude of the dynamic stiffness
  double loss_angle = 0.0;         // rad
  double nominal_amplitude = 0.0;  // commanded amplitude; 0 when the file does not tell
  std::size_t line = 0;            // line in the source file, 0 when not from a file
  double temperature_c = std::numeric_limits<double>::quiet_NaN();  // NaN when the file does not tell
};

// Dynamic stiffness and loss angle over frequency x amplitude x preload.
struct StiffnessMap {
  AxisKind axis = AxisKind::translation;
  std::vector<MapRow> rows;
  Source source;
};

// Quasi-static loop: slow loading and unloading, in the order it was recorded.
struct StaticLoop {
  AxisKind axis = AxisKind::translation;
  std::vector<double> displacement, force;
  LineNumbers lines;
  Source source;
};

// Force and displacement over time.
struct BenchSeries {
  AxisKind axis = AxisKind::translation;
  std::vector<double> time, displacement, force;  // force may be empty: an input for the virtual rig
  LineNumbers lines;
  Source source;
};

}  // namespace kdyn::inline data
