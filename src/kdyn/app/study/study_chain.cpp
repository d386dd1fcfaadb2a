// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/study/study_chain.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>

#include <fmt/format.h>

#include "kdyn/app/part_sink.hpp"
#include "kdyn/app/study/place.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/report/html.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;

namespace {

// What a step wrote is read below this folder, which no disk has.
constexpr const char* written_below = "/kdyn-study/";

std::string full(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

class RunProgress final : public Progress, public ReportWish {
 public:
  RunProgress(const Progress& outer, bool with_report) : outer_(outer), with_report_(with_report) {}
  bool stop_requested() const override { return outer_.stop_requested(); }
  bool wants_report() const override { return with_report_; }

 private:
  const Progress& outer_;
  bool with_report_;
};

std::string status_of(const Json& result) {
  std::string out = "it did not finish";
  if (result.contains("status") && result["status"].is_string()) out = result["status"].get<std::string>();
  if (result.contains("reason") && result["reason"].is_string() &&
      !result["reason"].get_ref<const std::string&>().empty())
    out += ": " + result["reason"].get<std::string>();
  return out;
}

std::string told(const Error& error) {
  return error.where().empty() ? error.message() : error.where() + ": " + error.message();
}

double statistic_of(const Signal& signal, const StudyResponse& r, const std::string& where) {
  double sum = 0.0, squares = 0.0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest, last = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < signal.values.size(); ++i) {
    const double t = signal.start_s + static_cast<double>(i) * signal.step_s, v = signal.values[i],
                 near = 1e-9 * signal.step_s;
    if ((r.from_s && t < *r.from_s - near) || (r.to_s && t > *r.to_s + near)) continue;
    if (!std::isfinite(v))
      throw_bad_input(where, fmt::format("{} is not a number at {:.6g} s", r.channel, t),
                      "choose a part of the record without gaps");
    sum += v, squares += v * v, last = v;
    lowest = std::min(lowest, v), highest = std::max(highest, v);
    ++count;
  }
  if (count == 0)
    throw_bad_input(where, "no sample lies between from_s and to_s", "check them against the length of the record");
  const double n = static_cast<double>(count), mean = sum / n;
  switch (r.statistic) {
    case SignalStatistic::rms: return std::sqrt(squares / n);
    case SignalStatistic::mean: return mean;
    case SignalStatistic::std: {
      double about = 0.0;
      for (std::size_t i = 0; i < signal.values.size(); ++i) {
        const double t = signal.start_s + static_cast<double>(i) * signal.step_s, near = 1e-9 * signal.step_s;
        if ((r.from_s && t < *r.from_s - near) || (r.to_s && t > *r.to_s + near)) continue;
        about += (signal.values[i] - mean) * (signal.values[i] - mean);
      }
      return std::sqrt(about / n);
    }
    case SignalStatistic::minimum: return lowest;
    case SignalStatistic::maximum: return highest;
    case SignalStatistic::peak: return std::max(std::abs(lowest), std::abs(highest));
    case SignalStatistic::range: return highest - lowest;
    case SignalStatistic::last: return last;
  }
  return last;
}

}  // namespace

struct StudyChain::Stage {
  std::string name;
  const Operation* operation = nullptr;
  Json options;
  std::vector<std::pair<std::string, std::string>>
      files;                     // full path of what is read -> full path of what stands for it
  std::string folder;            // names in files are relative to it
  std::set<std::string> needed;  // of its files, by later steps and responses
  bool constant = true;
  // What a step gave that nothing changes.
  mutable std::mutex once;
  mutable bool has_run = false;
  mutable Json result;
  mutable std::map<std::string, std::shared_ptr<const std::string>> written;
};

struct StudyChain::ReadFiles {
  mutable std::mutex mutex;
  std::map<std::string, std::string> hashes;                     // path -> sha256
  std::map<std::string, std::shared_ptr<const Json>> documents;  // by full path
};

// What one run has changed and written so far.
struct StudyChain::Work final : FileView {
  Work(std::size_t run, ReadFiles& read_files, const Progress& outer, bool with_report)
      : index(run),
        read(read_files),
        progress(outer, with_report),
        whole(with_report) {}

  std::shared_ptr<const std::string> content(const std::string& path) const override {
    if (files.empty() && instead.empty()) return nullptr;
    std::string at = full(path);
    if (const auto other = instead.find(at); other != instead.end()) at = other->second;
    const auto found = files.find(at);
    if (found != files.end()) return found->second;
    if (at.starts_with(written_below))
      throw_bad_input(path, "no earlier step wrote this file", "check the names in braces");
    // Another file of the disk stands for it.
    if (at != full(path)) {
      const WithFileView plain(nullptr);
      auto other = std::make_shared<const std::string>(read_text(at));
      read.mutex.lock();
      read.hashes.try_emplace(at, sha256(*other));
      read.mutex.unlock();
      return other;
    }
    return nullptr;
  }
  void was_read(const std::string& path, std::string_view bytes) override {
    // What an operation wrote for a moment is no input.
    std::error_code ec;
    if (path.starts_with((fs::temp_directory_path(ec) / "kdyn-").string())) return;
    const std::scoped_lock lock(read.mutex);
    if (!read.hashes.contains(path)) read.hashes.emplace(path, sha256(bytes));
  }

  std::size_t index;
  ReadFiles& read;
  RunProgress progress;
  bool whole;                                                       // all that it gives is kept
  std::map<std::string, std::shared_ptr<const std::string>> files;  // by full path
  std::map<std::string, std::string> instead;                       // full path -> full path
  std::vector<Json> options, results;
  std::vector<Outcome> outcomes;               // of a whole run
  std::map<std::string, std::string> changed;  // full path -> content
};

StudyChain::~StudyChain() = default;

StudyChain::StudyChain(const StudyJob& job, const StudyPlan& plan)
    : plan_(plan),
      asked_(job.responses),
      read_(std::make_unique<ReadFiles>()) {
  read_stages(job);
  read_responses(job);
  // Places are tried on the first runs, which hold every combination of few levels.
  const RunProgress quiet(silent_progress(), false);
  for (std::size_t run = 0; run < std::min<std::size_t>({plan.runs(), plan.combinations(), 64}); ++run) {
    Work work(run, *read_, quiet, false);
    for (const auto& stage : stages_) work.options.push_back(stage->options);
    for (std::size_t s = 0; s < stages_.size(); ++s) change(work, s);
  }
}

void StudyChain::read_stages(const StudyJob& job) {
  if (job.chain.empty())
    throw_bad_input("chain", "the study runs nothing",
                    R"(add "chain": [{"name": "drive", "operation": "simulate", "options": {"model": "car.json"}}])");
  const std::string folder = fs::path(job.job).parent_path().string();
  std::vector<std::string> known_operations, names;
  for (const Operation& o : operations())
    if (o.name != "study") known_operations.push_back(o.name);
  // {drive}/series.csv -> where it is read; told to the step that writes it.
  const auto refer = [&](std::string text, const std::string& where, bool& constant) {
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
      const auto close = text.find('}', open);
      if (close == std::string::npos || close + 1 >= text.size() || text[close + 1] != '/') continue;
      const std::string name = text.substr(open + 1, close - open - 1);
      const auto stage = std::find(names.begin(), names.end(), name);
      if (stage == names.end())
        throw_bad_input(where, fmt::format("no earlier step is called {}", in_quotes(name)), suggest(name, names));
      Stage& writer = *stages_[static_cast<std::size_t>(stage - names.begin())];
      writer.needed.insert(text.substr(close + 2));
      constant = constant && writer.constant;
      return written_below + name + text.substr(close + 1);
    }
    return text;
  };
  const std::function<void(Json&, const std::string&, bool&)> refer_all = [&](Json& value, const std::string& where,
                                                                              bool& constant) {
    if (value.is_string()) value = refer(value.get<std::string>(), where, constant);
    if (value.is_structured())
      for (Json& one : value) refer_all(one, where, constant);
  };
  std::set<std::string> changed;  // steps that parameters reach
  const auto reach = [&](const std::string& place) { changed.insert(place.substr(0, place.find('.'))); };
  for (const StudyColumn& c : plan_.columns()) {
    for (const std::string& place : c.places) reach(place);
    for (const auto& level : c.levels)
      for (const auto& setting : level.settings) reach(setting.first);
  }
  for (std::size_t i = 0; i < job.chain.size(); ++i) {
    const StudyStage& given = job.chain[i];
    const std::string where = fmt::format("chain[{}]", i);
    auto stage = std::make_unique<Stage>();
    stage->operation = given.operation == "study" ? nullptr : find_operation(given.operation);
    if (stage->operation == nullptr)
      throw_bad_input(where + ".operation", fmt::format("unknown operation {}", in_quotes(given.operation)),
                      suggest(given.operation, known_operations));
    stage->name = given.name.empty() ? given.operation : given.name;
    if (stage->name.find_first_of("./{}[] ") != std::string::npos && !given.name.empty())
      throw_bad_input(where + ".name", "the name of a step has no blanks, dots, slashes, brackets and braces",
                      "write drive or fit_left");
    std::replace(stage->name.begin(), stage->name.end(), ' ', '_');
    if (std::find(names.begin(), names.end(), stage->name) != names.end())
      throw_bad_input(where + ".name", fmt::format("the name {} is used twice", in_quotes(stage->name)),
                      "give every step its own name");
    const FieldTable& table = stage->operation->options();
    stage->options = given.options;
    if (!stage->options.is_object())
      throw_bad_input(where + ".options", "this must be an object", R"(write {"model": "car.json"})");
    for (const auto& [key, value] : stage->options.items())
      if (table.find(key) == nullptr)
        throw_bad_input(where + ".options." + key,
                        fmt::format("unknown field {} of {}", in_quotes(key), given.operation),
                        suggest(key, table.names()));
    stage->folder = folder;
    // What runs behind a changed step may read a file that was changed for it.
    stage->constant = !changed.contains(stage->name) && (stages_.empty() || stages_.back()->constant);
    refer_all(stage->options, where + ".options", stage->constant);
    table.resolve_paths(stage->options, folder);
    for (const auto& [name, other] : given.files) {
      const std::string to = refer(other, where + ".files." + name, stage->constant);
      stage->files.emplace_back(full((fs::path(folder) / name).string()), full((fs::path(folder) / to).string()));
    }
    names.push_back(stage->name);
    stages_.push_back(std::move(stage));
  }
}

std::size_t StudyChain::stage_of(const std::string& path, std::string& rest, const std::string& where) const {
  const std::string name = path.substr(0, path.find('.'));
  std::vector<std::string> known;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    known.push_back(stages_[s]->name);
    if (known.back() != name) continue;
    rest = name.size() < path.size() ? path.substr(name.size() + 1) : "";
    return s;
  }
  throw_bad_input(where, fmt::format("{}: there is no step {}", path, in_quotes(name)),
                  suggest(name, known) + "; a path begins with the name of a step of the chain");
}

void StudyChain::read_responses(const StudyJob& job) {
  if (job.responses.empty())
    throw_bad_input("responses", "nothing is taken from the runs",
                    R"(add "responses": [{"name": "seat", "value": "comfort.weighted_rms.seat_z"}])");
  std::set<std::string> names;
  for (const StudyColumn& c : plan_.columns()) names.insert(c.name);
  for (std::size_t i = 0; i < job.responses.size(); ++i) {
    const StudyResponse& r = job.responses[i];
    const std::string where = fmt::format("responses[{}]", i);
    if (r.name.empty() || r.name == "run" || r.name == "status" || r.name == "reason" ||
        r.name.find_first_of(",\"\n\r") != std::string::npos)
      throw_bad_input(where + ".name", "this cannot be the name of a column", "give a name without commas and quotes");
    if (!names.insert(r.name).second)
      throw_bad_input(where + ".name", fmt::format("the name {} is used twice", in_quotes(r.name)),
                      "give every parameter and response its own name");
    if (r.value.empty() == r.file.empty())
      throw_bad_input(where, r.value.empty() ? "it is not said what is taken" : "value and file are two ways to say it",
                      R"(give "value": "STEP.path", or "file": "STEP/series.csv" and "channel")");
    Taken taken{};
    if (!r.value.empty()) {
      taken.stage = stage_of(r.value, taken.path, where + ".value");
      if (taken.path.empty())
        throw_bad_input(where + ".value", "the path ends at the step",
                        "name a number of its result: drive.last_time_s");
    } else {
      if (r.channel.empty()) throw_bad_input(where + ".channel", "the channel is missing", "name a signal of the file");
      const auto slash = r.file.find('/');
      std::string rest;
      taken.stage = stage_of(r.file.substr(0, slash), rest, where + ".file");
      taken.path = slash == std::string::npos ? "" : r.file.substr(slash + 1);
      if (taken.path.empty()) throw_bad_input(where + ".file", "the file is missing", "write drive/series.csv");
      stages_[taken.stage]->needed.insert(taken.path);
    }
    taken_.push_back(std::move(taken));
  }
}

std::shared_ptr<const Json> StudyChain::document(const std::string& path) const {
  const std::scoped_lock lock(read_->mutex);
  auto& found = read_->documents[full(path)];
  if (!found) {
    const WithFileView plain(nullptr);
    const std::string content = read_text(path);
    read_->hashes.try_emplace(path, sha256(content));
    found = std::make_shared<const Json>(parse_json(content, path));
  }
  return found;
}

void StudyChain::apply(Work& work, std::size_t s, const std::string& rest, const Change& change,
                       const std::string& where) const {
  const Stage& stage = *stages_[s];
  const FieldTable& table = stage.operation->options();
  Json& options = work.options[s];
  const auto put = [&](Json& target) {
    if (change.value != nullptr && change.use == PlaceUse::value) {
      target = *change.value;
      return;
    }
    const double number = change.value != nullptr ? change.value->get<double>() : change.number;
    if (change.use == PlaceUse::value) {
      target = number;
      return;
    }
    if (!target.is_number())
      throw_bad_input(where, fmt::format("{}: what stands there is no number", change.place),
                      "a factor or what is added needs a number in the file: lead the path to one, or use value");
    target = change.use == PlaceUse::factor ? target.get<double>() * number : target.get<double>() + number;
  };
  if (rest.starts_with("files.")) {
    const std::string name = rest.substr(6);
    if (change.use != PlaceUse::value || change.value == nullptr || !change.value->is_string())
      throw_bad_input(where, fmt::format("{}: a file is set by its name", change.place),
                      "use values with names of files");
    std::string to = change.value->get<std::string>();
    if (to.starts_with("{") && to.find("}/") != std::string::npos)
      to = written_below + to.substr(1, to.find("}/") - 1) + to.substr(to.find("}/") + 1);
    work.instead[full((fs::path(stage.folder) / name).string())] = full((fs::path(stage.folder) / to).string());
    return;
  }
  const std::string key = rest.substr(0, rest.find_first_of(".["));
  const Field* field = table.find(key);
  if (field == nullptr)
    throw_bad_input(where,
                    fmt::format("{}: unknown field {} of {}", change.place, in_quotes(key), stage.operation->name),
                    suggest(key, table.names()));
  const std::string inner = rest.substr(key.size());
  if (inner.empty()) {
    if (change.use != PlaceUse::value && !options.contains(field->name))
      throw_bad_input(
          where, fmt::format("{}: the option is not given, so there is nothing to multiply or add to", change.place),
          "give it in the options of the step, or use value");
    put(options[field->name]);
    // A path that a level names is relative to the job, as in the options.
    if (field->role == PathRole::input && options[field->name].is_string() &&
        !options[field->name].get_ref<const std::string&>().starts_with(written_below)) {
      Json one = {{field->name, options[field->name]}};
      table.resolve_paths(one, stage.folder);
      options[field->name] = one[field->name];
    }
    return;
  }
  if (!options.contains(field->name))
    throw_bad_input(where, fmt::format("{}: the option {} is not given", change.place, in_quotes(field->name)),
                    "give it in the options of the step");
  if ((field->role == PathRole::input || field->role == PathRole::job) && options[field->name].is_string()) {
    const std::string path = options[field->name].get<std::string>(), at = full(path);
    const auto there = work.files.find(at);
    if (there == work.files.end() && at.starts_with(written_below))
      return;  // tried before the first run: not written yet
    Json content = there != work.files.end() ? parse_json(*there->second, path) : *document(path);
    const FileOfPlace file = [&](const std::string& name) -> std::optional<Json> {
      const std::string other = (fs::path(path).parent_path() / name).lexically_normal().string();
      std::error_code ec;
      if (!fs::is_regular_file(other, ec)) return std::nullopt;
      return *document(other);
    };
    for (Json* target : find_places(content, inner, where, file)) put(*target);
    std::string text = content.dump();
    work.changed[at] = text;
    work.files[at] = std::make_shared<const std::string>(std::move(text));
    return;
  }
  for (Json* target : find_places(options[field->name], inner, where, nullptr)) put(*target);
}

void StudyChain::change(Work& work, std::size_t s) const {
  // Levels first: they may exchange files that others lead into.
  for (const bool levels : {true, false})
    for (std::size_t c = 0; c < plan_.columns().size(); ++c) {
      const StudyColumn& column = plan_.columns()[c];
      if (column.has_levels() != levels) continue;
      const std::string where = "parameters." + column.name;
      const auto each = [&](const std::string& place, const Json* value) {
        std::string rest;
        if (stage_of(place, rest, where) != s) return;
        apply(work, s, rest, {place, column.use, value, value == nullptr ? plan_.entry(work.index, c) : 0.0}, where);
      };
      if (levels)
        for (const auto& [place, value] : plan_.level(work.index, c).settings) each(place, &value);
      else
        for (const std::string& place : column.places) each(place, nullptr);
    }
}

std::optional<RunOutcome> StudyChain::run_stage(Work& work, std::size_t s) const {
  const Stage& stage = *stages_[s];
  for (const auto& [name, other] : stage.files) work.instead[name] = other;
  change(work, s);
  std::unique_lock<std::mutex> lock;
  if (stage.constant && !work.whole) {
    lock = std::unique_lock(stage.once);
    if (stage.has_run) {
      work.results[s] = stage.result;
      for (const auto& [path, content] : stage.written) work.files[path] = content;
      return std::nullopt;
    }
  }
  Outcome outcome;
  {
    const WithFileView view(&work);
    outcome = run_operation(*stage.operation, work.options[s], work.progress);
  }
  if (!outcome.complete) {
    RunOutcome out;
    out.stopped = work.progress.stop_requested();
    out.reason = fmt::format("{}: {}", stage.name, status_of(outcome.result));
    return out;
  }
  for (const std::string& name : stage.needed) {
    const std::string path = written_below + stage.name + "/" + name;
    if (name == "result.json") {
      work.files[path] = std::make_shared<const std::string>(dump_json(outcome.result));
      continue;
    }
    const auto file =
        std::find_if(outcome.files.begin(), outcome.files.end(), [&](const OutputFile& f) { return f.name == name; });
    if (file == outcome.files.end()) {
      std::vector<std::string> known = {"result.json"};
      for (const OutputFile& f : outcome.files) known.push_back(f.name);
      throw_bad_input("chain." + stage.name, fmt::format("it wrote no file {}", in_quotes(name)), suggest(name, known));
    }
    work.files[path] = std::make_shared<const std::string>(!work.whole ? std::move(file->content) : file->content);
  }
  work.results[s] = outcome.result;
  if (lock.owns_lock()) {
    stage.result = work.results[s];
    for (const std::string& name : stage.needed) {
      const std::string path = written_below + stage.name + "/" + name;
      stage.written[path] = work.files[path];
    }
    stage.has_run = true;
  }
  if (work.whole) work.outcomes.push_back(std::move(outcome));
  return std::nullopt;
}

void StudyChain::run_stages(Work& work, RunOutcome& out) const {
  for (const auto& stage : stages_) work.options.push_back(stage->options);
  work.results.resize(stages_.size());
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (work.progress.stop_requested()) {
      out.stopped = true;
      return;
    }
    try {
      if (auto trouble = run_stage(work, s)) {
        out = std::move(*trouble);
        return;
      }
    } catch (const Error& error) {
      out.reason = fmt::format("{}: {}", stages_[s]->name, told(error));
      return;
    }
  }
  out.responses = responses_of(work);
  out.done = true;
}

std::vector<double> StudyChain::responses_of(const Work& work) const {
  std::vector<double> out;
  std::map<std::pair<std::size_t, std::string>, SignalSet> tables;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const Taken& taken = taken_[i];
    const StudyResponse& asked = asked_[i];
    const std::string where = "responses." + asked.name;
    if (!asked.value.empty()) {
      const Json& value = find_value(work.results[taken.stage], taken.path, where);
      if (value.is_boolean())
        out.push_back(value.get<bool>() ? 1.0 : 0.0);
      else if (value.is_number() && std::isfinite(value.get<double>()))
        out.push_back(value.get<double>());
      else
        throw_bad_input(where, fmt::format("{} is no number in this run", asked.value),
                        value.is_null() ? "it is not determined there" : "end the path at a number");
      continue;
    }
    auto& table = tables[{taken.stage, taken.path}];
    if (table.signals.empty()) {
      std::set<std::string> wanted;
      for (std::size_t k = 0; k < taken_.size(); ++k)
        if (taken_[k].stage == taken.stage && taken_[k].path == taken.path && !asked_[k].file.empty())
          wanted.insert(lower_case(asked_[k].channel));
      SignalTableOptions options;
      std::vector<std::string> names;
      options.wanted = [&](const std::string& name, const std::string&) {
        names.push_back(name);
        const std::string plain = lower_case(name);
        return wanted.contains(plain) || plain == "time" || plain == "t" || plain == "time_s";
      };
      const auto content = work.files.find(written_below + stages_[taken.stage]->name + "/" + taken.path);
      demand(content != work.files.end(), "a step keeps the files that are asked for");
      SignalSet read = signal_table_of_bytes(*content->second, asked.file, options);
      for (const std::string& name : wanted)
        if (read.find(name) == nullptr)
          throw_bad_input(where, fmt::format("{} has no channel {}", asked.file, in_quotes(asked.channel)),
                          suggest(asked.channel, names));
      table = evenly_sampled(read);
    }
    const Signal& signal = *table.find(asked.channel);
    if (const auto unit = parse_unit(asked.unit); unit && !asked.unit.empty() && !signal.unit.empty())
      if (const auto own = parse_unit(signal.unit); own && (!own->same_dimension(*unit) || unit->to_si != own->to_si))
        throw_bad_input(
            where + ".unit", fmt::format("{} is in {}", asked.channel, signal.unit),
            fmt::format("write \"unit\": \"{}\"; reports show it in the usual unit by themselves", signal.unit));
    out.push_back(statistic_of(signal, asked, where));
  }
  return out;
}

RunOutcome StudyChain::run(std::size_t index, const Progress& outer) const {
  RunOutcome out;
  try {
    Work work(index, *read_, outer, false);
    run_stages(work, out);
  } catch (const Error& error) {
    out.reason = told(error) + (error.remedy().empty() ? "" : "; " + error.remedy());
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about this run: the study ends, and goes on from its journal
  } catch (const std::exception& error) {
    out.reason = fmt::format("internal error: {}", error.what());
  }
  if (!out.done && outer.stop_requested()) out.stopped = true;
  return out;
}

std::vector<OutputFile> StudyChain::whole_run(std::size_t index, const std::string& folder,
                                              const Progress& outer) const {
  RunOutcome out;
  Work work(index, *read_, outer, true);
  run_stages(work, out);
  std::vector<OutputFile> files;
  for (std::size_t s = 0; s < work.outcomes.size(); ++s) {
    Outcome& outcome = work.outcomes[s];
    const std::string place = folder + "/" + stages_[s]->name + "/";
    for (OutputFile& file : outcome.files) files.push_back({place + file.name, std::move(file.content)});
    if (outcome.document) files.push_back({place + "report.html", report::to_html(*outcome.document)});
    files.push_back({place + "result.json", dump_json(outcome.result)});
  }
  for (auto& [path, content] : work.changed)
    if (!path.starts_with(written_below))
      files.push_back({folder + "/changed_" + fs::path(path).filename().string(), std::move(content)});
  return files;
}

std::vector<Source> StudyChain::files_read() const {
  std::vector<Source> out;
  const std::scoped_lock lock(read_->mutex);
  for (const auto& [path, hash] : read_->hashes) out.push_back({path, hash, {}});
  return out;
}

}  // namespace kdyn::app
