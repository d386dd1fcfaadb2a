// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/decays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/signal/fir.hpp"
#include "kdyn/vehicle/internal/likelihood.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr double averaged_rate_hz = 200.0;  // wheels hop below 20 Hz: enough for all there is
constexpr double shortest_decay_s = 0.5;

std::span<const double> column(const Eigen::MatrixXd& m, int c) {
  return {m.col(c).data(), static_cast<std::size_t>(m.rows())};
}

template <class Operate>
Eigen::MatrixXd each_channel(const Eigen::MatrixXd& samples, Operate&& operate) {
  Eigen::MatrixXd out;
  for (int c = 0; c < samples.cols(); ++c) {
    const std::vector<double> y = operate(column(samples, c));
    if (c == 0) out.resize(static_cast<Eigen::Index>(y.size()), samples.cols());
    out.col(c) = Eigen::Map<const Eigen::VectorXd>(y.data(), out.rows());
  }
  return out;
}

Eigen::MatrixXd averaged(const Eigen::MatrixXd& samples, std::int64_t block) {
  if (block <= 1) return samples;
  return each_channel(samples,
                      [block](std::span<const double> y) { return block_means(y, static_cast<std::size_t>(block)); });
}

void check_channels(const DecayRecord& record, const std::vector<DecayChannel>& channels) {
  for (int c = 0; c < record.samples.cols(); ++c) {
    const auto y = record.samples.col(c);
    if (!y.allFinite())
      throw_bad_input(
          record.where,
          fmt::format("channel {} holds a number that is not finite", channels[static_cast<std::size_t>(c)].name),
          "repair the measurement");
    if (y.size() > 1 && (y.array() == y[0]).all() && y[0] != 0.0)
      throw_bad_input(record.where,
                      fmt::format("channel {} does not move: every sample is {:g}",
                                  channels[static_cast<std::size_t>(c)].name, y[0]),
                      "check the sensor and its cable");
  }
}

}  // namespace

// [vehicle E21] A free motion is a linear recursion, backwards too: a block mean follows from the two after it. The
// recursion is learnt from the end of the record towards its beginning; the first block that breaks it was under
// excitation. Returns the block after it.
static Eigen::Index first_free_block(Eigen::MatrixXd y) {
  const Eigen::Index count = y.rows(), n = y.cols();
  constexpr Eigen::Index learning = 30, remembered = 10;
  constexpr double break_ratio = 4.0, floor = 1e-6;  // of the usual error; of the channel's rms
  // A channel that the case does not excite (roll after a symmetric bump) holds rounding at most, which follows no
  // recursion.
  constexpr double at_rest = 1e-9;  // of the largest channel, m or rad alike
  const Eigen::RowVectorXd size = y.colwise().norm() / std::sqrt(static_cast<double>(count));
  for (int c = 0; c < n; ++c) {
    if (size[c] > at_rest * size.maxCoeff())
      y.col(c) /= size[c];
    else
      y.col(c).setZero();
  }
  Eigen::MatrixXd gram = 1e-10 * Eigen::MatrixXd::Identity(2 * n, 2 * n);
  Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(2 * n, n);
  Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(n);
  Eigen::ArrayXXd recent = Eigen::ArrayXXd::Zero(n, remembered);
  const Eigen::Index latest = 6 * count / 10;  // what is left must be a decay of use
  for (Eigen::Index k = count - 3, seen = 0; k >= 0; --k, ++seen) {
    Eigen::VectorXd after(2 * n);
    after << y.row(k + 1).transpose(), y.row(k + 2).transpose();
    if (const Eigen::Index tested = seen - learning; tested >= 0) {
      const Eigen::ArrayXd error = (y.row(k).transpose() - gram.ldlt().solve(cross).transpose() * after).array().abs();
      // The largest of the last errors follows wheel hop as it rises out of rounding; the rms keeps chance from looking
      // like an event.
      const Eigen::ArrayXd rms = (squares / std::max<double>(1.0, static_cast<double>(tested))).sqrt();
      const Eigen::ArrayXd usual = recent.rowwise().maxCoeff().max(2.0 * rms).max(floor);
      if (tested >= remembered && k < latest && (error > break_ratio * usual).any()) return k + 1;
      recent.col(tested % remembered) = error;
      squares += error.square();
    }
    gram += after * after.transpose();
    cross += after * y.row(k);
  }
  return 0;
}

std::size_t find_decay_start(const DecayRecord& record, bool displacement) {
  std::size_t start = 0;
  std::int64_t last = 0;
  const auto search = [&](double block_s) {
    const auto block = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(block_s / record.interval)));
    if (block == last || record.samples.rows() / block < 52) return;
    last = block;
    start = std::max(start, static_cast<std::size_t>(first_free_block(averaged(record.samples, block)) * block));
  };
  // Short blocks place the end of the excitation; longer ones see a gentle one below the noise.
  search(0.01);
  search(0.02);
  if (!displacement) return start;
  // The displacement of a wheel tells of a force later and more softly than its acceleration. Blocks of 40 ms sometimes
  // break too late; the fitted vehicle brings that back.
  constexpr double guard_s = 0.02;
  if (start == 0) search(0.04);
  return start > 0 ? start + static_cast<std::size_t>(std::llround(guard_s / record.interval)) : 0;
}

std::vector<double> estimate_noise(const DecaySet& set) {
  // [vehicle E22] In the second half only slow body motion is left; fourth differences remove it and leave noise of
  // variance 70 sigma^2.
  const int n = set.channel_count();
  std::vector<double> sum(static_cast<std::size_t>(n), 0.0);
  double count = 0.0;
  for (const DecayRecord& r : set.records) {
    const Eigen::Index half = r.samples.rows() / 2;
    for (Eigen::Index k = half; k + 4 < r.samples.rows(); ++k) {
      for (int c = 0; c < n; ++c) {
        const auto y = r.samples.col(c);
        const double d = y[k] - 4.0 * y[k + 1] + 6.0 * y[k + 2] - 4.0 * y[k + 3] + y[k + 4];
        sum[static_cast<std::size_t>(c)] += d * d / 70.0;
      }
      count += 1.0;
    }
  }
  for (double& s : sum) s = count > 0.0 ? std::sqrt(s / count) : 0.0;
  return sum;
}

VehicleMatrices<double> DecaySet::matrices(const Vehicle<double>& vehicle, int config) const {
  const auto at = static_cast<std::size_t>(config - 1);
  return vehicle.matrices(config > 0 && at < added.size() ? added[at] : AddedMass{},
                          config > 0 && at < points.size() ? points[at] : std::vector<PointMass>{});
}

std::vector<std::string> clipped_channels(const DecaySet& measured) {
  std::vector<std::string> out;
  for (int c = 0; c < measured.channel_count(); ++c) {
    double high = -std::numeric_limits<double>::infinity(), low = -high;
    for (const DecayRecord& r : measured.records)
      if (r.samples.rows() > 0)
        high = std::max(high, r.samples.col(c).maxCoeff()), low = std::min(low, r.samples.col(c).minCoeff());
    // Runs of three and more at an end of the range, against equal neighbours elsewhere: coarse digits have many.
    std::size_t at_end = 0, equal = 0, all = 0;
    for (const DecayRecord& r : measured.records) {
      Eigen::Index run = 1;
      for (Eigen::Index k = 1; k < r.samples.rows(); ++k, ++all) {
        const double y = r.samples(k, c);
        const bool same = y == r.samples(k - 1, c);
        run = same ? run + 1 : 1;
        const bool end = y == high || y == low;
        if (same && !end) ++equal;
        if (run == 3 && end) at_end += 3;
        if (run > 3 && end) ++at_end;
      }
    }
    if (high > low && at_end >= 3 && 20 * equal < all)
      out.push_back(measured.channels[static_cast<std::size_t>(c)].name);
  }
  return out;
}

PreparedDecays prepare_decays(const DecaySet& measured, const DecayOptions& options,
                              const std::vector<double>& start_s) {
  if (measured.records.empty()) throw_bad_input("data", "there is no decay", "give the file with the measured decays");
  PreparedDecays out;
  out.set.layout = measured.layout;
  out.set.channels = measured.channels;
  out.set.added = measured.added;
  out.set.points = measured.points;
  const DecayRecord& first = measured.records.front();
  for (const DecayRecord& r : measured.records) {
    if (r.samples.cols() != measured.channel_count())
      throw_bad_input(r.where,
                      fmt::format("a decay has {} channels, not {}", measured.channel_count(), r.samples.cols()),
                      "give zs, theta, phi, zuA, zuB, zuC and zuD, or all channels of the sensors");
    if (!(r.interval > 0.0))
      throw_bad_input(r.where, "the sampling interval is not known", "add a column time_s, or give sample_interval_s");
    if (std::abs(r.interval / first.interval - 1.0) > 1e-6)
      throw_bad_input(r.where,
                      fmt::format("sampling rates are mixed: {:g} Hz here, {:g} Hz in {}", 1.0 / r.interval,
                                  1.0 / first.interval, first.where),
                      "resample the records to one rate, or identify them one set at a time");
    check_channels(r, measured.channels);
  }
  const bool displacement = std::any_of(measured.channels.begin(), measured.channels.end(),
                                        [](const DecayChannel& c) { return c.kind == MotionKind::displacement; });
  const double rate = 1.0 / first.interval;
  if (const std::vector<std::string> clipped = clipped_channels(measured); !clipped.empty())
    out.findings.push_back({Severity::serious, "clipped", join(clipped, ", "),
                            fmt::format("{} stay at the end of their range: the sensor or the amplifier is overdriven",
                                        join(clipped, ", ")),
                            "use a wider range or a lower bump; what is clipped is no free decay"});
  out.average =
      options.average > 0
          ? options.average
          : std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(rate / averaged_rate_hz * (1.0 + 1e-9))));
  std::vector<double> taps;
  if (options.low_pass_hz) {
    if (*options.low_pass_hz >= 0.45 * rate)
      throw_bad_input(
          "low_pass_hz",
          fmt::format("{:g} Hz is not below half of the sampling rate of {:g} Hz", *options.low_pass_hz, rate),
          "leave it out or choose a lower frequency");
    // As many taps as low_pass_taps will make: 80 dB within half of the frequency.
    const double wanted = 10.04 * rate / *options.low_pass_hz, samples = static_cast<double>(first.samples.rows());
    if (wanted > samples)
      throw_bad_input("low_pass_hz",
                      fmt::format("a filter at {:g} Hz is longer than the records of {:.3g} s", *options.low_pass_hz,
                                  samples / rate),
                      "leave it out or choose a higher frequency");
    taps = low_pass_taps(*options.low_pass_hz, 0.5 * *options.low_pass_hz, rate);
  }
  std::vector<std::string> cut;
  for (std::size_t i = 0; i < measured.records.size(); ++i) {
    const DecayRecord& r = measured.records[i];
    std::size_t from = 0;
    auto to = static_cast<std::size_t>(r.samples.rows());
    if (!start_s.empty())
      from = static_cast<std::size_t>(std::llround(start_s[i] / r.interval));
    else if (options.start_s)
      from = static_cast<std::size_t>(std::llround(*options.start_s / r.interval));
    else if (options.cut_bump && r.road.rows() == 0)
      from = find_decay_start(r, displacement);
    if (options.end_s) to = std::min(to, static_cast<std::size_t>(std::llround(*options.end_s / r.interval)));
    DecayRecord kept = r;
    from = std::min(from, to);
    kept.samples = r.samples.middleRows(static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(to - from));
    if (!taps.empty())
      kept.samples = each_channel(kept.samples, [&](std::span<const double> y) { return filter_inside(y, taps); });
    kept.samples = averaged(kept.samples, out.average);
    kept.averaged = out.average;
    if (r.road.rows() > 0)
      kept.road = r.road.middleRows(static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(to - from));
    kept.interval = r.interval * static_cast<double>(out.average);
    const double length = static_cast<double>(kept.samples.rows()) * kept.interval;
    if (kept.samples.rows() <= 2 * internal::DecayLikelihood::shortest_record(measured.layout) ||
        length < shortest_decay_s)
      throw_bad_input(
          r.where,
          fmt::format("the free decay of case {} is too short: {} samples, {:.3g} s after the excitation "
                      "(cut at {:.3g} s); at least {} "
                      "samples and {:g} s are needed",
                      r.name, kept.samples.rows(), length, static_cast<double>(from) * r.interval,
                      2 * internal::DecayLikelihood::shortest_record(measured.layout) + 1, shortest_decay_s),
          "record 2 s or more after the bump, or sample faster");
    out.start_s.push_back(static_cast<double>(from) * r.interval);
    if (from > 0 && !options.start_s)
      cut.push_back(fmt::format("{:.3g} s of {} (config {})", out.start_s.back(), r.name, r.config));
    out.set.records.push_back(std::move(kept));
  }
  if (!cut.empty())
    out.findings.push_back({Severity::note, "bump_cut", "data",
                            fmt::format("under excitation and cut: the first {}", join(cut, ", ")),
                            "give start_s if a cut is wrong"});
  if (out.average > 1)
    out.findings.push_back({Severity::note, "averaged", "data",
                            fmt::format("{} samples were averaged into one: {:g} Hz instead of {:g} Hz", out.average,
                                        rate / static_cast<double>(out.average), rate),
                            "exact for free decays; set average=1 to use every sample"});
  if (options.low_pass_hz)
    out.findings.push_back(
        {Severity::note, "low_pass", "data",
         fmt::format(
             "a low-pass at {:g} Hz makes the noise of neighbouring samples alike: the intervals come out too narrow",
             *options.low_pass_hz),
         "maximum likelihood needs no filter; leave low_pass_hz out"});
  return out;
}

const FieldTable& fields_of(const DecayOptions*) {
  using O = DecayOptions;
  static const FieldTable table = FieldTable::of<O>("decays", [](FieldTable& t) {
    t.add(&O::cut_bump, "cut_bump", "-", "Find the end of the excitation in every record and start there");
    t.add(&O::start_s, "start_s", "s", "Start of the free decay in every record; null: found in the data")
        .range(0.0, 1e6);
    t.add(&O::end_s, "end_s", "s", "End of the part that is used; null: the whole record").above(0.0);
    t.add(&O::average, "average", "-", "Samples averaged into one; 0: as many as leave 200 Hz").range(0, 1e6);
    t.add(&O::low_pass_hz, "low_pass_hz", "Hz",
          "Low-pass before the identification; null: none, which is best for maximum likelihood")
        .above(0.0);
    t.add(&O::remove_offset, "remove_offset", "-", "Estimate a constant offset in every channel and record");
  });
  return table;
}

}  // namespace kdyn::inline vehicle
