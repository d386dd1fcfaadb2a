// SPDX-License-Identifier: Apache-2.0
// Units as benches write them ("mm pk-pk", "daN", "Grad"), in the spelling of base/units.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kdyn::inline io::internal {

enum class AmplitudeKind { peak, peak_to_peak, rms };
double amplitude_factor(AmplitudeKind kind);  // to zero-to-peak of a sine
const char* to_string(AmplitudeKind kind);

// What is said of an amplitude beside its name (words joined by _); taken out of the name.
std::optional<AmplitudeKind> take_kind(std::string& name);

struct UnitText {
  std::string unit;                   // parse_unit knows it; empty when the text is no unit
  double factor = 1.0;                // beside the unit: daN is 10 N
  std::optional<AmplitudeKind> kind;  // "mm pk-pk", "+-mm"
};
UnitText read_unit_text(std::string_view text);

// A power of ten: "1000", "10^3", "10³", "1e-3"; nothing for any other text.
std::optional<double> read_factor(std::string_view text);

}  // namespace kdyn::inline io::internal
