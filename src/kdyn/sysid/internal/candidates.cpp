// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/internal/candidates.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline sysid::internal {
namespace {

// Two poles no data can tell apart: nearer than twice the sum of their half bandwidths and of one shape.
bool same_mode(std::complex<double> a, const Eigen::VectorXcd& shape_a, std::complex<double> b,
               const Eigen::VectorXcd& shape_b) {
  const double reach = 2.0 * (std::abs(a.real()) + std::abs(b.real()));
  return std::abs(a.imag() - b.imag()) <= reach &&
         (shape_a.size() == 0 || shape_b.size() == 0 || mac(shape_a, shape_b) > 0.9);
}

Pick pick_of(const Track& track) { return {track.pole, track.shape, static_cast<int>(track.members.size())}; }

// The pole a person means by a frequency: the nearest track, else the nearest pole of the largest model.
Pick nearest(double f, const Diagram& diagram, const OrderPoles& largest, std::vector<Finding>& findings) {
  Pick best;
  double distance = 0.02 * f;
  for (const Track& track : diagram.tracks)
    if (const double d = std::abs(frequency_hz(track.pole) - f); d < distance) {
      distance = d;
      best = pick_of(track);
    }
  if (best.seen_orders == 0)
    for (Eigen::Index i = 0; i < largest.poles.size(); ++i)
      if (const double d = std::abs(frequency_hz(largest.poles[i]) - f);
          d < distance && largest.poles[i].imag() > 0.0) {
        distance = d;
        best = {largest.poles[i],
                largest.shapes.rows() > 0 ? Eigen::VectorXcd(largest.shapes.col(i)) : Eigen::VectorXcd(), 1};
      }
  if (best.seen_orders == 0) {
    best.pole = two_pi * f * std::complex<double>(-0.005, 1.0);
    findings.push_back({Severity::warning, "no_pole_near", "select_hz",
                        fmt::format("no pole within 2 % of {:.6g} Hz; a start with 0.5 % damping was put there", f),
                        "check the frequency against the stabilisation diagram"});
  }
  best.forced = true;
  return best;
}

// Takes the pole that is meant by a frequency, once: twice the same pole would be two modes that cancel each other.
void take_by_hand(double f, const Diagram& diagram, const OrderPoles& largest, const char* option,
                  std::vector<Pick>& picks, std::vector<Finding>& findings) {
  Pick pick = nearest(f, diagram, largest, findings);
  const auto there = std::find_if(picks.begin(), picks.end(), [&](const Pick& p) { return p.pole == pick.pole; });
  if (there == picks.end()) return picks.push_back(std::move(pick));
  if (there->forced)
    findings.push_back(
        {Severity::note, "pole_named_twice", option,
         fmt::format("{:.6g} Hz means the pole of {:.6g} Hz, which was taken already", f, frequency_hz(there->pole)),
         "name each pole once"});
  there->forced = true;
}

void sort_by_frequency(std::vector<Pick>& picks) {
  std::sort(picks.begin(), picks.end(),
            [](const Pick& a, const Pick& b) { return std::abs(a.pole) < std::abs(b.pole); });
}

std::vector<double> spread(double from, double to, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i)
    out.push_back(count == 1 ? std::sqrt(from * to) : from * std::pow(to / from, i / (count - 1.0)));
  return out;
}

}  // namespace

std::vector<Pick> pick_candidates(const Diagram& diagram, const OrderPoles& largest, double low, double high,
                                  const ModalOptions& options, std::vector<DroppedCandidate>& dropped,
                                  std::vector<Finding>& findings) {
  std::vector<Pick> picks;
  if (!options.select_hz.empty()) {
    for (const double f : options.select_hz) take_by_hand(f, diagram, largest, "select_hz", picks, findings);
    sort_by_frequency(picks);
    return picks;
  }
  std::vector<const Track*> chosen;
  for (const Track& track : diagram.tracks) {
    if (track.selected) chosen.push_back(&track);
    // A track as long as one that is kept deserves a word.
    if (!track.selected && static_cast<int>(track.members.size()) >= options.limits.min_track_length &&
        std::abs(track.pole) > low && std::abs(track.pole) < high)
      dropped.push_back({frequency_hz(track.pole), damping_ratio(track.pole), track.verdict});
  }
  // Longest first: of several tracks of one mode the one that lasted speaks for it.
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Track* a, const Track* b) { return a->members.size() > b->members.size(); });
  for (const Track* track : chosen) {
    const auto twin = std::find_if(picks.begin(), picks.end(), [&](const Pick& p) {
      return same_mode(p.pole, p.shape, track->pole, track->shape);
    });
    if (twin == picks.end()) {
      picks.push_back(pick_of(*track));
      picks.back().outside = std::abs(track->pole) < low || std::abs(track->pole) > high;
    } else {
      dropped.push_back({frequency_hz(track->pole), damping_ratio(track->pole),
                         fmt::format("a double of {:.4f} Hz", frequency_hz(twin->pole))});
    }
  }
  for (const double f : options.add_hz) take_by_hand(f, diagram, largest, "add_hz", picks, findings);
  for (const double f : options.drop_hz) {
    const auto hit = std::min_element(picks.begin(), picks.end(), [f](const Pick& a, const Pick& b) {
      return std::abs(frequency_hz(a.pole) - f) < std::abs(frequency_hz(b.pole) - f);
    });
    if (hit != picks.end() && std::abs(frequency_hz(hit->pole) - f) < 0.02 * f) {
      dropped.push_back({frequency_hz(hit->pole), damping_ratio(hit->pole), "dropped by hand"});
      picks.erase(hit);
    } else {
      findings.push_back({Severity::warning, "nothing_to_drop", "drop_hz",
                          fmt::format("no mode within 2 % of {:.6g} Hz", f),
                          "check the frequency against the list of modes"});
    }
  }
  sort_by_frequency(picks);
  return picks;
}

void drop_doubles(std::vector<Pick>& picks, std::vector<DroppedCandidate>& dropped) {
  std::stable_sort(picks.begin(), picks.end(),
                   [](const Pick& a, const Pick& b) { return a.seen_orders > b.seen_orders; });
  std::vector<Pick> kept;
  for (Pick& pick : picks) {
    const auto twin = std::find_if(kept.begin(), kept.end(), [&](const Pick& other) {
      return same_mode(other.pole, other.shape, pick.pole, pick.shape);
    });
    if (twin == kept.end())
      kept.push_back(std::move(pick));
    else
      dropped.push_back({frequency_hz(pick.pole), damping_ratio(pick.pole),
                         fmt::format("a double of {:.4f} Hz", frequency_hz(twin->pole))});
  }
  picks = std::move(kept);
  sort_by_frequency(picks);
}

std::vector<Pick> pick_order(const OrderPoles& model, double low, double high, const ModalOptions& options,
                             std::vector<DroppedCandidate>& dropped) {
  std::vector<Pick> picks;
  const StabiliseOptions& limits = options.limits;
  for (Eigen::Index i = 0; i < model.poles.size(); ++i) {
    const std::complex<double> pole = model.poles[i];
    if (!(pole.imag() > 0.0) || std::abs(pole) < low || std::abs(pole) > high) continue;
    const Eigen::VectorXcd shape = model.shapes.rows() > 0 ? Eigen::VectorXcd(model.shapes.col(i)) : Eigen::VectorXcd();
    const double damping = damping_ratio(pole);
    if (damping < limits.min_damping || damping > limits.max_damping)
      dropped.push_back({frequency_hz(pole), damping, "damping outside the limits"});
    else if (shape.size() > 0 && phase_collinearity(shape) < collinearity_limit(limits, shape.size()))
      dropped.push_back({frequency_hz(pole), damping, "phase collinearity below the limit"});
    else
      picks.push_back({pole, shape, 1});
  }
  sort_by_frequency(picks);
  return picks;
}

ModalModel start_model(const std::vector<Pick>& picks, const FrfMatrix& frf, const ModalOptions& options,
                       bool with_residuals) {
  const double low = frf.omega[0], high = frf.omega[frf.lines() - 1];
  const auto rank = static_cast<int>(std::min(frf.outputs, frf.inputs));
  std::vector<std::complex<double>> poles;
  ModalModel model;
  const auto add = [&](double omega, PoleRole role) {
    poles.push_back(omega * std::complex<double>(-options.residual_damping,
                                                 std::sqrt(1.0 - options.residual_damping * options.residual_damping)));
    model.roles.push_back(role);
  };
  bool shapes = true;
  for (const Pick& pick : picks) {
    poles.push_back(pick.refined == 0.0 ? pick.pole : pick.refined);
    model.roles.push_back(pick.outside ? PoleRole::other : PoleRole::mode);
    shapes = shapes && pick.shape.size() == frf.outputs;
  }
  if (with_residuals) {
    // [sysid E13]: with one input or output three pairs above and one below follow any smooth remainder; a pair has
    // rank one, so more inputs need more of them.
    const int above = options.residual_above >= 0 ? options.residual_above : rank == 1 ? 3 : 2 * rank;
    const int below = options.residual_below >= 0 ? options.residual_below : std::min(rank, 3);
    const double from = options.residual_from > 0.0 ? std::max(1.001, options.residual_from) : 1.15;
    for (const double omega : spread(from * high, std::max(3.0, 2.0 * from) * high, above))
      add(omega, PoleRole::residual_above);
    // Where the first pole above stands at the edge, one below does too: modes beside either end need the same.
    const bool at_edges = options.residual_from > 0.0 && options.residual_below < 0;
    for (const double omega : spread(low / (at_edges ? from : 1.5), low / 3.0, below + at_edges))
      add(omega, PoleRole::residual_below);
  }
  model.poles = Eigen::Map<const Eigen::VectorXcd>(poles.data(), static_cast<Eigen::Index>(poles.size()));
  if (rank == 1) return model;
  if (!shapes) {
    model.C = shapes_by_least_squares(frf, model);
    return model;
  }
  model.C = Eigen::MatrixXcd::Zero(frf.outputs, model.poles.size());
  for (std::size_t i = 0; i < picks.size(); ++i) model.C.col(static_cast<Eigen::Index>(i)) = picks[i].shape;
  return model;
}

Eigen::MatrixXcd shapes_by_least_squares(const FrfMatrix& frf, const ModalModel& poles_only) {
  // All channels as outputs of one input: every pole gets a full residue matrix, whose first singular vector is the
  // shape.
  FrfMatrix stacked = frf;
  stacked.outputs = frf.outputs * frf.inputs;
  stacked.inputs = 1;
  ModalModel start;
  start.poles = poles_only.poles;
  start.roles = poles_only.roles;
  RefineOptions linear;
  linear.pole_steps = 0;
  const ModalModel fit = refine(stacked, start, linear).model;
  Eigen::MatrixXcd C(frf.outputs, fit.poles.size());
  for (Eigen::Index r = 0; r < fit.poles.size(); ++r) {
    const Eigen::MatrixXcd residue = Eigen::Map<const Eigen::MatrixXcd>(fit.C.col(r).data(), frf.outputs, frf.inputs);
    const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(residue, Eigen::ComputeThinU);
    C.col(r) = svd.matrixU().col(0);
  }
  return C;
}

namespace {

// How far refinement may carry a pole before it is another one.
double reach_of(const Pick& pick, std::complex<double> pole) {
  return 5.0 * std::max(std::abs(pick.pole.real()), std::abs(pole.real())) + 0.002 * std::abs(pick.pole);
}

// Why a pick no longer is what was selected; empty when it still is.
std::string broken_limit(const Pick& pick, std::complex<double> pole, const Eigen::VectorXcd& shape, bool beside,
                         double low, double high, const StabiliseOptions& limits) {
  const double damping = damping_ratio(pole), drift = std::abs(pole.imag() - pick.pole.imag());
  if (pick.outside)
    return std::abs(pole) < 0.5 * low || std::abs(pole) > 2.0 * high ? "went far from the band during refinement" : "";
  if (beside) return "left the band during refinement";
  if (damping < limits.min_damping || damping > limits.max_damping)
    return fmt::format("damping {:.3g} after refinement is outside the limits", damping);
  if (const double collinearity = phase_collinearity(shape); collinearity < collinearity_limit(limits, shape.size()))
    return fmt::format("phase collinearity {:.2f} after refinement is below the limit", collinearity);
  if (drift > reach_of(pick, pole))
    return fmt::format("moved from {:.4f} to {:.4f} Hz during refinement", frequency_hz(pick.pole), frequency_hz(pole));
  return "";
}

}  // namespace

bool prune(std::vector<Pick>& picks, const RefineResult& fit, const FrfMatrix& frf, const ModalOptions& options,
           std::vector<DroppedCandidate>& dropped) {
  const double low = frf.omega[0], high = frf.omega[frf.lines() - 1];
  const std::size_t count = picks.size();
  std::vector<std::string> verdict(count);
  bool changed = false;
  for (std::size_t i = 0; i < count; ++i) {
    Pick& pick = picks[i];
    if (pick.forced) continue;
    const std::complex<double> pole = fit.model.poles[static_cast<Eigen::Index>(i)];
    const bool beside = std::abs(pole) < low || std::abs(pole) > high;
    // A candidate must not slip into the place of a mode that was dropped by hand.
    const bool unwanted = std::any_of(options.drop_hz.begin(), options.drop_hz.end(),
                                      [&](double f) { return std::abs(frequency_hz(pole) - f) < 0.005 * f; });
    if (unwanted) {
      verdict[i] = "dropped by hand";
      changed = true;
    } else if (beside && !pick.outside && std::abs(pole) > (1.0 - edge) * low && std::abs(pole) < (1.0 + edge) * high) {
      pick.outside = changed = true;
      pick.pole = pole;
    } else if (!beside && !pick.relocated && !pick.outside &&
               std::abs(pole.imag() - pick.pole.imag()) > reach_of(pick, pole) &&
               damping_ratio(pole) < options.limits.max_damping) {
      // A candidate may have been the best start for a strong mode the diagram missed: it gets one more round from
      // there.
      pick.relocated = changed = true;
      pick.pole = pole;
      pick.shape = fit.model.C.col(static_cast<Eigen::Index>(i));
    } else {
      verdict[i] =
          broken_limit(pick, pole, fit.model.C.col(static_cast<Eigen::Index>(i)), beside, low, high, options.limits);
      changed = changed || !verdict[i].empty();
    }
  }
  const auto removal = [&](std::size_t i) { return fit.removal_cost[static_cast<Eigen::Index>(i)]; };
  for (std::size_t i = 0; i < count && !changed; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      const auto a = static_cast<Eigen::Index>(i), b = static_cast<Eigen::Index>(j);
      if (i == j || picks[i].forced || removal(i) > removal(j) ||
          !same_mode(fit.model.poles[a], fit.model.C.col(a), fit.model.poles[b], fit.model.C.col(b)))
        continue;
      verdict[i] = fmt::format("merged with {:.4f} Hz during refinement", frequency_hz(fit.model.poles[b]));
      changed = true;
    }
  if (!changed) {
    // Noise alone gives a pole about its share of the unknowns, and ten times that to the luckiest of many candidates;
    // a systematic residual gives much more to any pole.
    const double unknowns = 2.0 * static_cast<double>(frf.outputs + frf.inputs),
                 data = 2.0 * static_cast<double>(frf.values.size());
    const auto needed = [&](std::size_t i) {
      return options.min_gain * fit.residual_correlation * fit.local_cost[static_cast<Eigen::Index>(i)] +
             20.0 * unknowns / data * fit.cost;
    };
    std::size_t weakest = count;
    for (std::size_t i = 0; i < count; ++i)
      if (!picks[i].forced && (weakest == count || removal(i) / needed(i) < removal(weakest) / needed(weakest)))
        weakest = i;
    for (std::size_t i = 0; i < count; ++i)
      if (!picks[i].forced && removal(i) < (i == weakest ? 1.0 : 0.25) * needed(i)) {
        verdict[i] = fmt::format("the cost grows by {:.2g} % without it, {:.2g} % are needed",
                                 100.0 * removal(i) / fit.cost, 100.0 * needed(i) / fit.cost);
        changed = true;
      }
  }
  std::vector<Pick> kept;
  for (std::size_t i = 0; i < count; ++i) {
    picks[i].refined = fit.model.poles[static_cast<Eigen::Index>(i)];
    picks[i].shape = fit.model.C.col(static_cast<Eigen::Index>(i));
  }
  for (std::size_t i = 0; i < count; ++i)
    if (verdict[i].empty())
      kept.push_back(picks[i]);
    else
      dropped.push_back({frequency_hz(picks[i].pole), damping_ratio(picks[i].pole), verdict[i]});
  picks = std::move(kept);
  return changed;
}

}  // namespace kdyn::inline sysid::internal
