// SPDX-License-Identifier: Apache-2.0
// Stiffness maps: K* = K' + i K'' from any of its descriptions, rows with gaps, descriptions that contradict.
#include "kdyn/io/internal/assembler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {

using enum Quantity;

namespace {

bool needed_in_map(Quantity q) { return q != nominal_amplitude && q != temperature; }

// std::polar wants a magnitude that is no negative number; what cells give is judged later.
std::complex<double> with_angle(double magnitude, double angle) {
  return {magnitude * std::cos(angle), magnitude * std::sin(angle)};
}

}  // namespace

bool Assembler::magnitude_by_name() const {
  const std::string title = plain_words(column(k_dyn)->title);
  return title.find("dyn") != std::string::npos || title.find('*') != std::string::npos ||
         title.find("complex") != std::string::npos || title.find("abs") != std::string::npos ||
         title.find('|') != std::string::npos || title.find("komplex") != std::string::npos;
}

std::complex<double> Assembler::stiffness(std::size_t i) const {
  if (has(force_amplitude)) {
    const double k = supply_.at(force_amplitude).at(i) / supply_.at(amplitude).at(i);
    if (has(loss_angle)) return with_angle(k, supply_.at(loss_angle).at(i));
    if (has(loss_factor)) return with_angle(k, std::atan(supply_.at(loss_factor).at(i)));
  }
  const double omega = 2.0 * std::numbers::pi * supply_.at(frequency).at(i);
  if (has(k_dyn) && has(loss_angle)) return with_angle(supply_.at(k_dyn).at(i), supply_.at(loss_angle).at(i));
  if (has(k_dyn) && has(loss_factor))
    return with_angle(supply_.at(k_dyn).at(i), std::atan(supply_.at(loss_factor).at(i)));
  const bool from_damping = !has(loss_stiffness) && has(damping);
  if (has(storage_stiffness) && (has(loss_stiffness) || has(damping)))
    return {supply_.at(storage_stiffness).at(i),
            from_damping ? omega * supply_.at(damping).at(i) : supply_.at(loss_stiffness).at(i)};
  if (has(storage_stiffness)) {
    const double angle = has(loss_angle) ? supply_.at(loss_angle).at(i) : std::atan(supply_.at(loss_factor).at(i));
    return with_angle(supply_.at(storage_stiffness).at(i) / std::cos(angle), angle);
  }
  const double k = supply_.at(k_dyn).at(i),
               imaginary = from_damping ? omega * supply_.at(damping).at(i) : supply_.at(loss_stiffness).at(i);
  if (!magnitude_by_name()) return {k, imaginary};
  return std::abs(imaginary) <= k ? std::complex<double>(std::sqrt(k * k - imaginary * imaginary), imaginary)
                                  : std::complex<double>(std::nan(""), 0.0);
}

void Assembler::check_redundant(const std::vector<std::size_t>& rows) {
  std::vector<double> differences;
  const auto look = [&](Quantity q, auto&& expected) {
    if (!column(q)) return;
    differences.clear();
    for (const std::size_t i : rows) {
      const std::complex<double> K = stiffness(i);
      const double given = supply_.at(q).at(i), computed = expected(K, i);
      if (std::isfinite(given) && std::isfinite(computed) && std::abs(K) > 0.0)
        differences.push_back(std::abs(given - computed));
    }
    if (differences.empty()) return;
    auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    double scale = 0.0;
    for (const std::size_t i : rows)
      if (const double size = std::abs(expected(stiffness(i), i)); std::isfinite(size)) scale = std::max(scale, size);
    if (*middle > 0.05 * scale)
      note("stiffness_contradicts", column(q)->place,
           fmt::format("column {} contradicts the columns that were used: {:.3g} beside {:.3g} {} at most (median)",
                       in_quotes(column(q)->title), *middle / supply_.at(q).factor, scale / supply_.at(q).factor,
                       supply_.at(q).unit),
           "check units and meaning of the columns; --columns says which to use", Severity::warning);
  };
  if (!has(k_dyn) && has(storage_stiffness) && has(loss_stiffness) && column(loss_angle) != nullptr) {
    // Real and imaginary part, or two stiffnesses beside one angle?
    constexpr double agree = 2.0 * degree;
    const auto apart = std::count_if(rows.begin(), rows.end(), [&](std::size_t i) {
      return std::abs(supply_.at(loss_angle).at(i) - std::arg(stiffness(i))) > agree;
    });
    if (2 * static_cast<std::size_t>(apart) > rows.size())
      throw_bad_input(column(loss_stiffness)->place,
                      fmt::format("columns {} and {} as real and imaginary part give another angle than column {}",
                                  in_quotes(column(storage_stiffness)->title), in_quotes(column(loss_stiffness)->title),
                                  in_quotes(column(loss_angle)->title)),
                      "say which column is the stiffness: --columns k_dyn=\"...\"");
  }
  if (!has(k_dyn) || !(has(loss_angle) || has(loss_factor))) return;
  look(storage_stiffness, [](std::complex<double> K, std::size_t) { return K.real(); });
  look(loss_stiffness, [](std::complex<double> K, std::size_t) { return K.imag(); });
  if (has(loss_angle)) look(loss_factor, [](std::complex<double> K, std::size_t) { return K.imag() / K.real(); });
  look(damping, [this](std::complex<double> K, std::size_t i) {
    return K.imag() / (2.0 * std::numbers::pi * supply_.at(frequency).at(i));
  });
}

void Assembler::fill_map(const std::vector<std::size_t>& rows, BenchSet& set) {
  StiffnessMap& map = set.bench.map;
  map.axis = axis_;
  map.source.conversions = conversions_;
  std::vector<std::size_t> gaps, complete;
  std::set<std::string> gap_columns;
  for (const std::size_t i : rows) {
    bool gap = false;
    for (const auto& [q, supply] : supply_)
      if (supply.column != nullptr && needed_in_map(q) && !redundant_.contains(q) &&
          std::isnan(supply.column->values[i]))
        gap = true, gap_columns.insert(supply.column->title);
    if (gap) {
      gaps.push_back(i);
      continue;
    }
    complete.push_back(i);
    MapRow row;
    row.frequency_hz = positive(frequency, i);
    row.amplitude = positive(amplitude, i);
    if (column(k_dyn) != nullptr) positive(k_dyn, i);
    if (has(force_amplitude)) positive(force_amplitude, i);
    if (column(loss_angle) != nullptr && std::abs(supply_.at(loss_angle).at(i)) >= std::numbers::pi)
      refuse(loss_angle, i, "an angle between -180 and 180 deg");
    for (const Quantity q : {k_dyn, storage_stiffness, loss_stiffness})
      if (column(q) != nullptr && !redundant_.contains(q) && !std::isfinite(supply_.at(q).at(i)))
        refuse(q, i, "a number that stays finite in SI units");
    const std::complex<double> K = stiffness(i);
    row.k_dyn = std::abs(K);
    row.loss_angle = std::arg(K);
    if (!std::isfinite(row.k_dyn) || row.k_dyn <= 0.0)
      refuse(has(k_dyn)             ? k_dyn
             : has(force_amplitude) ? force_amplitude
                                    : storage_stiffness,
             i, "a stiffness that agrees with its loss part");
    if (column(loss_angle) != nullptr && has(k_dyn))
      row.loss_angle = supply_.at(loss_angle).at(i), row.k_dyn = supply_.at(k_dyn).at(i);
    if (has(preload)) row.preload = supply_.at(preload).at(i);
    if (const DataColumn* nominal = column(nominal_amplitude);
        nominal != nullptr && std::isfinite(nominal->values[i])) {
      row.nominal_amplitude = supply_.at(nominal_amplitude).at(i);
      if (row.nominal_amplitude < 0.0) refuse(nominal_amplitude, i, "a number >= 0 (0: not told)");
    }
    if (has(temperature)) row.temperature_c = supply_.at(temperature).at(i);
    row.line = block_.lines.of(i);
    for (const double v : {row.frequency_hz, row.amplitude, row.k_dyn, row.preload})
      if (!std::isfinite(v)) refuse(frequency, i, "numbers that stay finite in SI units");
    map.rows.push_back(row);
  }
  if (column(k_dyn) != nullptr && !has(loss_angle) && !has(loss_factor) && !has(storage_stiffness))
    note("stiffness_taken_as", column(k_dyn)->place,
         magnitude_by_name()
             ? fmt::format("column {} was taken as the magnitude of the complex stiffness",
                           in_quotes(column(k_dyn)->title))
             : fmt::format("column {} was taken as the real part (storage stiffness), since damping stands beside it",
                           in_quotes(column(k_dyn)->title)),
         "say otherwise with --columns storage_stiffness=... or k_dyn=...");
  if (has(force_amplitude))
    note("stiffness_computed", block_.where, "the stiffness is the force amplitude over the displacement amplitude",
         "");
  check_redundant(complete);
  tell_gaps(gaps, gap_columns, rows.size());
  if (map.rows.empty()) throw_bad_input(block_.where, "no row of the map is complete", "fill in the missing cells");
}

double Assembler::positive(Quantity q, std::size_t i) const {
  const double v = supply_.at(q).at(i);
  if (!(v > 0.0)) refuse(q, i, "a number > 0");
  return v;
}

void Assembler::tell_gaps(const std::vector<std::size_t>& gaps, const std::set<std::string>& columns,
                          std::size_t rows) {
  if (gaps.empty()) return;
  std::vector<std::string> names;
  for (const std::string& title : columns)
    if (names.size() < 6) names.push_back(in_quotes(title));
  note("rows_with_gaps", fmt::format("{}:{}", table_.name(), block_.lines.of(gaps.front())),
       fmt::format("{} of {} rows have no value in {} and were left out", gaps.size(), rows, join(names, ", ")),
       "fill in the cells if the values exist", 10 * gaps.size() > rows ? Severity::warning : Severity::note);
}

}  // namespace kdyn::inline io::internal
