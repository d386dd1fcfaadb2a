// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/fmu.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/fmu/internal/archive.hpp"
#include "kdyn/fmu/internal/fmu_options.hpp"
#include "kdyn/fmu/internal/model_description.hpp"
#include "kdyn/fmu/internal/runtime_files.hpp"
#include "kdyn/fmu/law_sources.hpp"
#include "kdyn/laws/registry.hpp"

namespace kdyn::inline fmu {
namespace {

// 8-4-4-4-12 digits of a hash of everything that makes the FMU what it is.
std::string token_of(const std::vector<double>& image, const FmuOptions& options) {
  std::string content = fmt::format("kdyn {} {} FMI {} {}", version(), revision(), options.version, options.name);
  content.append(reinterpret_cast<const char*>(image.data()), image.size() * sizeof(double));
  const std::string hash = sha256(content);
  return fmt::format("{{{}-{}-{}-{}-{}}}", hash.substr(0, 8), hash.substr(8, 4), hash.substr(12, 4), hash.substr(16, 4),
                     hash.substr(20, 12));
}

// The FMI layer and the laws that the model needs, joined from kdyn's own headers; model.inc beside it holds the
// numbers.
std::string source_of(const MountUnit& unit, const FmuOptions& options) {
  std::vector<std::string> types;
  unit.for_each([&](int, const LawInstance& law) {
    const std::string& type = find_law(law.model())->type;
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  });
  return fmt::format(
             "// SPDX-License-Identifier: Apache-2.0\n// FMI {}.0 over laws of kdyn {}, its own headers joined. C++17; "
             "compile this file "
             "alone.\n#define KDYN_FMU_SOURCE 1\n",
             options.version, version()) +
         joined_law_source(fmt::format("kdyn/fmu/runtime/fmi{}.cpp", options.version), types, options.name + "_kdyn");
}

// The model object alone, without the results around it.
Json model_object(const Json& model) {
  return model.is_object() && model.contains("model") && model["model"].is_object() ? model_object(model["model"])
                                                                                    : model;
}

}  // namespace

const std::string& Fmu::entry(const std::string& path) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == path; });
  if (found == entries.end()) throw_bad_input(path, "the FMU has no such entry", "see the list of entries");
  return found->second;
}

Fmu make_fmu(const Json& model, const std::string& where, const FmuOptions& options) {
  internal::check_options(options);
  const std::string& id = options.name;
  const std::vector<double> image = image_of_model(model, where);
  MountUnit unit;
  demand(unit.read_image(image.data(), image.size()), "an image gives the unit it was made from");

  const bool two = options.version == 2;
  const std::string source = two ? "fmi2.cpp" : "fmi3.cpp";
  const internal::FmuDescription about{.version = options.version,
                                       .identifier = id,
                                       .title = unit.axes() == 1 ? unit.axis(0)->title() : "Six-axis bushing",
                                       .token = token_of(image, options),
                                       .source = source,
                                       .author = options.author,
                                       .model_version = options.model_version,
                                       .license = options.license.empty() ? "Runtime: Apache-2.0" : options.license,
                                       .date = internal::date_of(options)};
  Fmu out;
  const internal::FmuSubject subject = internal::subject_of(unit);
  out.variables = internal::variable_infos(subject);
  out.entries.emplace_back("modelDescription.xml", internal::model_description(subject, about));
  if (!two) out.entries.emplace_back("terminalsAndIcons/terminalsAndIcons.xml", internal::terminals(unit));
  out.entries.emplace_back("documentation/index.html", internal::documentation_page(subject, about));
  out.entries.emplace_back("documentation/licenses/runtime.txt", internal::runtime_license());
  out.entries.emplace_back("resources/model.json", model_object(model).dump(2) + "\n");
  out.entries.emplace_back("sources/" + source, source_of(unit, options));
  out.entries.emplace_back("sources/model.inc", internal::model_source(image, about.token));
  if (!two) out.entries.emplace_back("sources/buildDescription.xml", internal::build_description(about));
  for (const internal::RuntimeBinary& binary : internal::runtime_binaries()) {
    const std::string& platform = two ? binary.fmi2_platform : binary.fmi3_platform;
    if (platform.empty()) continue;
    out.entries.emplace_back(fmt::format("binaries/{}/{}{}", platform, id, binary.ending),
                             internal::with_model(binary.bytes, image, about.token, where));
    out.platforms.push_back(platform);
  }
  out.archive = internal::zip_archive(out.entries);
  return out;
}

std::string model_in_fmu(const std::string& archive, const std::string& where) {
  constexpr std::size_t largest = 16 << 20;  // a model file has some hundred lines
  const std::string text = internal::zip_entry(archive, "resources/model.json", largest);
  if (text.empty() && !internal::zip_entry(archive, "resources/system.json", largest << 4).empty())
    throw_bad_input(where, "this FMU holds a whole multibody model, not a mount",
                    "keep the model file that it was exported from");
  if (text.empty())
    throw_bad_input(where, "this is no FMU that kdyn has written: there is no resources/model.json in it",
                    "give an FMU of kdyn, or a model file");
  return text;
}

}  // namespace kdyn::inline fmu
