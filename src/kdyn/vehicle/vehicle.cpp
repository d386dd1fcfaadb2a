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
};
constexpr std::array<CornerGroup, 4> corner_groups = {{{"mu", "kg", "unsprung mass"},
                                                       {"ks", "N/m", "suspension stiffness"},
                                                       {"kt", "N/m", "tyre stiffness"},
                                                       {"cs", "N*s/m", "suspension damping"}}};

std::string capital(std::string words) {
  words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

std::vector<VehicleParameter> make_parameters(bool symmetric, const VehicleLayout& layout) {
  const bool car = layout.axles == 2;
  const auto axle_words = [&](int axle) {
    static const std::array<const char*, 3> numbered = {"first", "second", "third"};
    return std::string(car ? (axle == 0 ? "front" : "rear") : numbered[static_cast<std::size_t>(axle)]);
  };
  const auto ending = [&](int axle) { return car ? std::string(axle == 0 ? "f" : "r") : std::to_string(axle + 1); };
  std::vector<VehicleParameter> all = {{"ms", "kg", "Sprung mass", {0}},
                                       {"Iyy", "kg*m^2", "Pitch inertia of the sprung mass", {1}},
                                       {"Ixx", "kg*m^2", "Roll inertia of the sprung mass", {2}}};
  int next = 3;
  for (const CornerGroup& group : corner_groups) {
    const std::string symbol = group.symbol, meaning = group.meaning;
    for (int axle = 0; axle < layout.axles; ++axle, next += 2) {
      if (symmetric) {
        all.push_back({symbol + ending(axle),
                       group.unit,
                       capital(axle_words(axle)) + (car ? " " : " axle, ") + meaning + ", each side",
                       {next, next + 1}});
        continue;
      }
      for (int side = 0; side < 2; ++side)
        all.push_back({symbol + static_cast<char>('A' + 2 * axle + side),
                       group.unit,
                       capital(axle_words(axle)) + (car ? "" : " axle") + (side == 0 ? " left " : " right ") + meaning,
                       {next + side}});
    }
  }
  const bool either_side = !car || layout.hitch;
  const auto length = [&](const std::string& name, const std::string& meaning, bool either) {
    all.push_back({name, "m", meaning, {next++}, either});
  };
  length("a", "Centre of gravity forward to the " + axle_words(0) + " axle", either_side);
  length("b", "Centre of gravity back to the " + axle_words(1) + " axle", either_side);
  if (!car) length("b3", "Centre of gravity back to the third axle", either_side);
  for (int axle = 0; axle < layout.axles; ++axle)
    length("t" + ending(axle), "Half of the " + axle_words(axle) + " track", false);
  if (layout.hitch) {
    length("hitch", "Centre of gravity forward to the hitch", false);
    all.push_back({"kh", "N/m", "Stiffness of the hitch", {next++}});
    all.push_back({"ch", "N*s/m", "Damping of the hitch", {next++}});
  }
  for (int axle = 0; layout.bilinear && axle < layout.axles; ++axle, next += 2) {
    const std::string words = axle_words(axle) + (car ? "" : " axle");
    if (symmetric)
      all.push_back(
          {"reb" + ending(axle), "-", capital(words) + " damping in rebound over compression", {next, next + 1}});
    for (int side = 0; !symmetric && side < 2; ++side)
      all.push_back({std::string("reb") + static_cast<char>('A' + 2 * axle + side),
                     "-",
                     capital(words) + (side == 0 ? " left" : " right") + " damping in rebound over compression",
                     {next + side}});
  }
  return all;
}

}  // namespace

const std::vector<VehicleParameter>& vehicle_parameters(bool symmetric, const VehicleLayout& layout) {
  demand(layout.axles == 2 || layout.axles == 3, "a vehicle has two or three axles");
  static const auto tables = [] {
    std::vector<std::vector<VehicleParameter>> all;
    for (const int axles : {2, 3})
      for (const bool hitch : {false, true})
        for (const bool bilinear : {false, true})
          for (const bool alike : {false, true}) all.push_back(make_parameters(alike, {axles, hitch, bilinear}));
    return all;
  }();
  return tables[static_cast<std::size_t>(8 * (layout.axles - 2) + 4 * (layout.hitch ? 1 : 0) +
                                         2 * (layout.bilinear ? 1 : 0) + (symmetric ? 1 : 0))];
}

std::vector<std::string> parameter_names(bool symmetric, const VehicleLayout& layout) {
  std::vector<std::string> names;
  for (const VehicleParameter& p : vehicle_parameters(symmetric, layout)) names.push_back(p.name);
  return names;
}

Eigen::VectorXd values_of(const Vehicle<double>& vehicle, bool symmetric) {
  Vehicle<double> copy = vehicle;
  const auto members = copy.members();
  const auto& parameters = vehicle_parameters(symmetric, vehicle.layout);
  Eigen::VectorXd values(static_cast<Eigen::Index>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    double sum = 0.0;
    for (const int m : parameters[i].members) sum += *members[static_cast<std::size_t>(m)];
    values[static_cast<Eigen::Index>(i)] = sum / static_cast<double>(parameters[i].members.size());
  }
  return values;
}

Vehicle<double> vehicle_from(const Eigen::VectorXd& values, bool symmetric, const VehicleLayout& layout) {
  const auto& parameters = vehicle_parameters(symmetric, layout);
  demand(values.size() == static_cast<Eigen::Index>(parameters.size()), "a vehicle has all its parameters");
  Vehicle<double> vehicle;
  vehicle.layout = layout;
  const auto members = vehicle.members();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const int m : parameters[i].members)
      *members[static_cast<std::size_t>(m)] = values[static_cast<Eigen::Index>(i)];
  return vehicle;
}

Eigen::MatrixXd state_matrix(const VehicleMatrices<double>& m) {
  const Eigen::Index dofs = m.mass.rows();
  const Eigen::MatrixXd mass = m.mass;
  const Eigen::LLT<Eigen::MatrixXd> solver(mass);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * dofs, 2 * dofs);
  A.topRightCorner(dofs, dofs).setIdentity();
  A.bottomLeftCorner(dofs, dofs) = -solver.solve(Eigen::MatrixXd(m.stiffness));
  A.bottomRightCorner(dofs, dofs) = -solver.solve(Eigen::MatrixXd(m.damping));
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
  modes.shapes.resize(matrices.mass.rows(), static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const auto lambda = solver.eigenvalues()[kept[k]];
    modes.eigenvalues[static_cast<Eigen::Index>(k)] = lambda;
    modes.frequency_hz.push_back(std::abs(lambda) / (2.0 * std::numbers::pi));
    modes.damping_ratio.push_back(-lambda.real() / std::abs(lambda));
    const Eigen::VectorXcd shape = solver.eigenvectors().col(kept[k]).head(matrices.mass.rows());
    Eigen::Index largest = 0;
    shape.cwiseAbs().maxCoeff(&largest);
    modes.shapes.col(static_cast<Eigen::Index>(k)) = shape / shape[largest];
  }
  return modes;
}

}  // namespace kdyn::inline vehicle
