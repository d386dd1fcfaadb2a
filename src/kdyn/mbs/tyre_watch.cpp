// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/tyre_watch.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/magic_formula.hpp"

namespace kdyn::mbs {

TyreWatch::TyreWatch(const System& system) : system_(system), seen_(system.model().tyres.size()) {}

void TyreWatch::see(const RunState& state, const Evaluation& e) {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    Seen& s = seen_[i];
    const Tyre& tyre = system_.model().tyres[i];
    const TyreForce<double> f = system_.tyre_force(i, state.t, e);
    const Frame& frame = e.frame[at(tyre.marker)];
    if (s.points++ == 0 && f.load > 0.0 &&
        (tyre.magic ? tyre.magic->longitudinal : tyre.linear && tyre.linear->stiffness_x > 0.0)) {
      s.slides_at_start = std::abs(f.rate[0] + std::abs(f.speed) * f.slip_x);
      s.speed_at_start = std::abs(f.speed);
    }
    s.longest_way = std::max(s.longest_way, std::abs(f.speed) * state.h);
    if (f.load <= 0.0) {
      if (s.lifted++ == 0) s.first_lifted = state.t;
      s.last_lifted = state.t;
    } else {
      s.least_load = std::min(s.least_load, f.load);
      if (tyre.magic && f.load < tyre.magic->fzmin) ++s.below;
      s.most_slip_x = std::max(s.most_slip_x, std::abs(f.slip_x));
      s.most_slip_y = std::max(s.most_slip_y, std::abs(f.slip_y));
      if (std::abs(f.speed) < tyre.low_speed) ++s.slow;
    }
    s.most_load = std::max(s.most_load, f.load);
    s.most_deflection = std::max(s.most_deflection, f.deflection);
    s.most_camber = std::max(s.most_camber, std::abs(f.camber));
    s.steepest_axis = std::max(s.steepest_axis, std::abs(frame.R(2, 2)));
    s.most_across =
        std::max(s.most_across, std::abs(frame.R(0, 2)) / std::max(1e-12, std::hypot(frame.R(0, 2), frame.R(1, 2))));
    s.least_x = std::min(s.least_x, frame.u.x()), s.most_x = std::max(s.most_x, frame.u.x());
  }
}

std::vector<Finding> TyreWatch::findings(const std::string& where) const {
  constexpr double degrees = 180.0 / constants::pi;
  std::vector<Finding> out;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Seen& s = seen_[i];
    const Tyre& tyre = system_.model().tyres[i];
    const std::string place = where + ", " + tyre.name;
    const auto say = [&](Severity severity, const char* code, const std::string& message, const std::string& remedy) {
      out.push_back({severity, code, place, message, remedy});
    };
    if (s.points == 0) continue;
    if (s.slides_at_start > 0.3 * s.speed_at_start && s.slides_at_start > tyre.low_speed)
      say(Severity::warning, "tyre_slides_at_start",
          fmt::format("the wheel moves at {:.4g} m/s at the start and its tread slides at {:.4g} m/s: it does not roll",
                      s.speed_at_start, s.slides_at_start),
          fmt::format("give the wheel an angular_velocity of about speed over radius ({:.4g} rad/s) along its axis",
                      s.speed_at_start / tyre.radius));
    if (!tyre.road.path.flat() && s.longest_way > 0.05 * tyre.radius)
      say(Severity::warning, "tyre_coarse_steps",
          fmt::format("the wheel rolls up to {:.3g} m in a step: obstacles are passed over", s.longest_way),
          fmt::format("take steps that roll at most {:.2g} m", 0.05 * tyre.radius));
    if (s.lifted > 0)
      say(Severity::note, "tyre_lifted",
          fmt::format("the tyre is off the road at {} of {} points, from {:.4g} s to {:.4g} s", s.lifted, s.points,
                      s.first_lifted, s.last_lifted),
          "nothing to do if the wheel may lift off");
    if (s.steepest_axis > 0.7)
      say(Severity::serious, "tyre_lies",
          fmt::format("the spin axis comes up to {:.3g} degrees: forces of a wheel that lies are meaningless",
                      std::asin(std::min(1.0, s.steepest_axis)) * degrees),
          "look at the motion in the report");
    if (!tyre.road.path.flat()) {
      const double beyond = std::max(tyre.road.begin - s.least_x, s.most_x - tyre.road.end);
      if (beyond > 0.0)
        say(Severity::warning, "tyre_beyond_road",
            fmt::format(
                "the road is given from x = {:.4g} to {:.4g} m, the wheel goes from {:.4g} to {:.4g}: beyond its "
                "ends it is level",
                tyre.road.begin, tyre.road.end, s.least_x, s.most_x),
            "give a longer road, or level ends if that is meant");
      if (s.most_across > 0.17)
        say(Severity::warning, "tyre_across_road",
            fmt::format("the wheel heads {:.3g} degrees off x, along which the road has its profile",
                        std::asin(std::min(1.0, s.most_across)) * degrees),
            "obstacles are as wide as the plane and are enveloped along x only: steer less, or use a flat road");
    }
    if (s.most_deflection > 0.4 * tyre.radius)
      say(Severity::warning, "tyre_bottoms",
          fmt::format("the tyre is pressed in by {:.3g} m of its radius of {:.3g} m: the rim, which it does not know, "
                      "would touch the road",
                      s.most_deflection, tyre.radius),
          "check stiffness, load and the height of the road");
    if (tyre.load_curve && s.most_deflection > tyre.load_curve->back())
      say(Severity::warning, "tyre_beyond_curve",
          fmt::format("the load curve ends at {:.4g} m, the tyre is pressed in by {:.4g} m: its end slope goes on",
                      tyre.load_curve->back(), s.most_deflection),
          "measure the curve further");
    if (tyre.states() > 0 && s.slow > 0)
      say(Severity::note, "tyre_slow",
          fmt::format(
              "at {} of {} points the tyre rolls slower than {:g} m/s: its contact acts as a spring that slides "
              "there, without trail and moments of turning on the spot",
              s.slow, s.points, tyre.low_speed),
          "nothing to do for standing starts and stops; parking moments are not computed");
    if (!tyre.magic) continue;
    const MagicFormula& m = *tyre.magic;
    if (s.most_load > m.fzmax)
      say(Severity::warning, "tyre_load_range",
          fmt::format(
              "its file holds loads up to FZMAX = {:.4g} N, the run reaches {:.4g} N: slip forces stay those of "
              "FZMAX",
              m.fzmax, s.most_load),
          "check the load, or use a file for higher loads");
    if (s.below > 0)
      say(Severity::note, "tyre_load_range",
          fmt::format("at {} of {} points the load is below FZMIN = {:.4g} N of its file (least {:.4g} N): slip forces "
                      "are those of FZMIN in proportion to the load",
                      s.below, s.points, m.fzmin, s.least_load),
          "nothing to do where a wheel is nearly lifted");
    if (s.most_camber > std::min(-m.cammin, m.cammax))
      say(Severity::warning, "tyre_camber_range",
          fmt::format(
              "its file holds camber up to {:.3g} degrees, the run reaches {:.3g}: forces stay those of the limit",
              std::min(-m.cammin, m.cammax) * degrees, s.most_camber * degrees),
          "check the model, or use a file for more camber");
    if (s.most_slip_x > std::min(-m.kpumin, m.kpumax) ||
        s.most_slip_y > std::tan(std::min({-m.alpmin, m.alpmax, 1.57})))
      say(Severity::note, "tyre_slip_range",
          fmt::format("slips reach {:.3g} along and {:.3g} across, beyond the ranges of its file: forces stay those of "
                      "the limits",
                      s.most_slip_x, s.most_slip_y),
          "nothing to do where a wheel locks or spins");
  }
  return out;
}

}  // namespace kdyn::mbs
