// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/elimination.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>

#include <metis.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::fe::internal {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Graph {
  std::vector<idx_t> start, neighbour, weight;
  int nodes() const { return static_cast<int>(start.size()) - 1; }
};

// Graph of the groups: neighbours in both directions, no loops.
Graph graph_of(const std::vector<const Eigen::SparseMatrix<double>*>& patterns, const std::vector<int>& group,
               int groups) {
  std::vector<std::vector<int>> higher(at(groups));
  std::vector<int> seen(at(groups), -1);
  const int size = static_cast<int>(group.size());
  for (int begin = 0; begin < size;) {
    int end = begin;
    const int g = group[at(begin)];
    while (end < size && group[at(end)] == g) ++end;
    for (const auto* pattern : patterns)
      for (int column = begin; column < end; ++column)
        for (int k = pattern->outerIndexPtr()[column]; k < pattern->outerIndexPtr()[column + 1]; ++k) {
          const int other = group[at(pattern->innerIndexPtr()[k])];
          if (other == g || seen[at(other)] == g) continue;
          seen[at(other)] = g;
          higher[at(g)].push_back(other);
        }
    begin = end;
  }
  Graph out;
  out.weight.assign(at(groups), 0);
  for (const int g : group) ++out.weight[at(g)];
  std::vector<idx_t> degree(at(groups) + 1, 0);
  for (int g = 0; g < groups; ++g)
    for (const int other : higher[at(g)]) ++degree[at(g) + 1], ++degree[at(other) + 1];
  std::partial_sum(degree.begin(), degree.end(), degree.begin());
  out.start = degree;
  out.neighbour.resize(at(static_cast<int>(degree.back())));
  std::vector<idx_t> next(degree.begin(), degree.end() - 1);
  for (int g = 0; g < groups; ++g)
    for (const int other : higher[at(g)]) {
      out.neighbour[static_cast<std::size_t>(next[at(g)]++)] = other;
      out.neighbour[static_cast<std::size_t>(next[at(other)]++)] = g;
    }
  return out;
}

// new position -> group
std::vector<int> nested_dissection(Graph& graph) {
  const int nodes = graph.nodes();
  std::vector<idx_t> old_of(at(nodes)), new_of(at(nodes));
  if (nodes < 3 || graph.neighbour.empty()) {
    std::iota(old_of.begin(), old_of.end(), 0);
    return {old_of.begin(), old_of.end()};
  }
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  idx_t count = nodes;
  const auto order = [&] {
    return METIS_NodeND(&count, graph.start.data(), graph.neighbour.data(), graph.weight.data(), options, old_of.data(),
                        new_of.data());
  };
  int status = order();
  // METIS catches SIGTERM and takes it for an error of its own: the request goes to whom it is meant for.
  if (status == METIS_ERROR) std::raise(SIGTERM), status = order();
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  demand(status == METIS_OK, "METIS orders any graph");
  return {old_of.begin(), old_of.end()};
}

// Parents in the elimination tree of the graph under an order (Liu).
std::vector<int> tree_of(const Graph& graph, const std::vector<int>& old_of, const std::vector<int>& new_of) {
  const int nodes = graph.nodes();
  std::vector<int> parent(at(nodes), -1), root(at(nodes), -1);
  for (int j = 0; j < nodes; ++j)
    for (idx_t k = graph.start[at(old_of[at(j)])]; k < graph.start[at(old_of[at(j)]) + 1]; ++k) {
      int i = new_of[at(static_cast<int>(graph.neighbour[static_cast<std::size_t>(k)]))];
      while (i < j && i != -1) {
        const int next = root[at(i)];
        root[at(i)] = j;
        if (next == -1) {
          parent[at(i)] = j;
          break;
        }
        if (next == j) break;
        i = next;
      }
    }
  return parent;
}

std::vector<int> postorder(const std::vector<int>& parent) {
  const int nodes = static_cast<int>(parent.size());
  std::vector<int> head(at(nodes), -1), next(at(nodes), -1), order, stack;
  order.reserve(at(nodes));
  for (int j = nodes - 1; j >= 0; --j)
    if (parent[at(j)] >= 0) next[at(j)] = head[at(parent[at(j)])], head[at(parent[at(j)])] = j;
  for (int r = 0; r < nodes; ++r) {
    if (parent[at(r)] >= 0) continue;
    stack.push_back(r);
    while (!stack.empty()) {
      const int top = stack.back();
      if (head[at(top)] >= 0) {
        stack.push_back(head[at(top)]);
        head[at(top)] = next[at(head[at(top)])];
      } else {
        order.push_back(top);
        stack.pop_back();
      }
    }
  }
  return order;
}

// A supernode while it is found: groups first..last in the new order, and groups below.
struct Bundle {
  int first = 0, last = 0;
  std::vector<int> below;
  double columns = 0.0, under = 0.0, zeros = 0.0;  // unknowns; entries that merging filled with zeros
};

// [fe E22] Merging is worth it when the zeros it stores are few: narrow supernodes are slow.
bool worth_merging(const Bundle& child, const Bundle& parent, double& zeros) {
  const double columns = child.columns + parent.columns;
  zeros = child.zeros + parent.zeros + child.columns * (parent.columns + parent.under - child.under);
  if (columns <= 12.0) return true;
  const double entries = columns * (0.5 * columns + parent.under), share = zeros / entries;
  return columns <= 32.0 ? share < 0.5 : columns <= 96.0 ? share < 0.15 : share < 0.05;
}

}  // namespace

Elimination eliminate(const std::vector<const Eigen::SparseMatrix<double>*>& patterns,
                      const std::vector<int>& group_of) {
  Elimination out;
  out.size = static_cast<int>(patterns.front()->rows());
  std::vector<int> group(at(out.size));
  int groups = 0;
  for (int q = 0; q < out.size; ++q) {  // groups without unknowns are left out
    if (q > 0 && (group_of.empty() || group_of[at(q)] != group_of[at(q - 1)])) ++groups;
    group[at(q)] = groups;
  }
  ++groups;
  Graph graph = graph_of(patterns, group, groups);
  std::vector<int> old_of = nested_dissection(graph), new_of(at(groups));
  const auto invert = [&] {
    for (int i = 0; i < groups; ++i) new_of[at(old_of[at(i)])] = i;
  };
  invert();
  std::vector<int> parent = tree_of(graph, old_of, new_of);
  {
    const std::vector<int> order = postorder(parent);
    std::vector<int> place(at(groups)), renamed(at(groups)), moved(at(groups), -1);
    for (int i = 0; i < groups; ++i) place[at(order[at(i)])] = i, renamed[at(i)] = old_of[at(order[at(i)])];
    for (int i = 0; i < groups; ++i)
      if (parent[at(i)] >= 0) moved[at(place[at(i)])] = place[at(parent[at(i)])];
    old_of = std::move(renamed), parent = std::move(moved);
    invert();
  }
  const auto weight = [&](int j) { return static_cast<double>(graph.weight[at(old_of[at(j)])]); };

  // Rows of each column by merging those of its children; columns with the rows of their only child join its bundle.
  std::vector<std::vector<int>> below(at(groups));
  std::vector<int> child_count(at(groups), 0), seen(at(groups), -1);
  std::vector<std::vector<int>> children(at(groups));
  for (int j = 0; j < groups; ++j)
    if (parent[at(j)] >= 0) children[at(parent[at(j)])].push_back(j);
  std::vector<Bundle> bundles;
  std::vector<int> bundle_of(at(groups), -1);
  for (int j = 0; j < groups; ++j) {
    std::vector<int>& rows = below[at(j)];
    seen[at(j)] = j;
    const auto take = [&](int i) {
      if (i > j && seen[at(i)] != j) seen[at(i)] = j, rows.push_back(i);
    };
    for (idx_t k = graph.start[at(old_of[at(j)])]; k < graph.start[at(old_of[at(j)]) + 1]; ++k)
      take(new_of[at(static_cast<int>(graph.neighbour[static_cast<std::size_t>(k)]))]);
    for (const int c : children[at(j)])
      for (const int i : below[at(c)]) take(i);
    std::sort(rows.begin(), rows.end());
    const bool joins =
        children[at(j)].size() == 1 && children[at(j)][0] == j - 1 && below[at(j - 1)].size() == rows.size() + 1;
    if (joins) {
      Bundle& b = bundles.back();
      b.last = j, b.columns += weight(j);
    } else {
      bundles.push_back({j, j, {}, weight(j), 0.0, 0.0});
    }
    bundle_of[at(j)] = static_cast<int>(bundles.size()) - 1;
    for (const int c : children[at(j)]) {
      if (bundle_of[at(c)] != bundle_of[at(j)]) bundles[at(bundle_of[at(c)])].below = std::move(below[at(c)]);
      below[at(c)] = std::vector<int>();
    }
    if (parent[at(j)] < 0) bundles.back().below = rows;
  }
  for (Bundle& b : bundles)
    for (const int i : b.below) b.under += weight(i);

  // Relaxed merging: a bundle takes over the one just before it when that is its child.
  std::vector<Bundle> merged;
  for (Bundle& b : bundles) {
    Bundle now = std::move(b);
    double zeros = 0.0;
    while (!merged.empty() && !merged.back().below.empty() && merged.back().below.front() <= now.last &&
           merged.back().below.front() >= now.first && merged.back().last + 1 == now.first &&
           worth_merging(merged.back(), now, zeros)) {
      now.first = merged.back().first;
      now.columns += merged.back().columns;
      now.zeros = zeros;
      merged.pop_back();
    }
    merged.push_back(std::move(now));
  }

  // From groups to unknowns.
  std::vector<int> first_unknown(at(groups) + 1, 0), old_first(at(groups) + 1, 0);
  for (int q = 0; q < out.size; ++q) ++old_first[at(group[at(q)]) + 1];
  std::partial_sum(old_first.begin(), old_first.end(), old_first.begin());
  for (int j = 0; j < groups; ++j)
    first_unknown[at(j) + 1] = first_unknown[at(j)] + static_cast<int>(graph.weight[at(old_of[at(j)])]);
  out.new_of.resize(at(out.size)), out.old_of.resize(at(out.size)), out.owner.resize(at(out.size));
  for (int j = 0; j < groups; ++j)
    for (int k = 0; k < first_unknown[at(j) + 1] - first_unknown[at(j)]; ++k) {
      const int old = old_first[at(old_of[at(j)])] + k, fresh = first_unknown[at(j)] + k;
      out.new_of[at(old)] = fresh, out.old_of[at(fresh)] = old;
    }
  const int count = static_cast<int>(merged.size());
  out.supernodes.resize(at(count));
  for (int s = 0; s < count; ++s) {
    const Bundle& b = merged[at(s)];
    Supernode& node = out.supernodes[at(s)];
    node.first = first_unknown[at(b.first)];
    node.columns = first_unknown[at(b.last) + 1] - node.first;
    node.rows = out.rows.size();
    for (const int j : b.below)
      for (int q = first_unknown[at(j)]; q < first_unknown[at(j) + 1]; ++q) out.rows.push_back(q);
    node.below = static_cast<int>(out.rows.size() - node.rows);
    node.panel = out.panel_values;
    out.panel_values += at(node.columns) * at(node.columns + node.below);
    for (int q = node.first; q < node.first + node.columns; ++q) out.owner[at(q)] = s;
  }
  out.relative.resize(out.rows.size());
  std::vector<double> work(at(count), 0.0);
  for (int s = 0; s < count; ++s) {
    Supernode& node = out.supernodes[at(s)];
    const double c = node.columns, b = node.below;
    const double own = c * c * c / 3.0 + c * c * b + c * b * b;
    out.flops += own;
    work[at(s)] += own + 50.0 * (c + b);
    if (node.below == 0) continue;
    node.parent = out.owner[at(out.rows[node.rows])];
    Supernode& up = out.supernodes[at(node.parent)];
    up.children.push_back(s);
    work[at(node.parent)] += work[at(s)];
    // Both lists ascend: one walk finds the places.
    std::size_t place = 0;
    for (int i = 0; i < node.below; ++i) {
      const int q = out.rows[node.rows + at(i)];
      int& relative = out.relative[node.rows + at(i)];
      if (q < up.first + up.columns) {
        relative = q - up.first;
        continue;
      }
      while (out.rows[up.rows + place] < q) ++place;
      relative = up.columns + static_cast<int>(place);
    }
  }

  // Chunks: the largest subtrees below a share of the work, found from the roots down.
  double total = 0.0;
  for (int s = 0; s < count; ++s)
    if (out.supernodes[at(s)].parent < 0) total += work[at(s)];
  std::vector<int> descendants(at(count), 0), chunk_of(at(count), -1);
  for (int s = 0; s < count; ++s)
    if (const int p = out.supernodes[at(s)].parent; p >= 0) descendants[at(p)] += descendants[at(s)] + 1;
  for (int s = 0; s < count; ++s) {
    const int p = out.supernodes[at(s)].parent;
    const bool small = work[at(s)] < total / 64.0;
    if (small && p >= 0 && work[at(p)] < total / 64.0) continue;  // part of a larger small subtree
    Elimination::Chunk chunk;
    chunk.first = small ? s - descendants[at(s)] : s;
    chunk.last = s;
    std::size_t top = 0;
    for (int k = chunk.first; k <= s; ++k) {
      chunk_of[at(k)] = static_cast<int>(out.chunks.size());
      Supernode& node = out.supernodes[at(k)];
      if (small)
        for (const int child : node.children) top -= at(out.supernodes[at(child)].below);
      node.update = top;
      top += at(node.below);
      chunk.stack = std::max(chunk.stack, top);
    }
    out.chunks.push_back(chunk);
  }
  for (int c = 0; c < static_cast<int>(out.chunks.size()); ++c) {
    const int p = out.supernodes[at(out.chunks[at(c)].last)].parent;
    if (p < 0) continue;
    out.chunks[at(c)].parent = chunk_of[at(p)];
    out.chunks[at(chunk_of[at(p)])].children.push_back(c);
  }
  return out;
}

void run_chunks(const Elimination& elimination, bool upwards, int threads, const std::function<void(int, int)>& work) {
  const int count = static_cast<int>(elimination.chunks.size());
  std::vector<int> waiting(at(count)), ready;
  for (int c = count - 1; c >= 0; --c) {
    const Elimination::Chunk& chunk = elimination.chunks[at(c)];
    waiting[at(c)] = upwards ? static_cast<int>(chunk.children.size()) : (chunk.parent >= 0 ? 1 : 0);
    if (waiting[at(c)] == 0) ready.push_back(c);
  }
  std::mutex mutex;
  std::condition_variable changed;
  int left = count;
  std::exception_ptr problem;
  run_team(std::min(threads, count), [&](int thread) {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !ready.empty() || left == 0 || problem; });
      if (left == 0 || problem) return;
      const int c = ready.back();
      ready.pop_back();
      lock.unlock();
      try {
        work(c, thread);
      } catch (...) {
        lock.lock();
        problem = std::current_exception();
        changed.notify_all();
        return;
      }
      lock.lock();
      --left;
      const Elimination::Chunk& chunk = elimination.chunks[at(c)];
      if (upwards) {
        if (chunk.parent >= 0 && --waiting[at(chunk.parent)] == 0) ready.push_back(chunk.parent);
      } else {
        for (const int child : chunk.children) ready.push_back(child);
      }
      changed.notify_all();
    }
  });
  if (problem) std::rethrow_exception(problem);
}

}  // namespace kdyn::fe::internal
