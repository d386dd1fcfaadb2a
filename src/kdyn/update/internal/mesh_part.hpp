// SPDX-License-Identifier: Apache-2.0
// What the mesh does to the parameters of one part: the same calibration with a mesh twice as fine. [update E35]
//
// A mesh that is too coarse is too stiff, and thicknesses, moduli and masses take that up without leaving anything over:
// no method that looks at the deviation alone can see it. Made only where the model does not describe the test, since
// where it does its mesh does as well.
#pragma once

#include "kdyn/update/internal/loss_part.hpp"

namespace kdyn::update::internal {

// Fills out.finer_mesh; leaves it empty for models of matrices, with loss factors, or with a mesh that cannot be cut.
void check_mesh(PartResult& out, const FullModel& full, const UpdateOptions& options, const PartSearch& search);

// [update E35] Half of the 95 % interval that the mesh gives each ratio; zeros when there was no check.
Eigen::VectorXd mesh_half_interval(const PartResult& out);

}  // namespace kdyn::update::internal
