// SPDX-License-Identifier: Apache-2.0
// What a column of a bench file means and which unit its name carries: "Kraft [kN]" is a force in kN, "amplitude_pp_mm"
// a peak-to-peak amplitude.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kdyn::inline io::internal {

enum class Quantity {
  frequency,
  amplitude,
  nominal_amplitude,
  preload,
  k_dyn,
  loss_angle,
  loss_factor,
  displacement,
  force,
  time,
  temperature,
  storage_stiffness,  // K', real part
  loss_stiffness,     // K'', imaginary part
  damping,            // C of K + i omega C
  force_amplitude     // K = force amplitude / displacement amplitude
};
inline constexpr int quantity_count = 15;

struct ColumnName {
  std::optional<Quantity> quantity;  // nothing: not a name of the bench layouts
  bool peak_to_peak = false;
  bool weak = false;  // one letter: gives way to a column with a full name
  std::string unit;   // as written; empty when the name carries none
};

ColumnName read_column_name(std::string_view raw);

// Any column name as name and unit: "seat_z [m/s^2]" and "seat_z_m_per_s2" are both seat_z in m/s^2. The unit is empty
// when there is none.
struct NameAndUnit {
  std::string name, unit;
};
NameAndUnit split_name_and_unit(std::string_view raw);

// Takes `phrase` (words joined by _) out of `name` when something is left of it.
bool take_phrase(std::string& name, std::string_view phrase);

// How a quantity is called in options, and in SI for each kind of axis.
const char* quantity_name(Quantity quantity);
std::optional<Quantity> quantity_named(std::string_view name);
const char* si_unit(Quantity quantity, bool rotation);

// True when the unit measures the quantity of a translational (rotational) axis.
bool unit_fits(std::string_view unit, Quantity quantity, bool rotation);
bool unit_fits_any(std::string_view unit, Quantity quantity);  // of either

}  // namespace kdyn::inline io::internal
