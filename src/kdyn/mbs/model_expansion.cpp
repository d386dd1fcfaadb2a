// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/model_expansion.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/mbs/internal/model_elements.hpp"
#include "kdyn/mbs/internal/model_mirror.hpp"
#include "kdyn/numerics/formula.hpp"

namespace kdyn::mbs {
namespace {

namespace fs = std::filesystem;
using Values = std::map<std::string, double>;

constexpr int deepest = 10;
constexpr std::size_t most_parts = 100000;

// Units that expressions know, each the number of SI units it holds.
const Values& units() {
  static const Values table = {
      {"mm", 1e-3}, {"cm", 1e-2},   {"km", 1e3},      {"inch", 0.0254}, {"deg", 3.14159265358979323846 / 180.0},
      {"rad", 1.0}, {"ms", 1e-3},   {"minute", 60.0}, {"hour", 3600.0}, {"gram", 1e-3},
      {"kg", 1.0},  {"tonne", 1e3}, {"N", 1.0},       {"kN", 1e3},      {"Nm", 1.0},
      {"kNm", 1e3}, {"Nmm", 1e-3},  {"MPa", 1e6},     {"bar", 1e5},     {"rpm", 3.14159265358979323846 / 30.0}};
  return table;
}

bool is_text_only(const std::string& key) { return key == "comment" || key == "title" || key == "name"; }

class Expander {
 public:
  explicit Expander(ExpandedModel& out) : out_(out) {}

  Json expand(const Json& in, const std::string& where, const std::string& folder, const Values& given,
              const Values& outer, int depth, Values* own) {
    if (depth > deepest)
      throw_bad_input(where, fmt::format("subsystems and includes stand in each other more than {} deep", deepest),
                      "does a file include itself?");
    if (!in.is_object()) return in;
    Json model = with_includes(in, where, folder, depth);
    Values values = parameters(model, where, given, outer);
    if (own) *own = values;
    Json subsystems = Json::array();
    if (model.contains("subsystems")) subsystems = model["subsystems"];
    for (const char* key : {"parameters", "subsystems"})
      if (model.contains(key)) model.erase(key);
    for (auto& [key, value] : model.items())
      if (!is_text_only(key)) resolve(value, where + "." + key, values);
    expand_elements(model, where);
    formulas(model, values);
    if (!subsystems.is_array())
      throw_bad_input(where + ".subsystems", "this must be a list",
                      R"(write [{"name": "left", "file": "corner.json"}])");
    for (std::size_t i = 0; i < subsystems.size(); ++i)
      subsystem(subsystems[i], fmt::format("{}.subsystems[{}]", where, i), folder, values, depth, model);
    return model;
  }

 private:
  // Parts and parameters of other files, before those of this one.
  Json with_includes(const Json& in, const std::string& where, const std::string& folder, int depth) {
    if (!in.contains("include")) return in;
    Json list = in["include"].is_string() ? Json::array({in["include"]}) : in["include"];
    Json out = Json::object();
    const auto add = [&](const Json& from, const std::string& place) {
      for (const auto& [key, value] : from.items()) {
        if (key == "include") continue;
        const bool known = out.contains(key);
        if (known && out[key].is_array() && value.is_array() && key != "gravity") {
          for (const Json& part : value) out[key].push_back(part);
        } else if (known && (key == "parameters" || key == "tables") && out[key].is_object() && value.is_object()) {
          for (const auto& [name, one] : value.items()) {
            if (out[key].contains(name))
              throw_bad_input(fmt::format("{}.{}.{}", place, key, name),
                              "this is given twice, here and in a file that is included", "remove one of them");
            out[key][name] = one;
          }
        } else if (!known || key == "title" || key == "comment" || &from == &in) {
          out[key] = value;  // the file itself has the last word
        } else {
          throw_bad_input(fmt::format("{}.{}", place, key), "two files that are included give this",
                          "leave it in one of them");
        }
      }
    };
    if (!list.is_array())
      throw_bad_input(where + ".include", "this must be a list of files", R"(write ["common.json"])");
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_string())
        throw_bad_input(fmt::format("{}.include[{}]", where, i), "this is no file name", "put it in quotes");
      const std::string path = read_path(list[i].get<std::string>(), folder);
      Json part =
          with_includes(read_model_file(path), path, fs::path(path).parent_path().string(), depth_of(depth, path));
      rebase(part, fs::path(list[i].get<std::string>()).parent_path());
      add(part, path);
    }
    add(in, where);
    return out;
  }
  static int depth_of(int depth, const std::string& path) {
    if (depth >= deepest)
      throw_bad_input(path, fmt::format("files include each other more than {} deep", deepest),
                      "does a file include itself?");
    return depth + 1;
  }
  std::string read_path(const std::string& name, const std::string& folder) const {
    return (fs::path(folder) / name).string();
  }
  Json read_model_file(const std::string& path) {
    Json out = read_json(path);
    if (!out.is_object()) throw_bad_input(path, "this is no model file", "it holds one JSON object");
    if (std::find(out_.files.begin(), out_.files.end(), path) == out_.files.end()) out_.files.push_back(path);
    return out;
  }

  // File names count from the file that they stand in.
  static void rebase(Json& in, const fs::path& folder) {
    if (folder.empty()) return;
    if (in.is_array())
      for (Json& one : in) rebase(one, folder);
    if (!in.is_object()) return;
    for (auto& [key, value] : in.items()) {
      const bool names = key == "file" || key == "law" || key == "laws" || key == "include";
      const auto moved = [&](Json& name) {
        if (name.is_string()) name = (folder / name.get<std::string>()).string();
      };
      if (names && value.is_string())
        moved(value);
      else if (key == "include" && value.is_array())
        for (Json& one : value) moved(one);
      else if (key == "laws" && value.is_object() && !value.contains("model"))
        for (auto& [axis, law] : value.items()) law.is_string() ? moved(law) : rebase(law, folder);
      else
        rebase(value, folder);
    }
  }

  // Parameters in any order: each is worked out when it is first asked for.
  // Those that are given to a subsystem (only_outer) are worked out by the model around it: "k": "=k" means its k.
  Values parameters(const Json& model, const std::string& where, const Values& given, const Values& outer,
                    bool only_outer = false) {
    Values values;
    const Json empty = Json::object();
    const Json& in = model.contains("parameters") ? model["parameters"] : empty;
    if (!in.is_object())
      throw_bad_input(where + ".parameters", "this must be numbers by name", R"(write {"track": 1.5})");
    std::vector<std::string> names;
    for (const auto& [name, value] : in.items()) {
      const auto words = Formula::words(name);
      if (words.size() != 1 || words[0].name != name || name.find('.') != std::string::npos)
        throw_bad_input(where + ".parameters." + name, "this is no name for a parameter",
                        "use letters, digits and _, beginning with a letter; t, pi and functions are taken");
      if (units().contains(name))
        throw_bad_input(where + ".parameters." + name, "this is the name of a unit", "choose another name");
      names.push_back(name);
    }
    for (const auto& [name, value] : given)
      if (!in.contains(name))
        throw_bad_input(where + ".parameters", fmt::format("the model has no parameter {}", in_quotes(name)),
                        names.empty() ? "it has none" : suggest(name, names));
    std::set<std::string> open;
    const std::function<double(const std::string&, const Json&, const std::string&)> value_of =
        [&](const std::string& name, const Json& one, const std::string& place) -> double {
      if (one.is_number() && std::isfinite(one.get<double>())) return one.get<double>();
      if (one.is_string() && !one.get<std::string>().empty()) {
        if (!open.insert(name).second)
          throw_bad_input(place, "this parameter depends on itself", "give one of the parameters as a number");
        const std::string text = one.get<std::string>();
        const double value = number(
            text[0] == '=' ? text.substr(1) : text, place,
            [&](const std::string& word) -> std::optional<double> {
              const auto known = values.find(word);
              if (!only_outer && known != values.end()) return known->second;
              if (!only_outer && in.contains(word))
                return values[word] = value_of(word, in[word], where + ".parameters." + word);
              const auto above = outer.find(word);
              return above == outer.end() ? std::nullopt : std::optional(above->second);
            },
            names);
        open.erase(name);
        return value;
      }
      if (one.is_object() && one.contains("value")) {
        for (const auto& [key, inner] : one.items())
          if (key != "value" && key != "unit" && key != "comment")
            throw_bad_input(place + "." + key, fmt::format("unknown field {}", in_quotes(key)),
                            suggest(key, {"value", "unit", "comment"}));
        double factor = 1.0;
        if (one.contains("unit")) {
          const auto unit = one["unit"].is_string() ? parse_unit(one["unit"].get<std::string>()) : std::nullopt;
          if (!unit)
            throw_bad_input(place + ".unit", fmt::format("{} is no unit", one["unit"].dump()),
                            R"(write "mm", "N/mm", "deg")");
          factor = unit->to_si;
        }
        return factor * value_of(name, one["value"], place + ".value");
      }
      throw_bad_input(place, "this must be a finite number",
                      R"(write 1.5, "=2*other" or {"value": 200, "unit": "N/mm"})");
    };
    for (const auto& [name, value] : given) values[name] = value;
    for (const std::string& name : names)
      if (!values.contains(name)) values[name] = value_of(name, in[name], where + ".parameters." + name);
    return values;
  }

  template <class Look>
  static double number(const std::string& text, const std::string& where, const Look& look,
                       const std::vector<std::string>& names) {
    Formula::Names known;
    known.constant = [&](const std::string& word) -> std::optional<double> {
      if (const auto unit = units().find(word); unit != units().end()) return unit->second;
      return look(word);
    };
    known.remedy = [&](const std::string& word) {
      return names.empty() ? std::string(R"(give it under "parameters")") : suggest(word, names);
    };
    const Formula formula(text, where, known);
    if (formula.uses_time()) throw_bad_input(where, "an expression of parameters has no time", "remove t");
    const double value = formula(0.0).value;
    if (!std::isfinite(value))
      throw_bad_input(where, fmt::format("{} is not a finite number", in_quotes(text)), "check what it divides by");
    return value;
  }

  // "=..." in place of a number.
  void resolve(Json& in, const std::string& where, const Values& values) {
    if (in.is_string()) {
      const std::string text = in.get<std::string>();
      if (text.empty() || text[0] != '=') return;
      std::vector<std::string> names;
      for (const auto& [name, value] : values) names.push_back(name);
      const double value = number(
          text.substr(1), where,
          [&](const std::string& word) {
            const auto known = values.find(word);
            return known == values.end() ? std::nullopt : std::optional(known->second);
          },
          names);
      // Numbers of nodes and modes are whole.
      if (value == std::round(value) && std::abs(value) < 1e9)
        in = static_cast<long>(value);
      else
        in = value;
      return;
    }
    if (in.is_array())
      for (std::size_t i = 0; i < in.size(); ++i) resolve(in[i], fmt::format("{}[{}]", where, i), values);
    if (in.is_object())
      for (auto& [key, value] : in.items())
        if (!is_text_only(key)) resolve(value, where + "." + key, values);
  }

  // Names of parameters in formulas become their numbers.
  void formulas(Json& model, const Values& values) {
    if (values.empty()) return;
    each_formula(model, [&](Json& one) {
      std::string text = one.get<std::string>();
      const auto words = Formula::words(text);
      for (auto word = words.rbegin(); word != words.rend(); ++word)
        if (const auto known = values.find(word->name); known != values.end())
          text.replace(word->at, word->length, fmt::format("({})", known->second));
      one = text;
    });
  }

  void subsystem(const Json& in, const std::string& where, const std::string& folder, const Values& values, int depth,
                 Json& model) {
    static const std::vector<std::string> keys = {"name",   "file",     "model",   "parameters",
                                                  "mirror", "position", "connect", "comment"};
    if (!in.is_object())
      throw_bad_input(where, "this must be a JSON object", R"(write {"name": "left", "file": ".."})");
    for (const auto& [key, value] : in.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw_bad_input(where + "." + key, fmt::format("unknown field {}", in_quotes(key)), suggest(key, keys));
    const auto text = [&](const char* key) {
      if (!in.contains(key) || !in[key].is_string() || in[key].get<std::string>().empty())
        throw_bad_input(where + "." + key, "this must be text", "put it in quotes");
      return in[key].get<std::string>();
    };
    Placement place;
    place.prefix = text("name") + "_";
    if (in.contains("mirror")) {
      const std::string axis = text("mirror");
      if (axis != "x" && axis != "y" && axis != "z")
        throw_bad_input(where + ".mirror", "this is no axis", R"(write "y" for left and right)");
      place.mirror = axis[0] - 'x';
    }
    if (in.contains("position")) {
      Json position = in["position"];
      resolve(position, where + ".position", values);
      if (!position.is_array() || position.size() != 3 ||
          !std::all_of(position.begin(), position.end(), [](const Json& x) { return x.is_number(); }))
        throw_bad_input(where + ".position", "this must be 3 finite numbers", "give [x, y, z] in m");
      place.shift = position.get<std::vector<double>>();
    }
    if (in.contains("connect")) {
      if (!in["connect"].is_object())
        throw_bad_input(where + ".connect", "this must be names by name", R"(write {"body": "chassis"})");
      for (const auto& [inner, other] : in["connect"].items()) {
        if (!other.is_string()) throw_bad_input(where + ".connect." + inner, "this must be text", "put it in quotes");
        place.connect[inner] = other.get<std::string>();
      }
    }
    Values given;
    if (in.contains("parameters")) {
      if (!in["parameters"].is_object())
        throw_bad_input(where + ".parameters", "this must be numbers by name", R"(write {"track": 1.5})");
      // Worked out as parameters of the model around it.
      Json own = {{"parameters", in["parameters"]}};
      given = parameters(own, where, {}, values, true);
    }
    if (in.contains("file") == in.contains("model"))
      throw_bad_input(where, in.contains("file") ? "the subsystem is given twice" : "the subsystem has no model",
                      R"(write "file": "corner.json", or "model": {...})");
    Json inner;
    if (in.contains("file")) {
      const std::string path = read_path(text("file"), folder);
      inner = read_model_file(path);
      inner = expand(inner, path, fs::path(path).parent_path().string(), given, {}, depth + 1, nullptr);
      rebase(inner, fs::path(text("file")).parent_path());
    } else {
      inner = expand(in["model"], where + ".model", folder, given, {}, depth + 1, nullptr);
    }
    if (!inner.is_object()) throw_bad_input(where + ".model", "this is no model", R"(write {"bodies": [...], ...})");
    std::vector<std::string> known = part_lists;
    for (const char* key : {"tables", "title", "comment", "gravity", "run"}) known.emplace_back(key);
    for (const auto& [key, value] : inner.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw_bad_input(fmt::format("{}.{}", where, key),
                        fmt::format("unknown field {} of the subsystem", in_quotes(key)), suggest(key, known));
    const Json parts = placed(inner, place, where);
    for (const std::string& key : part_lists) {
      if (!parts.contains(key)) continue;
      if (!model.contains(key)) model[key] = Json::array();
      if (!model[key].is_array()) throw_bad_input(key, "this must be a list", "write [ {...}, {...} ]");
      count_ += parts[key].size();
      if (count_ > most_parts)
        throw_bad_input(where, fmt::format("the subsystems hold more than {} parts", most_parts), "cut the model");
      for (const Json& part : parts[key]) model[key].push_back(part);
    }
    if (parts.contains("tables"))
      for (const auto& [name, table] : parts["tables"].items()) model["tables"][name] = table;
  }

  ExpandedModel& out_;
  std::size_t count_ = 0;
};

}  // namespace

ExpandedModel expand_model(const Json& in, const std::string& where, const std::string& folder,
                           const std::map<std::string, double>& values) {
  ExpandedModel out;
  out.model = Expander(out).expand(in, where, folder, values, {}, 0, &out.parameters);
  return out;
}

}  // namespace kdyn::mbs
