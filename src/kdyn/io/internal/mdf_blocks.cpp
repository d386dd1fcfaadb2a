// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/mdf_blocks.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::uint64_t head_bytes = 24;
constexpr std::size_t longest_text = std::size_t{1} << 16, longest_xml = std::size_t{1} << 20;

std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    const auto* known = std::find_if(std::begin(entities), std::end(entities),
                                     [&](const auto& e) { return text.starts_with(e.first); });
    const bool found = known != std::end(entities);
    out += found ? known->second : text.front();
    text.remove_prefix(found ? known->first.size() : 1);
  }
  return out;
}

// Place of "<tag" with a blank or ">" behind it, or npos.
std::size_t element_at(std::string_view xml, std::string_view tag, std::size_t from) {
  for (std::size_t at = xml.find('<', from); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    const std::string_view rest = xml.substr(at + 1);
    if (rest.size() > tag.size() && rest.starts_with(tag) && (is_space(rest[tag.size()]) || rest[tag.size()] == '>'))
      return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string xml_text(std::string_view xml, std::string_view tag) {
  const std::size_t at = element_at(xml, tag, 0);
  if (at == std::string_view::npos) return "";
  const std::size_t open = xml.find('>', at);
  if (open == std::string_view::npos || xml[open - 1] == '/') return "";
  const std::size_t close = xml.find('<', open);
  return unescaped(trim(xml.substr(open + 1, close == std::string_view::npos ? close : close - open - 1)));
}

std::vector<std::pair<std::string, std::string>> xml_properties(std::string_view xml) {
  constexpr std::size_t most = 200;
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t at = element_at(xml, "e", 0); at != std::string_view::npos && out.size() < most;
       at = element_at(xml, "e", at + 1)) {
    const std::size_t close = xml.find('>', at);
    if (close == std::string_view::npos) break;
    const std::string_view head = xml.substr(at, close - at);
    const std::size_t name = head.find("name=");
    if (name == std::string_view::npos || name + 6 >= head.size()) continue;
    const std::size_t end = head.find(head[name + 5], name + 6);
    if (end == std::string_view::npos) continue;
    out.emplace_back(unescaped(head.substr(name + 6, end - name - 6)), xml_text(xml.substr(at), "e"));
  }
  return out;
}

MdfFile::MdfFile(std::shared_ptr<const ByteSource> bytes, std::string name)
    : bytes_(std::move(bytes)),
      name_(std::move(name)),
      budget_((std::uint64_t{1} << 20) + 8 * bytes_->size()) {}

std::string MdfFile::place(std::uint64_t offset) const { return fmt::format("{}: byte {}", name_, offset); }

void MdfFile::fail(std::uint64_t offset, const std::string& message, const std::string& remedy) const {
  throw_bad_input(place(offset), message, remedy.empty() ? "the file is damaged: copy or export it again" : remedy);
}

void MdfFile::tell(Severity severity, const char* code, std::uint64_t offset, const std::string& message,
                   const std::string& remedy) {
  constexpr std::size_t most = 100;
  if (findings_.size() < most)
    findings_.push_back({severity, code, place(offset), message, remedy});
  else if (findings_.size() == most)
    findings_.push_back({severity, "more", name_, "there are more findings of this kind; they are not listed", ""});
}

MdfBlock MdfFile::head(std::uint64_t offset) {
  const std::uint64_t size = bytes_->size();
  if (offset > size || size - offset < head_bytes)
    fail(offset, fmt::format("a link leads to byte {}, but the file has {} bytes", offset, size));
  const std::string_view bytes = bytes_->at(offset, head_bytes, scratch_);
  MdfBlock out;
  out.offset = offset;
  if (bytes[0] != '#' || bytes[1] != '#')
    fail(offset, fmt::format("a block is expected here, {} was found", in_quotes(bytes.substr(0, 4))));
  out.id = std::string(bytes.substr(2, 2));
  out.length = load<std::uint64_t>(bytes.data() + 8, false);
  const auto count = load<std::uint64_t>(bytes.data() + 16, false);
  const bool open = out.id == "DT" && (out.length == 0 || out.length == head_bytes);  // an unfinalised file
  if (!open && (out.length < head_bytes || count > (out.length - head_bytes) / 8))
    fail(offset,
         fmt::format("block {} claims {} bytes and {} links, which does not fit together", out.id, out.length, count));
  if (!open && out.length > size - offset)
    fail(offset, fmt::format("block {} has {} bytes, but the file ends after {}", out.id, out.length, size - offset),
         "the file was cut: copy it again");
  if (open || count == 0) return out;
  if (out.id == "DT" || out.id == "SD" || out.id == "DZ" || out.id == "DV" || out.id == "DI") return out;
  pay(8 * count, offset);
  const std::string_view links = bytes_->at(offset + head_bytes, static_cast<std::size_t>(8 * count), scratch_);
  out.links.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.links.size(); ++i) out.links[i] = load<std::uint64_t>(links.data() + 8 * i, false);
  return out;
}

MdfBlock MdfFile::block(std::uint64_t offset, std::string_view id) {
  MdfBlock out = head(offset);
  if (!id.empty() && out.id != id)
    fail(offset, fmt::format("a block {} is expected here, {} was found", id, in_quotes(out.id)));
  const std::uint64_t begin = head_bytes + 8 * out.links.size();
  std::uint64_t count = out.length > begin ? out.length - begin : 0;
  if (out.id == "TX") count = std::min<std::uint64_t>(count, longest_text);
  if (out.id == "MD") count = std::min<std::uint64_t>(count, longest_xml);
  pay(count, offset);
  out.data = std::string(bytes_->at(offset + begin, static_cast<std::size_t>(count), scratch_));
  return out;
}

void MdfFile::pay(std::uint64_t bytes, std::uint64_t offset) {
  if (bytes > budget_) fail(offset, "texts and tables of this file need more memory than its size allows for");
  budget_ -= bytes;
}

std::string MdfFile::raw_text(std::uint64_t offset) {
  if (offset == 0) return "";
  try {
    const MdfBlock found = block(offset, "");
    if (found.id == "TX" || found.id == "MD") return to_utf8(found.data.substr(0, found.data.find('\0')));
    tell(Severity::warning, "bad_text", offset,
         fmt::format("a text is expected here, block {} was found", in_quotes(found.id)), "");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    tell(Severity::warning, "bad_text", offset, error.message(), "");
  }
  return "";
}

std::string MdfFile::text(std::uint64_t offset) {
  std::string out = raw_text(offset);
  const std::string_view inner = trim(out);
  if (!inner.starts_with('<')) return std::string(inner);
  std::string value = xml_text(inner, "TX");
  return value;
}

void MdfFile::add_piece(std::uint64_t offset, bool open_end, MdfStream& out) {
  if (!visit(offset)) fail(offset, "a data block is linked twice");
  const MdfBlock found = head(offset);
  if (found.id == "DZ") {
    constexpr std::uint64_t packed_head = 48;
    if (found.length < packed_head) fail(offset, "a packed block is too short for its header");
    std::string scratch;
    const std::string_view data = bytes_->at(offset + head_bytes, packed_head - head_bytes, scratch);
    MdfPiece piece;
    const std::string_view original = data.substr(0, 2);
    if (original != "DT" && original != "SD" && original != "DV" && original != "DI")
      fail(offset, fmt::format("a packed block of {} stands where data are expected", in_quotes(original)));
    piece.zip = static_cast<unsigned char>(data[2]);
    if (piece.zip > 1)
      fail(offset, fmt::format("packing {} of MDF 4.3 ({}) is not read", piece.zip, piece.zip < 4 ? "zstd" : "lz4"),
           "export the file as MDF 4.1 or 4.2 with deflate");
    piece.columns = load<std::uint32_t>(data.data() + 4, false);
    piece.size = load<std::uint64_t>(data.data() + 8, false);
    piece.stored = load<std::uint64_t>(data.data() + 16, false);
    piece.file_offset = offset + packed_head;
    if (piece.stored > found.length - packed_head) fail(offset, "a packed block is shorter than its content");
    if (piece.zip == 1 && piece.columns == 0) fail(offset, "a transposed block has columns of zero bytes");
    // Deflate reaches 1032 : 1 and no more.
    if (piece.size > 1032 * piece.stored + 64)
      fail(offset,
           fmt::format("a packed block claims {} bytes out of {}: deflate cannot do that", piece.size, piece.stored));
    if (piece.size > 0) out.add(piece);
    return;
  }
  if (found.id != "DT" && found.id != "SD" && found.id != "DV" && found.id != "DI" && found.id != "RD")
    fail(offset, fmt::format("data are expected here, block {} was found", in_quotes(found.id)));
  MdfPiece piece;
  piece.file_offset = offset + head_bytes;
  if (found.length > head_bytes) {
    piece.size = found.length - head_bytes;
  } else if (open_end) {
    std::uint64_t end = bytes_->size();
    for (const std::uint64_t other : visited_)
      if (other > offset) end = std::min(end, other);
    piece.size = end - std::min(end, piece.file_offset);
  }
  piece.stored = piece.size;
  if (piece.size > 0) out.add(piece);
}

MdfStream MdfFile::stream(std::uint64_t offset, bool open_end, MdfStream* invalidation) {
  MdfStream out;
  if (offset == 0) return out;
  std::string scratch;
  MdfBlock found = head(offset);
  if (found.id == "HL") {
    if (!visit(offset)) fail(offset, "a list of data is linked twice");
    offset = found.link(0);
    if (offset == 0) return out;
    found = head(offset);
  }
  if (found.id != "DL" && found.id != "LD") {
    add_piece(offset, open_end, out);
    return out;
  }
  while (offset != 0) {
    if (!visit(offset)) fail(offset, "the list of data blocks bites its tail");
    found = block(offset, found.id);
    if (found.data.size() < 8) fail(offset, "a list of data blocks is too short");
    const auto flags = load<std::uint32_t>(found.data.data(), false);
    const std::size_t count = load<std::uint32_t>(found.data.data() + 4, false);
    const bool with_invalid = found.id == "LD" && (flags & 0x80000000U) != 0;
    if (found.links.size() < 1 + count * (with_invalid ? 2 : 1))
      fail(offset, fmt::format("a list of {} data blocks has {} links", count, found.links.size()));
    for (std::size_t i = 0; i < count; ++i) {
      if (found.links[1 + i] == 0) fail(offset, fmt::format("entry {} of a list of data blocks is empty", i));
      add_piece(found.links[1 + i], open_end && i + 1 == count && found.links[0] == 0, out);
    }
    if (with_invalid && invalidation != nullptr)
      for (std::size_t i = 0; i < count; ++i)
        if (const std::uint64_t link = found.links[1 + count + i]; link != 0) add_piece(link, false, *invalidation);
    offset = found.links[0];
  }
  return out;
}

}  // namespace kdyn::inline io::internal
