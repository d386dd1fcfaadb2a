// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/mdf_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr const char* type_names[] = {"identity",           "linear",        "rational",     "algebraic",
                                      "interpolated table", "table",         "range table",  "text table",
                                      "text by range",      "value by text", "text by text", "bit field texts"};

struct Expected {
  bool fits;
  const char* rule;
};

Expected expected(int type, std::size_t values, std::size_t references) {
  switch (type) {
    case 0: return {true, ""};
    case 1: return {values == 2, "2 values"};
    case 2: return {values == 6, "6 values"};
    case 3: return {references == 1, "1 reference"};
    case 4:
    case 5: return {values >= 2 && values % 2 == 0, "pairs of values"};
    case 6: return {values % 3 == 1, "triples of values and a default"};
    case 7: return {references == values + 1, "a reference for each value and a default"};
    case 8:
      return {values % 2 == 0 && references == values / 2 + 1, "a reference for each pair of values and a default"};
    case 9: return {values == references + 1, "a value for each reference and a default"};
    case 10: return {references % 2 == 1, "pairs of references and a default"};
    default: return {true, ""};
  }
}

}  // namespace

std::shared_ptr<const MdfConversion> MdfConversion::read(MdfFile& file, std::uint64_t offset, int depth) {
  constexpr int deepest = 8;
  if (depth > deepest) file.fail(offset, "conversions refer to each other more than 8 deep");
  const MdfBlock block = file.block(offset, "CC");
  constexpr std::size_t fixed = 24;
  if (block.links.size() < 4 || block.data.size() < fixed) file.fail(offset, "a conversion is too short");
  const int type = static_cast<unsigned char>(block.data[0]);
  const std::size_t references = load<std::uint16_t>(block.data.data() + 4, false),
                    values = load<std::uint16_t>(block.data.data() + 6, false);
  if (type > bitfield)
    file.fail(offset, fmt::format("conversion of type {} is not known", type), "export the channel with plain values");
  if (block.links.size() < 4 + references || block.data.size() < fixed + 8 * values)
    file.fail(offset, fmt::format("a conversion ({}) is shorter than its {} references and {} values", type_names[type],
                                  references, values));
  if (const Expected rule = expected(type, values, references); !rule.fits)
    file.fail(offset, fmt::format("a conversion ({}) has {} values and {} references; it takes {}", type_names[type],
                                  values, references, rule.rule));
  const auto out = std::make_shared<MdfConversion>();
  out->type_ = static_cast<Type>(type);
  if (type < value_text || type == text_value) out->unit_ = file.text(block.link(1));
  for (std::size_t i = 0; i < values; ++i) out->v_.push_back(load<double>(block.data.data() + fixed + 8 * i, false));
  if (type == bitfield)
    file.fail(offset, "bit field texts (conversion 11 of MDF 4.20) are not read",
              "export the channel with plain values");
  if (type == algebraic) {
    out->formula_ = parse_mdf_formula(file.text(block.links[4]), file.place(offset));
  } else if (type == interpolated || type == nearest) {
    for (std::size_t i = 2; i < values; i += 2)
      if (!(out->v_[i] > out->v_[i - 2]))
        file.fail(offset, fmt::format("the keys of a {} do not rise", type_names[type]));
  } else if (type == range_value || type == range_text) {
    const std::size_t width = type == range_value ? 3 : 2, count = values / width;
    out->ordered_ = true;
    for (std::size_t i = 0; i < count && out->ordered_; ++i)
      out->ordered_ = out->v_[width * i + 1] >= out->v_[width * i] &&
                      (i == 0 || out->v_[width * i] >= out->v_[width * (i - 1) + 1]);
    constexpr std::size_t most = 4096;
    if (!out->ordered_ && count > most)
      file.fail(offset, fmt::format("{} ranges that do not rise are more than kdyn searches", count));
  }
  if (type >= value_text) {
    bool number = type == text_value, text = type == text_text;
    for (std::size_t i = 0; i < references; ++i) {
      Reference reference;
      if (const std::uint64_t link = block.links[4 + i]; link != 0) {
        if (file.head(link).id == "CC")
          reference.conversion = read(file, link, depth + 1);
        else
          reference.text = file.text(link);
      }
      number = number || (reference.conversion && reference.conversion->gives_number());
      text = text || reference.text || (reference.conversion && reference.conversion->gives_text());
      out->references_.push_back(std::move(reference));
    }
    out->gives_number_ = number, out->gives_text_ = text || !number;
    if (number && out->unit_.empty())
      for (const Reference& reference : out->references_)
        if (reference.conversion && out->unit_.empty()) out->unit_ = reference.conversion->unit();
  }
  if (type == value_text) {
    for (std::size_t i = 0; i < values; ++i)
      if (!std::isnan(out->v_[i])) out->sorted_.emplace_back(out->v_[i], i);
    std::stable_sort(out->sorted_.begin(), out->sorted_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return out;
}

MdfResult MdfConversion::refer(const Reference& reference, double raw, bool whole) const {
  if (reference.conversion) return reference.conversion->of(raw, whole);
  if (reference.text) return {no_number, &*reference.text, false};
  return {no_number, nullptr, true};
}

std::size_t MdfConversion::range_of(double raw, bool whole) const {
  const std::size_t width = type_ == range_value ? 3 : 2, count = v_.size() / width;
  const auto inside = [&](std::size_t i) {
    const double low = v_[width * i], high = v_[width * i + 1];
    return raw >= low && (whole ? raw <= high : raw < high || (low == high && raw == low));
  };
  if (!ordered_) {
    for (std::size_t i = 0; i < count; ++i)
      if (inside(i)) return i;
    return count;
  }
  std::size_t low = 0, high = count;
  while (low < high) {  // the first range that ends at or beyond the value
    const std::size_t middle = low + (high - low) / 2;
    if (v_[width * middle + 1] < raw)
      low = middle + 1;
    else
      high = middle;
  }
  for (std::size_t i = low; i < count && v_[width * i] <= raw; ++i)
    if (inside(i)) return i;
  return count;
}

double MdfConversion::interpolate(double raw) const {
  const std::size_t count = v_.size() / 2;
  if (std::isnan(raw)) return raw;
  if (raw <= v_[0]) return v_[1];
  if (raw >= v_[2 * (count - 1)]) return v_[2 * count - 1];
  std::size_t low = 0, high = count - 1;
  while (high - low > 1) (v_[2 * ((low + high) / 2)] <= raw ? low : high) = (low + high) / 2;
  const double x0 = v_[2 * low], y0 = v_[2 * low + 1], x1 = v_[2 * high], y1 = v_[2 * high + 1];
  if (type_ == nearest) return raw - x0 <= x1 - raw ? y0 : y1;  // half way: the lower key
  return y0 + (raw - x0) / (x1 - x0) * (y1 - y0);
}

MdfResult MdfConversion::of(double x, bool whole) const {
  switch (type_) {
    case identity: return {x};
    case linear: return {v_[1] * x + v_[0]};
    case rational: {
      const double below = (v_[3] * x + v_[4]) * x + v_[5];
      return {below == 0.0 ? no_number : ((v_[0] * x + v_[1]) * x + v_[2]) / below};
    }
    case algebraic: return {formula_(x)};
    case interpolated:
    case nearest: return {interpolate(x)};
    case range_value: {
      const std::size_t i = range_of(x, whole);
      return {3 * i + 1 < v_.size() ? v_[3 * i + 2] : v_.back()};
    }
    case value_text: {
      const auto at =
          std::lower_bound(sorted_.begin(), sorted_.end(), x, [](const auto& a, double b) { return a.first < b; });
      return refer(references_[at != sorted_.end() && at->first == x ? at->second : references_.size() - 1], x, whole);
    }
    case range_text: return refer(references_[range_of(x, whole)], x, whole);
    default: return {no_number, nullptr, true};
  }
}

MdfResult MdfConversion::of(const std::string& raw) const {
  if (type_ == text_value) {
    for (std::size_t i = 0; i < references_.size(); ++i)
      if (references_[i].text == raw) return {v_[i]};
    return {v_.back()};
  }
  if (type_ != text_text) return {no_number, &raw, false};
  for (std::size_t i = 0; i + 1 < references_.size(); i += 2)
    if (references_[i].text == raw) return refer(references_[i + 1], no_number, false);
  return references_.back().text ? MdfResult{no_number, &*references_.back().text, false}
                                 : MdfResult{no_number, &raw, false};
}

void MdfConversion::apply(double* values, std::size_t count, bool whole) const {
  if (type_ == identity) return;
  if (type_ == linear) {
    const double offset = v_[0], factor = v_[1];
    for (std::size_t i = 0; i < count; ++i) values[i] = factor * values[i] + offset;
    return;
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = of(values[i], whole).number;
}

}  // namespace kdyn::inline io::internal
