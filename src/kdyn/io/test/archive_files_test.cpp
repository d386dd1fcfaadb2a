// SPDX-License-Identifier: Apache-2.0
// Files of zip archives. Oracle: archives whose bytes are written here by the format's description.
#include <gtest/gtest.h>

#include <zlib.h>

#include "kdyn/base/error.hpp"
#include "kdyn/io/archive_files.hpp"

namespace kdyn::inline io {
namespace {

void little(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// Stored, not packed: local headers, central directory, end record (APPNOTE 4.3).
std::string archive(const std::vector<ArchiveFile>& files) {
  std::string out, directory;
  for (const ArchiveFile& f : files) {
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(f.content.data()), static_cast<uInt>(f.content.size())));
    const auto offset = static_cast<std::uint32_t>(out.size()), size = static_cast<std::uint32_t>(f.content.size());
    const auto common = [&](std::string& to) {
      little(to, 0, 2), little(to, 0, 2), little(to, 0, 2), little(to, 33, 2);  // flags, stored, time, date
      little(to, crc, 4), little(to, size, 4), little(to, size, 4);
      little(to, static_cast<std::uint32_t>(f.name.size()), 2), little(to, 0, 2);
    };
    little(out, 0x04034b50, 4), little(out, 20, 2), common(out);
    out += f.name + f.content;
    little(directory, 0x02014b50, 4), little(directory, 20, 2), little(directory, 20, 2), common(directory);
    little(directory, 0, 2), little(directory, 0, 2), little(directory, 0, 2), little(directory, 0, 4);
    little(directory, offset, 4);
    directory += f.name;
  }
  const auto start = static_cast<std::uint32_t>(out.size()), count = static_cast<std::uint32_t>(files.size());
  out += directory;
  little(out, 0x06054b50, 4), little(out, 0, 4), little(out, count, 2), little(out, count, 2);
  little(out, static_cast<std::uint32_t>(directory.size()), 4), little(out, start, 4), little(out, 0, 2);
  return out;
}

TEST(ArchiveFiles, GivesWhatIsWanted) {
  const std::string zip =
      archive({{"a.xml", "one"}, {"folder/b.txt", "two"}, {"folder/c.txt", std::string(70000, 'x')}});
  const auto all = archive_files(zip, "x.zip", [](const std::string& name) { return name != "folder/b.txt"; });
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a.xml");
  EXPECT_EQ(all[0].content, "one");
  EXPECT_EQ(all[1].content.size(), 70000u);
}

TEST(ArchiveFiles, RefusesNamesThatLeadOut) {
  for (const char* name : {"../x", "a/../../x", "/etc/x", "a\\..\\x"})
    EXPECT_THROW(archive_files(archive({{"a", "1"}, {name, "2"}}), "x.zip", [](const std::string&) { return false; }),
                 Error)
        << name;
}

TEST(ArchiveFiles, RefusesDamage) {
  const std::string zip = archive({{"a", std::string(1000, 'y')}});
  const auto all = [](const std::string&) { return true; };
  EXPECT_EQ(archive_files(zip, "x.zip", all).size(), 1u);
  for (std::size_t length = 0; length < zip.size(); length += 37)
    EXPECT_THROW(archive_files(zip.substr(0, length), "x.zip", all), Error) << length;
  std::string changed = zip;
  changed[200] = 'z';  // the content no longer has its checksum
  EXPECT_THROW(archive_files(changed, "x.zip", all), Error);
}

}  // namespace
}  // namespace kdyn::inline io
