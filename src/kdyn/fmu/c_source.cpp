// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/c_source.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fmu/internal/c_laws.hpp"

namespace kdyn {
namespace {

struct Generator {
  const char* model;
  CSource (*generate)(const Json&, const std::string&, const std::string&);
};

// A new law joins with one line here.
constexpr Generator generators[] = {{"elastomer", internal::elastomer_c}};

}  // namespace

namespace internal {

std::string c_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string fill_template(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [key, value] : values) {
    const std::string mark = "@" + key + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) text.replace(at, mark.size(), value);
  }
  demand(text.find('@') == std::string::npos, "every key of a C template is filled");
  return text;
}

}  // namespace internal

CSource c_source(const Json& model, const std::string& where, const std::string& prefix) {
  const bool identifier = !prefix.empty() && !std::isdigit(static_cast<unsigned char>(prefix.front())) &&
                          std::all_of(prefix.begin(), prefix.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!identifier) throw_bad_input("prefix", fmt::format("{} is no C identifier", in_quotes(prefix)), "use letters, digits and underscores");
  std::vector<std::string> known;
  for (const Generator& generator : generators) known.emplace_back(generator.model);
  if (!model.is_object() || !model.contains("model"))
    throw_bad_input(where, "this is no model: the key \"model\" is missing", "give a model file or the result.json of a fit");
  if (model["model"].is_object()) return c_source(model["model"], where + ".model", prefix);
  const std::string name = model["model"].is_string() ? model["model"].get<std::string>() : "";
  for (const Generator& generator : generators)
    if (name == generator.model) return generator.generate(model, where, prefix);
  throw_bad_input(where + ".model", fmt::format("model {} has no C form", in_quotes(name)), suggest(name, known));
}

}  // namespace kdyn
