// SPDX-License-Identifier: Apache-2.0
// Nastran bulk data as cards: fields in order, continuations joined, includes followed. A neutral structure for whoever
// assembles it.
//
// Free, small and large field, tabs, continuation (by order or by mark), replication (=), INCLUDE of files below the
// deck's folder (of any file where allow_includes_from_anywhere() was called; at most 10 deep, 1000 in all), numbers such
// as 2.9+7 and 1.0D3. Executive and case control are kept as lines. Cards outside the list of known_nastran_cards() are
// counted by name and dropped. A card that does not end well, or a field
// that is no number, is the matter of who asks for it: the accessors throw Error(bad_input) with file:line, card and
// field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/geometry.hpp"

namespace kdyn::inline io {

// Fields are held in one text, since a deck has millions of them.
struct NastranCard {
  std::string name;        // upper case, without *
  std::uint32_t file = 0;  // index into NastranDeck::files
  std::size_t line = 0;

  // Field numbers count as in the manuals: 1 is the name, 2 the first behind it. Continuations go on without their
  // marks: the first field of a continuation line is 10, of the second 18. Fields that are not there are blank.
  std::string_view field(std::size_t number) const;
  bool blank(std::size_t number) const { return field(number).empty(); }
  std::size_t last_field() const { return 1 + ends_.size(); }
  void append(std::string_view value);

 private:
  std::string text_;
  std::vector<std::uint32_t> ends_;  // of each field in text_
};

// Fields as values; `where` of errors is file:line, card and field.
class NastranDeck {
 public:
  std::vector<std::string> files;                 // the deck first, then includes as the deck names them
  std::vector<std::string> paths;                 // where read_nastran() found them
  std::vector<std::string> control;               // lines before BEGIN BULK
  std::vector<NastranCard> cards;                 // known cards in file order
  std::map<std::string, std::size_t> skipped;     // name and count of every other card
  std::map<std::string, std::string> skipped_at;  // name: file:line of the first of them
  std::vector<Finding> findings;

  std::string where(const NastranCard& card) const;
  std::int64_t integer(const NastranCard& card, std::size_t field) const;
  std::int64_t integer(const NastranCard& card, std::size_t field, std::int64_t otherwise) const;  // when blank
  double real(const NastranCard& card, std::size_t field) const;
  double real(const NastranCard& card, std::size_t field, double otherwise) const;
  // Labels from a field to the end of the card, with THRU (and BY) expanded; a range of more than 10 million labels is
  // refused.
  std::vector<std::int64_t> labels(const NastranCard& card, std::size_t first) const;
  std::vector<const NastranCard*> named(std::string_view name) const;
  std::optional<std::string> parameter(std::string_view name) const;  // PARAM,name,value
};

// A Nastran number: 1, 1.5, 2.9+7, 1.0D3.
std::optional<double> nastran_number(std::string_view text);

bool looks_like_nastran(std::string_view content);

// The content of an included file by its name in the deck and the file that includes it, or nothing when it may not or
// cannot be read (with the reason).
using IncludeReader =
    std::function<std::optional<std::string>(const std::string& name, const std::string& from, std::string& reason)>;
NastranDeck parse_nastran(std::string_view content, const std::string& name, const IncludeReader& include = {});
NastranDeck read_nastran(const std::string& path);
// For programs that act for the user who owns the files (the command line); a server does not call it.
void allow_includes_from_anywhere();

// Nodes at their global positions, coordinate systems and element connectivity. Bad cards become findings of the deck.
Geometry geometry_of(NastranDeck& deck);

}  // namespace kdyn::inline io
