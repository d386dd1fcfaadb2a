// SPDX-License-Identifier: Apache-2.0
// Pictures of a vehicle identification and of a test plan.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/vehicle/vehicle_jobs.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace {

using namespace report;

double half_percent(const ParameterEstimate& p) { return 196.0 * p.std / std::abs(p.value); }
bool of_sensor(const ParameterEstimate& p) { return p.name.find('.') != std::string::npos; }

const ParameterEstimate* least_certain(const VehicleFitResult& fit) {
  const ParameterEstimate* worst = nullptr;
  for (const ParameterEstimate& p : fit.parameters)
    if (p.status == ParameterStatus::free && !of_sensor(p) &&
        (worst == nullptr || !(half_percent(p) <= half_percent(*worst))))
      worst = &p;
  return worst;
}

double worst_ratio(const VehicleFitResult& fit) {
  double worst = 0.0;
  for (const ChannelCheck& c : fit.channels) worst = std::max(worst, std::isnan(c.ratio) ? 0.0 : c.ratio);
  return worst;
}

std::string verdict(const VehicleFitResult& fit) {
  if (fit.status != "converged") return fmt::format("No result to work with: {}.", fit.reason);
  const ParameterEstimate* worst = least_certain(fit);
  std::string text =
      worst != nullptr && std::isfinite(worst->std)
          ? fmt::format("All parameters are known to {:.2g} % or better (95 %); {} is the least certain.",
                        half_percent(*worst), worst->name)
      : fit.model.empty() ? "The method gives no intervals; use maximum likelihood for them."
                          : "Not all parameters are determined by these decays; see Findings.";
  if (!fit.channels.empty()) {
    const double ratio = worst_ratio(fit);
    text += ratio < 1.3 ? "\n\nWhat the model leaves of the measurement is sensor noise: the vehicle is as modelled."
                        : fmt::format(
                              "\n\nThe model leaves up to {:.2g} times the sensor noise: the vehicle is not quite as "
                              "modelled, or the test is not as "
                              "said. See Checks.",
                              ratio);
  }
  const auto off =
      std::find_if(fit.findings.begin(), fit.findings.end(), [](const Finding& f) { return f.code == "added_mass"; });
  if (off != fit.findings.end()) text += "\n\nThe decays doubt the added mass: " + off->message + ".";
  return text;
}

Table parameters(const VehicleFitResult& fit, bool symmetric) {
  Table table;
  table.columns = {{"Parameter"},
                   {"Value", "", Align::right, 5},
                   {"Unit"},
                   {"95 % interval", "", Align::right},
                   {"+- %", "", Align::right, 2}};
  std::vector<std::string> methods;
  for (const auto& [name, values] : fit.other_methods) {
    methods.push_back(name);
    table.columns.push_back(
        {name == "realisation" ? "Realisation" : "State variable", "difference, %", Align::right, 3});
  }
  table.columns.push_back({"Meaning"});
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const ParameterEstimate& p = fit.parameters[i];
    const DisplayUnit unit = p.unit == "m" ? DisplayUnit{"m", 1.0} : display_unit(p.unit);
    Row row;
    const bool known = std::isfinite(p.std) && p.status == ParameterStatus::free;
    row.cells = {p.name, p.value * unit.factor, unit.unit,
                 known ? fmt::format("{:.5g} ... {:.5g}", p.lower_95 * unit.factor, p.upper_95 * unit.factor)
                 : p.status == ParameterStatus::fixed ? "fixed"
                                                      : "not known"};
    row.cells.push_back(known && !of_sensor(p) ? Value(half_percent(p)) : Value());
    for (const std::string& name : methods)
      row.cells.emplace_back(
          of_sensor(p) ? Value()
                       : Value(100.0 * (fit.other_methods.at(name)[static_cast<Eigen::Index>(i)] / p.value - 1.0)));
    row.cells.emplace_back(p.meaning);
    if (known && !of_sensor(p) && half_percent(p) > 20.0) row.quality = Quality::poor;
    table.rows.push_back(std::move(row));
  }
  table.note = methods.empty() ? ""
                               : "The columns of the published methods show how far they are from the result beside "
                                 "them; they carry no intervals.";
  (void)symmetric;
  return table;
}

std::string words_of(const DecayChannel& c) {
  static const std::array<const char*, max_wheels> corners = {"A, front left", "B, front right", "C, rear left",
                                                              "D, rear right", "E, third left",  "F, third right"};
  if (c.from_cg && c.body != 0.0) return "Body bounce " + c.name;
  if (c.body != 0.0) return fmt::format("{}: body at x {:.2f} m, y {:.2f} m", c.name, c.x, c.y);
  if (c.angle) return (std::abs(c.pitch) > std::abs(c.roll) ? "Pitch " : "Roll ") + c.name;
  for (std::size_t i = 0; i < corners.size(); ++i)
    if (c.wheel[i] != 0.0) return std::string(c.name.starts_with("zu") ? "" : c.name + ": ") + "wheel " + corners[i];
  return c.name;
}

// Up to three channels that tell most of a case: of the body, an angle, a wheel.
std::vector<int> shown_channels(const DecaySet& set, const std::string& name) {
  std::array<int, 3> best = {-1, -1, -1};
  std::array<double, 3> most = {-1.0, -1.0, -1.0};
  std::vector<double> size(set.channels.size(), 0.0);
  for (const DecayRecord& r : set.records)
    if (r.name == name)
      for (std::size_t c = 0; c < size.size(); ++c)
        size[c] += r.samples.col(static_cast<Eigen::Index>(c)).squaredNorm();
  for (std::size_t c = 0; c < size.size(); ++c) {
    const std::size_t group = set.channels[c].angle ? 1 : set.channels[c].body != 0.0 ? 0 : 2;
    if (size[c] > most[group]) most[group] = size[c], best[group] = static_cast<int>(c);
  }
  std::vector<int> out;
  for (const int c : best)
    if (c >= 0) out.push_back(c);
  for (std::size_t c = 0; c < size.size() && out.size() < 3; ++c)
    if (std::find(out.begin(), out.end(), static_cast<int>(c)) == out.end()) out.push_back(static_cast<int>(c));
  return out;
}

// One case: body and wheel, measured and model, one colour per configuration.
PlotRow case_plots(const VehicleFitResult& fit, const std::string& name) {
  const DecaySet& set = fit.decays.set;
  PlotRow row;
  row.link_x = true;
  for (const int c : shown_channels(set, name)) {
    const auto at = static_cast<std::size_t>(c);
    static const std::array<const char*, 3> kinds = {"Displacement", "Velocity", "Acceleration"};
    Plot plot{.title = words_of(set.channels[at]),
              .x = {"Time", "s"},
              .y = {kinds[static_cast<std::size_t>(set.channels[at].kind)], fit.channels[at].unit}};
    if (!plot.title.empty()) plot.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(plot.title[0])));
    plot.group_label = "Vehicle";
    plot.height_px = 260;
    std::vector<int> configs;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const DecayRecord& r = set.records[i];
      if (r.name != name) continue;
      auto seen = std::find(configs.begin(), configs.end(), r.config);
      if (seen == configs.end()) {
        configs.push_back(r.config);
        plot.groups.push_back(r.config == 0        ? "as is"
                              : configs.size() > 2 ? fmt::format("added mass {}", r.config)
                                                   : "with added mass");
        seen = configs.end() - 1;
      }
      // Wheel hop is over soon: the first 1.2 s tell.
      const Eigen::Index shown = std::min<Eigen::Index>(r.samples.rows(), static_cast<Eigen::Index>(1.2 / r.interval));
      Series measured{
          .name = "measured", .style = SeriesStyle::markers, .group = static_cast<int>(seen - configs.begin())},
          model = measured;
      model.name = "model";
      model.style = SeriesStyle::line;
      for (Eigen::Index k = 0; k < shown; ++k) {
        const double t =
            fit.decays.start_s[i] +
            (static_cast<double>(k) + 0.5 * (1.0 - 1.0 / static_cast<double>(fit.decays.average))) * r.interval;
        model.x.push_back(t), model.y.push_back(fit.model[i](k, c));
        // Every other sample of wheel hop, then every eighth: markers side by side would hide the line.
        if (static_cast<double>(k) * r.interval < 0.2 ? k % 2 == 0 : k % 8 == 0)
          measured.x.push_back(t), measured.y.push_back(r.samples(k, c));
      }
      plot.series.push_back(std::move(model)), plot.series.push_back(std::move(measured));
    }
    row.plots.push_back(std::move(plot));
  }
  return row;
}

// By what moves most; rotations count by the motion they cause at wheels and axles.
std::string mode_name(Eigen::VectorXcd shape, const Vehicle<double>& vehicle) {
  shape[1] *= 0.5 * (vehicle.a + vehicle.b);
  shape[2] *= 0.5 * (vehicle.tf + vehicle.tr);
  const Eigen::VectorXd s =
      (shape.array() /
       shape[std::distance(shape.data(), std::max_element(shape.data(), shape.data() + shape.size(),
                                                          [](auto a, auto b) { return std::abs(a) < std::abs(b); }))])
          .real();
  const double body = s.head(3).cwiseAbs().maxCoeff(), wheels = s.tail(s.size() - 3).cwiseAbs().maxCoeff();
  if (body > wheels) {
    Eigen::Index which = 0;
    s.head(3).cwiseAbs().maxCoeff(&which);
    return which == 0 ? "body bounce" : which == 1 ? "body pitch" : "body roll";
  }
  Eigen::Index axle = 0;
  double most = -1.0;
  for (Eigen::Index i = 0; 2 * i + 4 < s.size(); ++i)
    if (const double moved = s.segment(3 + 2 * i, 2).squaredNorm(); moved > most) most = moved, axle = i;
  static const std::array<const char*, 3> numbered = {"first", "second", "third"};
  return fmt::format("{} wheels, {}",
                     s.size() > 7 ? numbered[static_cast<std::size_t>(axle)]
                     : axle == 0  ? "front"
                                  : "rear",
                     s[3 + 2 * axle] * s[4 + 2 * axle] > 0.0 ? "together" : "against each other");
}

Table mode_table(const VehicleFitResult& fit) {
  Table table{.title = "Modes of the identified vehicle"};
  table.columns = {{"Mode"}, {"Frequency", "Hz", Align::right, 5}, {"Damping", "%", Align::right, 4}};
  if (fit.modes.size() > 1)
    table.columns.insert(table.columns.end(),
                         {{"with added mass", "Hz", Align::right, 5}, {"Damping", "%", Align::right, 4}});
  for (std::size_t i = 0; i < fit.modes[0].frequency_hz.size(); ++i) {
    Row row;
    row.cells = {mode_name(fit.modes[0].shapes.col(static_cast<Eigen::Index>(i)), fit.vehicle),
                 fit.modes[0].frequency_hz[i], 100.0 * fit.modes[0].damping_ratio[i]};
    if (fit.modes.size() > 1 && i < fit.modes[1].frequency_hz.size())
      row.cells.insert(row.cells.end(), {fit.modes[1].frequency_hz[i], 100.0 * fit.modes[1].damping_ratio[i]});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table channel_table(const VehicleFitResult& fit) {
  Table table{.title = "What is left, channel by channel"};
  table.columns = {{"Channel"},
                   {"Residual", "", Align::right, 3},
                   {"Sensor noise", "", Align::right, 3},
                   {"Unit"},
                   {"Residual / noise", "", Align::right, 3},
                   {"Correlation of neighbours", "", Align::right, 2},
                   {"Best factor", "", Align::right},
                   {"Best delay", "ms", Align::right}};
  const auto with_half = [](double value, double std, double factor) {
    return !std::isfinite(std) ? std::string("not told")
           : std == 0.0        ? std::string("found")
                               : fmt::format("{:.3f} +- {:.2g}", factor * value, factor * 1.96 * std);
  };
  for (const ChannelCheck& c : fit.channels) {
    Row row{{c.name, c.residual, c.noise, c.unit, c.ratio, c.lag_one, with_half(c.gain, c.gain_std, 1.0),
             with_half(c.delay_s, c.delay_std_s, 1e3)}};
    row.quality = c.ratio > 2.0 ? Quality::poor : c.ratio > 1.3 ? Quality::fair : Quality::good;
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Ratio near 1 and correlation near 0: only noise is left. Noise is that of the averaged samples. Factor and "
      "delay: what each channel would need to fit best to all others; 1 and 0 when it is calibrated and in step.";
  return table;
}

// Autocorrelation of the residuals over the first lags, all records together.
Plot whiteness(const VehicleFitResult& fit) {
  Plot plot{.title = "Autocorrelation of what is left", .x = {"Lag", "samples"}, .y = {"Correlation", ""}};
  plot.group_label = "Channel";
  const DecaySet& set = fit.decays.set;
  double samples = 0.0;
  for (const DecayRecord& r : set.records) samples += static_cast<double>(r.samples.rows());
  constexpr int lags = 20;
  for (int c = 0; c < set.channel_count(); ++c) {
    Series s{.name = "residual", .style = SeriesStyle::line_and_markers, .group = c};
    plot.groups.emplace_back(set.channels[static_cast<std::size_t>(c)].name);
    std::array<double, lags + 1> sum{};
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const Eigen::VectorXd r = set.records[i].samples.col(c) - fit.model[i].col(c);
      for (int lag = 0; lag <= lags && lag < r.size(); ++lag)
        sum[static_cast<std::size_t>(lag)] += r.head(r.size() - lag).dot(r.tail(r.size() - lag));
    }
    for (int lag = 1; lag <= lags; ++lag) {
      s.x.push_back(lag);
      s.y.push_back(sum[0] > 0.0 ? sum[static_cast<std::size_t>(lag)] / sum[0] : 0.0);
    }
    plot.series.push_back(std::move(s));
  }
  plot.y.lower = -0.25, plot.y.upper = 0.25;
  plot.caption = fmt::format("White noise stays within +-{:.2f} for 19 of 20 values.", 1.96 / std::sqrt(samples));
  plot.height_px = 240;
  return plot;
}

Table added_mass_table(const VehicleFitResult& fit) {
  Table table{.title = "Do the decays agree with the added mass?"};
  table.columns = {{"Added"}, {"Best change", "%", Align::right, 3}, {"+- (95 %)", "%", Align::right, 3}, {"Verdict"}};
  for (const AddedMassCheck& a : fit.added_mass) {
    const bool doubt = std::abs(a.change) > 4.0 * a.std && std::abs(a.change) > 0.005;
    table.rows.push_back({{a.name, 100.0 * a.change, 196.0 * a.std, doubt ? "doubtful: weigh again" : "as said"},
                          doubt ? Quality::poor : Quality::good});
  }
  table.note =
      "Each entry alone, the others as said. A common factor on all of them cannot be seen: it scales every mass, "
      "stiffness and damping.";
  return table;
}

}  // namespace

Document vehicle_report(const std::string& title, const VehicleFitResult& fit, bool symmetric) {
  Document d{.title = title,
             .subtitle = fmt::format("Vehicle with {} degrees of freedom, {}", fit.vehicle.layout.dofs(),
                                     symmetric ? "left and right alike" : "each corner its own")};
  d.key_figures.push_back(
      {.label = "Status", .value = fit.status, .quality = fit.status == "converged" ? Quality::good : Quality::poor});
  if (const ParameterEstimate* worst = least_certain(fit); worst != nullptr && std::isfinite(worst->std))
    d.key_figures.push_back({.label = "Least certain parameter",
                             .value = half_percent(*worst),
                             .unit = "%",
                             .quality = half_percent(*worst) < 5.0    ? Quality::good
                                        : half_percent(*worst) < 20.0 ? Quality::fair
                                                                      : Quality::poor,
                             .note = worst->name + ", 95 %",
                             .digits = 2});
  if (!fit.channels.empty()) {
    const double ratio = worst_ratio(fit);
    d.key_figures.push_back({.label = "Residual / sensor noise",
                             .value = ratio,
                             .quality = ratio < 1.3   ? Quality::good
                                        : ratio < 2.0 ? Quality::fair
                                                      : Quality::poor,
                             .note = "largest channel; 1 is perfect",
                             .digits = 3});
  }
  for (const ParameterEstimate& p : fit.parameters)
    if (p.name == "ms")
      d.key_figures.push_back(
          {.label = "Sprung mass",
           .value = p.value,
           .unit = "kg",
           .note = std::isfinite(p.std) && p.std > 0.0 ? fmt::format("+- {:.2g} kg", 1.96 * p.std) : "",
           .digits = 5});
  d.key_figures.push_back(
      {.label = "Decays",
       .value = fit.decays.set.records.size(),
       .note = fmt::format("{:g} Hz used",
                           fit.decays.set.records.empty() ? 0.0 : 1.0 / fit.decays.set.records[0].interval)});
  d.section("Verdict").named("verdict").add(Text{verdict(fit)});
  d.section("Parameters").named("parameters").add(parameters(fit, symmetric));
  if (!fit.model.empty()) {
    auto& section = d.section("Measured and model",
                              "Markers are measured, lines are the identified vehicle; its initial state is the only "
                              "thing fitted to a single record.")
                        .named("measured");
    std::vector<std::string> names;
    for (const DecayRecord& r : fit.decays.set.records)
      if (std::find(names.begin(), names.end(), r.name) == names.end()) names.push_back(r.name);
    for (const std::string& name : names) section.add(Text{"Case " + name}).add(case_plots(fit, name));
  }
  if (!fit.modes.empty()) {
    const VehicleModes& first = fit.modes.front();
    std::vector<std::string> names;
    for (Eigen::Index m = 0; m < first.shapes.cols(); ++m) names.push_back(mode_name(first.shapes.col(m), fit.vehicle));
    d.section("Modes").named("modes").add(vehicle_animation(fit.vehicle, first, names)).add(mode_table(fit));
  }
  if (!fit.channels.empty()) {
    auto& checks =
        d.section("Checks", "Is what is left only noise, and is the added mass what was said?").named("checks");
    checks.add(channel_table(fit)).add(whiteness(fit));
    if (!fit.added_mass.empty()) checks.add(added_mass_table(fit));
    if (fit.asymmetry_K)
      checks.add(
          Text{fmt::format("Stiffness matrix of the model-free realisation: |K - K^T|/|K| = {:.2g}. A wrong added mass "
                           "or noise makes it unsymmetric.",
                           *fit.asymmetry_K)});
  }
  if (fit.correlation.rows() > 1) {
    Heatmap map{.title = "Correlation of the estimates",
                .row_names = fit.correlation_names,
                .column_names = fit.correlation_names};
    for (Eigen::Index i = 0; i < fit.correlation.rows(); ++i)
      map.values.emplace_back(fit.correlation.row(i).begin(), fit.correlation.row(i).end());
    map.caption =
        "Masses, stiffnesses and dampings share the scale of the added mass: near +1 between them is natural.";
    d.section("Correlation").named("correlation").add(std::move(map));
  }
  d.section("Findings").add(Findings{.findings = fit.findings, .when_empty = "Nothing unusual."});
  return d;
}

Document plan_report(const std::string& title, const PlanResult& plan, const PlanOptions& options,
                     const AddedMass& added) {
  Document d{.title = title,
             .subtitle = fmt::format("Accuracy to expect of a bump test, {:g} Hz, {}", options.rate_hz,
                                     options.symmetric ? "15 parameters" : "23 parameters")};
  const auto words = [&](int index) {
    const PlannedTest& t = plan.tests[static_cast<std::size_t>(index)];
    return fmt::format("{}, {:g} x the added mass, {:g} s", join(t.cases, " + "), t.mass_factor, t.length_s);
  };
  const bool met = plan.recommended >= 0;
  const int shown = met ? plan.recommended : plan.best;
  d.key_figures.push_back(
      {.label = "Target", .value = options.target_percent, .unit = "%", .note = "95 % interval, every parameter"});
  d.key_figures.push_back({.label = met ? "Recommended test reaches" : "Best test reaches",
                           .value = plan.tests[static_cast<std::size_t>(shown)].worst_percent,
                           .unit = "%",
                           .quality = met ? Quality::good : Quality::poor,
                           .note = "least certain: " + plan.tests[static_cast<std::size_t>(shown)].worst_name,
                           .digits = 2});
  d.key_figures.push_back(
      {.label = "Cases to drive", .value = join(plan.tests[static_cast<std::size_t>(shown)].cases, " + ")});
  d.key_figures.push_back({.label = "Added mass",
                           .value = plan.tests[static_cast<std::size_t>(shown)].mass_factor * added[0],
                           .unit = "kg",
                           .note = "on the body"});
  d.section("Verdict").named("verdict").add(
      Text{met ? fmt::format("Least effort that meets the target: {}.", words(plan.recommended))
               : fmt::format("No test that was tried meets the target. The most accurate is {}. Add more mass, record "
                             "longer, or lower the noise.",
                             words(plan.best))});
  // Worst parameter over added mass, one line per set of cases, at the longest and each other length.
  Plot plot{.title = "Least certain parameter over added mass",
            .x = {"Added mass on the body", "kg", true},
            .y = {"95 % half interval", "%", true}};
  plot.group_label = "Cases";
  std::map<std::string, int> groups;
  for (const double length : options.lengths_s)
    for (const PlannedTest& t : plan.tests) {
      if (t.length_s != length || t.mass_factor != options.mass_factors.front() || !std::isfinite(t.worst_percent))
        continue;
      const std::string cases = join(t.cases, " + ");
      const auto group = groups.try_emplace(cases, static_cast<int>(groups.size())).first->second;
      if (group == static_cast<int>(plot.groups.size())) plot.groups.push_back(cases);
      Series s{.name = fmt::format("{:g} s", length),
               .style = length == options.lengths_s.back()    ? SeriesStyle::line_and_markers
                        : length == options.lengths_s.front() ? SeriesStyle::dashed_line
                                                              : SeriesStyle::line,
               .group = group};
      for (const PlannedTest& other : plan.tests)
        if (other.length_s == length && other.cases == t.cases && std::isfinite(other.worst_percent))
          s.x.push_back(other.mass_factor * added[0]), s.y.push_back(other.worst_percent);
      plot.series.push_back(std::move(s));
    }
  plot.caption =
      "More added mass helps masses, springs and dampers; lengths such as tf need more cases or longer records. Cases "
      "that leave a "
      "parameter open are not shown (bounce and pitch alone: nothing rolls).";
  d.section("What helps").named("helps").add(std::move(plot));
  Table tests{.title = "All tests"};
  tests.columns = {{"Cases"},
                   {"Added mass", "x", Align::right},
                   {"Length", "s", Align::right},
                   {"Worst", "%", Align::right, 3},
                   {"Parameter"},
                   {"Target"}};
  for (const PlannedTest& t : plan.tests)
    tests.rows.push_back({{join(t.cases, " + "), t.mass_factor, t.length_s,
                           std::isfinite(t.worst_percent) ? Value(t.worst_percent) : Value("not determined"),
                           t.worst_name, t.meets ? "met" : ""},
                          t.meets ? Quality::good : Quality::neutral});
  Table each{.title = "Every parameter, " + words(shown)};
  each.columns = {{"Parameter"}, {"95 % half interval", "%", Align::right, 3}};
  const PlannedTest& chosen = plan.tests[static_cast<std::size_t>(shown)];
  for (std::size_t i = 0; i < plan.names.size(); ++i)
    each.rows.push_back({{plan.names[i], chosen.half_interval_percent[static_cast<Eigen::Index>(i)]}});
  d.section("Numbers")
      .named("numbers")
      .add(std::move(each))
      .add(Details("All tests that were compared", std::vector<Block>{Block{std::move(tests)}}));
  return d;
}

}  // namespace kdyn::app
