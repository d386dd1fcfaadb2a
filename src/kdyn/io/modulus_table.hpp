// SPDX-License-Identifier: Apache-2.0
// Tables of dynamic mechanical analysis (DMA): storage and loss modulus over frequency and temperature, one row for each
// point, as delimited text or workbook.
//
// Columns by name: temperature (degC, K, degF), frequency (Hz, rad/s), storage (E', G', E_stor, storage modulus), and
// loss (E'', E_loss, loss modulus) or tan delta. Units in the header ("E' [MPa]"), in a row below it, or SI. Rows with
// gaps are left out and told; so are columns that are not used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/finding.hpp"

namespace kdyn::inline io {

struct ModulusTable {
  std::vector<double> temperature_c, frequency_hz, storage, loss;  // Pa; loss NaN where it is not told
  std::string modulus_unit;  // as written, empty: none was told and numbers are as they stand
  std::vector<Finding> findings;
};

// Nothing when the table has no columns of temperature, frequency and storage modulus. Throws Error(bad_input) with
// place and remedy when it has them and a cell is broken.
std::optional<ModulusTable> read_modulus_table(std::string_view content, const std::string& name);

}  // namespace kdyn::inline io
