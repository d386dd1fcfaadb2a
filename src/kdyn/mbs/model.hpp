// SPDX-License-Identifier: Apache-2.0
// What a multibody model is made of: bodies, markers, joints, connections with mount laws, forces, drivers, gravity.
// Plain data.
//
// Body coordinates (flexible natural coordinates): q = [sigma, A, delta_1 A, ..., delta_n A, delta]; columns of Q =
// [sigma A delta_k A].
//   [mbs E1]  point u = Q s, s = [1; x; psi_k],   frame R = Q S, S = [0; R0; skew(theta_k) R0]
//   [mbs E2]  mass M = G (x) I3 with constant G = sum m s s^T + sum S E S^T, E = tr(J)/2 I - J;  stiffness and damping on delta alone
// Ground is body -1. SI units throughout.
//
// Valid for small deformation in the body's own frame; modes carry no geometric stiffening (keep the spin below 0.3 of
// the first elastic frequency of a body, or cut the body). Modes must not contain rigid-body motion.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/data/sensor.hpp"
#include "kdyn/element/bushing_place.hpp"
#include "kdyn/element/coupling.hpp"
#include "kdyn/io/surface_file.hpp"
#include "kdyn/mbs/axis_law.hpp"
#include "kdyn/mbs/controller.hpp"
#include "kdyn/mbs/output.hpp"
#include "kdyn/mbs/relative.hpp"
#include "kdyn/mbs/time_signal.hpp"
#include "kdyn/mbs/tyre.hpp"

namespace kdyn::mbs {

// A node of a flexible body: lumped mass and mode shapes.
struct ModalNode {
  double mass = 0.0;
  Matrix3 inertia = Matrix3::Zero();
  Vector3 x = Vector3::Zero();
  Matrix3X psi, theta;  // 3 x n
  std::int64_t label = 0;
};

struct Body {
  std::string name;
  MatrixX G = MatrixX::Identity(4, 4);  // (4+3n) x (4+3n)  [mbs E2]
  MatrixX stiffness, damping;           // n x n
  double damping_factor = 1.0;          // that `damping` has over what the model gave
  Vector3 position = Vector3::Zero();   // of the body frame
  Matrix3 rotation = Matrix3::Identity();
  VectorX delta;                               // n, start of the modes
  Vector3 velocity = Vector3::Zero();          // of the body frame's origin, global axes
  Vector3 angular_velocity = Vector3::Zero();  // global axes
  VectorX delta_rate;
  std::vector<ModalNode> nodes;           // of a flexible body: where markers sit and what pictures show
  std::vector<std::array<int, 2>> lines;  // between nodes, for pictures; may be empty
  SurfaceMesh surface;                    // what it looks like, in the frame of the body; may be empty

  int modes() const { return static_cast<int>(stiffness.rows()); }
};

// G of a rigid body with mass, centre of mass and inertia about it, both in the body frame.
MatrixX rigid_mass(double mass, const Vector3& centre, const Matrix3& inertia);

// G that follows from the nodes.
MatrixX modal_mass(const std::vector<ModalNode>& nodes, int modes);

struct Marker {
  std::string name;
  int body = -1;
  Vector3 x = Vector3::Zero();
  Matrix3 R0 = Matrix3::Identity();
  Matrix3X psi, theta;  // 3 x n of the body; may be empty on a rigid one
};

enum class JointKind {
  spherical,
  revolute,
  fixed,
  translational,
  cylindrical,
  universal,
  point_on_line,
  planar,
  orientation,
  distance,
  drive_translation,
  drive_rotation
};
inline constexpr std::array<const char*, 12> joint_names = {
    "spherical",     "revolute", "fixed",       "translational", "cylindrical",       "universal",
    "point_on_line", "planar",   "orientation", "distance",      "drive_translation", "drive_rotation"};

struct Joint {
  std::string name;
  JointKind kind = JointKind::spherical;
  int marker1 = 0, marker2 = 0;
  double length = 0.0;  // distance
  int axis = 2;         // drive_translation: axis of marker 1
  TimeSignal drive;     // m, or rad about z of marker 1
};

// Mount laws between two markers: six axes of a bushing in the axes of marker 1, or one along the line between the
// markers.
enum class ConnectionKind { bushing, spring };
struct Connection {
  std::string name;
  ConnectionKind kind = ConnectionKind::bushing;
  int marker1 = 0, marker2 = 0;
  RotationMeasure measure = RotationMeasure::log;
  Coupling coupling = Coupling::none;            // of the static forces of a bushing's translations  [mbs E33]
  std::array<std::shared_ptr<AxisLaw>, 6> laws;  // null: no load; a spring uses the first
  Vector6 preload = Vector6::Zero();             // added to the law's load
  double rest_length = 0.0;                      // spring
  BushingPlace
      place;  // of the bushing model, in the axes of marker 1 as the file gives it; the markers above have it already
  // Bushing: where it sits against how its markers are given; both of them, global axes at the initial pose  [mbs E24]
  Vector3 shift = Vector3::Zero(), turn = Vector3::Zero();  // m, rotation vector in rad
  std::array<Vector3, 2> marker_shift = {Vector3(Vector3::Zero()),
                                         Vector3(Vector3::Zero())};  // of marker 1 and of marker 2 alone, besides
};

// Force and torque on a marker, in global axes or in those of the marker.
struct PointLoad {
  std::string name;
  int marker = 0;
  bool follows = false;
  std::array<TimeSignal, 3> force, torque;
};

// What one channel of a sensor shows: gain * output(t - delay_s) + offset.
struct SensorChannel {
  std::string name, unit;
  Output output;
  double gain = 1.0, offset = 0.0, delay_s = 0.0;
  int sensor = 0;  // index in Model::sensors
};

// A force by formula in time and state: added to force (0..2) or torque (3..5) of a load, or to the load of a
// connection, tension positive  [mbs E43].
struct StateForce : StateFormula {
  bool of_load = true;  // else of a connection
  int index = 0, component = 0;
};

struct Model {
  std::string title;
  Vector3 gravity = Vector3::Zero();
  std::vector<Body> bodies;
  std::vector<Marker> markers;
  std::vector<Joint> joints;
  std::vector<Connection> connections;
  std::vector<PointLoad> loads;
  std::vector<Sensor> sensors;
  std::vector<SensorChannel> channels;  // of all sensors (sensors.hpp)
  std::vector<StateForce> state_forces;
  std::vector<Tyre> tyres;
  std::vector<Controller> controllers;

  int add_marker(int body, const Vector3& x, const Matrix3& R0 = Matrix3::Identity(), std::string name = "");
  // The first load or drive that is not a finite number at time t, in words; empty when all are.
  std::string bad_signal(double t) const;
};

}  // namespace kdyn::mbs
