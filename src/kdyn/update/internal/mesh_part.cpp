// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/internal/mesh_part.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/refine_mesh.hpp"

namespace kdyn::update::internal {

using Eigen::VectorXd;

namespace {

// The small model of the same structure on a mesh twice as fine; none where that cannot be made.
std::optional<fe::ReducedModel> on_finer_mesh(const PartResult& out, const FullModel& full,
                                              const UpdateOptions& options) {
  const std::optional<fe::Model> halved = fe::with_mesh_halved(*full.described);
  if (!halved) return std::nullopt;
  const FullModel finer = full_model(*halved, full.parameters);
  fe::BasisOptions basis;
  basis.modes = std::min(options.basis_modes, finer.matrices.size());
  basis.sensitivity_modes = options.sensitivity_modes;
  basis.shift_hz = options.shift_hz;
  basis.eigensolver = options.eigensolver;
  return make_surrogate(finer.matrices, finer.group_of, finer.rows(out.outputs, "outputs", out.output_axes),
                        finer.rows(out.inputs, "inputs", out.input_axes).transpose(), basis, out.optimum.ratio)
      .model;
}

}  // namespace

void check_mesh(PartResult& out, const FullModel& full, const UpdateOptions& options, const PartSearch& search) {
  if (!full.described || full.loses() || out.noise.draws.empty()) return;
  std::optional<fe::ReducedModel> model;
  try {
    model = on_finer_mesh(out, full, options);
  } catch (const Error& error) {
    // Elements that are poor already may be refused when they are cut; the result stands without this check.
    if (error.code() != ErrorCode::bad_input) throw;
  }
  if (!model) return;
  // Links or joints that the cut has opened would show as motions that cost nothing.
  if (modal_form(*model, out.optimum.ratio, false).rigid() != modal_form(out.model, out.optimum.ratio, false).rigid())
    return;
  CalibrationOptions calibration = search.calibration;
  calibration.threads = 0;
  const Calibration found = calibrate(*model, out.stages, out.optimum.ratio, calibration);
  if (found.status != CalibrationStatus::converged) return;
  Target target = out.stages.back().target;
  target.weight = out.noise.resolved(target);
  const double metric = log_metric(*model, found.ratio, target, out.stages.back().damping);
  out.finer_mesh.ratio = found.ratio;
  out.finer_mesh.model_to_noise = std::sqrt(metric / out.noise_metric.resolved_calibration);
  out.finer_mesh.share = std::max(0.0, 1.0 - metric / out.metric.resolved_calibration);
}

VectorXd mesh_half_interval(const PartResult& out) {
  if (!out.finer_mesh.made()) return VectorXd::Zero(out.optimum.ratio.size());
  // The mesh does this whatever else the model lacks; a finer one that fits no better does not.
  const double counts = std::min(1.0, 5.0 * out.finer_mesh.share);
  return 2.0 * counts * (out.finer_mesh.ratio - out.optimum.ratio).cwiseAbs();
}

}  // namespace kdyn::update::internal
