// SPDX-License-Identifier: Apache-2.0
// Property files .ubf and .ubu of Scheiblegger 2018, appendix A1 and A2: elastomer (G4E) and hydro mounts (G4D).
//
// The paper names the keys, not the layout of blocks. Ours: [MDI_HEADER], [UNITS], [MODEL] with MODEL_TYPE and SHAPE,
// then for each direction a block [FX] ... [TZ] with the keys, and [FX_CURVE] for the static curve, [FX_CHAMBER_CURVE]
// for the impact of the preload on the chamber. Keys are SI times the file's units. Accepted beside the right keys: the
// printed misspellings (FRICITION_, MAIN_RUBER_, CHAMEBR_, SCLAE_) and the variable names of .ubu (alfa, scaler, RDL,
// kSign, set_LIN, ...). Written are the right keys. What the appendix has no key for stands in a block of kdyn's own,
// [FX_KDYN], which other readers may skip: FRICTION_LAW ('g4' or 'masing'; a file without it is g4), FRICTION_START_UP,
// the residual slope of the decoupler, scales, and tables under (NAME): see ubf_tables(). SHAPE is the coupling of the
// translations: none, cylindrical, spherical. A block [KDYN] has the place of the bushing (io/teimorbit.hpp).
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/teimorbit.hpp"

namespace kdyn::inline io {

using UbfTable = std::vector<std::vector<double>>;  // rows

struct UbfDirection {
  bool present = false;
  std::map<std::string, double> numbers;     // key as in the standard spelling, SI
  std::map<std::string, std::string> texts;  // USE_CURVE, FRICTION_LAW, ...
  Curve curve;                               // m, N or rad, N*m
  Curve chamber_curve;                       // m, 1/m
  std::map<std::string, UbfTable> tables;    // of kdyn's own block, SI
};

struct UbfFile {
  std::string name, model_type = "G4E", shape = "none";
  std::array<UbfDirection, 6> directions;
  std::array<double, 6> place{};  // of a block [KDYN]: position in m, rotation vector in rad
  std::vector<Finding> findings;
};

bool is_ubf(const TeimOrbitFile& file);
UbfFile ubf_of(TeimOrbitFile&& file);
std::string ubf_text(const UbfFile& file);  // SI units, shortest digits that round-trip

// The standard keys, in the order they are written; unit in SI for a translational direction.
struct UbfKey {
  const char* key;
  const char* unit;
  bool own = false;  // of kdyn: stands in its block
};
const std::vector<UbfKey>& ubf_keys();

// The tables of kdyn's own block: columns with their units.
struct UbfTableKey {
  const char* name;
  std::vector<std::pair<const char*, const char*>> columns;
};
const std::vector<UbfTableKey>& ubf_tables();

}  // namespace kdyn::inline io
