// SPDX-License-Identifier: Apache-2.0
// A modal test from the first hammer blow to an animated flexible body.
//
// A subframe-like ring with four masses on bushings is hit at four places; 24 points carry three accelerometers each.
// The FE model at hand has the right frame but guesses the bushings, its nodes have other numbers, and one blow
// bounces. kdyn estimates the frequency responses, finds the modes, and carries them to all points of the FE model.
//
// Sample runs:
//   modal_test --out out/modal_test
//   kdyn frf out/modal_test/hits_*.uff --geometry out/modal_test/points.uff --band-hz 15,300 --title "Ring on bushings" --out out/frf
//   kdyn modal out/frf/frf.uff --band-hz 25,260 --out out/modal
//   kdyn body --modes out/modal/result.json --fe out/modal_test/fe_model.h5 --out out/body
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/store.hpp"
#include "kdyn/modes/space_frame.hpp"
#include "kdyn/modes/virtual_test.hpp"

namespace {

using namespace kdyn;

constexpr int beams_per_side = 6;
constexpr std::int64_t fe_label_offset = 5000;  // the FE model numbers its nodes in its own way

void write(const std::filesystem::path& path, const Exchange& content) {
  std::vector<Finding> lost;
  write_text(path.string(), exchange_bytes(content, path.string(), {}, lost));
  fmt::print("wrote {}\n", path.filename().string());
}

// Bushings as built: each stiffness up to 25 % off the drawing.
BushingFrame as_built() {
  RandomStream random(11);
  std::vector<double> factor(24);
  for (double& value : factor) value = random.uniform(0.75, 1.25);
  return make_bushing_frame(beams_per_side, factor);
}

Matrix matrix_of(const std::string& name, const Eigen::MatrixXd& A, const std::vector<Dof>& dofs) {
  Matrix out;
  out.name = name;
  out.rows = static_cast<int>(A.rows());
  out.columns = static_cast<int>(A.cols());
  out.symmetric = true;
  out.real.assign(A.data(), A.data() + A.size());
  out.row_dofs = out.column_dofs = dofs;
  return to_sparse(out);
}

void write_fe_model(const std::filesystem::path& path) {
  const BushingFrame model = make_bushing_frame(beams_per_side);
  std::vector<Dof> dofs = model.frame.dofs();
  Geometry geometry = model.frame.geometry();
  for (Dof& dof : dofs) dof.node += fe_label_offset;
  for (GeometryNode& node : geometry.nodes) node.label += fe_label_offset;
  for (TraceLine& line : geometry.lines)
    for (std::int64_t& node : line.nodes)
      if (node != 0) node += fe_label_offset;
  Store store;
  store.matrices.emplace();
  store.matrices->matrices = {matrix_of("M", model.frame.mass(), dofs), matrix_of("K", model.frame.stiffness(), dofs)};
  store.modes.emplace();
  store.modes->geometry = geometry;
  write_text(path.string(), store_bytes(store));
  fmt::print("wrote {}: {} degrees of freedom\n", path.filename().string(), dofs.size());
}

int run(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const BushingFrame b = as_built();
  const std::vector<Dof> dofs = b.frame.dofs();
  const RealModes modes = real_modes(b.frame.mass(), b.frame.stiffness(), 60);
  RandomStream random(3);
  Eigen::VectorXd damping(modes.omega.size());
  for (double& value : damping) value = random.uniform(0.004, 0.012);

  std::vector<int> points = b.arm_nodes, outputs;
  for (std::size_t i = 0; i < b.ring_nodes.size(); i += 2) points.push_back(b.ring_nodes[i]);
  for (const int node : points)
    for (int direction = 0; direction < 3; ++direction) outputs.push_back(6 * node + direction);

  // The wire frame of the test: arms and every second point of the ring.
  Exchange geometry;
  geometry.geometry.emplace();
  geometry.geometry->name = "test points";
  const Geometry all = b.frame.geometry();
  for (const int node : points) geometry.geometry->nodes.push_back(all.nodes[static_cast<std::size_t>(node)]);
  TraceLine wire;
  wire.label = 1;
  wire.name = "ring and arms";
  for (std::size_t i = 0; i < b.ring_nodes.size(); i += 2) wire.nodes.push_back(b.ring_nodes[i] + 1);
  wire.nodes.push_back(b.ring_nodes[0] + 1);
  for (std::size_t arm = 0; arm < b.arm_nodes.size(); ++arm) {
    wire.nodes.push_back(0);
    wire.nodes.push_back(b.ring_nodes[arm / 3 * static_cast<std::size_t>(beams_per_side)] + 1);
    wire.nodes.push_back(b.arm_nodes[arm] + 1);
  }
  geometry.geometry->lines.push_back(wire);
  write(folder / "points.uff", geometry);

  const int hit_at[] = {6 * b.arm_nodes[0] + 1, 6 * b.arm_nodes[4], 6 * b.arm_nodes[8] + 2, 6 * b.ring_nodes[2] + 2};
  for (int position = 0; position < 4; ++position) {
    VirtualTestOptions test;
    test.sample_rate = 2048.0;
    test.block_s = 3.0;
    test.hits = 4;
    test.pulse_s = 0.003;
    test.sensor_noise = 3e-3;
    test.double_hit = position == 1 ? 2 : -1;
    test.seed = 100 + static_cast<std::uint64_t>(position);
    Exchange hits;
    hits.signals = hammer_test(modes, damping, dofs, outputs, hit_at[position], test);
    write(folder / fmt::format("hits_{}.uff", position + 1), hits);
  }
  write_fe_model(folder / "fe_model.h5");

  std::string truth = "mode,frequency_hz,damping\n";
  for (Eigen::Index r = modes.rigid; r < modes.omega.size(); ++r)
    truth += fmt::format("{},{:.6f},{:.6f}\n", r - modes.rigid + 1, modes.omega[r] / (2.0 * 3.14159265358979323846),
                         damping[r]);
  write_text((folder / "truth.csv").string(), truth);
  fmt::print("wrote truth.csv: what the identification should find\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = "out/modal_test";
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], "--out") == 0) folder = argv[i + 1];
  try {
    return run(folder);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
