// SPDX-License-Identifier: Apache-2.0
// From the diagram to the list of modes: doubles merged, manual choices obeyed, weak candidates dropped one after the
// other.
#pragma once

#include <string>
#include <vector>

#include "kdyn/sysid/identify.hpp"
#include "kdyn/sysid/refine.hpp"

namespace kdyn::inline sysid::internal {

struct Pick {
  std::complex<double> pole;
  Eigen::VectorXcd shape;  // empty: unknown
  int seen_orders = 0;
  bool forced = false;     // chosen by hand: never dropped
  bool relocated = false;  // refinement carried it away once; a second time it is dropped
  std::complex<double> refined =
      0.0;               // where the last refinement left the pole; the next one starts there. 0: not refined yet
  bool outside = false;  // beside the band: identified, but not one of its modes
};

// The diagram looks this far beyond the ends of the band, relative: a mode just outside shapes the responses inside.
inline constexpr double edge = 0.12;

// Selected tracks without doubles, or what select_hz, add_hz and drop_hz ask for. The band is [low, high] rad/s.
std::vector<Pick> pick_candidates(const Diagram& diagram, const OrderPoles& largest, double low, double high,
                                  const ModalOptions& options, std::vector<DroppedCandidate>& dropped,
                                  std::vector<Finding>& findings);

// Of two picks that no data can tell apart the one seen at fewer orders goes.
void drop_doubles(std::vector<Pick>& picks, std::vector<DroppedCandidate>& dropped);

// All in-band poles of one order within the limits of damping and phase collinearity.
std::vector<Pick> pick_order(const OrderPoles& model, double low, double high, const ModalOptions& options,
                             std::vector<DroppedCandidate>& dropped);

// [sysid E13] Picks as modes, with residual poles beside the band [low, high].
ModalModel start_model(const std::vector<Pick>& picks, const FrfMatrix& frf, const ModalOptions& options,
                       bool with_residuals);

// [sysid E14] Judges the picks by a refinement: marks those that left the band as outside, takes out those that should
// go (all that broke a limit; else doubles; else the weakest) and tells why. True when the picks changed and another
// round is needed.
bool prune(std::vector<Pick>& picks, const RefineResult& fit, const FrfMatrix& frf, const ModalOptions& options,
           std::vector<DroppedCandidate>& dropped);

// Output shapes of given poles from least squares with full residue matrices; for sources that have none.
Eigen::MatrixXcd shapes_by_least_squares(const FrfMatrix& frf, const ModalModel& poles_only);

}  // namespace kdyn::inline sysid::internal
