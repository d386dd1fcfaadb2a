// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/variation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::inline activemount {
namespace {

using Law = ActiveMount<double>;

struct PublishedRow {
  const char* name;
  double nominal, first, second;
};

// Table 3: 20 C, 0 C, 65 C.
constexpr PublishedRow temperature_rows[] = {
    {"cT1", 418.1, 427.6, 398.0},   {"cT2", 48.1, 174.2, 11.6},   {"dT1", 268.7, 359.6, 184.8},
    {"dT2", 11.1, 36.7, 4.7},       {"cB1", 180.4, 369.3, 100.0}, {"cB2", 272.9, 367.5, 202.0},
    {"dB1", 1525.7, 758.9, 3224.7}, {"dB2", 62.9, 77.5, 82.6},    {"dK", 0.4, 1.2, 0.3},
    {"rho", 1000.0, 1030.0, 990.0}, {"cA", 53.5, 83.6, 53.4},     {"dA", 19.5, 40.0, 0.1},
};
// Table 2: -1400 N, -700 N, 0 N.
constexpr PublishedRow preload_rows[] = {
    {"cT1", 418.1, 386.4, 339.4},    {"cT2", 48.1, 43.5, 37.9},    {"dT1", 268.7, 235.7, 183.3},
    {"dT2", 11.1, 11.3, 11.7},       {"cB1", 180.4, 178.9, 173.5}, {"cB2", 272.9, 248.3, 221.5},
    {"dB1", 1525.7, 1344.2, 1070.6}, {"dB2", 62.9, 64.5, 68.1},
};

// Softer and stiffer diaphragm at another amplitude: an assumption, the paper prints no numbers.
const Variation softer_alone{"softer diaphragm, same damping", {{"cA", 0.8}}};
const Variation softer{"softer diaphragm", {{"cA", 0.8}, {"dA", 1.3}}};
const Variation stiffer{"stiffer diaphragm", {{"cA", 1.2}, {"dA", 0.7}}};

const std::vector<std::vector<std::string>> groups = {{"cB1", "cB2", "dB1", "dB2"}, {"dK", "rho"}, {"cA", "dA"}};

std::size_t index_of(const std::string& name) {
  for (std::size_t i = 0; i < active_mount_parameters.size(); ++i)
    if (name == active_mount_parameters[i].name) return i;
  throw_bad_input("variations", "unknown parameter '" + name + "' of an active mount",
                  "use the names of the model file");
}

Variation only(const Variation& all, const std::vector<std::string>& names) {
  Variation part{all.name, {}};
  for (const std::string& name : names)
    if (const auto it = all.ratios.find(name); it != all.ratios.end()) part.ratios.insert(*it);
  return part;
}

// One factor of a product: the variants a mount may take in it.
using Choices = std::vector<Variation>;

void visit_product(const Law& law, const std::vector<Choices>& factors, std::size_t at,
                   const std::function<void(const Law&)>& visit, std::size_t& count) {
  if (at == factors.size()) {
    visit(law);
    ++count;
    return;
  }
  for (const Variation& choice : factors[at]) visit_product(varied(law, choice), factors, at + 1, visit, count);
}

// [activemount E16] Each temperature-dependent parameter at its own extreme, 2^n choices of temperature.
std::vector<Choices> independent_extremes(const VariationSets& sets) {
  std::map<std::string, Choices> choices;
  for (const Variation& v : sets.temperature)
    for (const auto& [name, ratio] : v.ratios)
      // The main rubber does not act on the secondary paths; leaving it out keeps the product small.
      if (!name.starts_with("cT") && !name.starts_with("dT")) choices[name].push_back({v.name, {{name, ratio}}});
  std::vector<Choices> factors;
  std::size_t product = 1;
  for (auto& [name, list] : choices) {
    product *= list.size();
    if (product > 4096)
      throw_bad_input("variations.temperature", "more than 4096 combinations of single parameters",
                      "give two temperatures beside nominal for fewer parameters");
    factors.push_back(std::move(list));
  }
  return factors;
}

}  // namespace

const VariationSets& published_variations() {
  static const VariationSets sets = [] {
    VariationSets s;
    s.temperature = {{"20 C", {}}, {"0 C", {}}, {"65 C", {}}};
    s.preload = {{"-1400 N", {}}, {"-700 N", {}}, {"0 N", {}}};
    for (const PublishedRow& row : temperature_rows) {
      s.temperature[1].ratios[row.name] = row.first / row.nominal;
      s.temperature[2].ratios[row.name] = row.second / row.nominal;
    }
    for (const PublishedRow& row : preload_rows) {
      s.preload[1].ratios[row.name] = row.first / row.nominal;
      s.preload[2].ratios[row.name] = row.second / row.nominal;
    }
    return s;
  }();
  return sets;
}

const char* meaning_of(CombinationRule rule) {
  switch (rule) {
    case CombinationRule::temperature: return "temperature sets one by one";
    case CombinationRule::preload: return "preload sets one by one";
    case CombinationRule::temperature_x_preload: return "temperature and preload together, products of their ratios";
    case CombinationRule::temperature_x_preload_x_amplitude:
      return "temperature, preload and a softer diaphragm (cA 0.8, with dA 1 or 1.3: assumed) together";
    case CombinationRule::groups_x_preload:
      return "bulge, fluid and actuator each at a temperature of its own, times preload";
    case CombinationRule::parameters_x_preload:
      return "every parameter at its own extreme temperature, times preload: worst case";
    case CombinationRule::parameters_x_preload_x_amplitude:
      return "the same with a softer or stiffer diaphragm (cA 0.8/1.2, dA 1.3/0.7: assumed)";
  }
  return "";
}

ActiveMount<double> varied(const ActiveMount<double>& nominal, const Variation& variation) {
  ActiveMount<double> law = nominal;
  for (const auto& [name, ratio] : variation.ratios) law.*Law::members[index_of(name)] *= ratio;
  return law;
}

std::size_t for_each_variant(const ActiveMount<double>& nominal, const VariationSets& sets, CombinationRule rule,
                             const std::function<void(const ActiveMount<double>&)>& visit) {
  std::vector<Choices> factors;
  const Variation unchanged{"nominal", {}};
  switch (rule) {
    case CombinationRule::temperature: factors = {sets.temperature}; break;
    case CombinationRule::preload: factors = {sets.preload}; break;
    case CombinationRule::temperature_x_preload: factors = {sets.temperature, sets.preload}; break;
    case CombinationRule::temperature_x_preload_x_amplitude:
      factors = {sets.temperature, sets.preload, {unchanged, softer_alone, softer}};
      break;
    case CombinationRule::groups_x_preload:
      for (const auto& group : groups) {
        Choices choices;
        for (const Variation& v : sets.temperature) choices.push_back(only(v, group));
        factors.push_back(choices);
      }
      factors.push_back(sets.preload);
      break;
    case CombinationRule::parameters_x_preload:
    case CombinationRule::parameters_x_preload_x_amplitude:
      factors = independent_extremes(sets);
      factors.push_back(sets.preload);
      if (rule == CombinationRule::parameters_x_preload_x_amplitude) factors.push_back({unchanged, softer, stiffer});
      break;
  }
  std::size_t count = 0;
  visit_product(nominal, factors, 0, visit, count);
  return count;
}

std::array<PhaseEnvelope, 2> phase_envelopes(const ActiveMount<double>& nominal, const VariationSets& sets,
                                             CombinationRule rule, const std::vector<double>& frequency_hz) {
  std::array<PhaseEnvelope, 2> envelopes;
  const std::size_t n = frequency_hz.size();
  // Conjugate of the nominal response: its product with a response has the angle of the quotient  [activemount E15].
  std::array<std::vector<Complex<double>>, 2> conjugate;
  for (std::size_t k = 0; k < 2; ++k) {
    envelopes[k].rule = rule;
    envelopes[k].path = k == 0 ? ActivePath::S_x : ActivePath::S_y;
    envelopes[k].frequency_hz = frequency_hz;
    envelopes[k].lower_deg.assign(n, 0.0);
    envelopes[k].upper_deg.assign(n, 0.0);
    conjugate[k].resize(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto all = active_responses(nominal, frequency_hz[i]);
    for (std::size_t k = 0; k < 2; ++k) conjugate[k][i] = {all[2 + k].re, -all[2 + k].im};
  }
  bool first = true;
  const std::size_t count = for_each_variant(nominal, sets, rule, [&](const Law& law) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto all = active_responses(law, frequency_hz[i]);
      for (std::size_t k = 0; k < 2; ++k) {
        const double angle = arg(all[2 + k] * conjugate[k][i]) / degree;
        double& lower = envelopes[k].lower_deg[i];
        double& upper = envelopes[k].upper_deg[i];
        lower = first ? angle : std::min(lower, angle);
        upper = first ? angle : std::max(upper, angle);
      }
    }
    first = false;
  });
  for (PhaseEnvelope& e : envelopes) {
    e.variants = count;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || e.width(i) > e.max_deg) e.max_deg = e.width(i), e.at_hz = frequency_hz[i];
      e.max_deviation_deg = std::max({e.max_deviation_deg, e.upper_deg[i], -e.lower_deg[i]});
    }
  }
  return envelopes;
}

}  // namespace kdyn::inline activemount
