// SPDX-License-Identifier: Apache-2.0
// Time integration of a multibody system: start and steps of the index-3 generalised-alpha scheme in condensed form.
//
//   [mbs E11]  q+ = q + h v + h^2 ((1/2 - b) a + b a+),  v+ = v + h ((1-g) a + g a+),  (1-am) a+ + am a = (1-af) v'+ + af v'
//              am = (2 r - 1)/(r + 1), af = r/(r + 1), g = 1/2 + af - am, b = (g + 1/2)^2/4, r = rho_infinity
//   [mbs E12]  states: w+ = w + h ((1-g1) b_ + g1 b_+),  (1-am1) b_+ + am1 b_ = (1-af1) w'+ + af1 w',
//              am1 = 1 - (3 - r)/(2 (1 + r)), af1 = r/(1 + r), g1 = 1/2 + af1 - am1
// Equilibrium [mbs E3] and the joints hold at t+. q+ is the unknown; with dq = N xi the Newton matrix is [mbs E7] with
//   c_m = (1-am)/((1-af) b h^2),  c_v = g/(b h),  c_w = (1-am1)/((1-af1) g1 h)
//   [mbs E25]  step control: error of a step |b - 1/6| h^2 max|a+ - a|; stretches between neighbours of the output grid and of break points
//              [mbs E26] are divided by 2^k, and steps doubled on even places of their stretch only. Every multiple of step_s is the end of a
//              step: outputs there are states of the scheme, nothing is interpolated.
// Newton is modified: a factorisation is kept until the measured contraction is poor. Law memory is committed on
// accepted steps only. rho_infinity up to 0.9: with 1 the index-3 scheme is only weakly stable on flexible bodies.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/mbs/break_points.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

struct RunOptions {
  double step_s = 1e-3;
  double duration_s = 1.0;
  double rho_infinity = 0.8;
  double tolerance = 1e-10;      // of the acceleration, over its largest value
  bool static_start = false;     // begin at static equilibrium
  bool full_newton = false;      // factorise in every iteration
  bool step_control = false;     // halve and double the step inside step_s, which stays the grid of the outputs
  double step_tolerance = 1e-6;  // step control: error of one step in any coordinate (m, or entries of rotations)
  double largest_step_s = 0.0;   // step control; 0: step_s
  double smallest_step_s = 0.0;  // step control; 0: step_s/65536. A step this short is taken whatever its error
  int max_iterations = 30;
  double closing_limit =
      0.01;  // of joints that are open at the start, m or sine of an angle: a wider gap is refused (closing.hpp)
};
// Rules between fields: the largest step is at most step_s, the smallest at most the largest.
void check(const RunOptions& options, const std::string& where);

struct Alpha {
  double am, af, g, b, am1, af1, g1;
  double h, c_m, c_v, c_w;
  Alpha(double rho_infinity, double step);
};

// State of a run at one instant.
struct RunState {
  double t = 0.0;
  double h = 0.0;       // step that led here
  bool on_grid = true;  // a multiple of step_s
  VectorX q, v, vd, a, lambda;
  LawState laws;
};

struct RunCounts {
  long steps = 0, iterations = 0, factorisations = 0, rejected = 0;
  long forced = 0;  // taken at the smallest step although they err more than asked
};

enum class RunStatus { done, stopped, no_static_equilibrium, inconsistent_start, diverged };
const char* to_string(RunStatus status);

struct RunResult {
  RunStatus status = RunStatus::done;
  std::string reason;      // for a person, when the run is not done
  double last_time = 0.0;  // last accepted
  RunCounts counts;
};

// Everything the adjoint needs to pass through a run again: one entry per step, the start first.
struct History {
  std::vector<RunState> states;
};

struct RunSnapshot;
class BushingBatch;

// Steps as another run took them: their choice is then no function of the parameters any more  [mbs E42].
struct StepPlan {
  struct Step {
    double t, h;  // its end and its length
    bool on_grid;
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;
  bool operator==(const StepPlan&) const = default;
};
StepPlan plan_of(const History& history);

class Run {
 public:
  Run(const System& system, const RunOptions& options);

  // Consistent position, velocity, acceleration and multipliers  [mbs E13]; with static_start at equilibrium first
  // [mbs E14].
  RunResult start();
  // All that the next steps depend on (run_snapshot.hpp): a run that is restored goes on with the same bits. Throws
  // Error(bad_input) at `where` when the snapshot is of another system.
  RunSnapshot snapshot() const;
  void restore(const RunSnapshot& snapshot, const std::string& where);
  // The position alone, joints closed; false when they cannot be.
  bool assemble(VectorX& q);
  // One step: up to the next point of the grid, a switch of a law before it, or of the length the control chooses;
  // false when Newton does not converge (the state stays at the last accepted instant).
  bool step(std::string& reason);
  // A step of a given length, such as one that a control chose in another run; divided where a law switches itself.
  bool step_by(double h, std::string& reason);
  // A step of a plan, taken as it is.
  bool step_as(const StepPlan::Step& step, std::string& reason);
  // Input of a law (a switch) from here on, until it is set again.
  void set_law_input(int axis, int index, double value);
  // Whether the state stands on the grid of step_s.
  bool on_grid() const { return now_.on_grid; }

  const RunState& state() const { return completed().now_; }
  const Evaluation& evaluation() const { return completed().e_; }  // of the accepted state
  // The state without the motion of the laws: for whoever looks at a few numbers of every step. Laws that remember
  // nothing are evaluated at an accepted point only when somebody asks for them.
  const RunState& moved() const { return now_; }
  bool is_complete() const { return complete_; }
  const System& system() const { return system_; }
  const Alpha& alpha() const { return alpha_; }
  // Largest jump of the outputs of a unit at a communication point, over their largest value: what its step leaves out.
  double unit_jump(std::size_t controller) const;
  RunCounts counts;

 private:
  bool assemble_position(std::string& reason);
  void project_velocity();
  bool static_equilibrium(std::string& reason);
  bool newton_equilibrium(std::string& reason);
  bool relax();
  bool initial_acceleration(std::string& reason);
  bool begin_controllers(std::string& reason);
  void accelerate(BlockLu& lu);
  void look_at_controllers();
  double restart_units();
  void begin_units();
  bool settle_units(std::string& reason);
  void sample_controllers();
  void step_unit(std::size_t controller);
  void set_step(double h);
  bool solve(std::string& reason);
  double switch_before(double end) const;
  double error_estimate() const;
  void accept(double t, bool on_grid);
  void next_stretch();
  void look_ahead();
  void evaluate(const VectorX& q);
  void place_and_load(const VectorX& q);
  void kinematics(const VectorX& q);
  void look_at_bushings();
  void complete();
  // What has been put off belongs to the accepted state: asking for it changes nothing of the run.
  const Run& completed() const {
    if (!complete_) const_cast<Run*>(this)->complete();
    return *this;
  }
  void state_scheme();

  const System& system_;
  RunOptions options_;
  Alpha alpha_;
  RunState now_;
  Evaluation e_;
  std::shared_ptr<const BushingBatch> batch_;     // bushings that are evaluated together; null: none
  bool remembers_ = false;                        // some law does: each accepted point is evaluated
  bool samples_ = false, has_units_ = false;      // some controller does, some is an FMU
  std::vector<long> begun_;                       // of the units, by controller
  std::vector<double> unit_jump_, unit_largest_;  // of outputs at their communication points
  bool complete_ = true;                          // e_ and the motion of the laws are those of now_
  BlockLu lu_, mass_lu_;                          // of the Newton matrix, and of the mass where controllers are sampled
  bool factored_ = false;
  double contraction_ = 1.0;  // measured, of the factor in use
  int since_measured_ = 0;
  double acceleration_scale_ = 0.0;
  StateScheme scheme_;
  VectorX q_, v_, vd_, a_, lambda_, q_const_, v_const_, vd_const_, reduced_, rhs_, xi_full_;
  VectorX a1_, a2_;  // accelerations of the two instants before
  int past_ = 0;
  long grid_ = 0;  // multiple of step_s that was passed last
  // Step control: the stretch from_ .. to_ is divided by 2^level_; ticks_ of 2^20 of it have passed.
  static constexpr long ticks_per_stretch = 1L << 20;
  std::shared_ptr<const BreakPoints> breaks_;
  std::vector<BreakPoint> switches_;                              // steps of one length are divided there
  std::map<std::pair<int, int>, double> law_inputs_;              // by axis and number, as they were set last
  double input_jump_ = -std::numeric_limits<double>::infinity();  // when one of them last changed
  std::vector<double> largest_load_;                              // of each formula
  std::vector<BreakPoint>
      stops_;  // ends of the stretches up to the next point of the grid; `jump`: one smallest step is taken before
  std::size_t stop_ = 0;
  double from_ = 0.0, to_ = 0.0, wanted_ = 0.0,
         followed_ = 0.0;  // step that the error allows, and the one that loads ask for here
  long ticks_ = 0;
  int level_ = 0;
};

// Runs to the end; `observe` is called at the start and after every accepted step. Keeps every state when `history` is
// given.
RunResult simulate(const System& system, const RunOptions& options,
                   const std::function<void(const RunState&, const Evaluation&)>& observe, Progress& progress,
                   History* history = nullptr);

// The same where `observe` takes the run itself: what it does not ask for is not computed.
RunResult simulate_watched(const System& system, const RunOptions& options,
                           const std::function<void(const Run&)>& observe, Progress& progress);

// The same with the steps of a plan.
RunResult simulate(const System& system, const RunOptions& options, const StepPlan& plan,
                   const std::function<void(const RunState&, const Evaluation&)>& observe, Progress& progress,
                   History* history = nullptr);

const FieldTable& fields_of(const RunOptions*);

}  // namespace kdyn::mbs
