// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/run_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_signals.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/insitu/sampling.hpp"
#include "kdyn/io/recording.hpp"

namespace kdyn::app {

using namespace mbs;

namespace {

constexpr std::size_t plotted_stretches = 1000;
// Points on each side from which a value between points is read [insitu E7].
constexpr long neighbours_needed = 5;

std::size_t at(long i) { return static_cast<std::size_t>(i); }

std::size_t expected_points(const RecordOptions& o) { return at(std::max(0L, o.last - o.first)) + 1; }

Signals chosen(const System& system, const std::vector<std::string>& patterns) {
  Signals signals(system);
  if (!patterns.empty()) signals.choose(chosen_signals(signals.list(), patterns, "signals"));
  return signals;
}

// The rotation vectors of one orientation differ by whole turns about their axis: the one that continues the last.
Vector3 continued_turn(const Vector3& turn, const Vector3& last) {
  constexpr double whole = 2.0 * std::numbers::pi, no_axis = 1e-9;
  const Vector3& about = turn.norm() > no_axis ? turn : last;
  if (!(about.norm() > no_axis)) return turn;
  const Vector3 axis = about.normalized();
  return turn + whole * std::round((last - turn).dot(axis) / whole) * axis;
}

}  // namespace

std::vector<bool> chosen_signals(const std::vector<SignalInfo>& list, const std::vector<std::string>& patterns,
                                 const std::string& where) {
  std::vector<bool> wanted(list.size(), patterns.empty());
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (name_fits(pattern, list[i].name)) wanted[i] = found = true;
    if (found) continue;
    std::vector<std::string> names;
    for (const SignalInfo& signal : list) names.push_back(signal.name);
    throw_unknown_name(pattern, names, where);
  }
  return wanted;
}

RunRecord::RunRecord(const System& system, const RecordOptions& options)
    : system_(system),
      options_(options),
      signals_(chosen(system, options.signals)),
      summary_(signals_.list().size()),
      envelope_(signals_.list().size(), expected_points(options), plotted_stretches),
      decimator_(signals_.list().size(), options.every, options.filtered,
                 [this](std::size_t number, const double* row) {
                   ++rows_;
                   if (writer_ != nullptr)
                     writer_->add(static_cast<double>(options_.first + static_cast<long>(number)) * options_.step_s,
                                  row);
                 }),
      next_(options.first),
      seen_(options.first),
      joints_may_open_(!system.findings().empty()),
      fastest_spin_(system.model().bodies.size(), 0.0),
      last_turn_(system.model().connections.size(), Vector3::Zero()),
      wrapped_(system.model().connections.size(), std::numeric_limits<double>::infinity()),
      tilt_(system.model().joints.size(), 0.0) {
  const std::size_t points = expected_points(options), most = options.samples;
  if (most > 1) thin_every_ = std::max<std::size_t>(1, (points + most - 2) / (most - 1));
  const Model& model = system.model();
  const auto place_of = [&](const std::string& name) {
    const auto& list = signals_.list();
    const auto found = std::find_if(list.begin(), list.end(), [&](const SignalInfo& s) { return s.name == name; });
    return found == list.end() ? -1 : static_cast<int>(found - list.begin());
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    CountedTurn turn{.name = model.bodies[b].name + ".rotation", .body = static_cast<int>(b)};
    for (std::size_t k = 0; k < 3; ++k) turn.channels[k] = place_of(turn.name + "." + "xyz"[k]);
    if (std::max({turn.channels[0], turn.channels[1], turn.channels[2]}) >= 0) turns_.push_back(turn);
    if (model.bodies[b].modes() > 0) flexible_.push_back(static_cast<int>(b));
  }
  for (const SensorChannel& c : model.channels) {
    const int place = place_of(c.name);
    if (place < 0) continue;
    if (c.output.kind == OutputKind::angle) {
      CountedTurn turn{.name = c.name, .output = c.output, .gain = c.gain, .offset = c.offset};
      turn.channels[static_cast<std::size_t>(c.output.component)] = place;
      turns_.push_back(turn);
    }
    if (c.delay_s == 0.0) continue;
    late_.push_back({at(place), c.name, c.delay_s, options.first, {}});
    ahead_ =
        std::max(ahead_, neighbours_needed + static_cast<long>(std::ceil(std::max(0.0, -c.delay_s) / options.step_s)));
  }
  for (std::size_t c = 0; c < model.connections.size(); ++c) {
    const Connection& of = model.connections[c];
    if (of.kind != ConnectionKind::bushing) continue;
    if (of.measure == RotationMeasure::vect)
      vect_.push_back(static_cast<int>(c));
    else if (of.measure == RotationMeasure::log && (of.laws[3] || of.laws[4] || of.laws[5]))
      log_.push_back(static_cast<int>(c));
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].kind == JointKind::drive_rotation) driven_.push_back(static_cast<int>(j));
}

void RunRecord::continue_from(const RecordMemory& memory) {
  for (CountedTurn& turn : turns_)
    if (const auto found = memory.turns.find(turn.name); found != memory.turns.end() && found->second.size() == 3) {
      turn.begun = true;
      turn.last = Eigen::Map<const Vector3>(found->second.data());
    }
  // The last value is that of the point where this run begins.
  for (LateSensor& sensor : late_)
    if (const auto found = memory.late.find(sensor.name); found != memory.late.end() && !found->second.empty()) {
      sensor.values.assign(found->second.begin(), found->second.end() - 1);
      sensor.first = options_.first - static_cast<long>(sensor.values.size());
    }
}

RecordMemory RunRecord::memory() const {
  RecordMemory out;
  for (const CountedTurn& turn : turns_)
    if (turn.begun) out.turns[turn.name] = {turn.last[0], turn.last[1], turn.last[2]};
  for (const LateSensor& sensor : late_) out.late[sensor.name] = sensor.values;
  return out;
}

void RunRecord::count_turns(const Run& run) {
  for (CountedTurn& turn : turns_) {
    Vector3 shown;
    if (turn.body >= 0) {
      shown = rotation_vector_of(system_, turn.body, run.moved());
    } else {
      Output output = turn.output;
      for (int k = 0; k < 3; ++k) {
        output.component = k;
        shown[k] = output_value(system_, output, run.state(), run.evaluation());
      }
    }
    if (turn.begun) shown = continued_turn(shown, turn.last);
    turn.begun = true;
    turn.last = shown;
    for (std::size_t k = 0; k < 3; ++k)
      if (const int place = turn.channels[k]; place >= 0)
        row_[at(place)] = turn.gain * shown[static_cast<Eigen::Index>(k)] + turn.offset;
  }
}

void RunRecord::record(const Run& run) {
  if (joints_may_open_) largest_gap_ = std::max(largest_gap_, system_.dropped_gap(run.moved().t, run.evaluation()));
  signals_.values(run, row_);
  if (!turns_.empty()) count_turns(run);
  for (const int b : flexible_)
    fastest_spin_[at(b)] = std::max(fastest_spin_[at(b)], spin_of(system_, b, run.moved()).norm());
  for (const int c : vect_)
    largest_vect_ = std::max(largest_vect_, run.evaluation().measure[at(c)].x.tail<3>().cwiseAbs().maxCoeff());
  look_at_turns(run);
  const long point = seen_++;
  if (late_.empty()) {
    take(point, row_.data());
    return;
  }
  waiting_.insert(waiting_.end(), row_.begin(), row_.end());
  for (LateSensor& sensor : late_) sensor.values.push_back(row_[sensor.channel]);
  let_go(false);
}

double RunRecord::late_value(const LateSensor& sensor, long point) const {
  const double step = options_.step_s;
  const long newest = seen_ - 1;
  if (newest == sensor.first) return sensor.values.front();
  const double t = std::clamp(static_cast<double>(point) * step - sensor.delay_s,
                              static_cast<double>(sensor.first) * step, static_cast<double>(newest) * step);
  const long before = static_cast<long>(std::floor(t / step));
  const long low = std::max(sensor.first, before - neighbours_needed),
             high = std::min(newest, before + neighbours_needed + 1);
  const Eigen::MatrixXd around = Eigen::Map<const Eigen::RowVectorXd>(sensor.values.data() + (low - sensor.first),
                                                                      static_cast<Eigen::Index>(high - low + 1));
  const double inside = std::clamp(t - static_cast<double>(low) * step, 0.0, static_cast<double>(high - low) * step);
  return Sampling({inside}, step, static_cast<Eigen::Index>(high - low)).at_samples(around)(0, 0);
}

// Rows whose late sensors are known.
void RunRecord::let_go(bool all) {
  const std::size_t width = signals_.list().size();
  std::size_t gone = 0;
  for (; next_ < seen_ && (all || next_ + ahead_ < seen_); ++next_, ++gone) {
    double* row = waiting_.data() + gone * width;
    for (const LateSensor& sensor : late_) row[sensor.channel] = late_value(sensor, next_);
    take(next_, row);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(gone * width));
  for (LateSensor& sensor : late_) {
    const long reach = static_cast<long>(std::ceil(std::max(0.0, sensor.delay_s) / options_.step_s)) +
                       2 * neighbours_needed,
               needed = next_ - reach;
    // Now and then what nobody will read any more.
    if (needed - sensor.first > 4096) {
      sensor.values.erase(sensor.values.begin(), sensor.values.begin() + (needed - sensor.first));
      sensor.first = needed;
    }
  }
}

void RunRecord::take(long point, const double* row) {
  const double t = static_cast<double>(point) * options_.step_s;
  const std::size_t number = summary_.rows(), width = signals_.list().size();
  if (options_.samples > 0 && number % thin_every_ == 0) {
    thin_time_.push_back(t);
    thin_.insert(thin_.end(), row, row + width);
  }
  summary_.add(t, row);
  envelope_.add(t, row);
  decimator_.add(row);
}

void RunRecord::finish() {
  if (!late_.empty()) let_go(true);
  if (summary_.rows() > 0) decimator_.finish();
}

std::vector<double> RunRecord::thinned(std::size_t signal) const {
  std::vector<double> out;
  out.reserve(thin_time_.size());
  for (std::size_t i = signal; i < thin_.size(); i += signals_.list().size()) out.push_back(thin_[i]);
  return out;
}

// A rotation vector ends at 180 degrees and goes on from the other side. The angle is looked at only where it is large:
// its cosine costs little.
void RunRecord::look_at_turns(const Run& run) {
  const RunState& s = run.moved();
  const Model& model = system_.model();
  for (const int c : log_) {
    const Connection& of = model.connections[at(c)];
    const double cosine =
        0.5 *
        (system_.frame_of(of.marker1, s.q, false).R.cwiseProduct(system_.frame_of(of.marker2, s.q, false).R).sum() -
         1.0);
    Vector3& last = last_turn_[at(c)];
    if (cosine > 0.0) {
      last.setZero();  // what is below 90 degrees does not jump by 180
      continue;
    }
    const Vector3 turn = run.evaluation().measure[at(c)].x.tail<3>();
    if (seen_ > options_.first && (turn - last).squaredNorm() > std::numbers::pi * std::numbers::pi)
      wrapped_[at(c)] = std::min(wrapped_[at(c)], s.t);
    last = turn;
  }
  if (driven_.empty()) return;
  const Evaluation& e = run.evaluation();
  for (const int j : driven_) {
    const Joint& joint = model.joints[at(j)];
    const auto &one = e.frame[at(joint.marker1)].R, &two = e.frame[at(joint.marker2)].R;
    tilt_[at(j)] = std::max(tilt_[at(j)], one.col(2).cross(two.col(2)).norm());
  }
}

std::vector<Finding> RunRecord::turned_too_far() const {
  const Model& model = system_.model();
  std::vector<Finding> out;
  for (std::size_t c = 0; c < wrapped_.size(); ++c)
    if (std::isfinite(wrapped_[c]))
      out.push_back({Severity::serious, "turned_too_far", model.connections[c].name,
                     fmt::format("bushing {} turns beyond 180 degrees at {:.6g} s: its angle jumps to the other side, "
                                 "and its moments are wrong from there on",
                                 model.connections[c].name, wrapped_[c]),
                     "use laws about axes that turn less, or end the run before"});
  for (std::size_t j = 0; j < tilt_.size(); ++j)
    if (tilt_[j] > 0.01)
      out.push_back({Severity::warning, "drive_tilts", model.joints[j].name,
                     fmt::format("the axes of driven joint {} tilt against each other by up to {:.2g} degrees: what is "
                                 "driven is no angle about one axis",
                                 model.joints[j].name, std::asin(std::min(1.0, tilt_[j])) * 180.0 / std::numbers::pi),
                     "add a revolute or cylindrical joint at the same markers"});
  return out;
}

}  // namespace kdyn::app
