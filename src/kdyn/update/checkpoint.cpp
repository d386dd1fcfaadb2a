// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/checkpoint.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::update {

namespace {

std::string path_of(const std::string& folder, const std::string& kind, int index) {
  return (std::filesystem::path(folder) / fmt::format("{}_{:04d}.json", kind, index)).string();
}

}  // namespace

std::optional<std::vector<double>> Checkpoint::find(const std::string& kind, int index) const {
  const std::string path = folder.empty() ? "" : path_of(folder, kind, index);
  if (path.empty() || !std::filesystem::is_regular_file(path)) return std::nullopt;
  try {
    const Json stored = read_json(path);
    if (stored.at("key").get<std::string>() == key) return stored.at("row").get<std::vector<double>>();
  } catch (const Error&) {            // damaged: computed anew
  } catch (const Json::exception&) {  // of another kind: computed anew
  }
  return std::nullopt;
}

void Checkpoint::store(const std::string& kind, int index, const std::vector<double>& row) const {
  if (folder.empty()) return;
  try {
    write_text(path_of(folder, kind, index), dump_json({{"key", key}, {"row", row}}));
  } catch (const Error&) {  // the next one may find room
  }
}

void Checkpoint::try_folder() const {
  if (folder.empty()) return;
  const std::string path = path_of(folder, "room", 0);
  write_text(path, "{}\n");
  std::error_code ec;
  std::filesystem::remove(path, ec);
}

}  // namespace kdyn::update
