// SPDX-License-Identifier: Apache-2.0
// Lab files against what their independent writers put into them: data/lab (written by plain Python, expected.json
// beside) and, where it is there, the larger set with files of other tools, whose numbers come from their public
// readers.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/io/recording.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn::inline io {
namespace {

namespace fs = std::filesystem;

const std::string own = std::string(KDYN_SOURCE_DIR) + "/data/lab/",
                  shared = std::string(KDYN_SHARED_DIR) + "/data/lab/";

std::string bytes_of(const std::string& file) { return read_text(own + file); }

Recording opened(const std::string& bytes, const std::string& name = "x") {
  return open_recording(ByteSource::of(bytes), name);
}

// Numbers of expected.json have 12 digits; sums were formed exactly, ours add rounding of each term.
void expect_numbers(const std::vector<double>& values, const Json& expected, const std::string& where) {
  ASSERT_EQ(values.size(), expected["count"].get<std::size_t>()) << where;
  std::size_t invalid = 0;
  double first = 0.0, last = 0.0, low = INFINITY, high = -INFINITY, largest = 0.0;
  long double sum = 0.0L;
  bool any = false;
  for (const double v : values) {
    if (!std::isfinite(v)) {
      ++invalid;
      continue;
    }
    if (!any) first = v;
    any = true;
    last = v, low = std::min(low, v), high = std::max(high, v), largest = std::max(largest, std::abs(v)), sum += v;
  }
  EXPECT_EQ(invalid, expected.value("invalid", std::size_t{0})) << where;
  if (!any) return;
  const double tolerance = 1e-10 * largest;
  EXPECT_NEAR(first, expected["first"].get<double>(), tolerance) << where;
  EXPECT_NEAR(last, expected["last"].get<double>(), tolerance) << where;
  EXPECT_NEAR(low, expected["min"].get<double>(), tolerance) << where;
  EXPECT_NEAR(high, expected["max"].get<double>(), tolerance) << where;
  EXPECT_NEAR(static_cast<double>(sum), expected["sum"].get<double>(), tolerance * static_cast<double>(values.size()))
      << where;
}

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

void expect_texts(const std::vector<std::optional<std::string>>& texts, const Json& expected,
                  const std::string& where) {
  ASSERT_EQ(texts.size(), expected["count"].get<std::size_t>()) << where;
  std::size_t none = 0, total = 0;
  std::map<std::string, std::size_t> histogram;
  for (const auto& text : texts) {
    if (!text)
      ++none;
    else
      ++histogram[*text], total += letters(*text);
  }
  EXPECT_EQ(none, expected.value("no_text", std::size_t{0})) << where;
  EXPECT_EQ(histogram.size(), expected["distinct"].get<std::size_t>()) << where;
  EXPECT_EQ(total, expected["total_chars"].get<std::size_t>()) << where;
  const auto same = [&](const std::optional<std::string>& got, const Json& want) {
    EXPECT_EQ(got.has_value(), want.is_string()) << where;
    if (got && want.is_string()) {
      EXPECT_EQ(*got, want.get<std::string>()) << where;
    }
  };
  if (!texts.empty()) same(texts.front(), expected["first"]), same(texts.back(), expected["last"]);
  if (expected["histogram"].is_object()) {
    for (const auto& [text, count] : expected["histogram"].items())
      EXPECT_EQ(histogram[text], count.get<std::size_t>()) << where << " " << text;
  }
}

void expect_channel(const Recording& recording, const Json& expected, const std::string& file) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < recording.channels.size(); ++i) {
    const RecordedChannel& c = recording.channels[i];
    const bool group = !expected.contains("group") ||
                       (expected["group"].is_number() ? c.group_number == expected["group"].get<std::size_t>()
                                                      : c.group == expected["group"].get<std::string>());
    if (group && c.name == expected["name"].get<std::string>()) found = i;
  }
  const std::string where = file + " " + expected["name"].get<std::string>();
  ASSERT_TRUE(found) << where;
  const RecordedChannel& c = recording.channels[*found];
  EXPECT_EQ(c.unit, expected["unit"].get<std::string>()) << where;
  EXPECT_EQ(c.master != RecordAxis::none, expected.value("master", false)) << where;
  if (expected.contains("comment")) {
    EXPECT_EQ(c.description, expected["comment"].get<std::string>()) << where;
  }
  if (expected.contains("wf_increment")) {
    EXPECT_DOUBLE_EQ(c.step_s, expected["wf_increment"].get<double>()) << where;
  }
  const ChannelSamples samples = recording.reader->values({*found}).front();
  if (expected["kind"] == "number") {
    EXPECT_FALSE(c.is_text) << where;
    expect_numbers(samples.values, expected, where);
    if (expected.contains("texts")) {
      ASSERT_EQ(samples.texts.size(), expected["texts"].size()) << where;
      for (const auto& [sample, text] : samples.texts)
        EXPECT_EQ(expected["texts"][std::to_string(sample)], text) << where;
    }
  } else {
    EXPECT_TRUE(c.is_text) << where;
    expect_texts(recording.reader->texts(*found), expected, where);
    if (expected.contains("raw")) expect_numbers(samples.values, expected["raw"], where + " (raw)");
  }
}

void expect_folder(const std::string& folder) {
  const Json expected = parse_json(read_text(folder + "/expected.json"), folder);
  for (const auto& [file, content] : expected["files"].items()) {
    const std::string path = folder + "/" + file, status = content["status"];
    if (!fs::exists(path)) continue;
    if (status == "refused") {
      try {
        open_recording(path);
        ADD_FAILURE() << path << " is refused";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        const std::string reason = content["reason"].get<std::string>().substr(0, 9);  // "MDF versi", "DAQmx raw"
        EXPECT_NE(error.message().find(reason), std::string::npos) << error.message();
        EXPECT_FALSE(error.remedy().empty());
      }
      continue;
    }
    const Recording recording = open_recording(path);
    for (const Json& channel : content["channels"]) expect_channel(recording, channel, file);
    std::size_t listed = content["channels"].size();
    EXPECT_EQ(recording.channels.size(), listed) << file;
    if (status == "unfinalised" || status == "truncated" || status == "incomplete") {
      EXPECT_FALSE(recording.findings.empty()) << file << " is told";
    }
    if (content.contains("delta_t")) {
      EXPECT_DOUBLE_EQ(recording.channels[0].step_s, content["delta_t"].get<double>()) << file;
    }
  }
}

TEST(Recording, HoldsWhatTheirWritersPutIn) {
  for (const char* folder : {"mdf", "rpc", "tdms"}) expect_folder(own + folder);
}

TEST(Recording, HoldsWhatOtherToolsRead) {
  if (!fs::exists(shared)) GTEST_SKIP() << "the larger set of lab files is not here";
  for (const char* folder : {"mdf", "rpc", "tdms"}) expect_folder(shared + folder);
}

TEST(Recording, ReadsManyChannelsAsOneByOne) {
  for (const char* file :
       {"mdf/gen_sorted_dz.mf4", "mdf/gen_unsorted_vlsd.mf4", "mdf/gen_column_420.mf4", "rpc/gen_short_groups.rsp",
        "rpc/gen_float.rsp", "tdms/gen_segments.tdms", "tdms/gen_interleaved.tdms"}) {
    const Recording from_disk = open_recording(own + file);
    const std::string bytes = bytes_of(file);
    const Recording from_memory = opened(bytes);
    std::vector<std::size_t> all = choose_channels(from_disk, {});
    const auto together = from_disk.reader->values(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto alone = from_memory.values(all[i]);
      ASSERT_EQ(alone.size(), together[i].values.size());
      for (std::size_t k = 0; k < alone.size(); ++k)
        ASSERT_TRUE(alone[k] == together[i].values[k] || (std::isnan(alone[k]) && std::isnan(together[i].values[k])))
            << file << " " << k;
    }
  }
}

TEST(Recording, BecomesSignalsInSi) {
  const Recording recording = open_recording(own + "mdf/gen_sorted_dz.mf4");
  const SignalSet set = signals_of(recording, {"disp20", "p10", "acc_x", "temp", "cnt12"});
  ASSERT_EQ(set.signals.size(), 5U);
  EXPECT_EQ(set.signals[0].unit, "m");
  EXPECT_NEAR(set.signals[0].values[0], 60.304e-3, 1e-15);
  EXPECT_EQ(set.signals[1].unit, "Pa");
  EXPECT_NEAR(set.signals[1].values[0], -1.1e5, 1e-9);
  EXPECT_EQ(set.signals[2].unit, "m/s^2");
  EXPECT_EQ(set.signals[3].unit, "degC");
  EXPECT_EQ(set.signals[4].unit, "");
  // 3000 samples over 2.9287109375 s: 1024 Hz, exactly.
  EXPECT_DOUBLE_EQ(set.signals[0].step_s, 1.0 / 1024.0);
  EXPECT_EQ(set.signals[0].start_s, 0.0);
  const SignalSet table = signal_table_of(recording, {"disp20", "acc_x"});
  EXPECT_EQ(table.rows, 3000U);
  EXPECT_EQ(table.signals[0].values, set.signals[0].values);
  EXPECT_DOUBLE_EQ(table.time.back(), 2.9287109375);
}

TEST(Recording, TellsWhyAChannelIsNoSignal) {
  const Recording recording = open_recording(own + "mdf/gen_unsorted_vlsd.mf4");
  EXPECT_THROW(signals_of(recording, {"force"}), Error) << "77 samples are invalid";
  EXPECT_THROW(signals_of(recording, {"log"}), Error) << "texts";
  EXPECT_THROW(signals_of(recording, {"t"}), Error) << "two channels have this name";
  EXPECT_THROW(signals_of(recording, {"fource"}), Error);
  const SignalSet rest = signals_of(recording);
  ASSERT_EQ(rest.signals.size(), 1U);
  EXPECT_EQ(rest.signals[0].name, "oil");
  std::size_t told = 0;
  for (const Finding& finding : rest.findings) told += finding.code == "channel_left_out" ? 1 : 0;
  EXPECT_EQ(told, 2U);
  const Recording angle = open_recording(own + "mdf/gen_virtual_master.mf4");
  EXPECT_THROW(signals_of(angle, {"torque"}), Error) << "recorded over an angle";
}

TEST(Recording, IndexOfTdmsIsRefusedByName) {
  try {
    open_recording(own + "tdms/gen_segments.tdms_index");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("index"), std::string::npos);
  }
}

// Whatever is cut or flipped, a reader returns or refuses.
void survive(std::string_view bytes) {
  try {
    const Recording recording = open_recording(ByteSource::of(bytes), "damaged");
    words_of(recording);
    for (std::size_t i = 0; i < recording.channels.size(); ++i) {
      try {
        if (recording.channels[i].is_text) recording.reader->texts(i);
        const auto samples = recording.reader->values({i});
        ASSERT_EQ(samples.front().values.size(), recording.channels[i].count);
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::bad_input);
      }
    }
    signals_of(recording);
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), ErrorCode::bad_input) << error.message();
    ASSERT_FALSE(error.message().empty());
  }
}

std::vector<std::string> small_files() {
  std::vector<std::string> out;
  for (const char* folder : {"mdf", "rpc", "tdms"})
    for (const auto& entry : fs::directory_iterator(own + folder))
      if (entry.path().filename().string().starts_with("gen_")) out.push_back(entry.path().string());
  return out;
}

TEST(RecordingDamage, CutAnywhere) {
  for (const std::string& path : small_files()) {
    const std::string bytes = read_text(path);
    // Every block border of MDF and TDMS lies on a multiple of 4 or at a mark; every cut in the heads, then every 61st
    // byte.
    for (std::size_t at = 0; at < bytes.size(); at += at < 1200 ? 3 : 61)
      survive(std::string_view(bytes).substr(0, at));
    for (std::size_t at = bytes.find("##"); at != std::string::npos; at = bytes.find("##", at + 1))
      survive(std::string_view(bytes).substr(0, at));
    for (std::size_t at = bytes.find("TDSm"); at != std::string::npos; at = bytes.find("TDSm", at + 1))
      for (const std::size_t more : {0U, 4U, 27U, 28U, 29U}) survive(std::string_view(bytes).substr(0, at + more));
  }
}

TEST(RecordingDamage, FlippedBytes) {
  for (const std::string& path : small_files()) {
    const std::string bytes = read_text(path);
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 150);
    for (std::size_t at = 0; at < bytes.size(); at += at < 256 ? 2 : step)
      for (const char value : {'\0', '\xff', '\x01'}) {
        std::string damaged = bytes;
        damaged[at] = value;
        survive(damaged);
      }
  }
}

}  // namespace
// A counted channel has no bytes in its record; one that claims to be text of any length must not be read beside it.
TEST(RecordingDamage, CountedChannelsOfTexts) {
  const std::string file = read_text(std::string(KDYN_SOURCE_DIR) + "/fuzz/corpus/fuzz_mdf/plain.mf4");
  int tried = 0;
  for (std::size_t at = file.find("##CN"); at != std::string::npos; at = file.find("##CN", at + 4)) {
    std::string damaged = file;
    const std::size_t data = at + 24 + 8 * static_cast<unsigned char>(file[at + 16]);
    damaged[data] = 3;                                                // counted
    damaged[data + 2] = 6;                                            // a text
    for (std::size_t i = 4; i < 12; ++i) damaged[data + i] = '\x7f';  // far away and long
    survive(damaged);
    ++tried;
  }
  EXPECT_GT(tried, 1);
}

}  // namespace kdyn::inline io
