// SPDX-License-Identifier: Apache-2.0
// Finite-element model from Nastran bulk data.
//
// Used: GRID (with GRDSET, CORD2R/C/S), CQUAD4, CTRIA3, CHEXA, CPENTA, CTETRA, CBAR, CBEAM (uniform), CROD, CBUSH
// (spring part), CELAS1/2, CONM2, RBE2, RBE3, MPC, SPC, SPC1, SPCADD, MPCADD, MAT1, PSHELL, PSOLID, PBAR, PBARL, PBEAM,
// PBEAML (ROD, TUBE, BAR, BOX), PROD, PBUSH, PELAS, PARAM (WTMASS, K6ROT, COUPMASS). The sets named by SPC = n and MPC
// = n of the case control are taken; without a choice, the only one there is. Mass is lumped unless PARAM,COUPMASS is
// given, as in Nastran. Motions without stiffness and mass are held (AUTOSPC). A deck has no units: what comes out is
// in the units of the deck. Give `length_m` and `mass_kg` per unit to convert to SI. A card that cannot be used as
// written (missing node, unknown section) is an Error with file:line; what is left out is a finding.
#pragma once

#include <string>

#include "kdyn/fe/model.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::fe {

struct NastranUnits {
  double length_m = 1.0, mass_kg = 1.0;  // one unit of the deck; time is in s
};

// Columns are the axes of a coordinate system at a point; both in the same unit of length.
Eigen::Matrix3d axes_at(const CoordinateSystem& system, const Eigen::Vector3d& point);

Model model_of(NastranDeck& deck, const NastranUnits& units = {});
Model read_nastran_model(const std::string& path, const NastranUnits& units = {});

}  // namespace kdyn::fe
