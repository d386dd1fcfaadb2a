// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/flexible_body.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/modes/body_fields.hpp"

namespace kdyn::inline modes {
namespace {

const Json& need(const Json& in, const char* key, const std::string& where) {
  if (!in.is_object() || !in.contains(key))
    throw_bad_input(where, fmt::format("a flexible body needs '{}'", key), "give the body.json of kdyn body");
  return in[key];
}

Eigen::MatrixXd matrix_from(const Json& rows, const std::string& where, Eigen::Index columns) {
  if (!rows.is_array()) throw_bad_input(where, "must be a list of rows", "give the body.json of kdyn body");
  Eigen::MatrixXd out(static_cast<Eigen::Index>(rows.size()), columns);
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    const Json& row = rows[static_cast<std::size_t>(i)];
    if (!row.is_array() || static_cast<Eigen::Index>(row.size()) != columns)
      throw_bad_input(where, fmt::format("row {} does not have {} numbers", i + 1, columns),
                      "all rows must be of one length");
    for (Eigen::Index j = 0; j < columns; ++j) {
      if (!row[static_cast<std::size_t>(j)].is_number())
        throw_bad_input(where, fmt::format("row {} holds something that is not a number", i + 1), "write numbers only");
      out(i, j) = row[static_cast<std::size_t>(j)].get<double>();
    }
  }
  return out;
}

std::vector<std::string> texts(const Json& list, const std::string& where) {
  std::vector<std::string> out;
  if (!list.is_array()) throw_bad_input(where, "must be a list of texts", "give the body.json of kdyn body");
  for (const Json& item : list) {
    if (!item.is_string()) throw_bad_input(where, "must be a list of texts", "give the body.json of kdyn body");
    out.push_back(item.get<std::string>());
  }
  return out;
}

}  // namespace

Json rows_json(const Eigen::MatrixXd& A) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < A.cols(); ++j) row.push_back(A(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

RigidBodyProperties rigid_properties(const Eigen::Matrix<double, 6, 6>& G, const std::string& origin) {
  RigidBodyProperties out;
  out.mass = G.topLeftCorner<3, 3>().trace() / 3.0;
  if (!(out.mass > 0.0)) return out;
  // [modes E15]: the lower left block is m [c], the cross product matrix of the centre of gravity.
  const Eigen::Matrix3d S = G.bottomLeftCorner<3, 3>() / out.mass;
  const Eigen::Vector3d c(0.5 * (S(2, 1) - S(1, 2)), 0.5 * (S(0, 2) - S(2, 0)), 0.5 * (S(1, 0) - S(0, 1)));
  out.centre = {c.x(), c.y(), c.z()};
  out.inertia =
      G.bottomRightCorner<3, 3>() - out.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  out.origin = origin;
  return out;
}

Eigen::Matrix<double, 6, 6> rigid_mass_matrix(const RigidBodyProperties& rigid) {
  const Eigen::Vector3d c(rigid.centre.data());
  Eigen::Matrix3d cross;
  cross << 0.0, -c.z(), c.y(), c.z(), 0.0, -c.x(), -c.y(), c.x(), 0.0;
  Eigen::Matrix<double, 6, 6> G = Eigen::Matrix<double, 6, 6>::Zero();
  G.topLeftCorner<3, 3>() = rigid.mass * Eigen::Matrix3d::Identity();
  G.bottomLeftCorner<3, 3>() = rigid.mass * cross;
  G.topRightCorner<3, 3>() = rigid.mass * cross.transpose();
  G.bottomRightCorner<3, 3>() =
      rigid.inertia + rigid.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  return G;
}

void body_json(const FlexibleBody& body, Json& out) {
  out["kind"] = "flexible_body";
  out["name"] = body.name;
  out["origin"] = body.origin;
  to_json_fields(body.rigid, out["rigid"]);
  Json& nodes = out["nodes"] = Json::array();
  for (const GeometryNode& node : body.geometry.nodes)
    nodes.push_back({node.label, node.position[0], node.position[1], node.position[2]});
  Json& lines = out["lines"] = Json::array();
  for (const TraceLine& line : body.geometry.lines) lines.push_back(line.nodes);
  for (const auto* list : {&body.dofs, &body.interface_dofs}) {
    Json& labels = out[list == &body.dofs ? "dofs" : "interface_dofs"] = Json::array();
    for (const Dof& dof : *list) labels.push_back(label(dof));
  }
  Json& modes = out["modes"] = Json::array();
  for (Eigen::Index r = 0; r < body.shapes.cols(); ++r) {
    const Eigen::VectorXd shape = body.shapes.col(r);
    modes.push_back({{"kind", body.kinds[static_cast<std::size_t>(r)]},
                     {"frequency_hz", body.frequency_hz[r]},
                     {"damping", body.damping[r]},
                     {"shape", std::vector<double>(shape.data(), shape.data() + shape.size())}});
  }
  out["modal_mass"] = rows_json(body.modal_mass);
  out["modal_stiffness"] = rows_json(body.modal_stiffness);
  out["modal_damping"] = rows_json(body.modal_damping);
}

FlexibleBody body_from_json(const Json& in, const std::string& where) {
  FlexibleBody out;
  if (need(in, "kind", where) != "flexible_body")
    throw_bad_input(where, "this is not a flexible body", "give the body.json of kdyn body");
  out.name = in.value("name", "");
  out.origin = in.value("origin", "");
  const Json& rigid = need(in, "rigid", where);
  out.rigid.mass = need(rigid, "mass", where).get<double>();
  out.rigid.inertia = matrix_from(need(rigid, "inertia", where), where + ": inertia", 3);
  const Eigen::MatrixXd centre = matrix_from(Json::array({need(rigid, "centre", where)}), where + ": centre", 3);
  out.rigid.centre = {centre(0, 0), centre(0, 1), centre(0, 2)};
  out.rigid.origin = rigid.value("origin", "");
  const Eigen::MatrixXd nodes = matrix_from(need(in, "nodes", where), where + ": nodes", 4);
  for (Eigen::Index i = 0; i < nodes.rows(); ++i) {
    GeometryNode node;
    node.label = static_cast<std::int64_t>(nodes(i, 0));
    node.position = {nodes(i, 1), nodes(i, 2), nodes(i, 3)};
    out.geometry.nodes.push_back(node);
  }
  for (const Json& line : in.value("lines", Json::array())) {
    TraceLine trace;
    if (!line.is_array())
      throw_bad_input(where + ": lines", "a line is a list of node labels", "give the body.json of kdyn body");
    for (const Json& node : line) trace.nodes.push_back(node.is_number_integer() ? node.get<std::int64_t>() : 0);
    out.geometry.lines.push_back(std::move(trace));
  }
  for (const std::string& text : texts(need(in, "dofs", where), where + ": dofs")) out.dofs.push_back(parse_dof(text));
  for (const std::string& text : texts(in.value("interface_dofs", Json::array()), where + ": interface_dofs"))
    out.interface_dofs.push_back(parse_dof(text));
  const Json& modes = need(in, "modes", where);
  if (!modes.is_array()) throw_bad_input(where + ": modes", "must be a list", "give the body.json of kdyn body");
  const auto n = static_cast<Eigen::Index>(modes.size()), rows = static_cast<Eigen::Index>(out.dofs.size());
  out.shapes.resize(rows, n);
  out.frequency_hz.resize(n);
  out.damping.resize(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Json& mode = modes[static_cast<std::size_t>(r)];
    const std::string place = fmt::format("{}: mode {}", where, r + 1);
    out.shapes.col(r) = matrix_from(Json::array({need(mode, "shape", place)}), place, rows).transpose();
    out.frequency_hz[r] = need(mode, "frequency_hz", place).get<double>();
    out.damping[r] = need(mode, "damping", place).get<double>();
    out.kinds.push_back(mode.value("kind", "test"));
  }
  out.modal_mass = matrix_from(need(in, "modal_mass", where), where + ": modal_mass", n);
  out.modal_stiffness = matrix_from(need(in, "modal_stiffness", where), where + ": modal_stiffness", n);
  out.modal_damping = matrix_from(need(in, "modal_damping", where), where + ": modal_damping", n);
  return out;
}

ModeSet mode_set_of(const FlexibleBody& body) {
  ModeSet out;
  out.name = body.name;
  out.scaling = ModeScaling::unit_modal_mass;
  out.dofs = body.dofs;
  out.geometry = body.geometry;
  for (Eigen::Index r = 0; r < body.shapes.cols(); ++r) {
    Mode mode;
    mode.pole = pole_of(body.frequency_hz[r], body.damping[r]);
    for (Eigen::Index i = 0; i < body.shapes.rows(); ++i) mode.shape.emplace_back(body.shapes(i, r), 0.0);
    mode.modal_mass = body.modal_mass(r, r);
    mode.name = fmt::format("mode {}", r + 1);
    out.modes.push_back(std::move(mode));
  }
  return out;
}

}  // namespace kdyn::inline modes
