// SPDX-License-Identifier: Apache-2.0
#include "completion.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"

#include "help.hpp"

namespace kdyn::cli {
namespace {

const std::vector<std::string> other_commands = {"example",    "serve", "describe", "help",
                                                 "completion", "man",   "self-test"};
const std::vector<std::string> flags_of_all = {"--out",  "--config", "--set",     "--cover", "--no-report",
                                               "--json", "--quiet",  "--verbose", "--help"};

std::vector<std::string> flags_of(const app::Operation& operation) {
  std::vector<std::string> out;
  for (const Field& field : operation.options().fields()) out.push_back("--" + flag_name(field.name));
  out.insert(out.end(), flags_of_all.begin(), flags_of_all.end());
  return out;
}

// First words, and second words of groups ("fit").
std::map<std::string, std::vector<std::string>> groups(std::vector<std::string>& first) {
  std::map<std::string, std::vector<std::string>> out;
  for (const app::Operation& operation : app::operations()) {
    const auto blank = operation.name.find(' ');
    const std::string word = operation.name.substr(0, blank);
    if (first.empty() || first.back() != word) first.push_back(word);
    if (blank != std::string::npos) out[word].push_back(operation.name.substr(blank + 1));
  }
  first.insert(first.end(), other_commands.begin(), other_commands.end());
  return out;
}

// Words after an option with choices; else files, which the shell knows.
std::string bash_choices(const app::Operation& operation) {
  std::string out;
  for (const Field& field : operation.options().fields())
    if (!field.choices.empty())
      out += fmt::format("      --{}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", flag_name(field.name),
                         join(field.choices, " "));
  return out.empty() ? out : fmt::format("    case \"$before\" in\n{}    esac\n", out);
}

std::string bash(const std::string& name) {
  std::vector<std::string> first;
  const auto second = groups(first);
  std::string out = name +
                    "() {\n  local word=${COMP_WORDS[COMP_CWORD]} "
                    "before=${COMP_WORDS[COMP_CWORD-1]} operation=${COMP_WORDS[1]} flags=''\n  COMPREPLY=()\n";
  out += fmt::format("  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '{}' -- \"$word\")); return; fi\n",
                     join(first, " "));
  for (const auto& [group, words] : second)
    out += fmt::format(
        "  if [[ $operation == {} ]]; then\n    if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W '{}' -- "
        "\"$word\")); return; fi\n    operation=\"{} ${{COMP_WORDS[2]}}\"\n  fi\n",
        group, join(words, " "), group);
  out += "  case \"$operation\" in\n";
  for (const app::Operation& operation : app::operations())
    out += fmt::format("  '{}')\n{}    flags='{}' ;;\n", operation.name, bash_choices(operation),
                       join(flags_of(operation), " "));
  out +=
      "  esac\n  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")); else "
      "COMPREPLY=($(compgen "
      "-f -- \"$word\")); fi\n}\ncomplete -o filenames -F " +
      name + " kdyn\n";
  return out;
}

std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return "'" + out + "'";
}

std::string fish() {
  std::string out = "# kdyn: kdyn completion fish | source\n";
  for (const app::Operation& operation : app::operations()) {
    const auto blank = operation.name.find(' ');
    const std::string word = operation.name.substr(0, blank);
    const std::string seen = fmt::format("__fish_seen_subcommand_from {}", word);
    std::string condition = seen;
    if (blank == std::string::npos) {
      out += fmt::format("complete -c kdyn -n __fish_use_subcommand -a {} -d {}\n", word, fish_text(operation.summary));
    } else {
      const std::string second = operation.name.substr(blank + 1);
      out += fmt::format("complete -c kdyn -n __fish_use_subcommand -a {}\n", word);
      out += fmt::format("complete -c kdyn -n {} -a {} -d {}\n", fish_text(seen), second, fish_text(operation.summary));
      condition += fmt::format("; and __fish_seen_subcommand_from {}", second);
    }
    for (const Field& field : operation.options().fields())
      out += fmt::format("complete -c kdyn -n {} -l {} -r -d {}{}\n", fish_text(condition), flag_name(field.name),
                         fish_text(field.meaning),
                         field.choices.empty() ? "" : " -f -a " + fish_text(join(field.choices, " ")));
  }
  for (const std::string& word : other_commands) out += "complete -c kdyn -n __fish_use_subcommand -a " + word + "\n";
  return out;
}

// Text of a man page: a point or apostrophe at the start of a line and a backslash are commands.
std::string roff(const std::string& text) {
  std::string out = text.starts_with(".") || text.starts_with("'") ? "\\&" : "";
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return out;
}

}  // namespace

std::string completion_of(const std::string& shell) {
  if (shell == "bash") return "# kdyn: source <(kdyn completion bash)\n" + bash("_kdyn");
  // Installed as a file _kdyn, zsh runs it when the first word is to be completed: the last line does that, too.
  if (shell == "zsh")
    return "#compdef kdyn\n# kdyn: source <(kdyn completion zsh)\nautoload -U bashcompinit && bashcompinit\n" +
           bash("_kdyn_words") + "[[ $funcstack[1] != _kdyn ]] || _bash_complete -o filenames -F _kdyn_words\n";
  if (shell == "fish") return fish();
  throw_bad_input("completion", fmt::format("there is none for {}", in_quotes(shell)),
                  "bash, zsh and fish are known, e.g. source <(kdyn completion bash)");
}

std::string manual_page() {
  std::string out = fmt::format(
      ".TH KDYN 1 \"\" \"kdyn {}\" \"kdyn\"\n.SH NAME\nkdyn \\- models of rubber bushings and mounts from "
      "measurements\n.SH SYNOPSIS\n.B kdyn\n.I operation\n[inputs] [options] \\-\\-out\n.I folder\n",
      roff(version()));
  out +=
      ".SH DESCRIPTION\nEach operation writes result.json and report.html into the folder given by \\-\\-out.\n"
      ".SH OPERATIONS\n";
  for (const app::Operation& operation : app::operations()) {
    out += fmt::format(".SS {}\n{}.\n", roff(operation.name), roff(operation.summary));
    for (const Field& field : operation.options().fields())
      out += fmt::format(".TP\n.B \\-\\-{}{}\n{}\n", roff(flag_name(field.name)),
                         field.unit == "-" || field.unit.empty() ? "" : " " + roff(field.unit), roff(field.meaning));
    out += fmt::format(".PP\nExample: {}\n", roff(operation.example));
  }
  out +=
      ".SH EXIT STATUS\n0 done, 2 bad options or file content, 3 not converged or stopped, 4 file missing or "
      "unreadable, 5 internal error\n";
  return out;
}

}  // namespace kdyn::cli
