// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/directions.hpp"

#include <cctype>
#include <utility>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/header_words.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::pair<std::string_view, std::string_view> directions[] = {
    {"x", "x"},
    {"y", "y"},
    {"z", "z"},
    {"fx", "x"},
    {"fy", "y"},
    {"fz", "z"},
    {"dx", "x"},
    {"dy", "y"},
    {"dz", "z"},
    {"rx", "rx"},
    {"ry", "ry"},
    {"rz", "rz"},
    {"mx", "rx"},
    {"my", "ry"},
    {"mz", "rz"},
    {"radial", "radial"},
    {"axial", "axial"},
    {"torsional", "torsional"},
    {"torsion", "torsional"},
    {"kardanisch", "cardanic"},
    {"cardanic", "cardanic"},
    {"conical", "cardanic"},
    {"vertical", "z"},
    {"vertikal", "z"},
    {"lateral", "y"},
    {"longitudinal", "x"},
    {"laengs", "x"},
    {"langs", "x"},
    {"quer", "y"},
    {"hoch", "z"},
    {"tx", "rx"},
    {"ty", "ry"},
    {"tz", "rz"},
    {"xdir", "x"},
    {"ydir", "y"},
    {"zdir", "z"},
    {"rad", "radial"},
    {"ax", "axial"},
    {"+x", "x"},
    {"+y", "y"},
    {"+z", "z"},
};

}  // namespace

std::string direction_of_word(std::string_view word) {
  std::string small = lower_case(trim(word));
  for (const std::string_view lead : {"richtung ", "direction ", "axis ", "achse ", "dir "})
    if (small.starts_with(lead)) small = small.substr(lead.size());
  for (const std::string_view tail :
       {" direction", "-direction", "-richtung", " richtung", "-axis", " axis", "-achse", " achse", "-dir"})
    if (small.size() > tail.size() && small.ends_with(tail)) small.erase(small.size() - tail.size());
  for (const auto& [from, to] : directions)
    if (small == from) return std::string(to);
  return "";
}

std::string direction_in_name(std::string_view name) {
  std::string found;
  std::string word;
  const auto look = [&] {
    if (word == "rad" || word == "ax") word.clear();  // too common in names of other things
    const std::string direction = direction_of_word(word);
    word.clear();
    if (direction.empty() || direction == found) return true;
    if (!found.empty()) return false;
    found = direction;
    return true;
  };
  for (const char c : lower_case(name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += c;
    else if (!look())
      return "";
  }
  return look() ? found : "";
}

std::vector<NameOfDirection> without_direction(const std::string& name) {
  std::vector<NameOfDirection> out;
  for (const std::string_view symbol : {"k", "kdyn", "k_dyn", "c", "cdyn", "c_dyn", "delta", "phi"})  // Kx, Cdyn_y
    if (name.size() == symbol.size() + 1 && name.starts_with(symbol) && name.back() >= 'x' && name.back() <= 'z')
      out.push_back({std::string(symbol), std::string(1, name.back())});
  if (name.find('_') == std::string::npos) return out;  // one word
  for (const auto& [word, direction] : directions) {
    if (name.find(word) == std::string::npos) continue;
    std::string rest = name;
    if (word == "rad" || word == "ax" || !take_phrase(rest, word)) continue;  // a unit; not of use within a name
    const bool counts =
        word.size() == 1 || word == "radial" || word == "axial" || word == "torsional" || word == "torsion";
    out.push_back({std::move(rest), counts ? std::string(direction) : std::string()});
  }
  return out;
}

}  // namespace kdyn::inline io::internal
