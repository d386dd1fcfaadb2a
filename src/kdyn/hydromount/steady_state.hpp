// SPDX-License-Identifier: Apache-2.0
// Steady response of the hydro mount to u = u0 + a sin(w t) by harmonic balance with many harmonics.
//
// Unknowns are the harmonics of the chamber displacement u2. Forces are formed in time and projected back (alternating
// frequency-time, a Galerkin method [hydromount E14]); friction follows its exact closed loop between the true extremes
// of the path, the Kelvin-Voigt part its exact frequency response, and the Jacobian is analytic, including the motion
// of the loop tips  [hydromount E15]. An odd law needs odd harmonics only; a pressure limit or a static curve in the
// chamber brings in the mean and the even ones.
//
// Stability is judged by the fold criterion: the determinant of the Jacobian is positive on the branch that continues
// the linear response and changes its sign at every fold, where a real Floquet multiplier leaves through +1
// [hydromount E16]. Other losses of stability (flip, Neimark-Sacker) are not looked for; a chamber in parallel with
// dissipation has not shown any.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/element/mount.hpp"
#include "kdyn/hydromount/hydromount.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline hydromount {

struct SteadyOptions {
  std::vector<int> harmonics;  // chosen set; empty: the first `odd_harmonics` odd ones (and those between them when the
                               // law is not odd)
  int odd_harmonics = 9;
  int samples = 0;           // in one period; 0: by the harmonics
  double tolerance = 1e-10;  // residual over the chamber force
  int max_iterations = 40;
  bool loop =
      true;  // also the reduction of the force loop; false saves a third where only the first harmonic is wanted
};

struct SteadyState {
  bool converged = false;
  bool stable = false;  // fold criterion
  int iterations = 0;
  double frequency_hz = 0.0, amplitude = 0.0;
  std::complex<double> stiffness;  // first harmonic of the whole force over displacement
  SteadyResponse response;         // both data reductions
  Eigen::VectorXd harmonics;       // of u2 over the amplitude, cosine and sine of each harmonic
};

// One period of everything that can be measured.
struct SteadyWaveform {
  std::vector<double> phase, displacement, force, pressure, fluid_velocity, chamber_displacement;
};

// A frequency at which the branch of steady states turns back: the mount jumps there.
struct Fold {
  double frequency_hz = 0.0, amplitude = 0.0, k_dyn = 0.0, loss_angle = 0.0;
};
const FieldTable& fields_of(const Fold*);

struct SteadyBranch {
  std::vector<SteadyState> states;  // along the branch, also through its unstable part
  std::vector<Fold> folds;
  bool complete = false;  // reached the other end of the frequency range
  std::string reason;
};

class HarmonicBalance {
 public:
  // The law must outlive the balance.
  explicit HarmonicBalance(const HydroMount<double>& law, double u0 = 0.0, const SteadyOptions& options = {});
  ~HarmonicBalance();
  HarmonicBalance(HarmonicBalance&&) noexcept;

  // Newton from the first-harmonic balance with the smallest chamber motion, or from a neighbouring solution.
  SteadyState solve(double frequency_hz, double amplitude) const;
  SteadyState solve(double frequency_hz, double amplitude, const Eigen::VectorXd& start) const;
  // From a chamber amplitude of the first-harmonic balance.
  SteadyState solve_from(double frequency_hz, double amplitude, double chamber_amplitude) const;
  // From the chamber motion that a measured stiffness of the whole mount implies: the state the measurement was in, if
  // there is one.
  SteadyState solve_near(double frequency_hz, double amplitude, std::complex<double> stiffness) const;
  // Every steady state that starts from a solution of the first-harmonic balance, by ascending chamber motion.
  std::vector<SteadyState> solve_all(double frequency_hz, double amplitude) const;

  // The branch over frequency at one amplitude by arc-length continuation: passes folds and reports them.
  SteadyBranch trace(double amplitude, double from_hz, double to_hz) const;

  SteadyWaveform waveform(const SteadyState& state, int points = 256) const;

  // For tests: residual and Jacobian at given harmonics.
  Eigen::VectorXd residual(double frequency_hz, double amplitude, const Eigen::VectorXd& harmonics,
                           Eigen::MatrixXd* jacobian = nullptr) const;
  const std::vector<int>& harmonics() const;

 private:
  double force_scale(double frequency_hz, double amplitude) const;  // of residuals, N

  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace kdyn::inline hydromount
