// SPDX-License-Identifier: Apache-2.0
// Operations of the registry: described, and run without the lock of the interpreter.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/app/result_folder.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/report/html.hpp"

#include "bindings.hpp"

namespace kdyn::python {
namespace {

// Tells the caller where the work is, and stops it on Ctrl-C or when the caller's function raises. The interpreter is
// asked at most twenty times a second: its lock may be held by other threads.
class CallerProgress final : public Progress, public app::FolderSink {
 public:
  CallerProgress(py::object tell, app::ResultFolder* folder, bool with_report)
      : FolderSink(folder, with_report),
        tell_(std::move(tell)) {}

  void report(double fraction, std::string_view what) override { visit(fraction, what, true); }
  bool stop_requested() const override {
    const_cast<CallerProgress*>(this)->visit(0.0, {}, false);
    return stopped_;
  }
  // Throws what stopped the work. Called with the interpreter's lock.
  void rethrow() {
    if (!trouble_) return;
    py::error_already_set trouble = std::move(*trouble_);
    trouble_.reset();
    throw trouble;
  }

 private:
  void visit(double fraction, std::string_view what, bool tells) {
    using Clock = std::chrono::steady_clock;
    if (stopped_) return;
    const std::unique_lock lock(visit_, std::try_to_lock);
    if (!lock) return;
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    const py::gil_scoped_acquire interpreter;
    try {
      if (tells && !tell_.is_none()) tell_(fraction, std::string(what));
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    } catch (py::error_already_set& error) {
      trouble_.emplace(std::move(error));
      stopped_ = true;
    }
    last_ = Clock::now();
  }

  py::object tell_;
  std::mutex visit_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopped_ = false;
  std::optional<py::error_already_set> trouble_;
};

const app::Operation& operation_of(const std::string& name) {
  if (const app::Operation* found = app::find_operation(name)) return *found;
  std::vector<std::string> known;
  for (const app::Operation& operation : app::operations()) known.push_back(operation.name);
  throw_bad_input("operation", fmt::format("unknown operation {}", in_quotes(name)), suggest(name, known));
}

// A file that grew in the folder is a file of the result like others, unless it is too large for that.
void add_grown(app::Outcome& outcome, const std::string& out, const std::string& path) {
  constexpr std::size_t large = std::size_t{1} << 28;
  const std::string name = std::filesystem::path(path).filename().string();
  if (path != out + "/" + name || name == "result.json" || name == "report.html") return;
  for (const app::OutputFile& file : outcome.files)
    if (file.name == name) return;
  if (std::filesystem::file_size(path) <= large) outcome.files.push_back({name, read_text(path)});
}

app::Outcome run(const std::string& name, const py::dict& given, const std::string& out, bool with_report,
                 const py::object& tell) {
  const app::Operation& operation = operation_of(name);
  const Json options = to_json(given);
  for (const auto& [key, value] : options.items())
    if (operation.options().find(key) == nullptr)
      throw_bad_input(key, fmt::format("unknown field {} of {}", in_quotes(key), name),
                      suggest(key, operation.options().names()));
  std::optional<app::ResultFolder> folder;
  if (!out.empty()) folder.emplace(out);
  CallerProgress progress(tell, folder ? &*folder : nullptr, with_report);
  app::Outcome outcome;
  {
    const py::gil_scoped_release others;
    outcome = app::run_operation(operation, options, progress);
    if (folder && !progress.stop_requested())
      for (const std::string& path : folder->write(outcome, with_report)) add_grown(outcome, out, path);
  }
  progress.rethrow();
  return outcome;
}

}  // namespace

void add_operations(py::module_& module) {
  module.def(
      "describe",
      [](const std::string& name) {
        return to_python(app::describe_operations(name.empty() ? nullptr : &operation_of(name)));
      },
      py::arg("operation") = "", "Fields and JSON Schemas of every operation, or of one.");
  module.def("run", &run, py::arg("operation"), py::arg("options"), py::arg("out") = "", py::arg("report") = true,
             py::arg("progress") = py::none(), "Runs an operation of the registry, as the command line does.");
  py::class_<app::Outcome, std::shared_ptr<app::Outcome>>(module, "Outcome")
      .def_property_readonly("result", [](const app::Outcome& o) { return to_python(o.result); })
      .def("part",
           [](const app::Outcome& o, const std::string& key) {
             const auto found = o.result.find(key);
             if (found == o.result.end()) throw py::key_error(key);
             return to_python(*found);
           })
      .def_property_readonly("result_text", [](const app::Outcome& o) { return dump_json(o.result); })
      .def_readonly("complete", &app::Outcome::complete)
      .def_property_readonly("text", [](const app::Outcome& o) { return to_text(o.text); })
      .def("html",
           [](const app::Outcome& o) -> py::object {
             if (!o.document) return py::none();
             std::string html;
             {
               const py::gil_scoped_release others;
               html = report::to_html(*o.document);
             }
             return to_text(html);
           })
      .def_property_readonly("files", [](const app::Outcome& o) {
        py::dict out;
        for (const app::OutputFile& file : o.files) out[py::str(file.name)] = py::bytes(file.content);
        return out;
      });
}

}  // namespace kdyn::python
