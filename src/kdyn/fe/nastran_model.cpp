// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/nastran_model.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"

namespace kdyn::fe {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d axes_at(const CoordinateSystem& system, const Vector3d& point) {
  Matrix3d r;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) r(i, k) = system.R_GL[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  if (system.kind == CoordinateKind::cartesian) return r;
  const Vector3d local = r.transpose() * (point - Eigen::Map<const Vector3d>(system.p_GL_G.data()));
  const double angle = std::atan2(local.y(), local.x());
  Matrix3d turn;
  turn.col(0) = Vector3d(std::cos(angle), std::sin(angle), 0.0);
  turn.col(1) = Vector3d(-std::sin(angle), std::cos(angle), 0.0);
  turn.col(2) = Vector3d::UnitZ();
  if (system.kind == CoordinateKind::spherical) {
    const double theta = std::atan2(std::hypot(local.x(), local.y()), local.z());
    const Vector3d out = std::sin(theta) * turn.col(0) + std::cos(theta) * Vector3d::UnitZ();
    const Vector3d down = std::cos(theta) * turn.col(0) - std::sin(theta) * Vector3d::UnitZ(), around = turn.col(1);
    turn.col(0) = out, turn.col(1) = down, turn.col(2) = around;
  }
  return r * turn;
}

Model internal::NastranBuilder::run() {
  model_.name = deck_.files.empty() ? "deck" : deck_.files.front();
  for (const NastranCard& card : deck_.cards) by_name_[card.name].push_back(&card);
  refuse_what_is_not_read();
  read_parameters();
  read_nodes();
  index_properties();
  read_elements();
  read_springs();
  read_added_mass();
  read_constraints();
  model_.findings = deck_.findings;
  if (model_.elements.empty() && model_.springs.empty() && model_.scalar_springs.empty() && model_.entries.empty())
    throw_bad_input(model_.name, "the deck has no element that kdyn knows",
                    "give bulk data with shells, solids, beams or springs");
  return std::move(model_);
}

Model model_of(NastranDeck& deck, const NastranSettings& settings) {
  return internal::NastranBuilder(deck, settings).run();
}

Model read_nastran_model(const std::string& path, const NastranSettings& settings) {
  NastranDeck deck = read_nastran(path);
  return model_of(deck, settings);
}

}  // namespace kdyn::fe
