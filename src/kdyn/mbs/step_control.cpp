// SPDX-License-Identifier: Apache-2.0
// Which steps a run takes: of one length, or chosen by their error  [mbs E25]  between the stops of  [mbs E26].
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

// Instants nearer to each other than this share of step_s are one.
constexpr double same = 1e-9;

double largest_step(const RunOptions& o) { return o.largest_step_s > 0.0 ? o.largest_step_s : o.step_s; }
double smallest_step(const RunOptions& o) {
  return o.smallest_step_s > 0.0 ? o.smallest_step_s : std::ldexp(largest_step(o), -16);
}
// A jump is spread over the step that ends there: this long, so that its impulse errs by less than a two-thousandth of
// load times step_s. Shorter steps would drown accelerations in the rounding of positions.
double jump_step(const RunOptions& o) { return std::max(smallest_step(o), std::ldexp(o.step_s, -10)); }

}  // namespace

void check(const RunOptions& o, const std::string& where) {
  if (!o.step_control) return;
  if (o.largest_step_s > o.step_s * (1.0 + 1e-12))
    throw_bad_input(where + ".largest_step_s",
                    fmt::format("the largest step {:g} s is above step_s {:g} s, the grid of the outputs",
                                o.largest_step_s, o.step_s),
                    "every point of the grid is the end of a step: raise step_s for longer steps");
  if (smallest_step(o) > largest_step(o))
    throw_bad_input(
        where + ".smallest_step_s",
        fmt::format("the smallest step {:g} s is above the largest {:g} s", smallest_step(o), largest_step(o)),
        "lower smallest_step_s; 0 takes step_s/65536");
}

// Stops from one point of the grid to the next.
void Run::look_ahead() {
  const double step = options_.step_s, from = static_cast<double>(grid_) * step,
               to = static_cast<double>(grid_ + 1) * step;
  const BreakPoints::Look look = breaks_->of_formulas(from, to, largest_load_);
  followed_ = step / look.pieces;
  double last = std::max(from, now_.t);
  std::vector<BreakPoint> found = breaks_->of_tables(last + same * step, to + same * step);
  found.insert(found.end(), look.kinks.begin(), look.kinks.end());
  found.push_back({to, false});
  std::sort(found.begin(), found.end(), [](const BreakPoint& a, const BreakPoint& b) { return a.t < b.t; });
  stops_.clear();
  stop_ = 0;
  const auto stop = [&](double t, bool jump) {
    if (t - last < same * step) {
      if (!stops_.empty() && t >= last - same * step) stops_.back().jump = stops_.back().jump || jump;
      return;
    }
    stops_.push_back({t, jump});
    last = t;
  };
  for (const BreakPoint& b : found) {
    // The point of the grid itself is kept to the last digit.
    const double t = std::abs(b.t - to) < same * step ? to : b.t;
    if (b.jump && t - last > 2.0 * jump_step(options_)) stop(t - jump_step(options_), false);
    stop(t, b.jump);
  }
  stops_.back().t = to;
}

void Run::next_stretch() {
  // After a jump the scheme begins with short steps again.
  const bool jumped = stop_ < stops_.size() && stops_[stop_].jump;
  if (++stop_ >= stops_.size()) look_ahead();
  from_ = now_.t;
  to_ = stops_[stop_].t;
  ticks_ = 0;
  if (jumped) wanted_ = std::min(wanted_, jump_step(options_));
  const double allowed = std::min({wanted_, followed_, largest_step(options_)});
  const double halvings = std::ceil(std::log2((to_ - from_) / allowed) - 1e-6);
  level_ = halvings > 0.0 ? static_cast<int>(std::min(halvings, 20.0)) : 0;
}

// [mbs E34] Where a step of one length ends before `end`: at a switch of a law, and a short step before a jump of its
// table or behind one of its input. What lies nearer than half of that to either end is left to the step.
double Run::switch_before(double end) const {
  const double close = jump_step(options_);
  const auto inside = [&](double t) { return t > now_.t + 0.5 * close && t < end - 0.5 * close; };
  double out = inside(input_jump_ + close) ? input_jump_ + close : end;
  for (const BreakPoint& b : switches_) {
    if (b.t > end + 0.5 * close) break;
    if (b.jump && inside(b.t - close)) return std::min(out, b.t - close);
    if (inside(b.t)) return std::min(out, b.t);
  }
  return out;
}

bool Run::step(std::string& reason) {
  if (!options_.step_control) {
    const double end = static_cast<double>(grid_ + 1) * options_.step_s,
                 to = switches_.empty() ? end : switch_before(end);
    if (!switches_.empty()) set_step(to == end && now_.on_grid ? options_.step_s : to - now_.t);
    if (!solve(reason)) return false;
    if (to == end) ++grid_;
    accept(to, to == end);
    return true;
  }
  if (ticks_ == ticks_per_stretch) next_stretch();
  for (;;) {
    const long ticks = ticks_per_stretch >> level_;
    const double h = std::ldexp(to_ - from_, -level_);
    set_step(h);
    const bool solved = solve(reason);
    const double error = solved ? error_estimate() : 0.0;
    const bool poor = !solved || error > options_.step_tolerance;
    if (poor && level_ < 20 && 0.5 * h > smallest_step(options_) * (1.0 - 1e-6)) {
      ++counts.rejected;
      ++level_;
      wanted_ = 0.5 * h;
      continue;
    }
    if (!solved) return false;
    if (poor) ++counts.forced;
    ticks_ += ticks;
    const bool end = ticks_ == ticks_per_stretch, grid = end && stop_ + 1 == stops_.size();
    if (grid) ++grid_;
    accept(end ? to_ : from_ + (to_ - from_) * (static_cast<double>(ticks_) / static_cast<double>(ticks_per_stretch)),
           grid);
    // The error falls with the third power: room for a step of twice the length, on its own grid.
    if (16.0 * error >= options_.step_tolerance)
      wanted_ = std::min(wanted_, h);
    else if (end)
      wanted_ = std::max(wanted_, 2.0 * h);
    else if (level_ > 0 && ticks_ % (2 * ticks) == 0 &&
             2.0 * h <= std::min(followed_, largest_step(options_)) * (1.0 + 1e-6))
      --level_, wanted_ = std::max(wanted_, 2.0 * h);
    return true;
  }
}

bool Run::step_as(const StepPlan::Step& step, std::string& reason) {
  set_step(step.h);
  if (!solve(reason)) return false;
  accept(step.t, step.on_grid);
  return true;
}

StepPlan plan_of(const History& history) {
  StepPlan plan;
  for (std::size_t n = 1; n < history.states.size(); ++n)
    plan.steps.push_back({history.states[n].t, history.states[n].h, history.states[n].on_grid});
  return plan;
}

RunResult simulate(const System& system, const RunOptions& options, const StepPlan& plan,
                   const std::function<void(const RunState&, const Evaluation&)>& observe, Progress& progress,
                   History* history) {
  RunOptions planned = options;
  planned.step_control = false;
  Run run(system, planned);
  RunResult result = run.start();
  if (result.status != RunStatus::done) return result;
  const auto accepted = [&] {
    if (observe) observe(run.state(), run.evaluation());
    if (history != nullptr) history->states.push_back(run.state());
  };
  accepted();
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    if (n % 256 == 255 && progress.stop_requested()) {
      result.status = RunStatus::stopped;
      result.reason = "stopped by the user";
      break;
    }
    if (!run.step_as(plan.steps[n], result.reason)) {
      result.status = RunStatus::diverged;
      break;
    }
    accepted();
  }
  result.last_time = run.state().t;
  result.counts = run.counts;
  return result;
}

bool Run::step_by(double h, std::string& reason) {
  const double t = now_.t + h, n = std::round(t / options_.step_s);
  for (double to = switch_before(t); to < t; to = switch_before(t)) {
    set_step(to - now_.t), h = t - to;
    if (!solve(reason)) return false;
    accept(to, false);
  }
  set_step(h);
  if (!solve(reason)) return false;
  const bool grid = std::abs(t - n * options_.step_s) < same * options_.step_s;
  if (grid) grid_ = std::lround(n);
  accept(grid ? n * options_.step_s : t, grid);
  // Steps of its own choice go on from here only at a point of the grid.
  ticks_ = ticks_per_stretch;
  stops_.clear();
  stop_ = 0;
  return true;
}

// [mbs E25]
double Run::error_estimate() const {
  return std::abs(alpha_.b - 1.0 / 6.0) * alpha_.h * alpha_.h * (a_ - now_.a).cwiseAbs().maxCoeff();
}

}  // namespace kdyn::mbs
