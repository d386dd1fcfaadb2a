// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/modes/correlate.hpp"
#include "kdyn/sysid/equalise.hpp"

namespace kdyn::inline modes {
namespace {

using Complex = std::complex<double>;

// The values of a channel at a frequency, straight between its lines.
Complex at(const FrequencyResponse& set, std::size_t channel, double f) {
  const auto& lines = set.frequency_hz;
  const auto above = std::lower_bound(lines.begin(), lines.end(), f);
  const auto i = static_cast<std::size_t>(above - lines.begin());
  const auto& values = set.channels[channel].values;
  if (i < lines.size() && lines[i] == f) return values[i];
  const double share = (f - lines[i - 1]) / (lines[i] - lines[i - 1]);
  return (1.0 - share) * values[i - 1] + share * values[i];
}

double largest_step(const std::vector<double>& lines, double low, double high) {
  double step = 0.0;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (lines[i] > low && lines[i - 1] < high) step = std::max(step, lines[i] - lines[i - 1]);
  return step;
}

// What turns a response of the model into the kind of the test's: (i w)^(p_test - p_model). 0 powers when a unit is
// unknown, which is told.
int powers_between(const FrequencyResponseChannel& test, const FrequencyResponseChannel& model, bool& known) {
  bool test_known = false, model_known = false;
  const ResponseKind a = response_kind(test.output_unit, test_known), b = response_kind(model.output_unit, model_known);
  known = test_known && model_known;
  return known ? static_cast<int>(a) - static_cast<int>(b) : 0;
}

double agreement(const std::vector<Complex>& a, const std::vector<Complex>& b, double& size) {
  Complex both = 0.0;
  double aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += std::conj(a[i]) * b[i];
    aa += std::norm(a[i]);
    bb += std::norm(b[i]);
  }
  size = aa > 0.0 ? std::sqrt(bb / aa) : 0.0;
  return aa > 0.0 && bb > 0.0 ? std::norm(both) / (aa * bb) : 0.0;
}

void check_lines(const FrequencyResponse& set, const char* whose) {
  if (set.channels.empty()) throw_bad_input(whose, "it has no responses", "give responses, or modes on both sides");
  if (!std::is_sorted(set.frequency_hz.begin(), set.frequency_hz.end(), std::less_equal<>()))
    throw_bad_input(whose, "its frequencies do not increase", "sort the lines by frequency");
}

}  // namespace

ResponseCorrelation correlate_responses(const FrequencyResponse& test, const FrequencyResponse& model,
                                        const CorrelateOptions& options) {
  check_lines(test, "test");
  check_lines(model, "model");
  if (!options.band_hz.empty() && (options.band_hz.size() != 2 || !(options.band_hz[0] < options.band_hz[1])))
    throw_bad_input("band_hz", "a band has a lower and an upper end", "write for example 20,250");
  ResponseCorrelation out;
  double low = std::max(test.frequency_hz.front(), model.frequency_hz.front());
  double high = std::min(test.frequency_hz.back(), model.frequency_hz.back());
  if (!options.band_hz.empty()) {
    low = std::max(low, options.band_hz[0]);
    high = std::min(high, options.band_hz[1]);
  }
  for (const double f : test.frequency_hz)
    if (f >= low && f <= high && f > 0.0) out.frequency_hz.push_back(f);
  if (out.frequency_hz.size() < 3)
    throw_bad_input("band_hz", fmt::format("the two sets have {} lines in common", out.frequency_hz.size()),
                    "give responses, or a band, that overlap");
  const double test_step = largest_step(test.frequency_hz, low, high),
               model_step = largest_step(model.frequency_hz, low, high);
  const bool same_lines = std::all_of(out.frequency_hz.begin(), out.frequency_hz.end(), [&](double f) {
    return std::binary_search(model.frequency_hz.begin(), model.frequency_hz.end(), f);
  });
  if (!same_lines)
    out.findings.push_back(
        {model_step > 1.5 * test_step ? Severity::warning : Severity::note, "lines_differ", "model",
         fmt::format("the lines of the model ({:.3g} Hz apart) are not those of the test ({:.3g} Hz): "
                     "its values are taken from straight lines between them",
                     model_step, test_step),
         "compute the model at the lines of the test when peaks are sharp"});

  std::multimap<std::pair<std::string, std::string>, std::size_t> known;
  for (std::size_t m = 0; m < model.channels.size(); ++m)
    known.emplace(std::pair{label(model.channels[m].output), label(model.channels[m].input)}, m);
  std::vector<std::string> alone, several, unknown_kind, converted;
  std::map<std::string, std::vector<std::size_t>> by_input;  // indices into out.channels
  std::map<std::string, Dof> input_dof;
  for (std::size_t t = 0; t < test.channels.size(); ++t) {
    const FrequencyResponseChannel& channel = test.channels[t];
    const std::string name = fmt::format("{}/{}", label(channel.output), label(channel.input));
    const auto [first, last] = known.equal_range({label(channel.output), label(channel.input)});
    if (first == last) {
      alone.push_back(name);
      continue;
    }
    if (std::next(first) != last) several.push_back(name);
    bool kind_known = false;
    const int powers = powers_between(channel, model.channels[first->second], kind_known);
    if (!kind_known) unknown_kind.push_back(name);
    if (powers != 0) converted.push_back(name);
    std::vector<Complex> a, b;
    for (const double f : out.frequency_hz) {
      a.push_back(at(test, t, f));
      b.push_back(at(model, first->second, f) * std::pow(Complex(0.0, 2.0 * std::numbers::pi * f), powers));
    }
    ResponseAgreement found{t, first->second};
    found.frac = agreement(a, b, found.size);
    by_input[label(channel.input)].push_back(out.channels.size());
    input_dof[label(channel.input)] = channel.input;
    out.channels.push_back(found);
    out.test_values.push_back(std::move(a));
    out.model_values.push_back(std::move(b));
  }
  const auto some = [](const std::vector<std::string>& names) {
    return fmt::format(
        "{}{}",
        fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 4)),
                  ", "),
        names.size() > 4 ? ", ..." : "");
  };
  if (out.channels.empty())
    throw_bad_input("model", "none of its channels has the labels of a channel of the test",
                    "name outputs and inputs alike (such as 12+Z/1+Z)");
  if (!alone.empty())
    out.findings.push_back({Severity::warning, "channels_without_partner", "model",
                            fmt::format("{} of {} channels of the test are not in the model: {}", alone.size(),
                                        test.channels.size(), some(alone)),
                            "name outputs and inputs alike"});
  if (!several.empty())
    out.findings.push_back({Severity::warning, "channel_twice", "model",
                            fmt::format("{} channels stand more than once in the model; the first was taken: {}",
                                        several.size(), some(several)),
                            "leave one of each in the file"});
  if (!unknown_kind.empty())
    out.findings.push_back({Severity::warning, "unknown_units", "model",
                            fmt::format("units of {} channels do not tell whether they are accelerance, mobility or "
                                        "receptance; they are compared as they stand: {}",
                                        unknown_kind.size(), some(unknown_kind)),
                            "give files with units"});
  if (!converted.empty())
    out.findings.push_back(
        {Severity::note, "converted", "model",
         fmt::format("{} channels of the model were converted to the kind of response of the test", converted.size()),
         "nothing"});
  for (const auto& [name, channels] : by_input) {
    if (channels.size() < 2) continue;
    std::vector<double> over;
    for (std::size_t i = 0; i < out.frequency_hz.size(); ++i) {
      std::vector<Complex> a, b;
      for (const std::size_t c : channels) {
        a.push_back(out.test_values[c][i]);
        b.push_back(out.model_values[c][i]);
      }
      double size = 0.0;
      over.push_back(agreement(a, b, size));
    }
    out.inputs.push_back(input_dof[name]);
    out.rvac.push_back(std::move(over));
  }
  return out;
}

}  // namespace kdyn::inline modes
