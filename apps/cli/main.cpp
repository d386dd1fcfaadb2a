// SPDX-License-Identifier: Apache-2.0
// The command line: maps words to operations of the registry and exit codes to what happened. No physics here.
//
//   kdyn <operation> [inputs] [--config job.json] [--set field=value] [--flag value] --out DIR
//
// Exit codes: 0 done, 2 bad options or file content, 3 not converged or stopped, 4 file missing or unreadable, 5
// internal; 130 and 143 ended by a signal before there was anything to write (stopping.hpp).
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kdyn/app/example_files.hpp"
#include "kdyn/app/job_folder.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/app/result_folder.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/io/nastran_deck.hpp"
#include "kdyn/mpi/ranks.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/report/cover.hpp"

#include "completion.hpp"
#include "default_folder.hpp"
#include "help.hpp"
#include "self_test.hpp"
#include "serve.hpp"
#include "stopping.hpp"
#include "terminal.hpp"

namespace {

using namespace kdyn;

// Under mpirun every rank does the same work and shares its tasks; only the first one writes and speaks.
bool speaks = true;

// What the words of one subcommand are read into.
struct Words {
  const app::Operation* operation = nullptr;
  std::map<std::string, std::vector<std::string>> flags;  // field name -> words
  std::string config, out, cover;
  std::vector<std::string> assignments;
  bool no_report = false, json = false, quiet = false, verbose = false;
};

// One flag per field, named after it. What --help says about them is written by help_of.
void add_flags(CLI::App& command, Words& words) {
  for (const Field& field : words.operation->options().fields()) {
    std::string names = (field.positional ? field.name + "," : "") + "--" + cli::flag_name(field.name);
    if (field.name.find('_') != std::string::npos) names += ",--" + field.name;
    for (const std::string& alias : field.aliases) names += ",--" + cli::flag_name(alias);
    CLI::Option* option = command.add_option(names, words.flags[field.name]);
    const bool list = field.kind == FieldKind::texts || field.kind == FieldKind::numbers ||
                      field.kind == FieldKind::integers || field.kind == FieldKind::number_map ||
                      field.kind == FieldKind::text_map;
    option->allow_extra_args(list);
    if (list)
      option->expected(1, 1 << 20);
    else
      option->expected(1)->multi_option_policy(field.kind == FieldKind::any ? CLI::MultiOptionPolicy::TakeAll
                                                                            : CLI::MultiOptionPolicy::TakeLast);
    if (field.kind == FieldKind::flag) option->expected(0, 1);
  }
  command.add_option("--config", words.config);
  command.add_option("--set", words.assignments)->allow_extra_args(false);
  command.add_option("--out", words.out);
  command.add_option("--cover", words.cover);
  command.add_flag("--no-report", words.no_report);
  command.add_flag("--json", words.json);
  command.add_flag("--quiet", words.quiet);
  command.add_flag("--verbose", words.verbose);
}

Json options_of(const Words& words) {
  const FieldTable& table = words.operation->options();
  Json options = Json::object();
  if (!words.config.empty()) {
    Json config = read_json(words.config);
    if (!config.is_object())
      throw_bad_input(words.config, "a job file must be a JSON object", R"(write {"field": value, ...})");
    for (const auto& [key, value] : config.items()) {
      const Field* field = table.find(key);
      if (field == nullptr)
        throw_bad_input(words.config + ": " + key,
                        fmt::format("unknown field {} of {}", in_quotes(key), table.subject()),
                        suggest(key, table.names()));
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

cli::Speech speech_of(const Words& words) {
  if (words.quiet || !speaks) return cli::Speech::quiet;
  return words.verbose ? cli::Speech::verbose : cli::Speech::normal;
}

// A folder that nobody asked for costs no result where it cannot be written.
void open_default_folder(const std::string& name, std::optional<app::ResultFolder>& folder, std::string& out) {
  try {
    out = cli::free_folder(name);
    folder.emplace(out);
  } catch (const Error& error) {
    std::fputs(fmt::format("kdyn: {}: {}; nothing is written\n", out, error.message()).c_str(), stderr);
    folder.reset();
  }
}

int run(const Words& words) {
  cli::take_signals();
  // Read first: nobody waits for a run to learn that its cover is none.
  std::optional<report::Cover> cover;
  if (!words.cover.empty()) cover = report::read_cover(words.cover);
  std::optional<app::ResultFolder> folder;
  std::string out = words.out;
  const std::string by_default =
      out.empty() && !words.json ? cli::default_folder(*words.operation, options_of(words)) : "";
  const auto open_folder = [&](int) {
    if (by_default.empty())
      folder.emplace(out);
    else
      open_default_folder(by_default, folder, out);
    return std::vector<double>();
  };
  // The first rank opens it; as a task, so that all ranks end when it cannot.
  const bool wanted = !out.empty() || !by_default.empty();
  if (wanted && task_runner().ranks() > 1)
    task_runner().run(1, open_folder);
  else if (wanted)
    open_folder(0);
  app::Outcome outcome;
  try {
    cli::TerminalProgress progress(speech_of(words), folder ? &*folder : nullptr, !words.no_report, &cli::is_stopped);
    const cli::StopLimit limit(folder ? &*folder : nullptr);
    allow_includes_from_anywhere();  // the files are the user's own, unlike those of a server
    outcome = app::run_operation(*words.operation, options_of(words), progress);
  } catch (const std::exception&) {
    if (folder && folder->has_earlier_result())
      std::fputs(fmt::format("kdyn: {}/result.json is of an earlier run\n", out).c_str(), stderr);
    throw;
  }
  if (!speaks) return outcome.complete ? 0 : 3;
  std::vector<std::string> written;
  std::optional<Error> trouble;
  try {
    if (folder) written = folder->write(outcome, !words.no_report);
    if (cover && folder && !words.no_report && outcome.document) report::put_cover(out, *cover);
  } catch (const Error& error) {
    trouble = error;
  }
  // What was computed is told even when the disk does not take it.
  if (words.json) {
    fmt::print("{}", dump_json(outcome.result));
  } else if (!words.quiet) {
    fmt::print("{}", cli::with_colours(outcome.text));
    for (const std::string& path : written) fmt::print("wrote {}\n", path);
    if (!folder && outcome.document) fmt::print("give --out DIR to get result.json and a report\n");
    fmt::print("{}", cli::verdict(outcome));
  }
  if (trouble) throw *trouble;
  return outcome.complete ? 0 : 3;
}

int describe(const std::vector<std::string>& name, bool json) {
  const std::string joined = join(name, " ");
  const app::Operation* only = nullptr;
  std::vector<std::string> known;
  for (const app::Operation& operation : app::operations()) known.push_back(operation.name);
  if (!joined.empty()) {
    only = app::find_operation(joined);
    if (only == nullptr)
      throw_bad_input("describe", fmt::format("unknown operation {}", in_quotes(joined)), suggest(joined, known));
  }
  const Json all = app::describe_operations(only);
  if (json) {
    fmt::print("{}", dump_json(all));
    return 0;
  }
  for (const Json& operation : all["operations"]) {
    fmt::print("{}: {}\n", operation["operation"].get<std::string>(), operation["summary"].get<std::string>());
    for (const Json& field : operation["fields"])
      fmt::print("  {:<24} {:<10} {}\n", field["name"].get<std::string>(), field["unit"].get<std::string>(),
                 field["meaning"].get<std::string>());
  }
  return 0;
}

// Without a name the list of what there is.
int example(const std::string& name, const std::string& out) {
  if (!name.empty()) {
    const std::string folder = out.empty() ? name : out;
    for (const std::string& path : app::write_example(name, folder)) fmt::print("wrote {}\n", path);
    fmt::print("{}/README.txt says what to try\n", folder);
    return 0;
  }
  for (const app::BundledExample& one : app::bundled_examples()) fmt::print("{:<16}{}\n", one.name, one.title);
  fmt::print("kdyn example NAME writes one into the folder NAME, or into --out DIR\n");
  return 0;
}

// The page of the program, of a group ("fit") or of an operation.
int help(const std::vector<std::string>& words) {
  const std::string name = join(words, " ");
  std::vector<std::string> known;
  bool group = false;
  for (const app::Operation& operation : app::operations()) {
    known.push_back(operation.name);
    group = group || operation.name.starts_with(name + " ");
  }
  if (name.empty())
    fmt::print("{}", cli::help_of_program());
  else if (const app::Operation* operation = app::find_operation(name))
    fmt::print("{}", cli::help_of(*operation));
  else if (group)
    fmt::print("{}", cli::help_of_group(name));
  else
    throw_bad_input("help", fmt::format("unknown operation {}", in_quotes(name)), suggest(name, known));
  return 0;
}

int fail(const Error& error) {
  if (!speaks) return static_cast<int>(error.code());
  std::fputs(fmt::format("{} {}{}{}\n", cli::painted("kdyn:", cli::Colour::red, 2), error.where(),
                         error.where().empty() ? "" : ": ", error.message())
                 .c_str(),
             stderr);
  if (!error.remedy().empty()) std::fputs(fmt::format("  remedy: {}\n", error.remedy()).c_str(), stderr);
  return static_cast<int>(error.code());
}

// Says in plain words which word was not understood, and which one was probably meant.
int fail_words(const CLI::ParseError& error, const CLI::App& application) {
  const CLI::App* deepest = &application;
  std::string path = "kdyn";
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().front();
    path += " " + deepest->get_name();
  }
  const auto below = deepest->get_subcommands([](const CLI::App*) { return true; });
  const std::vector<std::string> words = application.remaining(true);
  std::vector<std::string> known;
  std::string message = error.what();
  std::string remedy;
  const auto option =
      std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.starts_with("-"); });
  const bool missing = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  if (missing) {
    message = fmt::format("{} needs a value", message.substr(0, message.find(':')));
  } else if (!below.empty() && words.empty()) {
    message = "no operation is given";
  } else if (!below.empty() && option != words.begin()) {
    for (const CLI::App* sub : below) known.push_back(sub->get_name());
    message = fmt::format("unknown operation {}", in_quotes((path + " " + words.front()).substr(5)));
    if (const auto near = closest(words.front(), known)) remedy = fmt::format("did you mean {} {}? ", path, *near);
  } else if (!words.empty()) {
    const std::string& word = option != words.end() ? *option : words.front();
    for (const CLI::Option* one : deepest->get_options())
      for (const std::string& name : one->get_lnames()) known.push_back("--" + name);
    message = fmt::format("unknown {} {} of {}", word.starts_with("-") ? "option" : "word", in_quotes(word), path);
    if (const auto near = closest(word, known)) remedy = fmt::format("did you mean {}? ", *near);
  }
  std::fputs(fmt::format("kdyn: {}\n  remedy: {}{} --help lists what is known\n", message, remedy, path).c_str(),
             stderr);
  return static_cast<int>(ErrorCode::bad_input);
}

int main_checked(int argc, char** argv) {
  CLI::App application{"", "kdyn"};
  application.set_version_flag("--version", fmt::format("kdyn {} ({})", version(), revision()));
  application.require_subcommand(1);
  const auto set_help = [](CLI::App& command, std::function<std::string()> text) {
    command.formatter_fn([text = std::move(text)](const CLI::App*, std::string, CLI::AppFormatMode) { return text(); });
  };
  set_help(application, &cli::help_of_program);
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
        groups[group] = application.add_subcommand(group, "");
        groups[group]->require_subcommand(1);
        set_help(*groups[group], [group] { return cli::help_of_group(group); });
      }
      parent = groups[group];
    }
    CLI::App* command = parent->add_subcommand(last, "");
    set_help(*command, [&operation] { return cli::help_of(operation); });
    // Those of the others would be a third of the program's start.
    if (std::find(argv + 1, argv + std::max(argc, 1), last) != argv + std::max(argc, 1)) add_flags(*command, words);
    command->callback([&code, &words] { code = run(words); });
  }
  std::vector<std::string> described;
  bool described_json = false;
  // Plain pages of CLI11 for what is no operation.
  const auto plain_help = [](CLI::App& command) { command.formatter(std::make_shared<CLI::Formatter>()); };
  CLI::App* description = application.add_subcommand("describe", "Print operations and their options");
  plain_help(*description);
  description->add_option("operation", described, "Only this operation");
  description->add_flag("--json", described_json, "As JSON schema");
  description->callback([&] { code = describe(described, described_json); });
  std::string example_name, example_out;
  CLI::App* examples = application.add_subcommand("example", "Write a bundled example into a folder, or list them");
  plain_help(*examples);
  examples->add_option("name", example_name, "Which one; none: the list");
  examples->add_option("--out", example_out, "Folder, which must be new or empty; by default the name");
  examples->callback([&] { code = example(example_name, example_out); });
  server::ServeOptions serving;
  bool no_browser = false;
  CLI::App* web = application.add_subcommand("serve", "The web application on this machine");
  plain_help(*web);
  web->add_option("--project", serving.project, "Folder of the project; made if missing")->capture_default_str();
  CLI::Option* port = web->add_option("--port", serving.port, "Port on 127.0.0.1; 0 takes any that is free")
                          ->check(CLI::Range(0, 65535))
                          ->capture_default_str();
  web->add_option("--jobs", serving.jobs, "Jobs that run at once")->check(CLI::Range(1, 64))->capture_default_str();
  web->add_option("--max-upload-mb", serving.max_upload_mb, "Largest file that can be dropped")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  web->add_option("--job-hours", serving.job_hours, "Longest run of a job, in hours")
      ->check(CLI::Range(1e-4, 1e5))
      ->capture_default_str();
  web->add_flag("--no-browser", no_browser, "Do not open the browser");
  web->callback([&] {
    serving.browser = !no_browser;
    serving.port_given = port->count() > 0;
    code = server::serve(serving);
  });
  std::string job;
  CLI::App* job_command = application.add_subcommand("job", "Run the job of a folder of the web application");
  plain_help(*job_command);
  job_command->add_option("folder", job, "Folder with job.json")->required();
  job_command->callback([&] {
    cli::take_signals();
    const cli::StopLimit limit(nullptr);  // the next run of the job removes what is left
    code = app::run_job_folder(job, &cli::is_stopped);
  });
  std::vector<std::string> asked;
  CLI::App* help_command = application.add_subcommand("help", "Print help on an operation");
  plain_help(*help_command);
  help_command->add_option("operation", asked, "Which one; none: the list");
  help_command->callback([&] { code = help(asked); });
  std::string shell;
  CLI::App* completion = application.add_subcommand("completion", "Print what makes a shell complete words of kdyn");
  plain_help(*completion);
  completion->add_option("shell", shell, "bash, zsh or fish")->required();
  completion->callback([&] { fmt::print("{}", cli::completion_of(shell)); });
  CLI::App* manual = application.add_subcommand("man", "Print the manual page");
  plain_help(*manual);
  manual->callback([] { fmt::print("{}", cli::manual_page()); });
  CLI::App* check = application.add_subcommand("self-test", "Check this installation on the bundled data");
  plain_help(*check);
  check->callback([&] { code = cli::self_test(); });
  try {
    if (argc < 2) return help({});
    application.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return application.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail_words(error, application);
  }
  return code;
}

}  // namespace

namespace {

int main_guarded(int argc, char** argv) {
  try {
    kdyn::mpi::Ranks ranks(argc, argv);
    kdyn::mpi::RankRunner runner(ranks);
    if (ranks.size() > 1) kdyn::set_task_runner(&runner);
    speaks = ranks.first();
    const int code = main_checked(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw kdyn::Error(kdyn::ErrorCode::file_access, "not everything could be written there", "standard output",
                        "is the disk full?");
    return code;
  } catch (const kdyn::Error& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::system_error& error) {
    return fail(kdyn::Error(kdyn::ErrorCode::file_access, error.what(), "",
                            "the system refused what kdyn needs: room on the disk, threads or files"));
  } catch (const std::exception& error) {
    std::fputs(fmt::format(
                   "kdyn: internal error: {}\n  remedy: please report this with the command line and the input files\n",
                   error.what())
                   .c_str(),
               stderr);
    return static_cast<int>(kdyn::ErrorCode::internal);
  }
}

// Where memory is at its end, a message that is put together would be the next failure; and matrices that were resized
// then hold what they gave back already (Eigen 3.4): those that live to the end of the program must not be taken down.
[[noreturn]] void end_without_memory() {
  const bool written = app::ResultFolder::has_published();
  if (speaks) {
    std::fputs(written ? "kdyn: the result is written, its report is not: " : "kdyn: memory: ", stderr);
    std::fputs(app::memory_message, stderr);
    std::fputs("\n  remedy: ", stderr);
    std::fputs(app::memory_remedy, stderr);
    std::fputs("\n", stderr);
  }
  std::fflush(nullptr);
  ::_exit(static_cast<int>(written ? ErrorCode::file_access : ErrorCode::bad_input));
}

std::atomic<bool> memory_ended{false};
void on_no_memory() {
  memory_ended = true;
  throw std::bad_alloc();
}

// Destructors that need memory (those of nlohmann's Json and of Ceres do) have no other way to tell.
void on_terminate() {
  if (memory_ended) end_without_memory();
  if (const std::exception_ptr what = std::current_exception()) try {
      std::rethrow_exception(what);
    } catch (const std::bad_alloc&) {
      end_without_memory();
    } catch (...) {
    }
  std::fputs(
      "kdyn: internal error: an exception where none may be\n  remedy: please report this with the command line "
      "and the input files\n",
      stderr);
  ::_exit(static_cast<int>(ErrorCode::internal));
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(&on_terminate);
  std::set_new_handler(&on_no_memory);
  try {
    return main_guarded(argc, argv);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  }
}
