// SPDX-License-Identifier: Apache-2.0
// The stabilisation diagram: poles of models of growing order, which of them stay, and which therefore are taken for
// modes.
//
// A pole of one order is compared with the poles of the order below. It is `frequency` stable when |df|/f is within the
// limit, `damping` stable when the damping ratio is too, `stable` when in addition the shapes agree (MAC). Poles that
// continue each other over the orders form a track; a track is a mode when it is long enough, keeps to the limits of
// damping and phase collinearity, and scatters little. The representative of a track is its member nearest to the
// median in frequency and damping.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/sysid/subspace.hpp"

namespace kdyn::inline sysid {

struct StabiliseOptions {
  double frequency_tolerance = 0.005;  // relative change from order to order
  double damping_tolerance = 0.3;      // relative change
  double mac_limit = 0.9;              // of shapes from order to order
  double min_damping = 1e-4;
  double max_damping = 0.0;             // 0: 0.08, and 0.6 where that leaves the responses unexplained [sysid E20]
  double min_phase_collinearity = 0.4;  // MPC of the shape
  double min_track_share = 0.5;         // of the orders since the track began
  int min_track_length = 6;             // orders
};

// Few sensors tell little about phases: the limit falls from six outputs to two, where there is none.
double collinearity_limit(const StabiliseOptions& options, Eigen::Index outputs);

enum class PoleState { fresh, frequency, damping, stable };
const char* to_string(PoleState state);

struct DiagramPole {
  int order = 0;
  std::complex<double> pole;
  PoleState state = PoleState::fresh;
  int track = -1;  // index into Diagram::tracks
};

struct Track {
  std::vector<std::size_t> members;  // indices into Diagram::poles, growing order
  std::complex<double> pole;         // representative
  Eigen::VectorXcd shape;
  int first_order = 0, last_order = 0;
  double frequency_scatter = 0.0;  // relative standard deviation over the members
  double damping_scatter = 0.0;
  double phase_collinearity = 0.0;
  bool selected = false;
  std::string verdict;  // why, in words
};

struct Diagram {
  std::vector<int> orders;
  std::vector<DiagramPole> poles;  // in band, Im > 0, damping within [0, 0.3] or up to the limit
  std::vector<Track> tracks;       // of two members or more, by frequency
};

// Poles inside [low, high] rad/s of the orders 2, 4, .. max_order. A source without shapes (LSCF) is judged by
// frequency and damping alone.
using PoleSource = std::function<OrderPoles(int order)>;
Diagram stabilise(const PoleSource& source, int max_order, double low, double high, const StabiliseOptions& options);

}  // namespace kdyn::inline sysid
