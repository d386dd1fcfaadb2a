// SPDX-License-Identifier: Apache-2.0
#include "kdyn/door/read.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/door/temperatures.hpp"
#include "kdyn/door/templates.hpp"

namespace kdyn::inline door {

const FieldTable& fields_of(const ReadHints*) {
  using H = ReadHints;
  static const FieldTable table = FieldTable::of<H>("reading", [](FieldTable& t) {
    t.add(
        &H::units, "units", "-",
        "Units of columns that do not tell theirs, e.g. {\"force\": \"kN\"}; on the command line force=kN,k_dyn=N/mm");
    t.add(&H::columns, "columns", "-",
          "What columns mean where names do not tell: {\"force\": \"Load Cell 2\"}; a name, a number, a letter of a "
          "sheet, or a value such as \"=0.1 "
          "mm\"");
    t.add(&H::layout, "layout", "-",
          "Saved column mapping to apply (docs/formats.md); none: apply none. By default the one whose words stand in "
          "the header");
    t.add(&H::decimal, "decimal", "-", "Decimal mark where a table does not tell: comma or point");
    t.add(&H::sheets, "sheets", "-", "Sheets of a workbook to read; by default all that are shown");
    t.add(&H::part, "part", "-", "Only measurements of this part; - for those that name none");
    t.add(&H::direction, "direction", "-",
          "Only measurements of this direction (x, y, z, radial, axial, ...); - for those that name none");
    t.add(&H::temperature, "temperature", "degC", "Only measurements within 2 degrees of this temperature");
  });
  return table;
}

namespace {

std::map<std::string, std::string> texts_of(const Json& in, const char* field, const char* example) {
  std::map<std::string, std::string> out;
  if (in.is_null()) return out;
  if (!in.is_object()) throw_bad_input(field, "must be an object of names and texts", fmt::format("write {}", example));
  for (const auto& [key, value] : in.items()) {
    if (value.is_number_integer())
      out[key] = fmt::format("{}", value.get<long long>());
    else if (value.is_string())
      out[key] = value.get<std::string>();
    else
      throw_bad_input(fmt::format("{}.{}", field, key), "the value must be text", fmt::format("write {}", example));
  }
  return out;
}

std::string shown(const std::string& label) { return label.empty() ? "none told" : label; }

// Signals of a universal file, MAT or HDF5 as a time record: the one in a unit of length and the one in a unit of
// force, or those the hints name.
std::optional<BenchSet> record_of(const Exchange& file, const BenchReadOptions& options,
                                  std::vector<Finding>& findings) {
  if (!file.signals) return std::nullopt;
  const auto pick = [&](const char* meaning, std::initializer_list<const char*> units) -> const Signal* {
    const auto named = options.columns.find(meaning);
    std::vector<const Signal*> found;
    for (const Signal& signal : file.signals->signals) {
      const bool fits = named != options.columns.end()
                            ? lower_case(signal.name) == lower_case(named->second)
                            : std::any_of(units.begin(), units.end(), [&](const char* u) { return signal.unit == u; });
      if (fits) found.push_back(&signal);
    }
    if (found.size() > 1)
      throw_bad_input(file.path,
                      fmt::format("{} signals could be the {}: {}, {}, ...", found.size(), meaning,
                                  in_quotes(found[0]->name), in_quotes(found[1]->name)),
                      fmt::format("say which one: --columns {}=\"{}\"", meaning, found[0]->name));
    return found.empty() ? nullptr : found.front();
  };
  const Signal *x = pick("displacement", {"m", "rad"}), *f = pick("force", {"N", "N*m"});
  if (x == nullptr || x->values.size() < 2 || !(x->step_s > 0.0)) return std::nullopt;
  if (f != nullptr && (f->values.size() != x->values.size() || f->step_s != x->step_s || f->start_s != x->start_s))
    throw_bad_input(file.path,
                    fmt::format("{} and {} differ in length or sampling", in_quotes(x->name), in_quotes(f->name)),
                    "give signals that were sampled together");
  BenchSet set;
  set.place = file.path;
  set.bench.kind = BenchKind::series;
  BenchSeries& series = set.bench.series;
  series.axis = x->unit == "rad" ? AxisKind::rotation : AxisKind::translation;
  series.source = {file.path, file.sha256, {}};
  for (std::size_t i = 0; i < x->values.size(); ++i)
    series.time.push_back(x->start_s + static_cast<double>(i) * x->step_s);
  series.displacement = x->values;
  set.mapping = {{"displacement", x->name, x->unit}};
  if (f != nullptr) set.mapping.push_back({"force", f->name, f->unit});
  if (f != nullptr) series.force = f->values;
  std::vector<std::string> unused;
  for (const Signal& signal : file.signals->signals)
    if (&signal != x && &signal != f) unused.push_back(in_quotes(signal.name));
  if (!unused.empty())
    findings.push_back(
        {Severity::note, "not_used", file.path, fmt::format("signals not used: {}", join(unused, ", ")), ""});
  const std::string direction = direction_of_path(file.path);
  if (!direction.empty()) set.labels.direction = direction, set.labels.direction_from = "file name";
  return set;
}

void drop(const BenchSet& set, const std::string& why, std::vector<Finding>& findings) {
  findings.push_back({Severity::note, "not_used", set.place,
                      fmt::format("its {} was not used: {}", to_string(set.bench.kind), why), ""});
}

}  // namespace

BenchReadOptions bench_options(const ReadHints& hints) {
  BenchReadOptions options;
  options.columns = texts_of(hints.columns, "columns", R"({"force": "Load Cell 2"})");
  options.units = texts_of(hints.units, "units", R"({"force": "kN"})");
  options.decimal = hints.decimal;
  options.sheets = hints.sheets;
  return options;
}

Contents read_measurements(const std::vector<std::string>& paths, const ReadHints& hints) {
  Contents contents;
  for (const std::string& path : paths) {
    const BenchReadOptions options = options_for(path, hints, contents.findings);
    Exchange file = read_exchange(path, options);
    if (file.recording) take_signals(file, {});
    if (file.sets.empty())
      if (auto record = record_of(file, options, contents.findings)) file.sets.push_back(std::move(*record));
    if (file.sets.empty()) {
      for (const Finding& f : file.findings)
        if (f.severity == Severity::serious || f.code == "table_not_recognised")
          throw Error(ErrorCode::bad_input, f.message, f.where, f.remedy);
      throw_bad_input(
          path,
          fmt::format("it holds {}, no bench measurement",
                      file.kind() == "unknown" ? "nothing that kdyn recognises" : file.kind()),
          "give maps, static loops or time records of force and displacement; kdyn inspect says what a file holds");
    }
    contents.findings.insert(contents.findings.end(), file.findings.begin(), file.findings.end());
    for (BenchSet& set : file.sets) contents.sets.push_back(std::move(set));
    file.sets.clear();
    contents.files.push_back(std::move(file));
  }
  label_temperatures(contents);
  return contents;
}

std::string MeasuredObject::name() const {
  std::string name = part;
  if (!direction.empty()) name += (name.empty() ? "" : "/") + direction;
  for (char& c : name)
    if (std::string_view("\\:*?\"<>| \t").find(c) != std::string_view::npos) c = '_';
  return name.empty() ? "unnamed" : name;
}

namespace {

// What stands alone lends its name to those that tell none.
class Names {
 public:
  explicit Names(const std::vector<BenchSet>& sets) {
    for (const BenchSet& set : sets) {
      if (!set.labels.part.empty()) parts_.insert(set.labels.part);
      if (!set.labels.direction.empty()) directions_.insert(set.labels.direction);
    }
  }
  std::string part(const BenchLabels& labels) const { return name(labels.part, parts_); }
  std::string direction(const BenchLabels& labels) const { return name(labels.direction, directions_); }

 private:
  static std::string name(const std::string& own, const std::set<std::string>& all) {
    return own.empty() && all.size() == 1 ? *all.begin() : own;
  }
  std::set<std::string> parts_, directions_;
};

}  // namespace

std::vector<MeasuredObject> objects_of(const Contents& contents) {
  const Names names(contents.sets);
  std::vector<MeasuredObject> out;
  for (std::size_t i = 0; i < contents.sets.size(); ++i) {
    const BenchLabels& labels = contents.sets[i].labels;
    const std::string part = names.part(labels), direction = names.direction(labels);
    auto known = std::find_if(out.begin(), out.end(),
                              [&](const MeasuredObject& o) { return o.part == part && o.direction == direction; });
    if (known == out.end()) known = out.insert(out.end(), {part, direction, {}});
    known->sets.push_back(i);
  }
  return out;
}

void choose_object(Contents& contents, const ReadHints& hints) {
  std::vector<BenchSet> kept;
  const Names names(contents.sets);
  const std::string wanted = lower_case(hints.direction);
  for (BenchSet& set : contents.sets) {
    const auto other = [](const std::string& asked, const std::string& own, const std::string& label) {
      return !asked.empty() && (asked == "-" ? !own.empty() : lower_case(asked) != lower_case(label));
    };
    if (other(hints.part, set.labels.part, names.part(set.labels))) {
      drop(set, fmt::format("part {}, and {} was asked for", shown(set.labels.part), hints.part), contents.findings);
    } else if (other(wanted, set.labels.direction, names.direction(set.labels))) {
      drop(set, fmt::format("direction {}, and {} was asked for", shown(set.labels.direction), hints.direction),
           contents.findings);
    } else if (hints.temperature && set.bench.kind != BenchKind::map &&
               std::abs(set.labels.temperature_c - *hints.temperature) > 2.0) {
      drop(set, fmt::format("{:.4g} degC, and {:.4g} were asked for", set.labels.temperature_c, *hints.temperature),
           contents.findings);
    } else {
      kept.push_back(std::move(set));
    }
  }
  if (kept.empty())
    throw_bad_input(
        hints.part.empty() && hints.direction.empty() ? "data" : "direction",
        fmt::format("nothing was measured for part {}, direction {}", shown(hints.part), shown(hints.direction)),
        "kdyn inspect lists parts and directions of the files");
  contents.sets = std::move(kept);
  if (hints.temperature)
    for (BenchSet& set : contents.sets) {
      if (set.bench.kind != BenchKind::map) continue;
      auto& rows = set.bench.map.rows;
      const std::size_t before = rows.size();
      std::erase_if(rows, [&](const MapRow& row) {
        return !std::isnan(row.temperature_c) && std::abs(row.temperature_c - *hints.temperature) > 2.0;
      });
      if (rows.size() < before)
        contents.findings.push_back(
            {Severity::note, "not_used", set.place,
             fmt::format("{} of {} rows were measured at other temperatures than {:.4g} degC and were not used",
                         before - rows.size(), before, *hints.temperature),
             ""});
    }
  if (hints.temperature) {
    std::erase_if(contents.sets,
                  [](const BenchSet& set) { return set.bench.kind == BenchKind::map && set.bench.map.rows.empty(); });
    if (contents.sets.empty())
      throw_bad_input("temperature",
                      fmt::format("nothing was measured within 2 degrees of {:.4g} degC", *hints.temperature),
                      "see kdyn inspect for temperatures");
  }
}

std::string tell_objects(const std::vector<MeasuredObject>& objects, const Contents& contents) {
  std::vector<std::string> names;
  for (const MeasuredObject& object : objects) {
    std::string from;
    for (const std::size_t i : object.sets)
      if (from.empty())
        from = contents.sets[i].labels.direction_from.empty() ? contents.sets[i].labels.part_from
                                                              : contents.sets[i].labels.direction_from;
    std::string one = object.direction.empty() ? "no direction told" : "direction " + object.direction;
    if (!object.part.empty()) one = "part " + object.part + ", " + one;
    if (names.size() < 8) names.push_back(one + (from.empty() ? "" : " (from " + from + ")"));
  }
  return fmt::format("the files hold {} parts or directions: {}{}", objects.size(), join(names, "; "),
                     objects.size() > names.size() ? "; ..." : "");
}

}  // namespace kdyn::inline door
