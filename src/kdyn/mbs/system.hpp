// SPDX-License-Identifier: Apache-2.0
// A model made ready for computing: coordinates, tangent basis, residual, constraints and the condensed Newton matrix.
//
// Equations of motion in natural coordinates, joints as constant-structure quadratics:
//   [mbs E3]  r = M v' - f(q, v, w, t) + Phi_q^T lambda = 0,   Phi(q, t) = 0,   w' = h(q, v, w)
// Condensed form: increments of a body in its own axes, xi = (s, th, d), with dq = N xi,
//   [mbs E4]  d sigma = A s,  dA = A skew(th),  d(delta_k A) = d_k A + delta_k A skew(th),  d delta = d
// so that orthonormality of A and gamma_k = delta_k A hold by construction; N^T r has six rows per body and one per
// mode.
//   [mbs E7]  derivative of N^T r along xi at equilibrium: N^T r_q N - blocks of (tr(S) I - S), S = sym(A^T r_A + sum delta_k A^T r_gk),
//             and 2 vect(A^T r_gk) between th and d_k
// Residual rows are in body axes.
#pragma once

#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/mbs/block_lu.hpp"
#include "kdyn/mbs/control_point.hpp"
#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

using Rows6 = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using TyreMotion = Eigen::Matrix<double, tyre_inputs, 1>;

// A tyre at one point, with its slopes  [mbs E77].
struct TyreEvaluation {
  Vector6 wrench = Vector6::Zero();  // on the wheel, global axes
  Eigen::Vector2d rate = Eigen::Vector2d::Zero();
  Eigen::Matrix<double, 6, tyre_inputs> F_y, S;  // S: with the states condensed
  Eigen::Matrix<double, 6, tyre_states> F_w;
  Eigen::Matrix<double, tyre_states, tyre_inputs> h_y;
  Eigen::Matrix2d h_w, D;
};

// One law of one connection.
struct Axis {
  int connection = 0, component = 0;
  AxisLaw* law = nullptr;
  int w_at = 0, states = 0;
};

// A bushing whose static forces are coupled  [mbs E33].
struct CoupledBushing {
  int connection = 0;
  Coupling coupling = Coupling::none;
  std::array<int, 3> axes = {-1, -1, -1};  // of the system, for x, y, z; -1: not coupled, or no law
  bool potential = false;                  // there is one, and the laws know their energy  [element E13]
};

// What the laws carry from one accepted step to the next.
struct LawState {
  std::vector<Motion<double>> motion;
  VectorX w, wd, b;  // states, their rates, and the scheme's own rates; those of controllers come last
  VectorX held;      // of sampled controllers: states of the next sample, then outputs
  std::vector<AxisLaw::Memory> memory;
};

// Everything that is computed at one point; reused, so that a step allocates nothing.
struct Evaluation {
  std::vector<Frame> frame, rate;       // of the markers
  std::vector<BushingMeasure> measure;  // of the connections
  std::vector<double> load, load_x,
      load_v;  // of the axes: load, coupling included, and slopes of its law with the states condensed
  std::vector<Matrix3>
      coupling_x;  // of the coupled bushings: what coupling adds to the slopes of the first three loads
  VectorX w, wd;   // states at the point
  std::vector<AxisLaw::Tangent> laws;  // of the axes, by law_slopes
  std::vector<Rows6> X, X_rate;        // x_q N and (rate)_q N of the connections, by tangent
  VectorX r;                           // residual in natural coordinates
  VectorX phi;
  // Of the forces by formula (empty without any): values, slopes by their inputs, what they add to the loads of the
  // connections, and to force and torque of the point loads  [mbs E43].
  std::vector<double> formula;
  std::vector<std::vector<double>> formula_slopes;
  std::vector<Vector6> formula_load, formula_point;
  std::vector<TyreEvaluation> tyres;
  double time = 0.0;     // that the tyres were evaluated at
  ControlPoint control;  // of the controllers  [mbs E90]
  // Connections and markers that somebody else looks after (internal/bushing_batch.hpp): place, apply_laws and residual
  // pass over them. Null: none.
  const std::vector<char>*left_out = nullptr, *markers_left_out = nullptr;

  bool leaves(std::size_t connection) const { return left_out != nullptr && (*left_out)[connection] != 0; }
  bool leaves_marker(std::size_t marker) const {
    return markers_left_out != nullptr && (*markers_left_out)[marker] != 0;
  }
};

// Derivative of a force by formula: dF = by_q . xi + by_v . dv, and of N^T r by it.
struct FormulaRow {
  VectorX by_q, by_v, on_r;  // tangents, natural coordinates, tangents
};

// Where inputs, outputs and states of a controller stand among those of all.
struct ControlPlace {
  int u = 0, y = 0;
  int x = 0;           // among the states, or in LawState::held of a sampled one
  int held = 0;        // its outputs there
  MatrixX rest, left;  // states at rest by inputs, and what of B u no rest can hold  [mbs E93]
};

// All controllers made linear with their states given: rates and outputs by tangents, their rates and the states.
struct ControlSlopes {
  MatrixX rate_q, rate_v, rate_w, y_q, y_v, y_w;
};

// How states of laws are advanced: w' = c w + offset, offset from the beginning of the step. c = 0: they are given.
struct StateScheme {
  double h = 0.0, c = 0.0;
  VectorX offset;
  double t = 0.0;  // at its end
};

class System {
 public:
  // Redundant joint rows are found at the initial position and dropped with a finding; impossible models throw.
  explicit System(Model model);

  const Model& model() const { return model_; }
  // Replaces the mass matrix of a body by another of the same size.
  void set_mass(int body, const MatrixX& G);
  // Damping of its modes as a multiple of what the model gave.
  void set_modal_damping(int body, double factor);
  // Moves and turns both markers of a bushing from how the model gave them  [mbs E24].
  void place_connection(int connection, const Vector3& shift, const Vector3& turn,
                        const std::array<Vector3, 2>& marker_shift);
  // How the motion of a driven joint, or force (0..2) and torque (3..5) of a load, is used  [mbs E40].
  void set_tuning(int joint, const SignalTuning& tuning);
  void set_tuning(int load, int component, const SignalTuning& tuning);
  // Turns a sensor against how it was meant to sit (Sensor::turn)  [mbs E41].
  void turn_sensor(int sensor, const Vector3& turn);
  int sensor_marker(int sensor) const;  // -1: it has none of its own
  const std::vector<Axis>& axes() const { return axes_; }
  const std::vector<CoupledBushing>& coupled() const { return coupled_; }
  const std::vector<Finding>& findings() const { return findings_; }
  int coordinates() const { return n_q_; }
  int tangents() const { return n_t_; }
  int multipliers() const { return n_l_; }
  const std::string& joint_of_row(int row) const {
    return model_.joints[static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)].joint)].name;
  }
  int states() const { return n_w_; }
  int q_at(int body) const { return q_at_[static_cast<std::size_t>(body)]; }
  int t_at(int body) const { return t_at_[static_cast<std::size_t>(body)]; }
  int modes(int body) const { return model_.bodies[static_cast<std::size_t>(body)].modes(); }

  // Initial values of the model as it was given.
  VectorX initial_position() const;
  VectorX initial_velocity(const VectorX& q) const;

  void place(const VectorX& q, const VectorX& v, Evaluation& e) const;
  // What one connection measures, for whoever looks at few of them.
  BushingMeasure measure(int connection, const VectorX& q, const VectorX& v) const;
  // Loads and states of the laws; `from` is the beginning of the step.
  void apply_laws(const LawState& from, const StateScheme& scheme, Evaluation& e) const;
  void apply_static_laws(Evaluation& e) const;
  // The same with slopes, into load_x, load_v (and laws).
  void law_slopes(const LawState& from, const StateScheme& scheme, Evaluation& e) const;
  // Turns of the angles about z: the one nearest to what the laws had at the beginning of the step  [mbs E110]. Part of
  // apply_laws and law_slopes.
  void count_turns(const LawState& from, Evaluation& e) const;
  bool counts_turns() const { return !counted_.empty(); }
  // Coupling: what it adds to the loads, and its slopes (coupling_x). Part of the three above; for loads that come from
  // elsewhere.
  void add_coupling(Evaluation& e) const;
  void coupling_slopes(Evaluation& e) const;
  // Its derivative by a parameter of the law of one coupled axis, on that axis; x: measures of the bushing.
  double coupling_by_parameter(const CoupledBushing& bushing, std::size_t component, const Vector6& x,
                               int law_parameter) const;
  // r of [mbs E3]; frames, loads and states must be in place.
  void residual(const VectorX& q, const VectorX& v, const VectorX& vd, const VectorX& lambda, double t,
                Evaluation& e) const;
  // Forces by formula [mbs E43]; part of the residual.
  void apply_formulas(double t, Evaluation& e) const;
  FormulaRow formula_row(std::size_t formula, const VectorX& q, const Evaluation& e) const;
  // Tyres [mbs E77]; parts of apply_laws, law_slopes and apply_static_laws.
  TyreForce<double> tyre_force(std::size_t tyre, double t, const Evaluation& e) const;
  // Change of a tyre's motion along changes of coordinates and velocities (size 0: none), and its transpose.
  TyreMotion tyre_change(std::size_t tyre, const VectorX& dq, const VectorX& dv, const Evaluation& e) const;
  void pull_back_tyre(std::size_t tyre, const TyreMotion& by, const Evaluation& e, VectorX& on_q, VectorX& on_v) const;
  // full += wrench on the tyre's marker, and its transpose: what a change of coordinates is to it.
  void add_tyre_wrench(std::size_t tyre, const Vector6& wrench, const Evaluation& e, VectorX& full) const;
  Vector6 tyre_wrench_along(std::size_t tyre, const VectorX& dq, const Evaluation& e) const;
  // A weak stiffness of what a standing tyre does not press against: along the road, and the spin of the wheel.
  void hold_on_tyres(const VectorX& q, const Evaluation& e, BlockLu& lu) const;
  int tyre_w_at(std::size_t tyre) const { return tyre_w_at_[tyre]; }
  bool has_formulas() const { return !model_.state_forces.empty() || !model_.controllers.empty(); }

  // Controllers (system_controllers.cpp). Their states are the last of all; part of apply_laws and apply_formulas.
  bool has_controllers() const { return !model_.controllers.empty(); }
  int control_states() const { return n_c_; }  // of those that act at every instant
  int control_state_at(std::size_t controller) const { return control_w_ + control_at_[controller].x; }
  const std::vector<ControlPlace>& control_at() const { return control_at_; }
  int held_numbers() const { return n_held_; }
  void begin_controllers(const LawState& from, const StateScheme& scheme, Evaluation& e) const;
  // States are those of the start: at rest when the model `rests`, or as each controller says.
  void start_controllers(bool rests, Evaluation& e) const;
  // The first controller that cannot be at rest under its input, and that input; empty: all can.
  std::string unsteady_controller(const ControlPoint& p, double* input) const;
  // What a run begins with.
  void begin_held(const ControlPoint& p, LawState& laws) const;
  // A sampled controller takes its inputs and holds its outputs from here on.
  void sample(std::size_t controller, const ControlPoint& p, const VectorX& states, VectorX& held) const;
  ControlSlopes control_slopes(const VectorX& q, const Evaluation& e) const;
  void demand_controllers_at_rest(const Evaluation& e) const;
  // Preload of a connection and what formulas add to it.
  Vector6 given_load(std::size_t connection, const Evaluation& e) const {
    const Vector6& preload = model_.connections[connection].preload;
    return e.formula_load.empty() ? preload : Vector6(preload + e.formula_load[connection]);
  }
  void constraints(double t, Evaluation& e) const;
  // Largest value of a joint equation that was left out as dependent on others; away from 0 it contradicts them.
  double dropped_gap(double t, const Evaluation& e, std::string* joint = nullptr) const;
  // Phi_t, and Phi_tt + 2 Phi_qt v + v^T Phi_qq v.
  void constraint_rates(double t, const Evaluation& e, VectorX& by_time, VectorX& curvature) const;

  void project(const VectorX& q, const VectorX& full, VectorX& reduced) const;                   // N^T
  void expand(const VectorX& q, const Eigen::Ref<const VectorX>& reduced, VectorX& full) const;  // N
  // Derivative of N along `along`, applied to `reduced`.
  void expand_variation(const VectorX& q, const VectorX& along, const VectorX& reduced, VectorX& full) const;
  void retract(VectorX& q, const Eigen::Ref<const VectorX>& xi) const;
  // Back to orthonormal A and gamma = delta A after an extrapolation.
  void clean(VectorX& q) const;
  void multiply_mass(const VectorX& x, VectorX& y) const;  // y = M x in natural coordinates
  void add_gravity(VectorX& r, double factor) const;       // r += factor * weight

  // [mbs E7] N^T (c_m M + c_v (-f_v) + (-f_q) + sum lambda H) N with the joints' rows and columns; slopes must be in
  // `e`, which keeps the rows of the connections.
  void tangent(const VectorX& q, const VectorX& v, double c_m, double c_v, const VectorX& lambda, double t,
               Evaluation& e, BlockLu& lu) const;
  void prepare(BlockLu& lu) const;
  // N^T M N with the joints' rows and columns.
  void mass_and_joints(const VectorX& q, double t, const Evaluation& e, BlockLu& lu) const;
  // Phi_q x for a full-space x.
  void joint_rates(const VectorX& q, const VectorX& x, double t, const Evaluation& e, VectorX& rate) const;
  // (A^T sigma', vect(A^T A'), delta') of a velocity on the manifold.
  void body_velocity(const VectorX& q, const VectorX& v, VectorX& xi) const;
  // Adds the terms of [mbs E7] that a full-space vector r brings in.
  void add_geometric(const VectorX& q, const VectorX& r, BlockLu& lu) const;
  void add_joint_variation(const VectorX& lambda, double t, const VectorX& q, const Evaluation& e, BlockLu& lu) const;

  // Pulls loads on the measures of a connection back to natural coordinates: full += x_q^T load.
  void pull_back_load(int connection, const Vector6& load, const Evaluation& e, VectorX& full) const;
  void add_frame_force(int marker, const FrameForce& f, VectorX& full) const;
  // x_q N and (rate)_q N of a connection: columns of body 1, then of body 2.
  void connection_rows(int connection, const VectorX& q, const Evaluation& e, Rows6& X, Rows6& X_rate) const;
  void connection_rows(int connection, const Evaluation& e, const FrameVariation& Z1, const FrameVariation& Z2,
                       Rows6& X, Rows6& X_rate, TurnRows& turn) const;
  int connection_body(int connection, int side) const;
  int columns(int body) const { return body < 0 ? 0 : 6 + modes(body); }
  void frame_variation(int marker, const VectorX& q, FrameVariation& Z) const;
  Frame frame_of(int marker, const VectorX& q, bool rate) const;
  // One component of the marker's rate for the velocities (or accelerations) v: frame_of(marker, v, true).u[component].
  double point_rate(int marker, int component, const VectorX& v) const;

  // Force and moment (about the marker) that a joint exerts on its second marker's body, global axes.
  void joint_reaction(int joint, const VectorX& lambda, double t, const Evaluation& e, Vector3& force,
                      Vector3& moment) const;
  // One component of it, in global axes or in those of the joint's first marker, and its derivative  [mbs E37].
  double reaction(const Output& output, const VectorX& lambda, double t, const Evaluation& e, OutputSlope& slope) const;

  // [mbs E40] What another value of a drive changes: its joint equation (joints), and equilibrium (full).
  void add_drive_change(int joint, double value, double t, const VectorX& lambda, const Evaluation& e, VectorX& full,
                        VectorX& joints) const;
  // Change of the first and the second time derivative of its joint equation, at accelerations vd.
  void drive_rate_change(int joint, const TimeSignal::Change& change, const VectorX& vd, double t, const Evaluation& e,
                         VectorX& velocity, VectorX& acceleration) const;
  // Of a component of its reaction moment, the multipliers held.
  double moment_by_drive(const Output& output, const VectorX& lambda, double t, const Evaluation& e) const;
  // Adds force and torque of a load, as they stand in r of [mbs E3].
  void add_load(const PointLoad& load, Vector3 force, Vector3 torque, const Evaluation& e, VectorX& r) const;

  struct Energy {
    double kinetic = 0.0, gravity = 0.0, modes = 0.0, connections = 0.0;
  };
  // Connections: what their laws can give back; not a number when a law does not know it or a coupled bushing has no
  // potential.
  Energy energy(const VectorX& q, const VectorX& v, const LawState& laws, const Evaluation& e) const;
  std::vector<std::string> bushings_without_potential() const;  // coupled, with laws that know their energy
  std::vector<std::string> laws_without_energy() const;

 private:
  BushingMeasure measure_between(const Connection& connection, const Frame& one, const Frame& two,
                                 const Frame& one_rate, const Frame& two_rate) const;
  struct Row {
    int joint, index;          // index within the joint
    int condition, component;  // see system_joints.cpp
  };
  void check() const;
  int drive_row(int joint) const;  // -1: left out as dependent
  void find_coupled();
  void find_counted();
  bool has_potential(const CoupledBushing& bushing) const;
  bool knows_energy(int axis) const;
  double static_energy(int axis, double u) const;
  double coupling_energy(const Evaluation& e) const;
  void drop_redundant_rows();
  Multipliers weights(const Row& row, double t) const;
  Multipliers joint_multipliers(int joint, const VectorX& lambda, double t) const;
  double constant(const Row& row, double t) const;
  double row_value(const Row& row, double t, const Evaluation& e) const;
  void joint_jacobian(const VectorX& q, double t, const Evaluation& e, MatrixX& J) const;
  void add_joint_rows(const VectorX& q, double t, const Evaluation& e, BlockLu& lu) const;
  void add_pair(BlockLu& lu, int body1, int body2, const MatrixX& K) const;
  void add_load_variation(std::size_t load, double t, const VectorX& q, const Evaluation& e, BlockLu& lu) const;
  void load_values(std::size_t load, double t, const Evaluation& e, Vector3& force, Vector3& torque) const;
  void add_formulas(const VectorX& q, double c_v, const Evaluation& e, BlockLu& lu) const;
  TyreMotion tyre_motion(std::size_t tyre, const Evaluation& e) const;
  void look_at_tyre(std::size_t tyre, double t, const TyreMotion& y, const double* w, TyreEvaluation& out) const;
  void apply_tyres(const StateScheme& scheme, bool solve, Evaluation& e) const;
  void apply_static_tyres(Evaluation& e) const;
  void add_tyre_tangent(std::size_t tyre, const VectorX& q, double c_v, const Evaluation& e, BlockLu& lu) const;
  std::vector<std::pair<int, int>> formula_couplings() const;
  double formula_input(const StateVariable& y, const Evaluation& e) const;
  // factor times the slopes by the motion, outputs of controllers held: by position in natural coordinates and in
  // tangents, and by velocity.
  void add_formula_slopes(const StateFormula& formula, const std::vector<double>& slopes, double factor,
                          const VectorX& q, const Evaluation& e, VectorX& by_q, VectorX& by_tangent,
                          VectorX& by_v) const;
  void bodies_read(const StateFormula& formula, std::vector<int>& bodies) const;
  void find_controllers();
  void solve_controllers(double t, Evaluation& e) const;
  Multipliers connection_multipliers(const Connection& c, const BushingMeasure& m, const Evaluation& e,
                                     const Vector6& load) const;
  MatrixX reduced_mass(int body, const VectorX& q) const;

  Model model_;
  std::vector<Marker> given_markers_;
  std::vector<Vector3> given_turns_;  // of the sensors
  std::vector<Axis> axes_;
  std::vector<std::vector<int>> axes_of_;  // of each connection
  std::vector<CoupledBushing> coupled_;
  std::vector<int> counted_;         // axes whose deflection is an angle with counted turns
  std::vector<int> coupled_of_;      // of each connection: index in coupled_, -1: none
  std::vector<Row> rows_;            // kept rows of the joints, joint by joint
  std::vector<Row> dropped_;         // those that depend on them
  std::vector<int> row_at_;          // first kept row of each joint, and one more
  std::vector<int> block_of_joint_;  // block index, -1 when nothing is kept
  std::vector<int> q_at_, t_at_;
  std::vector<int> tyre_w_at_;  // first state of each tyre, behind those of the laws
  std::vector<Eigen::Matrix<double, 6, 6>> rigid_mass_;
  int n_q_ = 0, n_t_ = 0, n_l_ = 0, n_w_ = 0;
  std::vector<ControlPlace> control_at_;
  int n_u_ = 0, n_y_ = 0, n_c_ = 0, n_held_ = 0, control_w_ = 0;
  bool controllers_read_outputs_ = false;
  std::vector<Finding> findings_;
};

}  // namespace kdyn::mbs
