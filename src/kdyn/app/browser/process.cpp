// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/browser/process.hpp"

#include <map>

#include <emscripten.h>

#include "kdyn/app/internal/process.hpp"

// Functions of web/one_file/engine.ts.
// clang-format off
EM_JS(void, page_start_job, (int number, const char* folder), { Module.startJob(number, UTF8ToString(folder)); });
EM_JS(void, page_end_job, (int number), { Module.endJob(number); });
// clang-format on

namespace kdyn::app::browser {
namespace {

// Those that were started here, with how they ended.
struct Ending {
  bool over = false;
  std::string words;
};
std::map<int, Ending>& all() {
  static std::map<int, Ending> processes;
  return processes;
}

}  // namespace

void process_ended(int number, const std::string& ending) {
  if (const auto found = all().find(number); found != all().end()) found->second = {true, ending};
}

}  // namespace kdyn::app::browser

namespace kdyn::app::internal {

ProcessId start_process(const std::vector<std::string>& words, const std::string&, const std::string&, std::string&,
                        bool&) {
  static int last = 1;
  const int number = ++last;
  browser::all()[number] = {};
  page_start_job(number, words.back().c_str());
  return {number, 1};
}

bool has_ended(const ProcessId& process, bool is_child, std::string& ending) {
  const auto found = browser::all().find(process.pid);
  if (!is_child || found == browser::all().end()) return true;  // of a page that was closed
  ending = found->second.words;
  return found->second.over;
}

// A worker that computes hears nothing: asked to end, it ends at once.
void ask_to_end(const ProcessId& process) { kill_process(process); }

void kill_process(const ProcessId& process) {
  page_end_job(process.pid);
  browser::process_ended(process.pid, "stopped");
}

void end_process(const ProcessId& process, double) { kill_process(process); }

}  // namespace kdyn::app::internal
