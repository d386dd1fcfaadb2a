// SPDX-License-Identifier: Apache-2.0
// A small structure whose truth is known and may differ from the model: a ladder of steel strips, free in space, with
// two rigid masses on bushings. 15 parameters: twelve bushing stiffnesses, two thicknesses, one mass. The model has
// about 400 unknowns; the truth may have a finer mesh, a soft joint, a forgotten mass, rubber that loses energy, or
// equipment that hangs on the frame.
#pragma once

#include <map>

#include "kdyn/base/random.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/update/update.hpp"
#include "kdyn/update/virtual_responses.hpp"

namespace kdyn::update::test {

struct FrameTruth {
  int refined = 1;              // elements per element of the model, along each edge
  double loss = 0.0;            // loss factor of the bushings
  double joint = 0.0;           // N*m/rad of the middle cross member's ends about the rails; 0: welded
  double forgotten_kg = 0.0;    // on a rail
  double equipment_kg = 0.0;    // on a soft spring below the frame
  double cladding_kg_m2 = 0.0;  // on the cross members
};

struct PlateFrame {
  fe::Model model;
  std::vector<Dof> outputs, inputs;
};

// Stiffness and thickness ratios of the truth; the nominal model has ones.
inline Eigen::VectorXd true_ratios() {
  Eigen::VectorXd out(15);
  out << 1.25, 0.8, 1.3, 1.2, 0.75, 1.15, 0.85, 1.3, 0.78, 1.22, 1.1, 0.8, 1.07, 0.93, 1.2;
  return out;
}

inline PlateFrame plate_frame(const FrameTruth& truth = {}) {
  PlateFrame out;
  fe::Model& model = out.model;
  model.name = "ladder of strips";
  const int n = truth.refined;
  const int steel = model.add_material(210e9, 0.3, 7850.0);
  const int rail = model.add_shell_property(steel, 8e-3), cross = model.add_shell_property(steel, 6e-3);
  model.properties[static_cast<std::size_t>(cross)].added_mass = truth.cladding_kg_m2;
  constexpr int cells_x = 12;
  const std::vector<double> y_of = {0.0, 0.08, 0.19, 0.31, 0.42, 0.50};
  std::map<std::array<int, 3>, int> made;
  // `side` 1: the nodes of the middle cross member, apart from those of the rails where the joint is soft.
  const auto node = [&](int i, int j, int side) {
    const bool at_joint = j == n || j == 4 * n;
    const std::array<int, 3> key = {i, j, side == 1 && at_joint && truth.joint > 0.0 ? 1 : 0};
    const auto [place, fresh] = made.emplace(key, 0);
    if (fresh) {
      const int cell = std::min(j / n, 4);
      const double y = y_of[static_cast<std::size_t>(cell)] +
                       (y_of[static_cast<std::size_t>(cell + 1)] - y_of[static_cast<std::size_t>(cell)]) *
                           (j - cell * n) / static_cast<double>(n);
      const bool coarse = i % n == 0 && j % n == 0 && key[2] == 0;
      const std::int64_t label =
          coarse ? 100 * (j / n + 1) + i / n + 1 : 10000 + static_cast<std::int64_t>(model.nodes.size());
      place->second = model.add_node(label, {0.1 * i / n, y, 0.0});
    }
    return place->second;
  };
  const auto quads = [&](int i0, int i1, int j0, int j1, int property, int side) {
    for (int j = j0 * n; j < j1 * n; ++j)
      for (int i = i0 * n; i < i1 * n; ++i)
        model.add_element(fe::Shape::quad4, property,
                          {node(i, j, side), node(i + 1, j, side), node(i + 1, j + 1, side), node(i, j + 1, side)});
  };
  quads(0, cells_x, 0, 1, rail, 0);
  quads(0, cells_x, 4, 5, rail, 0);
  quads(0, 1, 1, 4, cross, 0);
  quads(5, 6, 1, 4, cross, 1);
  quads(11, 12, 1, 4, cross, 0);
  if (truth.joint > 0.0)
    for (const int j : {n, 4 * n})
      for (int i = 5 * n; i <= 6 * n; ++i) {
        fe::Spring spring;
        spring.label = 9000 + static_cast<std::int64_t>(model.springs.size()), spring.property = 9;
        spring.a = node(i, j, 0), spring.b = node(i, j, 1);
        spring.point = model.nodes[static_cast<std::size_t>(spring.a)].position;
        const double share = 1.0 / (n + 1);
        spring.stiffness << 1e9, 1e9, 1e9, truth.joint, 1e5, 1e5;
        spring.stiffness *= share;
        model.springs.push_back(spring);
      }
  const fe::Vector6 stiffness[2] = {(fe::Vector6() << 9e5, 1.5e6, 4e5, 900.0, 700.0, 500.0).finished(),
                                    (fe::Vector6() << 7e5, 1.1e6, 3e5, 1300.0, 1000.0, 800.0).finished()};
  const std::array<int, 2> cell_i = {2, 8}, cell_j = {0, 4};
  for (std::size_t b = 0; b < 2; ++b) {
    fe::RigidLink link;
    link.label = 800 + static_cast<std::int64_t>(b);
    for (int j = cell_j[b] * n; j <= (cell_j[b] + 1) * n; ++j)
      for (int i = cell_i[b] * n; i <= (cell_i[b] + 1) * n; ++i) link.dependents.push_back(node(i, j, 0));
    const Eigen::Vector3d place(0.1 * cell_i[b] + 0.05, cell_j[b] == 0 ? 0.04 : 0.46, 0.0);
    const auto label = static_cast<std::int64_t>(900 + 10 * b);
    link.master = model.add_node(label, place);
    const int mass = model.add_node(label + 1, place);
    const int tip = model.add_node(label + 2, place + Eigen::Vector3d(0.05, 0.04, 0.07));
    fe::RigidLink arm;
    arm.label = 820 + static_cast<std::int64_t>(b), arm.master = mass, arm.dependents = {tip};
    fe::Spring spring;
    spring.label = 501 + static_cast<std::int64_t>(b), spring.property = 51 + static_cast<std::int64_t>(b);
    spring.a = link.master, spring.b = mass, spring.point = place, spring.stiffness = stiffness[b];
    fe::PointMass body;
    body.label = 601 + static_cast<std::int64_t>(b), body.node = mass, body.mass = b == 0 ? 2.6 : 3.1;
    body.offset = {0.01, -0.015, 0.03};
    body.inertia = Eigen::Vector3d(0.006, 0.008, 0.005).asDiagonal();
    model.rigid_links.push_back(std::move(link)), model.rigid_links.push_back(std::move(arm));
    model.springs.push_back(spring), model.masses.push_back(body);
  }
  if (truth.forgotten_kg > 0.0) {
    fe::PointMass extra;
    extra.label = 690, extra.node = node(9 * n, 0, 0), extra.mass = truth.forgotten_kg;
    model.masses.push_back(extra);
  }
  if (truth.equipment_kg > 0.0) {
    fe::PointMass box;
    box.label = 691, box.node = model.add_node(991, {0.55, 0.08, -0.05}), box.mass = truth.equipment_kg;
    box.inertia = Eigen::Vector3d(1e-3, 1e-3, 1e-3).asDiagonal();
    fe::Spring hanger;
    hanger.label = 591, hanger.property = 59, hanger.a = node(5 * n, n, 0), hanger.b = box.node;
    hanger.point = model.nodes[static_cast<std::size_t>(hanger.a)].position;
    const double k = box.mass * std::pow(2.0 * 3.14159265358979 * 85.0, 2);
    hanger.stiffness << 1.6 * k, 1.3 * k, k, 200.0, 200.0, 200.0;
    model.masses.push_back(box), model.springs.push_back(hanger);
  }
  for (const std::int64_t point : {101, 104, 107, 113, 306, 601, 607, 613})
    for (int c = 1; c <= 3; ++c) out.outputs.push_back({point, c, ""});
  for (const std::int64_t point : {902, 912})
    for (int c = 1; c <= 3; ++c) out.outputs.push_back({point, c, ""});
  out.inputs = {{902, 1, ""}, {902, 2, ""}, {902, 3, ""}, {912, 1, ""}, {912, 2, ""}, {912, 3, ""}, {101, 3, ""}};
  return out;
}

inline std::vector<ParameterSetting> frame_parameters() {
  std::vector<ParameterSetting> out;
  const auto add = [&](std::string name, const char* unit, const char* group, fe::Parameter what) {
    ParameterSetting p;
    p.name = what.name = std::move(name), p.unit = unit, p.group = group, p.what = std::move(what);
    out.push_back(std::move(p));
  };
  const char* axis[] = {"x", "y", "z", "rx", "ry", "rz"};
  for (const std::int64_t label : {501, 502})
    for (int c = 0; c < 6; ++c)
      add("k" + std::to_string(label - 500) + axis[c], c < 3 ? "N/m" : "N*m/rad",
          c < 3 ? "translational" : "rotational", {"", fe::ParameterKind::spring, {label}, c});
  add("t_rail", "m", "thickness", {"", fe::ParameterKind::thickness, {1}, 0});
  add("t_cross", "m", "thickness", {"", fe::ParameterKind::thickness, {2}, 0});
  add("m_2", "kg", "mass", {"", fe::ParameterKind::point_mass, {602}, 0});
  return out;
}

// The same with one loss factor for each bushing, from 0.1.
inline std::vector<ParameterSetting> frame_parameters_with_loss() {
  std::vector<ParameterSetting> out = frame_parameters();
  for (const std::int64_t label : {501, 502}) {
    ParameterSetting p;
    p.name = "eta" + std::to_string(label - 500), p.unit = "-", p.group = "loss", p.lower = -0.98, p.upper = 9.0;
    p.what = {p.name, fe::ParameterKind::spring, {label}, -1, true, 0.1};
    out.push_back(std::move(p));
  }
  return out;
}

// Accelerances of the truth without noise, lines x channels.
inline Eigen::MatrixXcd true_responses(const FrameTruth& truth, const Eigen::VectorXd& hz) {
  const PlateFrame frame = plate_frame(truth);
  const FullModel model = full_model(frame.model, frame_parameters());
  const Eigen::VectorXd ratio = true_ratios();
  fe::ModesOptions options;
  options.count = 90, options.shift_hz = 100.0;
  const fe::Modes modes =
      fe::find_modes(model.matrices.stiffness_at(ratio), model.matrices.mass_at(ratio), model.group_of, options);
  const ModalForm form = modes_at(modes, model.rows(frame.outputs, "outputs"), model.rows(frame.inputs, "inputs"));
  Eigen::VectorXd damping(form.omega.size());
  RandomStream random(99);
  for (double& xi : damping) xi = random.uniform(0.004, 0.012);
  if (!(truth.loss > 0.0)) return accelerance(form, hz, damping);
  // Hysteretic bushings: i eta k in modal coordinates, solved line by line.
  Eigen::VectorXd off = ratio;
  for (Eigen::Index s = 0; s < 12; ++s) off[s] = 0.0;
  const fe::SparseMatrix springs = model.matrices.stiffness_at(ratio) - model.matrices.stiffness_at(off);
  const Eigen::MatrixXd rubber = modes.shapes.transpose() * fe::multiply(springs, modes.shapes);
  Eigen::MatrixXcd out(hz.size(), form.Y.rows() * form.U.cols());
  for (Eigen::Index l = 0; l < hz.size(); ++l) {
    const double w = 2.0 * 3.14159265358979323846 * hz[l];
    Eigen::MatrixXcd dynamic = std::complex<double>(0.0, truth.loss) * rubber;
    for (Eigen::Index r = 0; r < form.omega.size(); ++r)
      dynamic(r, r) +=
          std::complex<double>(form.omega[r] * form.omega[r] - w * w, 2.0 * damping[r] * form.omega[r] * w);
    const Eigen::MatrixXcd h = -w * w * form.Y * dynamic.partialPivLu().solve(form.U.cast<std::complex<double>>());
    out.row(l) = h.reshaped().transpose();
  }
  return out;
}

inline FrequencyResponse measured(const Eigen::MatrixXcd& clean, const Eigen::VectorXd& hz, const PlateFrame& frame,
                                  double noise, std::uint64_t seed) {
  FrequencyResponse out;
  out.name = "virtual test";
  out.frequency_hz.assign(hz.data(), hz.data() + hz.size());
  for (std::size_t u = 0; u < frame.inputs.size(); ++u)
    for (std::size_t y = 0; y < frame.outputs.size(); ++y) {
      const std::size_t column = y + frame.outputs.size() * u;
      RandomStream random(seed, column);
      const Eigen::VectorXcd h = clean.col(static_cast<Eigen::Index>(column));
      const double level = noise * h.cwiseAbs().mean() / std::sqrt(2.0);
      FrequencyResponseChannel channel;
      channel.output = frame.outputs[y], channel.input = frame.inputs[u];
      channel.output_unit = "m/s^2", channel.input_unit = "N";
      for (const std::complex<double>& value : h) {
        const double re = random.normal(), im = random.normal();
        channel.values.push_back(value + level * std::complex<double>(re, im));
      }
      out.channels.push_back(std::move(channel));
    }
  return out;
}

}  // namespace kdyn::update::test
