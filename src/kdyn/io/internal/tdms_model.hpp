// SPDX-License-Identifier: Apache-2.0
// The structure of a TDMS file: objects with properties, and segments that say where their values lie.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/io/internal/raw_values.hpp"
#include "kdyn/io/recording.hpp"

namespace kdyn::inline io::internal {

enum TdmsType : std::uint32_t {
  tdms_void = 0,
  tdms_i8 = 1,
  tdms_i64 = 4,
  tdms_u8 = 5,
  tdms_u64 = 8,
  tdms_f32 = 9,
  tdms_f64 = 10,
  tdms_extended = 11,
  tdms_f32_unit = 0x19,
  tdms_f64_unit = 0x1a,
  tdms_extended_unit = 0x1b,
  tdms_text = 0x20,
  tdms_bool = 0x21,
  tdms_time = 0x44,
  tdms_complex_f32 = 0x08000c,
  tdms_complex_f64 = 0x10000d
};
std::size_t tdms_size(std::uint32_t type);  // of one value; 0: no fixed size

struct TdmsProperty {
  std::string text;  // of any type, as text
  bool is_number = false;
  double number = 0.0;
};

struct TdmsObject {
  std::string group, name;
  std::map<std::string, TdmsProperty> properties;
  bool known = false;  // has had an index of data
  std::uint32_t type = tdms_void;
  std::uint64_t values = 0, text_bytes = 0;  // per chunk, by the last index
  std::uint64_t count = 0;
  bool mixed_types = false;
};

// The values of one object in a chunk.
struct TdmsEntry {
  std::size_t object = 0;
  std::uint32_t type = tdms_void;
  std::uint64_t offset = 0, values = 0, bytes = 0;  // offset: in the chunk, or in a row when interleaved
};

struct TdmsLayout {
  std::vector<TdmsEntry> entries;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t row_bytes = 0;  // of interleaved data; 0: channel after channel
};

struct TdmsSegment {
  std::uint64_t data_start = 0, chunks = 0, tail_bytes = 0;  // tail: bytes behind the last whole chunk
  bool big_endian = false;
  std::shared_ptr<const TdmsLayout> layout;

  // Values of an entry in the tail.
  std::uint64_t tail_values(const TdmsEntry& entry) const;
};

// value = sum of coefficients x raw^i
struct TdmsScale {
  std::vector<double> coefficients = {0.0, 1.0};
};

struct TdmsModel {
  std::shared_ptr<const ByteSource> bytes;
  std::string name;
  std::vector<TdmsObject> objects;
  std::vector<TdmsSegment> segments;
  std::vector<std::size_t> objects_of_channels;
  std::vector<std::vector<TdmsScale>> scales;  // of each channel, in order
};

std::shared_ptr<const ChannelReader> tdms_reader(std::shared_ptr<const TdmsModel> model);

}  // namespace kdyn::inline io::internal
