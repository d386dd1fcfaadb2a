// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/recognise.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/active_mount_fit.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/io/table.hpp"
#include "kdyn/io/tyre_file.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/vehicle/decay_file.hpp"

namespace kdyn::app {
namespace {

std::string text_member(const Json& in, const char* key) {
  const auto it = in.find(key);
  return it != in.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// Operations whose options have all these keys.
std::vector<std::string> operations_taking(const Json& in) {
  std::vector<std::string> names;
  if (in.empty()) return names;
  for (const Operation& operation : operations()) {
    bool all = true;
    for (const auto& [key, value] : in.items()) all = all && operation.options().find(key) != nullptr;
    if (all) names.push_back(operation.name);
  }
  return names;
}

InspectedFile recognise_result(const Json& in) {
  InspectedFile out{{{}, "result"}};
  const Json& provenance = in["provenance"];
  const std::string operation = provenance.is_object() ? text_member(provenance, "operation") : "";
  out.operation = operation;
  out.status = text_member(in, "status");
  out.summary.push_back(fmt::format("the result of kdyn {}{}, status {}", operation,
                                    provenance.is_object() && !text_member(provenance, "created").empty()
                                        ? " of " + text_member(provenance, "created")
                                        : "",
                                    text_member(in, "status")));
  if (in.contains("parameters") && in["parameters"].is_object())
    out.summary.push_back(fmt::format("{} parameters", in["parameters"].size()));
  if (in.contains("map") && in["map"].is_array())
    out.summary.push_back(fmt::format("a map of {} points", in["map"].size()));
  if (in.contains("series")) out.summary.emplace_back("time series");
  if (in.contains("model")) out.summary.emplace_back("a model, which rig, export and linearise take from it");
  return out;
}

}  // namespace

InspectedFile recognise_json(const std::string& path, const std::string& content) {
  InspectedFile out{{{}, "unknown"}};
  try {
    const Json in = parse_json(content, path);
    if (!in.is_object()) {
      out.what.kind = "json";
      out.summary.emplace_back("JSON that is no object");
      return out;
    }
    if (in.contains("provenance") && in.contains("status")) return recognise_result(in);
    if (in.contains("bodies")) {
      out.what.kind = "multibody";
      out.summary.push_back(fmt::format("a multibody model with {} {}", in["bodies"].size(),
                                        in["bodies"].size() == 1 ? "body" : "bodies"));
      return out;
    }
    if (in.contains("model_sha256") && in.contains("run")) {
      out.what.kind = "state";
      out.summary.emplace_back("the state at the end of a simulation, to go on from with --restart");
      return out;
    }
    if (in.contains("match") && in.contains("columns")) {
      out.what.kind = "layout";
      out.summary.push_back(fmt::format("a saved layout of columns, {}", in_quotes(text_member(in, "name"))));
      return out;
    }
    if (in.contains("origin") && in.contains("files")) {
      out.what.kind = "manifest";
      out.summary.push_back(fmt::format("the manifest of a data set: {}, {}", in_quotes(text_member(in, "name")),
                                        in_quotes(text_member(in, "origin"))));
      return out;
    }
    const std::string model = text_member(in, "model");
    const bool in_situ = in.contains("signals") || in.contains("experiments") || in.contains("start");
    if (model.ends_with(".json") && in_situ) {
      out.what.kind = "job";
      out.operation = "insitu";
      out.summary.push_back(
          fmt::format("a job of in-situ identification on {}, {} signals", in_quotes(model),
                      in.contains("signals") ? std::to_string(in["signals"].size()) : std::string("all")));
      return out;
    }
    if (model.empty())
      if (const std::vector<std::string> names = operations_taking(in); !names.empty()) {
        out.what.kind = "job";
        out.operations = names;
        out.summary.push_back(fmt::format("options of a job: {}", join(names, ", ")));
        return out;
      }
    if (in.contains("truth") || (model.empty() && !in.contains("parameters"))) {
      out.what.kind = "json";
      std::vector<std::string> keys;
      for (const auto& [key, value] : in.items())
        if (keys.size() < 8) keys.push_back(key);
      out.summary.push_back("JSON that is no file of kdyn, with the keys " + join(keys, ", "));
      out.findings.push_back({Severity::note, "not_recognised", path,
                              "these keys are no model, multibody system, job or result",
                              "a model is {\"model\": \"elastomer\", ...}"});
      return out;
    }
    if (model == "bushing") {
      const Bushing bushing = bushing_from_json(in, path);
      std::vector<std::string> axes;
      for (std::size_t i = 0; i < axis_names.size(); ++i)
        if (bushing.axes[i]) axes.push_back(fmt::format("{}: {}", axis_names[i], bushing.axes[i]->model()));
      out.what.kind = "model";
      out.model = model;
      out.summary.push_back(
          fmt::format("a bushing with {} {} ({})", axes.size(), axes.size() == 1 ? "axis" : "axes", join(axes, ", ")));
      return out;
    }
    const auto mount = mount_from_json(in, path);
    out.what.kind = "model";
    out.model = mount->model();
    out.summary.push_back(fmt::format("a model of kind {}", mount->model()));
  } catch (const Error& error) {
    out.findings.push_back({Severity::serious, "unreadable", error.where(), error.message(), error.remedy()});
  }
  return out;
}

std::optional<InspectedFile> recognise_other(const std::string& path, const std::string& content) {
  InspectedFile out;
  const std::string_view head = std::string_view(content).substr(0, 4096);
  if (content.starts_with("PK\x03\x04") && content.find("modelDescription.xml") != std::string::npos) {
    out.what.kind = "fmu";
    out.summary.emplace_back("an FMU: a model for other simulation programs");
    return out;
  }
  if (looks_binary(content)) return std::nullopt;
  if (const std::string small = lower_case(head.substr(0, 200));
      small.find("<!doctype html") != std::string::npos || small.find("<html") != std::string::npos) {
    out.what.kind = "report";
    out.summary.emplace_back("a page for a browser; the numbers of a report stand in result.json beside it");
    return out;
  }
  if (looks_like_tyre_file(content)) {
    TyreFile tyre = parse_tyre_file(content, path);
    out.what.kind = "tyre";
    std::string words = "property file of a tyre";
    for (const auto& [key, text] :
         {std::pair("UNLOADED_RADIUS", ", unloaded radius {:.4g} m"), std::pair("FNOMIN", ", nominal load {:.4g} N")})
      if (const auto found = tyre.numbers.find(key); found != tyre.numbers.end())
        words += fmt::format(fmt::runtime(text), found->second);
    out.summary.push_back(std::move(words));
    out.summary.emplace_back("multibody models read it: \"tyres\": [{\"file\": ...}]");
    out.findings = std::move(tyre.findings);
    return out;
  }
  const std::string name = std::filesystem::path(path).filename().string(),
                    extension = lower_case(std::filesystem::path(path).extension().string());
  static const std::set<std::string> sources = {".cpp", ".hpp", ".c",     ".h",  ".py", ".sh",
                                                ".md",  ".m",   ".cmake", ".ts", ".js", ".css"};
  if (sources.contains(extension) || name == "CMakeLists.txt" || head.starts_with("#!")) {
    out.what.kind = "text";
    out.summary.emplace_back("program or text, no measurement");
    return out;
  }
  // What an exported model must give: plain names and SI units, as importers of FMUs want them.
  const std::string stem = std::filesystem::path(path).stem().string();
  if ((stem.ends_with("_check") || stem.ends_with("_check_in")) && head.starts_with("time,")) {
    out.what.kind = "check_file";
    out.summary.push_back(fmt::format("{} of an exported model to check it by, in SI units: {}",
                                      stem.ends_with("_in") ? "inputs" : "inputs and outputs",
                                      in_quotes(head.substr(0, head.find_first_of("\r\n")))));
    return out;
  }
  try {
    const ActiveFrf frf = parse_active_frf(content, path);
    std::set<std::string> paths;
    double low = frf.points.front().frequency_hz, high = low;
    for (const auto& point : frf.points) {
      paths.insert(to_string(point.path));
      low = std::min(low, point.frequency_hz), high = std::max(high, point.frequency_hz);
    }
    out.what.kind = "active_mount_frf";
    out.summary.push_back(fmt::format("frequency responses of an active mount: {}, {} points from {:g} to {:g} Hz",
                                      join({paths.begin(), paths.end()}, ", "), frf.points.size(), low, high));
    out.what.suggests = {"fit activemount", "its columns are paths of an active mount"};
    return out;
  } catch (const Error&) {
  }
  try {
    const DecayFiles decays = read_decay_files({path}, {}, {});
    out.what.kind = "decays";
    out.summary.push_back(
        fmt::format("free decays of a vehicle: {} records of seven channels", decays.set.records.size()));
    out.what.suggests = {"vehicle", "its columns are zs, theta, phi and the four wheels"};
    return out;
  } catch (const Error&) {
  }
  // Sensors of a vehicle have any names; the column that tells which vehicle was driven gives them away.
  try {
    SignalTableOptions reading;
    reading.text_columns = {"case"};
    reading.plain_columns = {"config", "k"};
    const SignalSet table = read_signal_table(path, reading);
    const Signal* config = table.find("config");
    if (config != nullptr && table.signals.size() > 3 &&
        std::all_of(config->values.begin(), config->values.end(),
                    [](double v) { return v >= 0.0 && v == std::floor(v); })) {
      out.what.kind = "decays";
      out.summary.push_back(fmt::format("records of a vehicle's sensors: {} channels, {} rows",
                                        table.signals.size() - 1 - (table.find("k") != nullptr), table.rows));
      out.what.suggests = {"vehicle",
                           "its column config tells the vehicle as is from the loaded one; describe the "
                           "sensors in the job"};
      return out;
    }
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace kdyn::app
