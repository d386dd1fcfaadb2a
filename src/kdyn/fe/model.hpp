// SPDX-License-Identifier: Apache-2.0
// A finite-element model as it is described: nodes, elements with their properties, springs, masses, constraints. SI
// throughout.
//
// The description knows nothing of matrices; assemble.hpp makes them. It comes from Nastran bulk data
// (nastran_model.hpp), from the mesh builder (mesh_builder.hpp), or is written by hand. Indices point into the vectors
// of the model; labels are the user's numbers. Motion of a node has six components: 0..2 translation along, 3..5
// rotation about the axes of the node's frame.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/geometry.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::fe {

using Vector6 = Eigen::Matrix<double, 6, 1>;

struct Node {
  std::int64_t label = 0;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // m
  int frame = -1;                                      // index into Model::frames of the axes of its motion; -1: global
  unsigned fixed = 0u;                                 // bit c: component c is held at zero
  bool scalar = false;                                 // one motion (component 0) that belongs to no place
};

// Isotropic and linear. A material that is not isotropic has a Young's modulus of zero here; the laws below hold it.
struct Material {
  std::int64_t label = 0;
  double young = 0.0, poisson = 0.0, density = 0.0;  // Pa, -, kg/m^3
  double shear = 0.0;                                // Pa; 0: young / (2 (1 + poisson))
  double loss = 0.0;                                 // loss factor; the matrices do not hold it
};

enum class Shape { quad4, tria3, quad8, tria6, hex8, hex20, wedge6, wedge15, tet4, tet10, beam, rod };
inline constexpr int most_nodes = 20;
int node_count(Shape shape);
int universal_type(Shape shape);  // FE descriptor of universal files
bool is_solid(Shape shape);
bool is_shell(Shape shape);

// Shell by its stiffness matrices: laminates, orthotropic plates, membranes. In the axes of the material. [fe E35]
struct ShellLaw {
  Eigen::Matrix3d membrane = Eigen::Matrix3d::Zero();  // N/m: forces per width by strains (xx, yy, xy)
  Eigen::Matrix3d coupling = Eigen::Matrix3d::Zero();  // N: forces by curvatures
  Eigen::Matrix3d bending = Eigen::Matrix3d::Zero();   // N*m: moments per width by curvatures
  Eigen::Matrix2d shear = Eigen::Matrix2d::Zero();     // N/m, transverse
  double mass = 0.0, turning = 0.0;                    // kg/m^2; kg: about the mid surface
  std::vector<std::int64_t> materials;                 // labels of those it is made of
};

// Solid by its elasticity (xx yy zz xy yz zx, global axes). [fe E37]
struct SolidLaw {
  Eigen::Matrix<double, 6, 6> elasticity = Eigen::Matrix<double, 6, 6>::Zero();  // Pa
};

// Beam whose section changes along it or is not symmetric. [fe E36]
struct BeamStation {
  double at = 0.0;  // 0 at the first end, 1 at the second
  double area = 0.0, inertia_1 = 0.0, inertia_2 = 0.0, inertia_12 = 0.0, torsion = 0.0;
  double added_mass = 0.0, added_turning = 0.0;  // kg/m, kg*m
};
struct BeamLaw {
  std::vector<BeamStation> stations;  // from 0 to 1; linear in between
  // From the shear centre, which the ends are, along y and z of the beam at both ends: neutral axis, added mass.
  std::array<Eigen::Vector2d, 2> neutral = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  std::array<Eigen::Vector2d, 2> added_at = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
};

struct Property {
  std::int64_t label = 0;
  int material = -1;
  double thickness = 0.0;               // shells, m
  double offset = 0.0;                  // shells: mid surface above the nodes along the normal, m
  double bending_ratio = 1.0;           // shells: bending stiffness over that of a plate of this thickness
  double shear_ratio = 5.0 / 6.0;       // shells: shear thickness over thickness; 0: no shear flexibility
  double area = 0.0;                    // beams and rods, m^2
  double inertia_1 = 0.0;               // beams: bending in plane 1 (local x, y), m^4
  double inertia_2 = 0.0;               // beams: bending in plane 2 (local x, z), m^4
  double torsion = 0.0;                 // beams and rods, m^4
  double shear_1 = 0.0, shear_2 = 0.0;  // beams: shear area / area; 0: no shear flexibility
  double added_mass = 0.0;              // non-structural: kg/m^2 of shells, kg/m of beams
  bool polar_inertia =
      false;  // beams with lumped mass: inertia about the axis too (Nastran's CBEAM has it, CBAR has not)
  int shell_law = -1, solid_law = -1, beam_law = -1;  // index into the laws of the model, which then count instead
};

// What few elements have.
struct ElementDetail {
  double angle = 0.0;                     // shells: of the material's x axis from the side of the first two nodes, rad
  std::array<double, 4> thickness = {};   // shells: at the corners, m; all zero: that of the property
  std::array<unsigned, 2> released = {};  // beams: components of both ends (axes of the beam) that carry nothing
  double added_mass = 0.0;                // beside that of the property: kg/m^2 of shells, kg/m of beams
};

struct Element {
  std::int64_t label = 0;
  Shape shape = Shape::quad4;
  int property = -1;
  std::array<int, most_nodes> nodes{};
  int detail = -1;                                        // index into Model::details
  Eigen::Vector3d orientation = Eigen::Vector3d::Zero();  // beams: a vector in plane 1, global axes
  std::array<Eigen::Vector3d, 2> arms = {Eigen::Vector3d::Zero(),
                                         Eigen::Vector3d::Zero()};  // beams: from nodes to ends, global axes
};

// Six stiffnesses between two points (or a point and the ground) that move with their nodes as rigid arms. [fe E17]
struct Spring {
  std::int64_t label = 0, property = 0;
  int a = -1, b = -1;                                  // b = -1: ground
  Vector6 stiffness = Vector6::Zero();                 // N/m, N*m/rad
  Vector6 loss = Vector6::Zero();                      // loss factors; the matrices do not hold them
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // columns are the spring's axes in global ones
  Eigen::Vector3d point = Eigen::Vector3d::Zero();     // where it acts, global
};

// One stiffness between two components of motion (in the frames of the nodes), or one component and the ground.
struct ScalarSpring {
  std::int64_t label = 0, property = 0;
  int node_a = -1, component_a = 0, node_b = -1, component_b = 0;
  double stiffness = 0.0;
};

// Rigid mass at a node. [fe E18]
struct PointMass {
  std::int64_t label = 0;
  int node = -1;
  double mass = 0.0;                                  // kg
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();   // of the centre of gravity from the node, global axes
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre of gravity, global axes
};

// Dependent nodes follow the master as one rigid body in the listed components (RBE2). [fe E19]
struct RigidLink {
  std::int64_t label = 0;
  int master = -1;
  unsigned components = 0x3f;
  std::vector<int> dependents;
};

// The reference node moves as the weighted best fit of a rigid motion to the others (RBE3). [fe E20]
struct AverageLink {
  struct Member {
    int node = -1;
    double weight = 1.0;
    unsigned components = 0x7;
  };
  std::int64_t label = 0;
  int reference = -1;
  unsigned components = 0x3f;
  std::vector<Member> members;
};

// sum of factor * motion = 0; the first one is the dependent (MPC).
struct LinearConstraint {
  struct Part {
    int node = -1, component = 0;
    double factor = 0.0;
  };
  std::vector<Part> parts;
  std::string where;
};

// A number straight into a matrix, at motions 6 * node + component in the frames of the nodes; off the diagonal it stands
// twice. [fe E38]
struct DirectTerm {
  bool mass = false;  // false: stiffness
  int a = 0, b = 0;
  double value = 0.0;
};

struct Model {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Eigen::Matrix3d> frames;  // columns are the axes of motion in global ones
  std::vector<Material> materials;
  std::vector<Property> properties;
  std::vector<ShellLaw> shell_laws;
  std::vector<SolidLaw> solid_laws;
  std::vector<BeamLaw> beam_laws;
  std::vector<Element> elements;
  std::vector<ElementDetail> details;
  std::vector<Spring> springs;
  std::vector<ScalarSpring> scalar_springs;
  std::vector<PointMass> masses;
  std::vector<RigidLink> rigid_links;
  std::vector<AverageLink> average_links;
  std::vector<LinearConstraint> constraints;
  std::vector<DirectTerm> entries;
  bool consistent_mass = true;    // false: lumped on translations, as Nastran does without PARAM,COUPMASS
  double drilling_factor = 1e-3;  // gamma of [fe E5]
  double mass_factor = 1.0;       // on all masses, PARAM,WTMASS
  bool hold_loose_mass = false;   // motions of a node with mass that nothing gives stiffness to are held (AUTOSPC)
  std::vector<Finding> findings;

  int add_node(std::int64_t label, const Eigen::Vector3d& position);
  int add_material(double young, double poisson, double density);
  int add_shell_property(int material, double thickness);
  int add_solid_property(int material);
  int add_element(Shape shape, int property, std::initializer_list<int> nodes);
  int node_index(std::int64_t label) const;  // throws Error when there is none; builds no index, for single look-ups
};

// Nodes, coordinate frames and element connectivity for pictures and for matching with a test.
Geometry geometry_of(const Model& model);

}  // namespace kdyn::fe
