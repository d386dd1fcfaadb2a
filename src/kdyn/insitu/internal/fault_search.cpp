// SPDX-License-Identifier: Apache-2.0
// The fit with gain, offset and delay of all channels free, and what it says about each of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/insitu/internal/channel_unknowns.hpp"
#include "kdyn/insitu/internal/diagnosis.hpp"
#include "kdyn/insitu/internal/turned_sensor.hpp"
#include "kdyn/signal/channel_fault.hpp"

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using Of = InsituParameter::Of;

constexpr int fault_fit_iterations = 80;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Power that the best positive factor leaves, over that of the measured signal; means taken off.
double left_over(const MatrixXd& measured, Index i, const MatrixXd& expected, Index j) {
  double count = 0.0, m_sum = 0.0, c_sum = 0.0;
  for (Index n = 0; n < measured.cols(); ++n)
    if (std::isfinite(measured(i, n))) count += 1.0, m_sum += measured(i, n), c_sum += expected(j, n);
  double mm = 0.0, mc = 0.0, cc = 0.0;
  for (Index n = 0; n < measured.cols(); ++n)
    if (std::isfinite(measured(i, n))) {
      const double m = measured(i, n) - m_sum / count, c = expected(j, n) - c_sum / count;
      mm += m * m, mc += m * c, cc += c * c;
    }
  return mm > 0.0 && cc > 0.0 && mc > 0.0 ? 1.0 - mc * mc / (mm * cc) : 1.0;
}

class FaultSearch {
 public:
  FaultSearch(const std::vector<InsituExperiment>& experiments, const std::vector<InsituParameter>& parameters,
              const std::vector<InsituPrior>& priors, const InsituOptions& options, Progress& progress)
      : experiments_(experiments),
        parameters_(parameters),
        job_(parameters),
        job_priors_(priors),
        options_(options),
        progress_(progress) {
    own_ = parameters.size();
    owns_ = add_channel_unknowns(experiments_, parameters_);
    // Nothing holds what is said about channels here.
    for (const InsituPrior& prior : priors)
      if (std::all_of(prior.parameters.begin(), prior.parameters.end(),
                      [&](int i) { return parameters_[at(i)].of == Of::model; }))
        priors_.push_back(prior);
    for (InsituParameter& p : parameters_)
      if (p.of == Of::delay) p.lower = p.start - widest_delay, p.upper = p.start + widest_delay;
  }

  Diagnosis find(const VectorXd& from, const VectorXd& best, const VectorXd& deviation) {
    Diagnosis out;
    // Channels that fit in no way spoil the fit that is to judge the others: they are left out, and it is made again,
    // from where it ended.
    VectorXd start = from;
    for (int round = 0; round < 5 && fit(start); ++round) {
      start = found_.best.p.head(from.size());
      const std::size_t before = out.findings.size();
      turned(out);
      if (out.findings.size() > before) continue;
      swaps(out);
      if (out.findings.size() > before) continue;
      if (late_ones()) continue;
      broken(out);
      if (out.findings.size() == before) break;
    }
    if (!found_.best.complete) return out;
    faults(out);
    if (out.findings.empty()) return out;
    judge_again(out);
    for (std::size_t i = 0; i < own_; ++i) {
      const auto k = static_cast<Index>(i);
      if (parameters_[i].of != Of::model || !(deviation[k] > 0.0) || !std::isfinite(deviation[k])) continue;
      if (const double shift = std::abs(found_.best.p[k] - best[k]) / deviation[k]; shift > out.largest_shift)
        out.largest_shift = shift, out.shifted = parameters_[i].name;
    }
    return out;
  }

 private:
  bool fit(const VectorXd& from) {
    try {
      problem_.emplace(experiments_, parameters_, priors_);
    } catch (const Error&) {
      return false;
    }
    VectorXd p = problem_->start();
    for (std::size_t i = 0; i < own_; ++i)
      if (parameters_[i].of == Of::model || parameters_[i].of == Of::time_offset)
        p[static_cast<Index>(i)] = from[static_cast<Index>(i)];
    InsituPoint first = problem_->evaluate(p);
    if (!first.complete) return false;
    for (const auto& [index, delay] : delay_starts_) first.p[index] = parameters_[at(index)].unknown(delay);
    if (!delay_starts_.empty()) problem_->read_channels(first);
    // Gains by regression: a wrong unit is far from 1, and the search has a scale for each.
    for (const auto& [index, delay] : delay_starts_) p[index] = parameters_[at(index)].unknown(delay);
    VectorXd lower = p, upper = p;
    for (const ChannelOwn& own : owns_) {
      const auto& c = first.steps[own.experiment];
      const double rms = rms_of_row(problem_->measured(own.experiment), own.channel);
      const double mean = c.row(own.channel).mean(),
                   size = std::sqrt((c.row(own.channel).array() - mean).square().mean());
      if (!(size > 0.0) || !(rms > 0.0)) continue;
      parameters_[at(own.gain)].scale = rms / size;
      double mc = 0.0, cc = 0.0, sum_m = 0.0, sum_c = 0.0, count = 0.0;
      const MatrixXd& m = problem_->measured(own.experiment);
      const MatrixXd& read = first.read[own.experiment];
      for (Index n = 0; n < m.cols(); ++n)
        if (std::isfinite(m(own.channel, n))) sum_m += m(own.channel, n), sum_c += read(own.channel, n), count += 1.0;
      for (Index n = 0; n < m.cols(); ++n)
        if (std::isfinite(m(own.channel, n))) {
          const double b = read(own.channel, n) - sum_c / count;
          mc += (m(own.channel, n) - sum_m / count) * b, cc += b * b;
        }
      const double gain = cc > 0.0 ? mc / cc : parameters_[at(own.gain)].start;
      p[own.gain] = gain / parameters_[at(own.gain)].scale;
      p[own.offset] = (sum_m - gain * sum_c) / count / parameters_[at(own.offset)].scale;
    }
    for (Index i = 0; i < p.size(); ++i) {
      const InsituParameter& q = parameters_[at(i)];
      const double reach = q.of == Of::model
                               ? (q.scale > 0.0 ? options_.max_shift / q.scale : std::log(options_.max_factor))
                           : q.of == Of::gain || q.of == Of::offset ? 1e3
                                                                    : widest_delay / q.scale;
      const double middle = q.of == Of::gain || q.of == Of::offset ? 0.0 : q.unknown(q.start);
      lower[i] = middle - reach, upper[i] = middle + reach;
      if (q.of == Of::model && q.lower) lower[i] = q.unknown(*q.lower);
      if (q.of == Of::model && q.upper) upper[i] = q.unknown(*q.upper);
    }
    InsituOptions quick = options_;
    quick.max_iterations = fault_fit_iterations;
    quick.tolerance = 1e-5;
    const double assumed = options_.noise > 0.0 ? options_.noise : 0.02;
    found_ = search_gauss_newton(*problem_, p.cwiseMax(lower).cwiseMin(upper), lower, upper, assumed, quick, progress_);
    if (!found_.best.complete) return false;
    MatrixXd A;
    VectorXd g;
    if (!problem_->normal_equations(found_.best, A, g)) return false;
    const double freedom = std::max(1.0, static_cast<double>(problem_->samples() - problem_->parameters()));
    noise_ = options_.noise > 0.0 ? options_.noise : std::sqrt(found_.best.data / freedom);
    deviation_ = noise_ * inverse_of(A + noise_ * noise_ * problem_->prior_information()).deviation;
    return true;
  }

  bool used(const ChannelOwn& own) const { return !left_out_.contains({own.experiment, own.channel}); }
  void leave_out(const ChannelOwn& own) {
    // Its samples no longer count; what it should show is computed all the same.
    left_out_.insert({own.experiment, own.channel});
    auto row = experiments_[own.experiment].measured.row(own.channel);
    std::vector<Index> finite;
    for (Index n = 0; n < row.size(); ++n)
      if (std::isfinite(row[n])) finite.push_back(n);
    // Three samples stay: a row without any is refused, and its gain, offset and delay meet three without a trace.
    for (std::size_t i = 0; i < finite.size(); ++i)
      if (i != finite.size() * 4 / 10 && i != finite.size() / 2 && i != finite.size() * 6 / 10)
        row[finite[i]] = std::nan("");
  }

  double share(const ChannelOwn& own) const {
    const std::vector<double> r = problem_->residuals(own.experiment, own.channel, found_.best);
    double square = 0.0;
    for (const double x : r) square += x * x;
    return r.empty() ? 1.0 : 1.0 - square / static_cast<double>(r.size());
  }

  // Channels that are late by more than a search from no delay can bridge: periods lie between. They start at the delay
  // with which they fit best, once.
  bool late_ones() {
    bool any = false;
    for (const ChannelOwn& own : owns_) {
      if (!used(own) || share(own) > 0.7 || delay_starts_.contains(own.delay)) continue;
      const InsituExperiment& x = experiments_[own.experiment];
      const MatrixXd c = found_.best.steps[own.experiment].row(own.channel);
      const double end = static_cast<double>(c.cols() - 1) * x.run.step_s,
                   nominal = given_calibration(x, own.channel).delay_s;
      double least = 1.0, best = nominal;
      for (double delay = -0.9 * widest_delay; delay <= 0.9 * widest_delay; delay += 5e-4) {
        std::vector<double> times;
        for (Index n = 0; n < x.measured.cols(); ++n)
          times.push_back(std::clamp(x.sampling.time(n, x.run.step_s) - nominal - delay, 0.0, end));
        const MatrixXd late = Sampling(times, x.run.step_s, c.cols() - 1).at_samples(c);
        for (const double sign : {1.0, -1.0})
          if (const double left = left_over(problem_->measured(own.experiment), own.channel, MatrixXd(sign * late), 0);
              left < least)
            least = left, best = nominal + delay;
      }
      if (1.0 - least < share(own) + 0.1) continue;
      delay_starts_[own.delay] = best;
      any = true;
    }
    return any;
  }

  // What channels should show when all of them are late by the same, in steps of half a millisecond.
  std::vector<MatrixXd> late_by(std::size_t e) const {
    const InsituExperiment& x = experiments_[e];
    const MatrixXd& c = found_.best.steps[e];
    const double end = static_cast<double>(c.cols() - 1) * x.run.step_s;
    std::vector<MatrixXd> out;
    for (int k = -10; k <= 20; ++k) {
      std::vector<double> times;
      for (Index n = 0; n < x.measured.cols(); ++n)
        times.push_back(std::clamp(x.sampling.time(n, x.run.step_s) - 5e-4 * k, 0.0, end));
      out.push_back(Sampling(times, x.run.step_s, c.cols() - 1).at_samples(c));
    }
    return out;
  }

  // Three axes of one sensor that agree when it is turned  [insitu E15]. Its samples are turned back, so that it can help
  // to judge the others.
  void turned(Diagnosis& out) {
    double best = 0.3;
    TurnedSensor found;
    std::array<const ChannelOwn*, 3> of{};
    for (std::size_t e = 0; e < experiments_.size(); ++e) {
      const std::vector<mbs::Output>& outputs = experiments_[e].outputs;
      for (const ChannelOwn& x : owns_) {
        std::array<const ChannelOwn*, 3> axes{};
        for (const ChannelOwn& own : owns_) {
          if (own.experiment != e || x.experiment != e || !used(own)) continue;
          const mbs::Output &o = outputs[at(own.channel)], &first = outputs[at(x.channel)];
          if (can_turn(o) && o.kind == first.kind && o.index == first.index && o.second == first.second)
            axes[at(o.component)] = &own;
        }
        if (axes[0] != &x || axes[1] == nullptr || axes[2] == nullptr) continue;
        const std::array<Index, 3> rows = {axes[0]->channel, axes[1]->channel, axes[2]->channel};
        for (const MatrixXd& c : late_by(e)) {
          const TurnedSensor one = turn_of(problem_->measured(e), c, rows);
          if (one.told() && one.left < best * one.as_named) best = one.left / one.as_named, found = one, of = axes;
        }
      }
    }
    if (of[0] == nullptr) return;
    InsituExperiment& x = experiments_[of[0]->experiment];
    const std::string channel = signal_of(x, of[0]->channel);
    out.findings.push_back(describe_turn(channel.substr(0, channel.rfind('.')), found.turn));
    MatrixXd shown(3, x.measured.cols());
    for (Index k = 0; k < 3; ++k) shown.row(k) = x.measured.row(of[at(k)]->channel);
    const MatrixXd back = found.turn * shown;
    for (Index k = 0; k < 3; ++k) x.measured.row(of[at(k)]->channel) = back.row(k), turned_.insert(of[at(k)]);
  }

  // Pairs of one kind that agree when they change places, whatever their gains and delays are.
  void swaps(Diagnosis& out) {
    double best = 0.3;
    const ChannelOwn *one = nullptr, *two = nullptr;
    for (std::size_t e = 0; e < experiments_.size(); ++e) {
      const InsituExperiment& x = experiments_[e];
      const std::vector<MatrixXd> late = late_by(e);
      const auto left = [&](Index i, Index j) {
        double least = 1.0;
        for (const MatrixXd& c : late) least = std::min(least, left_over(problem_->measured(e), i, c, j));
        return least;
      };
      std::vector<double> own;
      for (Index j = 0; j < x.measured.rows(); ++j) own.push_back(left(j, j));
      for (const ChannelOwn& a : owns_)
        for (const ChannelOwn& b : owns_) {
          if (a.experiment != e || b.experiment != e || a.channel >= b.channel || !used(a) || !used(b)) continue;
          if (x.outputs[at(a.channel)].kind != x.outputs[at(b.channel)].kind) continue;
          const double as_named = own[at(a.channel)] + own[at(b.channel)];
          if (as_named < 0.1) continue;
          const double swapped = left(a.channel, b.channel) + left(b.channel, a.channel);
          if (swapped < best * as_named) best = swapped / as_named, one = &a, two = &b;
        }
    }
    if (one == nullptr) return;
    const InsituExperiment& x = experiments_[one->experiment];
    out.findings.push_back(describe_swap(signal_of(x, one->channel), signal_of(x, two->channel)));
    const ChannelOwn first = *one, second = *two;
    leave_out(first), leave_out(second);
  }

  // The channel that the model explains least, when it hardly does.
  void broken(Diagnosis& out) {
    const ChannelOwn* worst = nullptr;
    double least = 0.5;
    for (const ChannelOwn& own : owns_)
      if (used(own) && share(own) < least) least = share(own), worst = &own;
    if (worst == nullptr) return;
    const InsituExperiment& x = experiments_[worst->experiment];
    const std::string unit = at(worst->channel) < x.units.size() ? x.units[at(worst->channel)] : "";
    out.findings.push_back(describe_fault(signal_of(x, worst->channel), unit, {1.0, 0.0, std::max(0.0, least)}));
    leave_out(*worst);
  }

  void faults(Diagnosis& out) {
    for (std::size_t e = 0; e < experiments_.size(); ++e) {
      std::vector<Finding> found;
      std::vector<double> delays;
      int asked = 0;
      for (const ChannelOwn& own : owns_) {
        if (own.experiment != e || !used(own) || turned_.contains(&own)) continue;
        ++asked;
        const InsituExperiment& x = experiments_[e];
        const ChannelCalibration c = given_calibration(x, own.channel);
        const InsituParameter &gain = parameters_[at(own.gain)], &delay = parameters_[at(own.delay)];
        const VectorXd& p = found_.best.p;
        ChannelMatch match;
        match.share = 1.0;  // broken ones have been told
        match.factor = gain.value(p[own.gain]) / c.gain;
        match.delay_s = delay.value(p[own.delay]) - c.delay_s;
        const double factor_std = std::abs(gain.scale / c.gain) * deviation_[own.gain],
                     delay_std = delay.scale * deviation_[own.delay];
        // What the job leaves open about a sensor is no fault within what it says.
        const double open_factor = at(own.gain) < own_ ? std::min(0.95, known_to * said(own.gain)) : 0.0,
                     open_delay = at(own.delay) < own_ ? known_to * said(own.delay) : 0.0;
        const bool off_factor = std::isfinite(factor_std) &&
                                std::abs(match.factor - 1.0) > std::max({0.02, significant * factor_std, open_factor});
        const bool off_delay = std::isfinite(delay_std) &&
                               std::abs(match.delay_s) > std::max(significant * delay_std, open_delay) &&
                               std::abs(match.delay_s) * quickness(found_.best, own, x) > least_change;
        if (!off_factor && !off_delay) continue;
        if (!off_delay) match.delay_s = 0.0;
        const std::string unit = at(own.channel) < x.units.size() ? x.units[at(own.channel)] : "";
        const ChannelLimits limits{.factor = std::clamp(0.5 * open_factor, 0.05, 0.2), .delay_s = 0.0};
        Finding finding = describe_fault(signal_of(x, own.channel), unit, match, limits);
        if (experiments_.size() > 1) finding.where = x.name + ": " + finding.where;
        accused_.insert_or_assign(finding.where, own);
        if (finding.code == "channel_delay") delays.push_back(match.delay_s);
        found.push_back(std::move(finding));
      }
      // Most channels late by the same: the clock of the recorder.
      if (asked > 2 && static_cast<int>(delays.size()) * 3 > asked * 2) {
        std::sort(delays.begin(), delays.end());
        const double middle = delays[delays.size() / 2];
        if (std::all_of(delays.begin(), delays.end(),
                        [&](double d) { return std::abs(d - middle) < 0.2 * std::abs(middle); })) {
          std::erase_if(found, [](const Finding& f) { return f.code == "channel_delay"; });
          out.findings.push_back(
              {Severity::serious, "record_time", experiments_[e].name,
               fmt::format("all channels come {:.3g} ms {}: the time of the record does not begin with the run",
                           1e3 * std::abs(middle), middle > 0.0 ? "late" : "early"),
               "shift its time, or let the fit find it: time_offset=0 among the start values"});
        }
      }
      out.findings.insert(out.findings.end(), found.begin(), found.end());
    }
  }
  // A wrong sign or unit, exchanged cables or a dead channel bend the fit so that healthy ones seem late or weak. Those
  // are asked again beside a fit of the job's own unknowns without the channels that are surely wrong: an accusation
  // stays only where that fit asks for another factor or delay as well  [insitu E9].
  void judge_again(Diagnosis& out) {
    const auto slight = [](const Finding& f) { return f.code == "channel_delay" || f.code == "channel_gain"; };
    const auto count = std::count_if(out.findings.begin(), out.findings.end(), slight);
    if (count == 0 || count == static_cast<std::ptrdiff_t>(out.findings.size())) return;
    for (const Finding& f : out.findings)
      if (const auto it = accused_.find(f.where); it != accused_.end() && !slight(f)) leave_out(it->second);
    try {
      InsituProblem problem(experiments_, job_, job_priors_);
      VectorXd p = problem.start();
      for (Index i = 0; i < p.size(); ++i)
        if (const Of of = job_[at(i)].of; of == Of::model || of == Of::time_offset) p[i] = found_.best.p[i];
      VectorXd lower, upper;
      search_bounds(job_, options_, problem.start(), lower, upper);
      InsituOptions quick = options_;
      quick.max_iterations = fault_fit_iterations;
      quick.tolerance = 1e-5;
      const double assumed = options_.noise > 0.0 ? options_.noise : 0.02;
      InsituSearch without =
          search_gauss_newton(problem, p.cwiseMax(lower).cwiseMin(upper), lower, upper, assumed, quick, progress_);
      if (!without.best.complete) return;
      const double freedom = std::max(1.0, static_cast<double>(problem.samples() - problem.parameters()));
      const double noise = options_.noise > 0.0 ? options_.noise : std::sqrt(without.best.data / freedom);
      ChannelTest test;
      if (!test_channels(experiments_, job_, job_priors_, problem, without.best, noise, test)) return;
      std::erase_if(out.findings, [&](const Finding& f) {
        const auto it = accused_.find(f.where);
        if (!slight(f) || it == accused_.end()) return false;
        for (std::size_t i = 0; i < owns_.size(); ++i)
          if (owns_[i].experiment == it->second.experiment && owns_[i].channel == it->second.channel)
            return !test.suspect[i];
        return false;
      });
    } catch (const Error&) {
      return;  // too little is left without them
    }
  }

  // Standard deviation that the job gives for a channel's unknown, relative for gains; unlimited where it says nothing.
  double said(int index) const {
    const InsituParameter& p = parameters_[at(index)];
    const double size = p.of == Of::gain ? std::abs(p.start) : 1.0;
    return p.known_std > 0.0 ? p.known_std / size : std::numeric_limits<double>::infinity();
  }

  std::vector<InsituExperiment> experiments_;
  std::vector<InsituParameter> parameters_;
  std::vector<InsituPrior> priors_;
  const std::vector<InsituParameter> job_;  // as given
  const std::vector<InsituPrior> job_priors_;
  const InsituOptions& options_;
  Progress& progress_;
  std::size_t own_ = 0;  // parameters of the job
  std::vector<ChannelOwn> owns_;
  std::optional<InsituProblem> problem_;
  InsituSearch found_;
  VectorXd deviation_;
  double noise_ = 0.0;
  std::set<std::pair<std::size_t, Index>> left_out_;
  std::set<const ChannelOwn*> turned_;         // of sensors that have been told as turned
  std::map<std::string, ChannelOwn> accused_;  // by the place that its finding names
  std::map<int, double> delay_starts_;         // of channels that are far late
};

}  // namespace

Diagnosis find_faults(const std::vector<InsituExperiment>& experiments, const std::vector<InsituParameter>& parameters,
                      const std::vector<InsituPrior>& priors, const VectorXd& from, const VectorXd& best,
                      const VectorXd& deviation, const InsituOptions& options, Progress& progress) {
  return FaultSearch(experiments, parameters, priors, options, progress).find(from, best, deviation);
}

}  // namespace kdyn::inline insitu::internal
