// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/sensor_match.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline modes {
namespace {

using Position = std::array<double, 3>;

double distance_of(const Position& a, const Position& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double diagonal_of(const Geometry& geometry) {
  Position low = {1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300};
  for (const GeometryNode& node : geometry.nodes)
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], node.position[i]);
      high[i] = std::max(high[i], node.position[i]);
    }
  return geometry.nodes.empty() ? 0.0 : distance_of(low, high);
}

std::map<std::int64_t, const GeometryNode*> nodes_by_label(const Geometry& geometry) {
  std::map<std::int64_t, const GeometryNode*> out;
  for (const GeometryNode& node : geometry.nodes) out.emplace(node.label, &node);
  return out;
}

Eigen::Matrix3d axes_of(const Geometry& geometry, const GeometryNode* node) {
  if (node == nullptr) return Eigen::Matrix3d::Identity();
  const auto axes = motion_axes(geometry, *node);
  Eigen::Matrix3d out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out(i, j) = axes[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return out;
}

// Rows of the three translations of each point; -1: it has none.
std::map<std::int64_t, std::array<Eigen::Index, 3>> translations_of(const std::vector<Dof>& dofs) {
  std::map<std::int64_t, std::array<Eigen::Index, 3>> out;
  for (std::size_t i = 0; i < dofs.size(); ++i)
    if (const int direction = std::abs(dofs[i].direction); direction >= 1 && direction <= 3) {
      const auto entry = out.try_emplace(dofs[i].node, std::array<Eigen::Index, 3>{-1, -1, -1}).first;
      entry->second[static_cast<std::size_t>(direction - 1)] = static_cast<Eigen::Index>(i);
    }
  return out;
}

// A length unit taken for another shows in the size of the whole.
std::string size_hint(double test, double model) {
  if (!(test > 0.0 && model > 0.0)) return "";
  const double ratio = test / model;
  for (const auto& [factor, words] :
       {std::pair{1000.0, "millimetres are read as metres"}, std::pair{1.0 / 25.4e-3, "inches are read as metres"},
        std::pair{100.0, "centimetres are read as metres"}}) {
    if (std::abs(ratio / factor - 1.0) < 0.2)
      return fmt::format("; the test is {:.3g} times as large as the model: it looks as if {} there", ratio, words);
    if (std::abs(ratio * factor - 1.0) < 0.2)
      return fmt::format("; the model is {:.3g} times as large as the test: it looks as if {} there", 1.0 / ratio,
                         words);
  }
  return "";
}

std::string list_of(const std::vector<std::string>& names) {
  return names.size() > 8
             ? fmt::format("{}, ... ({} in all)", fmt::join(names.begin(), names.begin() + 4, ", "), names.size())
             : fmt::format("{}", fmt::join(names, ", "));
}

// Label and distance of the nearest point. Of points that lie together (the two ends of a bushing) the one with the label
// of the test is meant; where none has it, the first is taken and the choice is ambiguous.
std::pair<std::int64_t, double> nearest_to(const GeometryNode& node, const std::vector<const GeometryNode*>& candidates,
                                           double together, bool& ambiguous) {
  std::pair<std::int64_t, double> best{0, 1e300};
  for (const GeometryNode* candidate : candidates)
    if (const double d = distance_of(node.position, candidate->position); d < best.second) best = {candidate->label, d};
  int equal = 0;
  for (const GeometryNode* candidate : candidates)
    if (distance_of(node.position, candidate->position) <= best.second + together) {
      if (candidate->label == node.label) {
        ambiguous = false;
        return {candidate->label, distance_of(node.position, candidate->position)};
      }
      ++equal;
    }
  ambiguous = equal > 1;
  return best;
}

}  // namespace

std::vector<Match> match_sensors(const ModeSet& test, const std::vector<Dof>& dofs, const Geometry& geometry,
                                 const MatchOptions& options, std::vector<Finding>& findings) {
  const double model_size = diagonal_of(geometry);
  const double reach = options.tolerance_m > 0.0 ? options.tolerance_m : 0.02 * model_size;
  const auto rows = translations_of(dofs);
  const auto test_nodes = nodes_by_label(test.geometry), model_nodes = nodes_by_label(geometry);
  const bool by_position = !test_nodes.empty() && !model_nodes.empty();
  std::vector<const GeometryNode*> candidates;
  for (const GeometryNode& node : geometry.nodes)
    if (rows.contains(node.label)) candidates.push_back(&node);

  std::vector<Match> out;
  std::vector<std::string> far, blind, doubtful;
  bool ambiguous = false;
  std::map<std::int64_t, std::pair<std::int64_t, double>> nearest;  // by point of the test
  for (std::size_t s = 0; s < test.dofs.size(); ++s) {
    const Dof& dof = test.dofs[s];
    const int direction = std::abs(dof.direction);
    const auto node = test_nodes.find(dof.node);
    Match match{.sensor = s, .fe_node = dof.node};
    bool near = direction >= 1 && direction <= 3;
    if (by_position) {
      near = near && node != test_nodes.end();
      if (near) {
        auto [known, fresh] = nearest.try_emplace(dof.node, 0, 1e300);
        if (fresh) {
          known->second = nearest_to(*node->second, candidates, 1e-6 * model_size, ambiguous);
          if (known->second.second > reach) ambiguous = false;
          if (std::exchange(ambiguous, false)) doubtful.push_back(fmt::format("{}", dof.node));
        }
        std::tie(match.fe_node, match.distance) = known->second;
        near = match.distance <= reach;
      }
    }
    const auto place = rows.find(match.fe_node);
    if (!near || place == rows.end()) {
      far.push_back(label(dof));
      continue;
    }
    // The direction of the sensor in the axes of the model's point.
    const auto at = model_nodes.find(match.fe_node);
    const Eigen::Vector3d global =
        axes_of(test.geometry, node == test_nodes.end() ? nullptr : node->second).col(direction - 1) *
        (dof.direction > 0 ? 1.0 : -1.0);
    const Eigen::Vector3d local =
        axes_of(geometry, at == model_nodes.end() ? nullptr : at->second).transpose() * global;
    bool seen = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double part = local[static_cast<Eigen::Index>(axis)];
      if (const Eigen::Index row = place->second[axis]; row >= 0) {
        match.rows[axis] = row;
        match.weights[axis] = part * (dofs[static_cast<std::size_t>(row)].direction > 0 ? 1.0 : -1.0);
      } else if (std::abs(part) > 1e-3) {  // a missing share of 0.1 % is below what any sensor is aligned to
        seen = false;
      }
    }
    if (seen)
      out.push_back(match);
    else
      blind.push_back(label(dof));
  }
  const std::string hint = by_position ? size_hint(diagonal_of(test.geometry), model_size) : "";
  // Points at the origin meet whatever the units are, and a MAC of some sensors at one place is 1 for any two modes.
  if (out.empty() || (!hint.empty() && !far.empty()))
    throw_bad_input("match_tolerance_m",
                    out.empty() ? fmt::format("no sensor of the test has a partner in the model{}", hint)
                                : fmt::format("{} of {} sensors of the test have no partner in the model{}", far.size(),
                                              test.dofs.size(), hint),
                    "check units, axes and labels of the two geometries, or raise the tolerance");
  if (!far.empty())
    findings.push_back({2 * far.size() > test.dofs.size() ? Severity::serious : Severity::warning,
                        "sensors_without_partner", "match_tolerance_m",
                        by_position ? fmt::format("{} of {} sensors have no {} within {:.3g} m: {}{}", far.size(),
                                                  test.dofs.size(), options.model_word, reach, list_of(far), hint)
                                    : fmt::format("{} of {} sensors have no {} of their label: {}", far.size(),
                                                  test.dofs.size(), options.model_word, list_of(far)),
                        "check units, axes and labels of the two geometries, or raise match_tolerance_m"});
  if (!blind.empty())
    findings.push_back({Severity::warning, "direction_without_partner", "model",
                        fmt::format("{} of {} sensors read a direction in which their {} has no motion: {}",
                                    blind.size(), test.dofs.size(), options.model_word, list_of(blind)),
                        "nothing, when the model has these directions held; else give shapes with all translations"});
  if (!doubtful.empty())
    findings.push_back(
        {Severity::warning, "points_together", "model",
         fmt::format("{} points of the test lie where the model has two points or more (such as the ends "
                     "of a bushing): {}; the first was taken",
                     doubtful.size(), list_of(doubtful)),
         "give the points of the test the labels of the points they sit on"});
  std::map<std::int64_t, std::int64_t> owner;  // point of the model -> point of the test
  std::vector<std::string> shared;
  for (const Match& match : out)
    if (const std::int64_t from = test.dofs[match.sensor].node;
        owner.try_emplace(match.fe_node, from).first->second != from)
      shared.push_back(label(test.dofs[match.sensor]));
  if (by_position && !shared.empty())
    findings.push_back({Severity::warning, "shared_partner", "match_tolerance_m",
                        fmt::format("{} sensors share their {} with another point of the test: {}", shared.size(),
                                    options.model_word, list_of(shared)),
                        "the mesh is coarser than the sensors there, or the geometries lie apart; lower "
                        "match_tolerance_m to leave such sensors out"});
  return out;
}

namespace {

template <class Shapes>
Shapes read_by(const std::vector<Match>& matches, const Shapes& shapes) {
  Shapes out = Shapes::Zero(static_cast<Eigen::Index>(matches.size()), shapes.cols());
  for (std::size_t i = 0; i < matches.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (matches[i].weights[axis] != 0.0)
        out.row(static_cast<Eigen::Index>(i)) += matches[i].weights[axis] * shapes.row(matches[i].rows[axis]);
  return out;
}

}  // namespace

Eigen::MatrixXd at_sensors(const std::vector<Match>& matches, const Eigen::MatrixXd& shapes) {
  return read_by(matches, shapes);
}
Eigen::MatrixXcd at_sensors(const std::vector<Match>& matches, const Eigen::MatrixXcd& shapes) {
  return read_by(matches, shapes);
}

}  // namespace kdyn::inline modes
