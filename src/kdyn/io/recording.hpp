// SPDX-License-Identifier: Apache-2.0
// What a binary file of a lab holds: MDF 4 (.mf4), RPC III (.rsp .drv .tim), TDMS. Channels are listed at once,
// their samples are read on demand, so that a file larger than memory gives its signals one by one.
//
// Names and units stand as the file writes them, in UTF-8, without padding blanks; values are physical ones in that
// unit. The step to SI is taken by signals_of and signal_table_of, in one place for all formats. A channel is named by
// "channel" or, where groups repeat names, by "group/channel"; an asterisk stands for any letters.
// Nothing is dropped in silence: `findings` tells what was found and not used, `metadata` what the file says of itself.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/signal.hpp"

namespace kdyn::inline base {
class ByteSource;
}

namespace kdyn::inline io {

// What the samples of a group are counted by.
enum class RecordAxis { none, time, angle, distance, index };
const char* to_string(RecordAxis axis);

struct RecordedChannel {
  std::string name, unit, description;
  std::string group;                        // its name, or its number from 0 where it has none
  std::size_t group_number = 0;             // groups count in the order of the file
  bool name_repeats = false;                // another channel of the file is called the same
  std::size_t count = 0;                    // samples
  bool is_text = false;                     // values() then gives the raw numbers behind the texts, where there are any
  RecordAxis master = RecordAxis::none;     // this channel is the axis of its group: time, angle ...
  std::optional<std::size_t> axis_channel;  // the channel that holds the axis of these samples
  double start_s = 0.0, step_s = 0.0;       // else: evenly sampled in time; step 0 when the file does not tell
};

struct ChannelSamples {
  std::vector<double> values;  // NaN where a sample is marked invalid, missing or a text
  std::size_t marked_invalid = 0;
  std::vector<std::pair<std::size_t, std::string>>
      texts;  // (sample, text) where a number gives way to one ("sensor error")
};

// Reads samples of an open file. Every call reads the file once, whatever number of channels of one group is asked for.
class ChannelReader {
 public:
  virtual ~ChannelReader() = default;
  // In the order asked for. Throws Error(bad_input) where the bytes are damaged.
  virtual std::vector<ChannelSamples> values(const std::vector<std::size_t>& channels) const = 0;
  // Nothing where a sample has no text.
  virtual std::vector<std::optional<std::string>> texts(std::size_t channel) const = 0;
};

struct Recording {
  std::string path, format;  // "mdf4", "rpc3", "tdms"
  std::size_t file_bytes = 0;
  std::vector<RecordedChannel> channels;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Finding> findings;
  std::shared_ptr<const ChannelReader> reader;

  // Samples of one channel, as the unit of the file says.
  std::vector<double> values(std::size_t channel) const;
  // Times of its samples in s. Throws when they are not known or the axis is another.
  std::vector<double> times(std::size_t channel) const;
  // "group/channel" where another group has a channel of this name, else "channel".
  std::string full_name(std::size_t channel) const;
};

// The format these first bytes (64 are enough) belong to: "mdf4", "rpc3", "tdms"; empty for none. Relatives that are
// refused by name count too: MDF 3, the index file of TDMS.
std::string recording_format(std::string_view first_bytes);
// Whether a file on disk is one of these; false for what is missing or no file.
bool is_recording(const std::string& path);
// Throws Error(bad_input) naming the byte where the file is damaged or what kdyn does not read, and Error(file_access).
Recording open_recording(const std::string& path);
Recording open_recording(std::shared_ptr<const ByteSource> bytes, const std::string& name);

// An asterisk of the pattern stands for any letters.
bool name_fits(std::string_view pattern, std::string_view name);

// Channels by name ("force", "bench/force", "acc_*"); without names all that hold numbers and are no axis.
// Throws for a name that is not there.
std::vector<std::size_t> choose_channels(const Recording& recording, const std::vector<std::string>& names);

// Chosen channels as evenly sampled signals in SI. A channel that cannot be one (uneven or unknown times, invalid
// samples, too few) throws when it was named, and is told in the findings when all were wanted.
SignalSet signals_of(const Recording& recording, const std::vector<std::string>& names = {});
// The same with the times as they are: channels of one group, or of groups with equal times.
SignalSet signal_table_of(const Recording& recording, const std::vector<std::string>& names = {});

// What keeps channels from being signals over time: invalid samples, uneven times, unknown units. Reads all samples,
// channel by channel; a file of more than 256 MB is not looked at, and a note says so.
std::vector<Finding> examine(const Recording& recording);

// What is inside, in plain words: groups, channels with units and sampling.
std::vector<std::string> words_of(const Recording& recording);

}  // namespace kdyn::inline io
