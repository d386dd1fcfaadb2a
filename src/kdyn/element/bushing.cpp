// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/bushing.hpp"

#include <algorithm>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline element {

Coupling coupling_from_json(const Json& in, const std::string& where) {
  const std::vector<std::string> known(coupling_names.begin(), coupling_names.end());
  const auto it = in.is_string() ? std::find(known.begin(), known.end(), in.get<std::string>()) : known.end();
  if (it == known.end()) throw_bad_input(where, "this is no coupling", "known: " + join(known, ", "));
  return static_cast<Coupling>(it - known.begin());
}

Bushing& Bushing::operator=(const Bushing& other) {
  if (this == &other) return *this;
  coupling = other.coupling;
  place = other.place;
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = other.axes[i] ? other.axes[i]->clone() : nullptr;
  return *this;
}

void Bushing::start(const Vector& u, const Vector& v) {
  const Vector x = inside(u), rate = inside(v);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) axes[i]->start({x[i], rate[i]});
}

Bushing::Vector Bushing::advance(const Vector& u, const Vector& v, double h) {
  const Vector x = inside(u), rate = inside(v);
  Vector force{};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) force[i] = axes[i]->advance({x[i], rate[i]}, h);
  return outside(force, x);
}

void Bushing::change_velocity(const Vector& v) {
  const Vector rate = inside(v);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) axes[i]->change_velocity(rate[i]);
}

Bushing::Vector Bushing::peek(const Vector& u, const Vector& v) const {
  const Vector x = inside(u), rate = inside(v);
  Vector force{};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) force[i] = axes[i]->peek({x[i], rate[i]});
  return outside(force, x);
}

Bushing::Vector Bushing::static_force(const Vector& u) const {
  const Vector x = inside(u);
  Vector force{};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i]) force[i] = axes[i]->static_force(x[i]);
  return outside(force, x);
}

Bushing::Vector Bushing::inside(const Vector& motion) const {
  if (!place.given()) return motion;
  Vector own;
  place.motion_inside(motion.data(), own.data());
  return own;
}

Bushing::Vector Bushing::outside(Vector force, const Vector& own) const {
  if (coupling != Coupling::none) {
    const auto added = coupling_force(
        coupling, own.data(), [&](std::size_t i, double x) { return axes[i] ? axes[i]->static_force(x) : 0.0; });
    for (std::size_t i = 0; i < added.size(); ++i) force[i] += added[i];
  }
  if (!place.given()) return force;
  Vector back;
  place.force_outside(force.data(), back.data());
  return back;
}

}  // namespace kdyn::inline element
