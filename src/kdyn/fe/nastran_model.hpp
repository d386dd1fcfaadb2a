// SPDX-License-Identifier: Apache-2.0
// Finite-element model from Nastran bulk data.
//
// Cards and what is done with them: io/nastran_cards.hpp and docs/finite_elements.md. An element, mass or link that is not
// understood is an Error with file:line, how many of them there are and a remedy, unless `ignore_cards` names it; so is a
// field of a known card that would change the result and is not supported. Cards that carry no stiffness or mass are
// listed once in the findings. The sets named by SPC = n, MPC = n, NSM = n, K2GG and M2GG of the case control are taken;
// bulk data without case control takes the only set of supports there is. Mass is lumped unless PARAM,COUPMASS is given,
// as in Nastran. Motions without stiffness are held (AUTOSPC). A deck has no units: what comes out is in the units of the
// deck. Give `length_m` and `mass_kg` per unit to convert to SI.
#pragma once

#include <string>
#include <vector>

#include "kdyn/fe/model.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::fe {

struct NastranSettings {
  double length_m = 1.0, mass_kg = 1.0;   // one unit of the deck; time is in s
  std::vector<std::string> ignore_cards;  // left out although they may carry stiffness, mass or links
};

// Columns are the axes of a coordinate system at a point; both in the same unit of length.
Eigen::Matrix3d axes_at(const CoordinateSystem& system, const Eigen::Vector3d& point);

Model model_of(NastranDeck& deck, const NastranSettings& settings = {});
Model read_nastran_model(const std::string& path, const NastranSettings& settings = {});

}  // namespace kdyn::fe
