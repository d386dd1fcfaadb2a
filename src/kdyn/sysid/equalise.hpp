// SPDX-License-Identifier: Apache-2.0
// Damping equalisation: the same model with one damping ratio for all physical in-band modes. Comparing such responses
// with those of an undamped FE model does not ask for damping that neither knows.
//
//   [sysid E18] lambda~ = |lambda| (-zeta_0 + i sqrt(1 - zeta_0^2)),  R~ = R (lambda~^p/lambda^p)(Im lambda/Im lambda~),  D unchanged
//   [sysid E21] hysteretic modes, lambda^2 = -W^2 (1 + i eta): lambda~ = W (-zeta_0 + i sqrt(1 - zeta_0^2)) with W^2 = Re(-lambda^2),
//               R~ = R (lambda~^p/lambda^p)(lambda/(i Im lambda~)). [sysid E18] would take |k*| for k', too much by sqrt(1 + eta^2)
// with p = 2 for accelerance, 1 for mobility, 0 for receptance. Exact for real modes.
// Changed from the paper (Gibanica and Abrahamsson, eq. 11), which keeps residues and Im lambda: the residue of an
// accelerance depends on damping, R = phi phi^T lambda^2/(2 i Im lambda). Residual poles and poles that are not modes
// stay as they are.
#pragma once

#include <string>

#include "kdyn/sysid/modal_model.hpp"

namespace kdyn::inline sysid {

enum class ResponseKind {
  receptance = 0,
  mobility = 1,
  accelerance = 2
};  // the power p of s between receptance and the response

// By the unit of the outputs (m, m/s, m/s^2 or the same of rad); accelerance and known = false when it does not tell.
ResponseKind response_kind(const std::string& output_unit, bool& known);

// What the damping of the modes was. Poles alone do not tell; `automatic` takes modes above `hysteretic_from` for rubber
// and lighter ones, where the two differ by less than 0.1 % in stiffness, for viscous.
enum class DampingKind { automatic, viscous, hysteretic };
inline constexpr double hysteretic_from = 0.02;

// Equalises the poles with role `mode`. damping in (0, 1).
ModalModel equalise_damping(const ModalModel& model, double damping, ResponseKind kind = ResponseKind::accelerance,
                            DampingKind was = DampingKind::viscous);

}  // namespace kdyn::inline sysid
