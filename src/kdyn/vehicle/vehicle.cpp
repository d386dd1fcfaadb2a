// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/vehicle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"

namespace kdyn::inline vehicle {
namespace {

struct CornerGroup {
  const char *symbol, *unit, *meaning;
  int first;
};
constexpr std::array<CornerGroup, 4> corner_groups = {{{"mu", "kg", "unsprung mass", 3},
                                                       {"ks", "N/m", "suspension stiffness", 7},
                                                       {"kt", "N/m", "tyre stiffness", 11},
                                                       {"cs", "N*s/m", "suspension damping", 15}}};
constexpr std::array<const char*, 4> corner_words = {"front left", "front right", "rear left", "rear right"};

std::vector<VehicleParameter> make_parameters(bool symmetric) {
  std::vector<VehicleParameter> all = {{"ms", "kg", "Sprung mass", {0}},
                                       {"Iyy", "kg*m^2", "Pitch inertia of the sprung mass", {1}},
                                       {"Ixx", "kg*m^2", "Roll inertia of the sprung mass", {2}}};
  for (const CornerGroup& group : corner_groups) {
    const std::string symbol = group.symbol, meaning = group.meaning;
    if (symmetric) {
      all.push_back({symbol + "f", group.unit, "Front " + meaning + ", each side", {group.first, group.first + 1}});
      all.push_back({symbol + "r", group.unit, "Rear " + meaning + ", each side", {group.first + 2, group.first + 3}});
    } else {
      for (int i = 0; i < 4; ++i) {
        std::string words = std::string(corner_words[static_cast<std::size_t>(i)]) + " " + meaning;
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
        all.push_back({symbol + static_cast<char>('A' + i), group.unit, words, {group.first + i}});
      }
    }
  }
  all.push_back({"a", "m", "Centre of gravity to the front axle", {19}});
  all.push_back({"b", "m", "Centre of gravity to the rear axle", {20}});
  all.push_back({"tf", "m", "Half of the front track", {21}});
  all.push_back({"tr", "m", "Half of the rear track", {22}});
  return all;
}

}  // namespace

const std::vector<VehicleParameter>& vehicle_parameters(bool symmetric) {
  static const std::vector<VehicleParameter> axles = make_parameters(true), corners = make_parameters(false);
  return symmetric ? axles : corners;
}

std::vector<std::string> parameter_names(bool symmetric) {
  std::vector<std::string> names;
  for (const VehicleParameter& p : vehicle_parameters(symmetric)) names.push_back(p.name);
  return names;
}

Eigen::VectorXd values_of(const Vehicle<double>& vehicle, bool symmetric) {
  Vehicle<double> copy = vehicle;
  const auto members = copy.members();
  const auto& parameters = vehicle_parameters(symmetric);
  Eigen::VectorXd values(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    double sum = 0.0;
    for (const int m : parameters[i].members) sum += *members[static_cast<std::size_t>(m)];
    values[static_cast<Eigen::Index>(i)] = sum / static_cast<double>(parameters[i].members.size());
  }
  return values;
}

Vehicle<double> vehicle_from(const Eigen::VectorXd& values, bool symmetric) {
  const auto& parameters = vehicle_parameters(symmetric);
  demand(values.size() == static_cast<Eigen::Index>(parameters.size()), "a vehicle has 15 or 23 parameters");
  Vehicle<double> vehicle;
  const auto members = vehicle.members();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const int m : parameters[i].members)
      *members[static_cast<std::size_t>(m)] = values[static_cast<Eigen::Index>(i)];
  return vehicle;
}

Eigen::MatrixXd state_matrix(const VehicleMatrices<double>& m) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * vehicle_dofs, 2 * vehicle_dofs);
  A.topRightCorner(vehicle_dofs, vehicle_dofs).setIdentity();
  A.bottomLeftCorner(vehicle_dofs, vehicle_dofs) = (-m.mass.cwiseInverse()).asDiagonal() * m.stiffness;
  A.bottomRightCorner(vehicle_dofs, vehicle_dofs) = (-m.mass.cwiseInverse()).asDiagonal() * m.damping;
  return A;
}

VehicleModes vehicle_modes(const VehicleMatrices<double>& matrices) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(state_matrix(matrices));
  demand(solver.info() == Eigen::Success, "the eigenvalues of a vehicle exist");
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < solver.eigenvalues().size(); ++i)
    if (solver.eigenvalues()[i].imag() >= 0.0) kept.push_back(i);
  std::sort(kept.begin(), kept.end(), [&](Eigen::Index i, Eigen::Index j) {
    return std::abs(solver.eigenvalues()[i]) < std::abs(solver.eigenvalues()[j]);
  });
  VehicleModes modes;
  modes.eigenvalues.resize(static_cast<Eigen::Index>(kept.size()));
  modes.shapes.resize(vehicle_dofs, static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const auto lambda = solver.eigenvalues()[kept[k]];
    modes.eigenvalues[static_cast<Eigen::Index>(k)] = lambda;
    modes.frequency_hz.push_back(std::abs(lambda) / (2.0 * std::numbers::pi));
    modes.damping_ratio.push_back(-lambda.real() / std::abs(lambda));
    const Eigen::VectorXcd shape = solver.eigenvectors().col(kept[k]).head(vehicle_dofs);
    Eigen::Index largest = 0;
    shape.cwiseAbs().maxCoeff(&largest);
    modes.shapes.col(static_cast<Eigen::Index>(k)) = shape / shape[largest];
  }
  return modes;
}

}  // namespace kdyn::inline vehicle
