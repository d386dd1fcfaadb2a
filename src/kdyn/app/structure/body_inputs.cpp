// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/structure/body_inputs.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/outline.hpp"

namespace kdyn::app {
namespace {

constexpr std::size_t most_points = 3000;

// Rows without names: points in their order, with three or six directions each.
std::vector<Dof> dofs_in_order(const Geometry& geometry, std::size_t rows) {
  std::vector<Dof> out;
  const std::size_t points = geometry.nodes.size();
  if (points == 0 || (rows != 3 * points && rows != 6 * points)) return out;
  for (const GeometryNode& node : geometry.nodes)
    for (std::size_t direction = 1; direction <= rows / points; ++direction)
      out.push_back({node.label, static_cast<int>(direction), ""});
  return out;
}

// Six global motions of the nodes (indices), from those of all.
Eigen::MatrixXd rows_of(const Eigen::MatrixXd& all, const std::vector<int>& nodes) {
  Eigen::MatrixXd out(6 * static_cast<Eigen::Index>(nodes.size()), all.cols());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    out.middleRows<6>(6 * static_cast<Eigen::Index>(i)) = all.middleRows<6>(6 * Eigen::Index{nodes[i]});
  return out;
}

std::vector<Dof> dofs_of(const fe::Model& mesh, const std::vector<int>& nodes) {
  std::vector<Dof> out;
  for (const int node : nodes)
    for (int direction = 1; direction <= 6; ++direction)
      out.push_back({mesh.nodes[static_cast<std::size_t>(node)].label, direction, {}});
  return out;
}

std::vector<int> all_nodes(const fe::Model& mesh) {
  std::vector<int> out(mesh.nodes.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(i);
  return out;
}

}  // namespace

BodySource read_body_source(const BodyJob& job) {
  if (job.fe.empty())
    throw_bad_input("fe", "the FE model is needed",
                    "give a Nastran deck, its mass and stiffness matrices (.h5 .op4 .sti .mtx ...) or its modes (.uff "
                    ".fem)");
  BodySource out;
  out.files = read_fe_source(job.fe, {job.length_m, job.mass_kg, job.ignore_cards}, true);
  out.model.where = job.fe.front();
  out.model.geometry = out.files.geometry;
  if (out.files.model) {
    out.assembly = fe::assemble(*out.files.model);
    out.model.dofs = out.assembly.map.dofs;
    out.model.group_of = out.assembly.map.node_of;
    out.model.stiffness = out.assembly.matrices.stiffness_at();
    out.model.mass = out.assembly.matrices.mass_at();
  } else if (out.files.matrices.matrices.size() > 0) {
    const fe::MatrixModel& from = out.files.matrices;
    out.model.dofs = from.dofs;
    out.model.group_of = from.group_of;
    out.model.stiffness = from.matrices.stiffness_at();
    out.model.mass = from.matrices.mass_at();
    if (out.model.dofs.empty())
      out.model.dofs = dofs_in_order(out.model.geometry, static_cast<std::size_t>(out.model.mass.rows()));
    if (out.model.dofs.empty())
      throw_bad_input(out.model.where, "the matrices do not tell which row is which degree of freedom",
                      "give matrices with their node map (.h5, .sti with .dof, DMIG), or a file with the points in the "
                      "order of the rows, three or six rows each");
  }
  return out;
}

FeModes modes_at_points(const BodySource& source, int count) {
  if (!source.has_matrices()) return fe_modes(source.files.modes, source.model.where);
  FeModes out = fe_modes(source.model, count);
  if (source.files.model) {
    const std::vector<int> nodes = all_nodes(*source.files.model);
    out.shapes = rows_of(source.assembly.map.expand(out.shapes), nodes);
    out.dofs = dofs_of(*source.files.model, nodes);
    for (GeometryNode& node : out.geometry.nodes) node.motion_system = 0;
    out.mass.resize(0, 0);  // its rows are the unknowns
  }
  return out;
}

void move_to_points(const BodySource& source, FlexibleBody& body, std::vector<Finding>& findings) {
  if (!source.files.model) return;
  const fe::Model& mesh = *source.files.model;
  std::set<std::int64_t> interface;
  for (const Dof& dof : body.interface_dofs) interface.insert(dof.node);
  const std::vector<std::array<int, 2>> lines = fe::outline(mesh);
  std::vector<int> nodes = all_nodes(mesh);
  Geometry geometry = body.geometry;
  if (nodes.size() > most_points) {
    std::set<int> kept;
    for (const auto& line : lines) kept.insert(line.begin(), line.end());
    for (const int node : nodes)
      if (interface.count(mesh.nodes[static_cast<std::size_t>(node)].label) > 0) kept.insert(node);
    nodes.assign(kept.begin(), kept.end());
    findings.push_back({Severity::note, "points_left_out", source.model.where,
                        fmt::format("the body has {} of the {} points of the mesh: its outline and its interface",
                                    nodes.size(), mesh.nodes.size()),
                        "name further points with interface_nodes when loads act there"});
  }
  geometry = fe::outline_geometry(mesh, lines, nodes.size() == mesh.nodes.size() ? nodes.size() : 0);
  geometry.nodes.clear();
  for (const int n : nodes) {
    const fe::Node& node = mesh.nodes[static_cast<std::size_t>(n)];
    GeometryNode point;
    point.label = node.label;
    point.position = {node.position.x(), node.position.y(), node.position.z()};
    geometry.nodes.push_back(point);
  }
  // A direction in a frame of its own is none of the global ones.
  std::vector<Dof> named;
  for (const std::int64_t label : interface) {
    const fe::Node& node = mesh.nodes[static_cast<std::size_t>(mesh.node_index(label))];
    for (int direction = 1; direction <= 6; ++direction)
      if (node.frame >= 0 || std::find(body.interface_dofs.begin(), body.interface_dofs.end(),
                                       Dof{label, direction, {}}) != body.interface_dofs.end())
        named.push_back({label, direction, {}});
  }
  body.interface_dofs = named;
  body.shapes = rows_of(source.assembly.map.expand(body.shapes), nodes);
  body.dofs = dofs_of(mesh, nodes);
  body.geometry = geometry;
}

}  // namespace kdyn::app
