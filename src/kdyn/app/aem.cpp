// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/active_mount_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const AemJob*) {
  using J = app::AemJob;
  static const FieldTable table = FieldTable::of<J>("aem", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Model file of an active mount, or the result.json of its fit").from_words().must_be_given();
    t.include(&J::analysis, field_table<AnalysisOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

Json root_json(const Root& r) { return {{"re", r.s.real()}, {"im", r.s.imag()}, {"frequency_hz", r.frequency_hz}, {"damping", r.damping}}; }

Json poles_json(const ServiceResponse& nominal) {
  Json out = Json::array();
  for (std::size_t i = 0; i < nominal.poles.size(); ++i) {
    Json pole = root_json(nominal.poles[i]);
    const std::string name = pole_name(nominal.poles, i, nominal.law);
    pole["name"] = name;
    // The rules of thumb stand beside the exact value.
    if (name == "fluid") pole["approximate_hz"] = nominal.approximate.fluid_pole_hz;
    if (name == "actuator") {
      pole["approximate_hz"] = nominal.approximate.actuator_pole_hz;
      pole["corrected_hz"] = nominal.corrected.actuator_pole_hz;
    }
    if (name == "coil") pole["approximate_re"] = nominal.approximate.electrical_pole;
    out.push_back(std::move(pole));
  }
  return out;
}

Json zeros_json(const ActiveAnalysis& a) {
  Json out = Json::array();
  const ServiceResponse& nominal = a.temperatures.front();
  for (const ActivePath path : active_paths) {
    const std::vector<Root>& zeros = a.zeros[static_cast<std::size_t>(path)];
    // Complex pairs in descending order: the first of S_y is the one beside the actuator, the two of P_yx are those of actuator and fluid.
    std::size_t pair = 0;
    for (const Root& z : zeros) {
      Json zero = {{"path", to_string(path)}};
      zero.update(root_json(z));
      if (z.s.imag() > 0.0) {
        if (path == ActivePath::S_y && pair == 0) {
          zero["approximate_hz"] = nominal.approximate.S_y_zero_hz;
          zero["corrected_hz"] = nominal.corrected.S_y_zero_hz;
        }
        if (path == ActivePath::P_yx) zero["approximate_hz"] = pair == 0 ? nominal.approximate.P_yx_zero_2_hz : nominal.approximate.P_yx_zero_1_hz;
        ++pair;
      }
      out.push_back(std::move(zero));
    }
  }
  return out;
}

Json services_json(const std::vector<ServiceResponse>& list) {
  Json out = Json::array();
  for (const ServiceResponse& s : list) {
    Json poles = Json::array();
    for (const Root& r : s.poles) poles.push_back(root_json(r));
    out.push_back({{"name", s.name},
                   {"poles", std::move(poles)},
                   {"actuator_pole_approximate_hz", s.approximate.actuator_pole_hz},
                   {"actuator_pole_corrected_hz", s.corrected.actuator_pole_hz}});
  }
  return out;
}

Json transfer_json(const ActiveMount<double>& law) {
  Json out = {{"frequency_hz", Json::array()}};
  for (const ActivePath path : active_paths) out[to_string(path)] = {{"re", Json::array()}, {"im", Json::array()}};
  for (int i = 0; i <= 160; ++i) {
    const double f = std::pow(400.0, i / 160.0);
    out["frequency_hz"].push_back(f);
    const auto all = active_responses(law, f);
    for (const ActivePath path : active_paths) {
      out[to_string(path)]["re"].push_back(all[static_cast<std::size_t>(path)].re);
      out[to_string(path)]["im"].push_back(all[static_cast<std::size_t>(path)].im);
    }
  }
  out["units"] = {{"P", "N/m"}, {"S", "N/V"}};
  return out;
}

Json state_space_json(const ActiveMount<double>& law) {
  const ActiveStateSpace s = state_space_of(law);
  const auto matrix = [](const auto& m) {
    Json rows = Json::array();
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      Json row = Json::array();
      for (Eigen::Index k = 0; k < m.cols(); ++k) row.push_back(m(i, k));
      rows.push_back(std::move(row));
    }
    return rows;
  };
  return {{"states", {"xA", "vA", "xK", "vK", "i", "zB", "zT"}},
          {"inputs", {"xT", "vT", "U"}},
          {"outputs", {"fx", "fy"}},
          {"A", matrix(s.A)},
          {"B", matrix(s.B)},
          {"C", matrix(s.C)},
          {"D", matrix(s.D)}};
}

Json envelope_json(const ActiveAnalysis& a) {
  Json out = Json::object();
  for (const PhaseEnvelope& e : a.envelopes) {
    Json& rule = out[to_string(e.rule)];
    rule["meaning"] = meaning_of(e.rule);
    rule["variants"] = e.variants;
    rule[to_string(e.path)] = {{"max_deg", e.max_deg},           {"at_hz", e.at_hz},         {"max_deviation_deg", e.max_deviation_deg},
                               {"frequency_hz", e.frequency_hz}, {"lower_deg", e.lower_deg}, {"upper_deg", e.upper_deg}};
  }
  return out;
}

Json stability_json(const AnalysisOptions& options, const ActiveAnalysis& a) {
  Json limits = Json::array(), pairs = Json::array();
  for (const PhaseLimits& l : a.limits)
    limits.push_back({{"frequency_hz", l.frequency_hz},
                      {"step", l.step},
                      {"stable_without_error", l.stable_without_error},
                      {"plus_deg", l.stable_without_error ? Json(l.plus_deg) : Json(nullptr)},
                      {"minus_deg", l.stable_without_error ? Json(l.minus_deg) : Json(nullptr)}});
  for (const PairMargin& p : a.pairs)
    pairs.push_back({{"frequency_hz", p.frequency_hz},
                     {"step", p.step},
                     {"spectral_radius", p.radius},
                     {"stable", p.stable()},
                     {"phase_error_deg", p.phase_error_deg},
                     {"estimate", p.estimate},
                     {"plant", p.plant}});
  Json largest = {{"frequency_hz", a.stability_frequencies_hz}, {"step", a.largest_steps}};
  return {{"error_signal", options.error_signal == ErrorSignal::S_x ? "S_x" : "S_y"},
          {"sample_rate_hz", options.control.sample_rate_hz},
          {"criterion", "spectral radius of the closed loop with rotating weight below 1; step is mu |S|^2"},
          {"limits", std::move(limits)},
          {"largest_step", std::move(largest)},
          {"worst_pairs", std::move(pairs)},
          {"control_run",
           {{"status", a.control.status},
            {"reason", a.control.reason},
            {"plant", options.plant.empty() ? "nominal" : options.plant},
            {"attenuation_db", a.control.attenuation_db},
            {"largest_voltage", a.control.largest_voltage}}}};
}

std::string text_of(const ActiveAnalysis& a) {
  std::string text = fmt::format("status: {}\n  pole          frequency   damping   rule of thumb   corrected rule\n", a.status);
  const ServiceResponse& nominal = a.temperatures.front();
  for (std::size_t i = 0; i < nominal.poles.size(); ++i) {
    const std::string name = pole_name(nominal.poles, i, nominal.law);
    text += fmt::format("  {:<12}{:>8.2f} Hz   {:>7.3f}", name, nominal.poles[i].frequency_hz, nominal.poles[i].damping);
    if (name == "actuator")
      text += fmt::format("   {:>10.2f} Hz   {:>10.2f} Hz", nominal.approximate.actuator_pole_hz, nominal.corrected.actuator_pole_hz);
    if (name == "fluid") text += fmt::format("   {:>10.2f} Hz", nominal.approximate.fluid_pole_hz);
    text += "\n";
  }
  if (!a.envelopes.empty()) text += "  phase envelope (widest place)          S_x                  S_y\n";
  for (std::size_t i = 0; i + 1 < a.envelopes.size(); i += 2)
    text += fmt::format("  {:<34}{:>6.1f} deg at {:>5.1f} Hz  {:>6.1f} deg at {:>5.1f} Hz\n", to_string(a.envelopes[i].rule), a.envelopes[i].max_deg,
                        a.envelopes[i].at_hz, a.envelopes[i + 1].max_deg, a.envelopes[i + 1].at_hz);
  text += fmt::format("control run: {}{}, {:.1f} dB, at most {:.3g} V\n", a.control.status,
                      a.control.reason.empty() ? "" : " (" + a.control.reason + ")", a.control.attenuation_db, a.control.largest_voltage);
  text += findings_text(a.findings);
  return text;
}

}  // namespace

Outcome aem(const AemJob& job, Progress& progress) {
  const std::string content = read_text(job.model);
  Json json = parse_json(content, job.model);
  std::string where = job.model;
  if (json.is_object() && json.contains("model") && json["model"].is_object()) {
    json = Json(json["model"]);
    where += ".model";
  }
  if (!json.is_object() || !json.contains("model") || json["model"] != "activemount")
    throw_bad_input(where, "this is no active mount", R"(write {"model": "activemount", "parameters": {...}})");
  const ActiveMountModel model = active_mount_from_json(json, where);
  const ActiveAnalysis analysis = analyse(model, job.analysis, progress);
  Outcome outcome;
  outcome.inputs.push_back({{"path", job.model}, {"sha256", sha256(content)}});
  outcome.complete = analysis.status == "done";
  Json& result = outcome.result;
  result["status"] = analysis.status;
  result["reason"] = analysis.reason;
  active_mount_to_json(model, result["model"]);
  result["poles"] = poles_json(analysis.temperatures.front());
  result["zeros"] = zeros_json(analysis);
  result["variations"] = {
      {"source", analysis.variation_source}, {"temperature", services_json(analysis.temperatures)}, {"preload", services_json(analysis.preloads)}};
  result["phase_envelope"] = envelope_json(analysis);
  result["stability"] = stability_json(job.analysis, analysis);
  result["transfer"] = transfer_json(model.law);
  result["state_space"] = state_space_json(model.law);
  result["findings"] = to_json(analysis.findings);
  to_json_fields(job, result["options_used"]);
  outcome.text = text_of(analysis);
  if (analysis.status == "done") outcome.document = aem_report(std::filesystem::path(job.model).stem().string(), model, job.analysis, analysis);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
