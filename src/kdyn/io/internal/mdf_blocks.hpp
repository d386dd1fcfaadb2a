// SPDX-License-Identifier: Apache-2.0
// Blocks of an MDF 4 file: header, links, data, texts, and the chains of blocks that hold one stream of bytes.
//
// Every offset, length and count is checked against the file before anything is read; no block of a chain is followed
// twice; what texts and tables take is bounded by the size of the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline io::internal {

struct MdfBlock {
  std::string id;  // two letters: "DG"
  std::uint64_t offset = 0, length = 0;
  std::vector<std::uint64_t> links;
  std::string data;  // what follows the links

  std::uint64_t link(std::size_t i) const { return i < links.size() ? links[i] : 0; }
};

// A piece of a stream: `size` bytes at `at` of the stream, stored at `file_offset`, packed where `zip` says so.
struct MdfPiece {
  std::uint64_t at = 0, size = 0, file_offset = 0, stored = 0;
  int zip = -1;  // -1 plain, 0 deflate, 1 deflate of transposed bytes
  std::uint32_t columns = 0;
};

struct MdfStream {
  std::vector<MdfPiece> pieces;
  std::uint64_t size = 0;
  void add(MdfPiece piece) {
    piece.at = size;
    size += piece.size;
    pieces.push_back(piece);
  }
};

class MdfFile {
 public:
  MdfFile(std::shared_ptr<const ByteSource> bytes, std::string name);

  const ByteSource& bytes() const { return *bytes_; }
  const std::string& name() const { return name_; }
  std::string place(std::uint64_t offset) const;  // "file: byte 4711"
  [[noreturn]] void fail(std::uint64_t offset, const std::string& message, const std::string& remedy = "") const;
  std::vector<Finding>& findings() { return findings_; }
  void tell(Severity severity, const char* code, std::uint64_t offset, const std::string& message,
            const std::string& remedy);

  // Id, length and links only; data blocks may be larger than memory.
  MdfBlock head(std::uint64_t offset);
  // With data, counted against the budget for texts and tables.
  MdfBlock block(std::uint64_t offset, std::string_view id);
  // Remembers a block of a chain; false when it was met before.
  bool visit(std::uint64_t offset) { return visited_.insert(offset).second; }

  // Text of TX, or the text element of the XML in MD; empty for no link. A damaged one gives a finding and no text.
  std::string text(std::uint64_t offset);
  // The whole XML of MD, or the text of TX.
  std::string raw_text(std::uint64_t offset);

  // The chain a data link leads to. `open_end`: the length of the last DT block was not written; it ends where the next
  // known block begins. LD lists put their invalidation bytes into `invalidation`.
  MdfStream stream(std::uint64_t offset, bool open_end, MdfStream* invalidation);

 private:
  void add_piece(std::uint64_t offset, bool open_end, MdfStream& out);
  void pay(std::uint64_t bytes, std::uint64_t offset);

  std::shared_ptr<const ByteSource> bytes_;
  std::string name_, scratch_;
  std::vector<Finding> findings_;
  std::unordered_set<std::uint64_t> visited_;
  std::uint64_t budget_;
};

// Value of the first element `tag` of an XML text ("TX"), entities resolved; empty when there is none.
std::string xml_text(std::string_view xml, std::string_view tag);
// The pairs of <e name="...">value</e>, the common properties of an MD block.
std::vector<std::pair<std::string, std::string>> xml_properties(std::string_view xml);

}  // namespace kdyn::inline io::internal
