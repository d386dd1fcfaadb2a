// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/unit_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/header_words.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::string_view peak_to_peak_words[] = {"pp",
                                                   "p_p",
                                                   "p2p",
                                                   "pkpk",
                                                   "ptp",
                                                   "pk_pk",
                                                   "peak_to_peak",
                                                   "peak_peak",
                                                   "spitze_spitze",
                                                   "double_amplitude",
                                                   "double",
                                                   "doppelamplitude",
                                                   "schwingbreite",
                                                   "ss",
                                                   "crete_a_crete",
                                                   "crete_crete",
                                                   "cc",
                                                   "c_c",
                                                   "p_to_p",
                                                   "pk_to_pk",
                                                   "s_s",
                                                   "pic_a_pic",
                                                   "pic_pic"};
constexpr std::string_view rms_words[] = {"rms", "eff", "effektiv", "efficace"};
constexpr std::string_view peak_words[] = {"0_p",  "0p",        "zero_to_peak", "0_peak",
                                           "0_pk", "peak",      "pk",           "single_amplitude",
                                           "o_p",  "zero_peak", "spitze",       "crete"};

template <std::size_t n>
bool listed_word(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

}  // namespace

double amplitude_factor(AmplitudeKind kind) {
  return kind == AmplitudeKind::peak_to_peak ? 0.5 : kind == AmplitudeKind::rms ? std::numbers::sqrt2 : 1.0;
}
const char* to_string(AmplitudeKind kind) {
  return kind == AmplitudeKind::peak_to_peak ? "peak-to-peak" : kind == AmplitudeKind::rms ? "rms" : "zero-to-peak";
}

std::optional<AmplitudeKind> take_kind(std::string& name) {
  const bool one_word = name.find('_') == std::string::npos;  // then it is the phrase, or holds none
  const auto takes = [&](std::string_view phrase) {
    return name == phrase || (!one_word && take_phrase(name, phrase));
  };
  for (const std::string_view phrase : peak_to_peak_words)
    if (takes(phrase)) return AmplitudeKind::peak_to_peak;
  for (const std::string_view phrase : rms_words)
    if (takes(phrase)) return AmplitudeKind::rms;
  for (const std::string_view phrase : peak_words)
    if (takes(phrase)) return AmplitudeKind::peak;
  return std::nullopt;
}

std::optional<double> read_factor(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> raised[] = {
      {"\xe2\x81\xbb", "-"}, {"\xc2\xb9", "1"},     {"\xc2\xb2", "2"},     {"\xc2\xb3", "3"},
      {"\xe2\x81\xb4", "4"}, {"\xe2\x81\xb5", "5"}, {"\xe2\x81\xb6", "6"}, {"\xe2\x81\xb9", "9"},
  };
  if (text.size() > 16 || !text.starts_with('1')) return std::nullopt;
  std::string number;
  if (text.starts_with("10^")) {
    number = "1e" + std::string(text.substr(3));
  } else if (text.starts_with("10") && text.size() > 2 && static_cast<unsigned char>(text[2]) >= 0x80) {
    number = "1e";
    for (std::string_view rest = text.substr(2); !rest.empty();) {
      const auto* one = std::find_if(std::begin(raised), std::end(raised),
                                     [&](const auto& sign) { return rest.starts_with(sign.first); });
      if (one == std::end(raised)) return std::nullopt;
      number += one->second;
      rest.remove_prefix(one->first.size());
    }
  } else {
    number = std::string(text);
  }
  const auto value = parse_number(number);
  constexpr double most = 12.5;
  if (!value || !(*value > 0.0) || std::abs(std::log10(*value)) > most) return std::nullopt;
  const double power = std::pow(10.0, std::round(std::log10(*value)));
  return std::abs(*value - power) <= 1e-9 * power ? std::optional(*value) : std::nullopt;
}

UnitText read_unit_text(std::string_view raw) {
  UnitText out;
  std::string text(trim(raw));
  if (text.empty() || text.size() > 40) return out;
  if ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'))
    text = std::string(trim(std::string_view(text).substr(1, text.size() - 2)));
  for (const std::string_view sign : {"\xc2\xb1", "+/-", "+-"})
    if (text.starts_with(sign)) {
      text = std::string(trim(std::string_view(text).substr(sign.size())));
      out.kind = AmplitudeKind::peak;
    }
  static constexpr std::pair<std::string_view, std::string_view> spellings[] = {
      {"grad", "deg"},
      {"\xc2\xba", "deg"},
      {"degre", "deg"},
      {"degres", "deg"},
      {"sek", "s"},
      {"secs", "s"},
      {"seconds", "s"},
      {"sekunden", "s"},
      {"secondes", "s"},
      {"msec", "ms"},
      {"hertz", "Hz"},
      {"newton", "N"},
      {"ns/mm", "N*s/mm"},
      {"ns/m", "N*s/m"},
      {"kns/m", "kN*s/m"},
      {"ns/cm", "N*s/cm"},
      {"\xc2\xb0"
       "c",
       "degC"},
      {"deg c", "degC"},
      {"degc", "degC"},
      {"celsius", "degC"},
      {"\xc2\xb0"
       "f",
       "degF"},
      {"deg f", "degF"},
      {"degf", "degF"},
      {"fahrenheit", "degF"},
      {"c", "degC"},
      {"mikrometer", "um"},
      {"micron", "um"},
      {"microns", "um"},
      {"millimeter", "mm"},
      {"inch", "in"},
      {"\"", "in"},
      {"lbs", "lbf"},
      {"lbs/in", "lbf/in"},
      {"lb/in", "lbf/in"},
      {"radians", "rad"},
      {"n-m", "N*m"},
      {"n.m", "N*m"},
      {"nm/rad", "N*m/rad"},
      {"nm/deg", "N*m/deg"},
      {"nm/\xc2\xb0", "N*m/deg"},
      {"nm/grad", "N*m/deg"},
      {"lbf-s/in", "lbf*s/in"},
      {"n-s/mm", "N*s/mm"},
      {"n-s/m", "N*s/m"},
      {"cycles/s", "Hz"},
      {"cps", "Hz"},
      {"cpm", "1/min"},
      {"cycles/min", "1/min"},
      {"none", "-"},
      {"nms/rad", "N*m*s/rad"},
      {"nms/deg", "N*m*s/deg"},
  };
  static constexpr std::pair<std::string_view, std::string_view> tens[] = {
      {"dan", "N"}, {"dan/mm", "N/mm"}, {"dan/m", "N/m"}, {"danm", "N*m"}};
  const auto known = [&](std::string one) {
    if (one.size() > 1 && one.back() == '.') one.pop_back();  // "in."
    const std::string small = lower_case(one);
    for (const auto& [from, to] : tens)
      if (small == from) {
        out.unit = to;
        out.factor = 10.0;
        return true;
      }
    static const std::unordered_map<std::string_view, std::string_view> by_spelling(std::begin(spellings),
                                                                                    std::end(spellings));
    if (const auto found = by_spelling.find(small); found != by_spelling.end()) {
      out.unit = found->second;
      return true;
    }
    if (!one.empty() && parse_unit(one)) {
      out.unit = one;
      return true;
    }
    return false;
  };
  if (known(text)) return out;
  // "10^3 N/mm", "x1000 N/mm", "1e-3": the unit is so many of it. A plain "1000 N" is a value.
  std::string_view many = text;
  const std::size_t sign = many.starts_with("\xc3\x97") ? 2 : many.starts_with('x') || many.starts_with('*') ? 1 : 0;
  many = trim(many.substr(sign));
  const std::size_t end = std::min(many.find_first_of(" *"), many.size());
  const std::string_view number = many.substr(0, end);
  const bool plain = number.find_first_not_of("0123456789.") == std::string_view::npos;
  if (const auto factor = plain && sign == 0 ? std::nullopt : read_factor(number)) {
    std::string_view rest = trim(many.substr(end));
    if (rest.starts_with('*')) rest = trim(rest.substr(1));
    if (rest.empty()) out.unit = "-";
    if (rest.empty() || known(std::string(rest))) {
      out.factor *= *factor;
      return out;
    }
  }
  // "mm pk-pk", "mm p-p", "mmpp", "mm (0-p)": a unit and what kind of amplitude it measures.
  const auto blank = text.find_first_of(" _(");
  if (blank != std::string::npos && blank > 0) {
    std::string rest = plain_words(std::string_view(text).substr(blank));
    rest.erase(std::remove_if(rest.begin(), rest.end(), [](char c) { return c == '(' || c == ')'; }), rest.end());
    const std::string first = text.substr(0, blank);
    if (const auto kind = take_kind(rest); kind &&
                                           (rest.empty() || listed_word(peak_to_peak_words, rest) ||
                                            listed_word(rms_words, rest) || listed_word(peak_words, rest)) &&
                                           known(first))
      out.kind = kind;
  }
  for (const std::string_view end : {"pp", "SS", "rms"})
    if (out.unit.empty() && text.size() > end.size() && std::string_view(text).ends_with(end) &&
        known(text.substr(0, text.size() - end.size())))
      out.kind = end == "rms" ? AmplitudeKind::rms : AmplitudeKind::peak_to_peak;
  return out;
}

}  // namespace kdyn::inline io::internal
