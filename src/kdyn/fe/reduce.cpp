// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/power_product.hpp"
#include "kdyn/fe/sparse_factor.hpp"
#include "kdyn/numerics/dense_functions.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd sum_at(const std::vector<ReducedTerm>& terms, const VectorXd& ratio, int size) {
  MatrixXd out = MatrixXd::Zero(size, size);
  for (const ReducedTerm& term : terms) out += power_product(term.exponents, ratio) * term.matrix;
  return out;
}
MatrixXd derivative_at(const std::vector<ReducedTerm>& terms, const VectorXd& ratio, int index, int size) {
  MatrixXd out = MatrixXd::Zero(size, size);
  for (const ReducedTerm& term : terms)
    if (static_cast<std::size_t>(index) < term.exponents.size() && term.exponents[static_cast<std::size_t>(index)] != 0)
      out += power_product_derivative(term.exponents, ratio, index) * term.matrix;
  return out;
}

bool acts(const std::vector<int>& exponents) {
  return std::any_of(exponents.begin(), exponents.end(), [](int e) { return e != 0; });
}

// Directions b with matrix = sum +- b b^T when few unknowns take part; no columns when there are many.
MatrixXd low_rank_directions(const SparseMatrix& lower, int most) {
  constexpr int widest = 400;
  std::vector<int> used;
  std::vector<int> place(static_cast<std::size_t>(lower.rows()), -1);
  for (int j = 0; j < lower.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(lower, j); it; ++it)
      for (const Index i : {it.row(), it.col()})
        if (place[static_cast<std::size_t>(i)] < 0) {
          if (static_cast<int>(used.size()) == widest) return MatrixXd(lower.rows(), 0);
          place[static_cast<std::size_t>(i)] = static_cast<int>(used.size());
          used.push_back(static_cast<int>(i));
        }
  MatrixXd dense = MatrixXd::Zero(static_cast<Index>(used.size()), static_cast<Index>(used.size()));
  for (int j = 0; j < lower.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(lower, j); it; ++it) {
      const int a = place[static_cast<std::size_t>(it.row())], b = place[static_cast<std::size_t>(it.col())];
      dense(a, b) = dense(b, a) = it.value();
    }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(dense);
  const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
  std::vector<Index> kept;
  for (Index i = 0; i < dense.rows(); ++i)
    if (std::abs(eigen.eigenvalues()[i]) > 1e-10 * largest) kept.push_back(i);
  if (static_cast<int>(kept.size()) > most) return MatrixXd(lower.rows(), 0);
  MatrixXd out = MatrixXd::Zero(lower.rows(), static_cast<Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k)
    for (std::size_t i = 0; i < used.size(); ++i)
      out(used[i], static_cast<Index>(k)) =
          std::sqrt(std::abs(eigen.eigenvalues()[kept[k]])) * eigen.eigenvectors()(static_cast<Index>(i), kept[k]);
  return out;
}

MatrixXd gram_of(const MatrixXd& vectors, const SparseMatrix& mass) {
  const MatrixXd out = transposed_product(vectors, multiply(mass, vectors));
  return 0.5 * (out + out.transpose());
}

// Modes and further vectors made M-orthonormal. The modes stay as they are; directions of the others with a small share
// outside them are dropped. Dropping from all together would take a part of the modes along: at the nominal point the
// small model was then off by 4e-8 in frequency.
MatrixXd orthonormal(const MatrixXd& modes, MatrixXd others, const SparseMatrix& mass, double drop, int& dropped) {
  const Eigen::LLT<MatrixXd> llt(gram_of(modes, mass));
  demand(llt.info() == Eigen::Success, "modes are independent");
  const MatrixXd kept = product(modes, llt.matrixU().solve(MatrixXd::Identity(modes.cols(), modes.cols())));
  const MatrixXd weighted = multiply(mass, kept);
  for (Index j = 0; j < others.cols(); ++j) {
    const double size = std::sqrt(others.col(j).dot(VectorXd(multiply(mass, others.col(j)))));
    if (size > 0.0) others.col(j) /= size;
  }
  dropped = 0;
  for (int round = 0; round < 3 && others.cols() > 0; ++round) {  // the later rounds remove the rounding of the first
    others -= product(kept, transposed_product(weighted, others));
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram_of(others, mass));
    Index first = 0;
    while (round == 0 && first < others.cols() && eigen.eigenvalues()[first] < drop) ++first;
    dropped += static_cast<int>(first);
    const Index left = others.cols() - first;
    others = product(others, eigen.eigenvectors().rightCols(left) *
                                 eigen.eigenvalues().tail(left).cwiseSqrt().cwiseInverse().asDiagonal());
  }
  MatrixXd out(modes.rows(), kept.cols() + others.cols());
  out << kept, others;
  return out;
}

}  // namespace

namespace {

bool is_loss(const ReducedModel& model, Index index) { return index < model.loss.size() && model.loss[index] > 0.0; }

// Loss factors do not act on K and M.
VectorXd elastic(const ReducedModel& model, VectorXd ratio) {
  for (Index s = 0; s < model.loss.size(); ++s)
    if (is_loss(model, s)) ratio[s] = 1.0;
  return ratio;
}

// sum_s e_qs eta_s of a term.
double loss_of(const ReducedModel& model, const ReducedTerm& term, const VectorXd& ratio) {
  double out = 0.0;
  for (Index s = 0; s < model.loss.size(); ++s)
    if (is_loss(model, s)) out += term.exponents[static_cast<std::size_t>(s)] * model.loss[s] * ratio[s];
  return out;
}

}  // namespace

MatrixXd ReducedModel::stiffness_at(const VectorXd& ratio) const {
  return sum_at(stiffness, elastic(*this, ratio), size());
}
MatrixXd ReducedModel::mass_at(const VectorXd& ratio) const { return sum_at(mass, elastic(*this, ratio), size()); }
MatrixXd ReducedModel::stiffness_derivative(const VectorXd& ratio, int index) const {
  if (is_loss(*this, index)) return MatrixXd::Zero(size(), size());
  return derivative_at(stiffness, elastic(*this, ratio), index, size());
}
MatrixXd ReducedModel::mass_derivative(const VectorXd& ratio, int index) const {
  if (is_loss(*this, index)) return MatrixXd::Zero(size(), size());
  return derivative_at(mass, elastic(*this, ratio), index, size());
}

MatrixXd ReducedModel::loss_at(const VectorXd& ratio) const {
  MatrixXd out = MatrixXd::Zero(size(), size());
  const VectorXd at = elastic(*this, ratio);
  for (const ReducedTerm& term : stiffness)
    if (const double eta = loss_of(*this, term, ratio); eta != 0.0)
      out += eta * power_product(term.exponents, at) * term.matrix;
  return out;
}

MatrixXd ReducedModel::loss_derivative(const VectorXd& ratio, int index) const {
  MatrixXd out = MatrixXd::Zero(size(), size());
  const VectorXd at = elastic(*this, ratio);
  for (const ReducedTerm& term : stiffness) {
    if (static_cast<std::size_t>(index) >= term.exponents.size()) continue;
    const int power = term.exponents[static_cast<std::size_t>(index)];
    if (power == 0) continue;
    const double by = is_loss(*this, index)
                          ? power * loss[index] * power_product(term.exponents, at)
                          : loss_of(*this, term, ratio) * power_product_derivative(term.exponents, at, index);
    if (by != 0.0) out += by * term.matrix;
  }
  return out;
}

ReducedModel project(const AffineMatrices& matrices, const MatrixXd& basis, const MatrixXd& outputs,
                     const MatrixXd& inputs) {
  demand(basis.rows() == matrices.size() && outputs.cols() == basis.rows() && inputs.rows() == basis.rows(),
         "basis and channels belong to the model");
  ReducedModel out;
  out.parameters = static_cast<int>(matrices.nominal.size());
  const auto reduce = [&](const std::vector<AffineTerm>& terms, std::vector<ReducedTerm>& to) {
    for (const AffineTerm& term : terms) {
      const MatrixXd small = basis.transpose() * multiply(term.matrix, basis);
      to.push_back({term.exponents, 0.5 * (small + small.transpose())});
    }
  };
  reduce(matrices.stiffness, out.stiffness);
  reduce(matrices.mass, out.mass);
  out.C = outputs * basis;
  out.B = basis.transpose() * inputs;
  return out;
}

ParametricBasis parametric_basis(const AffineMatrices& matrices, const std::vector<int>& group_of,
                                 const BasisOptions& options, const VectorXd& ratio, Progress& progress) {
  const SparseMatrix k = matrices.stiffness_at(ratio), m = matrices.mass_at(ratio);
  std::vector<MatrixXd> loads;
  Index attachments = 0;
  std::vector<const AffineTerm*> wide_stiffness, wide_mass;
  const auto sort_out = [&](const std::vector<AffineTerm>& terms, std::vector<const AffineTerm*>& wide) {
    for (const AffineTerm& term : terms) {
      if (!acts(term.exponents) || term.matrix.nonZeros() == 0) continue;
      MatrixXd directions = low_rank_directions(term.matrix, options.low_rank);
      if (directions.cols() == 0) {
        wide.push_back(&term);
        continue;
      }
      attachments += directions.cols();
      loads.push_back(std::move(directions));
    }
  };
  sort_out(matrices.stiffness, wide_stiffness);
  sort_out(matrices.mass, wide_mass);
  ModesOptions modes;
  modes.count = options.modes;
  modes.shift_hz = options.shift_hz;
  modes.threads = options.threads;
  modes.sturm_check = false;
  modes.eigensolver = options.eigensolver;
  MatrixXd all(k.rows(), attachments);
  Index next = 0;
  for (const MatrixXd& part : loads) all.middleCols(next, part.cols()) = part, next += part.cols();
  ParametricBasis out;
  out.nominal = find_modes(k, m, group_of, modes, all, progress);
  out.modes = static_cast<int>(out.nominal.shapes.cols());
  out.attachments = static_cast<int>(attachments);
  MatrixXd sensitivities(k.rows(), 0);
  if (!wide_stiffness.empty() || !wide_mass.empty()) {
    // Pseudo-loads of the elastic modes, stiffness and mass terms apart: their shares differ between parameters.
    const int first = out.nominal.rigid, count = std::min<int>(options.sensitivity_modes, out.modes - first);
    const MatrixXd phi = out.nominal.shapes.middleCols(first, count);
    MatrixXd pseudo(k.rows(), count * static_cast<Index>(wide_stiffness.size() + wide_mass.size()));
    Index column = 0;
    for (const auto* terms : {&wide_stiffness, &wide_mass})
      for (const AffineTerm* term : *terms)
        pseudo.middleCols(column, count) = multiply(term->matrix, phi), column += count;
    sensitivities = solve_shifted(k, m, group_of, modes, pseudo);
    out.sensitivities = static_cast<int>(sensitivities.cols());
  }
  MatrixXd others(k.rows(), attachments + sensitivities.cols());
  if (attachments > 0) others.leftCols(attachments) = out.nominal.attachment;
  others.rightCols(sensitivities.cols()) = sensitivities;
  out.nominal.attachment.resize(0, 0);
  out.vectors = orthonormal(out.nominal.shapes, std::move(others), m, options.drop, out.dropped);
  return out;
}

BasisError basis_error(const AffineMatrices& matrices, const std::vector<int>& group_of, const ReducedModel& reduced,
                       const VectorXd& ratio, double max_frequency_hz, int most_modes, int threads,
                       EigenSolver eigensolver) {
  ModesOptions options;
  options.count = std::min(most_modes, matrices.size());
  options.max_frequency_hz = max_frequency_hz;
  options.shift_hz = std::max(1.0, 0.3 * max_frequency_hz);
  options.threads = threads;
  options.sturm_check = false;
  options.eigensolver = eigensolver;
  const Modes full = find_modes(matrices.stiffness_at(ratio), matrices.mass_at(ratio), group_of, options);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> small(reduced.stiffness_at(ratio), reduced.mass_at(ratio),
                                                                 Eigen::EigenvaluesOnly);
  BasisError out;
  const Index count = full.frequency_hz.size() - full.rigid;
  out.full_hz = full.frequency_hz.tail(count);
  out.reduced_hz = (small.eigenvalues().cwiseMax(0.0).cwiseSqrt() / (2.0 * std::numbers::pi))
                       .segment(full.rigid, std::min<Index>(count, small.eigenvalues().size() - full.rigid));
  for (Index i = 0; i < count; ++i) {
    const double error = i < out.reduced_hz.size() ? std::abs(out.reduced_hz[i] / out.full_hz[i] - 1.0) : 1.0;
    out.largest = std::max(out.largest, error);
  }
  return out;
}

namespace {

// "12,15+Z" is two words.
std::vector<std::string> split(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    std::size_t from = 0;
    for (std::size_t comma = word.find(','); comma != std::string::npos; comma = word.find(',', from)) {
      out.push_back(word.substr(from, comma - from));
      from = comma + 1;
    }
    out.push_back(word.substr(from));
  }
  return out;
}

}  // namespace

std::vector<int> interface_rows(const std::vector<std::string>& words, const std::vector<Dof>& dofs) {
  std::vector<int> rows;
  for (const std::string& word : split(words)) {
    const Dof wanted = parse_dof(word);
    bool found = false;
    for (std::size_t i = 0; i < dofs.size(); ++i) {
      const bool node =
          wanted.node != 0 ? dofs[i].node == wanted.node : !wanted.name.empty() && dofs[i].name == wanted.name;
      if (!node || (wanted.direction != 0 && std::abs(dofs[i].direction) != std::abs(wanted.direction))) continue;
      found = true;
      if (std::find(rows.begin(), rows.end(), static_cast<int>(i)) == rows.end()) rows.push_back(static_cast<int>(i));
    }
    if (!found)
      throw_bad_input(
          "interface_nodes", fmt::format("{} is no free degree of freedom of the model", in_quotes(word)),
          "name nodes of the model that are neither held nor dependent on others (the master of a rigid link is free)");
  }
  return rows;
}

MatrixXd craig_bampton_basis(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& interface,
                             int modes, EigenSolver eigensolver, const std::vector<int>& group_of) {
  const int size = static_cast<int>(stiffness.rows()), held = static_cast<int>(interface.size());
  std::vector<int> place(static_cast<std::size_t>(size), -1);
  for (int b = 0; b < held; ++b) {
    const int q = interface[static_cast<std::size_t>(b)];
    if (q < 0 || q >= size || place[static_cast<std::size_t>(q)] >= 0)
      throw_bad_input("interface", fmt::format("unknown {} does not exist or is listed twice", q),
                      "list every interface motion once");
    place[static_cast<std::size_t>(q)] = -2 - b;  // its column
  }
  std::vector<int> inner, inner_group;
  for (int q = 0; q < size; ++q)
    if (place[static_cast<std::size_t>(q)] == -1) {
      place[static_cast<std::size_t>(q)] = static_cast<int>(inner.size()), inner.push_back(q);
      if (!group_of.empty()) inner_group.push_back(group_of[static_cast<std::size_t>(q)]);
    }
  if (held == 0 || inner.empty())
    throw_bad_input("interface", "there is no interface, or nothing inside it", "choose some of the motions");
  const auto inside = [&](const SparseMatrix& m, MatrixXd* coupling) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(static_cast<std::size_t>(m.nonZeros()));
    for (int j = 0; j < m.outerSize(); ++j)
      for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
        const int a = place[static_cast<std::size_t>(it.row())], b = place[static_cast<std::size_t>(it.col())];
        if (a >= 0 && b >= 0) {
          entries.emplace_back(std::max(a, b), std::min(a, b), it.value());
        } else if (coupling && (a >= 0 || b >= 0)) {
          (*coupling)(a >= 0 ? a : b, -2 - (a >= 0 ? b : a)) += it.value();
        }
      }
    SparseMatrix out(static_cast<Index>(inner.size()), static_cast<Index>(inner.size()));
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  };
  MatrixXd coupling = MatrixXd::Zero(static_cast<Index>(inner.size()), held);
  const SparseMatrix k = inside(stiffness, &coupling), m = inside(mass, nullptr);
  SparseFactor factor(k, m, inner_group);
  const FactorFacts facts = factor.factor(k, m, 1.0, 0.0);
  if (facts.negative_pivots + facts.small_pivots > 0)
    throw_bad_input("interface", "with the interface held, parts can still move freely",
                    "add motions to the interface until nothing inside is loose");
  const MatrixXd constraint = -factor.solve(coupling);
  MatrixXd normal(static_cast<Index>(inner.size()), 0);
  if (modes > 0) {
    ModesOptions options;
    options.count = modes;
    options.eigensolver = eigensolver;
    normal = find_modes(k, m, inner_group, options).shapes;
  }
  MatrixXd out = MatrixXd::Zero(size, held + normal.cols());
  for (int b = 0; b < held; ++b) out(interface[static_cast<std::size_t>(b)], b) = 1.0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    out.row(inner[i]).head(held) = constraint.row(static_cast<Index>(i));
    out.row(inner[i]).tail(normal.cols()) = normal.row(static_cast<Index>(i));
  }
  return out;
}

MatrixXd inertia_relief(const SparseMatrix& stiffness, const SparseMatrix& mass, const MatrixXd& rigid,
                        const std::vector<int>& loaded, const std::vector<int>& group_of) {
  const MatrixXd carried = multiply(mass, rigid);
  MatrixXd force = MatrixXd::Zero(stiffness.rows(), static_cast<Index>(loaded.size()));
  for (std::size_t j = 0; j < loaded.size(); ++j) force(loaded[j], static_cast<Index>(j)) = 1.0;
  force -= carried * (rigid.transpose() * force).eval();
  SparseMatrix held = stiffness;
  if (rigid.cols() > 0) {
    // As many supports as there are rigid motions, where they are told apart best. They carry nothing, because the
    // forces are in equilibrium: their stiffness does not matter.
    const Eigen::ColPivHouseholderQR<MatrixXd> pivots(rigid.transpose());
    const double support = stiffness.diagonal().cwiseAbs().mean();
    for (Index i = 0; i < rigid.cols(); ++i) {
      const Index at = pivots.colsPermutation().indices()[i];
      held.coeffRef(at, at) += support;
    }
  }
  SparseFactor factor(held, mass, group_of);
  const FactorFacts facts = factor.factor(held, mass, 1.0, 0.0);
  if (facts.negative_pivots + facts.small_pivots > 0)
    throw_bad_input("stiffness", "parts can move freely against each other: there is no deflection under a force",
                    "join the loose parts, or use fixed-interface modes (Craig-Bampton)");
  MatrixXd out = factor.solve(force);
  out -= rigid * (carried.transpose() * out).eval();
  return out;
}

}  // namespace kdyn::fe
