// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kdyn::mbs {
namespace {

using MatrixMap = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;
using Fixed6 = Eigen::Map<const Eigen::Matrix<double, 6, 6>>;

// y -= B x and y -= B^T x with the size of rigid bodies known to the compiler.
void subtract(const double* b, int rows, int columns, const double* x, double* y) {
  if (rows == 6 && columns == 6)
    Eigen::Map<Eigen::Matrix<double, 6, 1>>(y).noalias() -=
        Fixed6(b) * Eigen::Map<const Eigen::Matrix<double, 6, 1>>(x);
  else
    Eigen::Map<Eigen::VectorXd>(y, rows).noalias() -=
        ConstMap(b, rows, columns) * Eigen::Map<const Eigen::VectorXd>(x, columns);
}
void subtract_transposed(const double* b, int rows, int columns, const double* x, double* y) {
  if (rows == 6 && columns == 6)
    Eigen::Map<Eigen::Matrix<double, 6, 1>>(y).noalias() -=
        Fixed6(b).transpose() * Eigen::Map<const Eigen::Matrix<double, 6, 1>>(x);
  else
    Eigen::Map<Eigen::VectorXd>(y, columns).noalias() -=
        ConstMap(b, rows, columns).transpose() * Eigen::Map<const Eigen::VectorXd>(x, rows);
}

}  // namespace

void BlockLu::analyse(const std::vector<int>& sizes, const std::vector<std::pair<int, int>>& couplings, int bodies) {
  sizes_ = sizes;
  const int n = static_cast<int>(sizes.size());
  offsets_.assign(1, 0);
  for (const int size : sizes) offsets_.push_back(offsets_.back() + size);
  std::vector<std::set<int>> graph(static_cast<std::size_t>(n));
  for (const auto& [i, j] : couplings)
    if (i != j) {
      graph[static_cast<std::size_t>(i)].insert(j);
      graph[static_cast<std::size_t>(j)].insert(i);
    }
  const auto original = graph;
  std::vector<bool> done(static_cast<std::size_t>(n), false);
  std::vector<std::set<int>> filled(static_cast<std::size_t>(n));  // columns of each row, both triangles
  for (int i = 0; i < n; ++i) {
    filled[static_cast<std::size_t>(i)].insert(i);
    for (const int j : graph[static_cast<std::size_t>(i)]) filled[static_cast<std::size_t>(i)].insert(j);
  }
  stages_.clear();
  for (int count = 0; count < n; ++count) {
    int best = -1;
    std::size_t least = 0;
    for (int i = 0; i < n; ++i) {
      if (done[static_cast<std::size_t>(i)]) continue;
      const auto& near = graph[static_cast<std::size_t>(i)];
      // A joint has a zero block of its own until its bodies are eliminated.
      if (i >= bodies &&
          std::any_of(original[static_cast<std::size_t>(i)].begin(), original[static_cast<std::size_t>(i)].end(),
                      [&](int j) { return j < bodies && !done[static_cast<std::size_t>(j)]; }))
        continue;
      if (best < 0 || near.size() < least) {
        best = i;
        least = near.size();
      }
    }
    Stage stage;
    stage.block = best;
    const auto near = graph[static_cast<std::size_t>(best)];
    stage.later.assign(near.begin(), near.end());
    for (const int i : near) {
      graph[static_cast<std::size_t>(i)].erase(best);
      for (const int j : near)
        if (i != j) {
          graph[static_cast<std::size_t>(i)].insert(j);
          filled[static_cast<std::size_t>(i)].insert(j);
        }
    }
    done[static_cast<std::size_t>(best)] = true;
    stages_.push_back(std::move(stage));
  }
  entries_.clear();
  lookup_.assign(static_cast<std::size_t>(n), {});
  std::size_t at = 0, inverse = 0;
  inverse_at_.clear();
  for (int i = 0; i < n; ++i) {
    for (const int j : filled[static_cast<std::size_t>(i)]) {
      lookup_[static_cast<std::size_t>(i)].emplace_back(j, static_cast<int>(entries_.size()));
      entries_.push_back({i, j, at});
      at += static_cast<std::size_t>(sizes[static_cast<std::size_t>(i)] * sizes[static_cast<std::size_t>(j)]);
    }
    inverse_at_.push_back(inverse);
    inverse += static_cast<std::size_t>(sizes[static_cast<std::size_t>(i)] * sizes[static_cast<std::size_t>(i)]);
  }
  values_.assign(at, 0.0);
  inverses_.assign(inverse, 0.0);
  for (Stage& stage : stages_)
    for (const int i : stage.later) {
      stage.lower.push_back(find(i, stage.block));
      stage.upper.push_back(find(stage.block, i));
      for (const int j : stage.later) stage.inner.push_back(find(i, j));
    }
  work_.resize(offsets_.back());
}

int BlockLu::find(int i, int j) const {
  for (const auto& [column, entry] : lookup_[static_cast<std::size_t>(i)])
    if (column == j) return entry;
  return -1;
}

void BlockLu::set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }

Eigen::Map<Eigen::MatrixXd> BlockLu::block(int i, int j) {
  const Entry& entry = entries_[static_cast<std::size_t>(find(i, j))];
  return {values_.data() + entry.at, sizes_[static_cast<std::size_t>(i)], sizes_[static_cast<std::size_t>(j)]};
}

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Gauss-Jordan with the largest pivot of each column, in place; false when singular. Six by six is the block of a rigid
// body.
bool invert(Matrix6& A) {
  int order[6];
  for (int k = 0; k < 6; ++k) {
    int best = k;
    for (int i = k + 1; i < 6; ++i)
      if (std::abs(A(i, k)) > std::abs(A(best, k))) best = i;
    order[k] = best;
    if (best != k) A.row(k).swap(A.row(best));
    const double pivot = A(k, k);
    if (!(std::abs(pivot) > 0.0) || !std::isfinite(pivot)) return false;
    Eigen::Matrix<double, 6, 1> column = A.col(k);
    column[k] = 0.0;
    A.col(k).setZero();
    A(k, k) = 1.0;
    A.row(k) /= pivot;
    const Eigen::Matrix<double, 1, 6> row = A.row(k);
    A.noalias() -= column.lazyProduct(row);
  }
  for (int k = 5; k >= 0; --k)
    if (order[k] != k) A.col(k).swap(A.col(order[k]));
  return A.allFinite();
}

}  // namespace

bool BlockLu::factorise() {
  const auto size = [&](int block) { return sizes_[static_cast<std::size_t>(block)]; };
  const auto entry = [&](int index) -> const Entry& { return entries_[static_cast<std::size_t>(index)]; };
  const auto map = [&](int index) {
    return MatrixMap(values_.data() + entry(index).at, size(entry(index).row), size(entry(index).column));
  };
  const auto fixed = [&](int index) { return Eigen::Map<Matrix6>(values_.data() + entry(index).at); };
  Matrix product;
  for (const Stage& stage : stages_) {
    const auto b = static_cast<std::size_t>(stage.block);
    const std::size_t m = stage.later.size();
    MatrixMap inverse(inverses_.data() + inverse_at_[b], sizes_[b], sizes_[b]);
    const bool rigid = sizes_[b] == 6;
    if (rigid) {
      Matrix6 own = fixed(find(stage.block, stage.block));
      if (!invert(own)) return false;
      inverse = own;
    } else {
      inverse = map(find(stage.block, stage.block)).partialPivLu().inverse();
      if (!inverse.allFinite()) return false;
    }
    const Eigen::Map<const Matrix6> inverse6(inverse.data());
    for (std::size_t i = 0; i < m; ++i) {
      if (rigid && size(stage.later[i]) == 6) {
        auto lower = fixed(stage.lower[i]);
        const Matrix6 scaled = lower.lazyProduct(inverse6);
        lower = scaled;
        for (std::size_t j = 0; j < m; ++j) {
          if (size(stage.later[j]) == 6)
            fixed(stage.inner[i * m + j]).noalias() -= scaled.lazyProduct(fixed(stage.upper[j]));
          else
            map(stage.inner[i * m + j]).noalias() -= scaled * map(stage.upper[j]);
        }
        continue;
      }
      auto lower = map(stage.lower[i]);
      product.noalias() = lower * inverse;
      lower = product;
      for (std::size_t j = 0; j < m; ++j) map(stage.inner[i * m + j]).noalias() -= lower * map(stage.upper[j]);
    }
  }
  return true;
}

void BlockLu::solve(Vector& b) const {
  for (const Stage& stage : stages_)
    for (std::size_t i = 0; i < stage.later.size(); ++i) {
      const Entry& e = entries_[static_cast<std::size_t>(stage.lower[i])];
      subtract(values_.data() + e.at, sizes_[static_cast<std::size_t>(e.row)],
               sizes_[static_cast<std::size_t>(e.column)], b.data() + offset(e.column), b.data() + offset(e.row));
    }
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    const auto k = static_cast<std::size_t>(stage->block);
    double* at = b.data() + offset(stage->block);
    for (const int u : stage->upper) {
      const Entry& e = entries_[static_cast<std::size_t>(u)];
      subtract(values_.data() + e.at, sizes_[k], sizes_[static_cast<std::size_t>(e.column)],
               b.data() + offset(e.column), at);
    }
    double* copy = work_.data();
    std::copy(at, at + sizes_[k], copy);
    std::fill(at, at + sizes_[k], 0.0);
    for (int i = 0; i < sizes_[k]; ++i) copy[i] = -copy[i];
    subtract(inverses_.data() + inverse_at_[k], sizes_[k], sizes_[k], copy, at);
  }
}

void BlockLu::solve_transposed(Vector& b) const {
  for (const Stage& stage : stages_) {
    const auto k = static_cast<std::size_t>(stage.block);
    double* at = b.data() + offset(stage.block);
    double* copy = work_.data();
    for (int i = 0; i < sizes_[k]; ++i) copy[i] = -at[i];
    std::fill(at, at + sizes_[k], 0.0);
    subtract_transposed(inverses_.data() + inverse_at_[k], sizes_[k], sizes_[k], copy, at);
    for (const int u : stage.upper) {
      const Entry& e = entries_[static_cast<std::size_t>(u)];
      subtract_transposed(values_.data() + e.at, sizes_[k], sizes_[static_cast<std::size_t>(e.column)], at,
                          b.data() + offset(e.column));
    }
  }
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage)
    for (const int l : stage->lower) {
      const Entry& e = entries_[static_cast<std::size_t>(l)];
      subtract_transposed(values_.data() + e.at, sizes_[static_cast<std::size_t>(e.row)],
                          sizes_[static_cast<std::size_t>(e.column)], b.data() + offset(e.row),
                          b.data() + offset(e.column));
    }
}

std::vector<double> BlockLu::image() const {
  std::vector<double> out = values_;
  out.insert(out.end(), inverses_.begin(), inverses_.end());
  return out;
}

bool BlockLu::set_image(const std::vector<double>& image) {
  if (image.size() != values_.size() + inverses_.size()) return false;
  const auto middle = image.begin() + static_cast<std::ptrdiff_t>(values_.size());
  std::copy(image.begin(), middle, values_.begin());
  std::copy(middle, image.end(), inverses_.begin());
  return true;
}

Eigen::MatrixXd BlockLu::to_dense() const {
  Matrix dense = Matrix::Zero(size(), size());
  for (const Entry& e : entries_)
    dense.block(offset(e.row), offset(e.column), sizes_[static_cast<std::size_t>(e.row)],
                sizes_[static_cast<std::size_t>(e.column)]) =
        ConstMap(values_.data() + e.at, sizes_[static_cast<std::size_t>(e.row)],
                 sizes_[static_cast<std::size_t>(e.column)]);
  return dense;
}

}  // namespace kdyn::mbs
