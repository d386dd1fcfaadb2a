// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/stabilise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/numerics/statistics.hpp"
#include "kdyn/sysid/modal_model.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline sysid {
namespace {

// A track survives this many orders without a member: a pole may miss a turn.
constexpr int allowed_gap = 2;

struct Candidate {
  std::complex<double> pole;
  Eigen::VectorXcd shape;
};

struct OpenTrack {
  std::vector<std::size_t> members;
  Candidate last;
  std::size_t last_step = 0;
};

double change(double a, double b) { return std::abs(a - b) / std::max(std::abs(a), std::abs(b)); }

std::vector<Candidate> candidates_of(const OrderPoles& model, double low, double high, double most_damping) {
  std::vector<Candidate> out;
  for (Eigen::Index i = 0; i < model.poles.size(); ++i) {
    const double size = std::abs(model.poles[i]), damping = damping_ratio(model.poles[i]);
    if (model.poles[i].imag() > 0.0 && size >= low && size <= high && damping > 0.0 && damping < most_damping)
      out.push_back(
          {model.poles[i], model.shapes.rows() > 0 ? Eigen::VectorXcd(model.shapes.col(i)) : Eigen::VectorXcd()});
  }
  return out;
}

struct Link {
  double distance;
  std::size_t track, candidate;
  PoleState state;
};

PoleState compare(const Candidate& before, const Candidate& now, const StabiliseOptions& options, double& distance) {
  const double df = change(std::abs(before.pole), std::abs(now.pole));
  const double dd = change(damping_ratio(before.pole), damping_ratio(now.pole));
  const double agreement = now.shape.size() > 0 ? mac(before.shape, now.shape) : 1.0;
  distance = df / options.frequency_tolerance + 0.3 * dd / options.damping_tolerance +
             (1.0 - agreement) / (1.0 - options.mac_limit + 1e-3);
  // A broad resonance has its frequency to a part of its width only.
  const double tolerance = std::max(options.frequency_tolerance, 0.05 * damping_ratio(now.pole));
  if (df > tolerance) return PoleState::fresh;
  if (dd > options.damping_tolerance) return PoleState::frequency;
  return agreement < options.mac_limit ? PoleState::damping : PoleState::stable;
}

Track close(const OpenTrack& open, const Diagram& diagram, const std::vector<Eigen::VectorXcd>& shapes) {
  Track out;
  out.members = open.members;
  std::vector<double> f, d;
  for (const std::size_t i : open.members) {
    f.push_back(std::abs(diagram.poles[i].pole));
    d.push_back(damping_ratio(diagram.poles[i].pole));
  }
  const double f_mid = median(f), d_mid = median(d);
  double best = 1e300, f_sum = 0.0, d_sum = 0.0;
  for (std::size_t j = 0; j < f.size(); ++j) {
    const double df = (f[j] - f_mid) / f_mid, dd = (d[j] - d_mid) / d_mid;
    f_sum += df * df;
    d_sum += dd * dd;
    // Frequencies are known to about their damping times the relative error of damping.
    const double distance = std::abs(df) / std::max(d_mid, 1e-5) + std::abs(dd);
    if (distance < best) {
      best = distance;
      out.pole = diagram.poles[open.members[j]].pole;
      out.shape = shapes[open.members[j]];
    }
  }
  const auto count = static_cast<double>(f.size());
  out.frequency_scatter = std::sqrt(f_sum / count);
  out.damping_scatter = std::sqrt(d_sum / count);
  out.first_order = diagram.poles[open.members.front()].order;
  out.last_order = diagram.poles[open.members.back()].order;
  out.phase_collinearity = out.shape.size() > 0 ? phase_collinearity(out.shape) : 1.0;
  return out;
}

void judge(Track& track, const Diagram& diagram, const StabiliseOptions& options) {
  const double damping = damping_ratio(track.pole);
  const auto length = static_cast<int>(track.members.size());
  int possible = 0;
  for (const int order : diagram.orders) possible += order >= track.first_order ? 1 : 0;
  const double share = static_cast<double>(length) / possible;
  // Few orders in the diagram: a track cannot be longer than they are.
  const int needed =
      std::min<int>(options.min_track_length, std::max<int>(2, static_cast<int>(diagram.orders.size()) / 2));
  if (damping < options.min_damping || damping > options.max_damping)
    track.verdict =
        fmt::format("damping {:.3g} is outside {:g} .. {:g}", damping, options.min_damping, options.max_damping);
  else if (const double limit = collinearity_limit(options, track.shape.size()); track.phase_collinearity < limit)
    track.verdict = fmt::format("phase collinearity {:.2f} is below {:g}", track.phase_collinearity, limit);
  else if (length < needed)
    track.verdict = fmt::format("seen at {} orders, {} are needed", length, needed);
  else if (share < options.min_track_share)
    track.verdict = fmt::format("seen at {:.0f} % of the orders since {}, {:.0f} % are needed", 100.0 * share,
                                track.first_order, 100.0 * options.min_track_share);
  else {
    track.selected = true;
    track.verdict = fmt::format("stable at {} orders from {} to {}", length, track.first_order, track.last_order);
  }
}

}  // namespace

double collinearity_limit(const StabiliseOptions& options, Eigen::Index outputs) {
  return options.min_phase_collinearity * std::clamp(0.25 * (static_cast<double>(outputs) - 2.0), 0.0, 1.0);
}

const char* to_string(PoleState state) {
  switch (state) {
    case PoleState::fresh: return "new";
    case PoleState::frequency: return "frequency";
    case PoleState::damping: return "damping";
    case PoleState::stable: return "stable";
  }
  return "new";
}

Diagram stabilise(const PoleSource& source, int max_order, double low, double high, const StabiliseOptions& options) {
  Diagram diagram;
  std::vector<Eigen::VectorXcd> shapes;
  std::vector<OpenTrack> tracks;
  for (int order = 2; order <= max_order; order += 2) diagram.orders.push_back(order);
  for (std::size_t step = 0; step < diagram.orders.size(); ++step) {
    const std::vector<Candidate> now =
        candidates_of(source(diagram.orders[step]), low, high, std::max(0.3, 1.2 * options.max_damping));
    // Best agreement first; every pole continues at most one track and every track takes at most one pole.
    std::vector<Link> links;
    std::vector<PoleState> states(now.size(), PoleState::fresh);
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      if (step - tracks[t].last_step > static_cast<std::size_t>(allowed_gap) + 1) continue;
      for (std::size_t c = 0; c < now.size(); ++c) {
        double distance = 0.0;
        const PoleState state = compare(tracks[t].last, now[c], options, distance);
        states[c] = std::max(states[c], state);
        if (state == PoleState::stable) links.push_back({distance, t, c, state});
      }
    }
    std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.distance < b.distance; });
    std::vector<std::size_t> track_of(now.size(), tracks.size());
    std::vector<bool> continued(tracks.size(), false);
    for (const Link& link : links)
      if (track_of[link.candidate] == tracks.size() && !continued[link.track]) {
        track_of[link.candidate] = link.track;
        continued[link.track] = true;
      }
    const std::size_t known = tracks.size();
    for (std::size_t c = 0; c < now.size(); ++c) {
      diagram.poles.push_back({diagram.orders[step], now[c].pole, states[c], -1});
      shapes.push_back(now[c].shape);
      const std::size_t index = diagram.poles.size() - 1;
      if (track_of[c] < known) {
        OpenTrack& track = tracks[track_of[c]];
        track.members.push_back(index);
        track.last = now[c];
        track.last_step = step;
      } else {
        tracks.push_back({{index}, now[c], step});
      }
    }
  }
  for (const OpenTrack& open : tracks) {
    if (open.members.size() < 2) continue;
    diagram.tracks.push_back(close(open, diagram, shapes));
    judge(diagram.tracks.back(), diagram, options);
  }
  std::sort(diagram.tracks.begin(), diagram.tracks.end(),
            [](const Track& a, const Track& b) { return std::abs(a.pole) < std::abs(b.pole); });
  for (std::size_t t = 0; t < diagram.tracks.size(); ++t)
    for (const std::size_t member : diagram.tracks[t].members) diagram.poles[member].track = static_cast<int>(t);
  return diagram;
}

}  // namespace kdyn::inline sysid
