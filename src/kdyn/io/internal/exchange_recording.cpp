// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/exchange_recording.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline io {
namespace internal {

void take_recording(std::shared_ptr<const ByteSource> bytes, Exchange& out) {
  Recording recording = open_recording(std::move(bytes), out.path);
  out.format = recording.format;
  out.words = words_of(recording);
  out.findings.insert(out.findings.end(), recording.findings.begin(), recording.findings.end());
  const std::vector<Finding> more = examine(recording);
  out.findings.insert(out.findings.end(), more.begin(), more.end());
  out.recording = std::move(recording);
}

Exchange read_recording(const std::string& path) {
  const auto bytes = ByteSource::open(path);
  Exchange out;
  out.path = path;
  out.sha256 = sha256(*bytes);
  try {
    take_recording(bytes, out);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    out.recording.reset();
    out.words.clear();
    out.findings.push_back({Severity::serious, "unreadable", error.where(), error.message(), error.remedy()});
  }
  return out;
}

}  // namespace internal

void take_signals(Exchange& exchange, const std::vector<std::string>& names) {
  if (exchange.recording) {
    const std::size_t known = exchange.recording->findings.size();
    SignalSet set = signals_of(*exchange.recording, names);
    std::erase_if(exchange.findings, [](const Finding& f) {
      return f.code == "no_signal" || f.code == "unit_unknown" || f.code == "unit_g" || f.code == "not_examined";
    });
    // What the recording told stands in the findings already.
    exchange.findings.insert(exchange.findings.end(), set.findings.begin() + static_cast<std::ptrdiff_t>(known),
                             set.findings.end());
    set.source.path = exchange.path;
    set.source.sha256 = exchange.sha256;
    exchange.signals = std::move(set);
    return;
  }
  if (names.empty() || !exchange.signals) return;
  std::vector<Signal>& all = exchange.signals->signals;
  std::vector<std::string> known;
  for (const Signal& signal : all) known.push_back(signal.name);
  for (const std::string& name : names)
    if (std::none_of(known.begin(), known.end(), [&](const std::string& k) { return name_fits(name, k); }))
      throw_bad_input(exchange.path, fmt::format("there is no signal {}", in_quotes(name)), suggest(name, known));
  std::erase_if(all, [&](const Signal& signal) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return name_fits(name, signal.name); });
  });
}

}  // namespace kdyn::inline io
