// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/bushing.hpp"

#include <cmath>

namespace kdyn {

Bushing& Bushing::operator=(const Bushing& other) {
  if (this == &other) return *this;
  coupling = other.coupling;
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = other.axes[i] ? other.axes[i]->clone() : nullptr;
  return *this;
}

void Bushing::start(const Vector& u, const Vector& v) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) axes[i]->start({u[i], v[i]});
}

Bushing::Vector Bushing::advance(const Vector& u, const Vector& v, double h) {
  Vector force{};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) force[i] = axes[i]->advance({u[i], v[i]}, h);
  return with_coupling(force, u);
}

Bushing::Vector Bushing::peek(const Vector& u, const Vector& v) const {
  Vector force{};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) force[i] = axes[i]->peek({u[i], v[i]});
  return with_coupling(force, u);
}

Bushing::Vector Bushing::static_force(const Vector& u) const {
  Vector force{};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) force[i] = axes[i]->static_force(u[i]);
  return with_coupling(force, u);
}

// Replaces the static force along each coupled axis by its share of the radial one  [element E11] [element E12].
Bushing::Vector Bushing::with_coupling(Vector force, const Vector& u) const {
  if (coupling == Coupling::none) return force;  // [element E10]
  const std::size_t coupled = coupling == Coupling::cylindrical ? 2 : 3;
  double square = 0.0;
  for (std::size_t i = 0; i < coupled; ++i) square += u[i] * u[i];
  const double r = std::sqrt(square);
  if (r == 0.0) return force;
  for (std::size_t i = 0; i < coupled; ++i) {
    if (!axes[i]) continue;
    // The share vanishes as x passes 0, where sign(x) jumps; the offset G(0) of a curve stays on its axis.
    const double zero = axes[i]->static_force(0.0);
    force[i] += std::abs(u[i]) / r * (axes[i]->static_force(std::copysign(r, u[i])) - zero) - (axes[i]->static_force(u[i]) - zero);
  }
  return force;
}

}  // namespace kdyn
