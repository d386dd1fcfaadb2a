// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/refine_mesh.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace kdyn::fe {
namespace {

bool can_be_cut(const Model& model) {
  if (!model.constraints.empty() || !model.entries.empty() || model.elements.empty()) return false;
  for (const Element& element : model.elements) {
    if (element.shape != Shape::quad4 && element.shape != Shape::tria3 && element.shape != Shape::hex8) return false;
    if (element.detail >= 0) return false;  // angles and corner thicknesses belong to the corners
    const Property& property = model.properties[static_cast<std::size_t>(element.property)];
    if (property.shell_law >= 0) return false;  // its axes come from the side of the first two nodes
  }
  // A weighted link that leans on the mesh spreads a force over single nodes: on a finer mesh it would be another one.
  std::set<int> meshed;
  for (const Element& element : model.elements)
    meshed.insert(element.nodes.begin(), element.nodes.begin() + node_count(element.shape));
  for (const AverageLink& link : model.average_links)
    if (std::any_of(link.members.begin(), link.members.end(),
                    [&](const AverageLink::Member& member) { return meshed.count(member.node) > 0; }))
      return false;
  return true;
}

class Cutter {
 public:
  explicit Cutter(const Model& model) : out_(model) {
    out_.elements.clear(), out_.findings.clear();
    for (const Node& node : model.nodes) last_node_ = std::max(last_node_, node.label);
    for (std::size_t i = 0; i < model.rigid_links.size(); ++i) {
      links_of_[model.rigid_links[i].master].insert(i);
      for (const int node : model.rigid_links[i].dependents) links_of_[node].insert(i);
    }
  }

  Model run(const Model& model) {
    for (const Element& element : model.elements) {
      const auto n = [&](int i) { return element.nodes[static_cast<std::size_t>(i)]; };
      switch (element.shape) {
        case Shape::tria3: {
          const int a = middle({n(0), n(1)}), b = middle({n(1), n(2)}), c = middle({n(2), n(0)});
          for (const std::array<int, 3>& t : {std::array{n(0), a, c}, {a, n(1), b}, {c, b, n(2)}, {b, c, a}})
            add(element, {t[0], t[1], t[2]});
          break;
        }
        case Shape::quad4: {
          const int a = middle({n(0), n(1)}), b = middle({n(1), n(2)}), c = middle({n(2), n(3)}),
                    d = middle({n(3), n(0)}), e = middle({n(0), n(1), n(2), n(3)});
          add(element, {n(0), a, e, d}), add(element, {a, n(1), b, e});
          add(element, {e, b, n(2), c}), add(element, {d, e, c, n(3)});
          break;
        }
        default: cut_brick(element); break;
      }
    }
    return std::move(out_);
  }

 private:
  // Corners of a brick by their place in a cube, and the 27 nodes of its eight pieces between them.
  void cut_brick(const Element& element) {
    constexpr std::array<std::array<int, 3>, 8> place = {
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    std::array<int, 27> grid{};
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
          const std::array<int, 3> at = {i, j, k};
          std::vector<int> corners;
          for (std::size_t c = 0; c < 8; ++c) {
            bool near = true;
            for (std::size_t x = 0; x < 3; ++x) near = near && (at[x] == 1 || at[x] == 2 * place[c][x]);
            if (near) corners.push_back(element.nodes[c]);
          }
          grid[static_cast<std::size_t>(i + 3 * j + 9 * k)] = corners.size() == 1 ? corners[0] : middle(corners);
        }
    for (const std::array<int, 3>& piece : place) {
      std::vector<int> nodes;
      for (const std::array<int, 3>& corner : place)
        nodes.push_back(grid[static_cast<std::size_t>(piece[0] + corner[0] + 3 * (piece[1] + corner[1]) +
                                                      9 * (piece[2] + corner[2]))]);
      add(element, nodes);
    }
  }

  void add(const Element& parent, const std::vector<int>& nodes) {
    Element child = parent;
    child.label = ++last_element_;
    std::copy(nodes.begin(), nodes.end(), child.nodes.begin());
    out_.elements.push_back(child);
  }

  int middle(std::vector<int> of) {
    std::sort(of.begin(), of.end());
    const auto [place, fresh] = made_.emplace(of, 0);
    if (!fresh) return place->second;
    Node node = out_.nodes[static_cast<std::size_t>(of.front())];
    node.label = ++last_node_;
    node.position.setZero();
    for (const int other : of) {
      const Node& corner = out_.nodes[static_cast<std::size_t>(other)];
      node.position += corner.position / static_cast<double>(of.size());
      // Held motions of different axes have no common meaning.
      if (corner.frame != node.frame) node.frame = -1, node.fixed = 0u;
      node.fixed &= corner.fixed;
    }
    place->second = static_cast<int>(out_.nodes.size());
    out_.nodes.push_back(node);
    std::set<std::size_t> links = links_of_[of.front()];
    for (const int other : of) {
      const std::set<std::size_t>& here = links_of_[other];
      std::erase_if(links, [&](std::size_t link) { return here.count(link) == 0; });
    }
    for (const std::size_t link : links) {
      out_.rigid_links[link].dependents.push_back(place->second);
      links_of_[place->second].insert(link);
    }
    return place->second;
  }

  Model out_;
  std::int64_t last_node_ = 0, last_element_ = 0;
  std::map<std::vector<int>, int> made_;
  std::map<int, std::set<std::size_t>> links_of_;
};

}  // namespace

std::optional<Model> with_mesh_halved(const Model& model) {
  if (!can_be_cut(model)) return std::nullopt;
  return Cutter(model).run(model);
}

}  // namespace kdyn::fe
