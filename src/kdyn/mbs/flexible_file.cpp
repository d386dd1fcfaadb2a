// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/flexible_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/mbs/body_checks.hpp"
#include "kdyn/modes/body_file.hpp"
#include "kdyn/numerics/nnls.hpp"

namespace kdyn::mbs {
namespace {

using Index = Eigen::Index;

// Largest body that is handled: G has (4 + 3 n)^2 entries and the tangent 6 + n columns.
constexpr Index most_modes = 200;

MatrixX modal_part(const MatrixX& G) { return mass_at_rest(G).modal; }

// Combines modes by T: rows and columns 4 + 3 k of G belong to mode k, all before to the rigid body.
MatrixX widened(const MatrixX& T, Index rigid) {
  const Index n = T.rows();
  MatrixX wide = MatrixX::Zero(rigid + 3 * n, rigid + 3 * n);
  wide.topLeftCorner(rigid, rigid).setIdentity();
  for (Index k = 0; k < n; ++k)
    for (Index l = 0; l < n; ++l) wide.block<3, 3>(rigid + 3 * k, rigid + 3 * l) = T(k, l) * Matrix3::Identity();
  return wide;
}

// T with T have T^T = want; empty when `have` does not allow it.
MatrixX congruence(const MatrixX& have, const MatrixX& want, const std::string& where) {
  const Eigen::LLT<MatrixX> h(have), w(want);
  if (w.info() != Eigen::Success)
    throw_bad_input(where, "the modal mass is not positive definite", "write the body again");
  if (h.info() != Eigen::Success) return {};
  return MatrixX(w.matrixL()) * MatrixX(h.matrixL()).inverse();
}

// Chosen modes, scaled to a largest displacement of 1; damping ratios where asked for.
void finish(FlexibleData& data, const std::string& where, const FlexibleOptions& options) {
  Body& body = data.body;
  std::vector<Index> kept;
  for (const int mode : options.modes) {
    if (mode < 1 || mode > body.modes())
      throw_bad_input(where, fmt::format("there is no mode {}", mode),
                      fmt::format("choose modes from 1 to {}", body.modes()));
    kept.push_back(mode - 1);
  }
  if (kept.empty())
    for (Index k = 0; k < body.modes(); ++k) kept.push_back(k);
  const auto n = static_cast<Index>(kept.size());
  if (n > most_modes)
    throw_bad_input(where, fmt::format("{} modes are more than {}", n, most_modes),
                    "choose some by \"modes\": [1, 2, ...]");
  VectorX scale = VectorX::Ones(n);
  std::vector<Index> columns = {0, 1, 2, 3};
  VectorX by_row = VectorX::Ones(4 + 3 * n);
  for (Index k = 0; k < n; ++k) {
    double largest = 0.0;
    for (const ModalNode& node : body.nodes)
      largest = std::max(largest, node.psi.col(kept[static_cast<std::size_t>(k)]).norm());
    if (largest > 0.0) scale[k] = 1.0 / largest;
    for (Index i = 0; i < 3; ++i) columns.push_back(4 + 3 * kept[static_cast<std::size_t>(k)] + i);
    by_row.segment<3>(4 + 3 * k).setConstant(scale[k]);
  }
  body.G = by_row.asDiagonal() * MatrixX(body.G(columns, columns)) * by_row.asDiagonal();
  body.stiffness = scale.asDiagonal() * MatrixX(body.stiffness(kept, kept)) * scale.asDiagonal();
  for (ModalNode& node : body.nodes) {
    node.psi = Matrix3X(node.psi(Eigen::all, kept)) * scale.asDiagonal();
    node.theta = Matrix3X(node.theta(Eigen::all, kept)) * scale.asDiagonal();
  }
  if (options.damping_ratio) {
    // C = M V diag(2 zeta omega) V^T M with K V = M V omega^2, V^T M V = I.
    const MatrixX M = modal_part(body.G);
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> modes(body.stiffness, M);
    if (modes.info() != Eigen::Success)
      throw_bad_input(where, "the modal mass is not positive definite", "check the modes of the file");
    const MatrixX MV = M * modes.eigenvectors();
    body.damping = MV * (2.0 * *options.damping_ratio * modes.eigenvalues().cwiseMax(0.0).cwiseSqrt()).asDiagonal() *
                   MV.transpose();
  } else if (body.damping.rows() > 0) {
    body.damping = scale.asDiagonal() * MatrixX(body.damping(kept, kept)) * scale.asDiagonal();
  }
  if (!body.G.allFinite() || !body.stiffness.allFinite() || !body.damping.allFinite())
    throw_bad_input(where, "the file holds numbers that are not finite", "write the body again");
}

// [mbs E31] Masses of the nodes from mass, centre and inertia: the least-squares solution without negative ones, near
// to an even spread.
VectorX spread_mass(const std::vector<ModalNode>& nodes, const MatrixX& rigid) {
  const auto count = static_cast<Index>(nodes.size());
  double size = 0.0;
  const Vector3 centre = rigid.block<3, 1>(1, 0) / rigid(0, 0);
  for (const ModalNode& node : nodes) size = std::max(size, (node.x - centre).norm());
  if (!(size > 0.0)) size = 1.0;
  MatrixX A = MatrixX::Zero(10 + count, count);
  VectorX b = VectorX::Zero(10 + count);
  const auto moments = [&](const MatrixX& second, double scale) {
    VectorX out(10);
    int at = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = i; j < 4; ++j) out[at++] = second(i, j) / std::pow(size, (i > 0) + (j > 0)) * scale;
    return out;
  };
  for (Index p = 0; p < count; ++p) {
    Eigen::Vector4d s;
    s << 1.0, nodes[static_cast<std::size_t>(p)].x;
    A.col(p).head(10) = moments(s * s.transpose(), 1.0);
    // A faint wish for equal masses makes the answer unique.
    A(10 + p, p) = 1e-4;
    b[10 + p] = 1e-4 / static_cast<double>(count);
  }
  b.head(10) = moments(rigid, 1.0 / rigid(0, 0));
  return rigid(0, 0) * non_negative_least_squares(A, b);
}

// Replaces what the estimate of the node masses only approximates by what is known exactly.
MatrixX corrected(const MatrixX& estimate, const MatrixX& rigid, const MatrixX& modal_mass, const std::string& where) {
  const Index n = modal_mass.rows();
  const MatrixX T = congruence(modal_part(estimate), modal_mass, where);
  // The mass lies on nodes the shapes do not move: then it is spread alike over the axes.
  if (T.size() == 0) {
    MatrixX G = MatrixX::Zero(estimate.rows(), estimate.cols());
    G.topLeftCorner<4, 4>() = rigid;
    for (Index k = 0; k < n; ++k)
      for (Index l = 0; l < n; ++l) G.block<3, 3>(4 + 3 * k, 4 + 3 * l) = modal_mass(k, l) / 3.0 * Matrix3::Identity();
    return G;
  }
  // A congruence of the modes brings the modal mass to its exact value and keeps the rest a Gram matrix.
  const MatrixX wide = widened(T, 4);
  MatrixX G = wide * estimate * wide.transpose();
  G.topLeftCorner<4, 4>() = rigid;
  // Shapes without rigid content: sum m psi = 0 and sum m x cross psi = 0.
  for (Index k = 0; k < n; ++k) {
    const Matrix3 B = G.block<3, 3>(1, 4 + 3 * k), symmetric = 0.5 * (B + B.transpose());
    G.block<1, 3>(0, 4 + 3 * k).setZero();
    G.block<3, 1>(4 + 3 * k, 0).setZero();
    G.block<3, 3>(1, 4 + 3 * k) = symmetric;
    G.block<3, 3>(4 + 3 * k, 1) = symmetric;
  }
  return G;
}

std::vector<std::array<int, 2>> lines_of(const Geometry& geometry, const std::map<std::int64_t, int>& place) {
  std::vector<std::array<int, 2>> lines;
  const auto connect = [&](std::int64_t a, std::int64_t b) {
    const auto i = place.find(a), j = place.find(b);
    if (i != place.end() && j != place.end() && i->second != j->second) lines.push_back({i->second, j->second});
  };
  for (const TraceLine& line : geometry.lines)
    for (std::size_t i = 1; i < line.nodes.size(); ++i) connect(line.nodes[i - 1], line.nodes[i]);
  for (const GeometryElement& element : geometry.elements)
    for (std::size_t i = 1; i < element.nodes.size(); ++i) connect(element.nodes[i - 1], element.nodes[i]);
  return lines;
}

// Nodes of a geometry with the shapes of its degrees of freedom.
std::vector<ModalNode> nodes_of(const Geometry& geometry, const std::vector<Dof>& dofs, const MatrixX& shapes,
                                std::map<std::int64_t, int>& place) {
  std::vector<ModalNode> nodes;
  const Index n = shapes.cols();
  for (const GeometryNode& g : geometry.nodes) {
    if (!place.emplace(g.label, static_cast<int>(nodes.size())).second) continue;
    ModalNode node;
    node.label = g.label;
    node.x = Vector3(g.position.data());
    node.psi = Matrix3X::Zero(3, n);
    node.theta = Matrix3X::Zero(3, n);
    nodes.push_back(std::move(node));
  }
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const auto found = place.find(dofs[i].node);
    const int direction = std::abs(dofs[i].direction);
    if (found == place.end() || direction < 1 || direction > 6) continue;
    ModalNode& node = nodes[static_cast<std::size_t>(found->second)];
    const double sign = dofs[i].direction > 0 ? 1.0 : -1.0;
    (direction <= 3 ? node.psi : node.theta).row((direction - 1) % 3) = sign * shapes.row(static_cast<Index>(i));
  }
  return nodes;
}

MatrixX rigid_of(const RigidBodyProperties& r, const std::string& where) {
  if (!(r.mass > 0.0) || !r.inertia.allFinite())
    throw_bad_input(where, "the rigid-body properties of the body are missing",
                    "give mass, centre and inertia of the body");
  return rigid_mass(r.mass, Vector3(r.centre.data()), r.inertia);
}

void estimate_mass(FlexibleData& data, const MatrixX& rigid, const MatrixX& modal_mass, const std::string& where) {
  Body& body = data.body;
  const VectorX masses = spread_mass(body.nodes, rigid);
  for (std::size_t p = 0; p < body.nodes.size(); ++p) body.nodes[p].mass = masses[static_cast<Index>(p)];
  body.G = corrected(kdyn::mbs::modal_mass(body.nodes, static_cast<int>(modal_mass.rows())), rigid, modal_mass, where);
  data.findings.push_back(
      {Severity::note, "mass_spread", where,
       "the file does not tell how the mass lies on the nodes: it was estimated from mass, centre and inertia",
       "frequencies and rigid motion are exact; forces that grow with the square of the spin times the deflection are "
       "estimates"});
}

MatrixX dense(const Matrix& m) {
  MatrixX out(m.rows, m.columns);
  for (int r = 0; r < m.rows; ++r)
    for (int c = 0; c < m.columns; ++c) out(r, c) = m.at(r, c).real();
  return out;
}

}  // namespace

FlexibleData flexible_from_mbdyn(const MbdynFem& file, const std::string& where, const FlexibleOptions& options) {
  for (const Finding& f : file.findings)
    if (f.severity == Severity::serious) throw_bad_input(f.where, f.message, f.remedy);
  const auto n = static_cast<Index>(file.modes.modes.size());
  if (n == 0 || file.modes.geometry.nodes.empty())
    throw_bad_input(where, "the file has no modes", "write record groups 2 and 5 to 8");
  if (file.modal_stiffness.rows != n) throw_bad_input(where, "the modal stiffness is missing", "write record group 10");
  FlexibleData out;
  out.findings = file.findings;
  MatrixX shapes(static_cast<Index>(file.modes.dofs.size()), n);
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < shapes.rows(); ++i)
      shapes(i, k) = file.modes.modes[static_cast<std::size_t>(k)].shape[static_cast<std::size_t>(i)].real();
  std::map<std::int64_t, int> place;
  out.body.nodes = nodes_of(file.modes.geometry, file.modes.dofs, shapes, place);
  if (out.body.nodes.size() != file.modes.geometry.nodes.size())
    throw_bad_input(where, "a node label stands twice", "give every node its own label");
  out.body.lines = lines_of(file.modes.geometry, place);
  out.body.stiffness = dense(file.modal_stiffness);
  const MatrixX stated = file.modal_mass.rows == n ? dense(file.modal_mass) : MatrixX();
  if (!file.lumped_mass.empty()) {
    for (std::size_t p = 0; p < out.body.nodes.size(); ++p) {
      const double* m = file.lumped_mass.data() + 6 * p;
      // One mass for all directions is what a node of a multibody body can have.
      if (std::abs(m[0] - m[1]) > 1e-6 * std::abs(m[0]) || std::abs(m[0] - m[2]) > 1e-6 * std::abs(m[0]))
        throw_bad_input(where, fmt::format("node {} has different masses in x, y and z", out.body.nodes[p].label),
                        "lump the mass alike in all directions");
      out.body.nodes[p].mass = m[0];
      out.body.nodes[p].inertia = Vector3(m[3], m[4], m[5]).asDiagonal();
    }
    out.body.G = modal_mass(out.body.nodes, static_cast<int>(n));
    const MatrixX own = modal_part(out.body.G);
    if (stated.size() > 0) {
      const double off = (own - stated).cwiseAbs().maxCoeff() / std::max(stated.cwiseAbs().maxCoeff(), 1e-300);
      if (off > 1e-3)
        out.findings.push_back(
            {Severity::warning, "modal_mass", where,
             fmt::format(
                 "shapes and lumped masses give a modal mass that differs from record group 9 by {:.2g} of its size",
                 off),
             "the lumped masses are used; a finer lumping brings both together"});
    }
  } else {
    if (!options.rigid)
      throw_bad_input(where, "the file has no lumped masses (record group 11)",
                      "give mass, centre and inertia of the body beside the file");
    if (stated.size() == 0) throw_bad_input(where, "the modal mass is missing", "write record group 9");
    estimate_mass(out, rigid_of(*options.rigid, where), stated, where);
  }
  finish(out, where, options);
  return out;
}

FlexibleData flexible_from_body(const FlexibleBody& file, const std::string& where, const FlexibleOptions& options) {
  FlexibleData out;
  std::map<std::int64_t, int> place;
  if (file.shapes.cols() == 0 || file.geometry.nodes.empty())
    throw_bad_input(where, "the body has no modes or no nodes", "run kdyn body with modes and geometry");
  out.body.nodes = nodes_of(file.geometry, file.dofs, file.shapes, place);
  out.body.lines = lines_of(file.geometry, place);
  out.body.stiffness = file.modal_stiffness;
  out.body.damping = file.modal_damping;
  estimate_mass(out, rigid_of(options.rigid ? *options.rigid : file.rigid, where), file.modal_mass, where);
  finish(out, where, options);
  return out;
}

// [mbs E30]
FlexibleData flexible_from_sid(const SidBody& file, const std::string& where, const FlexibleOptions& options) {
  const auto n = static_cast<Index>(file.mode_names.size());
  if (n == 0) throw_bad_input(where, "the file has no modes", "write a body with elastic coordinates");
  const auto find = [&](const char* name) {
    const auto it = file.blocks.find(name);
    return it == file.blocks.end() ? nullptr : &it->second;
  };
  const auto need = [&](const char* name, int rows, int columns) -> const SidTaylor& {
    const SidTaylor* b = find(name);
    if (!b || b->rows != rows || b->columns != columns)
      throw_bad_input(where, fmt::format("the block {} of {} x {} is missing", name, rows, columns),
                      "write the complete standard input data");
    return *b;
  };
  const int m = static_cast<int>(n);
  FlexibleData out;
  out.findings = file.findings;
  Body& body = out.body;
  const SidTaylor* found = find("J");
  const bool packed = found && found->rows == 6 && found->columns == 1;
  const SidTaylor &J = packed ? *found : need("J", 3, 3), &Ct = need("Ct", m, 3), &Cr = need("Cr", m, 3),
                  &Me = need("Me", m, m), &Ke = need("Ke", m, m);
  const SidTaylor& md = need("mdCM", 3, 1);
  body.G = MatrixX::Zero(4 + 3 * n, 4 + 3 * n);
  body.G(0, 0) = file.mass;
  // Inertia as a matrix, or packed: xx yy zz xy xz yz.
  const auto inertia = [&](auto&& entry) {
    Matrix3 out_J;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out_J(i, j) = !packed ? entry(i, j) : entry(i == j ? i : i + j + 2, 0);
    return out_J;
  };
  const Matrix3 J0 = inertia([&](int i, int j) { return J.at(i, j); });
  for (int i = 0; i < 3; ++i) body.G(0, 1 + i) = body.G(1 + i, 0) = md.at(i, 0);
  // J is about the origin: sum m x x^T = tr(J)/2 I - J.
  body.G.block<3, 3>(1, 1) = 0.5 * J0.trace() * Matrix3::Identity() - J0;
  for (int k = 0; k < m; ++k) {
    const Matrix3 J1 =
        J.order > 0 && !J.m1.empty() ? inertia([&](int i, int j) { return J.at(k, i, j); }) : Matrix3(Matrix3::Zero());
    // B = sum m x psi^T: symmetric part from the change of J, the other from Cr = sum m x cross psi.
    const Vector3 turned(Cr.at(k, 0), Cr.at(k, 1), Cr.at(k, 2));
    const Matrix3 B =
        0.25 * J1.trace() * Matrix3::Identity() - 0.25 * (J1 + J1.transpose()) + 0.5 * skew(turned).transpose();
    body.G.block<3, 3>(1, 4 + 3 * k) = B;
    body.G.block<3, 3>(4 + 3 * k, 1) = B.transpose();
    for (int i = 0; i < 3; ++i) body.G(0, 4 + 3 * k + i) = body.G(4 + 3 * k + i, 0) = Ct.at(k, i);
  }
  // sum m psi_k psi_l^T: trace from Me, symmetric part from the first order of Oe (xx yy zz xy yz xz of the spin), skew
  // part from Ge.
  const SidTaylor *Oe = find("Oe"), *Ge = find("Ge");
  const bool shape = Oe && Oe->order > 0 && !Oe->m1.empty() && Oe->rows == m && Oe->columns == 6;
  MatrixX C = MatrixX::Zero(3 * n, 3 * n);
  for (int k = 0; k < m; ++k)
    for (int l = 0; l < m; ++l) {
      Matrix3 c = Me.at(k, l) / 3.0 * Matrix3::Identity();
      if (shape) {
        // psi_k^T w~ w~ psi_l = w^T C w - tr(C) w^T w
        const double xx = Oe->at(l, k, 0), yy = Oe->at(l, k, 1), zz = Oe->at(l, k, 2), trace = -0.5 * (xx + yy + zz);
        c << xx + trace, 0.5 * Oe->at(l, k, 3), 0.5 * Oe->at(l, k, 5), 0.5 * Oe->at(l, k, 3), yy + trace,
            0.5 * Oe->at(l, k, 4), 0.5 * Oe->at(l, k, 5), 0.5 * Oe->at(l, k, 4), zz + trace;
      }
      if (Ge && Ge->rows == m && Ge->columns == 3 * m && !Ge->m0.empty()) {
        // Ge = -2 sum m psi_k^T psi_l~: the axial vector of the skew part, times 2.
        const Vector3 axial(Ge->at(k, 3 * l), Ge->at(k, 3 * l + 1), Ge->at(k, 3 * l + 2));
        c += 0.25 * skew(axial);
      }
      C.block<3, 3>(3 * k, 3 * l) = c;
    }
  C = 0.5 * (C + C.transpose()).eval();
  // Me is exact; what the other blocks say about the directions must fit it and be a Gram matrix.
  MatrixX modal(n, n);
  for (int k = 0; k < m; ++k)
    for (int l = 0; l < m; ++l) modal(k, l) = Me.at(k, l);
  Eigen::SelfAdjointEigenSolver<MatrixX> eigen(C);
  double off = 0.0;
  for (Index k = 0; k < n; ++k)
    for (Index l = 0; l < n; ++l) off = std::max(off, std::abs(C.block<3, 3>(3 * k, 3 * l).trace() - modal(k, l)));
  if (off > 1e-3 * modal.cwiseAbs().maxCoeff() ||
      eigen.eigenvalues().minCoeff() < -1e-6 * eigen.eigenvalues().maxCoeff()) {
    out.findings.push_back(
        {Severity::note, "invariants", where,
         fmt::format("Oe and Me differ: the modal mass by {:.3g} of its size", off / modal.cwiseAbs().maxCoeff()),
         "Me is used and the mass of a mode is shared by direction as Oe tells; only forces of second order in the "
         "deflection depend on it"});
    C = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
    MatrixX have(n, n);
    for (Index k = 0; k < n; ++k)
      for (Index l = 0; l < n; ++l) have(k, l) = C.block<3, 3>(3 * k, 3 * l).trace();
    const MatrixX T = congruence(have, modal, where);
    if (T.size() == 0) throw_bad_input(where, "the block Oe leaves a mode without mass", "write the body again");
    const MatrixX wide = widened(T, 0);
    C = wide * C * wide.transpose();
  }
  body.G.bottomRightCorner(3 * n, 3 * n) = C;
  body.stiffness.resize(n, n);
  for (int k = 0; k < m; ++k)
    for (int l = 0; l < m; ++l) body.stiffness(k, l) = Ke.at(k, l);
  if (const SidTaylor* De = find("De"); De && De->rows == m && De->columns == m) {
    body.damping.resize(n, n);
    for (int k = 0; k < m; ++k)
      for (int l = 0; l < m; ++l) body.damping(k, l) = De->at(k, l);
  }
  for (const SidNode& sid : file.nodes) {
    ModalNode node;
    node.label = sid.label;
    node.psi = Matrix3X::Zero(3, n);
    node.theta = Matrix3X::Zero(3, n);
    const auto part = [&](const char* name, auto&& use) {
      const auto it = sid.blocks.find(name);
      if (it != sid.blocks.end() && it->second.rows == 3) use(it->second);
    };
    part("origin", [&](const SidTaylor& b) {
      if (b.columns == 1) node.x = {b.at(0, 0), b.at(1, 0), b.at(2, 0)};
    });
    part("phi", [&](const SidTaylor& b) {
      for (int k = 0; k < std::min(m, b.columns); ++k) node.psi.col(k) = Vector3(b.at(0, k), b.at(1, k), b.at(2, k));
    });
    part("psi", [&](const SidTaylor& b) {
      for (int k = 0; k < std::min(m, b.columns); ++k) node.theta.col(k) = Vector3(b.at(0, k), b.at(1, k), b.at(2, k));
    });
    body.nodes.push_back(std::move(node));
  }
  finish(out, where, options);
  return out;
}

FlexibleData read_flexible(const std::string& path, const FlexibleOptions& options) {
  const std::string content = read_text(path);
  if (looks_like_mbdyn_fem(content)) return flexible_from_mbdyn(parse_mbdyn_fem(content, path), path, options);
  if (looks_like_sid(content)) return flexible_from_sid(parse_sid(content, path), path, options);
  return flexible_from_body(read_body(path), path, options);
}

}  // namespace kdyn::mbs
