// SPDX-License-Identifier: Apache-2.0
// Response of the vehicle to the road: exact by matrix exponential, and by the Wilson-theta method that the published
// tables contain.
//
// All start from rest. The road is the height under each wheel; half-sine bumps are what a test crew can build from
// wood.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/vehicle.hpp"

namespace kdyn::inline vehicle {

// [vehicle E5] zg(t) = height sin(pi (t - start)/length) during the bump, else 0; `wheels` says which of A..F roll over
// it.
struct Bump {
  double height = 0.09, start = 0.1, length = 0.2;
  std::array<bool, max_wheels> wheels{true, true, true, true, true, true};
};
Bump bounce_bump();  // all wheels
Bump pitch_bump();   // front wheels
Bump roll_bump();    // left wheels

enum class MotionKind { displacement, velocity, acceleration };

// Samples of all degrees of freedom; row k is at time k * interval.
struct VehicleResponse {
  double interval = 0.0;
  Eigen::MatrixXd displacement, velocity, acceleration;  // samples x degrees of freedom
  const Eigen::MatrixXd& of(MotionKind kind) const;
};

// [vehicle E6] Exact at the samples: the bump is the free motion of an oscillator, so that state and road have one
// matrix exponential.
VehicleResponse exact_response(const VehicleMatrices<double>& matrices, const CornerValues<double>& tyre_stiffness,
                               const Bump& bump, double interval, int samples);

// [vehicle E7] Exact for a road that is linear between its samples (samples x wheels).
VehicleResponse exact_response(const VehicleMatrices<double>& matrices, const CornerValues<double>& tyre_stiffness,
                               const Eigen::MatrixXd& road, double interval);

// [vehicle E8] Free motion from a state.
VehicleResponse free_response(const VehicleMatrices<double>& matrices, const Eigen::VectorXd& displacement,
                              const Eigen::VectorXd& velocity, double interval, int samples);

// The state (displacements, velocities) of a free motion after a time, which may be negative.
Eigen::VectorXd free_state(const VehicleMatrices<double>& matrices, const Eigen::VectorXd& state, double time);

// [vehicle E9] Wilson-theta with one step per sample; second order in the interval, with numerical damping.
VehicleResponse wilson_theta_response(const VehicleMatrices<double>& matrices,
                                      const CornerValues<double>& tyre_stiffness, const Bump& bump, double interval,
                                      int samples, double theta = 1.4);

// State at the instant the bump is left; the free decay starts here.
std::pair<Eigen::VectorXd, Eigen::VectorXd> state_after(const VehicleMatrices<double>& matrices,
                                                        const CornerValues<double>& tyre_stiffness, const Bump& bump);

}  // namespace kdyn::inline vehicle
