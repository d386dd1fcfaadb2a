// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/matrix_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::fe {
namespace {

// Lower triangle of the symmetric half, and the largest entry of the other half over the largest entry.
SparseMatrix lower_half(const Matrix& matrix, const std::string& where, double& asymmetry) {
  if (matrix.is_complex)
    throw_bad_input(where, fmt::format("matrix {} is complex", matrix.name), "give real mass and stiffness matrices");
  if (matrix.rows != matrix.columns || matrix.rows == 0)
    throw_bad_input(where,
                    fmt::format("matrix {} has {} rows and {} columns", matrix.name, matrix.rows, matrix.columns),
                    "give square matrices");
  const Matrix sparse = matrix.sparse ? Matrix() : to_sparse(matrix);
  const Matrix& m = matrix.sparse ? matrix : sparse;
  for (const double v : m.real)
    if (!std::isfinite(v))
      throw_bad_input(where, fmt::format("matrix {} has an entry that is no finite number", matrix.name),
                      "write the matrix again from its source");
  const Eigen::Map<const SparseMatrix> all(m.rows, m.columns, static_cast<Eigen::Index>(m.real.size()),
                                           m.column_start.data(), m.row.data(), m.real.data());
  const SparseMatrix turned = all.transpose();
  const SparseMatrix odd = all - turned;
  const auto largest = [](const SparseMatrix& x) { return x.nonZeros() > 0 ? x.coeffs().cwiseAbs().maxCoeff() : 0.0; };
  asymmetry = largest(odd) / std::max(m.real.empty() ? 0.0 : all.coeffs().cwiseAbs().maxCoeff(), 1e-300);
  const SparseMatrix even = asymmetry > 0.0 ? SparseMatrix(0.5 * (all + turned)) : SparseMatrix(all);
  return even.triangularView<Eigen::Lower>();
}

bool is_derivative(const Matrix& matrix) {
  const std::string lower = lower_case(matrix.name);
  return lower.starts_with("dk_") || lower.starts_with("dm_");
}

// Formats that write only what is there (DMIG) have fewer rows in a mass matrix than in a stiffness matrix: all are
// brought onto the degrees of freedom of any of them, sorted by node and direction.
void align(std::vector<Matrix>& matrices) {
  const auto less = [](const Dof& a, const Dof& b) {
    return std::tie(a.node, a.direction, a.name) < std::tie(b.node, b.direction, b.name);
  };
  std::map<Dof, int, decltype(less)> place(less);
  bool same = true;
  for (const Matrix& matrix : matrices) {
    if (matrix.row_dofs.size() != static_cast<std::size_t>(matrix.rows)) return;
    same = same && matrix.row_dofs == matrices.front().row_dofs;
    for (const Dof& dof : matrix.row_dofs) place[dof] = 0;
  }
  if (same) return;
  std::vector<Dof> dofs;
  for (auto& [dof, index] : place) index = static_cast<int>(dofs.size()), dofs.push_back(dof);
  for (Matrix& matrix : matrices) {
    const Matrix m = to_sparse(matrix);
    if (m.is_complex || m.rows != m.columns) continue;  // refused later, with its name
    std::vector<MatrixEntry> entries;
    entries.reserve(m.real.size());
    for (int c = 0; c < m.columns; ++c)
      for (int k = m.column_start[static_cast<std::size_t>(c)]; k < m.column_start[static_cast<std::size_t>(c) + 1];
           ++k)
        entries.push_back({place.at(matrix.row_dofs[static_cast<std::size_t>(m.row[static_cast<std::size_t>(k)])]),
                           place.at(matrix.row_dofs[static_cast<std::size_t>(c)]),
                           m.real[static_cast<std::size_t>(k)]});
    const int size = static_cast<int>(dofs.size());
    Matrix wide = sparse_matrix(matrix.name, size, size, false, std::move(entries));
    wide.row_dofs = wide.column_dofs = dofs;
    matrix = std::move(wide);
  }
}

}  // namespace

const Matrix* find_matrix(const MatrixSet& set, std::initializer_list<const char*> names) {
  for (const char* name : names)
    for (const Matrix& matrix : set.matrices)
      if (const std::string lower = lower_case(matrix.name);
          !is_derivative(matrix) && (lower == name || lower.ends_with(std::string("_") + name)))
        return &matrix;
  return nullptr;
}

MatrixModel matrix_model_of(const MatrixSet& set, const std::string& where) {
  const Matrix *k = find_matrix(set, {"k", "stiffness", "kaa", "kgg", "kjj"}),
               *m = find_matrix(set, {"m", "mass", "maa", "mgg", "mjj"});
  std::vector<Matrix> used;  // stiffness, mass, derivatives
  if (k == nullptr || m == nullptr)
    throw_bad_input(where, fmt::format("there is no {} matrix in it", k == nullptr ? "stiffness" : "mass"),
                    "name the matrices K and M, or give both files");
  used.push_back(*k), used.push_back(*m);
  for (const Matrix& matrix : set.matrices)
    if (is_derivative(matrix)) used.push_back(matrix);
  align(used);
  k = &used[0], m = &used[1];
  MatrixModel out;
  const auto take = [&](const Matrix& matrix) {
    double asymmetry = 0.0;
    SparseMatrix half = lower_half(matrix, where, asymmetry);
    if (asymmetry > 1e-10)
      out.findings.push_back({asymmetry > 1e-6 ? Severity::serious : Severity::warning, "not_symmetric", where,
                              fmt::format("matrix {} is not symmetric: entries differ by up to {:.2g} of the largest",
                                          matrix.name, asymmetry),
                              "check how it was written (one triangle only?); the symmetric half was used"});
    if (half.rows() != k->rows)
      throw_bad_input(where,
                      fmt::format("matrix {} has {} rows, the stiffness matrix {}", matrix.name, half.rows(), k->rows),
                      "give matrices of one model");
    return half;
  };
  SparseMatrix k0 = take(*k), m0 = take(*m);
  std::vector<std::string>& names = out.matrices.parameters;
  std::vector<std::pair<std::size_t, SparseMatrix>> dk, dm;  // parameter and term
  for (std::size_t i = 2; i < used.size(); ++i) {
    const Matrix& matrix = used[i];
    const std::string lower = lower_case(matrix.name), name = matrix.name.substr(3);
    const auto found = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) names.push_back(name);
    (lower[1] == 'k' ? dk : dm).emplace_back(index, take(matrix));
  }
  const auto terms = [&](SparseMatrix base, std::vector<std::pair<std::size_t, SparseMatrix>>& parts) {
    std::vector<AffineTerm> list;
    for (auto& [index, part] : parts) base = SparseMatrix(base - part);
    list.push_back({std::vector<int>(names.size(), 0), std::move(base)});
    for (auto& [index, part] : parts) {
      std::vector<int> exponents(names.size(), 0);
      exponents[index] = 1;
      list.push_back({std::move(exponents), std::move(part)});
    }
    return list;
  };
  out.matrices.stiffness = terms(std::move(k0), dk);
  out.matrices.mass = terms(std::move(m0), dm);
  out.matrices.nominal = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(names.size()));
  out.dofs = !k->row_dofs.empty() ? k->row_dofs : m->row_dofs;

  std::map<std::pair<std::int64_t, int>, int> seen;
  int twice = 0;
  std::string example;
  for (const Dof& dof : out.dofs)
    if (dof.node != 0 && ++seen[{dof.node, dof.direction}] == 2)
      ++twice, example = example.empty() ? label(dof) : example;
  if (twice > 0)
    out.findings.push_back(
        {Severity::serious, "duplicate_labels", where,
         fmt::format("{} degrees of freedom have the label of another one, such as {}", twice, example),
         "matrices of expanded shells and beams (CalculiX) are like this: export solids, or give the bulk data"});
  int group = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(k->rows); ++i) {
    const bool same = i > 0 && i < out.dofs.size() && out.dofs[i].node != 0 && out.dofs[i].node == out.dofs[i - 1].node;
    if (i > 0 && !same) ++group;
    out.group_of.push_back(group);
  }
  return out;
}

Matrix exchange_matrix(std::string name, const SparseMatrix& lower, const std::vector<Dof>& dofs) {
  const SparseMatrix both = lower.selfadjointView<Eigen::Lower>();
  Matrix out;
  out.name = std::move(name);
  out.rows = static_cast<int>(both.rows()), out.columns = static_cast<int>(both.cols());
  out.sparse = out.symmetric = true;
  out.column_start.assign(both.outerIndexPtr(), both.outerIndexPtr() + both.cols() + 1);
  out.row.assign(both.innerIndexPtr(), both.innerIndexPtr() + both.nonZeros());
  out.real.assign(both.valuePtr(), both.valuePtr() + both.nonZeros());
  out.row_dofs = out.column_dofs = dofs;
  return out;
}

Matrix exchange_matrix(std::string name, const Eigen::MatrixXd& full, const std::vector<Dof>& dofs) {
  Matrix out;
  out.name = std::move(name);
  out.rows = static_cast<int>(full.rows()), out.columns = static_cast<int>(full.cols());
  out.symmetric = true;
  out.real.assign(full.data(), full.data() + full.size());
  out.row_dofs = out.column_dofs = dofs;
  return out;
}

}  // namespace kdyn::fe
