// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/equalise.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline sysid {

ResponseKind response_kind(const std::string& output_unit, bool& known) {
  known = true;
  if (output_unit == "m" || output_unit == "rad") return ResponseKind::receptance;
  if (output_unit == "m/s" || output_unit == "rad/s") return ResponseKind::mobility;
  known = output_unit == "m/s^2" || output_unit == "rad/s^2";
  return ResponseKind::accelerance;
}

ModalModel equalise_damping(const ModalModel& model, double damping, ResponseKind kind, DampingKind was) {
  if (!(damping > 0.0 && damping < 1.0))
    throw_bad_input("damping", fmt::format("{} is not a damping ratio between 0 and 1", damping),
                    "give for example 0.02");
  ModalModel out = model;
  const int power = static_cast<int>(kind);
  for (const Eigen::Index r : model.of_role(PoleRole::mode)) {
    const std::complex<double> old = model.poles[r];
    if (!(old.imag() > 0.0)) continue;
    const double stiffness = old.imag() * old.imag() - old.real() * old.real();  // Re(-lambda^2)
    const bool hysteretic =
        stiffness > 0.0 &&
        (was == DampingKind::hysteretic || (was == DampingKind::automatic && damping_ratio(old) > hysteretic_from));
    // [sysid E18], [sysid E21]
    const std::complex<double> pole = (hysteretic ? std::sqrt(stiffness) : std::abs(old)) *
                                      std::complex<double>(-damping, std::sqrt(1.0 - damping * damping));
    std::complex<double> factor = (hysteretic ? old / std::complex<double>(0.0, 1.0) : old.imag()) / pole.imag();
    for (int i = 0; i < power; ++i) factor *= pole / old;
    out.poles[r] = pole;
    out.C.col(r) *= factor;
  }
  return out;
}

}  // namespace kdyn::inline sysid
