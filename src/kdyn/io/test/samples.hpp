// SPDX-License-Identifier: Apache-2.0
// Small data of every kind, used by the tests of several formats; and where the public files are.
#pragma once

#include <cmath>
#include <complex>
#include <filesystem>
#include <string>

#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/matrix_set.hpp"
#include "kdyn/data/mode_set.hpp"

namespace kdyn::test {

inline std::filesystem::path shared(const std::string& path) {
  return std::filesystem::path(KDYN_SHARED_DIR) / "data" / path;
}

// Values that do not end in binary or decimal.
inline FrequencyResponse sample_response(std::size_t lines = 7) {
  FrequencyResponse r;
  r.name = "sample";
  for (std::size_t i = 0; i < lines; ++i) r.frequency_hz.push_back(10.0 + 0.1 * static_cast<double>(i * i));
  for (int c = 0; c < 2; ++c) {
    FrequencyResponseChannel channel;
    channel.output = {12 + c, 3, {}}, channel.input = {1, -1, {}};
    channel.output_unit = "m/s^2", channel.input_unit = "N";
    for (std::size_t i = 0; i < lines; ++i) {
      const double x = 0.3 + static_cast<double>(i) + c;
      channel.values.emplace_back(std::sin(x) / 3.0, std::cos(2.0 * x) / 7.0);
      channel.coherence.push_back(1.0 / (1.0 + 0.01 * x));
      channel.covariance.push_back({x / 3.0, -x / 7.0, x / 11.0});
    }
    r.channels.push_back(channel);
  }
  return r;
}

inline ModeSet sample_modes() {
  ModeSet m;
  m.name = "sample";
  for (int node = 1; node <= 3; ++node)
    for (int direction = 1; direction <= 3; ++direction) m.dofs.push_back({node, direction, {}});
  for (int k = 1; k <= 2; ++k) {
    Mode mode;
    mode.pole = pole_of(10.0 * k, 0.01 * k);
    mode.modal_mass = 1.5 * k;
    for (std::size_t i = 0; i < m.dofs.size(); ++i) mode.shape.emplace_back(std::sin(static_cast<double>(i * k) + 0.5));
    m.modes.push_back(mode);
  }
  m.scaling = ModeScaling::as_given;
  for (int node = 1; node <= 3; ++node)
    m.geometry.nodes.push_back({node, {node / 3.0, node / 7.0, -node / 11.0}, 0, 0, 1});
  m.geometry.lines.push_back({1, "edge", 5, {1, 2, 0, 2, 3}});
  m.geometry.elements.push_back({1, 41, 1, 1, 7, {1, 2, 3}, {0, 0, 0}});
  m.geometry.elements.push_back({2, 21, 2, 1, 7, {1, 3}, {2, 0, 0}});
  return m;
}

inline Matrix sample_sparse(bool is_complex, int size = 6) {
  std::vector<MatrixEntry> entries;
  for (int i = 0; i < size; ++i) {
    const std::complex<double> value(1.0 / (3.0 + i), is_complex ? 1.0 / (7.0 + i) : 0.0);
    entries.push_back({i, i, 4.0 * value});
    if (i + 1 < size) entries.push_back({i, i + 1, -value}), entries.push_back({i + 1, i, -value});
  }
  Matrix m = sparse_matrix(is_complex ? "Z" : "K", size, size, is_complex, std::move(entries));
  m.symmetric = true;
  for (int i = 0; i < size; ++i) m.row_dofs.push_back({100 + i / 3, 1 + i % 3, {}});
  m.column_dofs = m.row_dofs;
  return m;
}

inline Matrix sample_dense(bool is_complex) {
  Matrix m;
  m.name = is_complex ? "DC" : "D";
  m.rows = 3, m.columns = 4, m.is_complex = is_complex;
  for (int k = 0; k < 12; ++k) {
    if (is_complex)
      m.complex.emplace_back(std::sin(k + 0.1), std::cos(3.0 * k));
    else
      m.real.push_back(std::sin(k + 0.1));
  }
  return m;
}

inline MatrixSet sample_matrices() {
  MatrixSet set;
  set.matrices = {sample_sparse(false), sample_sparse(true), sample_dense(false), sample_dense(true)};
  return set;
}

inline bool same_values(const Matrix& a, const Matrix& b) {
  const Matrix x = to_dense(a), y = to_dense(b);
  return x.rows == y.rows && x.columns == y.columns && x.real == y.real && x.complex == y.complex;
}

}  // namespace kdyn::test
