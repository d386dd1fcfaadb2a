// SPDX-License-Identifier: Apache-2.0
// What a batch writes: result.json, the scatter models of its families, and the words for a terminal.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "kdyn/app/mount/population.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/numerics/field_eigen.hpp"

namespace kdyn {

const FieldTable& fields_of(const Capability*);
const FieldTable& fields_of(const SampleStatistics*);

const FieldTable& fields_of(const Capability*) {
  using C = Capability;
  static const FieldTable table = FieldTable::results<C>("capability", [](FieldTable& t) {
    t.add(&C::lower, "lower", "SI", "Lower limit of the tolerance band");
    t.add(&C::upper, "upper", "SI", "Upper limit");
    t.add(&C::cp, "cp", "-", "Width of the band over six standard deviations");
    t.add(&C::cpk, "cpk", "-", "Distance of the mean from the nearer limit over three standard deviations");
    t.add(&C::outside, "outside", "-", "Parts outside the band");
  });
  return table;
}

const FieldTable& fields_of(const SampleStatistics*) {
  using S = SampleStatistics;
  static const FieldTable table = FieldTable::results<S>("statistics", [](FieldTable& t) {
    t.add(&S::count, "count", "-", "Parts");
    t.add(&S::mean, "mean", "SI", "Mean");
    t.add(&S::std, "std", "SI", "Standard deviation over parts");
    t.add(&S::minimum, "minimum", "SI", "Smallest value");
    t.add(&S::maximum, "maximum", "SI", "Largest value");
    t.add(&S::median, "median", "SI", "Median");
    t.add(&S::lower_5, "lower_5", "SI", "Quantile of 5 %");
    t.add(&S::upper_95, "upper_95", "SI", "Quantile of 95 %");
    t.add(&S::trend, "trend", "SI", "Change from the first part to the last by date or name, by a straight line");
    t.add(&S::trend_std, "trend_std", "SI", "Standard deviation of that");
    t.add(&S::edges, "histogram_edges", "SI", "Edges of the bins");
    t.add(&S::counts, "histogram_counts", "-", "Parts in each bin");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

const FieldTable& fields_of(const BatchMean*) {
  using B = BatchMean;
  static const FieldTable table = FieldTable::results<B>("batch", [](FieldTable& t) {
    t.add(&B::batch, "batch", "-", "Batch as the files name it");
    t.add(&B::count, "count", "-", "Parts");
    t.add(&B::mean, "mean", "SI", "Mean");
    t.add(&B::std, "std", "SI", "Standard deviation over its parts");
  });
  return table;
}

namespace {

struct FitShown {
  double rms_kdyn_rel, rms_loss_deg;
};
const FieldTable& fields_of(const FitShown*) {
  using F = FitShown;
  static const FieldTable table = FieldTable::results<F>("misfit of a part", [](FieldTable& t) {
    t.add(&F::rms_kdyn_rel, "rms_kdyn_rel", "-", "Misfit of stiffness");
    t.add(&F::rms_loss_deg, "rms_loss_deg", "deg", "Misfit of the loss angle");
  });
  return table;
}

struct PartShown {
  const Population& of;
  std::size_t index;
  const PartSummary& part() const { return of.parts[index]; }
};
const FieldTable& fields_of(const PartShown*) {
  using P = PartShown;
  static const FieldTable table = FieldTable::results<P>("part of a batch", [](FieldTable& t) {
    t.add([](const P& p) { return p.part().group.name; }, "name", "-", "Part and direction");
    t.add([](const P& p) { return p.part().group.files; }, "files", "-", "Files it was fitted to");
    t.add([](const P& p) { return p.part().error.empty() ? p.part().status : std::string("failed"); }, "status", "-",
          "How its fit ended");
    t.add([](const P& p) { return p.part().error; }, "error", "-", "What was wrong").unless_empty();
    t.add([](const P& p) { return p.part().date; }, "date", "-", "Date as its files state it").unless_empty();
    t.add([](const P& p) { return p.part().batch; }, "batch", "-", "Batch as its files state it").unless_empty();
    t.add(
         [](const P& p) {
           std::vector<std::pair<std::string, ParameterEstimate>> out;
           for (ParameterEstimate one : p.part().parameters) {
             std::string name = std::move(one.name);
             one.name.clear();
             out.emplace_back(std::move(name), std::move(one));
           }
           return out;
         },
         "parameters", "-", "Parameters")
        .unless_empty();
    t.add(
         [](const P& p) {
           return p.part().error.empty() ? std::optional(FitShown{p.part().rms_kdyn_rel, p.part().rms_loss_deg})
                                         : std::nullopt;
         },
         "fit", "-", "How well it is met")
        .unless_null();
    t.add([](const P& p) { return p.of.outliers[p.index]; }, "outliers", "-", "Parameters that stand apart");
    t.add([](const P& p) { return p.of.distance[p.index]; }, "distance", "-",
          "Distance from its family in standard deviations, all parameters together; null: not known");
    t.add([](const P& p) { return p.part().error.empty() ? "parts/" + p.part().group.name : std::string(); }, "folder",
          "-", "Where its own result is")
        .unless_empty();
  });
  return table;
}

struct ParameterShown {
  const ParameterPopulation& of;
};
const FieldTable& fields_of(const ParameterShown*) {
  using P = ParameterShown;
  static const FieldTable table = FieldTable::results<P>("parameter over parts", [](FieldTable& t) {
    t.add([](const P& p) { return p.of.name; }, "name", "-", "Parameter").unless_empty();  // the key of the object
    t.add([](const P& p) { return p.of.unit; }, "unit", "-", "SI unit");
    t.add(
        [](const P& p) -> const auto& { return p.of.statistics; }, "statistics", "-", "Spread");
    t.add([](const P& p) { return p.of.noise_std; }, "noise_std", "SI",
          "Standard deviation of the estimates themselves: part of the spread");
    t.add([](const P& p) { return p.of.capability; }, "capability", "-", "Against the tolerance band").unless_null();
    t.add([](const P& p) { return p.of.batches; }, "batches", "-", "Means of the batches that the files name")
        .unless_empty();
    t.add([](const P& p) { return p.of.batches.empty() ? std::nullopt : std::optional(p.of.batch_difference); },
          "batch_difference", "-", "Of these means, in standard deviations")
        .unless_null();
  });
  return table;
}

struct ScatterShown {
  const Family& of;
};
const FieldTable& fields_of(const ScatterShown*) {
  using S = ScatterShown;
  static const FieldTable table = FieldTable::results<S>("scatter model", [](FieldTable& t) {
    t.add([](const S&) { return "lognormal"; }, "distribution", "-", "Logarithms of the parameters are normal");
    t.add([](const S& s) { return s.of.members.size(); }, "parts", "-", "Parts it was made of");
    t.add([](const S& s) { return s.of.scatter_names; }, "names", "-", "Parameters");
    t.add([](const S& s) -> const Eigen::VectorXd& { return s.of.log_mean; }, "log_mean", "-",
          "Means of the logarithms");
    t.add([](const S& s) -> const Eigen::MatrixXd& { return s.of.log_covariance; }, "log_covariance", "-",
          "Covariance of the logarithms over parts, noise of the estimates included");
  });
  return table;
}

struct FamilyShown {
  const Family& of;
};
const FieldTable& fields_of(const FamilyShown*) {
  using F = FamilyShown;
  static const FieldTable table = FieldTable::results<F>("family of parts", [](FieldTable& t) {
    t.add([](const F& f) { return f.of.name; }, "name", "-", "Direction; empty: the names tell none");
    t.add([](const F& f) { return f.of.members.size(); }, "parts", "-", "Parts with a result");
    t.add([](const F& f) { return f.of.days.empty() ? "name" : "date"; }, "order", "-", "What trends go along");
    t.add(
         [](const F& f) {
           std::vector<ParameterShown> out;
           for (const ParameterPopulation& p : f.of.parameters) out.push_back({p});
           return out;
         },
         "parameters", "-", "Parameters over parts")
        .keyed_by("name");
    t.add([](const F& f) { return f.of.scatter_names.empty() ? std::nullopt : std::optional(ScatterShown{f.of}); },
          "scatter", "-", "Scatter model; absent with too few parts")
        .unless_null();
    t.add([](const F& f) { return f.of.distance_limit; }, "distance_limit", "-",
          "Distance that one part in a thousand exceeds; 0: not known");
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const BatchOutput*) {
  using O = BatchOutput;
  static const FieldTable table = FieldTable::results<O>("batch result", [](FieldTable& t) {
    t.add(&O::status, "status", "-", "converged, not_converged or stopped");
    t.add(&O::reason, "reason", "-", "Why");
    t.add(
        [](const O& o) {
          std::vector<PartShown> out;
          for (std::size_t i = 0; i < o.population.parts.size(); ++i) out.push_back({o.population, i});
          return out;
        },
        "parts", "-", "Parts and directions");
    t.add(
        [](const O& o) {
          std::vector<FamilyShown> out;
          for (const Family& family : o.population.families) out.push_back({family});
          return out;
        },
        "families", "-", "Nominally identical ones: statistics over parts");
    add_findings<O>(t);
    t.add(&O::options_used, "options_used", "-", "All options").unless_null();
  });
  return table;
}

Outcome population_outcome(const std::string& title, Population population, std::vector<Finding> told,
                           const Json& options_used) {
  Outcome outcome;
  std::size_t failed = 0, resumed = 0, stopped = 0;
  for (PartSummary& part : population.parts) {
    failed += !part.error.empty() || !part.complete;
    stopped += part.error == "stopped";
    resumed += part.resumed;
    outcome.inputs.insert(outcome.inputs.end(), std::make_move_iterator(part.inputs.begin()),
                          std::make_move_iterator(part.inputs.end()));
    part.inputs.clear();
    for (OutputFile& file : part.files) outcome.files.push_back(std::move(file));
    part.files.clear();
  }
  std::vector<Finding> findings = std::move(told);
  findings.insert(findings.end(), population.findings.begin(), population.findings.end());
  outcome.complete = failed == 0;
  const std::string status = stopped > 0 ? "stopped" : failed == 0 ? "converged" : "not_converged";
  const std::string reason =
      failed == 0 ? "every part converged"
                  : fmt::format("{} of {} parts failed or did not converge", failed, population.parts.size());
  for (const Family& family : population.families)
    if (!family.scatter_names.empty()) {
      Json scatter;
      to_json_fields(ScatterShown{family}, scatter);
      outcome.files.push_back(
          {family.name.empty() ? "scatter.json" : "scatter_" + family.name + ".json", dump_json(scatter)});
    }
  constexpr std::size_t most_lines = 60;
  outcome.text = fmt::format("status: {} ({})\n", status, reason);
  if (resumed > 0) outcome.text += fmt::format("  {} parts were finished by an earlier run\n", resumed);
  for (const PartSummary& part : population.parts) {
    if (population.parts.size() > most_lines && part.error.empty() && part.complete) continue;
    outcome.text += fmt::format("  {:<30} {:<14} {}\n", part.group.name, part.error.empty() ? part.status : "failed",
                                part.error.empty()
                                    ? fmt::format("{:.2f} %, {:.2f} deg", 100.0 * part.rms_kdyn_rel, part.rms_loss_deg)
                                    : part.error);
  }
  outcome.text += findings_text(findings);
  outcome.document = population_report(title, population, findings, stopped > 0);
  to_json_fields(BatchOutput{status, reason, population, options_used, std::move(findings)}, outcome.result);
  return outcome;
}

}  // namespace kdyn::app
