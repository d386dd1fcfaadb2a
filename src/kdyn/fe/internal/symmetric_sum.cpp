// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/symmetric_sum.hpp"

#include <algorithm>
#include <limits>

#include "kdyn/base/error.hpp"

namespace kdyn::fe::internal {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
}  // namespace

void SymmetricSum::group(const std::vector<int>& unknowns) {
  groups_.clear();
  for (int i = 0; i < static_cast<int>(unknowns.size()); ++i) {
    const int node = node_of_[at(unknowns[at(i)])];
    if (groups_.empty() || groups_.back().node != node) groups_.push_back({node, i, i});
    groups_.back().end = i + 1;
  }
}

void SymmetricSum::announce(const std::vector<int>& unknowns) {
  group(unknowns);
  for (const Group& g : groups_) member_.push_back(g.node);
  member_start_.push_back(static_cast<int>(member_.size()));
}

void SymmetricSum::freeze() {
  const int count = nodes();
  // Announced matrices of each node.
  std::vector<int> start(at(count) + 1, 0), owner(member_.size());
  for (const int node : member_) ++start[at(node) + 1];
  for (int n = 0; n < count; ++n) start[at(n) + 1] += start[at(n)];
  std::vector<int> next(start.begin(), start.end() - 1);
  for (int e = 0; e + 1 < static_cast<int>(member_start_.size()); ++e)
    for (int i = member_start_[at(e)]; i < member_start_[at(e) + 1]; ++i) owner[at(next[at(member_[at(i)])]++)] = e;

  std::vector<int> seen(at(count), -1);
  neighbour_start_.assign(1, 0);
  column_.assign(1, 0);
  for (int n = 0; n < count; ++n) {
    const std::size_t begin = neighbour_.size();
    for (int i = start[at(n)]; i < start[at(n) + 1]; ++i) {
      const int e = owner[at(i)];
      for (int k = member_start_[at(e)]; k < member_start_[at(e) + 1]; ++k)
        if (const int other = member_[at(k)]; other > n && seen[at(other)] != n)
          seen[at(other)] = n, neighbour_.push_back(other);
    }
    std::sort(neighbour_.begin() + static_cast<std::ptrdiff_t>(begin), neighbour_.end());
    int offset = 0;
    for (std::size_t k = begin; k < neighbour_.size(); ++k) {
      neighbour_offset_.push_back(offset);
      offset += first_[at(neighbour_[k]) + 1] - first_[at(neighbour_[k])];
    }
    neighbour_start_.push_back(neighbour_.size());
    const bool used = start[at(n) + 1] > start[at(n)];
    for (int j = first_[at(n)]; j < first_[at(n) + 1]; ++j)
      column_.push_back(column_.back() + at(used ? first_[at(n) + 1] - j + offset : 0));
  }
  if (column_.back() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw_bad_input("model", "a matrix would have more than 2^31 entries",
                    "use a coarser mesh or links with fewer members");
  value_.assign(column_.back(), 0.0);
  member_ = std::vector<int>(), member_start_ = std::vector<int>(1, 0);
}

void SymmetricSum::add(const std::vector<int>& unknowns, const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                       double factor) {
  group(unknowns);
  for (const Group& column : groups_) {
    const int node_end = first_[at(column.node) + 1];
    const auto low = neighbour_.begin() + static_cast<std::ptrdiff_t>(neighbour_start_[at(column.node)]);
    const auto high = neighbour_.begin() + static_cast<std::ptrdiff_t>(neighbour_start_[at(column.node) + 1]);
    for (const Group& row : groups_) {
      if (row.node < column.node) continue;
      int base = 0;
      if (row.node > column.node) {
        const auto found = std::lower_bound(low, high, row.node);
        demand(found != high && *found == row.node, "only announced matrices are added");
        base = neighbour_offset_[static_cast<std::size_t>(found - neighbour_.begin())] - first_[at(row.node)];
      }
      for (int j = column.begin; j < column.end; ++j) {
        const int unknown = unknowns[at(j)];
        double* values = value_.data() + column_[at(unknown)];
        if (row.node == column.node) {
          for (int i = row.begin; i < row.end; ++i)
            if (unknowns[at(i)] >= unknown) values[unknowns[at(i)] - unknown] += factor * matrix(i, j);
        } else {
          double* block = values + (node_end - unknown) + base;
          for (int i = row.begin; i < row.end; ++i) block[unknowns[at(i)]] += factor * matrix(i, j);
        }
      }
    }
  }
}

Eigen::SparseMatrix<double> SymmetricSum::take() {
  const int size = first_.back();
  std::size_t kept = 0;
  for (const double v : value_) kept += v != 0.0;
  Eigen::SparseMatrix<double> out(size, size);
  out.resizeNonZeros(static_cast<Eigen::Index>(kept));
  int* outer = out.outerIndexPtr();
  int* inner = out.innerIndexPtr();
  double* values = out.valuePtr();
  std::size_t place = 0;
  outer[0] = 0;
  for (int n = 0; n < nodes(); ++n)
    for (int j = first_[at(n)]; j < first_[at(n) + 1]; ++j) {
      std::size_t from = column_[at(j)];
      const auto copy = [&](int begin, int end) {
        for (int i = begin; i < end; ++i, ++from)
          if (value_[from] != 0.0) inner[place] = i, values[place] = value_[from], ++place;
      };
      if (column_[at(j) + 1] > from) {
        copy(j, first_[at(n) + 1]);
        for (std::size_t k = neighbour_start_[at(n)]; k < neighbour_start_[at(n) + 1]; ++k)
          copy(first_[at(neighbour_[k])], first_[at(neighbour_[k]) + 1]);
      }
      outer[j + 1] = static_cast<int>(place);
    }
  value_ = std::vector<double>();
  return out;
}

}  // namespace kdyn::fe::internal
