// SPDX-License-Identifier: Apache-2.0
// The least-squares problem of in-situ identification: runs of all experiments at given unknowns, and derivatives of
// their misfit.
#pragma once

#include <limits>

#include "kdyn/insitu/insitu.hpp"

namespace kdyn::inline insitu::internal {

struct InsituPoint {
  bool complete = false;
  std::string reason;  // why a run failed
  Eigen::VectorXd p;
  std::vector<Eigen::MatrixXd> y;      // of each experiment: what the channels show at the samples
  std::vector<Eigen::MatrixXd> steps;  // computed signals at the steps
  // [insitu E8] Computed signals where channels read them, and where that is; empty without calibration.
  std::vector<Eigen::MatrixXd> read;
  std::vector<std::vector<std::optional<Sampling>>> places;
  std::vector<mbs::History> history;
  std::vector<Eigen::VectorXd> ends;  // of each experiment: signals of its end points
  double end = 0.0;                   // squared distance of the end points, in their standard deviations  [insitu E11]
  double data = 0.0;                  // S of the data
  double prior = 0.0;                 // (p - p0)^T C^-1 (p - p0)
};

class InsituProblem {
 public:
  // Samples that a delay within its bounds would read outside the run do not count; that of the first `masking`
  // parameters.
  InsituProblem(const std::vector<InsituExperiment>& experiments, const std::vector<InsituParameter>& parameters,
                const std::vector<InsituPrior>& priors, int masking = std::numeric_limits<int>::max());

  Eigen::Index parameters() const { return static_cast<Eigen::Index>(parameters_.size()); }
  Eigen::Index samples() const { return samples_; }
  const Eigen::VectorXd& start() const { return start_; }
  bool logarithmic(Eigen::Index i) const { return parameters_[static_cast<std::size_t>(i)].scale == 0.0; }
  std::vector<double> values(const Eigen::VectorXd& p) const;  // of the parameters
  bool has_memory() const;                                     // a law with friction memory: the objective has kinks
  bool rows_by_adjoint() const { return rows_by_adjoint_; }
  void set_rows_by_adjoint(bool on) { rows_by_adjoint_ = on; }
  Eigen::Index model_parameters() const { return static_cast<Eigen::Index>(columns_.size()); }
  Eigen::Index measured_numbers() const;  // samples that count, and end points
  double jacobian_bytes() const;          // of the direct sensitivities of the largest experiment
  // Whether the noise decides how much the data count beside what is known.
  bool has_prior() const { return !prior_information_.isZero() || measured_numbers() > samples_; }
  int evaluations = 0;
  double noise = 0.0;   // by which end points are weighed against the data
  double window = 1.0;  // share of each record that counts, from its beginning

  InsituPoint evaluate(const Eigen::VectorXd& p);
  // The same runs read by channels with other unknowns: everything that follows from at.steps and at.p.
  void read_channels(InsituPoint& at) const;
  // Weights by the noise of each signal, as the residuals show it; 1 keeps a signal as it is.
  void weigh_by_noise(const InsituPoint& at);
  // S of the data when this share of the records counts.
  double data_of(const std::vector<Eigen::MatrixXd>& y, double share) const;
  double objective(const InsituPoint& at, double of_noise) const {
    return at.data + of_noise * of_noise * (at.prior + (window < 1.0 ? 0.0 : at.end));
  }
  // [insitu E12] Steps of runs with step control are chosen in the first run, and again after this.
  void choose_steps_again();
  bool chooses_steps() const;
  const std::vector<mbs::StepPlan>& steps() const { return plans_; }
  // J^T J and J^T r of data and end points; half the gradient of S.
  bool normal_equations(const InsituPoint& at, Eigen::MatrixXd& A, Eigen::VectorXd& g);
  // The same half gradient by the adjoint.
  bool adjoint_gradient(const InsituPoint& at, Eigen::VectorXd& g);
  // The prior's part of the normal equations, times noise^2.
  const Eigen::MatrixXd& prior_information() const { return prior_information_; }
  Eigen::VectorXd prior_gradient(const Eigen::VectorXd& p) const { return prior_information_ * p - prior_pull_; }
  void take_weights(const InsituProblem& other) { weight_ = other.weight_; }
  // Residuals of one signal where it counts, over its rms.
  std::vector<double> residuals(std::size_t experiment, Eigen::Index j, const InsituPoint& at) const;
  const Eigen::MatrixXd& measured(std::size_t experiment) const { return measured_[experiment]; }
  // Residual over signal for each experiment and signal.
  std::vector<std::vector<double>> misfits(const InsituPoint& at) const;
  // Correlation of neighbouring residuals of each experiment and signal.
  std::vector<std::vector<double>> colours(const InsituPoint& at) const;
  // [insitu E13] J^T R J with the correlation R of coloured noise, by the colour of each signal; J^T J where it is 0.
  bool coloured_equations(const InsituPoint& at, const std::vector<std::vector<double>>& colours, Eigen::MatrixXd& B);

 private:
  // Which unknowns a channel has; -1: none.
  struct ChannelUnknowns {
    int gain = -1, offset = -1, delay = -1, time_offset = -1;
    bool any() const { return gain >= 0 || offset >= 0 || late(); }
    bool late() const { return delay >= 0 || time_offset >= 0; }
  };
  // Where a column of the direct sensitivity stands among the parameters.
  struct Column {
    Eigen::Index parameter = 0;
    double ratio = 1.0;
  };

  // Rows of one channel: where they go among the parameters, residuals, and which samples they are.
  struct Rows {
    Eigen::MatrixXd rows;
    Eigen::VectorXd r;
    std::vector<Eigen::Index> to, sample;
  };
  // Calls `take(experiment, channel, rows)` for every channel, and `take_end` for the rows of end points.
  bool each_channel(const InsituPoint& at, const std::function<void(std::size_t, Eigen::Index, const Rows&)>& take,
                    const std::function<void(const Rows&)>& take_end);
  // Derivative by the model's parameters of a sum over the steps of one output.
  bool adjoint_row(const InsituPoint& at, std::size_t experiment, Eigen::Index output, const Eigen::VectorXd& on_steps,
                   Eigen::RowVectorXd& row);
  void find_unknowns();
  void mask_delays(int masking);
  ChannelCalibration calibration(std::size_t experiment, Eigen::Index j, const Eigen::VectorXd& p) const;
  const Sampling& place_of(const InsituPoint& at, std::size_t experiment, Eigen::Index j) const;
  void read_experiment(InsituPoint& at, std::size_t experiment) const;
  double end_of(const InsituPoint& at) const;
  void apply(std::size_t experiment, const Eigen::VectorXd& p);
  Eigen::VectorXd slopes(const Eigen::VectorXd& p) const;
  bool counts(std::size_t experiment, Eigen::Index j, Eigen::Index n,
              double share) const;  // measured, and inside the window
  double weighted_residual(std::size_t experiment, Eigen::Index j, Eigen::Index n,
                           const Eigen::MatrixXd& y) const;  // 0 where it does not count

  const std::vector<InsituExperiment>& experiments_;
  const std::vector<InsituParameter>& parameters_;
  std::vector<mbs::System> systems_;
  std::vector<std::vector<mbs::Output>> outputs_;   // of each experiment: those of the channels, then of the end points
  std::vector<mbs::StepPlan> plans_;                // of experiments with step control; empty: to be chosen
  std::vector<std::vector<mbs::Parameter>> plain_;  // of each experiment
  std::vector<Column> columns_;                     // of plain_
  std::vector<std::vector<ChannelUnknowns>> unknown_;
  std::vector<bool> calibrated_;             // of each experiment: channels do not show signals as computed
  std::vector<Eigen::MatrixXd> measured_;    // with samples that do not count left out
  std::vector<std::vector<double>> times_;   // of the samples
  std::vector<Eigen::Index> step_counts_;    // of each experiment, the start included
  std::vector<Eigen::VectorXd> weight_;      // of each experiment's signals
  std::vector<Eigen::VectorXd> rms_weight_;  // 1 over the rms of each signal
  Eigen::VectorXd start_;
  Eigen::MatrixXd prior_information_;
  Eigen::VectorXd prior_pull_;  // information times mean
  double prior_constant_ = 0.0;
  Eigen::Index samples_ = 0;
  bool rows_by_adjoint_ = false;  // few numbers are measured, many parameters are free  [insitu E14]
};

// Bounds of the unknowns: those of the parameters, else by max_factor and max_shift about the start.
void search_bounds(const std::vector<InsituParameter>& parameters, const InsituOptions& options,
                   const Eigen::VectorXd& start, Eigen::VectorXd& lower, Eigen::VectorXd& upper);

// One search from a start. The history's responses are kept at a few iterations.
struct InsituSearch {
  std::string status, reason;
  InsituPoint best;
  std::vector<InsituIteration> history;
};
InsituSearch search_gauss_newton(InsituProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& lower,
                                 const Eigen::VectorXd& upper, double noise, const InsituOptions& options,
                                 Progress& progress);
InsituSearch search_quasi_newton(InsituProblem& problem, const Eigen::VectorXd& start, const Eigen::VectorXd& lower,
                                 const Eigen::VectorXd& upper, double noise, const InsituOptions& options,
                                 Progress& progress);

}  // namespace kdyn::inline insitu::internal
