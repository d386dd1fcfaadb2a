// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/target_noise.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/sysid/refine.hpp"

namespace kdyn::update {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

Retest::Retest(const ModalResult& identified, std::int64_t seed)
    : identified_(identified),
      seed_(seed),
      deviation_((0.5 * noise_variance(identified)).cwiseSqrt()),
      smooth_(synthesise(identified.fitted, identified.frf.omega)) {}

ModalModel Retest::identify(int draw) const {
  RandomStream random(static_cast<std::uint64_t>(seed_), static_cast<std::uint64_t>(draw));
  FrfMatrix noisy = identified_.frf;
  for (Index c = 0; c < smooth_.cols(); ++c)
    for (Index l = 0; l < smooth_.rows(); ++l) {
      const double re = random.normal(), im = random.normal();
      noisy.values(l, c) = smooth_(l, c) + deviation_[c] * Complex(re, im);
    }
  RefineOptions refining;
  refining.pole_steps = 4;  // they start at the solution without noise
  ModalModel out = refine(noisy, identified_.fitted, refining).model;
  for (Index r = 0; r < out.poles.size(); ++r)
    if (out.roles[static_cast<std::size_t>(r)] == PoleRole::mode) out.poles[r] += identified_.added_decay;
  return out;
}

TargetNoise target_noise(const ModalResult& identified, ResponseKind kind, const StageOptions& options,
                         const Stage& stage, int draws, std::int64_t seed, Progress& progress) {
  TargetNoise out;
  if (draws < 2) return out;
  const StageOptions last = last_of(options);
  const Retest retest(identified, seed);
  const Index lines = stage.target.values.rows(), channels = stage.target.values.cols();
  const auto rows = task_runner().run(draws, [&](int draw) -> std::vector<double> {
    if (progress.stop_requested()) return {};
    const MatrixXcd again = equalised_stages(retest.identify(draw), kind, last).front().target.values;
    demand(again.rows() == lines && again.cols() == channels, "a retest has the lines and channels of the test");
    const auto* numbers = reinterpret_cast<const double*>(again.data());
    return {numbers, numbers + 2 * again.size()};
  });
  MatrixXd square = MatrixXd::Zero(lines, channels);
  for (const std::vector<double>& row : rows) {
    if (row.empty()) continue;
    out.draws.push_back(Eigen::Map<const MatrixXcd>(reinterpret_cast<const Complex*>(row.data()), lines, channels) -
                        stage.target.values);
    square += out.draws.back().cwiseAbs2();
  }
  if (out.draws.size() < 2) return {};
  square /= static_cast<double>(out.draws.size());
  // [update E26] The noise of a smooth model changes slowly from line to line: neighbours within half a resonance's
  // width steady the estimate.
  const Index reach = std::max<Index>(1, static_cast<Index>(std::lround(last.lines_per_half_bandwidth.front())));
  out.std.resize(lines, channels);
  for (Index l = 0; l < lines; ++l) {
    const Index from = std::max<Index>(0, l - reach), to = std::min(lines - 1, l + reach);
    out.std.row(l) = square.middleRows(from, to - from + 1).colwise().mean().cwiseSqrt();
  }
  return out;
}

MatrixXd TargetNoise::resolved(const Target& target) const {
  if (std.size() == 0) return {};
  demand(std.rows() == target.values.rows() && std.cols() == target.values.cols(),
         "noise and target have the same samples");
  return (target.values.cwiseAbs().array() > 3.0 * std.array()).cast<double>();  // [update E27]
}

}  // namespace kdyn::update
