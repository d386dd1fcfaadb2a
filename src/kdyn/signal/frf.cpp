// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/frf.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"
#include "kdyn/signal/fft.hpp"
#include "kdyn/signal/half_spectra.hpp"
#include "kdyn/signal/internal/frf_blocks.hpp"
#include "kdyn/signal/internal/frf_records.hpp"

namespace kdyn::inline signal {
namespace {

using Complex = std::complex<double>;
using internal::Blocks;
using Record = internal::FrfRecord;

// Sums over blocks at one line. [signal E43]
struct LineSpectra {
  std::vector<Eigen::VectorXcd> U, Y;  // of each block
};

struct Processing {
  const FrfOptions& options;
  FrfEstimate& out;
  double tau = 0.0;

  std::vector<double> weights(const Blocks& blocks, double step, bool force) const {
    if (options.excitation == ModalExcitation::random) return window(Window::hann, blocks.length);
    std::vector<double> w(blocks.length, 1.0);
    if (options.excitation != ModalExcitation::hammer) return w;
    if (force) {
      w = force_window(blocks.length, blocks.force_hold, std::max<std::size_t>(4, blocks.force_hold / 2));
      out.force_window_s = static_cast<double>(blocks.force_hold - blocks.pre_trigger) * step;
    }
    if (tau > 0.0)
      for (std::size_t j = 0; j < w.size(); ++j)
        w[j] *= std::exp(-step * (static_cast<double>(j) - static_cast<double>(blocks.pre_trigger)) / tau);
    return w;
  }

  // A response that has not died away at the end of the block leaks; the window brings it down to 1 % there.
  void choose_decay(const Record& record, const Blocks& blocks) {
    if (options.excitation != ModalExcitation::hammer || tau > 0.0) return;
    double decay_to = options.decay_to;
    if (decay_to == 0.0) {
      double worst = 0.0;
      for (std::size_t b = 0; b < blocks.start.size(); ++b) {
        if (!blocks.info[b].used) continue;
        for (const Signal* s : record.outputs) {
          double top = 0.0, tail = 0.0;
          const std::size_t last_tenth = blocks.length - blocks.length / 10;
          for (std::size_t j = 0; j < blocks.length; ++j) {
            const double v = std::abs(s->values[blocks.start[b] + j]);
            (j < last_tenth ? top : tail) = std::max(j < last_tenth ? top : tail, v);
          }
          if (top > 0.0) worst = std::max(worst, tail / top);
        }
      }
      decay_to = worst > 0.02 ? std::max(0.01, 0.01 / worst) : 1.0;
    }
    if (decay_to >= 1.0) return;
    tau = static_cast<double>(blocks.length - blocks.pre_trigger) * record.step / std::log(1.0 / decay_to);
    out.added_decay = out.response.added_decay = 1.0 / tau;
    out.findings.push_back(
        {Severity::note, "exponential_window", "decay_to",
         fmt::format(
             "an exponential window (down to {:.2g} at the end of the block) adds a decay of {:.5g} 1/s to every pole",
             decay_to, out.added_decay),
         "the files of kdyn frf carry the number, and kdyn modal takes it off again"});
  }

  // Spectra of one block of one signal, offset taken out. The offset is that of the quiet samples before a hit, else
  // the mean.
  std::vector<Complex> transform(const Signal& s, std::size_t start, const Blocks& blocks, const std::vector<double>& w,
                                 std::vector<double>* kept) const {
    const std::size_t quiet = options.excitation == ModalExcitation::hammer
                                  ? std::max<std::size_t>(1, blocks.pre_trigger - 1)
                                  : blocks.length;
    double offset = 0.0;
    for (std::size_t j = 0; j < quiet; ++j) offset += s.values[start + j] / static_cast<double>(quiet);
    std::vector<double> x(blocks.length);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = w[j] * (s.values[start + j] - offset);
    if (kept != nullptr) *kept = x;
    return real_fft(x);
  }
};

// Blocks of a Hann window overlap and are not independent: how many independent ones they are worth (Welch 1967).
// [signal E46]
double effective_share(const FrfOptions& options, std::size_t length, std::size_t count) {
  if (options.excitation != ModalExcitation::random || options.overlap <= 0.0) return 1.0;
  const std::vector<double> w = window(Window::hann, length);
  const auto advance =
      std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(length) * (1.0 - options.overlap)));
  double power = 0.0, sum = 1.0;
  for (const double value : w) power += value * value;
  for (std::size_t k = 1; k * advance < length && k < count; ++k) {
    double product = 0.0;
    for (std::size_t j = 0; j + k * advance < length; ++j) product += w[j] * w[j + k * advance];
    sum += 2.0 * (1.0 - static_cast<double>(k) / static_cast<double>(count)) * (product / power) * (product / power);
  }
  return 1.0 / sum;
}

struct LineEstimate {
  Eigen::MatrixXcd H;                   // outputs x inputs
  Eigen::VectorXd coherence;            // outputs
  Eigen::MatrixXd re_re, re_im, im_im;  // outputs x inputs
};

LineEstimate estimate_line(const LineSpectra& spectra, const FrfOptions& options, double independent_share) {
  const Eigen::Index p = spectra.Y.front().size(), q = spectra.U.front().size();
  Eigen::MatrixXcd Suu = Eigen::MatrixXcd::Zero(q, q), Syu = Eigen::MatrixXcd::Zero(p, q);
  Eigen::VectorXd Syy = Eigen::VectorXd::Zero(p);
  for (std::size_t b = 0; b < spectra.U.size(); ++b) {
    Suu += spectra.U[b] * spectra.U[b].adjoint();
    Syu += spectra.Y[b] * spectra.U[b].adjoint();
    Syy += spectra.Y[b].cwiseAbs2();
  }
  LineEstimate out;
  const Eigen::MatrixXcd inverse = pseudo_inverse(Suu);
  const Eigen::MatrixXcd H1 = product(Syu, inverse);  // [signal E44]
  out.H = H1;
  out.coherence.resize(p);
  for (Eigen::Index y = 0; y < p; ++y) {
    const double explained = (H1.row(y) * Syu.row(y).adjoint())(0, 0).real();  // [signal E45]
    out.coherence[y] = Syy[y] > 0.0 ? std::clamp(explained / Syy[y], 0.0, 1.0) : 0.0;
  }
  if (q == 1 && options.estimator != FrfEstimator::h1)
    for (Eigen::Index y = 0; y < p; ++y) {
      if (std::norm(Syu(y, 0)) == 0.0) continue;
      if (options.estimator == FrfEstimator::h2)
        out.H(y, 0) = Syy[y] / std::conj(Syu(y, 0));
      else
        out.H(y, 0) = std::sqrt(Syy[y] / Suu(0, 0).real()) * Syu(y, 0) / std::abs(Syu(y, 0));
    }
  out.re_re = out.re_im = out.im_im = Eigen::MatrixXd::Zero(p, q);
  const auto n = static_cast<double>(spectra.U.size());
  if (n > static_cast<double>(q)) {
    // [signal E46]: what each block moves the estimate by.
    for (std::size_t b = 0; b < spectra.U.size(); ++b) {
      const Eigen::MatrixXcd v = (spectra.Y[b] - H1 * spectra.U[b]) * (spectra.U[b].adjoint() * inverse);
      out.re_re += v.real().cwiseAbs2();
      out.re_im += v.real().cwiseProduct(v.imag());
      out.im_im += v.imag().cwiseAbs2();
    }
    const double scale = n / (n - static_cast<double>(q)) / independent_share;
    out.re_re *= scale;
    out.re_im *= scale;
    out.im_im *= scale;
  }
  return out;
}

double power(const LineSpectra& line) {
  double sum = 0.0;
  for (const auto& u : line.U) sum += u.squaredNorm();
  return sum / static_cast<double>(line.U.size());
}

// Lines where the force has nearly no content, as at the zeros of a hammer's pulse, tell nothing, whatever their value
// is.
void note_weak_force(const std::map<std::size_t, std::map<int, LineSpectra>>& lines, double df,
                     std::vector<Finding>& findings) {
  double strongest = 0.0;
  std::size_t count = 0, first = 0;
  for (const auto& [m, steps] : lines)
    for (const auto& [step, line] : steps) strongest = std::max(strongest, power(line));
  for (const auto& [m, steps] : lines)
    for (const auto& [step, line] : steps)
      if (power(line) < 1e-5 * strongest) {
        if (count == 0) first = m;
        ++count;
      }
  if (count > 0)
    findings.push_back({Severity::warning, "weak_force", "force",
                        fmt::format("at {} lines, the first at {:.5g} Hz, the force is 50 dB below its strongest line",
                                    count, df * static_cast<double>(first)),
                        "give a band below, or a harder hammer tip"});
}

// All records that share their inputs.
struct Group {
  std::vector<Record> records;
};

void check_options(const FrfOptions& options) {
  if (!options.band_hz.empty() && (options.band_hz.size() != 2 || !(options.band_hz[1] > options.band_hz[0])))
    throw_bad_input("band_hz", "the band must be two increasing frequencies", "write for example --band-hz 10,500");
}

void process_group(const Group& group, Processing& work, bool first_group) {
  const FrfOptions& options = work.options;
  FrfEstimate& out = work.out;
  const Record& front = group.records.front();
  const std::size_t p = front.outputs.size(), q = front.inputs.size();
  if (q > 1 && options.estimator != FrfEstimator::h1)
    throw_bad_input("estimator", fmt::format("h2 and hv are for one input at a time; {} has {}", front.where, q),
                    "choose h1");
  const double rate = 1.0 / front.step;
  std::vector<Blocks> blocks;
  std::size_t length = front.samples;
  FrfOptions cut = options;
  for (int pass = 0; pass < 2; ++pass) {
    // Second pass: all records of the group with the shortest block, so that their lines agree.
    blocks.clear();
    for (const Record& r : group.records) {
      const std::span<const double> force(r.inputs.front()->values.data(), r.samples);
      blocks.push_back(options.excitation == ModalExcitation::hammer
                           ? internal::hammer_blocks(force, rate, cut, r.where)
                           : internal::running_blocks(r.samples, rate, cut, r.where));
      length = std::min(length, blocks.back().length);
    }
    if (out.block_s > 0.0) length = static_cast<std::size_t>(std::llround(out.block_s * rate));
    if (std::all_of(blocks.begin(), blocks.end(), [&](const Blocks& b) { return b.length == length; })) break;
    cut.block_s = static_cast<double>(length) / rate;
  }
  out.sample_rate = rate;
  out.block_s = static_cast<double>(length) / rate;
  const double df = rate / static_cast<double>(length);
  const double low = options.band_hz.empty() ? 0.5 * df : options.band_hz[0],
               high = options.band_hz.empty() ? 0.4 * rate : options.band_hz[1];
  std::map<std::size_t, std::map<int, LineSpectra>> lines;  // by line and step of the multisine
  std::size_t used = 0;
  for (std::size_t r = 0; r < group.records.size(); ++r) {
    const Record& record = group.records[r];
    if (record.outputs.size() != p)
      throw_bad_input(record.where,
                      fmt::format("{} responses where other records of this input have {}", record.outputs.size(), p),
                      "give records with the same sensors");
    work.choose_decay(record, blocks[r]);
    const std::vector<double> wf = work.weights(blocks[r], record.step, true),
                              wy = work.weights(blocks[r], record.step, false);
    for (std::size_t b = 0; b < blocks[r].start.size(); ++b) {
      BlockInfo& info = blocks[r].info[b];
      if (info.used) {
        ++used;
        std::vector<std::vector<Complex>> U, Y;
        const bool example = out.example_time.empty();
        for (const Signal* s : record.inputs)
          U.push_back(work.transform(*s, blocks[r].start[b], blocks[r], wf,
                                     example && U.empty() ? &out.example_force : nullptr));
        for (const Signal* s : record.outputs)
          Y.push_back(work.transform(*s, blocks[r].start[b], blocks[r], wy,
                                     example && Y.empty() ? &out.example_response : nullptr));
        if (example)
          for (std::size_t j = 0; j < blocks[r].length; ++j)
            out.example_time.push_back((static_cast<double>(j) - static_cast<double>(blocks[r].pre_trigger)) *
                                       record.step);
        for (std::size_t m = 1; m < U.front().size(); ++m) {
          const double f = df * static_cast<double>(m);
          if (f < low * (1.0 - 1e-12) || f > high * (1.0 + 1e-12)) continue;
          LineSpectra& line = lines[m][blocks[r].segment[b]];
          Eigen::VectorXcd u(static_cast<Eigen::Index>(q)), y(static_cast<Eigen::Index>(p));
          for (std::size_t i = 0; i < q; ++i) u[static_cast<Eigen::Index>(i)] = U[i][m];
          for (std::size_t i = 0; i < p; ++i) y[static_cast<Eigen::Index>(i)] = Y[i][m];
          line.U.push_back(std::move(u));
          line.Y.push_back(std::move(y));
        }
      }
      out.blocks.push_back(info);
    }
  }
  if (used == 0)
    throw_bad_input(front.where, "no block is fit for averaging: every hit is a double hit or clipped",
                    "repeat the test, or set keep_double_hits");
  if (first_group) out.averages = static_cast<int>(used);
  if (lines.empty())
    throw_bad_input("band_hz", "no frequency line lies in the band", "widen the band or give longer blocks");

  // Excited lines: of each step the strong ones; where several steps hold a line, the strongest step speaks.
  const bool steady =
      options.excitation == ModalExcitation::periodic || options.excitation == ModalExcitation::multisine;
  std::map<int, double> strongest;
  if (!steady) note_weak_force(lines, df, out.findings);
  if (steady)
    for (const auto& [m, steps] : lines)
      for (const auto& [step, line] : steps) strongest[step] = std::max(strongest[step], power(line));
  const double share = effective_share(options, length, used);
  FrequencyResponse& response = out.response;
  std::vector<double> frequencies;
  std::vector<LineEstimate> estimates;
  for (const auto& [m, steps] : lines) {
    const LineSpectra* best = nullptr;
    for (const auto& [step, line] : steps) {
      if (steady && power(line) < options.excited_level * options.excited_level * strongest[step]) continue;
      if (best == nullptr || power(line) > power(*best)) best = &line;
    }
    if (best == nullptr) continue;
    frequencies.push_back(df * static_cast<double>(m));
    estimates.push_back(estimate_line(*best, options, share));
  }
  if (first_group) response.frequency_hz = frequencies;
  if (response.frequency_hz != frequencies)
    throw_bad_input(front.where, "its lines differ from those of the records before",
                    "use one block length, rate and excitation for all records");
  const bool scatter = used > q;
  for (std::size_t u = 0; u < q; ++u)
    for (std::size_t y = 0; y < p; ++y) {
      FrequencyResponseChannel channel;
      channel.output = front.outputs[y]->dof;
      channel.input = front.inputs[u]->dof;
      if (channel.output == Dof{}) channel.output.name = front.outputs[y]->name;
      if (channel.input == Dof{}) channel.input.name = front.inputs[u]->name;
      channel.output_unit = front.outputs[y]->unit;
      channel.input_unit = front.inputs[u]->unit;
      const auto iy = static_cast<Eigen::Index>(y), iu = static_cast<Eigen::Index>(u);
      for (const LineEstimate& e : estimates) {
        channel.values.push_back(e.H(iy, iu));
        channel.coherence.push_back(e.coherence[iy]);
        if (scatter) channel.covariance.push_back({e.re_re(iy, iu), e.re_im(iy, iu), e.im_im(iy, iu)});
      }
      response.channels.push_back(std::move(channel));
    }
}

}  // namespace

FrfEstimate estimate_frf(const std::vector<SignalSet>& records, const FrfOptions& options) {
  check_options(options);
  if (records.empty()) throw_bad_input("data", "there is no record", "give files with force and response signals");
  if (options.excitation == ModalExcitation::ambient) return estimate_half_spectra(records, options);
  std::vector<Group> groups;
  for (const SignalSet& set : records) {
    Record record = internal::sort_signals(set, options);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      const auto& inputs = g.records.front().inputs;
      return inputs.size() == record.inputs.size() &&
             std::equal(inputs.begin(), inputs.end(), record.inputs.begin(),
                        [](const Signal* a, const Signal* b) { return a->dof == b->dof && a->name == b->name; });
    });
    if (same != groups.end())
      same->records.push_back(std::move(record));
    else
      groups.push_back({{std::move(record)}});
  }
  FrfEstimate out;
  Processing work{options, out};
  if (options.excitation == ModalExcitation::hammer && options.block_s == 0.0 && groups.size() > 1) {
    // One block length for all hammer positions: the shortest any of them allows.
    double shortest = 1e300;
    for (const Group& g : groups)
      for (const Record& r : g.records)
        shortest =
            std::min(shortest, static_cast<double>(internal::hammer_blocks({r.inputs.front()->values.data(), r.samples},
                                                                           1.0 / r.step, options, r.where)
                                                       .length) *
                                   r.step);
    out.block_s = shortest;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) process_group(groups[g], work, g == 0);
  for (const Group& g : groups)
    for (const Record& r : g.records) {
      // Hits with a clipped force are left out one by one.
      if (options.excitation != ModalExcitation::hammer)
        for (const Signal* s : r.inputs) internal::note_clipping(*s, r, out.findings);
      for (const Signal* s : r.outputs) internal::note_clipping(*s, r, out.findings);
      if (options.excitation != ModalExcitation::ambient)  // whose references are outputs as well
        for (const Signal* s : r.inputs) internal::note_faults(*s, r, out.findings);
      for (const Signal* s : r.outputs) internal::note_faults(*s, r, out.findings);
    }
  const auto rejected = std::count_if(out.blocks.begin(), out.blocks.end(), [](const BlockInfo& b) { return !b.used; });
  if (rejected > 0)
    out.findings.push_back(
        {Severity::warning, "blocks_left_out", "hits",
         fmt::format("{} of {} hits were left out: double hits or clipped force", rejected, out.blocks.size()),
         "see the list of hits; repeat the test when few are left"});
  if (out.averages < 3)
    out.findings.push_back({Severity::warning, "few_averages", "averages",
                            fmt::format("only {} averages: coherence and covariance say little", out.averages),
                            "average at least three hits or blocks"});
  return out;
}

}  // namespace kdyn::inline signal
