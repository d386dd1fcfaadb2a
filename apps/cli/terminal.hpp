// SPDX-License-Identifier: Apache-2.0
// What a person at a terminal sees: colours, progress, and the verdict in the last line.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "kdyn/app/operation.hpp"
#include "kdyn/app/result_folder.hpp"
#include "kdyn/base/progress.hpp"

namespace kdyn::cli {

enum class Colour { plain, bold, green, yellow, red };

// As it is unless `stream` (1 or 2) is a terminal, NO_COLOR (no-color.org) is not set and TERM is not dumb.
std::string painted(std::string_view text, Colour colour, int stream = 1);

// Findings in the text of an outcome in the colour of their severity.
std::string with_colours(const std::string& text);

// "verdict: converged, 1 warning": status, reason where the job is not complete, and how many findings there are.
std::string verdict(const app::Outcome& outcome);

enum class Speech { quiet, normal, verbose };

// On stderr. One line that is drawn anew on a terminal. Otherwise the first step, then a line when a tenth and two
// seconds have gone by; verbose: every step with its time. After 5 s it says how long the rest takes, and warns once when
// that is more than half an hour. A log on a full disk is no reason to stop.
class TerminalProgress final : public Progress, public app::FolderSink {
 public:
  TerminalProgress(Speech speech, app::ResultFolder* folder, bool with_report, bool (*stopped)());
  ~TerminalProgress() override;
  void report(double fraction, std::string_view what) override;
  bool stop_requested() const override { return stopped_(); }

 private:
  double seconds() const;

  Speech speech_;
  bool terminal_, drawn_ = false, warned_ = false;
  int last_tenth_ = -1;
  double last_seconds_ = -1e9;
  std::string last_what_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool (*stopped_)();
};

}  // namespace kdyn::cli
