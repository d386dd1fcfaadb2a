// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/population.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/mount/part_dates.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::app {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string family_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(slash + 1);
}

const ParameterEstimate* parameter_of(const PartSummary& part, const std::string& name) {
  for (const ParameterEstimate& p : part.parameters)
    if (p.name == name) return &p;
  return nullptr;
}

// A parameter beyond 3.5 robust standard deviations of its family, by more than its own interval explains.
void mark_single(Population& out, const Family& family, const std::string& name) {
  std::vector<double> logs;
  std::vector<std::size_t> of;
  for (const std::size_t i : family.members)
    if (const ParameterEstimate* p = parameter_of(out.parts[i], name); p != nullptr && p->value > 0.0)
      logs.push_back(std::log(p->value)), of.push_back(i);
  if (logs.size() < 4) return;
  const double middle = median(logs);
  std::vector<double> off = logs;
  for (double& x : off) x -= middle;
  const double scale = robust_scale(off);
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const ParameterEstimate& p = *parameter_of(out.parts[of[k]], name);
    const double distance = std::abs(logs[k] - middle), own = std::isfinite(p.std) ? p.std / p.value : 1e9;
    if (!(distance > 3.5 * scale && distance > 3.0 * own && distance > 0.02)) continue;
    out.outliers[of[k]].push_back(name);
    out.findings.push_back(
        {Severity::warning, "part_outlier", out.parts[of[k]].group.name,
         fmt::format("{} is {:.0f} % {} the median of its {} parts", name,
                     100.0 * std::abs(std::expm1(logs[k] - middle)), logs[k] > middle ? "above" : "below", logs.size()),
         "look at its report; was the part or its measurement different?"});
  }
}

// Parameters that are free and known to better than a factor of two in nine parts of ten.
std::vector<std::string> comparable(const Population& out, const Family& family,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> chosen;
  for (const std::string& name : names) {
    std::size_t good = 0;
    for (const std::size_t i : family.members)
      if (const ParameterEstimate* p = parameter_of(out.parts[i], name))
        good += p->status == ParameterStatus::free && p->value > 0.0 && p->std < 0.7 * p->value;
    if (10 * good >= 9 * family.members.size()) chosen.push_back(name);
  }
  return chosen;
}

void mark_together(Population& out, Family& family, const std::vector<std::string>& names) {
  family.scatter_names = comparable(out, family, names);
  std::vector<std::size_t> of;
  for (const std::size_t i : family.members)
    if (std::all_of(family.scatter_names.begin(), family.scatter_names.end(), [&](const std::string& name) {
          const ParameterEstimate* p = parameter_of(out.parts[i], name);
          return p != nullptr && p->value > 0.0;
        }))
      of.push_back(i);
  Eigen::MatrixXd logs(static_cast<Eigen::Index>(of.size()), static_cast<Eigen::Index>(family.scatter_names.size()));
  for (std::size_t k = 0; k < of.size(); ++k)
    for (std::size_t j = 0; j < family.scatter_names.size(); ++j)
      logs(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) =
          std::log(parameter_of(out.parts[of[k]], family.scatter_names[j])->value);
  const GroupDistance d = group_distance(logs);
  if (d.squared.size() == 0) {
    family.scatter_names.clear();
    return;
  }
  family.log_mean = d.mean;
  family.log_covariance = d.covariance;
  family.distance_limit = std::sqrt(d.limit);
  for (std::size_t k = 0; k < of.size(); ++k) {
    out.distance[of[k]] = std::sqrt(d.squared[static_cast<Eigen::Index>(k)]);
    if (out.distance[of[k]] > family.distance_limit)
      out.findings.push_back({Severity::warning, "part_apart", out.parts[of[k]].group.name,
                              fmt::format("taken together its parameters lie {:.1f} standard deviations from the other "
                                          "{} parts; {:.1f} are usual at most",
                                          out.distance[of[k]], of.size() - 1, family.distance_limit),
                              "look at its report; was the part or its measurement different?"});
  }
}

// Members in the order of their dates where every one states one that can be read; what stands in the way is told.
void put_in_order(Population& out, Family& family) {
  std::vector<std::pair<double, std::size_t>> dated;
  std::size_t stated = 0;
  std::string unread;
  for (const std::size_t i : family.members) {
    const std::string& text = out.parts[i].date;
    stated += !text.empty();
    if (const auto days = days_of_date(text))
      dated.emplace_back(*days, i);
    else if (!text.empty() && unread.empty())
      unread = text;
  }
  const std::string where = family.name.empty() ? "date" : family.name + ".date";
  if (!unread.empty())
    out.findings.push_back({Severity::note, "date_not_read", where,
                            fmt::format("{} is no date that can be read in one way only: trends are over the order of "
                                        "names",
                                        in_quotes(unread)),
                            "write 2026-03-01 or 01.03.2026"});
  else if (stated > 0 && dated.size() < family.members.size())
    out.findings.push_back({Severity::note, "date_missing", where,
                            fmt::format("{} of {} parts state no date: trends are over the order of names",
                                        family.members.size() - dated.size(), family.members.size()),
                            "state a date in every file, or in none"});
  if (dated.size() < family.members.size() || dated.size() < 2) return;
  std::stable_sort(dated.begin(), dated.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!(dated.back().first > dated.front().first)) return;
  family.members.clear();
  for (const auto& [days, i] : dated) family.members.push_back(i), family.days.push_back(days);
}

// Means of the batches that the files name, and whether they differ.
void compare_batches(const Population& out, const Family& family, ParameterPopulation& p, std::vector<Finding>& told) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  for (const std::size_t i : family.members) {
    const ParameterEstimate* estimate = parameter_of(out.parts[i], p.name);
    const std::string& batch = out.parts[i].batch;
    if (batch.empty() || estimate == nullptr || !std::isfinite(estimate->value)) continue;
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), batch) - names.begin());
    if (at == names.size()) names.push_back(batch), values.emplace_back();
    values[at].push_back(estimate->value);
  }
  if (names.size() < 2) return;
  std::size_t low = 0, high = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    BatchMean one{names[k], values[k].size(), values[k].front(), 0.0};
    if (values[k].size() > 1) {
      const SampleStatistics s = describe_sample(values[k]);
      one.mean = s.mean, one.std = s.std;
    }
    p.batches.push_back(one);
    if (one.mean < p.batches[low].mean) low = k;
    if (one.mean > p.batches[high].mean) high = k;
  }
  p.batch_difference = difference_of_groups(values);
  const double change = p.batches[high].mean - p.batches[low].mean;
  // As for trends.
  if (!(p.batch_difference > 4.0) || !(std::abs(change) > 0.01 * std::abs(p.statistics.mean))) return;
  told.push_back({Severity::warning, "batches_differ", family.name.empty() ? p.name : family.name + "." + p.name,
                  fmt::format("batch {} is {:.1f} % above batch {} on average ({:.1f} standard deviations over all "
                              "batches)",
                              p.batches[high].batch, 100.0 * std::abs(change / p.batches[low].mean),
                              p.batches[low].batch, p.batch_difference),
                  "has the material, the tool or the bench changed between them?"});
}

}  // namespace

Population describe_population(std::vector<PartSummary> parts, const Tolerances& tolerances) {
  Population out;
  out.parts = std::move(parts);
  out.distance.assign(out.parts.size(), unknown);
  out.outliers.resize(out.parts.size());
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < out.parts.size(); ++i) {
    const PartSummary& part = out.parts[i];
    if (!part.error.empty())
      out.findings.push_back({Severity::serious, "part_failed", part.group.name, part.error,
                              "correct the file and run the batch again: finished parts are taken over"});
    else if (part.complete)
      families[family_of(part.group.name)].push_back(i);
  }
  std::map<std::string, bool> bands_used;
  for (const auto& [name, band] : tolerances) {
    if (!(band.first < band.second))
      throw_bad_input("tolerances." + name, "the lower limit is not below the upper one", "write [lower, upper]");
    bands_used[name] = false;
  }
  for (const auto& [name, members] : families) {
    Family family{name, members, {}, {}, {}, {}, {}, 0.0};
    put_in_order(out, family);
    std::vector<std::string> names;
    for (const std::size_t i : members)
      for (const ParameterEstimate& p : out.parts[i].parameters)
        if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
    for (const std::string& parameter : names) {
      ParameterPopulation one;
      one.name = parameter;
      std::vector<double> values, days;
      double noise = 0.0;
      std::size_t known = 0;
      bool fixed = true;
      for (std::size_t k = 0; k < family.members.size(); ++k) {
        const ParameterEstimate* p = parameter_of(out.parts[family.members[k]], parameter);
        if (p == nullptr || !std::isfinite(p->value)) continue;
        values.push_back(p->value);
        if (!family.days.empty()) days.push_back(family.days[k]);
        one.unit = p->unit;
        fixed = fixed && p->status == ParameterStatus::fixed;
        if (std::isfinite(p->std)) noise += p->std * p->std, ++known;
      }
      if (values.size() < 2) continue;
      const auto band = [&, &name = name] {
        auto it = tolerances.find(name.empty() ? parameter : name + "." + parameter);
        return it != tolerances.end() ? it : tolerances.find(parameter);
      }();
      if (band != tolerances.end()) {
        bands_used[band->first] = true;
        one.capability = capability_of(values, band->second.first, band->second.second);
        for (const std::size_t i : members)
          if (const ParameterEstimate* p = parameter_of(out.parts[i], parameter);
              p != nullptr && (p->value < band->second.first || p->value > band->second.second))
            out.findings.push_back({Severity::warning, "out_of_tolerance", out.parts[i].group.name,
                                    fmt::format("{} = {:.4g} {} lies outside {:.4g} ... {:.4g}", parameter, p->value,
                                                p->unit, band->second.first, band->second.second),
                                    "look at the part"});
      }
      if (fixed && !one.capability) continue;
      one.statistics = describe_sample(values, days);
      one.noise_std = known > 0 ? std::sqrt(noise / static_cast<double>(known)) : unknown;
      const SampleStatistics& s = one.statistics;
      // Four standard deviations: with a dozen parameters and directions less would be chance now and then.
      if (s.count >= 10 && std::abs(s.trend) > 4.0 * s.trend_std && std::abs(s.trend) > 0.01 * std::abs(s.mean))
        out.findings.push_back({Severity::warning, "trend", name.empty() ? parameter : name + "." + parameter,
                                fmt::format("it {} by {:.1f} % from the first part to the last, in the order of their "
                                            "{} ({:.1f} standard deviations)",
                                            s.trend > 0.0 ? "rises" : "falls", 100.0 * std::abs(s.trend / s.mean),
                                            family.days.empty() ? "names" : "dates", std::abs(s.trend) / s.trend_std),
                                "has the material, the tool or the bench changed meanwhile?"});
      if (!fixed) compare_batches(out, family, one, out.findings);
      family.parameters.push_back(std::move(one));
    }
    for (const std::string& parameter : names) mark_single(out, family, parameter);
    mark_together(out, family, names);
    out.families.push_back(std::move(family));
  }
  for (const auto& [name, used] : bands_used)
    if (!used)
      throw_bad_input("tolerances." + name, "no part has a parameter of this name",
                      "name a parameter of the fit, with its direction in front if it is for one: z.static_stiffness");
  return out;
}

}  // namespace kdyn::app
