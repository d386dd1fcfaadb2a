// SPDX-License-Identifier: Apache-2.0
#include "default_folder.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

namespace kdyn::cli {
namespace fs = std::filesystem;
namespace {

std::string first_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_array() && !value.empty() ? first_text(value.front()) : "";
}

// Words without a flag first, then any other file that is read.
std::string first_input(const app::Operation& operation, const Json& options) {
  std::string found;
  for (const Field& field : operation.options().fields()) {
    if (!options.contains(field.name) || (field.role != PathRole::input && field.role != PathRole::job)) continue;
    const std::string text = first_text(options[field.name]);
    if (!text.empty() && field.positional) return text;
    if (found.empty()) found = text;
  }
  return found;
}

// "out/z/result.json" is called z: result, model and job say nothing.
std::string name_of(const std::string& input) {
  std::error_code ec;
  const fs::path path = fs::weakly_canonical(input, ec);
  std::string name = fs::is_directory(path, ec) ? path.filename().string() : path.stem().string();
  if ((name == "result" || name == "model" || name == "job") && path.has_parent_path())
    name = path.parent_path().filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
  while (name.starts_with('.')) name.erase(name.begin());
  return name;
}

}  // namespace

bool only_looks(const app::Operation& operation) { return operation.name == "inspect" || operation.name == "convert"; }

std::string default_folder(const app::Operation& operation, const Json& options) {
  if (only_looks(operation)) return "";
  std::string verb = operation.name;
  std::replace(verb.begin(), verb.end(), ' ', '_');
  const std::string input = first_input(operation, options);
  const std::string name = input.empty() ? "" : name_of(input);
  return "out/" + (name.empty() ? verb : name + "_" + verb);
}

std::string free_folder(const std::string& name) {
  std::error_code ec;
  const auto taken = [&](const std::string& folder) { return fs::exists(folder + "/result.json", ec); };
  if (!taken(name)) return name;
  int number = 2;
  while (taken(fmt::format("{}_{}", name, number))) ++number;
  return fmt::format("{}_{}", name, number);
}

}  // namespace kdyn::cli
