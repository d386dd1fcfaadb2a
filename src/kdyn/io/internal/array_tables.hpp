// SPDX-License-Identifier: Apache-2.0
// Arrays of a MATLAB or HDF5 file as tables with a column for each array, for the reader of tables: maps and static
// loops by the names of the variables.
//
// Vectors of equal length are columns. A matrix of r x c values beside a vector of r and one of c values is laid out in
// r c rows. Single numbers and texts hold for all rows ("preload_n", "direction"). Each struct or group is a table of
// its own, under its name.
#pragma once

#include <string>
#include <vector>

#include "kdyn/io/bench_files.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/table.hpp"

namespace kdyn::inline io::internal {

// What could be a table; arrays that fit into none are left out.
std::vector<DataTable> tables_of_arrays(const MatFile& file);

// The columns of a bench measurement as kdyn names them in CSV, and evenly sampled signals over time.
MatFile arrays_of(const BenchFile& bench);
MatFile arrays_of(SignalSet signals, const std::string& path, std::vector<Finding>& findings);
// The same arrays as a plain HDF5 file.
std::string hdf5_of_arrays(const MatFile& file);

}  // namespace kdyn::inline io::internal
