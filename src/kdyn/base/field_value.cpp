// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/field_value.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/internal/field_text.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline base::field_parts {

void set_null(Json& out) { out = nullptr; }
void start_list(Json& out) { out = Json::array(); }
void start_object(Json& out) { out = Json::object(); }
Json& append(Json& list) { return list.emplace_back(nullptr); }
Json& at_key(Json& object, const std::string& key) { return object[key]; }
bool is_null(const Json& in) { return in.is_null(); }
const Json& item(const Json& list, std::size_t i) { return list[i]; }
std::string place(const std::string& where, std::size_t i) { return fmt::format("{}[{}]", where, i); }

void check_size(const Field& field, const Json& in, const std::string& where, std::size_t wanted) {
  if (!in.is_array() || in.size() != wanted)
    throw_bad_input(where, fmt::format("{} is not a list of {}", shorten(in), wanted), remedy_of(field));
}

std::vector<std::pair<std::string, const Json*>> entries(const Field& field, const Json& in, const std::string& where) {
  if (!in.is_object()) wrong_type(field, in, where);
  std::vector<std::pair<std::string, const Json*>> out;
  for (const auto& [key, value] : in.items()) out.emplace_back(key, &value);
  return out;
}

void get_number(const Field& field, FieldUse use, double value, Json& out) {
  out = use == FieldUse::archive || field.divisor == 1.0 ? value : value / field.divisor;
}

double number_of(const Field& field, FieldUse use, const Json& in, const std::string& where) {
  const bool free = field.result || use == FieldUse::archive;
  if (free && in.is_null()) return std::nan("");
  if (!in.is_number()) wrong_type(field, in, where);
  const double value = in.get<double>();
  if (!free) check_bounds(field, value, where);
  return use == FieldUse::archive || field.divisor == 1.0 ? value : value * field.divisor;
}

void get_integer(std::int64_t value, Json& out) { out = value; }

std::int64_t integer_of(const Field& field, const Json& in, const std::string& where) {
  if (in.is_number_integer() && field.result) return in.get<std::int64_t>();
  if (!in.is_number()) wrong_type(field, in, where);
  const double wide = in.get<double>();
  check_bounds(field, wide, where);
  if (wide != std::floor(wide) || std::abs(wide) > 9e15) wrong_type(field, in, where);
  return static_cast<std::int64_t>(wide);
}

void refuse_integer(const Field& field, const Json& in, const std::string& where) { wrong_type(field, in, where); }

// Archives hold the number: an enum that no one shows needs no names.
void get_choice(const Field& field, FieldUse use, std::size_t index, Json& out) {
  if (use == FieldUse::archive) return void(out = index);
  demand(index < field.choices.size(), "every value of an enum has a name");
  out = field.choices[index];
}

std::size_t choice_of(const Field& field, FieldUse use, const Json& in, const std::string& where) {
  if (use == FieldUse::archive) return in.get<std::size_t>();
  if (!in.is_string()) wrong_type(field, in, where);
  const auto it = std::find(field.choices.begin(), field.choices.end(), in.get<std::string>());
  if (it == field.choices.end())
    throw_bad_input(where, fmt::format("{} is not a choice", in_quotes(in.get<std::string>())),
                    suggest(in.get<std::string>(), field.choices));
  return static_cast<std::size_t>(it - field.choices.begin());
}

void get_struct(const FieldTable& table, FieldUse use, const void* object, Json& out) {
  table.to_json(object, out, use);
}

void set_struct(const FieldTable& table, FieldUse use, void* object, const Json& in, const std::string& where) {
  table.from_json(object, in, where, use);
  if (use == FieldUse::shown) table.check_required(in, where);
}

void to_keyed(const Field& field, FieldUse use, Json& list) {
  if (field.key.empty() || use == FieldUse::archive) return;
  Json out = Json::object();
  for (Json& one : list) {
    const std::string key = one[field.key].get<std::string>();
    one.erase(field.key);
    out[key] = std::move(one);
  }
  list = std::move(out);
}

void read_list(const Field& field, FieldUse use, const Json& in, const std::string& where, bool structs, void* list,
               const ListAccess& access) {
  if (structs && !field.key.empty() && use == FieldUse::shown) {
    const auto all = entries(field, in, where);
    access.resize(list, all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      Json one = *all[i].second;
      if (one.is_object()) one[field.key] = all[i].first;
      access.set(field, use, list, i, one, where + "." + all[i].first);
    }
    return;
  }
  if (!in.is_array()) {
    if (structs || in.is_structured() || in.is_null()) wrong_type(field, in, where);
    access.resize(list, 1);
    return access.set(field, use, list, 0, in, where);
  }
  access.resize(list, in.size());
  for (std::size_t i = 0; i < in.size(); ++i) access.set(field, use, list, i, in[i], place(where, i));
}

// One value for each type.
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;
using Pair = std::pair<double, double>;

void get_value(const Field& f, FieldUse use, const double& value, Json& out) { get_number(f, use, value, out); }
void set_value(const Field& f, FieldUse use, double& value, const Json& in, const std::string& where) {
  value = number_of(f, use, in, where);
}

void get_value(const Field&, FieldUse, const bool& value, Json& out) { out = value; }
void set_value(const Field& f, FieldUse, bool& value, const Json& in, const std::string& where) {
  if (!in.is_boolean()) wrong_type(f, in, where);
  value = in.get<bool>();
}

void get_value(const Field&, FieldUse, const std::string& value, Json& out) { out = value; }
void set_value(const Field& f, FieldUse, std::string& value, const Json& in, const std::string& where) {
  if (!in.is_string()) wrong_type(f, in, where);
  value = in.get<std::string>();
}

void get_value(const Field&, FieldUse, const Json& value, Json& out) { out = value; }
void set_value(const Field&, FieldUse, Json& value, const Json& in, const std::string&) { value = in; }

void get_value(const Field& f, FieldUse use, const Numbers& value, Json& out) {
  if (f.divisor == 1.0 || use == FieldUse::archive) return void(out = value);
  out = Json::array();
  for (const double one : value) get_number(f, use, one, append(out));
}
void set_value(const Field& f, FieldUse use, Numbers& value, const Json& in, const std::string& where) {
  Numbers fresh;
  if (in.is_number()) {
    fresh.push_back(number_of(f, use, in, where));
  } else {
    if (!in.is_array()) wrong_type(f, in, where);
    for (std::size_t i = 0; i < in.size(); ++i) fresh.push_back(number_of(f, use, in[i], place(where, i)));
  }
  value = std::move(fresh);
}

void get_value(const Field&, FieldUse, const Texts& value, Json& out) { out = value; }
void set_value(const Field& f, FieldUse, Texts& value, const Json& in, const std::string& where) {
  Texts fresh;
  if (in.is_string()) {
    fresh.push_back(in.get<std::string>());
  } else {
    if (!in.is_array()) wrong_type(f, in, where);
    for (const Json& one : in) {
      if (!one.is_string()) wrong_type(f, in, where);
      fresh.push_back(one.get<std::string>());
    }
  }
  value = std::move(fresh);
}

void get_value(const Field&, FieldUse, const std::vector<bool>& value, Json& out) { out = value; }
void set_value(const Field& f, FieldUse, std::vector<bool>& value, const Json& in, const std::string& where) {
  if (!in.is_array()) wrong_type(f, in, where);
  std::vector<bool> fresh;
  for (const Json& one : in) {
    if (!one.is_boolean()) wrong_type(f, in, where);
    fresh.push_back(one.get<bool>());
  }
  value = std::move(fresh);
}

void get_value(const Field& f, FieldUse use, const Pair& value, Json& out) {
  out = Json::array();
  get_number(f, use, value.first, append(out));
  get_number(f, use, value.second, append(out));
}
void set_value(const Field& f, FieldUse use, Pair& value, const Json& in, const std::string& where) {
  check_size(f, in, where, 2);
  value = {number_of(f, use, in[0], place(where, 0)), number_of(f, use, in[1], place(where, 1))};
}

void get_value(const Field& f, FieldUse use, const std::complex<double>& value, Json& out) {
  FieldValue<Pair>::get(f, use, {value.real(), value.imag()}, out);
}
void set_value(const Field& f, FieldUse use, std::complex<double>& value, const Json& in, const std::string& where) {
  Pair both;
  FieldValue<Pair>::set(f, use, both, in, where);
  value = {both.first, both.second};
}

void get_value(const Field&, FieldUse, const Curve& value, Json& out) {
  if (value.empty()) return void(out = nullptr);
  out = Json::array();
  for (const auto& [x, y] : value) out.push_back({x, y});
}
void set_value(const Field& f, FieldUse, Curve& value, const Json& in, const std::string& where) {
  Curve fresh;
  if (!in.is_null()) {
    if (!in.is_array()) wrong_type(f, in, where);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i].is_array() || in[i].size() != 2 || !in[i][0].is_number() || !in[i][1].is_number())
        wrong_type(f, in[i], place(where, i));
      const double x = in[i][0].get<double>(), y = in[i][1].get<double>();
      if (!std::isfinite(x) || !std::isfinite(y)) wrong_type(f, in[i], place(where, i));
      fresh.emplace_back(x, y);
    }
  }
  value = std::move(fresh);
}

void get_value(const Field& f, FieldUse use, const RangeMap& value, Json& out) {
  out = Json::object();
  for (const auto& [key, range] : value) FieldValue<Pair>::get(f, use, range, out[key]);
}
void set_value(const Field& f, FieldUse use, RangeMap& value, const Json& in, const std::string& where) {
  RangeMap fresh;
  for (const auto& [key, one] : entries(f, in, where)) {
    const std::string here = where + "." + key;
    if (!one->is_array() || one->size() != 2) wrong_type(f, *one, here);
    const double lower = number_of(f, use, (*one)[0], here), upper = number_of(f, use, (*one)[1], here);
    if (!(lower < upper))
      throw_bad_input(here, fmt::format("lower bound {:g} is not below upper bound {:g}", lower, upper),
                      "give [lower, upper]");
    fresh[key] = {lower, upper};
  }
  value = std::move(fresh);
}

}  // namespace kdyn::inline base::field_parts
