// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::cli {
namespace {

bool has_colours(int stream) {
  const char *no_colour = std::getenv("NO_COLOR"), *kind = std::getenv("TERM");
  return ::isatty(stream) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (kind == nullptr || std::string_view(kind) != "dumb");
}

const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::bold: return "\033[1m";
    case Colour::green: return "\033[32m";
    case Colour::yellow: return "\033[33m";
    case Colour::red: return "\033[31m";
    default: return "";
  }
}

// What every result.json may hold.
struct Told {
  std::optional<std::string> status, reason;
  std::vector<Finding> findings;
};

const FieldTable& fields_of(const Told*) {
  static const FieldTable table = FieldTable::results<Told>("result", [](FieldTable& t) {
    t.add(&Told::status, "status", "-", "Status");
    t.add(&Told::reason, "reason", "-", "Reason of the status");
    t.add(&Told::findings, "findings", "-", "What was noticed");
  });
  return table;
}

// "3 min", "2.5 h": how long the rest takes when it goes on as it did; empty while nobody can tell.
std::string time_left(double seconds, double fraction) {
  if (seconds < 5.0 || !(fraction > 1e-9) || fraction >= 1.0) return {};
  const double left = seconds * (1.0 - fraction) / fraction;
  if (left < 60.0) return fmt::format("{:.0f} s", left);
  if (left < 5400.0) return fmt::format("{:.0f} min", left / 60.0);
  if (left < 172800.0) return fmt::format("{:.2g} h", left / 3600.0);
  return fmt::format("{:.3g} days", left / 86400.0);
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

}  // namespace

std::string painted(std::string_view text, Colour colour, int stream) {
  if (colour == Colour::plain || !has_colours(stream)) return std::string(text);
  return fmt::format("{}{}\033[0m", code_of(colour), text);
}

std::string with_colours(const std::string& text) {
  if (!has_colours(1)) return text;
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t word = line.find_first_not_of(' ');
    const std::string_view rest = word == std::string_view::npos ? std::string_view() : line.substr(word);
    const Colour colour = rest.starts_with("serious:")   ? Colour::red
                          : rest.starts_with("warning:") ? Colour::yellow
                                                         : Colour::plain;
    const std::size_t marked = colour == Colour::plain ? 0 : word + rest.find(':') + 1;
    out += painted(line.substr(0, marked), colour) + std::string(line.substr(marked));
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::string verdict(const app::Outcome& outcome) {
  Told told;
  try {
    from_known_fields(told, outcome.result, "result");
  } catch (const Error&) {
    told.findings.clear();  // an operation with findings of another kind: its status is told
  }
  const auto count = [&](Severity severity) {
    return static_cast<std::size_t>(std::count_if(told.findings.begin(), told.findings.end(),
                                                  [&](const Finding& f) { return f.severity == severity; }));
  };
  const std::size_t serious = count(Severity::serious), warnings = count(Severity::warning);
  std::string text = told.status.value_or(outcome.complete ? "done" : "not complete");
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!outcome.complete && told.reason && !told.reason->empty()) text += ": " + *told.reason;
  while (text.ends_with('.')) text.pop_back();
  std::vector<std::string> parts;
  if (serious > 0) parts.push_back(counted(serious, "serious finding", "serious findings"));
  if (warnings > 0) parts.push_back(counted(warnings, "warning", "warnings"));
  text += parts.empty() ? ", no warnings" : ", " + join(parts, ", ");
  const Colour colour = !outcome.complete || serious > 0 ? Colour::red : warnings > 0 ? Colour::yellow : Colour::green;
  return painted("verdict: " + text, colour) + "\n";
}

TerminalProgress::TerminalProgress(Speech speech, app::ResultFolder* folder, bool with_report, bool (*stopped)())
    : FolderSink(folder, with_report),
      speech_(speech),
      terminal_(::isatty(2) != 0),
      stopped_(stopped) {}

TerminalProgress::~TerminalProgress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

double TerminalProgress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void TerminalProgress::report(double fraction, std::string_view what) {
  if (speech_ == Speech::quiet) return;
  const double now = seconds();
  const int tenth = static_cast<int>(10.0 * fraction);
  const std::string left = time_left(now, fraction);
  // Settings that take hours are often a slip; said once, when it can be told.
  if (constexpr double long_s = 1800.0;
      !warned_ && !left.empty() && now > 20.0 && now * (1.0 - fraction) / fraction > long_s) {
    warned_ = true;
    std::fputs(
        fmt::format("{}this takes about {} more, if it goes on like this; Ctrl-C ends it and keeps what is there\n",
                    drawn_ ? "\r\033[K" : "", left)
            .c_str(),
        stderr);
  }
  if (speech_ == Speech::verbose) {
    if (tenth != last_tenth_ || what != last_what_)
      std::fputs(fmt::format("{:8.2f} s {:3.0f} % {}\n", now, 100.0 * fraction, what).c_str(), stderr);
  } else if (terminal_) {
    const auto filled = static_cast<std::size_t>(30.0 * std::clamp(fraction, 0.0, 1.0));
    // 80 columns: a longer line would wrap and not be drawn over.
    std::string line = fmt::format("[{:<30}] {:3.0f} % {}{}", std::string(filled, '#'), 100.0 * fraction,
                                   left.empty() ? "" : left + " left, ", what);
    line.resize(std::min<std::size_t>(line.size(), 78));
    std::fputs(("\r\033[K" + line).c_str(), stderr);
    std::fflush(stderr);
    drawn_ = true;
  } else if (tenth != last_tenth_ && fraction < 1.0 && now - last_seconds_ > 2.0) {
    std::fputs(
        fmt::format("{:.0f} % {}{}\n", 100.0 * fraction, what, left.empty() ? "" : ", " + left + " left").c_str(),
        stderr);
    last_seconds_ = now;
  } else {
    return;
  }
  last_tenth_ = tenth;
  last_what_ = what;
}

}  // namespace kdyn::cli
