// SPDX-License-Identifier: Apache-2.0
// In-situ identification: parameters of mount laws (and masses) of a multibody model from signals measured on the
// assembled system, in one or more experiments, with what a bench test already told as prior.
//
// Unknowns are the logarithms of the parameters, or parameters over a scale where zero is a value like others (the
// place of a bushing). Two solvers: damped Gauss-Newton with the exact direct sensitivity of the scheme that ran, and a
// projected BFGS with the discrete adjoint. Both keep within bounds.
//
//   [insitu E1]  S = sum_e sum_j w_ej^2 sum_n (y_ej(n) - m_ej(n))^2,  w = 1/rms(m - mean);  minimise S/s^2 + sum (p - p0)^T C^-1 (p - p0)
//   [insitu E2]  covariance of p: (J^T J/s^2 + C^-1)^-1, s^2 = S/(samples - parameters) when the noise is not given; value exp(-+t std)
//   [insitu E8]  a channel shows m = gain c(t - delay) + offset of the computed signal c; each of the three may be unknown
//   [insitu E11] end points: what is known at the end of a run joins the objective as a prior on an output
//   [insitu E12] steps of variable length: chosen by the error of a run, held while a search goes on
//   [insitu E13] colour of the noise: correlation of neighbouring residuals of a channel widens the intervals
//   [insitu E3]  BFGS on the variables that are not held by a bound, step halved until S falls enough (Armijo)
// Valid where noise is independent from sample to sample and of one size relative to its signal: findings say where
// residuals disagree.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/insitu/sampling.hpp"
#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::inline insitu {

enum class InsituMethod { automatic, gauss_newton, quasi_newton };

struct InsituOptions {
  InsituMethod method = InsituMethod::automatic;
  int max_iterations = 100;
  double tolerance = 1e-9;   // change of every log parameter
  double max_factor = 20.0;  // a parameter stays within start / max_factor .. start * max_factor
  double max_shift = 0.05;   // m or rad: the place of a bushing stays within start -+ max_shift
  double noise = 0.0;        // standard deviation over the rms of each signal; 0: from the residuals
  bool check_gradient = true;
  int starts = 1;             // the given one and starts - 1 drawn around it
  double start_spread = 3.0;  // drawn starts lie within this factor
  std::int64_t seed = 1;
  double max_delay_s = 0.02;      // a delay stays within start -+ this
  double max_turn = 0.5;          // rad: the orientation of a sensor stays within start -+ this
  bool noise_per_signal = false;  // each signal counts by its own noise, as the residuals show it
};
const FieldTable& fields_of(const InsituOptions*);

// What a channel shows of the computed signal c: gain c(t - delay_s) + offset  [insitu E8]
struct ChannelCalibration {
  double gain = 1.0, offset = 0.0, delay_s = 0.0;
};

// What is known about a signal at the end of a run, beside records: where a body came to rest, say  [insitu E11].
struct InsituEndPoint {
  std::string signal, unit;
  mbs::Output output;
  double value = 0.0, std = 0.0;  // true value of the signal, and how well it is known
};

// One test on the assembled system. Laws and bodies are those of every other experiment; loads, start and sensors may
// differ.
struct InsituExperiment {
  std::string name;
  mbs::Model model;
  mbs::RunOptions run;
  std::vector<std::string> signals;
  std::vector<mbs::Output> outputs;
  Sampling sampling;                              // on the steps of the run, or at times of its own
  Eigen::MatrixXd measured;                       // outputs x samples; NaN where nothing was measured
  std::vector<ChannelCalibration> calibration{};  // of each output; empty: signals as they are computed
  std::vector<std::string> units{};               // of the outputs, for messages
  std::vector<InsituEndPoint> end_points{};
};

struct InsituParameter {
  // What it belongs to: the model, a channel, or the clock of a recorder (a delay of all channels of an experiment).
  enum class Of { model, gain, offset, delay, time_offset };
  // Another parameter of the model that is held at `ratio` times this one.
  struct Tie {
    std::vector<mbs::Parameter> in;  // of each experiment
    double ratio = 1.0;
  };

  std::string name, unit;
  std::vector<mbs::Parameter> in;   // where it stands in the model of each experiment
  double start = 0.0;               // above 0 unless it has a scale; the bounds lie around it
  std::optional<double> resumed{};  // where an earlier search ended, and where this one begins
  double scale = 0.0;               // 0: searched by its logarithm; else the unknown is value / scale
  Of of = Of::model;
  std::vector<int> channel{};              // of each experiment: output it belongs to; -1: none. time_offset: 0 or -1
  std::optional<double> lower{}, upper{};  // bounds; else by max_factor, max_shift or max_delay_s
  double known_std = 0.0;  // of a channel's gain, offset or delay: how well the job knows it; 0: it does not say
  std::vector<Tie> ties{};

  double unknown(double value) const;
  double value(double unknown) const;
  double slope(double unknown) const;  // d value / d unknown
};
// Scale of places: a centimetre, a hundredth of a radian.
inline constexpr double place_scale = 0.01;

// What is known before: a normal distribution of the unknowns of some parameters.
struct InsituPrior {
  std::string origin;
  std::vector<int> parameters;
  Eigen::VectorXd mean;  // logarithms, or values over their scale
  Eigen::MatrixXd covariance;
};

struct InsituIteration {
  double objective = 0.0;                 // S of the data plus s^2 times the prior's
  std::vector<double> values;             // of the parameters
  std::vector<Eigen::MatrixXd> response;  // of each experiment; kept for a few iterations only
  int evaluations = 0;
};

// How well the signals tell the parameters, at given values.
struct InsituIdentifiability {
  double noise = 0.0;   // that is assumed
  Eigen::VectorXd std;  // of each unknown; infinite when not determined
  Eigen::MatrixXd correlation;
  double condition = 0.0;         // of the scaled information: largest over smallest standard deviation of a direction
  std::vector<std::string> weak;  // in words: parameters or combinations that are not determined
};

// d S / d unknown three times, of runs made with a tight Newton tolerance; differences over the largest component.
struct InsituGradientCheck {
  bool done = false;
  Eigen::VectorXd adjoint, forward, differences;
  double adjoint_forward = 0.0, adjoint_differences = 0.0;
};

struct InsituStart {
  std::vector<double> start, end;
  double objective = 0.0;
  int iterations = 0;
  std::string status;
};

// How a channel fits the model when its own gain and delay are freed beside all other unknowns  [insitu E9]
struct InsituChannel {
  std::string experiment, signal;
  double misfit = 0.0;                      // rms of residual over rms of signal
  double noise = 0.0;                       // estimated from the scatter of the samples, over the rms of the signal
  double colour = 0.0;                      // correlation of neighbouring residuals: 0 is white
  double factor = 1.0, factor_std = 0.0;    // shown over expected
  double delay_s = 0.0, delay_std_s = 0.0;  // shown later than expected
};

// An end point and what the fit makes of it.
struct InsituEndShown {
  std::string experiment, signal;
  double given = 0.0, std = 0.0, found = 0.0;
};

struct InsituResult {
  std::string status, reason;  // converged | not_converged | stopped | failed | poor_fit
  std::vector<ParameterEstimate> parameters;
  std::vector<InsituIteration> history;
  double misfit = 0.0;                       // rms of residual over rms of signal, all signals
  std::vector<std::vector<double>> misfits;  // of each experiment and signal
  double noise = 0.0;                        // given or estimated
  InsituGradientCheck gradient_check;
  InsituIdentifiability before, after;
  std::vector<Eigen::MatrixXd> response;  // of each experiment at the end
  std::vector<InsituChannel> channels;
  std::vector<InsituEndShown> end_points;
  InsituMethod method = InsituMethod::gauss_newton;  // that was used
  std::string method_reason;
  std::vector<long> steps;  // of each experiment's last run
  std::vector<InsituStart> starts;
  int evaluations = 0;
  std::vector<Finding> findings;
};

// The searches from several starts go through task_runner() (kdyn/numerics/tasks.hpp): threads, or the ranks of an MPI
// run.
InsituResult identify_in_situ(const std::vector<InsituExperiment>& experiments,
                              const std::vector<InsituParameter>& parameters, const std::vector<InsituPrior>& priors,
                              const InsituOptions& options, Progress& progress);

}  // namespace kdyn::inline insitu
