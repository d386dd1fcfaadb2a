// SPDX-License-Identifier: Apache-2.0
// MATLAB files, version 4, 5 (and 7, compressed) and 7.3 (HDF5): arrays, texts, sparse matrices; structs and cells
// flattened by path.
//
// A field b of element 2 of struct array a is "a(2).b", the third cell of c is "c{3}". Numbers of any class become
// doubles. Objects and functions are named in findings and skipped. What a file unpacks to is bounded by 512 MB and 20
// times its size. Both versions are read by kdyn itself, since files come from anywhere and the reader must survive
// them (internal/hdf5_tree.hpp).
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/matrix_set.hpp"
#include "kdyn/data/signal.hpp"

namespace kdyn::inline io {

struct MatArray {
  std::string name, matlab_class;  // "double", "char", "sparse", ...
  std::vector<std::size_t> shape;  // at least two
  bool is_complex = false;
  std::vector<double> real;                   // column-major
  std::vector<std::complex<double>> complex;  // when is_complex
  std::string text;                           // of a char array with one row
  Matrix sparse;                              // when the class is sparse
  std::string unit;                           // where the file tells it beside the name (HDF5)

  std::size_t count() const { return is_complex ? complex.size() : real.size(); }
};

struct MatFile {
  std::string name;
  bool version_73 = false;
  std::vector<MatArray> arrays;
  std::vector<Finding> findings;
  bool version_4 = false;

  const MatArray* find(std::string_view array) const;
};

bool looks_like_mat(std::string_view content);
MatFile parse_mat(std::string_view content, const std::string& name);
MatFile read_mat(const std::string& path);
// The datasets of any HDF5 file as arrays, "group.name"; the last dimension of HDF5 is the first one here.
MatFile arrays_of_hdf5(std::string_view content, const std::string& name);
// Names must be plain (letters, digits, underscore, starting with a letter); anything else in them becomes an
// underscore.
std::string mat_bytes(MatFile file, bool version_73 = false);
// The same straight into a file: of arrays that are moved here, nothing is held twice.
void write_mat(const std::string& path, MatFile file, bool version_73);

// Arrays of two dimensions as matrices, and back.
MatrixSet matrices_of(MatFile&& file);
MatFile to_mat(const MatrixSet& matrices);
// frequency_hz (n x 1), H (n x channels), output and input labels and units as texts, coherence and covariance where
// given.
bool holds_frequency_response(const MatFile& file);
FrequencyResponse frequency_response_of(const MatFile& file);
// Arrays of samples beside a vector of times (t, time, time_s, ...) or a sampling rate (fs, dt); units from their
// names. Nothing when there is neither.
std::optional<SignalSet> signals_of(const MatFile& file, std::vector<Finding>& findings);
MatFile to_mat(const FrequencyResponse& response);

// One signal of such a file, before its values are taken: a vector, or a row or column of a matrix.
struct ArraySignal {
  std::size_t array = 0, channel = 0, count = 0;
  bool by_rows = false;    // channels are the rows of the matrix, else its columns
  std::string name, unit;  // unit as written; empty when it is not known
  double start_s = 0.0, step_s = 0.0;
};
// Shapes decide: values are needed of what tells times only. What cannot be a signal is told.
std::vector<ArraySignal> plan_signals(const MatFile& file, std::vector<Finding>& findings);
// Whether a name stands for times or a sampling rate.
bool tells_sampling(const std::string& array_name);

}  // namespace kdyn::inline io
