// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/study/study_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/table.hpp"
#include "kdyn/numerics/field_eigen.hpp"

namespace kdyn::app {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 no_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_runs = 20'000'000, most_values = 400'000'000;

// What is taken from the scatter.json of a batch of fits.
struct ScatterOfParts {
  std::vector<std::string> names;
  Eigen::VectorXd log_mean;
  Eigen::MatrixXd log_covariance;
};
const FieldTable& fields_of(const ScatterOfParts*) {
  using S = ScatterOfParts;
  static const FieldTable table = FieldTable::of<S>("scatter model", [](FieldTable& t) {
    t.add(&S::names, "names", "-", "Parameters").must_be_given();
    t.add(&S::log_mean, "log_mean", "-", "Means of the logarithms").must_be_given();
    t.add(&S::log_covariance, "log_covariance", "-", "Covariance of the logarithms").must_be_given();
  });
  return table;
}

std::string name_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

StudyColumn column_of(const StudyParameter& p, StudyDesign design, const std::string& where) {
  StudyColumn out{p.name, p.unit, p.use, p.places, {}, {}};
  const auto fail = [&](const std::string& what, const std::string& remedy) { throw_bad_input(where, what, remedy); };
  if (p.name.empty()) fail("the parameter has no name", "give it a name for tables and plots");
  if (p.name.find_first_of(",\"\n\r") != std::string::npos || p.name == "run" || p.name == "status" ||
      p.name == "reason")
    fail(fmt::format("{} cannot be the name of a column", in_quotes(p.name)),
         "leave out commas and quotes; run, status and reason are taken");
  if (!p.values.is_array()) fail("values is no list", "write \"values\": [1, 2, 3]");
  if (!p.levels.is_object()) fail("levels is no object", R"(write "levels": {"name": {"place": value}})");
  const bool has_values = !p.values.empty(), has_levels = !p.levels.empty(), by_points = p.points > 0;
  const bool by_search = design == StudyDesign::optimise;
  if (p.start && !by_search) fail("start is for the design optimise", "remove it");
  if (by_search && (has_values || has_levels || by_points))
    fail("a search has no values one by one", "give lower and upper, and make a study of each value");
  const int kinds = has_values + has_levels + by_points + p.distribution.has_value();
  if (kinds > 1) fail("values, levels, points and distribution are four ways to say one thing", "keep one of them");
  if (p.places.empty() && !has_levels)
    fail("it is not said where the parameter stands", R"(add "places": ["drive.model.bodies.body.mass"])");
  if (!p.places.empty() && has_levels) fail("levels name their own places", "remove places");
  for (const Json& value : p.values) {
    if (value.is_null()) fail("a value is null", "remove it");
    StudyColumn::Level level{name_of(value), value.is_number() ? value.get<double>() : no_number, {}};
    for (const std::string& place : p.places) level.settings.emplace_back(place, value);
    out.levels.push_back(std::move(level));
  }
  for (const auto& [name, settings] : p.levels.items()) {
    if (!settings.is_object())
      fail(fmt::format("level {} is no object", in_quotes(name)),
           R"(write {"place": value, ...}; {} leaves all as it is)");
    StudyColumn::Level level{name, no_number, {}};
    for (const auto& [place, value] : settings.items()) level.settings.emplace_back(place, value);
    out.levels.push_back(std::move(level));
  }
  if (by_points) {
    if (p.points < 2 || !p.lower || !p.upper || !(*p.lower < *p.upper))
      fail("for a grid lower, upper and at least two points are needed", "give lower below upper, and points");
    for (int i = 0; i < p.points; ++i) {
      const double x = *p.lower + (*p.upper - *p.lower) * i / (p.points - 1);
      StudyColumn::Level level{name_of(Json(x)), x, {}};
      for (const std::string& place : p.places) level.settings.emplace_back(place, x);
      out.levels.push_back(std::move(level));
    }
  }
  if (out.has_levels()) {
    std::set<std::string> names;
    for (const auto& level : out.levels)
      if (!names.insert(level.name).second)
        fail(fmt::format("{} is there twice", in_quotes(level.name)), "remove one of both");
    if (p.use != PlaceUse::value && (has_levels || !out.is_number()))
      fail("only numbers can be a factor or be added", "use value, or give numbers");
    return out;
  }
  if (design == StudyDesign::list) return out;
  if (by_search) {
    if (p.distribution.value_or(study::DistributionKind::uniform) != study::DistributionKind::uniform || p.mean ||
        p.std || p.mode)
      fail("a search has bounds, not a distribution", "give lower and upper alone");
    if (!p.lower || !p.upper || !std::isfinite(*p.lower) || !std::isfinite(*p.upper) || !(*p.lower < *p.upper) ||
        !std::isfinite(*p.upper - *p.lower))
      fail("a search needs both bounds", "give lower below upper");
    if (p.start && !(*p.start >= *p.lower && *p.start <= *p.upper))
      fail("start does not lie between lower and upper", "move it between them, or leave it out");
    out.distribution.lower = *p.lower, out.distribution.upper = *p.upper;
    return out;
  }
  if (!p.distribution)
    fail(design == StudyDesign::grid ? "the parameter has no values"
                                     : "the parameter has neither values nor a distribution",
         design == StudyDesign::grid ? "give values, levels, or lower, upper and points"
                                     : "give values, levels, or a distribution such as uniform with lower and upper");
  if (design == StudyDesign::grid)
    fail("a grid has no parameters with distributions", "use latin_hypercube, sobol or random");
  out.distribution.kind = *p.distribution;
  out.distribution.lower = p.lower.value_or(-infinity), out.distribution.upper = p.upper.value_or(infinity);
  out.distribution.mean = p.mean.value_or(0.0), out.distribution.std = p.std.value_or(0.0);
  out.distribution.mode = p.mode.value_or(0.5 * (out.distribution.lower + out.distribution.upper));
  const bool round =
      *p.distribution == study::DistributionKind::normal || *p.distribution == study::DistributionKind::lognormal;
  if (round && (!p.mean || !p.std)) fail("mean and std are needed", "give both");
  if (!round && (p.mean || p.std)) fail("this distribution has no mean and std", "give lower and upper");
  study::check(out.distribution, where);
  return out;
}

}  // namespace

bool StudyColumn::is_number() const {
  return std::all_of(levels.begin(), levels.end(), [](const Level& level) { return std::isfinite(level.number); });
}

StudyPlan::StudyPlan(const StudyJob& job) {
  std::vector<StudyCorrelation> correlations = job.correlations;
  for (std::size_t i = 0; i < job.parameters.size(); ++i)
    columns_.push_back(column_of(
        job.parameters[i], job.design,
        fmt::format("parameters[{}]{}", i, job.parameters[i].name.empty() ? "" : " " + job.parameters[i].name)));
  for (std::size_t i = 0; i < job.populations.size(); ++i) add_population(job.populations[i], correlations, i);
  std::set<std::string> names;
  for (const StudyColumn& c : columns_)
    if (!names.insert(c.name).second)
      throw_bad_input("parameters", fmt::format("the name {} is used twice", in_quotes(c.name)),
                      "give every parameter its own name");
  // Of two that set one place the last would win, and the other would seem to do nothing.
  std::map<std::string, std::string> set_by;
  for (const StudyColumn& c : columns_) {
    if (c.use != PlaceUse::value) continue;
    std::set<std::string> places(c.places.begin(), c.places.end());
    for (const auto& level : c.levels)
      for (const auto& setting : level.settings) places.insert(setting.first);
    for (const std::string& place : places)
      if (const auto [other, fresh] = set_by.emplace(place, c.name); !fresh)
        throw_bad_input("parameters." + c.name, fmt::format("{} is set by {} already", place, in_quotes(other->second)),
                        "let one parameter set it, and others multiply it or add to it");
  }
  if (columns_.empty())
    throw_bad_input("parameters", "nothing changes from run to run",
                    R"(add "parameters": [{"name": ..., "places": [...], "values": [...]}])");
  if (job.design == StudyDesign::optimise)
    begin_search(job);
  else if (job.design == StudyDesign::list)
    read_list(job);
  else
    lay_out(job, correlations);
}

void StudyPlan::add_population(const StudyPopulation& p, std::vector<StudyCorrelation>& correlations,
                               std::size_t index) {
  const std::string where = fmt::format("populations[{}]", index), content = read_text(p.scatter);
  if (p.use == PlaceUse::add)
    throw_bad_input(where + ".use", "parameters of parts scatter by factors", "use factor or value");
  inputs_.push_back({p.scatter, sha256(content), {}});
  ScatterOfParts scatter;
  from_known_fields(scatter, parse_json(content, p.scatter), p.scatter);
  const auto n = static_cast<Eigen::Index>(scatter.names.size());
  if (n == 0 || scatter.log_mean.size() != n || scatter.log_covariance.rows() != n ||
      scatter.log_covariance.cols() != n || !scatter.log_mean.allFinite() || !scatter.log_covariance.allFinite() ||
      !(scatter.log_covariance.diagonal().minCoeff() > 0.0))
    throw_bad_input(p.scatter, "names, log_mean and log_covariance do not fit each other",
                    "take scatter.json as kdyn fit wrote it for a folder of parts");
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::string& name = scatter.names[static_cast<std::size_t>(j)];
    const double variance = scatter.log_covariance(j, j), centre = p.use == PlaceUse::value ? scatter.log_mean[j] : 0.0;
    StudyColumn column{p.name + "." + name, "", p.use, {p.place + "." + name}, {}, {}};
    column.distribution.kind = study::DistributionKind::lognormal;
    column.distribution.mean = std::exp(centre + 0.5 * variance);
    column.distribution.std = column.distribution.mean * std::sqrt(std::expm1(variance));
    columns_.push_back(std::move(column));
    for (Eigen::Index k = 0; k < j; ++k) {
      const double r = scatter.log_covariance(j, k) / std::sqrt(variance * scatter.log_covariance(k, k));
      // Parameters that a fit cannot tell apart come with a correlation of one.
      correlations.push_back({{p.name + "." + scatter.names[static_cast<std::size_t>(k)], p.name + "." + name},
                              std::clamp(r, -0.9999, 0.9999),
                              {}});
    }
  }
}

void StudyPlan::lay_out(const StudyJob& job, const std::vector<StudyCorrelation>& correlations) {
  std::vector<std::size_t> scattered;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].has_levels()) {
      scattered.push_back(c);
      continue;
    }
    if (job.design == StudyDesign::sensitivity)
      throw_bad_input("parameters." + columns_[c].name, "sensitivity indices are of parameters with distributions",
                      "give it a distribution, or take it out and make a study of each level");
    combinations_ *= columns_[c].levels.size();
    if (combinations_ > most_runs)
      throw_bad_input("parameters", "there are more combinations than a study can hold", "take fewer values");
  }
  std::size_t samples = scattered.empty() ? 1 : static_cast<std::size_t>(job.runs);
  if (job.design == StudyDesign::sensitivity) samples *= scattered.size() + 2;
  if (samples > most_runs / combinations_ || samples * combinations_ > most_values / columns_.size())
    throw_bad_input("runs",
                    fmt::format("{} runs of {} parameters are more than a study can hold",
                                static_cast<double>(samples) * static_cast<double>(combinations_), columns_.size()),
                    "take fewer runs or values");
  study::Points points;
  const auto seed = static_cast<std::uint64_t>(job.seed);
  if (job.design == StudyDesign::sensitivity) {
    points = study::sensitivity_points(static_cast<std::size_t>(job.runs), scattered.size(), seed);
  } else if (!scattered.empty()) {
    const study::Sampling sampling = job.design == StudyDesign::random  ? study::Sampling::random
                                     : job.design == StudyDesign::sobol ? study::Sampling::sobol
                                                                        : study::Sampling::latin_hypercube;
    points = study::unit_points(sampling, samples, scattered.size(), seed);
  }
  if (!correlations.empty()) {
    if (job.design == StudyDesign::sensitivity)
      throw_bad_input("correlations", "Sobol indices split the variance of independent parameters",
                      "leave correlations out, or use latin_hypercube");
    std::map<std::string, Eigen::Index> place;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < scattered.size(); ++k) {
      names.push_back(columns_[scattered[k]].name);
      place[names.back()] = static_cast<Eigen::Index>(k);
    }
    const auto n = static_cast<Eigen::Index>(scattered.size());
    Eigen::MatrixXd R = Eigen::MatrixXd::Identity(n, n);
    for (std::size_t i = 0; i < correlations.size(); ++i) {
      const StudyCorrelation& c = correlations[i];
      const std::string where = fmt::format("correlations[{}].parameters", i);
      if (c.parameters.size() != 2 || c.parameters[0] == c.parameters[1])
        throw_bad_input(where, "two parameters are needed", R"(write ["left", "right"])");
      for (const std::string& name : c.parameters)
        if (!place.contains(name))
          throw_bad_input(where, fmt::format("there is no parameter {} with a distribution", in_quotes(name)),
                          suggest(name, names));
      const Eigen::Index a = place[c.parameters[0]], b = place[c.parameters[1]];
      R(a, b) = R(b, a) = c.value;
    }
    study::correlate(points, R, "correlations");
  }
  values_ = {samples * combinations_, columns_.size(), std::vector<double>(samples * combinations_ * columns_.size())};
  for (std::size_t run = 0; run < values_.rows; ++run) {
    std::size_t combination = run % combinations_;
    const std::size_t sample = run / combinations_;
    for (std::size_t c = columns_.size(); c-- > 0;)
      if (columns_[c].has_levels()) {
        values_.at(run, c) = static_cast<double>(combination % columns_[c].levels.size());
        combination /= columns_[c].levels.size();
      }
    for (std::size_t k = 0; k < scattered.size(); ++k)
      values_.at(run, scattered[k]) = study::quantile(columns_[scattered[k]].distribution, points.at(sample, k));
  }
}

// The start alone: the search asks for all others.
void StudyPlan::begin_search(const StudyJob& job) {
  if (!job.populations.empty() || !job.correlations.empty())
    throw_bad_input(job.populations.empty() ? "correlations" : "populations", "a search has no parameters that scatter",
                    "leave them out, or take another design");
  values_.columns = columns_.size();
  std::vector<double> start;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const study::Distribution& d = columns_[c].distribution;
    const StudyParameter& p = job.parameters[c];
    start.push_back(p.start ? (*p.start - d.lower) / (d.upper - d.lower) : 0.5);
  }
  add_run(start);
}

void StudyPlan::add_run(const std::vector<double>& place) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const study::Distribution& d = columns_[c].distribution;
    values_.values.push_back(place[c] >= 1.0 ? d.upper : std::min(d.upper, d.lower + place[c] * (d.upper - d.lower)));
  }
  ++values_.rows;
}

std::vector<double> StudyPlan::place(std::size_t run) const {
  std::vector<double> out;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const study::Distribution& d = columns_[c].distribution;
    out.push_back((entry(run, c) - d.lower) / (d.upper - d.lower));
  }
  return out;
}

void StudyPlan::read_list(const StudyJob& job) {
  if (job.list.empty())
    throw_bad_input("list", "the design list needs a table of runs",
                    "name a CSV file with a column for each parameter");
  const std::string content = read_text(job.list);
  inputs_.push_back({job.list, sha256(content), {}});
  const DecodedText decoded = decode_text(content);
  std::vector<DataTable> tables;
  if (looks_like_spreadsheet(content)) {
    tables = read_spreadsheet(content, job.list);
    std::erase_if(tables, [](const DataTable& one) { return one.hidden || one.rows() == 0; });
  } else {
    tables.push_back(
        read_text_table(decoded.converted ? std::string_view(decoded.text) : std::string_view(content), job.list));
  }
  if (tables.size() != 1) throw_bad_input(job.list, "one table is needed", "keep one sheet with cells");
  const DataTable& table = tables.front();
  std::size_t header = 0;
  while (header < table.rows() && table.is_comment(header)) ++header;
  if (header >= table.rows())
    throw_bad_input(job.list, "the table is empty", "write a row of names and a row for each run");
  std::vector<std::string> names;
  for (std::size_t k = 0; k < table.columns(header); ++k) names.emplace_back(trim(table.at(header, k).text));
  std::vector<std::size_t> at;
  for (const StudyColumn& c : columns_) {
    const auto found = std::find(names.begin(), names.end(), c.name);
    if (found == names.end())
      throw_bad_input(table.place(header), fmt::format("there is no column {}", in_quotes(c.name)),
                      suggest(c.name, names));
    at.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  for (const std::string& name : names)
    if (!name.empty() && name != "run" &&
        std::none_of(columns_.begin(), columns_.end(), [&](const StudyColumn& c) { return c.name == name; })) {
      std::vector<std::string> known;
      for (const StudyColumn& c : columns_) known.push_back(c.name);
      throw_bad_input(table.place(header), fmt::format("column {} is no parameter of the study", in_quotes(name)),
                      suggest(name, known) + "; or take the column out");
    }
  values_.columns = columns_.size();
  for (std::size_t row = header + 1; row < table.rows(); ++row) {
    if (table.is_comment(row)) continue;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const DataCell cell = at[c] < table.columns(row) ? table.at(row, at[c]) : DataCell{};
      const std::string text(trim(cell.text));
      const auto number = cell.kind == CellKind::number ? std::optional(cell.number) : parse_number(text);
      double value = number.value_or(no_number);
      if (columns_[c].has_levels()) {
        const auto& levels = columns_[c].levels;
        const auto found = std::find_if(levels.begin(), levels.end(), [&](const auto& level) {
          return level.name == text || (number && level.number == *number);
        });
        if (found == levels.end()) {
          std::vector<std::string> known;
          for (const auto& level : levels) known.push_back(level.name);
          throw_bad_input(table.place(row, at[c]),
                          fmt::format("{} is none of the levels of {}", in_quotes(text), columns_[c].name),
                          suggest(text, known));
        }
        value = static_cast<double>(found - levels.begin());
      }
      if (!std::isfinite(value))
        throw_bad_input(table.place(row, at[c]), fmt::format("{} is no number", in_quotes(text)),
                        "write a number, or give the parameter levels");
      values_.values.push_back(value);
    }
    ++values_.rows;
  }
  if (values_.rows == 0) throw_bad_input(job.list, "the table has no run", "write a row for each run below the names");
}

double StudyPlan::number(std::size_t run, std::size_t column) const {
  return columns_[column].has_levels() ? level(run, column).number : entry(run, column);
}

std::string StudyPlan::text(std::size_t run, std::size_t column) const {
  return columns_[column].has_levels() ? level(run, column).name : fmt::format("{:.6g}", entry(run, column));
}

std::vector<std::vector<std::size_t>> StudyPlan::runs_by_level(std::size_t column) const {
  const std::size_t levels = columns_[column].levels.size();
  std::map<std::vector<double>, std::vector<std::size_t>> groups;  // by all other parameters
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<double> key;
  for (std::size_t run = 0; run < runs(); ++run) {
    key.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (c != column) key.push_back(entry(run, c));
    auto& group = groups.try_emplace(key, levels, none).first->second;
    group[static_cast<std::size_t>(entry(run, column))] = run;
  }
  std::vector<std::vector<std::size_t>> out(levels);
  for (const auto& [others, group] : groups)
    if (std::find(group.begin(), group.end(), none) == group.end())
      for (std::size_t k = 0; k < levels; ++k) out[k].push_back(group[k]);
  return out;
}

}  // namespace kdyn::app
