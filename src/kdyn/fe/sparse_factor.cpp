// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/sparse_factor.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <cblas-openblas.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/internal/elimination.hpp"
#include "kdyn/fe/internal/panel_kernels.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::fe {
namespace {

using internal::Elimination;
using internal::strip;
using internal::Supernode;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The tree gives the parallelism; threads of the BLAS beside it only fight for the cores.
class SingleBlasThread {
 public:
  SingleBlasThread() : before_(openblas_get_num_threads()) { openblas_set_num_threads(1); }
  ~SingleBlasThread() { openblas_set_num_threads(before_); }
  SingleBlasThread(const SingleBlasThread&) = delete;
  SingleBlasThread& operator=(const SingleBlasThread&) = delete;

 private:
  int before_;
};

struct Pivots {
  int negative = 0, small = 0;
};

// [fe E23] of the first `columns` columns of a front of `rows` rows, in blocks; d gets the pivots.
void factor_panel(double* a, int rows, int columns, double* d, double tiny, std::vector<double>& scaled,
                  Pivots& pivots) {
  constexpr int block = 48;
  for (int k = 0; k < columns; k += block) {
    const int width = std::min(block, columns - k), rest = rows - k - width;
    for (int j = k; j < k + width; ++j) {
      double* column = a + static_cast<std::ptrdiff_t>(j) * rows;
      double pivot = column[j];
      if (!(std::abs(pivot) > tiny)) pivot = pivot < 0.0 ? -tiny : tiny, ++pivots.small;
      pivots.negative += pivot < 0.0;
      d[j] = pivot;
      for (int c = j + 1; c < k + width; ++c) {
        const double l = column[c] / pivot;
        double* other = a + static_cast<std::ptrdiff_t>(c) * rows;
        for (int i = c; i < k + width; ++i) other[i] -= column[i] * l;
      }
      for (int i = j + 1; i < k + width; ++i) column[i] /= pivot;
    }
    if (rest == 0) continue;
    double* below = a + static_cast<std::ptrdiff_t>(k) * rows + k + width;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, rest, width, 1.0,
                a + static_cast<std::ptrdiff_t>(k) * rows + k, rows, below, rows);
    // `below` is L D now; what is still to come in this panel needs both L D and L.
    const int ahead = columns - k - width;
    scaled.resize(at(ahead) * at(width));
    for (int j = 0; j < width; ++j) {
      double* column = below + static_cast<std::ptrdiff_t>(j) * rows;
      std::copy(column, column + ahead, scaled.data() + at(j) * at(ahead));
      const double inverse = 1.0 / d[k + j];
      for (int i = 0; i < rest; ++i) column[i] *= inverse;
    }
    constexpr int wide = 96;
    for (int c = 0; c < ahead; c += wide) {
      const int part = std::min(wide, ahead - c);
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rest - c, part, width, -1.0, below + c, rows,
                  scaled.data() + c, ahead, 1.0, a + static_cast<std::ptrdiff_t>(k + width + c) * rows + k + width + c,
                  rows);
    }
  }
}

}  // namespace

struct SparseFactor::Inside {
  Elimination elimination;
  int threads = 1;
  double entries = 0.0;  // of both matrices
  std::unique_ptr<double[]> panels;
  std::vector<double> pivots;

  // Entries of the matrix by new columns.
  std::vector<std::size_t> start;
  std::vector<int> row;
  std::vector<double> value;

  void permute(const SparseMatrix& stiffness, const SparseMatrix& mass, double a, double b) {
    const auto each = [&](const SparseMatrix& m, double factor, auto&& work) {
      if (factor == 0.0) return;
      for (int j = 0; j < m.cols(); ++j) {
        const int nj = elimination.new_of[at(j)];
        for (int k = m.outerIndexPtr()[j]; k < m.outerIndexPtr()[j + 1]; ++k) {
          const int ni = elimination.new_of[at(m.innerIndexPtr()[k])];
          work(std::min(ni, nj), std::max(ni, nj), factor * m.valuePtr()[k]);
        }
      }
    };
    start.assign(at(elimination.size) + 1, 0);
    const auto count = [&](int column, int, double) { ++start[at(column) + 1]; };
    each(stiffness, a, count), each(mass, b, count);
    for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
    row.resize(start.back()), value.resize(start.back());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    const auto fill = [&](int column, int r, double v) {
      const std::size_t place = next[at(column)]++;
      row[place] = r, value[place] = v;
    };
    each(stiffness, a, fill), each(mass, b, fill);
  }

  // Workspace of one thread.
  struct Desk {
    std::vector<int> place;  // of a row in the front at hand
    std::vector<double> scaled;
    Pivots pivots;
  };

  void eliminate(int s, Desk& desk, std::vector<std::unique_ptr<double[]>>& updates, double tiny) {
    const Supernode& node = elimination.supernodes[at(s)];
    const int columns = node.columns, rows = columns + node.below;
    double* panel = panels.get() + node.panel;
    std::fill(panel, panel + at(columns) * at(rows), 0.0);
    if (desk.place.empty()) desk.place.resize(at(elimination.size));
    for (int i = 0; i < columns; ++i) desk.place[at(node.first + i)] = i;
    for (int i = 0; i < node.below; ++i) desk.place[at(elimination.rows[node.rows + at(i)])] = columns + i;
    for (int j = 0; j < columns; ++j)
      for (std::size_t k = start[at(node.first + j)]; k < start[at(node.first + j) + 1]; ++k)
        panel[at(j) * at(rows) + at(desk.place[at(row[k])])] += value[k];
    // Lower triangle of a square; what lies above it is never touched.
    std::unique_ptr<double[]>& update = updates[at(s)];
    update.reset(new double[at(node.below) * at(node.below)]);
    for (int j = 0; j < node.below; ++j)
      std::fill_n(update.get() + at(j) * at(node.below) + at(j), node.below - j, 0.0);
    for (const int child : node.children) {
      const Supernode& from = elimination.supernodes[at(child)];
      const double* part = updates[at(child)].get();
      const int* relative = elimination.relative.data() + from.rows;
      for (int j = 0; j < from.below; ++j) {
        const double* source = part + at(j) * at(from.below);
        if (relative[j] < columns) {
          double* target = panel + at(relative[j]) * at(rows);
          for (int i = j; i < from.below; ++i) target[relative[i]] += source[i];
        } else {
          double* target = update.get() + at(relative[j] - columns) * at(node.below);
          for (int i = j; i < from.below; ++i) target[relative[i] - columns] += source[i];
        }
      }
      updates[at(child)].reset();
    }
    factor_panel(panel, rows, columns, pivots.data() + node.first, tiny, desk.scaled, desk.pivots);
    if (node.below == 0) return;
    // U -= L21 D L21^T, lower triangle by strips of columns.
    const int below = node.below;
    desk.scaled.resize(at(below) * at(columns));
    for (int j = 0; j < columns; ++j) {
      const double d = pivots[at(node.first + j)];
      const double* source = panel + at(j) * at(rows) + at(columns);
      double* target = desk.scaled.data() + at(j) * at(below);
      for (int i = 0; i < below; ++i) target[i] = d * source[i];
    }
    constexpr int wide = 128;
    for (int c = 0; c < below; c += wide) {
      const int part = std::min(wide, below - c);
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, below - c, part, columns, -1.0, panel + columns + c, rows,
                  desk.scaled.data() + c, below, 1.0, update.get() + at(c) * at(below) + at(c), below);
    }
  }

  void solve_strip(double* x) const {
    struct Bench {
      std::vector<double> front, stack;
      std::vector<char> nothing;  // by supernode of the chunk: it hands nothing on
      double* open(std::vector<double>& what, std::size_t rows) const {
        if (what.size() < rows * strip) what.resize(rows * strip);
        return what.data();
      }
    };
    std::vector<Bench> benches(at(threads));
    std::vector<std::unique_ptr<double[]>> handed(elimination.chunks.size());  // by a chunk to its parent
    internal::run_chunks(elimination, true, threads, [&](int c, int thread) {
      const Elimination::Chunk& chunk = elimination.chunks[at(c)];
      Bench& bench = benches[at(thread)];
      double* stack = bench.open(bench.stack, chunk.stack);
      bench.nothing.assign(at(chunk.last - chunk.first + 1), 0);
      for (int s = chunk.first; s <= chunk.last; ++s) {
        const Supernode& node = elimination.supernodes[at(s)];
        double* own = x + at(node.first) * strip;
        const auto source_of = [&](std::size_t k) -> const double* {
          const int child = node.children[k];
          if (chunk.first == chunk.last) return handed[at(chunk.children[k])].get();
          return bench.nothing[at(child - chunk.first)] ? nullptr
                                                        : stack + elimination.supernodes[at(child)].update * strip;
        };
        // Loads at a few places leave most of the tree at rest.
        bool nothing = std::all_of(own, own + at(node.columns) * strip, [](double v) { return v == 0.0; });
        for (std::size_t k = 0; k < node.children.size() && nothing; ++k) nothing = source_of(k) == nullptr;
        bench.nothing[at(s - chunk.first)] = nothing;
        if (nothing) continue;
        double* y = bench.open(bench.front, at(node.columns + node.below));
        std::copy(own, own + at(node.columns) * strip, y);
        std::fill(y + at(node.columns) * strip, y + at(node.columns + node.below) * strip, 0.0);
        for (std::size_t k = 0; k < node.children.size(); ++k) {
          const double* source = source_of(k);
          if (source == nullptr) continue;
          const Supernode& from = elimination.supernodes[at(node.children[k])];
          const int* relative = elimination.relative.data() + from.rows;
          for (int i = 0; i < from.below; ++i)
            for (int j = 0; j < strip; ++j) y[at(relative[i]) * strip + at(j)] += source[at(i) * strip + at(j)];
        }
        internal::sweep_forward(panels.get() + node.panel, node.columns, node.below, y);
        for (int i = 0; i < node.columns; ++i) {
          const double inverse = 1.0 / pivots[at(node.first + i)];
          for (int k = 0; k < strip; ++k) own[i * strip + k] = y[i * strip + k] * inverse;
        }
        const double* rest = y + at(node.columns) * strip;
        if (s < chunk.last) {
          std::copy(rest, rest + at(node.below) * strip, stack + node.update * strip);
        } else if (node.below > 0) {
          handed[at(c)].reset(new double[at(node.below) * strip]);
          std::copy(rest, rest + at(node.below) * strip, handed[at(c)].get());
        }
      }
      for (const int child : chunk.children) handed[at(child)].reset();
    });
    internal::run_chunks(elimination, false, threads, [&](int c, int thread) {
      for (int s = elimination.chunks[at(c)].last; s >= elimination.chunks[at(c)].first; --s) {
        const Supernode& node = elimination.supernodes[at(s)];
        double* y = benches[at(thread)].open(benches[at(thread)].front, at(node.columns + node.below));
        double* own = x + at(node.first) * strip;
        std::copy(own, own + at(node.columns) * strip, y);
        for (int i = 0; i < node.below; ++i) {
          const double* source = x + at(elimination.rows[node.rows + at(i)]) * strip;
          std::copy(source, source + strip, y + at(node.columns + i) * strip);
        }
        internal::sweep_backward(panels.get() + node.panel, node.columns, node.below, y);
        std::copy(y, y + at(node.columns) * strip, own);
      }
    });
  }
};

SparseFactor::SparseFactor(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of,
                           int threads)
    : inside_(std::make_unique<Inside>()) {
  demand(stiffness.rows() == stiffness.cols() && mass.rows() == stiffness.rows() && stiffness.rows() > 0,
         "matrices are square and of one size");
  demand(group_of.empty() || group_of.size() == at(static_cast<int>(stiffness.rows())), "every unknown has a group");
  inside_->elimination = internal::eliminate({&stiffness, &mass}, group_of);
  inside_->threads = threads_or_all(threads);
  inside_->entries = static_cast<double>(stiffness.nonZeros()) + static_cast<double>(mass.nonZeros());
}
SparseFactor::~SparseFactor() = default;
SparseFactor::SparseFactor(SparseFactor&&) noexcept = default;
SparseFactor& SparseFactor::operator=(SparseFactor&&) noexcept = default;

int SparseFactor::size() const { return inside_->elimination.size; }
void SparseFactor::solve_strip(double* x) const { inside_->solve_strip(x); }
const std::vector<int>& SparseFactor::order() const { return inside_->elimination.new_of; }

double SparseFactor::expected_bytes() const {
  const Elimination& tree = inside_->elimination;
  double live = 0.0, peak = 0.0;
  for (const Supernode& node : tree.supernodes) {
    live += static_cast<double>(node.below) * node.below;
    peak = std::max(peak, live);
    for (const int child : node.children) {
      const double below = tree.supernodes[at(child)].below;
      live -= below * below;
    }
  }
  return sizeof(double) * (static_cast<double>(tree.panel_values) + peak) +
         (sizeof(double) + sizeof(int)) * inside_->entries;
}

FactorFacts SparseFactor::factor(const SparseMatrix& stiffness, const SparseMatrix& mass, double a, double b) {
  Inside& in = *inside_;
  const Elimination& tree = in.elimination;
  in.permute(stiffness, mass, a, b);
  double largest = 0.0;
  for (int j = 0; j < tree.size; ++j)
    for (std::size_t k = in.start[at(j)]; k < in.start[at(j) + 1]; ++k)
      if (in.row[k] == j) largest = std::max(largest, std::abs(in.value[k]));
  if (!in.panels) in.panels.reset(new double[tree.panel_values]);
  in.pivots.assign(at(tree.size), 0.0);
  const SingleBlasThread single;
  std::vector<std::unique_ptr<double[]>> updates(tree.supernodes.size());
  std::vector<Inside::Desk> desks(at(in.threads));
  internal::run_chunks(tree, true, in.threads, [&](int c, int thread) {
    for (int s = tree.chunks[at(c)].first; s <= tree.chunks[at(c)].last; ++s)
      in.eliminate(s, desks[at(thread)], updates, 1e-20 * largest);
  });
  in.start = std::vector<std::size_t>(), in.row = std::vector<int>(),
  in.value = std::vector<double>();  // `= {}` would keep the memory
  FactorFacts facts;
  for (const Inside::Desk& desk : desks)
    facts.negative_pivots += desk.pivots.negative, facts.small_pivots += desk.pivots.small;
  facts.entries = static_cast<double>(tree.panel_values);
  facts.flops = tree.flops;
  return facts;
}

Eigen::MatrixXd SparseFactor::solve(const Eigen::MatrixXd& right) const {
  const Inside& in = *inside_;
  const int size = in.elimination.size;
  demand(right.rows() == size, "a right-hand side has one value per unknown");
  Eigen::MatrixXd out(size, right.cols());
  std::vector<double> x(at(size) * strip);
  for (Eigen::Index first = 0; first < right.cols(); first += strip) {
    const auto count = static_cast<int>(std::min<Eigen::Index>(strip, right.cols() - first));
    if (count < strip) std::fill(x.begin(), x.end(), 0.0);
    for (int k = 0; k < count; ++k) {
      const double* column = right.data() + (first + k) * size;
      for (int i = 0; i < size; ++i) x[at(in.elimination.new_of[at(i)]) * strip + at(k)] = column[i];
    }
    in.solve_strip(x.data());
    for (int k = 0; k < count; ++k) {
      double* column = out.data() + (first + k) * size;
      for (int i = 0; i < size; ++i) column[i] = x[at(in.elimination.new_of[at(i)]) * strip + at(k)];
    }
  }
  return out;
}

}  // namespace kdyn::fe
