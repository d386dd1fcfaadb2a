// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/example_files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/program.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

std::string read_me(const BundledExample& example) {
  std::string text = fmt::format("{}\n\n", example.title);
  if (!example.commands.empty()) text += "Try, in this folder:\n\n";
  for (const std::string& command : example.commands) text += "  " + command + "\n";
  text +=
      "\nEach command writes a report.html into its folder below out/. MANIFEST.json says where the data come from.\n";
  return text;
}

}  // namespace

std::string share_folder() {
  std::error_code ec;
  const fs::path program = program_file().parent_path();
  for (const fs::path& place : {program / "share" / "kdyn", program.parent_path() / "share" / "kdyn"})
    if (fs::exists(place / "examples.json", ec)) return place.string();
  throw Error(ErrorCode::file_access, "the bundled examples are not beside the program",
              (program.parent_path() / "share" / "kdyn").string(),
              "install kdyn with cmake --install, or run it from its build folder");
}

std::vector<BundledExample> bundled_examples() {
  const Json list = read_json(share_folder() + "/examples.json");
  std::vector<BundledExample> out;
  for (const Json& one : list["examples"])
    out.push_back({one["name"].get<std::string>(), one["title"].get<std::string>(), one["folder"].get<std::string>(),
                   one["commands"].get<std::vector<std::string>>()});
  return out;
}

std::vector<std::string> write_example(const std::string& name, const std::string& folder) {
  const std::vector<BundledExample> all = bundled_examples();
  const auto example = std::find_if(all.begin(), all.end(), [&](const BundledExample& e) { return e.name == name; });
  if (example == all.end()) {
    std::vector<std::string> known;
    for (const BundledExample& one : all) known.push_back(one.name);
    throw_bad_input("example", fmt::format("there is no example {}", in_quotes(name)), suggest(name, known));
  }
  std::error_code ec;
  if (fs::exists(folder, ec) && (!fs::is_directory(folder, ec) || !fs::is_empty(folder, ec)))
    throw Error(ErrorCode::file_access, "exists and is not empty: nothing was written", folder,
                "give --out a new folder");
  const fs::path source = fs::path(share_folder()) / example->source;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source, fs::directory_options::follow_directory_symlink))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), source));
  std::sort(files.begin(), files.end());
  std::vector<std::string> written;
  const auto put = [&](const fs::path& inside, const std::string& content) {
    const fs::path path = fs::path(folder) / inside;
    fs::create_directories(path.parent_path());
    write_text(path.string(), content);
    written.push_back(path.string());
  };
  for (const fs::path& file : files) put(file, read_text((source / file).string()));
  put("README.txt", read_me(*example));
  return written;
}

}  // namespace kdyn::app
