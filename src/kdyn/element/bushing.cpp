// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/bushing.hpp"

#include <algorithm>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn {

Coupling coupling_from_json(const Json& in, const std::string& where) {
  const std::vector<std::string> known(coupling_names.begin(), coupling_names.end());
  const auto it = in.is_string() ? std::find(known.begin(), known.end(), in.get<std::string>()) : known.end();
  if (it == known.end()) throw_bad_input(where, "this is no coupling", "known: " + join(known, ", "));
  return static_cast<Coupling>(it - known.begin());
}

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

Bushing::Vector Bushing::with_coupling(Vector force, const Vector& u) const {
  if (coupling == Coupling::none) return force;
  const auto added = coupling_force(coupling, u.data(), [&](std::size_t i, double x) { return axes[i] ? axes[i]->static_force(x) : 0.0; });
  for (std::size_t i = 0; i < added.size(); ++i) force[i] += added[i];
  return force;
}

}  // namespace kdyn
