// SPDX-License-Identifier: Apache-2.0
// A validation case: computed numbers beside their reference, with the source of the reference and the digits reached.
// A case program prints one table and ends with exit code 1 when a number misses what it promises. With the environment
// variable KDYN_FIGURES=FOLDER it also leaves FOLDER/<program>.json (or the file it names, for a second run of one
// program); docs/figures/ keeps those of full runs, and tools/docs_figures.py holds the numbers on the pages to them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <errno.h>  // program_invocation_short_name

#include <fmt/format.h>

#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/version.hpp"

namespace kdyn::validation {

class Case {
 public:
  Case(std::string title, std::string source) : title_(std::move(title)), source_(std::move(source)) {}

  // Digits of agreement, -lg |computed/reference - 1|, against those the case promises.
  void number(const std::string& quantity, double computed, double reference, double digits_promised) {
    const double error = std::abs(computed - reference) / std::max(std::abs(reference), 1e-300);
    const double digits = error > 0.0 ? std::min(16.0, -std::log10(error)) : 16.0;
    figures_[quantity] = computed;
    add(quantity, fmt::format("{:.6g}", computed), fmt::format("{:.6g}", reference),
        fmt::format("{:.1f} digits (>= {:g})", digits, digits_promised), digits >= digits_promised);
  }
  void range(const std::string& quantity, double computed, double lower, double upper) {
    figures_[quantity] = computed;
    add(quantity, fmt::format("{:.4g}", computed), fmt::format("{:.4g} ... {:.4g}", lower, upper), "",
        computed >= lower && computed <= upper);
  }
  void words(const std::string& quantity, const std::string& computed, const std::string& reference) {
    add(quantity, computed, reference, "", computed == reference);
  }

  // Prints the table; the exit code of the program.
  int finish() const {
    fmt::print("{}\n  reference: {}\n\n  {:<44}{:>16}{:>20}  {}\n", title_, source_, "quantity", "computed",
               "reference", "reached");
    for (const Line& line : lines_)
      fmt::print("  {:<44}{:>16}{:>20}  {}{}\n", line.quantity, line.computed, line.reference, line.reached,
                 line.good ? "" : "  MISSED");
    const auto missed = std::count_if(lines_.begin(), lines_.end(), [](const Line& line) { return !line.good; });
    fmt::print("\n  {} of {} met\n", lines_.size() - static_cast<std::size_t>(missed), lines_.size());
    if (const char* given = std::getenv("KDYN_FIGURES"))
      write_text(std::string_view(given).ends_with(".json")
                     ? given
                     : fmt::format("{}/{}.json", given, program_invocation_short_name),
                 dump_json(Json{{"title", title_},
                                {"source", source_},
                                {"command", command()},
                                {"kdyn", revision()},
                                {"figures", figures_}}));
    return missed == 0 ? 0 : 1;
  }

 private:
  struct Line {
    std::string quantity, computed, reference, reached;
    bool good;
  };
  // The program and its arguments, so that whoever reads the figures can take them again.
  static std::string command() {
    std::ifstream words("/proc/self/cmdline", std::ios::binary);
    std::string word, out;
    std::getline(words, word, '\0');
    out = program_invocation_short_name;
    while (std::getline(words, word, '\0')) out += " " + word;
    return out;
  }
  void add(const std::string& quantity, const std::string& computed, const std::string& reference,
           const std::string& reached, bool good) {
    lines_.push_back({quantity, computed, reference, reached, good});
  }

  std::string title_, source_;
  std::vector<Line> lines_;
  Json figures_ = Json::object();
};

}  // namespace kdyn::validation
