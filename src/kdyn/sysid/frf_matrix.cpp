// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/frf_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline sysid {
namespace {

Eigen::Index position_of(std::vector<Dof>& dofs, const Dof& dof) {
  const auto position = std::find(dofs.begin(), dofs.end(), dof) - dofs.begin();
  if (position == std::ssize(dofs)) dofs.push_back(dof);
  return position;
}

std::vector<std::size_t> lines_in_band(const FrequencyResponse& frf, const std::vector<double>& band_hz,
                                       const std::string& where) {
  if (!band_hz.empty() && (band_hz.size() != 2 || !(band_hz[0] >= 0.0) || !(band_hz[1] > band_hz[0])))
    throw_bad_input("band_hz", "the band must be two increasing frequencies", "write for example --band-hz 60,265");
  std::vector<std::size_t> lines;
  for (std::size_t k = 0; k < frf.frequency_hz.size(); ++k) {
    const double f = frf.frequency_hz[k];
    if (!std::isfinite(f) || (k > 0 && f <= frf.frequency_hz[k - 1]))
      throw_bad_input(where, fmt::format("frequency line {} ({} Hz) does not come after the one before", k + 1, f),
                      "sort the lines by frequency, each only once");
    // At zero frequency accelerance is zero whatever the structure: the line tells nothing and upsets relative weights.
    if (f > 0.0 && (band_hz.empty() || (f >= band_hz[0] && f <= band_hz[1]))) lines.push_back(k);
  }
  if (lines.size() < 8)
    throw_bad_input(band_hz.empty() ? where : "band_hz",
                    fmt::format("only {} frequency lines are left to identify from", lines.size()),
                    "widen the band; a mode needs at least a handful of lines");
  return lines;
}

}  // namespace

FrfMatrix frf_matrix(const FrequencyResponse& frf, const std::vector<double>& band_hz) {
  const std::string where = frf.source.path.empty() ? frf.name : frf.source.path;
  if (frf.channels.empty())
    throw_bad_input(where, "there is no frequency response in it", "give a file with FRF channels (UFF58 or CSV)");
  const std::vector<std::size_t> lines = lines_in_band(frf, band_hz, where);
  FrfMatrix out;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> place;
  for (const auto& channel : frf.channels)
    place.emplace_back(position_of(out.output_dofs, channel.output), position_of(out.input_dofs, channel.input));
  out.outputs = static_cast<Eigen::Index>(out.output_dofs.size());
  out.inputs = static_cast<Eigen::Index>(out.input_dofs.size());
  const auto N = static_cast<Eigen::Index>(lines.size());
  out.omega.resize(N);
  for (Eigen::Index k = 0; k < N; ++k)
    out.omega[k] = 2.0 * std::numbers::pi * frf.frequency_hz[lines[static_cast<std::size_t>(k)]];
  out.values.resize(N, out.outputs * out.inputs);
  const bool measured =
      std::all_of(frf.channels.begin(), frf.channels.end(), [](const auto& c) { return !c.covariance.empty(); });
  if (measured) out.variance.resize(N, out.outputs * out.inputs);
  std::vector<bool> filled(static_cast<std::size_t>(out.outputs * out.inputs), false);
  for (std::size_t c = 0; c < frf.channels.size(); ++c) {
    const auto& channel = frf.channels[c];
    const Eigen::Index column = out.column(place[c].first, place[c].second);
    const std::string name = label(channel.output) + ":" + label(channel.input);
    if (filled[static_cast<std::size_t>(column)])
      throw_bad_input(where, fmt::format("channel {} is there twice", name), "leave one of the two out");
    filled[static_cast<std::size_t>(column)] = true;
    for (Eigen::Index k = 0; k < N; ++k) {
      const std::size_t line = lines[static_cast<std::size_t>(k)];
      const std::complex<double> value = channel.values[line];
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
        throw_bad_input(where, fmt::format("channel {} has no finite value at {} Hz", name, frf.frequency_hz[line]),
                        "leave the line or the channel out, or choose a band without it");
      out.values(k, column) = value;
      if (measured) out.variance(k, column) = channel.covariance[line].re_re + channel.covariance[line].im_im;
    }
  }
  for (Eigen::Index u = 0; u < out.inputs; ++u)
    for (Eigen::Index y = 0; y < out.outputs; ++y)
      if (!filled[static_cast<std::size_t>(out.column(y, u))])
        throw_bad_input(
            where,
            fmt::format("channel {}:{} is missing", label(out.output_dofs[static_cast<std::size_t>(y)]),
                        label(out.input_dofs[static_cast<std::size_t>(u)])),
            "every output needs a response to every input; leave out the input or output that is incomplete");
  out.output_unit = frf.channels.front().output_unit;
  out.input_unit = frf.channels.front().input_unit;
  return out;
}

void set_weighting(FrfMatrix& frf, FrfWeighting weighting, const std::string& where) {
  if (weighting == FrfWeighting::none) {
    frf.weight.resize(0, 0);
    return;
  }
  if (weighting == FrfWeighting::covariance && frf.variance.size() == 0)
    throw_bad_input(where, "weighting by covariance needs a measured covariance of every channel",
                    "choose weighting none or relative");
  frf.weight.resize(frf.values.rows(), frf.values.cols());
  for (Eigen::Index c = 0; c < frf.values.cols(); ++c) {
    Eigen::VectorXd variance;
    if (weighting == FrfWeighting::relative) {
      variance = frf.values.col(c).cwiseAbs2();
      variance = variance.cwiseMax(1e-4 * variance.mean());
    } else {
      variance = frf.variance.col(c);
      variance = variance.cwiseMax(1e-4 * median({variance.data(), variance.data() + variance.size()}));
    }
    if (!(variance.minCoeff() > 0.0))
      throw_bad_input(where, "a channel is zero, or its variance is, at some line",
                      "leave the channel out or choose weighting none");
    frf.weight.col(c) = variance.cwiseInverse();
  }
  frf.weight /= frf.weight.mean();
}

FrfMatrix transposed(const FrfMatrix& frf) {
  FrfMatrix out = frf;
  std::swap(out.outputs, out.inputs);
  std::swap(out.output_dofs, out.input_dofs);
  std::swap(out.output_unit, out.input_unit);
  for (Eigen::Index u = 0; u < frf.inputs; ++u)
    for (Eigen::Index y = 0; y < frf.outputs; ++y) {
      out.values.col(out.column(u, y)) = frf.values.col(frf.column(y, u));
      if (frf.weight.size() > 0) out.weight.col(out.column(u, y)) = frf.weight.col(frf.column(y, u));
      if (frf.variance.size() > 0) out.variance.col(out.column(u, y)) = frf.variance.col(frf.column(y, u));
    }
  return out;
}

double misfit(const Eigen::MatrixXcd& model, const Eigen::MatrixXcd& measured) {
  return (model - measured).norm() / measured.norm();
}

}  // namespace kdyn::inline sysid
