// SPDX-License-Identifier: Apache-2.0
// The command line: maps words to operations of the registry and exit codes to what happened. No physics here.
//
//   kdyn <operation> [inputs] [--config job.json] [--set field=value] [--flag value] --out DIR
//
// Exit codes: 0 done, 2 bad options or file content, 3 not converged or stopped, 4 file missing or unreadable, 5 internal.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"

namespace {

using namespace kdyn;

std::atomic<bool> stop_flag{false};

extern "C" void on_interrupt(int) { stop_flag = true; }

// A bar on a terminal, a line at each tenth otherwise; both on stderr.
class TerminalProgress final : public Progress {
 public:
  explicit TerminalProgress(bool quiet) : quiet_(quiet), terminal_(::isatty(2) != 0) {}
  ~TerminalProgress() override {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  void report(double fraction, std::string_view what) override {
    if (quiet_) return;
    const int tenth = static_cast<int>(10.0 * fraction);
    if (terminal_) {
      const int filled = static_cast<int>(30.0 * std::clamp(fraction, 0.0, 1.0));
      fmt::print(stderr, "\r\033[K[{:<30}] {:3.0f} % {}", std::string(static_cast<std::size_t>(filled), '#'), 100.0 * fraction, what);
      std::fflush(stderr);
      drawn_ = true;
    } else if (tenth != last_tenth_ && fraction < 1.0) {
      fmt::print(stderr, "{:.0f} % {}\n", 100.0 * fraction, what);
    }
    last_tenth_ = tenth;
  }
  bool stop_requested() const override { return stop_flag; }

 private:
  bool quiet_, terminal_, drawn_ = false;
  int last_tenth_ = -1;
};

// What the words of one subcommand are read into.
struct Words {
  const app::Operation* operation = nullptr;
  std::map<std::string, std::vector<std::string>> flags;  // field name -> words
  std::string config, out;
  std::vector<std::string> assignments;
  bool no_report = false, json = false, quiet = false;
};

std::string hyphenated(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// One flag per field, named after it, with its meaning, unit and rule as help.
void add_flags(CLI::App& command, Words& words) {
  for (const Field& field : words.operation->options().fields()) {
    std::string names = (field.positional ? field.name + "," : "") + "--" + hyphenated(field.name);
    if (field.name.find('_') != std::string::npos) names += ",--" + field.name;
    for (const std::string& alias : field.aliases) names += ",--" + hyphenated(alias);
    CLI::Option* option = command.add_option(names, words.flags[field.name], fmt::format("{} [{}]", field.meaning, field.rule()));
    const bool list = field.kind == FieldKind::texts || field.kind == FieldKind::numbers || field.kind == FieldKind::number_map;
    option->type_name(field.unit == "-" ? "" : field.unit)->allow_extra_args(list);
    if (list)
      option->expected(1, 1 << 20);
    else
      option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    if (field.kind == FieldKind::flag) option->expected(0, 1);
  }
  command.add_option("--config", words.config, "Job file: a JSON object of these fields; flags win over it");
  command.add_option("--set", words.assignments, "field=value, the value as JSON or text; may be repeated")->allow_extra_args(false);
  command.add_option("--out", words.out, "Folder for result.json, report.html and other files");
  command.add_flag("--no-report", words.no_report, "Write no report.html");
  command.add_flag("--json", words.json, "Print result.json on standard output");
  command.add_flag("--quiet", words.quiet, "No progress, no summary");
  command.footer("Example: " + words.operation->example);
}

Json options_of(const Words& words) {
  const FieldTable& table = words.operation->options();
  Json options = Json::object();
  if (!words.config.empty()) {
    Json config = read_json(words.config);
    if (!config.is_object()) throw_bad_input(words.config, "a job file must be a JSON object", R"(write {"field": value, ...})");
    for (const auto& [key, value] : config.items()) {
      const Field* field = table.find(key);
      if (field == nullptr) throw_bad_input(words.config + ": " + key, fmt::format("unknown field {} of {}", in_quotes(key), table.subject()), suggest(key, table.names()));
      options[field->name] = value;
    }
  }
  for (const auto& [name, values] : words.flags) {
    if (values.empty()) continue;
    const Field& field = *table.find(name);
    // A flag without a word means true; CLI11 hands it over as an empty text.
    if (field.kind == FieldKind::flag && values.front().empty())
      options[name] = true;
    else
      options[name] = app::value_from_words(field, values);
  }
  for (const std::string& assignment : words.assignments) app::set_from_text(options, table, assignment);
  return options;
}

int run(const Words& words) {
  std::signal(SIGINT, &on_interrupt);
  std::signal(SIGTERM, &on_interrupt);
  app::Outcome outcome;
  {
    TerminalProgress progress(words.quiet);
    outcome = app::run_operation(*words.operation, options_of(words), progress);
  }
  std::vector<std::string> written;
  if (!words.out.empty()) written = app::write_outcome(outcome, words.out, !words.no_report);
  if (words.json) {
    fmt::print("{}", dump_json(outcome.result));
  } else if (!words.quiet) {
    fmt::print("{}", outcome.text);
    for (const std::string& path : written) fmt::print("wrote {}\n", path);
    if (written.empty() && outcome.document) fmt::print("give --out DIR to get result.json and a report\n");
  }
  return outcome.complete ? 0 : 3;
}

int describe(const std::vector<std::string>& name, bool json) {
  const std::string joined = join(name, " ");
  const app::Operation* only = nullptr;
  std::vector<std::string> known;
  for (const app::Operation& operation : app::operations()) known.push_back(operation.name);
  if (!joined.empty()) {
    only = app::find_operation(joined);
    if (only == nullptr) throw_bad_input("describe", fmt::format("unknown operation {}", in_quotes(joined)), suggest(joined, known));
  }
  const Json all = app::describe_operations(only);
  if (json) {
    fmt::print("{}", dump_json(all));
    return 0;
  }
  for (const Json& operation : all["operations"]) {
    fmt::print("{}: {}\n", operation["operation"].get<std::string>(), operation["summary"].get<std::string>());
    for (const Json& field : operation["fields"])
      fmt::print("  {:<24} {:<10} {}\n", field["name"].get<std::string>(), field["unit"].get<std::string>(), field["meaning"].get<std::string>());
  }
  return 0;
}

int fail(const Error& error) {
  fmt::print(stderr, "kdyn: {}{}{}\n", error.where(), error.where().empty() ? "" : ": ", error.message());
  if (!error.remedy().empty()) fmt::print(stderr, "  remedy: {}\n", error.remedy());
  return static_cast<int>(error.code());
}

// Names the word that was not understood and the flag that was probably meant.
int fail_words(const CLI::ParseError& error, CLI::App& application) {
  CLI::App* deepest = &application;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  std::string remedy = fmt::format("see kdyn {}--help", deepest == &application ? "" : deepest->get_name() + " ");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    std::vector<std::string> known;
    for (const CLI::Option* option : deepest->get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const CLI::App* sub : deepest->get_subcommands([](CLI::App*) { return true; })) known.push_back(sub->get_name());
    for (const std::string& word : application.remaining(true))
      if (const auto near = closest(word, known)) remedy = fmt::format("did you mean {}? ", *near) + remedy;
  }
  fmt::print(stderr, "kdyn: {}\n  remedy: {}\n", error.what(), remedy);
  return static_cast<int>(ErrorCode::bad_input);
}

int main_checked(int argc, char** argv) {
  CLI::App application{"kdyn: models of rubber bushings and mounts from measurements", "kdyn"};
  application.set_version_flag("--version", fmt::format("kdyn {} ({})", version(), revision()));
  application.require_subcommand(1);
  application.footer("kdyn <operation> --help tells the options of an operation.");
  int code = 0;
  std::deque<Words> all;
  std::map<std::string, CLI::App*> groups;
  for (const app::Operation& operation : app::operations()) {
    Words& words = all.emplace_back();
    words.operation = &operation;
    CLI::App* parent = &application;
    std::string last = operation.name;
    if (const auto blank = operation.name.find(' '); blank != std::string::npos) {
      const std::string group = operation.name.substr(0, blank);
      last = operation.name.substr(blank + 1);
      if (!groups.contains(group)) {
        groups[group] = application.add_subcommand(group, "see kdyn " + group + " --help");
        groups[group]->require_subcommand(1);
      }
      parent = groups[group];
    }
    CLI::App* command = parent->add_subcommand(last, operation.summary);
    add_flags(*command, words);
    command->callback([&code, &words] { code = run(words); });
  }
  std::vector<std::string> described;
  bool described_json = false;
  CLI::App* description = application.add_subcommand("describe", "Print operations and their options");
  description->add_option("operation", described, "Only this operation");
  description->add_flag("--json", described_json, "As JSON schema");
  description->callback([&] { code = describe(described, described_json); });
  try {
    application.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return application.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail_words(error, application);
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_checked(argc, argv);
  } catch (const kdyn::Error& error) {
    return fail(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "kdyn: internal error: {}\n  remedy: please report this with the command line and the input files\n", error.what());
    return static_cast<int>(kdyn::ErrorCode::internal);
  }
}
