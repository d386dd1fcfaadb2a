// SPDX-License-Identifier: Apache-2.0
// Bushings whose static forces are coupled: loads, their slopes by all three displacements, by parameters, and stored
// energy.
//
//   [mbs E33]  load_i = f_i(x_i, rate_i, w_i, memory_i) + s_i(x), s of [element E11] [element E12] with the static forces of the laws.
//              s has no states and no memory: it adds s_x to the slopes of the loads and s_p, the same formula with dG/dp for G, to those by
//              parameters
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/element/bushing.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/system.hpp"
#include "kdyn/numerics/jet_eigen.hpp"

namespace kdyn::mbs {
void System::find_coupled() {
  coupled_of_.assign(model_.connections.size(), -1);
  for (std::size_t c = 0; c < model_.connections.size(); ++c) {
    const Connection& connection = model_.connections[c];
    if (connection.coupling == Coupling::none) continue;
    CoupledBushing b;
    b.connection = static_cast<int>(c);
    b.coupling = connection.coupling;
    for (const int a : axes_of_[c])
      if (const std::size_t k = at(axes_[at(a)].component); k < coupled_axes(b.coupling)) b.axes[k] = a;
    b.potential = has_potential(b);
    coupled_of_[c] = static_cast<int>(coupled_.size());
    coupled_.push_back(b);
  }
}

void System::add_coupling(Evaluation& e) const {
  for (const CoupledBushing& b : coupled_) {
    const auto added = coupling_force(b.coupling, e.measure[at(b.connection)].x.data(), [&](std::size_t i, double x) {
      return b.axes[i] < 0 ? 0.0 : axes_[at(b.axes[i])].law->static_force(x);
    });
    for (std::size_t i = 0; i < 3; ++i)
      if (b.axes[i] >= 0) e.load[at(b.axes[i])] += added[i];
  }
}

void System::coupling_slopes(Evaluation& e) const {
  using J = Jet<3>;
  e.coupling_x.resize(coupled_.size());
  for (std::size_t k = 0; k < coupled_.size(); ++k) {
    const CoupledBushing& b = coupled_[k];
    const double* x = e.measure[at(b.connection)].x.data();
    const std::array<J, 3> u = {J(x[0], 0), J(x[1], 1), J(x[2], 2)};
    const auto added = coupling_force(b.coupling, u.data(), [&](std::size_t i, const J& rho) {
      if (b.axes[i] < 0) return J(0.0);
      double slope = 0.0;
      const double force = axes_[at(b.axes[i])].law->static_force(rho.a, &slope);
      return chain(rho, force, slope);
    });
    for (std::size_t i = 0; i < 3; ++i)
      e.coupling_x[k].row(static_cast<Eigen::Index>(i)) = derivatives(added[i]).transpose();
  }
}

double System::coupling_by_parameter(const CoupledBushing& b, std::size_t component, const Vector6& x,
                                     int law_parameter) const {
  const AxisLaw& law = *axes_[at(b.axes[component])].law;
  return coupling_force(b.coupling, x.data(), [&](std::size_t i, double u) {
    return i == component ? law.static_force_by_parameter(u, law_parameter) : 0.0;
  })[component];
}

// Energy at rest, from that at zero: the work of the static force.
double System::static_energy(int axis, double u) const {
  const AxisLaw& law = *axes_[at(axis)].law;
  const std::vector<double> none(at(law.state_count()), 0.0);
  return law.stored_energy(u, none.data(), law.start(u)).value() -
         law.stored_energy(0.0, none.data(), law.start(0.0)).value();
}

bool System::knows_energy(int axis) const {
  const AxisLaw& law = *axes_[at(axis)].law;
  const std::vector<double> none(at(law.state_count()), 0.0);
  return law.stored_energy(0.0, none.data(), law.start(0.0)).has_value();
}

// [element E13] looked at over the range of bushings: 200 radii from a micrometre to a decimetre.
bool System::has_potential(const CoupledBushing& b) const {
  constexpr int count = 200;
  constexpr double smallest = 1e-6, largest = 0.1, small = 1e-9;
  const auto force = [&](std::size_t i, double u) {
    if (b.axes[i] < 0) return 0.0;
    const AxisLaw& law = *axes_[at(b.axes[i])].law;
    return law.static_force(u) - law.static_force(0.0);
  };
  for (std::size_t i = 0; i < coupled_axes(b.coupling); ++i)
    if (b.axes[i] >= 0 && !knows_energy(b.axes[i])) return false;
  for (int n = 0; n < count; ++n) {
    const double r = smallest * std::pow(largest / smallest, n / (count - 1.0));
    for (std::size_t i = 0; i < coupled_axes(b.coupling); ++i) {
      const double own = force(i, r), first = force(0, r), line = (force(i, largest) - force(0, largest)) / largest * r;
      const double allowed = small * (std::abs(own) + std::abs(first));
      if (!(std::abs(own + force(i, -r)) <= allowed) || !(std::abs(own - first - line) <= allowed)) return false;
    }
  }
  return true;
}

double System::coupling_energy(const Evaluation& e) const {
  double sum = 0.0;
  for (const CoupledBushing& b : coupled_) {
    if (!b.potential) return std::numeric_limits<double>::quiet_NaN();
    // In place of the work along each axis that of the radius  [element E13]: with G of the axis whose curve is bent,
    // any of them, and straight lines between it and the others.
    const Vector6& x = e.measure[at(b.connection)].x;
    const auto n = static_cast<Eigen::Index>(coupled_axes(b.coupling));
    const double r = x.head(n).norm();
    if (r == 0.0) continue;
    const auto work = [&](int axis, double u) {
      return axis < 0 ? 0.0 : static_energy(axis, u) - u * axes_[at(axis)].law->static_force(0.0);
    };
    const auto secant = [&](int axis) {
      return axis < 0 ? 0.0 : (axes_[at(axis)].law->static_force(r) - axes_[at(axis)].law->static_force(0.0)) / r;
    };
    sum += work(b.axes[0], r);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int axis = b.axes[static_cast<std::size_t>(i)];
      sum += 0.5 * (secant(axis) - secant(b.axes[0])) * x[i] * x[i] - work(axis, x[i]);
    }
  }
  return sum;
}

std::vector<std::string> System::bushings_without_potential() const {
  std::vector<std::string> names;
  for (const CoupledBushing& b : coupled_) {
    const bool known =
        std::all_of(b.axes.begin(), b.axes.end(), [this](int axis) { return axis < 0 || knows_energy(axis); });
    if (known && !b.potential) names.push_back(model_.connections[at(b.connection)].name);
  }
  return names;
}

std::vector<std::string> System::laws_without_energy() const {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Connection& c = model_.connections[at(axes_[a].connection)];
    if (!knows_energy(static_cast<int>(a)))
      names.push_back(
          c.kind == ConnectionKind::spring ? c.name : fmt::format("{}.{}", c.name, axis_names[at(axes_[a].component)]));
  }
  return names;
}

}  // namespace kdyn::mbs
