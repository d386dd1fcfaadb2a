// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/nastran_update.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_sections.hpp"

namespace kdyn::fe {
namespace {

// At most 16 characters, with as many digits as fit.
std::string large_real(double value) {
  for (int digits = 15; digits > 0; --digits) {
    std::string text = fmt::format("{:.{}E}", value, digits);
    if (text.size() <= 16) return text;
  }
  return fmt::format("{:.1E}", value);
}

// Lines of a file with their ends, so that what is not changed stays byte for byte.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t end = std::min(text.find('\n', first), text.size() - 1) + 1;
    out.push_back(text.substr(first, end - first));
    first = end;
  }
  return out;
}
std::string_view without_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}
std::string_view comment_of(std::string_view line) {
  const std::size_t at = line.find('$');
  return at == std::string_view::npos ? std::string_view() : line.substr(at);
}
bool is_comment(std::string_view line) {
  const std::string_view bare = trim(line.substr(0, line.find('$')));
  return bare.empty();
}
bool continues(std::string_view line) {
  return line.front() == '+' || line.front() == '*' || line.front() == ',' || line.front() == '\t' ||
         trim(line.substr(0, std::min<std::size_t>(8, line.size()))).empty();
}

class Editor {
 public:
  Editor(const std::string& path, const std::vector<Parameter>& parameters) : path_(path), parameters_(parameters) {
    deck_ = read_nastran(path);
    for (std::size_t f = 0; f < deck_.files.size(); ++f) {
      const std::filesystem::path name = std::filesystem::path(deck_.files[f]).lexically_normal();
      if (f > 0 && (name.is_absolute() || *name.begin() == ".."))
        throw_bad_input(path, fmt::format("it includes {}, which lies outside its folder", in_quotes(deck_.files[f])),
                        "put the included files below the folder of the deck");
      texts_.push_back(read_text(deck_.paths[f]));
    }
    for (const NastranCard& card : deck_.cards)
      if (card.name == "PBUSH" || card.name == "PELAS")
        highest_ = std::max(highest_, deck_.integer(card, 2));
      else if (card.name.front() == 'P' && !card.blank(2) && card.name != "PARAM")
        highest_ = std::max(highest_, deck_.integer(card, 2));
  }

  // `nominal`: of a loss factor.
  void set(const Parameter& parameter, double ratio, double nominal) {
    parameter_ = &parameter, ratio_ = ratio, loss_ = parameter.loss ? ratio * nominal : 0.0;
    for (const std::int64_t label : parameter.labels) {
      found_ = false;
      switch (parameter.kind) {
        case ParameterKind::thickness: of_cards("PSHELL", label, {{4, "T"}}); break;
        case ParameterKind::young:
          of_cards("MAT1", label, parameter.loss ? Fields{{9, "GE"}} : Fields{{3, "E"}, {4, "G"}});
          break;
        case ParameterKind::density: of_cards("MAT1", label, {{6, "RHO"}}); break;
        case ParameterKind::point_mass:
          of_cards("CONM2", label,
                   {{5, "M"}, {10, "I11"}, {11, "I21"}, {12, "I22"}, {13, "I31"}, {14, "I32"}, {15, "I33"}});
          break;
        case ParameterKind::spring: spring(label); break;
        case ParameterKind::scalar_spring: scalar(label); break;
      }
      if (!found_)
        throw_bad_input(path_, fmt::format("no card holds parameter {} of {}", parameter.name, label),
                        "write the deck without updated_deck, or calibrate what a card holds");
    }
  }

  UpdatedDeck finish() {
    UpdatedDeck out;
    out.changes = std::move(changes_);
    for (std::size_t f = 0; f < texts_.size(); ++f) {
      const std::string name = f == 0 ? std::filesystem::path(path_).filename().string() : deck_.files[f];
      const std::filesystem::path place = std::filesystem::path(name).lexically_normal();
      if (place.is_absolute() || place.begin()->string() == "..")
        throw_bad_input(path_, fmt::format("its include {} lies outside the folder of the deck", name),
                        "put the deck and its includes into one folder to have them written");
      bool changed = false;
      std::string text = rewritten(static_cast<std::uint32_t>(f), changed);
      const auto same =
          std::find_if(out.files.begin(), out.files.end(), [&](const auto& file) { return file.first == name; });
      if (same != out.files.end() && same->second != text)
        throw_bad_input(path_, fmt::format("{} is included twice and holds cards that change", name),
                        "include it once, so that the cards are there once");
      if (same != out.files.end()) continue;
      out.files.emplace_back(name, std::move(text)), out.changed.push_back(changed);
    }
    return out;
  }

 private:
  using Fields = std::vector<std::pair<std::size_t, const char*>>;

  // Stiffness and mass follow the ratio; a loss factor is written as it is, also where the card has none.
  double changed(double value) const { return parameter_->loss ? loss_ : value * ratio_; }

  // Fields of a card times the ratio; a second parameter on the same field multiplies further.
  void scale(std::size_t card, const Fields& fields) {
    const NastranCard& at = deck_.cards[card];
    for (const auto& [field, name] : fields) {
      if (at.blank(field) && !parameter_->loss) continue;
      auto& value = edits_[card].emplace(field, deck_.real(at, field, 0.0)).first->second;
      changes_.push_back({parameter_->name, deck_.files[at.file], at.line, fmt::format("{} {}", at.name, at.field(2)),
                          name, value, changed(value)});
      value = changed(value), found_ = true;
    }
  }
  void of_cards(std::string_view name, std::int64_t label, const Fields& fields) {
    for (std::size_t i = 0; i < deck_.cards.size(); ++i)
      if (deck_.cards[i].name == name && deck_.integer(deck_.cards[i], 2) == label) scale(i, fields);
  }
  std::optional<std::size_t> find(std::string_view name, std::int64_t label) const {
    std::optional<std::size_t> out;  // the last one counts, as in the model
    for (std::size_t i = 0; i < deck_.cards.size(); ++i)
      if (deck_.cards[i].name == name && deck_.integer(deck_.cards[i], 2) == label) out = i;
    return out;
  }

  // The property of a spring, unless parameters tell its springs apart; then a copy for this one.
  void spring(std::int64_t label) {
    const auto element = find("CBUSH", label);
    if (!element) return;
    const std::int64_t property = deck_.integer(deck_.cards[*element], 3, label);
    const auto old = find("PBUSH", property);
    if (!old) return;
    const BushLine bush = bush_line(*old);
    if (bush.fields.empty()) return;
    if (!told_apart(property)) {
      for (const auto& [field, text] : bush.words) words_[*old][field] = text;
      for (const auto& [field, value] : bush.beside) edits_[*old].emplace(field, value);
      // All springs of the property change alike: once.
      if (label == parameter_->labels.front() || !shared_done(property)) scale(*old, bush.fields);
      found_ = true;
      return;
    }
    const NastranCard& card = deck_.cards[*old];
    // A spring keeps its copy for all of its components.
    auto& copy = copies_[label];
    if (copy.label == 0) {
      copy.label = ++highest_, copy.of = *old;
      words_[*element][3] = fmt::format("{}", copy.label);
      const NastranCard& user = deck_.cards[*element];
      changes_.push_back({parameter_->name, deck_.files[user.file], user.line, fmt::format("CBUSH {}", label), "PID",
                          static_cast<double>(property), static_cast<double>(copy.label)});
    }
    for (const auto& [field, text] : bush.words) copy.words[field] = text;
    for (const auto& [field, value] : bush.beside) copy.values.emplace(field, value);
    for (const auto& [field, name] : bush.fields) {
      auto& value = copy.values.emplace(field, deck_.real(card, field, 0.0)).first->second;
      changes_.push_back({parameter_->name, deck_.files[card.file], card.line, fmt::format("PBUSH {}", copy.label),
                          name, value, changed(value)});
      value = changed(value), found_ = true;
    }
  }
  // Of a PBUSH: its stiffness, or its loss factors, for which a line is added where there is none.
  struct BushLine {
    Fields fields{};
    std::map<std::size_t, std::string> words{};
    std::map<std::size_t, double> beside{};  // fields that have to be said, but do not change
  };
  BushLine bush_line(std::size_t card) {
    BushLine out;
    static constexpr const char* stiffness[] = {"K1", "K2", "K3", "K4", "K5", "K6"};
    static constexpr const char* loss[] = {"GE1", "GE2", "GE3", "GE4", "GE5", "GE6"};
    const NastranCard& at = deck_.cards[card];
    std::size_t first = internal::bush_values(at, parameter_->loss ? "ge" : "k");
    if (!parameter_->loss) {
      const auto c = static_cast<std::size_t>(parameter_->component);
      if (first > 0) out.fields = {{first + c, stiffness[c]}};
      return out;
    }
    const Vector6 before = internal::bush_loss(deck_, at);
    if (first == 0) {
      const auto [row, fresh] = loss_rows_.emplace(card, 2 + (at.last_field() - 2 + 8) / 8 * 8);
      first = row->second + 2;
      out.words[row->second + 1] = "GE";
    }
    // All six are written: a first value alone would stand for the others too.
    for (std::size_t c = 0; c < 6; ++c) {
      if (parameter_->component < 0 || parameter_->component == static_cast<int>(c))
        out.fields.emplace_back(first + c, loss[c]);
      else
        out.beside.emplace(first + c, before[static_cast<Eigen::Index>(c)]);
    }
    return out;
  }
  // Whether a parameter acts on some of the springs of a property and not on others.
  bool told_apart(std::int64_t property) const {
    std::vector<std::int64_t> springs;
    for (const NastranCard& card : deck_.cards)
      if (card.name == "CBUSH" && deck_.integer(card, 3, deck_.integer(card, 2)) == property)
        springs.push_back(deck_.integer(card, 2));
    return std::any_of(parameters_.begin(), parameters_.end(), [&](const Parameter& p) {
      const auto within = std::count_if(springs.begin(), springs.end(), [&](std::int64_t label) {
        return std::find(p.labels.begin(), p.labels.end(), label) != p.labels.end();
      });
      return p.kind == ParameterKind::spring && within > 0 && within < static_cast<std::ptrdiff_t>(springs.size());
    });
  }
  bool shared_done(std::int64_t property) const {
    return std::any_of(changes_.begin(), changes_.end(), [&](const CardChange& change) {
      return change.parameter == parameter_->name && change.card == fmt::format("PBUSH {}", property);
    });
  }

  void scalar(std::int64_t label) {
    if (const auto element = find("CELAS2", label))
      return scale(*element, parameter_->loss ? Fields{{8, "GE"}} : Fields{{3, "K"}});
    const auto element = find("CELAS1", label);
    if (!element) return;
    const std::int64_t property = deck_.integer(deck_.cards[*element], 3, label);
    for (const NastranCard& card : deck_.cards)
      if (const std::int64_t other = card.name == "CELAS1" ? deck_.integer(card, 2) : label;
          card.name == "CELAS1" && deck_.integer(card, 3, other) == property &&
          std::find(parameter_->labels.begin(), parameter_->labels.end(), other) == parameter_->labels.end())
        throw_bad_input(path_,
                        fmt::format("PELAS {} of CELAS1 {} is shared with CELAS1 {}, which does not change", property,
                                    label, other),
                        "give the spring a property of its own");
    for (std::size_t i = 0; i < deck_.cards.size(); ++i) {
      const NastranCard& card = deck_.cards[i];
      if (card.name != "PELAS") continue;
      const bool first = deck_.integer(card, 2) == property,
                 second = !card.blank(6) && deck_.integer(card, 6) == property;
      if (!first && !second) continue;
      if (label == parameter_->labels.front() || edits_[i].empty())
        scale(i, parameter_->loss ? Fields{{first ? 4u : 8u, "GE"}} : Fields{{first ? 3u : 7u, "K"}});
      found_ = true;
    }
  }

  // A card in large field, four values a line.
  std::string card_text(const NastranCard& card, const std::map<std::size_t, std::string>& replaced,
                        std::string_view comment, std::string_view end) const {
    const std::size_t last = std::max(card.last_field(), replaced.empty() ? 0 : replaced.rbegin()->first);
    std::string out, line = fmt::format("{:<8}", card.name + "*");
    const std::size_t whole = 2 + (last - 2 + 8) / 8 * 8;  // large-field cards have pairs of lines
    for (std::size_t f = 2; f < whole; ++f) {
      const auto found = replaced.find(f);
      line += fmt::format("{:>16}", found != replaced.end() ? found->second : std::string(card.field(f)));
      if ((f - 2) % 4 != 3) continue;
      if (f + 1 < whole) line += "*";
      if (out.empty() && !comment.empty()) line = fmt::format("{:<80}{}", line, comment);
      out += std::string(trim_right(line)) + std::string(end);
      line = fmt::format("{:<8}", "*");
    }
    return out;
  }
  static std::string_view trim_right(std::string_view text) {
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
  }

  std::map<std::size_t, std::string> replaced_in(std::size_t card) const {
    std::map<std::size_t, std::string> out;
    if (const auto found = words_.find(card); found != words_.end()) out = found->second;
    if (const auto found = edits_.find(card); found != edits_.end())
      for (const auto& [field, value] : found->second) out[field] = large_real(value);
    return out;
  }

  std::string rewritten(std::uint32_t file, bool& changed) const {
    std::map<std::size_t, std::size_t> card_at;  // line: card
    for (std::size_t i = 0; i < deck_.cards.size(); ++i)
      if (deck_.cards[i].file == file) card_at[deck_.cards[i].line] = i;
    const std::vector<std::string> lines = lines_of(texts_[file]);
    std::string out;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      const auto here = card_at.find(l + 1);
      const auto edit = here != card_at.end() ? replaced_in(here->second) : std::map<std::size_t, std::string>();
      const bool copied = here != card_at.end() && std::any_of(copies_.begin(), copies_.end(), [&](const auto& copy) {
                            return copy.second.of == here->second;
                          });
      if (edit.empty() && !copied) {
        out += lines[l];
        continue;
      }
      changed = true;
      const NastranCard& card = deck_.cards[here->second];
      const std::string_view body = without_end(lines[l]);
      const std::string end = body.size() < lines[l].size() ? lines[l].substr(body.size()) : "\n";
      std::string own = edit.empty() ? lines[l] : card_text(card, edit, comment_of(body), end);
      // Its continuations: gone with a card that is written anew, kept behind one that is copied; comments stay.
      std::string kept;
      while (l + 1 < lines.size()) {
        const std::string_view next = without_end(lines[l + 1]);
        const bool comment = is_comment(next);
        if (!comment && (!continues(next) || card_at.contains(l + 2))) break;
        if (comment) {
          // Comments behind the last continuation belong to what follows.
          std::size_t ahead = l + 2;
          while (ahead < lines.size() && is_comment(without_end(lines[ahead]))) ++ahead;
          if (ahead >= lines.size() || !continues(without_end(lines[ahead])) || card_at.contains(ahead + 1)) break;
        }
        if (edit.empty())
          own += lines[l + 1];
        else if (comment)
          kept += lines[l + 1];
        else if (const std::string_view remark = comment_of(next); !remark.empty())
          kept += std::string(remark) + end;
        ++l;
      }
      out += own + kept;
      for (const auto& [label, copy] : copies_)
        if (copy.of == here->second) {
          std::map<std::size_t, std::string> fields = copy.words;
          fields[2] = fmt::format("{}", copy.label);
          for (const auto& [field, value] : copy.values) fields[field] = large_real(value);
          out += card_text(card, fields, "", end);
        }
    }
    return out;
  }

  struct Copy {
    std::int64_t label = 0;
    std::size_t of = 0;
    std::map<std::size_t, double> values;
    std::map<std::size_t, std::string> words{};
  };

  std::string path_;
  const std::vector<Parameter>& parameters_;
  NastranDeck deck_;
  std::vector<std::string> texts_;
  std::int64_t highest_ = 0;
  const Parameter* parameter_ = nullptr;
  double ratio_ = 1.0, loss_ = 0.0;
  std::map<std::size_t, std::size_t> loss_rows_;  // card: first field of the line that is added
  bool found_ = false;
  std::map<std::size_t, std::map<std::size_t, double>> edits_;       // card: field: value
  std::map<std::size_t, std::map<std::size_t, std::string>> words_;  // card: field: text
  std::map<std::int64_t, Copy> copies_;                              // by label of the spring
  std::vector<CardChange> changes_;
};

double relative_difference(const SparseMatrix& a, const SparseMatrix& b) {
  if (a.rows() != b.rows()) return 1.0;
  const SparseMatrix left = a - b;
  return left.norm() / std::max(a.norm(), 1e-300);
}

// Of the loss factors that a model holds from the wanted one. Loss factors of scalar springs are written, not read.
double loss_difference(const Model& model, const Parameter& parameter, double wanted) {
  double out = 0.0;
  const auto look = [&](double found) { out = std::max(out, std::abs(found / wanted - 1.0)); };
  for (const std::int64_t label : parameter.labels) {
    for (const Spring& s : model.springs)
      for (int c = 0; c < 6 && parameter.kind == ParameterKind::spring && s.label == label; ++c)
        if (parameter.component < 0 || parameter.component == c) look(s.loss[c]);
    for (const Material& m : model.materials)
      if (parameter.kind == ParameterKind::young && m.label == label) look(m.loss);
  }
  return out;
}

}  // namespace

UpdatedDeck updated_deck(const std::string& path, const NastranSettings& settings,
                         const std::vector<Parameter>& parameters, const Eigen::VectorXd& ratio) {
  demand(static_cast<Eigen::Index>(parameters.size()) == ratio.size(), "one ratio for each parameter");
  Editor editor(path, parameters);
  const Model before = read_nastran_model(path, settings);
  const Assembly given = assemble(before, parameters);
  Eigen::VectorXd elastic = ratio;
  for (std::size_t s = 0; s < parameters.size(); ++s) {
    const auto i = static_cast<Eigen::Index>(s);
    if (ratio[i] != 1.0 || parameters[s].loss) editor.set(parameters[s], ratio[i], given.matrices.nominal[i]);
    if (parameters[s].loss) elastic[i] = 1.0;
  }
  UpdatedDeck out = editor.finish();
  // Read back: the matrices of what was written against those of the parameters.
  const IncludeReader include = [&](const std::string& name, const std::string&,
                                    std::string& reason) -> std::optional<std::string> {
    for (const auto& [file, text] : out.files)
      if (file == name) return text;
    reason = "it was not written";
    return std::nullopt;
  };
  NastranDeck written = parse_nastran(out.files.front().second, path, include);
  const Model after = model_of(written, settings);
  const Assembly now = assemble(after);
  out.largest_difference =
      std::max(relative_difference(given.matrices.stiffness_at(elastic), now.matrices.stiffness_at()),
               relative_difference(given.matrices.mass_at(elastic), now.matrices.mass_at()));
  for (std::size_t s = 0; s < parameters.size(); ++s)
    if (const auto i = static_cast<Eigen::Index>(s); parameters[s].loss)
      out.largest_difference =
          std::max(out.largest_difference, loss_difference(after, parameters[s], given.matrices.nominal[i] * ratio[i]));
  if (!(out.largest_difference < 1e-8))
    throw Error(ErrorCode::internal,
                fmt::format("the updated deck reads back with matrices that differ by {:.2g}", out.largest_difference),
                path, "report it with the deck; the parameters in result.json are right");
  return out;
}

}  // namespace kdyn::fe
