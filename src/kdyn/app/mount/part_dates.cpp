// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/part_dates.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace kdyn::app {
namespace {

struct Number {
  int value = 0;
  std::size_t digits = 0;
  char before = ' ';  // what stands in front of it
};

std::vector<Number> numbers_in(const std::string& text) {
  std::vector<Number> out;
  char last = ' ';
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      last = text[i++];
      continue;
    }
    Number one{0, 0, last};
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && one.digits < 9; ++i, ++one.digits)
      one.value = 10 * one.value + (text[i] - '0');
    out.push_back(one);
    last = ' ';
  }
  return out;
}

}  // namespace

std::optional<double> days_of_date(const std::string& text) {
  if (std::any_of(text.begin(), text.end(), [](char c) {
        return !((c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/' || c == ':' || c == ' ' || c == 'T' ||
                 c == 'Z' || c == ',' || c == '+');
      }))
    return std::nullopt;
  std::vector<Number> n = numbers_in(text);
  if (!n.empty() && n[0].digits == 8) {  // 20260301
    const int all = n[0].value;
    n.erase(n.begin());
    n.insert(n.begin(), {{all / 10000, 4, ' '}, {all / 100 % 100, 2, '-'}, {all % 100, 2, '-'}});
  }
  if (n.size() < 3 || n[1].before != n[2].before) return std::nullopt;
  int year = 0, month = 0, day = 0;
  if (n[0].digits == 4 && (n[1].before == '-' || n[1].before == '/' || n[1].before == '.')) {
    year = n[0].value, month = n[1].value, day = n[2].value;
  } else if (n[2].digits == 4 && (n[1].before == '.' || n[1].before == '-')) {
    day = n[0].value, month = n[1].value, year = n[2].value;
  } else if (n[2].digits == 4 && n[1].before == '/') {
    const int a = n[0].value, b = n[1].value;
    if (a <= 12 && b <= 12 && a != b) return std::nullopt;  // March or January?
    year = n[2].value, month = a > 12 ? b : a, day = a > 12 ? a : b;
  } else {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || year < 1900) return std::nullopt;
  double days = static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
  if (n.size() >= 5 && n[4].before == ':' && n[3].value < 24 && n[4].value < 60) {
    days += n[3].value / 24.0 + n[4].value / 1440.0;
    if (n.size() >= 6 && n[5].before == ':' && n[5].value < 61) days += n[5].value / 86400.0;
  }
  return days;
}

}  // namespace kdyn::app
