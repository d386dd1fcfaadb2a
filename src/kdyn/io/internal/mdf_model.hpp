// SPDX-License-Identifier: Apache-2.0
// The structure of an open MDF 4 file: data groups with their streams, channel groups, channels with their place in a
// record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/io/internal/mdf_conversion.hpp"
#include "kdyn/io/internal/raw_values.hpp"
#include "kdyn/io/recording.hpp"

namespace kdyn::inline io::internal {

struct MdfGroup {
  std::uint64_t offset = 0, id = 0, cycles = 0, master_link = 0;
  std::uint32_t data_bytes = 0, invalid_bytes = 0;
  std::size_t data_group = 0, number = 0;  // number: as users count, without groups of texts
  bool texts = false;                      // a VLSD group: records of (u32 length, bytes)
  std::string name;
};

struct MdfDataGroup {
  std::size_t id_bytes = 0;
  std::uint64_t offset = 0, data_link = 0;
  std::vector<std::size_t> groups;
  MdfStream stream, invalidation;
  bool columns = false;  // LD: invalidation bytes in a stream of their own
  bool sorted() const { return groups.size() <= 1; }
};

enum class MdfText { none, latin1, utf8, utf16_le, utf16_be };

struct MdfChannel {
  std::size_t group = 0;
  bool counted = false;          // virtual: the raw value is the number of the record
  RawField field;                // of numbers, and of the offset of a text of any length
  MdfText text = MdfText::none;  // raw values are texts
  std::size_t text_bytes = 0;    // of fixed length; 0: of any length, in `texts` or in `text_group`
  std::shared_ptr<const MdfStream> texts;
  std::optional<std::size_t> text_group;
  std::shared_ptr<const MdfConversion> conversion;  // none: values as they are
  bool all_invalid = false;
  std::optional<std::uint32_t> invalid_bit;

  bool whole() const { return counted || field.kind != RawField::real; }
  bool mixed() const { return conversion && conversion->gives_number() && conversion->gives_text(); }
};

struct MdfModel {
  std::shared_ptr<MdfFile> file;
  std::vector<MdfDataGroup> data_groups;
  std::vector<MdfGroup> groups;
  std::vector<MdfChannel> channels;  // as Recording::channels
};

// Records of a channel group, some at a time. Where data or invalidation bytes stand in a stream of their own, the
// other one is null.
struct MdfRecords {
  const char* data = nullptr;
  const char* invalid = nullptr;
  std::size_t stride = 0, first = 0, count = 0;
};
void for_records(const MdfModel& model, std::size_t group, const std::function<void(const MdfRecords&)>& use);

// Walks over the records of a data group with several channel groups: index into `groups` of the data group, payload.
// Stops at the first record that cannot be one and returns its place; the size of the stream when all is well.
std::uint64_t walk_records(const MdfModel& model, std::size_t data_group,
                           const std::function<void(std::size_t, std::string_view)>& use);

std::shared_ptr<const ChannelReader> mdf_reader(std::shared_ptr<const MdfModel> model, std::vector<std::size_t> counts);

}  // namespace kdyn::inline io::internal
