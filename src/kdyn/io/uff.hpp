// SPDX-License-Identifier: Apache-2.0
// Universal files (SDRC/I-DEAS, LMS, and every modal tester since): geometry, measured functions and mode shapes as
// datasets.
//
// Read:    15 18 82 151 164 2411 2412 2420 geometry, header and units; 58 and 58b functions; 55 and 2414 shapes at nodes.
// Written: 15 55 58 58b 82 151 164 2411 2412 2420.
// Everything else is named with its size and skipped. A dataset with a bad record gives what was read before it and a
// finding that names dataset, record and byte; the datasets after it are read.
//
// UffFile holds what the file says, in the file's units. uff_data.hpp turns it into frequency responses, signals, modes
// and geometry in SI. Forgiven, with a finding: wrong counts, missing or run-together fields, CR LF, a missing closing
// -1, text outside ASCII (Latin-1 or UTF-8).
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/write_by.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/geometry.hpp"

namespace kdyn::inline io {

// Axis of a function (58): 17 time, 18 frequency; 8 displacement, 11 velocity, 12 acceleration, 13 excitation force, 0
// unknown.
struct UffAxis {
  int type = 0;
  std::array<int, 3> exponents = {0, 0, 0};  // length, force, temperature
  std::string label = "NONE", unit = "NONE";
};

// Dataset 58: 1 time response, 2 auto spectrum, 3 cross spectrum, 4 frequency response, 6 coherence, ...
struct UffFunction {
  std::array<std::string, 5> id = {"NONE", "NONE", "NONE", "NONE", "NONE"};
  int type = 0, load_case = 0;
  std::int64_t number = 0, version = 0;
  std::string response_name = "NONE", reference_name = "NONE";
  std::int64_t response_node = 0, reference_node = 0;
  int response_direction = 0, reference_direction = 0;
  bool is_complex = false, double_precision = true, even = true;
  double start = 0.0, step = 0.0, z = 0.0;
  std::array<UffAxis, 4> axes;                // abscissa, ordinate, ordinate denominator, z
  std::vector<double> abscissa;               // uneven spacing only
  std::vector<double> real;                   // when not complex
  std::vector<std::complex<double>> complex;  // when complex

  std::size_t size() const { return is_complex ? complex.size() : real.size(); }
};

// Datasets 55 and 2414 at nodes.
struct UffShape {
  std::array<std::string, 5> id = {"NONE", "NONE", "NONE", "NONE", "NONE"};
  std::string name;
  int model = 1, analysis = 2;  // 2 normal mode, 3 complex mode of first order, 5 frequency response, 7 complex mode of
                                // second order, 0 unknown
  int characteristic = 2;       // 1 scalar, 2 three translations, 3 six degrees of freedom
  int quantity = 8;             // 8 displacement, 11 velocity, 12 acceleration
  bool is_complex = false;
  int values_per_node = 3;
  int load_case = 0, mode = 0;
  double frequency_hz = 0.0, modal_mass = 0.0, viscous_damping = 0.0, hysteretic_damping = 0.0;  // normal modes
  std::complex<double> eigenvalue, modal_a, modal_b;                                             // complex modes
  std::vector<std::int64_t> nodes;
  std::vector<std::complex<double>> values;  // values_per_node for each node
};

struct UffUnits {  // 164: file value = SI value * factor
  int code = 1;
  std::string name = "SI";
  double length = 1.0, force = 1.0, temperature = 1.0, offset = 0.0;
};

struct UffHeader {  // 151
  std::array<std::string, 7> lines;
};

struct UffDataset {
  int number = 0;
  bool binary = false, understood = false;
  std::size_t line = 0, offset = 0, bytes = 0;
};

struct UffFile {
  std::string name;
  std::vector<UffDataset> datasets;  // in file order, all of them
  std::optional<UffHeader> header;
  std::optional<UffUnits> units;
  Geometry geometry;  // file units, positions as written (definition systems not yet applied)
  std::vector<UffFunction> functions;
  std::vector<UffShape> shapes;
  std::vector<Finding> findings;
};

bool looks_like_uff(std::string_view content);
// Throws Error(bad_input) only when there is no dataset at all.
UffFile parse_uff(std::string_view content, const std::string& name);
UffFile read_uff(const std::string& path);

struct UffWriteOptions {
  bool binary = false;           // functions as 58b
  bool long_coordinates = true;  // nodes as 2411 (16 digits) rather than 15 (6 digits)
};
std::string uff_text(const UffFile& file, const UffWriteOptions& options = {});
void write_uff(const UffFile& file, const UffWriteOptions& options, const ByteSink& sink);  // the same, in pieces

}  // namespace kdyn::inline io
