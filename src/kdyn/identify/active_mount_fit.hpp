// SPDX-License-Identifier: Apache-2.0
// Identification of an active mount from measured frequency responses: P_xx, P_yx (dynamic stiffness) and S_x, S_y
// (force per volt).
//
// Weighted least squares on ln|H| and arg H of every point with exact derivatives of the closed forms; angles are those
// of quotients. Geometry, masses and the coil's resistance and inductance are taken from the drawing or a multimeter
// and held (model file); stiffness, damping and the coil's force constant are free. `free` and `fix` change that. AB
// cannot be free together with the bulge: only cB/AB^2 acts. P_yx or P_xx alone do not tell kM; S_x or S_y alone do not
// tell the main rubber: such parameters are reported as not determined.
//
// File: columns frequency_hz and, for each measured response, s_x_re_n_per_v and s_x_im_n_per_v, or s_x_abs_n_per_v and
// s_x_phase_deg; p_yx_... in n_per_m or n_per_mm. Several files may be given (passive and active rigs have different
// frequency ranges).
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/activemount/active_mount_model.hpp"
#include "kdyn/activemount/transfer.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

struct ActiveFrfPoint {
  double frequency_hz = 0.0;
  ActivePath path = ActivePath::S_x;
  std::complex<double> value;  // N/m or N/V
  std::size_t line = 0;
};
struct ActiveFrf {
  std::vector<ActiveFrfPoint> points;
  Source source;
  std::vector<Finding> findings;
};
// Throws Error: file_access, or bad_input with file:line.
ActiveFrf read_active_frf(const std::string& path);
ActiveFrf parse_active_frf(std::string_view content, const std::string& name);
std::string active_frf_csv(const std::vector<ActiveFrfPoint>& points, ActivePath path);  // one response as such a file

struct ActiveMountFitOptions {
  std::map<std::string, double> fix;  // parameter -> value it is held at
  std::vector<std::string> free;      // parameters freed although held by default
  std::optional<double> noise_gain_rel, noise_phase_deg;
  std::int64_t starts = 6;
  std::int64_t max_iterations = 100;
  std::int64_t seed = 1;
};
const FieldTable& fields_of(const ActiveMountFitOptions*);

struct ActiveMountFitResult {
  std::string status = "not run";  // converged | not_converged | stopped
  std::string reason;
  ActiveMount<double> law;
  std::vector<ParameterEstimate> parameters;  // all of them, held ones too
  std::vector<std::string> correlation_names;
  Eigen::MatrixXd correlation;
  std::vector<std::string> not_told_apart;
  double noise_gain_rel = 0.0, noise_phase = 0.0;  // as used, rad
  double rms_gain_rel = 0.0, rms_phase = 0.0;      // misfit over all points, rad
  struct PathMisfit {
    ActivePath path;
    std::size_t points;
    double rms_gain_rel, rms_phase;
  };
  std::vector<PathMisfit> paths;
  std::vector<double> start_costs;
  std::vector<double> cost_history;
  int iterations = 0, evaluations = 0;
  double seconds = 0.0;
  std::vector<Finding> findings;
};

// `known` holds the geometry and the start values of what is free.
ActiveMountFitResult fit_active_mount(const std::vector<ActiveFrfPoint>& points, const ActiveMount<double>& known,
                                      const ActiveMountFitOptions& options, Progress& progress = silent_progress());

}  // namespace kdyn::inline identify
