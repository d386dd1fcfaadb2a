// SPDX-License-Identifier: Apache-2.0
// Two ways to model a bushing in an updating job: six generalised springs, or the rubber itself as a solid.
//
// A ring carries four masses on rubber pads. The "test" is made with solid pads of unknown moduli and 1 % noise. The
// same responses then calibrate a model with solid pads (one Young's modulus each, four parameters) and one with
// generalised springs (six stiffnesses each, 24 parameters). The solid is right by construction; the springs show what
// freedom buys when the shape of the rubber is not known, and what it costs in certainty.
//
// Sample runs:
//   bushing_models
#include <array>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/update/update.hpp"
#include "kdyn/update/virtual_responses.hpp"

namespace {

using namespace kdyn;

constexpr double pad_side = 0.044, pad_height = 0.02;         // m
constexpr double rubber_young = 15e6, rubber_poisson = 0.49;  // Pa, -

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The ring with its masses lifted onto pads; springs are taken off.
fe::BoxRing bare_ring() {
  fe::BoxRingOptions options;
  options.cells = 2;
  fe::BoxRing ring = fe::make_box_ring(options);
  ring.model.springs.clear();
  for (const int node : ring.mass_nodes) ring.model.nodes[at(node)].position.z() += pad_height;
  return ring;
}

std::vector<update::ParameterSetting> add_solid_pads(fe::BoxRing& ring) {
  fe::Model& model = ring.model;
  std::vector<update::ParameterSetting> settings;
  constexpr int cells = 2;
  for (int b = 0; b < 4; ++b) {
    const int material = model.add_material(rubber_young, rubber_poisson, 1100.0);
    const int property = model.add_solid_property(material);
    const Eigen::Vector3d foot = model.nodes[at(ring.patch_nodes[at(b)])].position;
    const auto grid = fe::add_grid(model, cells, cells, cells, [&](double x, double y, double z) {
      return Eigen::Vector3d(foot + Eigen::Vector3d(pad_side * (x - 0.5), pad_side * (y - 0.5), pad_height * z));
    });
    fe::add_bricks(model, grid, cells, cells, cells, property);
    constexpr int face = (cells + 1) * (cells + 1);
    fe::RigidLink below, above;
    below.label = 4000001 + b, above.label = 4000011 + b;
    below.master = ring.patch_nodes[at(b)], above.master = ring.mass_nodes[at(b)];
    below.dependents.assign(grid.begin(), grid.begin() + face);
    above.dependents.assign(grid.end() - face, grid.end());
    model.rigid_links.push_back(std::move(below));
    model.rigid_links.push_back(std::move(above));
    update::ParameterSetting setting;
    setting.name = fmt::format("E{}", b + 1), setting.unit = "Pa";
    setting.what = {setting.name, fe::ParameterKind::young, {model.materials[at(material)].label}, 0};
    settings.push_back(std::move(setting));
  }
  return settings;
}

// Six springs in the middle of each pad; nominal values from the textbook: shear, compression with its shape factor,
// bending, torsion.
std::vector<update::ParameterSetting> add_springs(fe::BoxRing& ring) {
  const double area = pad_side * pad_side, shear = rubber_young / (2.0 * (1.0 + rubber_poisson)),
               inertia = std::pow(pad_side, 4) / 12.0;
  const double shape = pad_side / (4.0 * pad_height), compression = rubber_young * (1.0 + 2.0 * shape * shape);
  const std::array<double, 6> nominal = {shear * area / pad_height,          shear * area / pad_height,
                                         compression * area / pad_height,    compression * inertia / pad_height,
                                         compression * inertia / pad_height, shear * 2.0 * inertia / pad_height};
  const std::array<const char*, 6> names = {"x", "y", "z", "rx", "ry", "rz"};
  std::vector<update::ParameterSetting> settings;
  for (int b = 0; b < 4; ++b) {
    fe::Spring spring;
    spring.label = 2000001 + b;
    spring.a = ring.patch_nodes[at(b)], spring.b = ring.mass_nodes[at(b)];
    spring.point = ring.model.nodes[at(spring.a)].position + Eigen::Vector3d(0.0, 0.0, 0.5 * pad_height);
    spring.stiffness = Eigen::Map<const fe::Vector6>(nominal.data());
    ring.model.springs.push_back(spring);
    for (int c = 0; c < 6; ++c) {
      update::ParameterSetting setting;
      setting.name = fmt::format("k{}_{}", b + 1, names[at(c)]), setting.unit = c < 3 ? "N/m" : "N*m/rad";
      setting.lower = -0.8, setting.upper = 4.0;
      setting.what = {setting.name, fe::ParameterKind::spring, {spring.label}, c};
      settings.push_back(std::move(setting));
    }
  }
  return settings;
}

void tell(const char* name, const update::PartResult& part) {
  double shift = 0.0, mac = 1.0;
  for (const update::ModePair& pair : part.pairs_after.pairs) {
    shift = std::max(shift, std::abs(part.after.frequency_hz[pair.model] / part.test.frequency_hz[pair.test] - 1.0));
    mac = std::min(mac, pair.mac);
  }
  int determined = 0;
  for (const update::Verdict verdict : part.gate_at_optimum.verdict)
    determined += verdict == update::Verdict::determined;
  fmt::print("{:<18}{:>12}{:>14}{:>12.2e}{:>12.2e}{:>12.2e}{:>14.3f}{:>12.4f}\n", name, part.parameters.size(),
             determined, part.metric_before.calibration, part.metric.calibration, part.metric.validation, 100.0 * shift,
             mac);
}

}  // namespace

int main() {
  try {
    fe::BoxRing solid_ring = bare_ring(), spring_ring = bare_ring();
    const std::vector<update::ParameterSetting> moduli = add_solid_pads(solid_ring),
                                                stiffnesses = add_springs(spring_ring);
    const update::FullModel solid = update::full_model(solid_ring.model, moduli),
                            springs = update::full_model(spring_ring.model, stiffnesses);

    Eigen::VectorXd truth(4);
    truth << 1.3, 0.8, 1.15, 1.4;
    fe::ModesOptions modes_options;
    modes_options.count = 120, modes_options.shift_hz = 60.0;
    const fe::Modes modes = fe::find_modes(solid.matrices.stiffness_at(truth), solid.matrices.mass_at(truth),
                                           solid.group_of, modes_options);
    RandomStream random(3);
    Eigen::VectorXd damping(modes.frequency_hz.size());
    for (double& xi : damping) xi = random.uniform(0.008, 0.02);
    const FrequencyResponse responses = update::virtual_responses(
        update::modes_at(modes, solid.rows(solid_ring.outputs, "outputs"), solid.rows(solid_ring.inputs, "inputs")),
        damping, Eigen::VectorXd::LinSpaced(500, 5.0, 205.0), solid_ring.outputs, solid_ring.inputs, 0.01, 1);
    update::UpdateOptions options;
    options.band_hz = {6.0, 200.0};
    options.starts = 1, options.suggest = false, options.bootstrap_draws = 0;
    for (const std::size_t y : {9, 10, 11, 18, 19, 20, 33, 34, 35})
      options.validation.push_back(label(solid_ring.outputs[y]));
    fmt::print("{:<18}{:>12}{:>14}{:>12}{:>12}{:>12}{:>14}{:>12}\n", "bushing model", "parameters", "determined",
               "before", "after", "validation", "max df, %", "min MAC");
    const update::PartResult by_solid =
        update::run_update(solid, {{"solid rubber", responses, {}}}, {}, options, "").parts[0];
    tell("solid rubber", by_solid);
    for (Eigen::Index s = 0; s < 4; ++s)
      fmt::print("  E{}: true {:.3f}, found {:.4f} of nominal\n", s + 1, truth[s], by_solid.optimum.ratio[s]);
    tell("six springs", update::run_update(springs, {{"springs", responses, {}}}, {}, options, "").parts[0]);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
