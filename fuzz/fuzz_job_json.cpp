// SPDX-License-Identifier: Apache-2.0
// Job JSON: the first line names an operation, the rest are its options. The operation runs on files that exist (a
// small deck with responses, a multibody model with a record, a mount model, a map), but is asked to stop from the
// beginning: it reads, checks and prepares whatever the options say. It refuses with a message and a remedy, or brings
// a result; an internal error is a bug.
// max_len: 3000
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"

#include "job_files.hpp"

namespace {

class Stopped final : public kdyn::Progress {
 public:
  bool stop_requested() const override { return true; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool ready = fuzz::enter_folder_of_job_files();
  if (!ready) return 0;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const std::size_t end = content.find('\n');
  if (end == std::string_view::npos) return 0;
  const kdyn::app::Operation* operation = kdyn::app::find_operation(content.substr(0, end));
  // Those that write where their options say are none of this.
  if (operation == nullptr || operation->name == "convert" || operation->name == "inspect") return 0;
  // Files of the system are read for ever (/dev/zero), or are somebody's.
  if (content.find("\"/") != std::string_view::npos || content.find("..") != std::string_view::npos) return 0;
  try {
    const kdyn::Json options = kdyn::parse_json(content.substr(end + 1), "job.json");
    if (!options.is_object() || options.contains("checkpoint")) return 0;
    Stopped progress;
    const kdyn::app::Outcome outcome = kdyn::app::run_operation(*operation, options, progress);
    if (!outcome.result.contains("status")) __builtin_trap();
  } catch (const kdyn::Error& error) {
    if (error.code() == kdyn::ErrorCode::internal || error.message().empty()) __builtin_trap();
  }
  return 0;
}
