// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/checkpoints.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/mbs/internal/bushing_batch.hpp"
#include "kdyn/mbs/run_snapshot.hpp"

namespace kdyn {

const FieldTable& mbs::fields_of(const RunOptions*) {
  using mbs::RunOptions;
  static const FieldTable table = FieldTable::of<RunOptions>("multibody run", [](FieldTable& t) {
    t.add(&RunOptions::step_s, "step_s", "s", "Time step").above(0.0);
    t.add(&RunOptions::duration_s, "duration_s", "s", "End of the run").at_least(0.0);
    t.add(&RunOptions::rho_infinity, "rho_infinity", "-",
          "Damping of the scheme at high frequency: 1 none (unstable on flexible bodies), 0 strongest")
        .range(0.0, 1.0);
    t.add(&RunOptions::tolerance, "tolerance", "-", "Newton: error of the acceleration over its largest value")
        .range(1e-15, 1e-3);
    t.add(&RunOptions::static_start, "static_start", "-",
          "Begin at static equilibrium under gravity and the loads at t = 0");
    t.add(&RunOptions::full_newton, "full_newton", "-",
          "Factorise in every iteration instead of when contraction is poor");
    t.add(&RunOptions::step_control, "step_control", "-",
          "Choose the step by its error; step_s stays the grid of the outputs");
    t.add(&RunOptions::step_tolerance, "step_tolerance", "m",
          "Step control: error of one step in any coordinate (m, or entries of rotations)")
        .range(1e-14, 1.0);
    t.add(&RunOptions::largest_step_s, "largest_step_s", "s", "Step control: largest step, at most step_s; 0 is step_s")
        .at_least(0.0);
    t.add(&RunOptions::smallest_step_s, "smallest_step_s", "s",
          "Step control: smallest step, taken whatever its error; 0 is step_s/65536")
        .at_least(0.0);
    t.add(&RunOptions::max_iterations, "max_iterations", "-", "Most Newton iterations in a step").range(2, 1000);
    t.add(&RunOptions::closing_limit, "closing_limit", "m",
          "Joints that are open at the start by more than this (m, or sine of an angle) are refused; smaller gaps are "
          "closed and told")
        .at_least(0.0);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::mbs {

Alpha::Alpha(double rho, double step)
    : am((2.0 * rho - 1.0) / (rho + 1.0)),
      af(rho / (rho + 1.0)),
      g(0.5 + af - am),
      b(0.25 * (g + 0.5) * (g + 0.5)),
      am1(1.0 - (3.0 - rho) / (2.0 * (1.0 + rho))),
      af1(rho / (1.0 + rho)),
      g1(0.5 + af1 - am1),
      h(step),
      c_m((1.0 - am) / ((1.0 - af) * b * step * step)),
      c_v(g / (b * step)),
      c_w((1.0 - am1) / ((1.0 - af1) * g1 * step)) {}

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::done: return "done";
    case RunStatus::stopped: return "stopped";
    case RunStatus::no_static_equilibrium: return "no_static_equilibrium";
    case RunStatus::inconsistent_start: return "inconsistent_start";
    case RunStatus::diverged: return "diverged";
  }
  return "";
}

Run::Run(const System& system, const RunOptions& options)
    : system_(system),
      options_(options),
      alpha_(options.rho_infinity, options.step_s) {
  check(options_, "run");
  switches_ = switch_points(system_.model());
  if (options_.step_control) breaks_ = std::make_shared<const BreakPoints>(system_.model());
  system_.prepare(lu_);
  e_.w.setZero(system_.states());
  e_.wd.setZero(system_.states());
  remembers_ = !system_.model().tyres.empty() || system_.has_controllers() || system_.counts_turns();
  for (const Axis& axis : system_.axes()) remembers_ = remembers_ || axis.states > 0 || axis.law->has_memory();
  if (system_.has_controllers()) look_at_controllers();
}

// [mbs E12] solved for w': w'+ = c_w w+ + offset
void Run::state_scheme() {
  const Alpha& s = alpha_;
  const LawState& from = now_.laws;
  scheme_.h = s.h;
  scheme_.c = s.c_w;
  scheme_.t = now_.t + s.h;
  scheme_.offset = (1.0 - s.am1) / (1.0 - s.af1) * (-(from.w + s.h * (1.0 - s.g1) * from.b) / (s.g1 * s.h)) +
                   (s.am1 * from.b - s.af1 * from.wd) / (1.0 - s.af1);
}

// Velocity and acceleration at a position.
void Run::kinematics(const VectorX& q) {
  const Alpha& s = alpha_;
  const Eigen::Index n = q.size();
  a_.resize(n), v_.resize(n), vd_.resize(n);
  const double by_q = 1.0 / (s.b * s.h * s.h), by_a = s.h * s.g, own = (1.0 - s.am) / (1.0 - s.af),
               rest = 1.0 / (1.0 - s.af);
  // One sweep over memory instead of three.
  for (Eigen::Index i = 0; i < n; ++i) {
    const double a = (q[i] - q_const_[i]) * by_q;
    a_[i] = a;
    v_[i] = v_const_[i] + by_a * a;
    vd_[i] = own * a + rest * vd_const_[i];
  }
}

// The same with loads.
void Run::place_and_load(const VectorX& q) {
  const Alpha& s = alpha_;
  kinematics(q);
  system_.place(q, v_, e_);
  system_.apply_laws(now_.laws, scheme_, e_);
  if (system_.has_formulas()) system_.apply_formulas(now_.t + s.h, e_);
  system_.constraints(now_.t + s.h, e_);
}

// Frames, loads and motion of the laws at the accepted point, where no law remembers anything.
void Run::complete() {
  system_.place(now_.q, now_.v, e_);
  system_.apply_laws(now_.laws, scheme_, e_);
  if (system_.has_formulas()) system_.apply_formulas(now_.t, e_);
  system_.constraints(now_.t, e_);
  const auto& axes = system_.axes();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const BushingMeasure& measure = e_.measure[static_cast<std::size_t>(axes[k].connection)];
    now_.laws.motion[k] = {measure.x[axes[k].component], measure.rate[axes[k].component]};
  }
  complete_ = true;
}

// The same with the residual. Equal bushings are evaluated together and go straight into its reduced form [mbs E61].
void Run::evaluate(const VectorX& q) {
  if (batch_) e_.left_out = &batch_->taken(), e_.markers_left_out = &batch_->own_markers();
  place_and_load(q);
  system_.residual(q, v_, vd_, lambda_, now_.t + alpha_.h, e_);
  system_.project(q, e_.r, reduced_);
  if (!batch_) return;
  batch_->add(q, v_, reduced_);
  e_.left_out = e_.markers_left_out = nullptr;
}

// Parameters and places are those of the run's beginning.
void Run::look_at_bushings() {
  batch_.reset();
  if (options_.full_newton) return;  // every iteration needs all of them one by one for its slopes
  auto batch = std::make_shared<const BushingBatch>(system_);
  if (!batch->empty()) batch_ = std::move(batch);
}

void Run::set_step(double h) {
  if (h == alpha_.h) return;
  alpha_ = Alpha(options_.rho_infinity, h);
  factored_ = false;
  past_ = 0;
}

bool Run::solve(std::string& reason) {
  complete_ = remembers_;
  const Alpha& s = alpha_;
  const int n = system_.tangents(), m = system_.multipliers();
  q_const_ = now_.q + s.h * now_.v + s.h * s.h * (0.5 - s.b) * now_.a;
  v_const_ = now_.v + s.h * (1.0 - s.g) * now_.a;
  vd_const_ = s.am * now_.a - s.af * now_.vd;
  state_scheme();
  // Predictor: quadratic in the accelerations of the last three instants.
  if (past_ >= 2)
    a_ = 3.0 * (now_.a - a1_) + a2_;
  else
    a_ = now_.a;
  q_ = q_const_ + s.b * s.h * s.h * a_;
  system_.clean(q_);
  lambda_ = now_.lambda;
  e_.w = now_.laws.w + s.h * now_.laws.b;
  // Where a change of the position is nothing but rounding.
  const double floor = 8e-16 * (1.0 + now_.q.cwiseAbs().maxCoeff());
  // Reactions that belong to such a change.
  double heaviest = 0.0;
  if (m > 0)
    for (const Body& body : system_.model().bodies) heaviest = std::max(heaviest, body.G(0, 0));
  const double reaction_floor = 4.0 * s.c_m * floor * heaviest;
  double last = 0.0, last_reaction = 0.0;
  bool converged = false;
  for (int i = 0; i < options_.max_iterations; ++i) {
    ++counts.iterations;
    evaluate(q_);
    if (!reduced_.allFinite()) break;
    if (options_.full_newton || !factored_) {
      if (batch_) {  // slopes are those of every bushing by itself
        place_and_load(q_);
        system_.residual(q_, v_, vd_, lambda_, now_.t + s.h, e_);
      }
      system_.law_slopes(now_.laws, scheme_, e_);
      system_.tangent(q_, v_, s.c_m, s.c_v, lambda_, now_.t + s.h, e_, lu_);
      if (!lu_.factorise()) break;
      ++counts.factorisations;
      factored_ = true;
      contraction_ = 0.0;
      since_measured_ = 0;
    }
    rhs_.resize(n + m);
    rhs_.head(n) = -reduced_;
    rhs_.tail(m) = -e_.phi;
    lu_.solve(rhs_);
    const auto xi = rhs_.head(n);
    const double change = xi.cwiseAbs().maxCoeff();
    if (!std::isfinite(change)) break;
    system_.retract(q_, xi);
    lambda_ += rhs_.tail(m);
    if (i > 0 && last > 0.0) {
      const double kappa = change / last;
      if (change > floor) {
        contraction_ = std::max(kappa, i == 1 ? 0.0 : contraction_);
        since_measured_ = 0;
      }
      // A factor that no longer contracts is renewed at the next iterate.
      if (kappa > 0.15 && change > 10.0 * floor) factored_ = false;
    }
    // A kept factor loses contraction while the system moves on: between measurements twice the last value is assumed,
    // and never below 2 %.
    const double assumed = options_.full_newton ? contraction_ : std::max(2.0 * contraction_, 0.02);
    const double left = assumed < 0.5 ? assumed / (1.0 - assumed) : 1.0, rest = left * change;
    const double allowed = std::max(options_.tolerance * acceleration_scale_ / s.c_m, floor);
    // The contraction of a factor is known from earlier steps; it is measured again now and then by one more iteration.
    const bool known = i > 0 || (contraction_ > 0.0 && since_measured_ < 10);
    // Reactions start from the last step's: the position can be right, by its predictor, while they still lag behind.
    // After eight rounds it is rounding that keeps them from settling.
    const double reaction = m == 0 ? 0.0 : rhs_.tail(m).cwiseAbs().maxCoeff();
    const bool reactions =
        m == 0 ||
        left * reaction <= std::max(std::max(options_.tolerance, 1e-9) * lambda_.cwiseAbs().maxCoeff(), reaction_floor);
    if (i > 0 && !reactions && reaction > 0.15 * last_reaction) factored_ = false;
    last_reaction = reaction;
    if ((reactions || i >= 8) && ((known && rest <= allowed) || change <= floor)) {
      converged = true;
      break;
    }
    last = change;
  }
  if (!converged) {
    reason = fmt::format("Newton did not converge in the step from {:.9g} s (step {:.3g} s)", now_.t, s.h);
    for (std::size_t i = 0; i < e_.formula.size(); ++i)
      if (!std::isfinite(e_.formula[i]))
        reason += fmt::format("; {} is not a finite number there", system_.model().state_forces[i].name);
    if (!e_.control.solved)
      reason += "; the controllers read each other's outputs in a loop that has no solution there";
    factored_ = false;
    return false;
  }
  if (remembers_)
    place_and_load(q_);
  else
    kinematics(q_);
  return true;
}

void Run::set_law_input(int axis, int index, double value) {
  const auto a = static_cast<std::size_t>(axis);
  const auto [held, first] = law_inputs_.try_emplace({axis, index}, value);
  if (!first && held->second != value) input_jump_ = now_.t;
  held->second = value;
  now_.laws.memory[a] = system_.axes()[a].law->with_input(now_.laws.memory[a], index, value);
}

void Run::accept(double t, bool on_grid) {
  const Alpha& s = alpha_;
  ++since_measured_;
  ++counts.steps;
  a2_.swap(a1_);
  a1_.swap(now_.a);
  past_ = std::min(past_ + 1, 2);
  // Memory is committed with the states of both ends; only now do the laws move on.
  const auto& axes = system_.axes();
  for (std::size_t k = 0; remembers_ && k < axes.size(); ++k) {
    const BushingMeasure& measure = e_.measure[static_cast<std::size_t>(axes[k].connection)];
    const Motion<double> to{measure.x[axes[k].component], measure.rate[axes[k].component]};
    if (axes[k].law->has_memory())
      now_.laws.memory[k] = axes[k].law->commit({&now_.laws.memory[k], now_.laws.motion[k], to,
                                                 now_.laws.w.data() + axes[k].w_at, e_.w.data() + axes[k].w_at, s.h});
    now_.laws.motion[k] = to;
  }
  if (system_.states() > 0) {
    const VectorX b = (e_.w - now_.laws.w - s.h * (1.0 - s.g1) * now_.laws.b) / (s.g1 * s.h);
    now_.laws.b = b;
    now_.laws.w = e_.w;
    now_.laws.wd = e_.wd;
  }
  // The next step makes its own anew.
  now_.q.swap(q_);
  now_.v.swap(v_);
  now_.vd.swap(vd_);
  now_.a.swap(a_);
  now_.lambda = lambda_;
  now_.t = t;
  now_.on_grid = on_grid;
  now_.h = s.h;
  if (samples_) sample_controllers();
  acceleration_scale_ = std::max(acceleration_scale_, now_.vd.cwiseAbs().maxCoeff());
}

namespace {

RunResult simulate_with(Run& run, const RunOptions& options, const std::function<void(const Run&)>& accepted,
                        Progress& progress, const RunSnapshot* from = nullptr, const std::string& where = {}) {
  RunResult result;
  if (from != nullptr)
    run.restore(*from, where);
  else
    result = run.start();
  if (result.status != RunStatus::done) return result;
  accepted(run);
  const long steps = std::lround(options.duration_s / options.step_s);
  const double end = (static_cast<double>(steps) - 0.5) * options.step_s;
  for (long n = 1; steps > 0 && !(run.on_grid() && run.moved().t > end); ++n) {
    if (n % 256 == 0) {
      progress.report(run.moved().t / options.duration_s, "simulate");
      if (progress.stop_requested()) {
        result.status = RunStatus::stopped;
        result.reason = "stopped by the user";
        break;
      }
    }
    if (!run.step(result.reason)) {
      result.status = RunStatus::diverged;
      break;
    }
    accepted(run);
  }
  result.last_time = run.moved().t;
  result.counts = run.counts;
  return result;
}

}  // namespace

RunResult simulate_watched(const System& system, const RunOptions& options,
                           const std::function<void(const Run&)>& observe, Progress& progress) {
  Run run(system, options);
  return simulate_with(run, options, observe, progress);
}

RunResult simulate(const System& system, const RunOptions& options,
                   const std::function<void(const RunState&, const Evaluation&)>& observe, Progress& progress,
                   History* history) {
  return simulate_watched(
      system, options,
      [&](const Run& run) {
        if (observe) observe(run.state(), run.evaluation());
        if (history) history->states.push_back(run.state());
      },
      progress);
}

RunResult simulate_on(const System& system, const RunOptions& options, const RunSnapshot* from,
                      const std::string& where, const std::function<void(const Run&)>& observe, Progress& progress,
                      RunSnapshot& end) {
  Run run(system, options);
  const RunResult result = simulate_with(run, options, observe, progress, from, where);
  if (result.status != RunStatus::no_static_equilibrium && result.status != RunStatus::inconsistent_start)
    end = run.snapshot();
  return result;
}

RunResult simulate(const System& system, const RunOptions& options,
                   const std::function<void(const RunState&, const Evaluation&)>& observe, Progress& progress,
                   Checkpoints& checkpoints) {
  return simulate_watched(
      system, options,
      [&](const Run& run) {
        if (observe) observe(run.state(), run.evaluation());
        checkpoints.keep(run);
      },
      progress);
}

}  // namespace kdyn::mbs
