// SPDX-License-Identifier: Apache-2.0
#include "self_test.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/app/example_files.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/app/result_folder.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/version.hpp"
#include "terminal.hpp"

namespace kdyn::cli {
namespace {
namespace fs = std::filesystem;

// A pointer instead of keys: what is asked for stands in one text, "/parameters/ms/value".
double number_at(const Json& json, const std::string& place) {
  return json.at(Json::json_pointer(place)).get<double>();
}

app::Outcome run(const char* operation, const Json& options) {
  return app::run_operation(*app::find_operation(operation), options, silent_progress());
}

std::string bundled(const std::string& file) { return app::share_folder() + "/" + file; }

// Returns what was found; throws where it is not what it should be.
std::string compared(const char* what, double found, double truth, double tolerance) {
  const double off = std::abs(found / truth - 1.0);
  const std::string text = fmt::format("{} {:.5g}, should be {:.5g}", what, found, truth);
  if (!(off <= tolerance)) throw Error(ErrorCode::internal, text, "self-test", "install kdyn again");
  return text;
}

// The tolerances are several times what the noise in the data costs.
std::string rubber() {
  const app::Outcome fit =
      run("fit elastomer", {{"data", {bundled("data/cab_mount/z_map.csv"), bundled("data/cab_mount/z_static.csv")}}});
  const Json truth = read_json(bundled("data/cab_mount/z_truth.json"));
  return compared("static stiffness of the cab mount in N/m",
                  number_at(fit.result, "/parameters/static_stiffness/value"),
                  number_at(truth, "/parameters/static_stiffness"), 0.01);
}

std::string car() {
  const app::Outcome found =
      run("vehicle", {{"data", {bundled("data/bump_test/decays.csv")}}, {"added_mass", {130, 250, 40, 4, 4, 5, 5}}});
  const Json manifest = read_json(bundled("data/bump_test/MANIFEST.json"));
  return compared("sprung mass of the car in kg", number_at(found.result, "/parameters/ms/value"),
                  number_at(manifest, "/truth/ms"), 0.01);
}

std::string frame() {
  const app::Outcome found = run("fe", {{"files", {bundled("data/subframe/frame.bdf")}}, {"count", 8}});
  const Json manifest = read_json(bundled("data/subframe/MANIFEST.json"));
  return compared("first bending of the subframe in Hz", number_at(found.result, "/frequencies_hz/6"),
                  number_at(manifest, "/truth/free/0/frequency_hz"), 1e-3);
}

std::string fmu() {
  const app::Outcome made = run("export", {{"models", {bundled("data/cab_mount/z_truth.json")}}, {"to", "fmu2"}});
  if (made.files.empty() || made.files.front().content.substr(0, 2) != "PK")
    throw Error(ErrorCode::internal, "the FMU is no archive", "self-test", "install kdyn again");
  return fmt::format("{}, {} bytes", made.files.front().name, made.files.front().content.size());
}

std::string results() {
  const fs::path folder = fs::temp_directory_path() / fmt::format("kdyn_self_test_{}", ::getpid());
  {
    app::ResultFolder out(folder.string());
    out.write(run("inspect", {{"files", {bundled("data/cab_mount/z_map.csv")}}}), true);
  }
  const bool written = fs::exists(folder / "result.json") && fs::exists(folder / "report.html");
  fs::remove_all(folder);
  if (!written)
    throw Error(ErrorCode::internal, "result.json or report.html is missing", folder.string(), "is the disk full?");
  return "result.json and report.html in " + folder.parent_path().string();
}

std::string book() {
  if (!fs::exists(bundled("book/index.html"))) return "not installed; kdyn serve has no Help then";
  return bundled("book");
}

}  // namespace

int self_test() {
  struct Check {
    const char* title;
    std::function<std::string()> run;
  };
  const std::vector<Check> checks = {{"bundled data", [] { return app::share_folder(); }},
                                     {"book", &book},
                                     {"rubber law", &rubber},
                                     {"vehicle", &car},
                                     {"finite elements", &frame},
                                     {"export", &fmu},
                                     {"files", &results}};
  fmt::print("kdyn {} ({}), {}\n", version(), revision(), compiler());
  int wrong = 0;
  for (const Check& check : checks) {
    std::string text;
    bool good = true;
    try {
      text = check.run();
    } catch (const std::exception& error) {
      text = error.what();
      good = false;
      ++wrong;
    }
    fmt::print("{} {:<16} {}\n", painted(good ? "ok   " : "wrong", good ? Colour::green : Colour::red), check.title,
               text);
  }
  fmt::print("{}\n", wrong == 0 ? painted("verdict: this installation computes what it should", Colour::green)
                                : painted(fmt::format("verdict: {} of {} checks are wrong", wrong, checks.size()),
                                          Colour::red));
  return wrong == 0 ? 0 : static_cast<int>(ErrorCode::internal);
}

}  // namespace kdyn::cli
