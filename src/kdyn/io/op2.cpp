// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/op2.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::inline io {
namespace {

// One record of a table, its pieces joined.
struct Words {
  std::string bytes;
  bool big_endian = false;

  std::size_t size() const { return bytes.size() / 4; }
  std::int32_t integer(std::size_t i) const { return internal::load<std::int32_t>(bytes.data() + 4 * i, big_endian); }
  double real(std::size_t i) const { return internal::load<float>(bytes.data() + 4 * i, big_endian); }
  double wide(std::size_t i) const { return internal::load<double>(bytes.data() + 4 * i, big_endian); }
};

// Records of GEOM1 and GEOM2 by their three keys: which card, words of an entry, node numbers in it.
struct CardRecord {
  int key[3];
  const char* name;
  std::size_t words, nodes;
};
constexpr CardRecord element_records[] = {
    {{2408, 24, 180}, "CBAR", 16, 2},   {{5408, 54, 261}, "CBEAM", 18, 2},   {{3001, 30, 48}, "CROD", 4, 2},
    {{2958, 51, 177}, "CQUAD4", 14, 4}, {{5959, 59, 282}, "CTRIA3", 13, 3},  {{5508, 55, 217}, "CTETRA", 12, 10},
    {{7308, 73, 253}, "CHEXA", 22, 20}, {{4108, 41, 280}, "CPENTA", 17, 15},
};
constexpr CardRecord system_records[] = {
    {{2101, 21, 8}, "CORD2R", 13, 0},       {{2001, 20, 9}, "CORD2C", 13, 0},
    {{2201, 22, 10}, "CORD2S", 13, 0},      {{2101, 21, 2220008}, "CORD2R", 22, 0},
    {{2001, 20, 2220009}, "CORD2C", 22, 0}, {{2201, 22, 2220010}, "CORD2S", 22, 0},
};

class Op2Reader {
 public:
  Op2Reader(std::string_view content, const std::string& name) : content_(content), name_(name) {}

  Op2File read() {
    if (content_.size() >= 4) big_endian_ = internal::load<std::int32_t>(content_.data(), false) != 4;
    if (content_.size() < 4 || internal::load<std::int32_t>(content_.data(), big_endian_) != 4)
      throw_bad_input(name_, "this OP2 file has no records of 32-bit words", "write it with 32-bit words");
    out_.name = name_;
    deck_.files = {name_};
    // Date, identification and label: everything up to the marker 0.
    while (const auto m = marker())
      if (*m == 0)
        break;
      else if (*m > 0)
        piece();
    while (const auto m = marker()) {
      if (*m == 0) break;  // end of the file
      if (*m != 2) {
        damaged("the name of a table is expected");
        break;
      }
      const std::string_view label = piece();
      std::string table(trim(label.substr(0, 8)));
      out_.tables.push_back(internal_name(table));
      if (!read_table(out_.tables.back())) {
        damaged("the file ends within table " + out_.tables.back());
        break;
      }
    }
    finish();
    return std::move(out_);
  }

 private:
  static std::string internal_name(const std::string& text) {
    std::string out;
    for (const char c : text) out += c > ' ' && c < 127 ? c : '?';
    return out;
  }

  void damaged(const std::string& message) {
    if (!damaged_)
      out_.modes.findings.push_back({Severity::serious, "damaged", fmt::format("{}: byte {}", name_, at_),
                                     message + "; what stands before it was read",
                                     "copy the file again, in binary mode"});
    damaged_ = true;
  }

  // The next Fortran record; nothing at the end of the file or where its lengths do not agree.
  std::optional<std::string_view> record() {
    if (content_.size() - at_ < 8) return std::nullopt;
    const auto length = static_cast<std::uint32_t>(internal::load<std::int32_t>(content_.data() + at_, big_endian_));
    if (length > content_.size() - at_ - 8 || static_cast<std::uint32_t>(internal::load<std::int32_t>(
                                                  content_.data() + at_ + 4 + length, big_endian_)) != length) {
      damaged("the length of a record is wrong");
      return std::nullopt;
    }
    const std::string_view out = content_.substr(at_ + 4, length);
    at_ += 8 + std::size_t{length};
    return out;
  }
  std::optional<std::int32_t> marker() {
    const auto one = record();
    if (!one) return std::nullopt;
    if (one->size() != 4) {
      damaged("a marker of one word is expected");
      return std::nullopt;
    }
    return internal::load<std::int32_t>(one->data(), big_endian_);
  }
  std::string_view piece() { return record().value_or(std::string_view()); }

  // Records of a table up to its end; false when the file ends or is damaged first.
  bool read_table(const std::string& table) {
    Words words;
    words.big_endian = big_endian_;
    bool first = true;
    while (true) {
      const auto m = marker();
      if (!m) return false;
      if (*m > 0) {
        words.bytes += piece();
        continue;
      }
      if (!words.bytes.empty() && !first) take(table, words);
      words.bytes.clear();
      if (*m == 0) return end_of(table);
      if (*m == -1) continue;  // the trailer follows
      first = *m == -2;        // its first record names it
      if (!marker() || !marker()) return false;
      if (first) words.bytes.clear();
    }
  }
  bool end_of(const std::string&) {
    head_.bytes.clear();
    return !damaged_;
  }

  void take(const std::string& table, const Words& words) {
    if (table.starts_with("GEOM1")) return take_geometry(words);
    if (table.starts_with("GEOM2")) return take_elements(words);
    const bool vectors = table.starts_with("OUG") || table.starts_with("BOUG"), values = table.starts_with("LAMA");
    if (!vectors && !values) {
      unused_.insert(table);
      return;
    }
    constexpr std::size_t head_words = 146;
    if (head_.bytes.empty()) {
      if (words.size() == head_words) head_ = words;
      return;
    }
    if (values)
      take_values(words);
    else
      take_vector(words);
    head_.bytes.clear();
  }

  NastranCard& card(const char* name) {
    NastranCard& one = deck_.cards.emplace_back();
    one.name = name;
    return one;
  }
  static bool has_key(const Words& w, const int (&key)[3]) {
    return w.size() >= 3 && w.integer(0) == key[0] && w.integer(1) == key[1] && w.integer(2) == key[2];
  }

  void take_geometry(const Words& w) {
    constexpr int narrow[3] = {4501, 45, 1}, wide[3] = {4501, 45, 1120001};
    if (has_key(w, narrow) || has_key(w, wide)) {
      const bool doubles = w.integer(2) != 1;
      for (std::size_t i = 3, words = doubles ? 11 : 8; i + words <= w.size(); i += words) {
        NastranCard& grid = card("GRID");
        grid.append(fmt::format("{}", w.integer(i)));
        grid.append(fmt::format("{}", w.integer(i + 1)));
        for (std::size_t k = 0; k < 3; ++k)
          grid.append(fmt::format("{:#}", doubles ? w.wide(i + 2 + 2 * k) : w.real(i + 2 + k)));
        grid.append(fmt::format("{}", w.integer(i + (doubles ? 8 : 5))));
      }
      return;
    }
    for (const CardRecord& system : system_records) {
      if (!has_key(w, system.key)) continue;
      for (std::size_t i = 3; i + system.words <= w.size(); i += system.words) {
        NastranCard& one = card(system.name);
        one.append(fmt::format("{}", w.integer(i)));
        one.append(fmt::format("{}", w.integer(i + 3)));
        for (std::size_t k = 0; k < 9; ++k)
          one.append(fmt::format("{:#}", system.words == 22 ? w.wide(i + 4 + 2 * k) : w.real(i + 4 + k)));
      }
      return;
    }
    if (w.size() >= 3 && w.integer(0) != 65535) ++other_cards_;
  }

  void take_elements(const Words& w) {
    for (const CardRecord& kind : element_records) {
      if (!has_key(w, kind.key)) continue;
      for (std::size_t i = 3; i + kind.words <= w.size(); i += kind.words) {
        NastranCard& one = card(kind.name);
        for (std::size_t k = 0; k < 2 + kind.nodes; ++k)
          one.append(k > 1 && w.integer(i + k) == 0 ? std::string() : fmt::format("{}", w.integer(i + k)));
      }
      return;
    }
    if (w.size() >= 3 && w.integer(0) != 65535) ++other_cards_;
  }

  // mode, order, eigenvalue, radians, cycles, generalised mass, generalised stiffness
  void take_values(const Words& w) {
    for (std::size_t i = 0; i + 7 <= w.size(); i += 7) masses_[w.integer(i)] = w.real(i + 5);
  }

  void take_vector(const Words& w) {
    const int approach = head_.integer(0) / 10, table = head_.integer(1) % 1000, sorting = head_.integer(1) / 1000,
              subcase = head_.integer(3), number = head_.integer(4), format = head_.integer(8),
              width = head_.integer(9);
    const bool complex = approach == 9;
    if (table != 7 || (approach != 2 && !complex) || sorting % 2 != 0 || width != (complex ? 14 : 8)) {
      unused_.insert("results that are no eigenvectors");
      return;
    }
    if (!subcase_) subcase_ = subcase;
    if (subcase != *subcase_) {
      ++other_subcases_;
      return;
    }
    ModeSet& set = out_.modes;
    std::vector<Dof> dofs;
    Mode mode;
    for (std::size_t i = 0; i + static_cast<std::size_t>(width) <= w.size(); i += static_cast<std::size_t>(width)) {
      const std::int64_t node = w.integer(i) / 10;
      const bool grid = w.integer(i + 1) == 1;
      for (int d = 0; d < (grid ? 6 : 1); ++d) {
        dofs.push_back({node, grid ? d + 1 : 0, {}});
        const double a = w.real(i + 2 + static_cast<std::size_t>(d)),
                     b = complex ? w.real(i + 8 + static_cast<std::size_t>(d)) : 0.0;
        mode.shape.push_back(format == 3 ? std::polar(std::abs(a), b * degree) : std::complex<double>(a, b));
      }
    }
    const bool sound = std::all_of(mode.shape.begin(), mode.shape.end(), [](const std::complex<double>& v) {
      return std::isfinite(v.real()) && std::isfinite(v.imag());
    });
    const bool first = set.modes.empty();
    if (!sound || mode.shape.empty() || (!first && dofs != set.dofs)) {
      ++left_out_;
      return;
    }
    if (complex) {
      set.complex_shapes = true;
      mode.pole = {head_.real(5), head_.real(6)};
    } else {
      mode.pole = {0.0, std::sqrt(std::max(0.0, head_.real(5)))};  // eigenvalue omega^2
    }
    if (!std::isfinite(mode.pole.real()) || !std::isfinite(mode.pole.imag())) {
      ++left_out_;
      return;
    }
    if (first) set.dofs = std::move(dofs);
    mode.name = fmt::format("mode {}", number);
    numbers_.push_back(number);
    set.modes.push_back(std::move(mode));
  }

  void finish() {
    ModeSet& set = out_.modes;
    set.source.path = name_;
    set.geometry = geometry_of(deck_);
    set.findings.insert(set.findings.end(), deck_.findings.begin(), deck_.findings.end());
    bool all = !set.modes.empty() && !set.complex_shapes;
    for (std::size_t i = 0; i < set.modes.size(); ++i) {
      const auto mass = masses_.find(numbers_[i]);
      if (mass != masses_.end() && mass->second > 0.0 && std::isfinite(mass->second))
        set.modes[i].modal_mass = mass->second;
      all = all && set.modes[i].modal_mass > 0.0;
    }
    if (all) set.scaling = ModeScaling::as_given;
    const auto tell = [&](Severity severity, const char* code, std::string message, std::string remedy) {
      set.findings.push_back({severity, code, name_, std::move(message), std::move(remedy)});
    };
    if (!set.modes.empty() || !set.geometry.nodes.empty())
      tell(Severity::note, "units_assumed", "an OP2 file tells no units; its numbers were taken as SI",
           "scale the model to m, kg and s before you use masses or positions");
    if (left_out_ > 0)
      tell(Severity::warning, "modes_left_out",
           fmt::format("{} eigenvectors are at other points than the first one, or not finite; they were left out",
                       left_out_),
           "write all eigenvectors for one set of points");
    if (other_subcases_ > 0)
      tell(Severity::warning, "subcases_not_used",
           fmt::format("{} eigenvectors of other subcases than {} were not used", other_subcases_, *subcase_), "");
    if (other_cards_ > 0)
      tell(Severity::note, "cards_not_used",
           fmt::format("{} kinds of cards of GEOM1 and GEOM2 were not used", other_cards_), "read the deck for them");
    if (!unused_.empty())
      tell(Severity::note, "tables_not_used", fmt::format("not used: {}", join({unused_.begin(), unused_.end()}, ", ")),
           "");
  }

  std::string_view content_;
  const std::string& name_;
  std::size_t at_ = 0;
  bool big_endian_ = false, damaged_ = false;
  Op2File out_;
  NastranDeck deck_;
  Words head_;
  std::map<int, double> masses_;
  std::vector<int> numbers_;
  std::optional<int> subcase_;
  std::set<std::string> unused_;
  std::size_t left_out_ = 0, other_subcases_ = 0, other_cards_ = 0;
};

}  // namespace

bool looks_like_op2(std::string_view content) {
  return content.substr(0, 256).find("NASTRAN FORT TAPE ID CODE") != std::string_view::npos;
}

Op2File parse_op2(std::string_view content, const std::string& name) { return Op2Reader(content, name).read(); }

}  // namespace kdyn::inline io
