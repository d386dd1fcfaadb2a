// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/system_fmu.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/fmu/internal/archive.hpp"
#include "kdyn/fmu/internal/fmu_options.hpp"
#include "kdyn/fmu/internal/model_description.hpp"
#include "kdyn/fmu/internal/runtime_files.hpp"
#include "kdyn/fmu/internal/system_model.hpp"

namespace kdyn::inline fmu {
namespace {

using fmi::SystemInput;

// * stands for any letters, none included.
bool matches(const std::string& name, const std::string& pattern) {
  std::size_t n = 0, p = 0, star = std::string::npos, kept = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, kept = n;
    else if (p < pattern.size() && pattern[p] == name[n])
      ++p, ++n;
    else if (star != std::string::npos)
      p = star + 1, n = ++kept;
    else
      return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

[[noreturn]] void unknown(const char* where, const std::string& word, const std::vector<std::string>& known) {
  throw_bad_input(where, fmt::format("the model has no {}", in_quotes(word)),
                  known.empty() ? "it has nothing of this kind" : suggest(word, known));
}

std::vector<std::string> chosen_inputs(const std::vector<std::string>& words,
                                       const std::vector<SystemInput>& possible) {
  std::vector<std::string> out, names;
  for (const SystemInput& input : possible) {
    if (std::find(names.begin(), names.end(), input.name) != names.end())
      throw_bad_input("loads", fmt::format("two loads or drives have the input {}", in_quotes(input.name)),
                      "give each its own name");
    names.push_back(input.name);
  }
  for (const std::string& word : words) {
    // A load or joint by its name alone: what of it is in use, or all of it.
    bool found = false, any_used = false;
    for (const SystemInput& input : possible) any_used = any_used || (input.owner == word && input.used);
    for (const SystemInput& input : possible)
      if ((input.owner == word && (input.used || !any_used)) || matches(input.name, word))
        add_once(out, input.name), found = true;
    if (!found) unknown("inputs", word, names);
  }
  return out;
}

std::vector<std::string> chosen_outputs(const std::vector<std::string>& words, const mbs::System& system) {
  const mbs::Signals signals(system);
  std::vector<std::string> out, names;
  for (const mbs::SignalInfo& signal : signals.list()) names.push_back(signal.name);
  for (const std::string& word : words) {
    bool found = false;
    for (const std::string& name : names)
      if (matches(name, word)) add_once(out, name), found = true;
    if (!found) unknown("outputs", word, names);
  }
  if (!words.empty()) return out;
  for (const mbs::Body& body : system.model().bodies)
    for (const char* axis : {"x", "y", "z"}) out.push_back(fmt::format("{}.position.{}", body.name, axis));
  for (const mbs::Axis& axis : system.axes()) {
    const std::string name =
        mbs::axis_name(system.model().connections[static_cast<std::size_t>(axis.connection)], axis.component);
    out.push_back(name + ".deflection");
    out.push_back(name + ".load");
  }
  return out;
}

std::vector<Finding> findings_of(const mbs::ModelFile& file, const mbs::System& system,
                                 const std::vector<SystemInput>& possible, const std::vector<std::string>& inputs) {
  std::vector<Finding> out = file.findings;
  out.insert(out.end(), system.findings().begin(), system.findings().end());
  for (const SystemInput& input : possible)
    if (input.kind != SystemInput::Kind::law && input.used &&
        std::find(inputs.begin(), inputs.end(), input.name) != inputs.end())
      out.push_back({Severity::note, "replaced", input.name,
                     fmt::format("the signal that the model gives here stays behind: the FMU takes it from its input, "
                                 "which begins with {:g}",
                                 input.start),
                     "leave the name out of the inputs to keep the model's own"});
  if (file.run.step_control)
    out.push_back({Severity::warning, "step_control", "run.step_control",
                   fmt::format("the FMU has no step control: it divides each step into equal parts of at most {:g} s",
                               file.run.step_s),
                   "lower step_s until results stay, and compare with kdyn simulate"});
  return out;
}

constexpr const char* use =
    "<h2>Use</h2>\n<p>A multibody system; SI units. Names are those of its model file and of the signals of kdyn "
    "simulate.</p>\n"
    "<ul>\n<li>A step is divided into equal parts of at most the step of the model.</li>\n"
    "<li>Inputs set before a step are those at its beginning. Over the step they are carried on as they changed in the "
    "last one; when the true "
    "value of its end arrives, the step is taken again with it, so that the state follows the true inputs. A tool that "
    "sets inputs of the end of "
    "the step sets <code>inputs_at_end_of_step</code> to true before initialization.</li>\n"
    "<li>Give a drive its velocity too (<code>_rate</code>); until then it is found by differences.</li>\n"
    "<li>Parameters of laws are set before the end of initialization; a static start is found with them.</li>\n"
    "<li>A step that is to be repeated: save the state before it, restore it after. States cannot be turned into "
    "bytes.</li>\n"
    "<li>The model is in resources/system.json.</li>\n</ul>\n";

}  // namespace

SystemFmu make_system_fmu(const mbs::ModelFile& file, const SystemFmuChoice& choice, const FmuOptions& options) {
  internal::check_options(options);
  for (const mbs::Controller& c : file.model.controllers)
    if (c.sampled())
      throw_bad_input(
          "controllers." + c.name,
          "it is sampled, and the tool that runs the FMU chooses the steps: they need not end at its samples",
          "leave it out and run it beside the FMU, or give the continuous controller that it stands for");
  SystemFmu out;
  const std::vector<SystemInput> possible = fmi::possible_inputs(file.model);
  out.inputs = chosen_inputs(choice.inputs, possible);
  const mbs::System system(file.model);
  out.outputs = chosen_outputs(choice.outputs, system);
  out.findings = findings_of(file, system, possible, out.inputs);
  const bool two = options.version == 2;
  const Json content = {{"identifier", options.name}, {"fmi", two ? "2.0" : "3.0"},
                        {"kdyn", version()},          {"image", mbs::image_of(file.model, file.run)},
                        {"inputs", out.inputs},       {"outputs", out.outputs}};
  const std::string text = content.dump() + "\n";
  const fmi::SystemModel model(text);
  const internal::FmuDescription about{.version = options.version,
                                       .identifier = options.name,
                                       .title = file.model.title.empty() ? "Multibody system" : file.model.title,
                                       .token = fmi::system_token(text),
                                       .source = {},
                                       .author = options.author,
                                       .model_version = options.model_version,
                                       .license = options.license.empty() ? "Runtime: Apache-2.0" : options.license,
                                       .date = internal::date_of(options)};
  const internal::FmuSubject subject{.variables = model.variables(),
                                     .unit = nullptr,
                                     .use = use,
                                     .step_s = file.run.step_s,
                                     .stop_s = file.run.duration_s > 0.0 ? file.run.duration_s : 1.0};
  Fmu& fmu = out.fmu;
  fmu.variables = internal::variable_infos(subject);
  fmu.entries.emplace_back("modelDescription.xml", internal::model_description(subject, about));
  fmu.entries.emplace_back("documentation/index.html", internal::documentation_page(subject, about));
  fmu.entries.emplace_back("documentation/licenses/runtime.txt", internal::runtime_license());
  fmu.entries.emplace_back("resources/system.json", text);
  const internal::RuntimeBinary& binary = internal::system_binary();
  if (binary.bytes.empty())
    throw_bad_input("to", "FMUs of multibody systems are not made here", "export the model with the full kdyn");
  const std::string& platform = two ? binary.fmi2_platform : binary.fmi3_platform;
  if (platform.empty()) throw_bad_input("to", "FMI 2.0 has no folder for binaries of this machine", "use fmu3");
  fmu.entries.emplace_back(fmt::format("binaries/{}/{}{}", platform, options.name, binary.ending), binary.bytes);
  fmu.platforms.push_back(platform);
  fmu.archive = internal::zip_archive(fmu.entries);
  return out;
}

}  // namespace kdyn::inline fmu
