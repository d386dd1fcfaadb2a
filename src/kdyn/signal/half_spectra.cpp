// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/half_spectra.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "kdyn/base/error.hpp"
#include "kdyn/signal/fft.hpp"
#include "kdyn/signal/internal/frf_records.hpp"

namespace kdyn::inline signal {
namespace {

using Complex = std::complex<double>;
using internal::FrfRecord;

constexpr std::size_t most_references = 6;
constexpr std::size_t segment_delays = 4;  // length of a segment over the longest delay

// References that together tell most of all signals: pivoted Cholesky of their correlation at delay zero.
std::vector<std::size_t> choose_references(const FrfRecord& record) {
  const auto p = static_cast<Eigen::Index>(record.outputs.size());
  Eigen::MatrixXd X(static_cast<Eigen::Index>(record.samples), p);
  for (Eigen::Index i = 0; i < p; ++i) {
    const Eigen::Map<const Eigen::VectorXd> values(record.outputs[static_cast<std::size_t>(i)]->values.data(),
                                                   X.rows());
    X.col(i) = values.array() - values.mean();
    const double size = X.col(i).norm();
    if (size > 0.0) X.col(i) /= size;
  }
  Eigen::MatrixXd left = X.transpose() * X;
  std::vector<std::size_t> out;
  while (out.size() < std::min(most_references, record.outputs.size())) {
    Eigen::Index best = 0;
    // The one that explains most of all that is left.
    double most = 0.0;
    for (Eigen::Index i = 0; i < p; ++i)
      if (const double d = left(i, i); d > 1e-6 && left.col(i).squaredNorm() / d > most)
        most = left.col(i).squaredNorm() / d, best = i;
    if (!(most > 0.0)) break;
    out.push_back(static_cast<std::size_t>(best));
    const Eigen::VectorXd column = left.col(best);
    left -= column * column.transpose() / left(best, best);
    if (left.trace() < 0.02 * static_cast<double>(p)) break;
  }
  if (out.empty()) out.push_back(0);
  return out;
}

std::vector<Complex> transform(const Signal& s, std::size_t start, std::size_t count, std::size_t padded) {
  double mean = 0.0;
  for (std::size_t j = 0; j < count; ++j) mean += s.values[start + j] / static_cast<double>(count);
  std::vector<double> x(padded, 0.0);
  for (std::size_t j = 0; j < count; ++j) x[j] = s.values[start + j] - mean;
  return real_fft(x);
}

}  // namespace

FrfEstimate estimate_half_spectra(const std::vector<SignalSet>& sets, const FrfOptions& options) {
  std::vector<FrfRecord> records;
  for (const SignalSet& set : sets) records.push_back(internal::sort_signals(set, options));
  const FrfRecord& front = records.front();
  for (const FrfRecord& r : records) {
    const bool same =
        r.outputs.size() == front.outputs.size() && std::abs(r.step - front.step) <= 1e-9 * front.step &&
        std::equal(r.outputs.begin(), r.outputs.end(), front.outputs.begin(),
                   [](const Signal* a, const Signal* b) { return a->dof == b->dof && a->name == b->name; });
    if (!same)
      throw_bad_input(r.where, "its sensors or its sampling differ from those of the first record",
                      "give records with the same sensors and one sampling rate");
  }
  const std::size_t p = front.outputs.size();
  std::vector<std::size_t> references;
  for (std::size_t i = 0; i < p; ++i)
    if (std::find(front.inputs.begin(), front.inputs.end(), front.outputs[i]) != front.inputs.end())
      references.push_back(i);
  FrfEstimate out;
  const bool chosen = references.empty();
  if (chosen) references = choose_references(front);
  std::size_t longest = 0;
  for (const FrfRecord& r : records) longest = std::max(longest, r.samples);
  const double dt = front.step;
  const std::size_t delays = options.block_s > 0.0 ? static_cast<std::size_t>(std::llround(options.block_s / dt))
                                                   : std::min<std::size_t>(longest / 20, 4096);
  if (delays < 32 || delays * segment_delays > longest)
    throw_bad_input(front.where,
                    fmt::format("{} samples are too few for correlations over {} of them", longest, delays),
                    "records of responses alone want thousands of periods of the lowest mode; give a smaller block_s "
                    "or a longer record");
  const double decay_to = options.decay_to > 0.0 ? options.decay_to : 0.01;
  const double decay = decay_to < 1.0 ? std::log(1.0 / decay_to) / (static_cast<double>(delays) * dt) : 0.0;
  std::vector<double> weight(delays);
  for (std::size_t k = 0; k < delays; ++k)
    weight[k] = (k == 0 ? 0.5 : 1.0) * dt * std::exp(-decay * static_cast<double>(k) * dt);

  const double df = 1.0 / (static_cast<double>(delays) * dt);
  const double low = options.band_hz.empty() ? 0.5 * df : options.band_hz[0],
               high = options.band_hz.empty() ? 0.4 / dt : options.band_hz[1];
  std::vector<std::size_t> lines;
  for (std::size_t m = 1; m <= delays / 2; ++m)
    if (const double f = df * static_cast<double>(m); f >= low * (1.0 - 1e-12) && f <= high * (1.0 + 1e-12))
      lines.push_back(m);
  if (lines.empty())
    throw_bad_input("band_hz", "no frequency line lies in the band", "widen the band or give longer blocks");

  const std::size_t channels = p * references.size();
  const auto rows = static_cast<Eigen::Index>(lines.size());
  // Sums of values, and of squares for the scatter.
  Eigen::MatrixXcd sum = Eigen::MatrixXcd::Zero(rows, static_cast<Eigen::Index>(channels));
  Eigen::MatrixXd re_re = Eigen::MatrixXd::Zero(sum.rows(), sum.cols()), re_im = re_re, im_im = re_re;
  for (const FrfRecord& r : records) {
    const std::size_t segments = r.samples / (segment_delays * delays);
    for (std::size_t segment = 0; segment < segments; ++segment) {
      const std::size_t count = r.samples / segments, start = segment * count;
      std::size_t padded = 1;
      while (padded < count + delays) padded *= 2;
      std::vector<std::vector<Complex>> spectra;
      for (const Signal* s : r.outputs) spectra.push_back(transform(*s, start, count, padded));
      for (std::size_t u = 0; u < references.size(); ++u)
        for (std::size_t y = 0; y < p; ++y) {
          std::vector<Complex> cross(spectra[y].size());
          for (std::size_t m = 0; m < cross.size(); ++m)
            cross[m] = spectra[y][m] * std::conj(spectra[references[u]][m]);
          const std::vector<double> correlation = inverse_real_fft(cross, padded);
          std::vector<double> windowed(delays);
          for (std::size_t k = 0; k < delays; ++k)  // [signal E48]
            windowed[k] = weight[k] * correlation[k] / static_cast<double>(count - k);
          const std::vector<Complex> half = real_fft(windowed);  // [signal E49]
          const auto column = static_cast<Eigen::Index>(y + p * u);
          for (Eigen::Index i = 0; i < rows; ++i) {
            const Complex value = half[lines[static_cast<std::size_t>(i)]];
            sum(i, column) += value;
            re_re(i, column) += value.real() * value.real();
            re_im(i, column) += value.real() * value.imag();
            im_im(i, column) += value.imag() * value.imag();
          }
        }
      BlockInfo info;
      info.start_s = static_cast<double>(start) * dt;
      for (const Signal* s : r.outputs)
        for (std::size_t j = start; j < start + count; ++j) info.peak = std::max(info.peak, std::abs(s->values[j]));
      out.blocks.push_back(std::move(info));
      ++out.averages;
    }
  }
  const auto n = static_cast<double>(out.averages);
  out.sample_rate = 1.0 / dt;
  out.block_s = static_cast<double>(delays) * dt;
  out.added_decay = out.response.added_decay = decay;
  for (const std::size_t m : lines) out.response.frequency_hz.push_back(df * static_cast<double>(m));
  for (std::size_t u = 0; u < references.size(); ++u)
    for (std::size_t y = 0; y < p; ++y) {
      const Signal &answer = *front.outputs[y], &reference = *front.outputs[references[u]];
      FrequencyResponseChannel channel;
      channel.output = answer.dof, channel.input = reference.dof;
      if (channel.output == Dof{}) channel.output.name = answer.name;
      if (channel.input == Dof{}) channel.input.name = reference.name;
      channel.output_unit = answer.unit, channel.input_unit = reference.unit;
      const auto column = static_cast<Eigen::Index>(y + p * u);
      for (Eigen::Index i = 0; i < rows; ++i) {
        const Complex mean = sum(i, column) / n;
        channel.values.push_back(mean);
        if (out.averages > 1) {
          const double scale = 1.0 / (n - 1.0);
          channel.covariance.push_back({std::max(0.0, re_re(i, column) / n - mean.real() * mean.real()) * scale,
                                        (re_im(i, column) / n - mean.real() * mean.imag()) * scale,
                                        std::max(0.0, im_im(i, column) / n - mean.imag() * mean.imag()) * scale});
        }
      }
      out.response.channels.push_back(std::move(channel));
    }
  for (std::size_t k = 0; k < delays; ++k) out.example_time.push_back(static_cast<double>(k) * dt);
  std::string names;
  for (const std::size_t i : references) {
    const Signal& s = *front.outputs[i];
    names += (names.empty() ? "" : ", ") + (s.dof == Dof{} ? s.name : label(s.dof));
  }
  out.findings.push_back(
      {Severity::note, "output_only", "excitation",
       fmt::format("half spectra with {} as reference{}{}: modal masses stay unknown", names,
                   references.size() > 1 ? "s" : "", chosen ? ", chosen by kdyn" : ""),
       "a machine at constant speed looks like a mode without damping: leave its lines out by band_hz"});
  if (decay > 0.0)
    out.findings.push_back(
        {Severity::note, "exponential_window", "decay_to",
         fmt::format("the window of the correlations adds a decay of {:.5g} 1/s to every pole", decay),
         "the files of kdyn frf carry the number, and kdyn modal takes it off again"});
  if (out.averages < 10)
    out.findings.push_back({Severity::warning, "few_averages", "averages",
                            fmt::format("only {} segments: damping scatters", out.averages),
                            "record longer; ten segments of four delays each are little, fifty are good"});
  for (const FrfRecord& r : records)
    for (const Signal* s : r.outputs) internal::note_clipping(*s, r, out.findings);
  return out;
}

}  // namespace kdyn::inline signal
