// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/internal/loss_part.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::update::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double alike = 0.5;     // scatter of the damping ratios of modes about their mean
constexpr double anything = 3.0;  // scatter of that mean: hardly known
constexpr Index most_lines = 600;

// Loss factors (ratios) and one damping ratio for all else that explain the damping of the paired modes best, with equal
// relative errors.
struct FirstGuess {
  VectorXd ratio;
  double damping = 0.01;
};
FirstGuess first_guess(const PartResult& out, const fe::ReducedModel& model, const VectorXd& start,
                       const PartSearch& search) {
  const ModalForm form = modal_form(model, start, true);
  const Index first = form.rigid(), pairs = static_cast<Index>(out.pairs_after.pairs.size());
  std::vector<Index> losses;
  for (Index s = 0; s < model.loss.size(); ++s)
    if (model.loss[s] > 0.0 && search.free[static_cast<std::size_t>(s)]) losses.push_back(s);
  const auto count = static_cast<Index>(losses.size());
  FirstGuess guess{start};
  if (pairs == 0) return guess;
  MatrixXd a = MatrixXd::Zero(pairs, count + 1);
  VectorXd b(pairs);
  double least = 1.0;
  for (Index i = 0; i < pairs; ++i) {
    const ModePair& pair = out.pairs_after.pairs[static_cast<std::size_t>(i)];
    const Index r = first + pair.model;
    const double square = form.omega[r] * form.omega[r], measured = out.test.damping[pair.test];
    double rest = 2.0 * measured - form.loss(r, r) / square;
    for (Index k = 0; k < count; ++k) {
      const MatrixXd& slope = form.loss_slopes[static_cast<std::size_t>(losses[static_cast<std::size_t>(k)])];
      a(i, k) = slope.size() > 0 ? slope(r, r) / square : 0.0;
      rest += a(i, k) * start[losses[static_cast<std::size_t>(k)]];
    }
    a(i, count) = 2.0, b[i] = rest;
    a.row(i) /= measured, b[i] /= measured;
    least = std::min(least, measured);
  }
  // A little towards the start where the modes do not tell.
  MatrixXd normal = a.transpose() * a;
  VectorXd right = a.transpose() * b;
  for (Index k = 0; k < count; ++k) {
    const double weak = 1e-3 * std::max(normal(k, k), 1e-6);
    normal(k, k) += weak, right[k] += weak * start[losses[static_cast<std::size_t>(k)]];
  }
  normal(count, count) *= 1.0 + 1e-9;
  const VectorXd found = normal.ldlt().solve(right);
  for (Index k = 0; k < count; ++k) {
    const Index s = losses[static_cast<std::size_t>(k)];
    guess.ratio[s] = std::clamp(found[k], search.calibration.lower[s], search.calibration.upper[s]);
  }
  guess.damping = std::clamp(found[count], std::min(0.3 * least, 1e-3), 0.2);
  return guess;
}

void extend(VectorXd& values, Index more, double by) {
  const Index before = values.size();
  values.conservativeResize(before + more);
  values.tail(more).setConstant(by);
}

constexpr double finest =
    0.02;  // relative: deviations of a good model; noise below it does not make a sample count for more

// Channel by channel, whatever a modal model makes of the responses: second differences along the lines where they are
// smooth, or what identification left over, whichever is smaller.
VectorXd noise_of_channels(const ModalResult& identified) {
  VectorXd out = noise_variance(identified);
  const Eigen::MatrixXcd& h = identified.frf.values;
  if (h.rows() < 20) return out;
  for (Index c = 0; c < h.cols(); ++c) {
    std::vector<double> squares;
    for (Index l = 1; l + 1 < h.rows(); ++l) squares.push_back(std::norm(h(l - 1, c) - 2.0 * h(l, c) + h(l + 1, c)));
    // The median of the square of complex normal noise is ln 2 of its mean, that of a second difference six times that.
    out[c] = std::min(out[c], median(squares) / (6.0 * std::log(2.0)));
  }
  return out;
}

// Lines of the test within the band, as they were measured.
std::vector<Index> lines_in_band(const PartResult& out, double low, double high) {
  std::vector<Index> all, some;
  const VectorXd hz = out.identified.frf.omega / two_pi;
  for (Index l = 0; l < hz.size(); ++l)
    if (hz[l] >= low * (1.0 - 1e-9) && hz[l] <= high * (1.0 + 1e-9)) all.push_back(l);
  const std::size_t stride = (all.size() + most_lines - 1) / most_lines;
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

// From the kind that was measured to accelerance.
void to_accelerance(Eigen::MatrixXcd& values, const VectorXd& hz, ResponseKind kind) {
  for (int power = static_cast<int>(kind); power < 2; ++power)
    for (Index l = 0; l < values.rows(); ++l) values.row(l) *= std::complex<double>(0.0, two_pi * hz[l]);
}

Stage measured_stage(const PartResult& out, double damping) {
  const VectorXd& band = out.stages.back().target.frequency_hz;
  const std::vector<Index> lines = lines_in_band(out, band[0], band[band.size() - 1]);
  if (lines.size() < 8)
    throw_bad_input(out.name,
                    fmt::format("{} lines of the test lie in the band: too few for loss factors", lines.size()),
                    "measure more lines, or widen band_hz");
  Stage stage;
  stage.damping = damping;
  stage.target.frequency_hz = out.identified.frf.omega(lines) / two_pi;
  // An exponential window damps what was measured; the identified poles are rid of it.
  stage.target.values = out.identified.added_decay > 0.0
                            ? synthesise(out.identified.model, two_pi * stage.target.frequency_hz)
                            : Eigen::MatrixXcd(out.identified.frf.values(lines, Eigen::all));
  to_accelerance(stage.target.values, stage.target.frequency_hz, out.kind);
  stage.target.use = out.calibration;
  return stage;
}

// The smooth model of the same lines: weights must not follow noise.
Eigen::MatrixXcd smooth_at(const PartResult& out, const Stage& stage) {
  Eigen::MatrixXcd values = synthesise(out.identified.model, two_pi * stage.target.frequency_hz);
  to_accelerance(values, stage.target.frequency_hz, out.kind);
  return values;
}

TargetNoise noise_of_measured(const PartResult& out, const Stage& stage, int draws, std::int64_t seed) {
  const VectorXd& hz = stage.target.frequency_hz;
  const VectorXd deviation = noise_of_channels(out.identified).cwiseSqrt();
  TargetNoise noise;
  noise.std.resize(hz.size(), deviation.size());
  for (Index l = 0; l < hz.size(); ++l)
    noise.std.row(l) = deviation.transpose() * std::pow(two_pi * hz[l], 2 - static_cast<int>(out.kind));
  for (int d = 0; d < draws; ++d) {
    RandomStream random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(d));
    Eigen::MatrixXcd draw(noise.std.rows(), noise.std.cols());
    for (Index c = 0; c < draw.cols(); ++c)
      for (Index l = 0; l < draw.rows(); ++l) {
        const double re = random.normal(), im = random.normal();
        draw(l, c) = std::sqrt(0.5) * noise.std(l, c) * std::complex<double>(re, im);
      }
    noise.draws.push_back(std::move(draw));
  }
  return noise;
}

// [update E34] Samples by the noise of their logarithm, as far as noise is larger than what a good model misses by; those
// that noise hides do not count.
MatrixXd weights(const TargetNoise& noise, const Eigen::MatrixXcd& smooth) {
  const Eigen::ArrayXXd size = smooth.cwiseAbs().array(), ratio = noise.std.array() / (finest * size);
  return (size > 3.0 * noise.std.array()).select(1.0 / (1.0 + ratio.square()), 0.0);
}

// Noise alone, over the samples of the target.
double metric_of_noise(const TargetNoise& noise, const Target& target) {
  std::vector<double> out;
  for (const Eigen::MatrixXcd& draw : noise.draws) out.push_back(log_metric(target.values + draw, target));
  return out.empty() ? 0.0 : median(out);
}

}  // namespace

MatrixXd prior_of(const FullModel& model) {
  const auto n = static_cast<Index>(model.parameters.size());
  MatrixXd out = MatrixXd::Zero(n, n);
  for (Index s = 0; s < n; ++s)
    if (const ParameterSetting& p = model.parameters[static_cast<std::size_t>(s)]; p.prior_std > 0.0) {
      if (p.prior_value * p.nominal < 0.0)
        throw_bad_input(p.name,
                        fmt::format("its known value {:g} and its nominal value {:g} have different signs",
                                    p.prior_value, p.nominal),
                        "check known_value and its unit (SI)");
      out(s, s) = 1.0 / (p.prior_std * p.prior_std);
    }
  return out.isZero(0.0) ? MatrixXd() : out;
}

void set_pull(PartSearch& search, const FullModel& model, double sample_variance, double samples) {
  if (search.gate.prior.size() == 0) return;
  search.calibration.pull = search.gate.model_error * sample_variance / samples * search.gate.prior;
  search.calibration.towards = VectorXd::Ones(search.gate.prior.rows());
  for (std::size_t s = 0; s < model.parameters.size(); ++s)
    if (const ParameterSetting& p = model.parameters[s]; p.prior_std > 0.0 && p.prior_value != 0.0)
      search.calibration.towards[static_cast<Index>(s)] = p.prior_value / p.nominal;
}

void calibrate_losses(PartResult& out, const FullModel& full, const UpdateOptions& options, PartSearch& search,
                      Progress& progress) {
  const auto given = static_cast<Index>(full.parameters.size());
  fe::ReducedModel model = out.model;
  model.loss = VectorXd::Zero(given);
  VectorXd start = out.optimum.ratio;
  for (Index s = 0; s < given; ++s) {
    const ParameterSetting& p = full.parameters[static_cast<std::size_t>(s)];
    if (!p.what.loss) continue;
    model.loss[s] = p.nominal, start[s] = 1.0;
    search.free[static_cast<std::size_t>(s)] = !p.fixed;
    search.calibration.lower[s] = p.fixed ? 1.0 : 1.0 + p.lower;
    search.calibration.upper[s] = p.fixed ? 1.0 : 1.0 + p.upper;
  }
  const FirstGuess guess = first_guess(out, model, start, search);
  // A damping ratio of its own for every mode that shapes the band.
  const Index own = out.after.frequency_hz.size();
  model.mode_damping = VectorXd::Constant(own, guess.damping);
  model.parameters += static_cast<int>(own);
  start = guess.ratio;
  extend(start, own, 1.0);
  extend(search.calibration.lower, own, 0.02), extend(search.calibration.upper, own, 50.0);
  for (Index r = 0; r < own; ++r) {
    search.free.push_back(true);
    search.names.push_back(fmt::format("damping of the mode at {:.4g} Hz", out.after.frequency_hz[r]));
  }
  const MatrixXd told = prior_of(full);
  MatrixXd& prior = search.gate.prior;
  prior = MatrixXd::Zero(given + own, given + own);
  if (told.size() > 0) prior.topLeftCorner(given, given) = told;
  if (own > 0) {
    const MatrixXd apart = MatrixXd::Identity(own, own) - MatrixXd::Constant(own, own, 1.0 / static_cast<double>(own));
    prior.bottomRightCorner(own, own) = apart / (alike * alike) + MatrixXd::Identity(own, own) / (anything * anything);
  }
  Stage stage = measured_stage(out, guess.damping);
  out.noise = noise_of_measured(out, stage, std::max(options.noise_draws, options.monte_carlo_draws), options.seed);
  stage.target.weight = weights(out.noise, smooth_at(out, stage));
  // Noise of raw samples is independent: no draws are needed, unless its size changes along the lines.
  search.noise = {out.noise.std.row(0).cwiseAbs2().transpose(), stage.target.frequency_hz.size(), {}};
  if (!(out.noise.std.rowwise() - out.noise.std.row(0)).isZero(0.0)) search.noise.draws = out.noise.draws;
  const Gate gate =
      identifiability(model, start, stage.target, stage.damping, search.noise, search.free, search.names, search.gate);
  for (Index s = 0; s < given; ++s)
    if (full.parameters[static_cast<std::size_t>(s)].what.loss)
      out.gate.std[s] = gate.std[s],
      out.gate.verdict[static_cast<std::size_t>(s)] = gate.verdict[static_cast<std::size_t>(s)];
  const double samples = stage.target.total_weight();
  set_pull(search, full, gate.sample_variance, samples);
  search.calibration.threads = 0;
  out.optimum = calibrate(model, {stage}, start, search.calibration, progress);
  // Where the model lacks something, all its deviations are larger, and what was known beforehand counts for more.
  const double by_noise = metric_of_noise(out.noise, stage.target);
  if (by_noise > 0.0 && out.optimum.metric > 2.0 * by_noise && out.optimum.status != CalibrationStatus::stopped) {
    search.gate.model_error = out.optimum.metric / by_noise;
    set_pull(search, full, gate.sample_variance, samples);
    out.optimum = calibrate(model, {stage}, out.optimum.ratio, search.calibration, progress);
  }
  search.calibration.threads = 1;
  out.model = std::move(model);
  out.stages.push_back(std::move(stage));
}

}  // namespace kdyn::update::internal
