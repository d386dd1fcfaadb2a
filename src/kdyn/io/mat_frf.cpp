// SPDX-License-Identifier: Apache-2.0
// Frequency responses as MATLAB variables: frequency_hz, H, and texts that name the channels, one line each.
#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/mat.hpp"

namespace kdyn::inline io {
namespace {

std::vector<std::string> lines_of(const MatArray* array) {
  std::vector<std::string> lines;
  if (array == nullptr) return lines;
  std::string_view text = array->text;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

MatArray numbers(const char* name, std::size_t rows, std::size_t columns, std::vector<double> values) {
  MatArray array;
  array.name = name, array.matlab_class = "double";
  array.shape = {rows, columns};
  array.real = std::move(values);
  return array;
}

MatArray text(const char* name, const std::vector<std::string>& lines) {
  MatArray array;
  array.name = name, array.matlab_class = "char";
  array.text = join(lines, "\n");
  array.shape = {1, array.text.size()};
  return array;
}

}  // namespace

bool holds_frequency_response(const MatFile& file) {
  const MatArray *frequency = file.find("frequency_hz"), *values = file.find("H");
  return frequency != nullptr && values != nullptr && !frequency->is_complex && frequency->count() > 0 &&
         values->shape.size() == 2 && values->matlab_class != "sparse" && values->matlab_class != "char" &&
         values->shape[0] == frequency->count() && values->count() == values->shape[0] * values->shape[1];
}

FrequencyResponse frequency_response_of(const MatFile& file) {
  if (!holds_frequency_response(file))
    throw_bad_input(file.name, "there are no arrays frequency_hz (n x 1) and H (n x channels) in it",
                    "save them under these names");
  FrequencyResponse out;
  out.source.path = file.name;
  out.findings = file.findings;
  const MatArray &frequency = *file.find("frequency_hz"), &values = *file.find("H");
  out.frequency_hz = frequency.real;
  const std::size_t n = values.shape[0], channels = values.shape[1];
  const auto outputs = lines_of(file.find("outputs")), inputs = lines_of(file.find("inputs")),
             output_units = lines_of(file.find("output_units")), input_units = lines_of(file.find("input_units"));
  const auto table = [&](const char* name, std::size_t width) -> const MatArray* {
    const MatArray* array = file.find(name);
    return array != nullptr && !array->is_complex && array->real.size() == n * channels * width ? array : nullptr;
  };
  const MatArray *coherence = table("coherence", 1), *covariance = table("covariance", 3);
  for (std::size_t c = 0; c < channels; ++c) {
    FrequencyResponseChannel channel;
    const auto line = [&](const std::vector<std::string>& lines) {
      return c < lines.size() ? lines[c] : std::string();
    };
    channel.output = parse_dof(outputs.empty() ? fmt::format("{}", c + 1) : line(outputs)),
    channel.input = parse_dof(line(inputs));
    channel.output_unit = line(output_units), channel.input_unit = line(input_units);
    for (std::size_t i = 0; i < n; ++i)
      channel.values.push_back(values.is_complex ? values.complex[c * n + i]
                                                 : std::complex<double>(values.real[c * n + i]));
    if (coherence != nullptr)
      channel.coherence.assign(coherence->real.begin() + static_cast<std::ptrdiff_t>(c * n),
                               coherence->real.begin() + static_cast<std::ptrdiff_t>((c + 1) * n));
    if (covariance != nullptr)
      for (std::size_t i = 0; i < n; ++i) {
        const double* p = covariance->real.data() + 3 * c * n + i;
        channel.covariance.push_back({p[0], p[n], p[2 * n]});
      }
    out.channels.push_back(std::move(channel));
  }
  return out;
}

MatFile to_mat(const FrequencyResponse& response) {
  MatFile out;
  const std::size_t n = response.frequency_hz.size(), channels = response.channels.size();
  out.arrays.push_back(numbers("frequency_hz", n, 1, response.frequency_hz));
  MatArray values = numbers("H", n, channels, {});
  values.is_complex = true;
  std::vector<std::string> outputs, inputs, output_units, input_units;
  std::vector<double> coherence, covariance;
  for (const FrequencyResponseChannel& channel : response.channels) {
    values.complex.insert(values.complex.end(), channel.values.begin(), channel.values.end());
    outputs.push_back(label(channel.output)), inputs.push_back(label(channel.input));
    output_units.push_back(channel.output_unit), input_units.push_back(channel.input_unit);
    coherence.insert(coherence.end(), channel.coherence.begin(), channel.coherence.end());
    for (const auto part : {&SampleCovariance::re_re, &SampleCovariance::re_im, &SampleCovariance::im_im})
      for (const SampleCovariance& sample : channel.covariance) covariance.push_back(sample.*part);
  }
  out.arrays.push_back(std::move(values));
  out.arrays.push_back(text("outputs", outputs));
  out.arrays.push_back(text("inputs", inputs));
  out.arrays.push_back(text("output_units", output_units));
  out.arrays.push_back(text("input_units", input_units));
  if (coherence.size() == n * channels && n > 0)
    out.arrays.push_back(numbers("coherence", n, channels, std::move(coherence)));
  if (covariance.size() == 3 * n * channels && n > 0)
    out.arrays.push_back(numbers("covariance", n, 3 * channels, std::move(covariance)));
  return out;
}

}  // namespace kdyn::inline io
