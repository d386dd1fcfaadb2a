// SPDX-License-Identifier: Apache-2.0
// Master curve: storage and loss over frequency at several temperatures, moved along the logarithm of frequency until
// they lie on one curve (time-temperature superposition).
//
//   [identify E60]  ln E'(f, T) = ln b(T) + S'(log10 f + log10 a(T)),   the same with S'' for the loss
//
// S', S'' are smooth curves (penalised cubic splines), a(T) the shift factors, b(T) vertical shifts where asked for; at
// the reference temperature a = b = 1. Everything is estimated together, the smoothness by its marginal likelihood, so
// that intervals of the shift factors hold the noise and what is not known of the curve. WLF and Arrhenius are fitted to
// the shift factors  [identify E61]  with their covariance.
//
// Moduli in Pa or stiffness in N/m: the unit does not matter. Not modelled: materials with several relaxation
// mechanisms that shift differently (the misfit tells), amplitude.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"

namespace kdyn::inline identify {

// Storage and loss at one frequency and temperature; loss of 0 or less: not used.
struct ModulusRow {
  double temperature_c = 0.0, frequency_hz = 0.0, storage = 0.0, loss = 0.0;
};

enum class VerticalShift {
  none,
  entropic,  // stiffness of a rubber network: proportional to absolute temperature
  free,
};

// What the shifts are found by. The loss of measured polymers is less exact and does not always superpose: then it is
// moved along and its misfit told.
enum class ShiftBy { automatic, storage, both };

struct MasterCurveOptions {
  std::optional<double> reference_c;  // none: the level nearest to 23 degC
  ShiftBy shift_by = ShiftBy::automatic;
  VerticalShift vertical = VerticalShift::none;
};
const FieldTable& fields_of(const MasterCurveOptions*);

struct ShiftFactor {
  double temperature_c = 0.0;
  std::size_t rows = 0;
  std::string status;  // reference | determined | uncertain | not_determined
  double log_a = 0.0, log_a_std = 0.0, log_a_lower = 0.0, log_a_upper = 0.0;  // log10 a(T), 95 %
  double b = 1.0, b_lower = 1.0, b_upper = 1.0;                               // vertical shift
  bool linked = true;                                                         // overlaps lead to the reference
  double overlap_decades = 0.0;  // of reduced frequency with the other temperatures together
  double rms_storage_rel = 0.0, rms_loss_rel = 0.0;
  double law_log_a = 0.0;  // by the chosen law
};

// A law of the shift factors  [identify E61].
struct ShiftLaw {
  std::string law, title;  // wlf | arrhenius
  std::vector<ParameterEstimate> parameters;
  double rms_decades = 0.0;  // distance of the determined factors from the law
  double chi_square = 0.0;   // per degree of freedom, against the factors' own covariance
  std::size_t factors = 0;   // how many it was fitted to
  bool physical = true;      // C1, C2 > 0 over the temperatures; activation energy > 0
};

struct MasterPoint {
  double frequency_hz = 0.0, storage = 0.0, loss = 0.0;  // at the reference temperature
};

struct MasterCurveResult {
  std::string status = "not run";  // converged | not_converged | poor_fit
  std::string reason;
  double reference_c = 0.0;
  ShiftBy shifted_by = ShiftBy::storage;  // storage or both
  std::vector<ShiftFactor> factors;       // by rising temperature
  std::vector<ShiftLaw> laws;             // the better one first
  std::vector<MasterPoint> curve;         // smooth, over the whole range
  std::vector<ModulusRow> rows;           // as used
  std::vector<std::size_t> level_of;      // of each row, into factors
  double noise_storage_rel = 0.0, noise_loss_rel = 0.0;
  int iterations = 0;
  std::vector<Finding> findings;
};

const FieldTable& fields_of(const ShiftFactor*);
const FieldTable& fields_of(const ShiftLaw*);
const FieldTable& fields_of(const MasterPoint*);

MasterCurveResult fit_master_curve(const std::vector<ModulusRow>& rows, const MasterCurveOptions& options,
                                   Progress& progress = silent_progress());

// log10 a(T) by a law of its two parameters, relative to the reference.
double wlf_log_a(double c1, double c2, double temperature_c, double reference_c);
double arrhenius_log_a(double activation_energy, double temperature_c, double reference_c);

}  // namespace kdyn::inline identify
