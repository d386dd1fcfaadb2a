// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/identify.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/sysid/internal/candidates.hpp"
#include "kdyn/sysid/internal/describe_modes.hpp"
#include "kdyn/sysid/lscf.hpp"
#include "kdyn/sysid/refine.hpp"
#include "kdyn/sysid/shapes.hpp"
#include "kdyn/sysid/subspace.hpp"

namespace kdyn::inline sysid {
namespace {

using internal::Pick;

constexpr double exact_misfit = 1e-8;  // of exact data, some digits above their rounding

RefineOptions refine_options(const ModalOptions& options, int pole_steps) {
  RefineOptions out;
  out.alternations = options.alternations;
  out.pole_steps = options.refine_poles ? std::min(pole_steps, options.max_pole_steps) : 0;
  return out;
}

// All poles of a finite system: in-band vibration poles are modes, the others keep their place outside.
RefineResult fit_exact(const FrfMatrix& frf, const OrderPoles& poles, const ModalOptions& options) {
  ModalModel start;
  start.poles = poles.poles;
  start.C = poles.shapes;
  const double low = frf.omega[0], high = frf.omega[frf.lines() - 1];
  for (const auto& pole : poles.poles)
    start.roles.push_back(!(pole.imag() > 0.0)    ? PoleRole::other
                          : std::abs(pole) < low  ? PoleRole::residual_below
                          : std::abs(pole) > high ? PoleRole::residual_above
                                                  : PoleRole::mode);
  RefineOptions refining = refine_options(options, 0);
  refining.uncertainty = options.uncertainty;
  RefineResult fit = refine(frf, start, refining);
  // Poles that the band hardly sees come out of the subspace with few digits; some steps give them the rest.
  const double left = misfit(synthesise(fit.model, frf.omega), frf.values);
  if (!(left > exact_misfit && left < 1e4 * exact_misfit)) return fit;
  refining.pole_steps = 10;
  return refine(frf, fit.model, refining);
}

class Identification {
 public:
  Identification(const FrequencyResponse& frf, const ModalOptions& options, Progress& progress)
      : options_(options),
        progress_(progress) {
    const std::string where = frf.source.path.empty() ? frf.name : frf.source.path;
    out_.frf = frf_matrix(frf, options.band_hz);
    added_decay_ = options.added_decay >= 0.0 ? options.added_decay : frf.added_decay;
    set_weighting(out_.frf, options.weighting, where);
    low_ = out_.frf.omega[0] * (1.0 - 1e-9);
    high_ = out_.frf.omega[out_.frf.lines() - 1] * (1.0 + 1e-9);
  }

  ModalResult run() {
    const auto begin = std::chrono::steady_clock::now();
    progress_.report(0.05, "poles of all orders");
    // The largest order grows while the band is fuller than it can hold.
    for (int max_order = options_.max_order > 0 ? options_.max_order : std::max(60, options_.order);; max_order *= 2) {
      out_.dropped.clear();
      out_.findings.clear();
      std::vector<Pick> picks =
          options_.method == IdentifyMethod::lscf ? lscf_poles(max_order) : subspace_poles(max_order);
      const bool by_hand = !options_.select_hz.empty() || options_.order > 0;
      if (out_.exact_order == 0 && !by_hand) judge(picks);
      const bool full = static_cast<int>(2 * picks.size()) + 8 > out_.max_order_used * 3 / 4 &&
                        options_.max_order == 0 && options_.order == 0;
      if (full && out_.exact_order == 0 && max_order < 240 && out_.max_order_used >= max_order && out_.status.empty())
        continue;
      finish(picks);
      break;
    }
    out_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out_.max_damping_used = options_.limits.max_damping;
    return std::move(out_);
  }

  // One fit of modes that were found in parts of the band; `before` gives diagram and settings.
  ModalResult join(const ModalResult& before, std::vector<Pick> picks) {
    const auto begin = std::chrono::steady_clock::now();
    out_.diagram = before.diagram;
    out_.singular_values = before.singular_values;
    out_.max_order_used = before.max_order_used, out_.block_rows_used = before.block_rows_used;
    out_.map_hz_used = before.map_hz_used;
    out_.dropped = before.dropped, out_.findings = before.findings;
    out_.max_damping_used = options_.limits.max_damping;
    internal::drop_doubles(picks, out_.dropped);
    RefineOptions refining = refine_options(options_, 3);
    refining.uncertainty = options_.uncertainty;
    refining.tolerance = 1e-4;
    if (picks.empty()) return before;
    accept(refine(out_.frf, internal::start_model(picks, out_.frf, options_, true), refining), picks);
    out_.reason = "poles of parts of the band that are stable over the model orders and needed for the fit";
    out_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(out_);
  }

 private:
  std::vector<Pick> subspace_poles(int max_order) {
    // Rows for the order that was asked for; the factor itself reaches further and costs little.
    const int block_rows =
        options_.block_rows > 0
            ? options_.block_rows
            : std::max<int>(4, static_cast<int>((4 * max_order + out_.frf.outputs - 1) / out_.frf.outputs));
    // Far from the band all samples meet in one point of the unit circle, and nothing can be told from them.
    const double from_hz = out_.frf.omega[0] / two_pi, to_hz = out_.frf.omega[out_.frf.omega.size() - 1] / two_pi;
    if (options_.map_hz > 0.0 && (options_.map_hz < 1e-2 * from_hz || options_.map_hz > 1e2 * to_hz))
      throw_bad_input("map_hz",
                      fmt::format("{:g} Hz is far from the band of {:g} to {:g} Hz", options_.map_hz, from_hz, to_hz),
                      "leave it out: the geometric centre of the band is right for nearly all data");
    const Subspace subspace(out_.frf, {std::max(max_order, 160), block_rows, two_pi * options_.map_hz});
    out_.singular_values = subspace.singular_values();
    out_.max_order_used = std::min(subspace.max_order(), largest_order(max_order));
    out_.block_rows_used = subspace.block_rows();
    out_.map_hz_used = subspace.map_omega() / two_pi;
    const bool by_hand = options_.order > 0 || !options_.select_hz.empty();
    // The smallest order that meets the data to rounding.
    if (!by_hand)
      for (const int exact : subspace.exact_orders()) {
        RefineResult fit = fit_exact(out_.frf, subspace.poles(exact), options_);
        if (!(misfit(synthesise(fit.model, out_.frf.omega), out_.frf.values) < exact_misfit)) continue;
        out_.exact_order = exact;
        exact_ = std::move(fit);
        return {};
      }
    return from_source([&](int order) { return subspace.poles(order); });
  }

  // A band with many modes shows many strong singular values; the diagram needs about twice as many states to see the
  // poles settle.
  int largest_order(int wanted) const {
    if (options_.max_order > 0 || options_.order > 0) return wanted;
    const auto strong = static_cast<int>((out_.singular_values.array() > 5e-3 * out_.singular_values[0]).count());
    return std::clamp(2 * strong, wanted, std::max(wanted, 160)) / 2 * 2;
  }

  std::vector<Pick> lscf_poles(int max_order) {
    const Lscf lscf(out_.frf, max_order);
    out_.max_order_used = lscf.max_order();
    return from_source([&](int order) { return lscf.poles(order); });
  }

  std::vector<Pick> from_source(const PoleSource& source) {
    const int largest = out_.max_order_used;
    if (options_.order > 0) {
      if (options_.order > largest)
        throw_bad_input("order",
                        fmt::format("{} is above {}, the largest order these data and block rows can tell",
                                    options_.order, largest),
                        "choose a smaller order or more block rows");
      return internal::pick_order(source(options_.order), low_, high_, options_, out_.dropped);
    }
    out_.diagram =
        stabilise(source, largest, (1.0 - internal::edge) * low_, (1.0 + internal::edge) * high_, options_.limits);
    return internal::pick_candidates(out_.diagram, source(largest), low_, high_, options_, out_.dropped, out_.findings);
  }

  // Weak candidates go, round by round.
  void judge(std::vector<Pick>& picks) {
    judged_.reset();
    const std::size_t at_start = picks.size();
    while (!picks.empty()) {
      if (progress_.stop_requested()) {
        out_.status = "stopped";
        out_.reason = "stopped while candidates were judged";
        return;
      }
      progress_.report(0.2 + 0.5 * (1.0 - static_cast<double>(picks.size()) / static_cast<double>(at_start + 1)),
                       fmt::format("{} candidates", picks.size()));
      // Judging needs the poles to a hundredth of their bandwidth; the last refinement goes on from there.
      RefineOptions refining = refine_options(options_, options_.max_pole_steps);
      refining.tolerance = 1e-5;
      refining.pole_tolerance = 1e-2;
      RefineResult trial = refine(out_.frf, internal::start_model(picks, out_.frf, options_, true), refining);
      if (!internal::prune(picks, trial, out_.frf, options_, out_.dropped)) {
        judged_ = std::move(trial.model);
        return;
      }
    }
  }

  void finish(const std::vector<Pick>& picks) {
    if (out_.exact_order > 0) return accept(std::move(*exact_), {});
    if (picks.empty()) {
      out_.status = "nothing_found";
      out_.reason = "no pole lasts over the orders of the diagram and carries the fit";
      out_.misfit = out_.misfit_without_residuals = 1.0;
      return;
    }
    progress_.report(0.8, "last refinement");
    RefineOptions refining = refine_options(options_, options_.max_pole_steps);
    refining.uncertainty = options_.uncertainty;
    accept(refine(out_.frf, judged_ ? *judged_ : internal::start_model(picks, out_.frf, options_, true), refining),
           picks);
  }

  void accept(RefineResult fit, const std::vector<Pick>& picks) {
    if (out_.status.empty()) out_.status = "done";
    if (out_.status == "done" && out_.reason.empty())
      out_.reason = out_.exact_order > 0 ? fmt::format("the data are those of a system of {} states", out_.exact_order)
                    : options_.order > 0 ? fmt::format("in-band poles of order {}", options_.order)
                    : !options_.select_hz.empty()
                        ? "poles chosen by hand"
                        : "poles that are stable over the model orders and needed for the fit";
    out_.pole_steps = fit.pole_steps;
    out_.converged = fit.converged;
    out_.cost_history = fit.cost_history;
    out_.residual_correlation = fit.residual_correlation;
    internal::describe_modes(fit, picks, added_decay_, out_);
  }

  const ModalOptions& options_;
  Progress& progress_;
  ModalResult out_;
  std::optional<RefineResult> exact_;
  std::optional<ModalModel> judged_;  // as the last judging left it
  double low_ = 0.0, high_ = 0.0, added_decay_ = 0.0;
};

constexpr double light_damping = 0.08, heavy_damping = 0.6;
constexpr int deepest = 5;                 // times a band may be halved
constexpr Eigen::Index fewest_lines = 60;  // of a part of the band

// [sysid E20] What is left is no noise: neighbouring lines agree, and it is more than sensors leave.
bool unexplained(const ModalResult& result) {
  if (result.status == "stopped" || result.exact_order > 0) return false;
  return result.modes.empty() || result.misfit * std::sqrt(result.residual_correlation) > 0.04;
}
bool clearly_better(const ModalResult& now, const ModalResult& before) {
  return !now.modes.empty() && (before.modes.empty() || now.misfit < 0.6 * before.misfit);
}

ModalResult in_one_piece(const FrequencyResponse& frf, ModalOptions options, bool choose_damping, Progress& progress) {
  if (choose_damping) options.limits.max_damping = light_damping;
  ModalResult light = Identification(frf, options, progress).run();
  if (!choose_damping || !unexplained(light)) return light;
  options.limits.max_damping = heavy_damping;
  ModalResult heavy = Identification(frf, options, progress).run();
  const double seconds = light.seconds + heavy.seconds;
  ModalResult& chosen = clearly_better(heavy, light) ? heavy : light;
  chosen.seconds = seconds;
  return std::move(chosen);
}

// Modes of [low, high) rad/s by halves: each part is identified a little wider than it is and asked again while it is
// unexplained.
struct PartsOfBand {
  const FrequencyResponse& frf;
  const ModalOptions& options;
  const bool choose_damping;
  Progress& progress;
  const Eigen::VectorXd& omega;  // of the whole band
  std::vector<Pick> picks{};
  std::vector<DroppedCandidate> dropped{};
  int parts = 0, largest_order = 0;
  double seconds = 0.0, max_damping = 0.0;

  Eigen::Index lines_within(double low, double high) const {
    return (omega.array() >= low && omega.array() <= high).count();
  }
  void halve(double low, double high, int depth) {
    const double middle = 0.5 * (low + high);
    take(low, middle, depth), take(middle, high, depth);
  }
  void take(double low, double high, int depth) {
    if (progress.stop_requested()) return;
    const double beyond = 0.15 * (high - low);
    ModalOptions own = options;
    own.uncertainty = false;
    own.band_hz = {std::max(omega[0], low - beyond) / two_pi * (1.0 - 1e-12),
                   std::min(omega[omega.size() - 1], high + beyond) / two_pi * (1.0 + 1e-12)};
    const ModalResult found = in_one_piece(frf, own, choose_damping, silent_progress());
    seconds += found.seconds;
    if (unexplained(found) && depth < deepest && lines_within(low, high) >= 2 * fewest_lines)
      return halve(low, high, depth + 1);
    ++parts, largest_order = std::max(largest_order, found.max_order_used);
    max_damping = std::max(max_damping, found.max_damping_used);
    for (const IdentifiedMode& mode : found.modes) {
      const std::complex<double> pole = mode.pole - found.added_decay;  // as it is in the data
      if (std::abs(pole) >= low && std::abs(pole) < high) picks.push_back({pole, mode.shape, mode.seen_orders});
    }
    for (const DroppedCandidate& one : found.dropped)
      if (const double size = two_pi * one.frequency_hz; size >= low && size < high) dropped.push_back(one);
  }
};

}  // namespace

ModalResult identify_modes(const FrequencyResponse& frf, const ModalOptions& options, Progress& progress) {
  const bool choose_damping = options.limits.max_damping == 0.0;
  ModalResult whole = in_one_piece(frf, options, choose_damping, progress);
  const bool by_hand = options.max_order > 0 || options.order > 0 || !options.select_hz.empty() ||
                       !options.add_hz.empty() || !options.drop_hz.empty() || options.method == IdentifyMethod::lscf;
  const Eigen::VectorXd omega = whole.frf.omega;
  if (by_hand || !unexplained(whole) || omega.size() < 2 * fewest_lines) return whole;
  progress.report(0.4, "the band in parts");
  PartsOfBand parts{frf, options, choose_damping, progress, omega};
  parts.halve(omega[0], omega[omega.size() - 1] * (1.0 + 1e-9), 1);
  ModalOptions joined = options;
  joined.limits.max_damping = choose_damping ? std::max(light_damping, parts.max_damping) : options.limits.max_damping;
  whole.max_order_used = std::max(whole.max_order_used, parts.largest_order);
  ModalResult from_parts = Identification(frf, joined, progress).join(whole, parts.picks);
  const double seconds = whole.seconds + parts.seconds + from_parts.seconds;
  const bool better = clearly_better(from_parts, whole);
  if (better) from_parts.parts_of_band = parts.parts, from_parts.dropped = std::move(parts.dropped);
  ModalResult& chosen = better ? from_parts : whole;
  chosen.seconds = seconds;
  return std::move(chosen);
}

Eigen::VectorXd mode_indicator(const FrfMatrix& frf) {
  Eigen::VectorXd out(frf.lines());
  for (Eigen::Index k = 0; k < frf.lines(); ++k) {
    const Eigen::RowVectorXcd row = frf.values.row(k);
    const Eigen::MatrixXcd H = Eigen::Map<const Eigen::MatrixXcd>(row.data(), frf.outputs, frf.inputs);
    const Eigen::MatrixXcd gram = frf.inputs <= frf.outputs ? (H.adjoint() * H).eval() : (H * H.adjoint()).eval();
    out[k] = std::sqrt(std::max(
        0.0, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>(gram, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff()));
  }
  return out;
}

}  // namespace kdyn::inline sysid
