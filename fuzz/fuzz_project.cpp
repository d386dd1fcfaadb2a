// SPDX-License-Identifier: Apache-2.0
// A whole project folder from somebody else, as the web application finds it at its start: jobs, results, progress,
// session, catalogue. Whatever lies in it, the project opens or is refused with a message, and nothing of it runs: a job
// that this user has not queued is held.
//
// An input is a list of files, `=== NAME` and then its bytes up to the next such line.
// max_len: 3000
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "kdyn/app/catalogue.hpp"
#include "kdyn/app/job_runner.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/inside.hpp"
#include "kdyn/base/json.hpp"

namespace {

namespace fs = std::filesystem;
using namespace kdyn;

void lay_out(const fs::path& root, std::string_view input) {
  constexpr std::string_view mark = "=== ";
  for (std::size_t at = input.find(mark); at != std::string_view::npos;) {
    const std::size_t line = input.find('\n', at);
    if (line == std::string_view::npos) return;
    const std::string name(input.substr(at + mark.size(), line - at - mark.size()));
    at = input.find("\n=== ", line);
    const std::string_view content = input.substr(line + 1, at == std::string_view::npos ? at : at - line - 1);
    if (at != std::string_view::npos) ++at;
    try {
      const fs::path path = inside(root.string(), name);
      fs::create_directories(path.parent_path());
      write_text(path.string(), std::string(content));
    } catch (const Error&) {                 // no name of a file
    } catch (const fs::filesystem_error&) {  // a file where a folder should be
    }
  }
}

void open_project(const fs::path& root) {
  app::Project project(root.string());
  app::JobRunnerOptions options;
  options.program = {"/bin/false"};
  options.own_thread = false;  // a mark of nobody: no job of this folder is this user's
  app::JobRunner jobs(project, options);
  jobs.step();
  for (const Json& job : jobs.list()) {
    const std::string state = job["state"];
    // Neither started nor waiting to be.
    if (state == "running" || state == "queued") __builtin_trap();
    if (jobs.one(job["id"]) != job) __builtin_trap();
  }
  project.files("data"), project.files("jobs");
  const app::Catalogue catalogue((root / ".kdyn" / "catalogue.sqlite").string());
  for (const Json& entry : catalogue.find(""))
    if (!entry.is_object()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fs::path base = [] {
    std::string place = (fs::temp_directory_path() / "kdyn_fuzz_XXXXXX").string();
    return ::mkdtemp(place.data()) == nullptr ? fs::path() : fs::path(place);
  }();
  if (base.empty()) return 0;
  const fs::path root = base / "project";
  fs::create_directories(root);
  lay_out(root, {reinterpret_cast<const char*>(data), size});
  try {
    open_project(root);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal || error.message().empty()) __builtin_trap();
  }
  std::error_code ec;
  fs::remove_all(root, ec);
  return 0;
}
