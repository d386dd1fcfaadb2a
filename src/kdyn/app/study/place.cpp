// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/study/place.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace {

// * stands for any text.
bool fits(std::string_view pattern, std::string_view name) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (fits(rest, name.substr(at))) return true;
  return false;
}

bool ends_there(std::string_view rest, std::size_t length) {
  return length == rest.size() || rest[length] == '.' || rest[length] == '[';
}

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t out = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), out);
  return trouble == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

bool has_value(const Json& part, const std::string& key, const std::string& text) {
  if (!part.is_object() || !part.contains(key)) return false;
  const Json& value = part[key];
  if (value.is_string()) return value.get_ref<const std::string&>() == text;
  if (value.is_boolean()) return text == (value.get<bool>() ? "true" : "false");
  const auto number = parse_number(text);
  return value.is_number() && number && value.get<double>() == *number;
}

class Search {
 public:
  Search(const FileOfPlace& file, std::string_view path) : file_(file), path_(path) {}

  std::vector<Json*> found;
  std::string message, remedy;  // of the first place where the path did not lead on

  void walk(Json& at, std::string_view rest) {
    if (rest.empty()) return found.push_back(&at);
    if (rest.front() == '.') rest.remove_prefix(1);
    if (at.is_string() && file_) {
      auto content = file_(at.get_ref<const std::string&>());
      if (!content)
        return fail(rest,
                    fmt::format("{} is a text, not a part with fields", in_quotes(at.get_ref<const std::string&>())),
                    "end the path before it, or name a JSON file there");
      at = std::move(*content);
    }
    if (!rest.empty() && rest.front() == '[') return brackets(at, rest);
    if (at.is_object()) return object(at, rest);
    if (at.is_array()) return list(at, rest);
    fail(rest, "there is a plain value, not a part with fields", "end the path before it");
  }

 private:
  void fail(std::string_view rest, std::string what, std::string help) {
    if (!message.empty()) return;
    const std::string_view before = path_.substr(0, path_.size() - rest.size());
    message = before.empty()
                  ? std::move(what)
                  : fmt::format("at {}: {}", in_quotes(before.substr(0, before.find_last_not_of(".") + 1)), what);
    remedy = std::move(help);
  }

  void brackets(Json& at, std::string_view rest) {
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return fail(rest, "a bracket is not closed", "write [0] or [exponent=5]");
    const std::string_view inside = rest.substr(1, close - 1), after = rest.substr(close + 1);
    if (!at.is_array()) return fail(rest, "there is no list", "leave the brackets out");
    if (const auto index = number_of(inside)) {
      if (*index >= at.size())
        return fail(rest, fmt::format("the list has {} entries", at.size()), "they are counted from 0");
      return walk(at[*index], after);
    }
    const auto equal = inside.find('=');
    bool any = false;
    for (Json& one : at)
      if (inside == "*" || (equal != std::string_view::npos && has_value(one, std::string(inside.substr(0, equal)),
                                                                         std::string(inside.substr(equal + 1))))) {
        any = true;
        walk(one, after);
      }
    if (!any)
      fail(rest, fmt::format("no entry of the list fits [{}]", inside),
           "write a number from 0, or a field and its value: [exponent=5]");
  }

  template <class Each>
  void by_name(std::string_view rest, const std::vector<std::pair<std::string, Json*>>& known, const Each& otherwise) {
    const std::pair<std::string, Json*>* longest = nullptr;
    for (const auto& one : known)
      if (rest.starts_with(one.first) && ends_there(rest, one.first.size()) &&
          (longest == nullptr || one.first.size() > longest->first.size()))
        longest = &one;
    if (longest != nullptr) return walk(*longest->second, rest.substr(longest->first.size()));
    const std::string_view first = rest.substr(0, rest.find_first_of(".["));
    if (first.find('*') != std::string_view::npos) {
      bool any = false;
      for (const auto& [name, value] : known)
        if (fits(first, name)) any = true, walk(*value, rest.substr(first.size()));
      if (any) return;
    }
    if (otherwise(first)) return;
    std::vector<std::string> names;
    for (const auto& one : known) names.push_back(one.first);
    if (names.size() > 40) {
      const auto near = closest(first, names);
      names.resize(40);
      if (near) names.insert(names.begin(), *near);
    }
    fail(rest, fmt::format("there is no {}", in_quotes(first)), suggest(first, names));
  }

  void object(Json& at, std::string_view rest) {
    std::vector<std::pair<std::string, Json*>> known;
    for (auto& [key, value] : at.items()) known.emplace_back(key, &value);
    by_name(rest, known, [](std::string_view) { return false; });
  }

  void list(Json& at, std::string_view rest) {
    std::vector<std::pair<std::string, Json*>> known;
    for (Json& one : at)
      if (one.is_object() && one.contains("name") && one["name"].is_string())
        known.emplace_back(one["name"].get<std::string>(), &one);
    by_name(rest, known, [&](std::string_view first) {
      const auto index = number_of(first);
      if (!index || *index >= at.size()) return false;
      walk(at[*index], rest.substr(first.size()));
      return true;
    });
  }

  const FileOfPlace& file_;
  std::string_view path_;
};

}  // namespace

std::vector<Json*> find_places(Json& document, std::string_view path, const std::string& where,
                               const FileOfPlace& file) {
  Search search(file, path);
  search.walk(document, path);
  // Parts that * also stands for and that lack the rest of the path are passed over.
  if (search.found.empty()) throw_bad_input(where, fmt::format("{}: {}", path, search.message), search.remedy);
  return search.found;
}

const Json& find_value(const Json& document, std::string_view path, const std::string& where) {
  static const FileOfPlace none;
  // Nothing is written: without files the search only walks.
  const std::vector<Json*> found = find_places(const_cast<Json&>(document), path, where, none);
  if (found.size() > 1)
    throw_bad_input(where, fmt::format("{} stands for {} values, one is needed", path, found.size()),
                    "name one of them");
  return *found.front();
}

}  // namespace kdyn::app
