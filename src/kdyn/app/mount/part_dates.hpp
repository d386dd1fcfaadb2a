// SPDX-License-Identifier: Apache-2.0
// Dates as benches write them.
#pragma once

#include <optional>
#include <string>

namespace kdyn::app {

// Days since 1970-01-01: "2026-03-01", "2026-03-01 14:05:30", "2026-03-01T14:05", "01.03.2026 14:05", "20260301" and, where the day is
// above 12 or both are alike, "03/15/2026" and "15/03/2026". Nothing for what is no date or may be one of two.
std::optional<double> days_of_date(const std::string& text);

}  // namespace kdyn::app
