// SPDX-License-Identifier: Apache-2.0
// From lines to cards: field formats, continuations, includes.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <deque>
#include <filesystem>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/nastran_cards.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::inline io {
namespace {

using internal::TextLine;
using internal::TextLines;

constexpr std::size_t deepest_include = 10, most_includes = 1000, longest_line = 4096;
constexpr std::int64_t most_replicas = 1'000'000;

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'') quoted = !quoted;
    if (line[i] == '$' && !quoted) return line.substr(0, i);
  }
  return line;
}

bool is_card_name(std::string_view name) {
  if (name.empty() || name.size() > 8 || !std::isalpha(static_cast<unsigned char>(name.front()))) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// One line cut into fields: name (or continuation mark), values, and the mark that asks for a continuation.
struct CutLine {
  std::string head;
  std::vector<std::string> values;
  std::string mark;
  bool large = false, continues = false;
};

CutLine cut(std::string_view line) {
  CutLine out;
  const bool comma = line.find(',') != std::string_view::npos;
  std::vector<std::string> all;
  if (comma) {
    for (std::size_t first = 0; first <= line.size();) {
      const std::size_t end = std::min(line.find(',', first), line.size());
      all.emplace_back(trim(line.substr(first, end - first)));
      first = end + 1;
    }
    // "CBUSH   12, 7, 1, 2": the name and its first value stand in one piece.
    if (const std::size_t blank = all.front().find_first_of(" \t");
        blank != std::string::npos && is_card_name(all.front().substr(0, blank))) {
      all.insert(all.begin() + 1, std::string(trim(std::string_view(all.front()).substr(blank))));
      all.front().resize(blank);
    }
    out.head = all.front();
    out.large = !out.head.empty() && out.head.back() == '*' && out.head != "*";
    out.large = out.large || (!out.head.empty() && out.head.front() == '*');
  } else {
    std::string padded;
    for (const char c : line) {
      if (c == '\t')
        padded.append(8 - padded.size() % 8, ' ');
      else
        padded += c;
    }
    const std::string_view text(padded);
    out.head = trim(internal::columns(text, 0, 8));
    out.large = !out.head.empty() && (out.head.back() == '*' || out.head.front() == '*');
    all.push_back(out.head);
    const std::size_t width = out.large ? 16 : 8, count = out.large ? 4 : 8;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(trim(internal::columns(text, 8 + i * width, width)));
    if (text.size() > 72) all.emplace_back(trim(internal::columns(text, 72, 8)));
  }
  const std::size_t count = out.large ? 4 : 8;
  all.resize(std::max(all.size(), count + 1));
  while (comma && all.size() > count + 2 && all.back().empty()) all.pop_back();  // a comma behind the mark
  // Free-field lines may hold more than a card has columns for; only the next one is a mark.
  if (all.size() == count + 2 && !all.back().empty() &&
      (!comma || all.back().front() == '+' || all.back().front() == '*')) {
    out.mark = all.back();
    all.pop_back();
  } else if (all.size() == count + 2 && all.back().empty()) {
    all.pop_back();
  }
  out.values.assign(all.begin() + 1, all.end());
  out.continues = out.head.empty() || out.head.front() == '+' || out.head.front() == '*';
  if (!out.continues && !out.head.empty() && out.head.back() == '*') {
    out.head.pop_back();
    out.head = trim(out.head);  // "CORD2R *"
  }
  return out;
}

class Reader {
 public:
  Reader(NastranDeck& deck, const IncludeReader& include) : deck_(deck), include_(include) {}

  void read(std::string_view content, const std::string& name) {
    bool bulk = !has_begin(content);
    deck_.files.push_back(name);
    total_bytes_ = content.size();
    std::deque<Source> stack;  // its elements stay where they are, and lines look into them
    stack.push_back({{}, TextLines(content), 0});
    while (!stack.empty() && !ended_) {
      TextLine line;
      if (!stack.back().lines.next(line)) {
        stack.pop_back();
        continue;
      }
      if (line.text.size() > longest_line) {
        complain(Severity::serious, "long_line", stack.back().file, line.number,
                 "the line is longer than 4096 characters and was skipped", "check that this is a text file");
        continue;
      }
      const std::string_view text = without_comment(line.text);
      const std::string_view bare = trim(text);
      if (bare.empty()) continue;
      const std::string first = upper(bare.substr(0, 8));
      if (first.starts_with("INCLUDE")) {
        // A name in quotes may go on over several lines.
        std::string rest(trim(bare.substr(7)));
        const std::size_t at = line.number;
        while (!rest.empty() && (rest.front() == '\'' || rest.front() == '"') &&
               rest.find(rest.front(), 1) == std::string::npos && rest.size() < longest_line &&
               stack.back().lines.next(line))
          rest += trim(line.text);
        open_include(rest, stack, at, !bulk);
      } else if (!bulk) {
        bulk = first.starts_with("BEGIN");
        if (!bulk) deck_.control.emplace_back(bare.substr(0, 200));
      } else if (first.starts_with("ENDDATA")) {
        ended_ = true;
      } else if (first.starts_with("BEGIN")) {
        if (upper(bare).find("SUPER") != std::string::npos) skip("BEGIN SUPER", stack.back().file, line.number);
        current_ = nowhere;
      } else if (bare.front() == '=') {
        replicate(text, stack.back().file, line.number);
      } else {
        take(text, stack.back().file, line.number);
      }
    }
    finish();
  }

 private:
  struct Source {
    std::string content;  // of an include; the deck's own is the caller's
    TextLines lines;
    std::uint32_t file = 0;
  };

  static bool has_begin(std::string_view content) {
    TextLines lines(content);
    TextLine line;
    while (lines.next(line)) {
      const std::string_view bare = trim(line.text.substr(0, std::min<std::size_t>(line.text.size(), 80)));
      if (bare.size() >= 5 && upper(bare.substr(0, 5)) == "BEGIN") return true;
    }
    return false;
  }

  void skip(const std::string& name, std::uint32_t file, std::size_t line) {
    if (deck_.skipped.size() >= 10000 && !deck_.skipped.contains(name)) return;
    last_skipped_ = name;
    if (++deck_.skipped[name] == 1) deck_.skipped_at[name] = fmt::format("{}:{}", deck_.files[file], line);
  }

  void complain(Severity severity, const char* code, std::uint32_t file, std::size_t line, const std::string& message,
                const std::string& remedy) {
    if (deck_.findings.size() < 200)
      deck_.findings.push_back({severity, code, fmt::format("{}:{}", deck_.files[file], line), message, remedy});
  }

  void open_include(std::string_view rest, std::deque<Source>& stack, std::size_t line, bool before_bulk) {
    rest = trim(rest);
    if (!rest.empty() && (rest.front() == '\'' || rest.front() == '"')) {
      rest.remove_prefix(1);
      rest = rest.substr(0, rest.find_first_of("'\""));
    }
    const std::string name(trim(rest));
    const std::uint32_t from = stack.back().file;
    std::string reason;
    std::optional<std::string> content;
    if (stack.size() >= deepest_include)
      reason = "includes are nested more than 10 deep";
    else if (deck_.files.size() >= most_includes)
      reason = "there are more than 1000 includes";
    else if (!include_)
      reason = "includes are not read here";
    else
      content = include_(name, deck_.files[from], reason);
    // What stands before CEND are statements of the solution, which hold nothing of the model.
    const bool executive =
        before_bulk && std::none_of(deck_.control.begin(), deck_.control.end(),
                                    [](const auto& text) { return upper(text).starts_with("CEND"); });
    if (!content && executive) {
      complain(Severity::warning, "include", from, line,
               fmt::format("include {} of the executive control was not read: {}", in_quotes(name), reason),
               "nothing, when it holds statements of the solution alone");
      return;
    }
    if (!content) {
      complain(Severity::serious, "include", from, line,
               fmt::format("include {} was not read: {}", in_quotes(name), reason),
               "put the file beside the deck and name it by a relative path, or correct the name");
      return;
    }
    deck_.files.push_back(name);
    total_bytes_ += content->size();
    stack.push_back({std::move(*content), TextLines({}), static_cast<std::uint32_t>(deck_.files.size() - 1)});
    stack.back().lines = TextLines(stack.back().content);
  }

  // "=" repeats the card above: = keeps a field, == it and all behind it, *x or *(x) adds x; =n or =(n) does the last
  // such line n times more.
  void replicate(std::string_view text, std::uint32_t file, std::size_t line) {
    if (current_ == nowhere && !last_skipped_.empty()) return skip(std::string(last_skipped_), file, line);
    const CutLine own = cut(text);
    const auto bare_number = [](std::string_view field) {
      field = trim(field);
      if (field.starts_with('(') && field.ends_with(')')) field = field.substr(1, field.size() - 2);
      return field;
    };
    std::size_t times = 1;
    CutLine pattern = own;
    if (own.head != "=") {
      const auto count = internal::field_integer(bare_number(std::string_view(own.head).substr(1)));
      if (!count || *count < 1 || *count > most_replicas || pattern_.values.empty()) return bad_replica(file, line);
      times = static_cast<std::size_t>(*count), pattern = pattern_;
    }
    pattern_ = pattern;
    for (; times > 0; --times) {
      if (current_ == nowhere || widths_[current_] > 8 || deck_.cards.size() > most_replicas)
        return bad_replica(file, line);
      const NastranCard& last = deck_.cards[current_];
      CutLine made;
      made.head = last.name;
      bool rest = false;
      for (std::size_t i = 0; i < 8; ++i) {
        const std::string above(last.field(2 + i));
        const std::string_view wish = rest || i >= pattern.values.size() ? "=" : std::string_view(pattern.values[i]);
        rest = rest || wish == "==";
        if (wish == "=" || wish == "==") {
          made.values.push_back(above);
        } else if (wish.starts_with('*')) {
          const std::string_view step = bare_number(wish.substr(1));
          const std::string from = above.empty() ? "0" : above;
          const auto whole = internal::field_integer(from), by = internal::field_integer(step);
          const auto real = nastran_number(from), real_by = nastran_number(step);
          if (!real || !real_by) return bad_replica(file, line);
          made.values.push_back(whole && by ? std::to_string(*whole + *by) : fmt::format("{:.16E}", *real + *real_by));
        } else {
          made.values.emplace_back(wish);
        }
      }
      add(made, made.head, file, line);
    }
  }
  void bad_replica(std::uint32_t file, std::size_t line) {
    complain(Severity::serious, "replication", file, line, "the repetition (=) could not be followed",
             "write the cards out; only cards of one line are repeated");
  }

  void take(std::string_view text, std::uint32_t file, std::size_t line) {
    CutLine cut_line = cut(text);
    if (cut_line.continues) {
      continue_card(cut_line, file, line);
      return;
    }
    const std::string name = upper(cut_line.head);
    if (!is_card_name(name)) {
      // Free text of a card that is not used (DEQATN, ADAPT) goes on over lines of any shape.
      if (current_ == nowhere && !last_skipped_.empty() &&
          (internal::is_space(text.front()) || internal::is_digit(text.front())))
        return;
      if (strange_++ == 0)
        complain(Severity::warning, "no_card", file, line,
                 fmt::format("{} is no card; it was skipped", in_quotes(text)), "check the line");
      current_ = nowhere;
      return;
    }
    if (role_of_card(name) != CardRole::used) {
      skip(name, file, line);
      current_ = nowhere;
      last_mark_ = cut_line.mark;
      return;
    }
    if (deck_.cards.size() > 10000 && held_ > 16 * total_bytes_) {
      complain(Severity::serious, "too_many_cards", file, line,
               "the cards are shorter than cards can be; the rest of the deck was not read",
               "check that this is bulk data");
      ended_ = true;
      return;
    }
    add(cut_line, name, file, line);
  }

  void add(const CutLine& cut_line, const std::string& name, std::uint32_t file, std::size_t line) {
    current_ = deck_.cards.size();
    deck_.cards.emplace_back();
    deck_.cards.back().name = name, deck_.cards.back().file = file, deck_.cards.back().line = line;
    widths_.push_back(0);
    append(current_, cut_line);
    remember_mark(cut_line.mark);
  }

  void continue_card(CutLine& cut_line, std::uint32_t file, std::size_t line) {
    std::string head = cut_line.head;
    if (!head.empty()) head.erase(0, 1);
    std::string last = last_mark_;
    if (!last.empty() && (last.front() == '+' || last.front() == '*')) last.erase(0, 1);
    std::size_t owner = current_;
    // A mark that is not the one of the line above belongs to a card further up.
    if (!head.empty() && trim(head) != trim(last))
      if (const auto found = marks_.find(std::string(trim(head))); found != marks_.end()) owner = found->second;
    if (owner == nowhere) {
      if (deck_.cards.empty() && deck_.skipped.empty())
        complain(Severity::warning, "no_parent", file, line, "a continuation without a card was skipped",
                 "check the line above");
      return;
    }
    append(owner, cut_line);
    current_ = owner;
    remember_mark(cut_line.mark);
  }

  // Trailing blank fields are held back until a continuation needs them.
  void append(std::size_t owner, const CutLine& cut_line) {
    NastranCard& card = deck_.cards[owner];
    std::size_t used = cut_line.values.size();
    while (used > 0 && cut_line.values[used - 1].empty()) --used;
    if (used > 0)
      while (card.last_field() - 1 < widths_[owner]) card.append({});
    for (std::size_t i = 0; i < used; ++i) card.append(cut_line.values[i]);
    // Lines without content do not push fields apart without bound.
    if (widths_[owner] - (card.last_field() - 1) < 64 || used > 0)
      widths_[owner] += static_cast<std::uint32_t>(cut_line.values.size());
    held_ += sizeof(NastranCard) + 12 * cut_line.values.size();
  }

  void remember_mark(const std::string& mark) {
    last_mark_ = mark;
    std::string_view bare(mark);
    if (!bare.empty() && (bare.front() == '+' || bare.front() == '*')) bare.remove_prefix(1);
    if (!trim(bare).empty() && current_ != nowhere) marks_[std::string(trim(bare))] = current_;
  }

  void finish() {
    if (strange_ > 1)
      complain(Severity::warning, "no_card", 0, 0, fmt::format("{} lines are no cards and were skipped", strange_),
               "check that this is bulk data");
    for (const auto& [name, count] : deck_.skipped) {
      if (deck_.findings.size() >= 400) break;
      deck_.findings.push_back({Severity::note, "card_skipped", deck_.files[0],
                                fmt::format("{} card{} {} not used", count, count == 1 ? "" : "s", name),
                                "nothing, unless the model needs it"});
    }
  }

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  NastranDeck& deck_;
  const IncludeReader& include_;
  std::unordered_map<std::string, std::size_t> marks_;
  std::string last_mark_;
  std::string last_skipped_;
  CutLine pattern_;                    // of the last line with "="
  std::vector<std::uint32_t> widths_;  // fields of each card with the blank ones held back
  std::size_t current_ = nowhere, strange_ = 0, total_bytes_ = 0, held_ = 0;
  bool ended_ = false;
};

}  // namespace

bool looks_like_nastran(std::string_view content) {
  TextLines lines(content.substr(0, std::size_t{1} << 16));
  TextLine line;
  std::size_t cards = 0, others = 0;
  const std::vector<std::string>& known = known_nastran_cards();
  while (lines.next(line) && cards < 3 && others < 200) {
    const std::string_view bare = trim(without_comment(line.text.substr(0, 200)));
    if (bare.empty()) continue;
    const std::string word = upper(bare.substr(0, bare.find_first_of(" ,*\t")));
    if (word == "BEGIN" || word == "CEND") return true;
    const bool card = std::find(known.begin(), known.end(), word) != known.end();
    ++(card ? cards : others);
  }
  return cards >= 3 || (cards > 0 && others <= cards);
}

NastranDeck parse_nastran(std::string_view content, const std::string& name, const IncludeReader& include) {
  if (content.substr(0, 4096).find('\0') != std::string_view::npos)
    throw_bad_input(name, "this is binary data, not bulk data", "give the text file of the deck");
  NastranDeck deck;
  Reader(deck, include).read(content, name);
  return deck;
}

namespace {
std::atomic<bool> includes_from_anywhere{false};
}

void allow_includes_from_anywhere() { includes_from_anywhere = true; }

NastranDeck read_nastran(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string content = read_text(path);
  const fs::path folder = fs::weakly_canonical(fs::path(path)).parent_path();
  const bool anywhere = includes_from_anywhere;
  std::vector<std::string> paths = {path};
  std::map<std::string, fs::path> folder_of = {{path, folder}};  // of the files so far, by their names in the deck
  std::size_t left = max_file_bytes - content.size();
  const IncludeReader include = [&](const std::string& name, const std::string& from,
                                    std::string& reason) -> std::optional<std::string> {
    const fs::path named(name);
    if (name.empty() || (named.is_absolute() && !anywhere)) {
      reason = "only relative paths are followed here";
      return std::nullopt;
    }
    // Beside the deck, or beside the file that includes it.
    std::error_code problem;
    const auto parent = folder_of.find(from);
    fs::path full = fs::weakly_canonical(folder / named, problem);
    if (parent != folder_of.end() && !fs::exists(full, problem))
      if (const fs::path beside = fs::weakly_canonical(parent->second / named, problem); fs::exists(beside, problem))
        full = beside;
    const fs::path inside = full.lexically_relative(folder);
    if (!anywhere && (problem || inside.empty() || *inside.begin() == "..")) {
      reason = "it lies outside the deck's folder";
      return std::nullopt;
    }
    try {
      std::string text = read_text(full.string(), left);
      left -= text.size();
      folder_of.emplace(name, full.parent_path());
      paths.push_back(full.string());
      return text;
    } catch (const Error& error) {
      reason = error.message();
      return std::nullopt;
    }
  };
  NastranDeck deck = parse_nastran(content, path, include);
  deck.paths = std::move(paths);
  return deck;
}

}  // namespace kdyn::inline io
