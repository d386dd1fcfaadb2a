// SPDX-License-Identifier: Apache-2.0
// The flexible bodies of the multibody examples, made with kdyn's own beams and written as modal data of MBDyn (.fem):
// a beam, and a rectangular subframe. Masses are lumped on the nodes with rotary inertia; modes are the free elastic
// ones of these masses.
//
// Sample runs:
//   flexible_bodies out/bodies
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/mbdyn_fem.hpp"
#include "kdyn/modes/space_frame.hpp"

namespace {

using namespace kdyn;

struct Member {
  int a, b;
  BeamSection section;
};

class Structure {
 public:
  int node(double x, double y, double z) {
    frame_.add_node({x, y, z});
    return frame_.nodes() - 1;
  }
  void beam(int a, int b, const BeamSection& section) {
    frame_.add_beam(a, b, section);
    members_.push_back({a, b, section});
  }
  void mass(int node, double kg, double inertia) { extra_.push_back({node, kg, inertia}); }

  // Half of each beam on its ends; rotary inertia of half a beam about its end, and of the section about the axis.
  Eigen::VectorXd lumped() const {
    Eigen::VectorXd m = Eigen::VectorXd::Zero(6 * frame_.nodes());
    for (const Member& part : members_) {
      const Eigen::Vector3d along = position(part.b) - position(part.a);
      const double length = along.norm(), half = 0.5 * part.section.density * part.section.area * length;
      const double polar = 0.5 * part.section.density * (part.section.inertia_y + part.section.inertia_z) * length;
      const Eigen::Vector3d axis = along / length;
      for (const int n : {part.a, part.b})
        for (int i = 0; i < 3; ++i) {
          m[6 * n + i] += half;
          m[6 * n + 3 + i] += half * length * length / 12.0 * (1.0 - axis[i] * axis[i]) + polar * axis[i] * axis[i];
        }
    }
    for (const auto& e : extra_)
      for (int i = 0; i < 6; ++i) m[6 * e.node + i] += i < 3 ? e.kg : e.inertia;
    return m;
  }

  MbdynFem modes(int count) const {
    const Eigen::VectorXd m = lumped();
    const Eigen::MatrixXd M = m.asDiagonal();
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(frame_.stiffness(), M);
    MbdynFem out;
    out.modes.geometry = frame_.geometry();
    out.modes.dofs = frame_.dofs();
    out.lumped_mass.assign(m.data(), m.data() + m.size());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(count, count), I = Eigen::MatrixXd::Identity(count, count);
    for (int k = 0; k < count; ++k) {
      // Six rigid modes come first.
      Mode mode;
      for (Eigen::Index i = 0; i < m.size(); ++i) mode.shape.emplace_back(eigen.eigenvectors()(i, 6 + k), 0.0);
      K(k, k) = eigen.eigenvalues()[6 + k];
      out.modes.modes.push_back(mode);
      std::printf("  mode %d: %.2f Hz\n", k + 1, std::sqrt(K(k, k)) / 6.283185307179586);
    }
    for (auto [matrix, values] : {std::pair{&out.modal_mass, &I}, std::pair{&out.modal_stiffness, &K}}) {
      matrix->rows = matrix->columns = count;
      matrix->real.assign(values->data(), values->data() + values->size());
    }
    return out;
  }

 private:
  struct Extra {
    int node;
    double kg, inertia;
  };
  Eigen::Vector3d position(int n) const {
    return Eigen::Vector3d(frame_.positions()[static_cast<std::size_t>(n)].data());
  }
  SpaceFrame frame_;
  std::vector<Member> members_;
  std::vector<Extra> extra_;
};

// 1 m of steel, 30 x 20 x 2 mm box, eleven nodes along x.
Structure beam() {
  Structure s;
  const BeamSection section = box_section(0.03, 0.02, 0.002);
  for (int i = 0; i <= 10; ++i) s.node(0.1 * i, 0.0, 0.0);
  for (int i = 0; i < 10; ++i) s.beam(i, i + 1, section);
  return s;
}

// A ring 0.9 x 0.66 m of box beams, sixteen nodes counted round from the corner (-, -): corners are nodes 1, 5, 9, 13.
// Brackets at the corners and a steering gear off the middle make it as unsymmetric as real ones are.
Structure subframe() {
  Structure s;
  const BeamSection section = box_section(0.04, 0.03, 0.002);
  const double corner[4][2] = {{-0.45, -0.33}, {0.45, -0.33}, {0.45, 0.33}, {-0.45, 0.33}};
  for (int side = 0; side < 4; ++side)
    for (int i = 0; i < 4; ++i) {
      const double t = 0.25 * i;
      s.node((1.0 - t) * corner[side][0] + t * corner[(side + 1) % 4][0],
             (1.0 - t) * corner[side][1] + t * corner[(side + 1) % 4][1], 0.0);
    }
  for (int i = 0; i < 16; ++i) s.beam(i, (i + 1) % 16, section);
  const double brackets[4] = {0.8, 1.0, 0.7, 0.9};
  for (int c = 0; c < 4; ++c) s.mass(4 * c, brackets[c], 1.5e-3);
  s.mass(7, 4.0, 0.02);
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::filesystem::path folder = argc > 1 ? argv[1] : "out/bodies";
    std::filesystem::create_directories(folder);
    std::puts("beam.fem");
    write_text((folder / "beam.fem").string(), mbdyn_fem_text(beam().modes(6)));
    std::puts("subframe.fem");
    write_text((folder / "subframe.fem").string(), mbdyn_fem_text(subframe().modes(14)));
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
