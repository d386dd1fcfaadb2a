// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/nastran_deck.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

constexpr std::int64_t most_labels = 10'000'000;

}  // namespace

std::string_view NastranCard::field(std::size_t number) const {
  if (number == 1) return name;
  if (number < 2 || number - 2 >= ends_.size()) return {};
  const std::size_t index = number - 2, begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

void NastranCard::append(std::string_view value) {
  text_ += value;
  ends_.push_back(static_cast<std::uint32_t>(text_.size()));
}

std::optional<double> nastran_number(std::string_view text) {
  text = trim(text);
  if (const auto plain = internal::field_number(text)) return plain;
  // 2.9+7 and 1.1-03: a sign behind a digit or point starts the exponent.
  if (text.size() > 40) return std::nullopt;
  const std::size_t sign = text.find_last_of("+-");
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  const char before = text[sign - 1];
  if (!internal::is_digit(before) && before != '.') return std::nullopt;
  return internal::field_number(std::string(text.substr(0, sign)) + "E" + std::string(text.substr(sign)));
}

std::string NastranDeck::where(const NastranCard& card) const {
  return fmt::format("{}:{}: {}", files[card.file], card.line, card.name);
}

std::int64_t NastranDeck::integer(const NastranCard& card, std::size_t field) const {
  const auto value = internal::field_integer(card.field(field));
  if (!value)
    throw_bad_input(fmt::format("{}, field {}", where(card), field),
                    fmt::format("{} is no whole number", in_quotes(card.field(field))), "repair the card");
  return *value;
}
std::int64_t NastranDeck::integer(const NastranCard& card, std::size_t field, std::int64_t otherwise) const {
  return card.blank(field) ? otherwise : integer(card, field);
}
double NastranDeck::real(const NastranCard& card, std::size_t field) const {
  const auto value = nastran_number(card.field(field));
  if (!value || !std::isfinite(*value))
    throw_bad_input(fmt::format("{}, field {}", where(card), field),
                    fmt::format("{} is no number", in_quotes(card.field(field))), "repair the card");
  return *value;
}
double NastranDeck::real(const NastranCard& card, std::size_t field, double otherwise) const {
  return card.blank(field) ? otherwise : real(card, field);
}

std::vector<std::int64_t> NastranDeck::labels(const NastranCard& card, std::size_t first) const {
  std::vector<std::int64_t> out;
  for (std::size_t number = first; number <= card.last_field(); ++number) {
    if (card.blank(number)) continue;
    if (lower_case(card.field(number)) != "thru") {
      out.push_back(integer(card, number));
      continue;
    }
    std::size_t next = number + 1;
    while (next <= card.last_field() && card.blank(next)) ++next;
    const std::int64_t last = integer(card, next);
    std::int64_t step = 1;
    number = next;
    if (lower_case(card.field(next + 1)) == "by") step = integer(card, next + 2), number = next + 2;
    if (out.empty() || last < out.back() || step < 1 || last > (std::int64_t{1} << 52) ||
        (last - out.back()) / step > most_labels)
      throw_bad_input(where(card), "the range with THRU is not rising or too long",
                      "write FIRST,THRU,LAST with FIRST before LAST");
    const std::int64_t from = out.back();
    for (std::int64_t label = from + step; label <= last; label += step) out.push_back(label);
  }
  return out;
}

std::vector<const NastranCard*> NastranDeck::named(std::string_view name) const {
  std::vector<const NastranCard*> out;
  for (const NastranCard& card : cards)
    if (card.name == name) out.push_back(&card);
  return out;
}

std::optional<std::string> NastranDeck::parameter(std::string_view name) const {
  const std::string wanted = lower_case(name);
  for (const NastranCard& card : cards)
    if (card.name == "PARAM" && lower_case(card.field(2)) == wanted) return std::string(card.field(3));
  return std::nullopt;
}

}  // namespace kdyn::inline io
