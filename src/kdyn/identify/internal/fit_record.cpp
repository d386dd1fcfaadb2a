// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/fit_record.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/element/simulate.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double samples_per_cycle = 64.0, cycles_taken = 3.0;
constexpr std::size_t most_samples = 4000, most_scored = 256;

void measure_force(FitRecord& r) {
  r.mean = 0.0;
  for (const std::size_t i : r.scored) r.mean += r.force[i] / static_cast<double>(r.scored.size());
  double square = 0.0;
  for (const std::size_t i : r.scored) square += std::pow(r.force[i] - r.mean, 2);
  r.size = std::sqrt(square / static_cast<double>(r.scored.size()));
  if (!(r.size > 0.0)) r.size = 1.0;
}

// Means of `stride` neighbours from `first` on.
void take_thinned(const BenchSeries& s, std::size_t first, std::size_t count, std::size_t stride, FitRecord& out) {
  for (std::size_t i = first; i + stride <= first + count; i += stride) {
    double t = 0.0, u = 0.0, f = 0.0;
    for (std::size_t k = i; k < i + stride; ++k) t += s.time[k], u += s.displacement[k], f += s.force[k];
    const auto n = static_cast<double>(stride);
    out.time.push_back(t / n);
    out.displacement.push_back(u / n);
    out.force.push_back(f / n);
  }
}

}  // namespace

FitRecord make_fit_record(const BenchSeries& series, const std::optional<SineReduction>& sine,
                          std::vector<Finding>& findings) {
  FitRecord out;
  const std::size_t n = series.time.size();
  if (n < 16)
    throw_bad_input(series.source.path, fmt::format("the record has {} samples", n), "give 16 samples or more");
  if (sine) {
    out.sine = true;
    const double per_cycle = static_cast<double>(sine->count) / sine->cycles;
    const auto stride = static_cast<std::size_t>(std::max(1.0, std::floor(per_cycle / samples_per_cycle)));
    const double cycles = std::min(cycles_taken, sine->cycles);
    const auto length = static_cast<std::size_t>(std::floor(cycles * per_cycle));
    take_thinned(series, sine->first + sine->count - length, length, stride, out);
    const auto scored =
        std::min(out.time.size(), static_cast<std::size_t>(std::lround(per_cycle / static_cast<double>(stride))));
    for (std::size_t i = out.time.size() - scored; i < out.time.size(); ++i) out.scored.push_back(i);
    out.guess.frequency_hz = sine->frequency_hz;
    out.guess.amplitude = sine->amplitude;
    out.guess.k_dyn = sine->k_dyn;
    out.guess.loss_angle = sine->loss_angle;
  } else {
    // How fast the motion is: rms velocity over rms displacement.
    const std::vector<double> v = velocity_of(series.time, series.displacement);
    double mean_u = 0.0, mean_f = 0.0, uu = 0.0, vv = 0.0, fu = 0.0, fv = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      mean_u += series.displacement[i] / static_cast<double>(n), mean_f += series.force[i] / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double u = series.displacement[i] - mean_u, f = series.force[i] - mean_f;
      uu += u * u, vv += v[i] * v[i], fu += f * u, fv += f * v[i];
    }
    if (!(uu > 0.0) || !(vv > 0.0))
      throw_bad_input(series.source.path, "the displacement of the record does not change",
                      "give a record of a motion");
    const double omega = std::sqrt(vv / uu), k = fu / uu, c = fv / vv;
    const double interval = (series.time.back() - series.time.front()) / static_cast<double>(n - 1);
    const auto stride =
        static_cast<std::size_t>(std::max(1.0, std::floor(two_pi / (omega * interval) / (2.0 * samples_per_cycle))));
    std::size_t count = n;
    if (n / stride > most_samples) {
      count = most_samples * stride;
      findings.push_back(
          {Severity::note, "record_cut", series.source.path,
           fmt::format("of the record the first {:.4g} s of {:.4g} s are used",
                       series.time[count - 1] - series.time.front(), series.time.back() - series.time.front()),
           "give shorter records to use other parts"});
    }
    take_thinned(series, 0, count, stride, out);
    const std::size_t begin = out.time.size() / 20,
                      step = std::max<std::size_t>(1, (out.time.size() - begin) / most_scored);
    for (std::size_t i = begin; i < out.time.size(); i += step) out.scored.push_back(i);
    out.guess.frequency_hz = omega / two_pi;
    out.guess.amplitude = std::sqrt(2.0 * uu / static_cast<double>(n));
    out.guess.k_dyn = std::hypot(k, c * omega);
    out.guess.loss_angle = std::atan2(c * omega, k);
  }
  out.velocity = velocity_of(out.time, out.displacement);
  measure_force(out);
  return out;
}

std::vector<FitRecord> parts_in_time(const FitRecord& record, std::size_t parts) {
  std::vector<FitRecord> out;
  for (std::size_t p = 0; p < parts; ++p) {
    FitRecord one = record;
    const std::size_t n = record.scored.size();
    one.scored.assign(record.scored.begin() + static_cast<std::ptrdiff_t>(n * p / parts),
                      record.scored.begin() + static_cast<std::ptrdiff_t>(n * (p + 1) / parts));
    measure_force(one);
    out.push_back(std::move(one));
  }
  return out;
}

double force_misfit(const FitRecord& record, const std::vector<double>& model) {
  double mean = 0.0, square = 0.0;
  for (const double f : model) mean += f / static_cast<double>(model.size());
  for (std::size_t i = 0; i < model.size(); ++i)
    square += std::pow(model[i] - mean - (record.force[record.scored[i]] - record.mean), 2);
  return std::sqrt(square / static_cast<double>(model.size())) / record.size;
}

}  // namespace kdyn::inline identify
