// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/law_candidate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "kdyn/base/error.hpp"
#include "kdyn/identify/internal/law_functions.hpp"
#include "kdyn/laws/law_list.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn::inline identify {
namespace {

MapSizes sizes_of(const std::vector<MapRow>& rows) {
  MapSizes s;
  s.k_low = s.omega_low = 1e300;
  std::vector<double> losses;
  double log_a = 0.0, log_w = 0.0;
  for (const MapRow& row : rows) {
    const double storage = row.k_dyn * std::cos(row.loss_angle), w = two_pi * row.frequency_hz;
    s.k_low = std::min(s.k_low, std::max(storage, 0.05 * row.k_dyn));
    s.k_high = std::max(s.k_high, storage);
    losses.push_back(row.k_dyn * std::sin(row.loss_angle));
    log_a += std::log(row.amplitude);
    log_w += std::log(w);
    s.omega_low = std::min(s.omega_low, w);
    s.omega_high = std::max(s.omega_high, w);
  }
  s.loss = std::max(median(losses), 1e-3 * s.k_low);
  s.amplitude = std::exp(log_a / static_cast<double>(rows.size()));
  s.omega = std::exp(log_w / static_cast<double>(rows.size()));
  return s;
}

template <class Law>
LawCandidate plain_candidate(const MapSizes& sizes) {
  const Law base;
  const auto starts = Law::first_guess(sizes);
  LawCandidate c{Law::model, Law::title, {}, {}, {}, {}};
  for (std::size_t i = 0; i < Law::members.size(); ++i) {
    const ParameterInfo& info = Law::parameters[i];
    LogParameter p = about(info.name, info.unit, info.meaning, starts[i]);
    p.lower = std::max(p.lower, info.lower > 0.0 ? info.lower : p.lower);
    p.upper = std::min(p.upper, info.upper);
    c.parameters.push_back(p);
  }
  const auto harmonic = [](const auto& law, double f, const auto& a) { return law.harmonic(two_pi * f, a); };
  static_assert(Law::members.size() <= 8);
  const auto ready = [](Law& law) { law.complete(); };
  c.stiffness = stiffness_function<8>(base, names_of(c.parameters), harmonic);
  c.force = force_function<8>(base, names_of(c.parameters), ready);
  c.mount = mount_function(base, names_of(c.parameters), ready);
  return c;
}

// A law is compared when it can make a first guess of its parameters; a Maxwell mount does so for its number of
// branches.
template <class Law>
concept MakesGuess = requires(const MapSizes& sizes) {
  Law::first_guess(sizes);
};

template <class Law>
void take_if_named(const std::string& name, const MapSizes& sizes, std::optional<LawCandidate>& found) {
  if constexpr (MakesGuess<Law>)
    if (name == Law::model) found = plain_candidate<Law>(sizes);
}
template <class Law>
void add_compared(std::vector<std::string>& names) {
  if constexpr (MakesGuess<Law> || std::is_same_v<Law, Maxwell<double>>) names.emplace_back(Law::model);
}

}  // namespace

LawCandidate make_law_candidate(const std::string& law, const std::vector<MapRow>& rows, int maxwell_branches) {
  const MapSizes s = sizes_of(rows);
  if (law == "maxwell") return maxwell_candidate(s, maxwell_branches);
  if (law == "elastomer_masing") return elastomer_candidate(FrictionLaw::masing, rows, s);
  if (law == "elastomer_g4") return elastomer_candidate(FrictionLaw::g4, rows, s);
  std::optional<LawCandidate> found;
#define KDYN_COMPARED(Law) take_if_named<Law<double>>(law, s, found);
  KDYN_LAWS(KDYN_COMPARED)
#undef KDYN_COMPARED
  if (found) return *found;
  throw Error(ErrorCode::internal, "the law is none of compared_laws", law, "report this");
}

}  // namespace kdyn::inline identify

namespace kdyn::inline identify {

const std::vector<std::string>& compared_laws() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
#define KDYN_COMPARED(Law) identify::add_compared<Law<double>>(all);
    KDYN_LAWS(KDYN_COMPARED)
#undef KDYN_COMPARED
    all.insert(all.end(), {"elastomer_masing", "elastomer_g4"});
    return all;
  }();
  return names;
}

}  // namespace kdyn::inline identify
