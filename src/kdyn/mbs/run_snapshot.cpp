// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/run_snapshot.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/field_eigen.hpp"

namespace kdyn {

const FieldTable& mbs::fields_of(const SavedLaw*) {
  using S = mbs::SavedLaw;
  static const FieldTable table = FieldTable::of<S>("saved law", [](FieldTable& t) {
    t.add(&S::model, "model", "-", "Law of the axis");
    t.add(&S::memory, "memory", "-", "What it remembers");
  });
  return table;
}

const FieldTable& mbs::fields_of(const SavedStop*) {
  using S = mbs::SavedStop;
  static const FieldTable table = FieldTable::of<S>("stop", [](FieldTable& t) {
    t.add(&S::t, "t", "s", "Time");
    t.add(&S::jump, "jump", "-", "A signal jumps there");
  });
  return table;
}

const FieldTable& mbs::fields_of(const SavedControl*) {
  using S = mbs::SavedControl;
  static const FieldTable table = FieldTable::of<S>("step control", [](FieldTable& t) {
    t.add(&S::stops, "stops", "-", "Ends of the stretches up to the next point of the grid");
    t.add(&S::stop, "stop", "-", "The one that comes next").at_least(0);
    t.add(&S::ticks, "ticks", "-", "How much of the stretch is done").at_least(0);
    t.add(&S::level, "level", "-", "How often the stretch is halved").range(0, 20);
    t.add(&S::from, "from", "s", "Begin of the stretch");
    t.add(&S::to, "to", "s", "Its end");
    t.add(&S::wanted, "wanted", "s", "Step that the error allows");
    t.add(&S::followed, "followed", "s", "Step that loads ask for");
    t.add(&S::largest_load, "largest_load", "-", "Largest value so far of each formula");
  });
  return table;
}

const FieldTable& mbs::fields_of(const RunSnapshot*) {
  using S = mbs::RunSnapshot;
  static const FieldTable table = FieldTable::of<S>("saved run", [](FieldTable& t) {
    t.add(&S::format, "format", "-", "kdyn run 1").must_be_given();
    t.add(&S::bodies, "bodies", "-", "Names of the bodies");
    t.add(&S::joints, "joints", "-", "Names of the joints");
    t.add(&S::t, "t", "s", "Time").range(0.0, 1e12);
    t.add(&S::h, "h", "s", "Step that led here").at_least(0.0);
    t.add(&S::step_s, "step_s", "s", "Grid of the run").at_least(0.0);
    t.add(&S::rho_infinity, "rho_infinity", "-", "Damping of the scheme").range(0.0, 1.0);
    t.add(&S::grid, "grid", "-", "Points of the grid that were passed").at_least(0);
    t.add(&S::on_grid, "on_grid", "-", "Whether it stands on one");
    t.add(&S::q, "q", "-", "Coordinates");
    t.add(&S::v, "v", "-", "Velocities");
    t.add(&S::vd, "vd", "-", "Accelerations");
    t.add(&S::a, "a", "-", "Accelerations of the scheme");
    t.add(&S::lambda, "lambda", "-", "Multipliers of the joints");
    t.add(&S::laws, "laws", "-", "Laws of the axes");
    t.add(&S::motion, "motion", "-", "Deflection and rate of each axis");
    t.add(&S::w, "w", "-", "States of the laws");
    t.add(&S::wd, "wd", "-", "Their rates");
    t.add(&S::b, "b", "-", "Rates of the scheme");
    t.add(&S::held, "held", "-", "States and outputs of the sampled controllers").unless_empty();
    t.add(&S::units, "units", "-", "FMUs for co-simulation").unless_empty();
    t.add(&S::load, "load", "-", "Loads of the axes");
    t.add(&S::a1, "a1", "-", "Accelerations one instant before");
    t.add(&S::a2, "a2", "-", "Accelerations two instants before");
    t.add(&S::past, "past", "-", "How many of them there are").range(0, 2);
    t.add(&S::acceleration_scale, "acceleration_scale", "-", "Largest acceleration so far").at_least(0.0);
    t.add(&S::factor, "factor", "-", "Factor of the Newton matrix in use");
    t.add(&S::contraction, "contraction", "-", "Its measured contraction");
    t.add(&S::since_measured, "since_measured", "-", "Steps since it was measured").at_least(0);
    t.add(&S::controlled, "controlled", "-", "Whether steps were chosen by their error");
    t.add(&S::control, "control", "-", "Where step control stands");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::mbs {

RunSnapshot Run::snapshot() const {
  completed();
  RunSnapshot s;
  for (const Body& body : system_.model().bodies) s.bodies.push_back(body.name);
  for (const Joint& joint : system_.model().joints) s.joints.push_back(joint.name);
  s.t = now_.t, s.h = now_.h, s.step_s = options_.step_s, s.rho_infinity = options_.rho_infinity;
  s.grid = grid_, s.on_grid = now_.on_grid;
  s.q = now_.q, s.v = now_.v, s.vd = now_.vd, s.a = now_.a, s.lambda = now_.lambda;
  for (std::size_t k = 0; k < system_.axes().size(); ++k) {
    const AxisLaw& law = *system_.axes()[k].law;
    SavedLaw& saved = s.laws.emplace_back(SavedLaw{law.model(), {}});
    law.memory_image(now_.laws.memory[k], saved.memory);
    s.motion.insert(s.motion.end(), {now_.laws.motion[k].u, now_.laws.motion[k].v});
  }
  s.w = now_.laws.w, s.wd = now_.laws.wd, s.b = now_.laws.b;
  s.held = now_.laws.held;
  for (const Controller& c : system_.model().controllers)
    if (c.unit) s.units.push_back(c.unit->image());
  s.load = e_.load;
  if (past_ > 0) s.a1 = a1_;
  if (past_ > 1) s.a2 = a2_;
  s.past = past_;
  s.acceleration_scale = acceleration_scale_;
  if (factored_) s.factor = lu_.image();
  s.contraction = contraction_, s.since_measured = since_measured_;
  s.controlled = options_.step_control;
  for (const BreakPoint& stop : stops_) s.control.stops.push_back({stop.t, stop.jump});
  s.control.stop = static_cast<long>(stop_), s.control.ticks = ticks_, s.control.level = level_;
  s.control.from = from_, s.control.to = to_, s.control.wanted = wanted_, s.control.followed = followed_;
  s.control.largest_load = largest_load_;
  return s;
}

void Run::restore(const RunSnapshot& s, const std::string& where) {
  const auto refuse = [&](const std::string& why) {
    throw_bad_input(where, why, "restart with the model that the state was saved with");
  };
  if (s.format != RunSnapshot{}.format) refuse(fmt::format("its format is '{}'", s.format));
  std::vector<std::string> bodies, joints;
  for (const Body& body : system_.model().bodies) bodies.push_back(body.name);
  for (const Joint& joint : system_.model().joints) joints.push_back(joint.name);
  if (s.bodies != bodies) refuse("its bodies are not those of the model");
  if (s.joints != joints) refuse("its joints are not those of the model");
  const auto n = system_.coordinates();
  const std::size_t axes = system_.axes().size();
  for (const VectorX* x : {&s.q, &s.v, &s.vd, &s.a})
    if (x->size() != n || !x->allFinite()) refuse("its coordinates are not those of the model");
  if (s.lambda.size() != system_.multipliers()) refuse("its joints are not those of the model");
  for (const VectorX* x : {&s.w, &s.wd, &s.b})
    if (x->size() != system_.states()) refuse("the states of its laws are not those of the model");
  if (s.held.size() != system_.held_numbers() || !s.held.allFinite())
    refuse("its sampled controllers are not those of the model");
  std::size_t units = 0;
  for (const Controller& c : system_.model().controllers)
    if (c.unit && (units >= s.units.size() || !c.unit->set_image(s.units[units++])))
      throw_bad_input(where, fmt::format("the FMU of controller {} cannot be set to a state that was kept", c.name),
                      "run from the start, or use an FMU with canSerializeFMUstate");
  for (std::size_t k = 0; k < begun_.size(); ++k)
    if (const auto& unit = system_.model().controllers[k].unit) begun_[k] = unit->begun();
  if (s.laws.size() != axes || s.motion.size() != 2 * axes || s.load.size() != axes)
    refuse("its bushings and springs are not those of the model");
  if ((s.past > 0 && s.a1.size() != n) || (s.past > 1 && s.a2.size() != n)) refuse("it is damaged");
  now_.t = s.t, now_.h = s.h, now_.on_grid = s.on_grid;
  now_.q = s.q, now_.v = s.v, now_.vd = s.vd, now_.a = s.a, now_.lambda = s.lambda;
  now_.laws.memory.resize(axes);
  now_.laws.motion.resize(axes);
  for (std::size_t k = 0; k < axes; ++k) {
    const AxisLaw& law = *system_.axes()[k].law;
    const std::string bushing =
        system_.model().connections[static_cast<std::size_t>(system_.axes()[k].connection)].name;
    if (s.laws[k].model != law.model())
      refuse(fmt::format("{} has the law {} there, {} in the model", bushing, s.laws[k].model, law.model()));
    if (!law.memory_of_image(s.laws[k].memory, now_.laws.memory[k]))
      refuse(fmt::format("what the law of {} remembers is damaged", bushing));
    now_.laws.motion[k] = {s.motion[2 * k], s.motion[2 * k + 1]};
  }
  now_.laws.w = s.w, now_.laws.wd = s.wd, now_.laws.b = s.b, now_.laws.held = s.held;
  system_.place(now_.q, now_.v, e_);
  system_.count_turns(now_.laws, e_);
  e_.load = s.load;
  e_.w = s.w, e_.wd = s.wd;
  e_.time = s.t;
  if (system_.has_controllers()) system_.begin_controllers(now_.laws, StateScheme{}, e_);
  if (system_.has_formulas()) system_.apply_formulas(now_.t, e_);
  system_.constraints(now_.t, e_);
  complete_ = true;
  look_at_bushings();
  a1_ = s.a1, a2_ = s.a2;
  acceleration_scale_ = s.acceleration_scale;
  // Steps of another length, or chosen in another way, begin anew.
  const bool same_steps =
      s.step_s == options_.step_s && s.rho_infinity == options_.rho_infinity && s.controlled == options_.step_control;
  const double points = s.t / options_.step_s;
  grid_ = same_steps ? s.grid : std::lround(points);
  if (same_steps && !(points > static_cast<double>(s.grid) - 1e-6 && points < static_cast<double>(s.grid) + 1.0))
    refuse("its time and its steps do not belong together");
  if (!same_steps && std::abs(points - static_cast<double>(grid_)) > 1e-6)
    throw_bad_input(where, fmt::format("its time {:.9g} s is no multiple of the step {:g} s", s.t, options_.step_s),
                    fmt::format("go on with the step {:g} s, or one that divides its time", s.step_s));
  ticks_ = ticks_per_stretch, stop_ = 0;
  stops_.clear();
  wanted_ = options_.step_s;
  past_ = 0, factored_ = false;
  if (!same_steps) {
    now_.on_grid = true;
    return;
  }
  if (s.h > 0.0 && s.h != alpha_.h) alpha_ = Alpha(options_.rho_infinity, s.h);
  past_ = s.past;
  factored_ = !s.factor.empty();
  if (factored_ && !lu_.set_image(s.factor)) refuse("the factor of its Newton matrix is not that of the model");
  contraction_ = s.contraction, since_measured_ = s.since_measured;
  for (const SavedStop& stop : s.control.stops) stops_.push_back({stop.t, stop.jump});
  stop_ = static_cast<std::size_t>(s.control.stop), ticks_ = s.control.ticks, level_ = s.control.level;
  from_ = s.control.from, to_ = s.control.to, wanted_ = s.control.wanted, followed_ = s.control.followed;
  if (ticks_ > ticks_per_stretch || (ticks_ < ticks_per_stretch && stop_ >= stops_.size())) refuse("it is damaged");
  largest_load_ = s.control.largest_load;
}

}  // namespace kdyn::mbs
