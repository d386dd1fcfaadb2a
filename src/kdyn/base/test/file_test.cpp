// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/file.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/inside.hpp"

namespace kdyn::inline base {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kdyn_file_test_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::recursive_directory_iterator(folder_), fs::recursive_directory_iterator()));
  }

  fs::path folder_;
};

ErrorCode code_of(const auto& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::internal;
}

TEST_F(FileTest, WhatIsWrittenIsRead) {
  const std::string content("a\r\n\0b\xff", 6);
  write_text(in_folder("a.bin"), content);
  EXPECT_EQ(read_text(in_folder("a.bin")), content);
  write_text(in_folder("a.bin"), "");
  EXPECT_EQ(read_text(in_folder("a.bin")), "");
}

TEST_F(FileTest, WritingLeavesNoTemporaryFile) {
  write_text(in_folder("a.txt"), "old");
  write_text(in_folder("a.txt"), "new");
  EXPECT_EQ(file_count(), 1u);
  EXPECT_EQ(read_text(in_folder("a.txt")), "new");
}

TEST_F(FileTest, WritingCreatesFolders) {
  write_text(in_folder("one/two/a.txt"), "x");
  EXPECT_EQ(read_text(in_folder("one/two/a.txt")), "x");
}

TEST_F(FileTest, FailedWritingLeavesNothingBehind) {
  fs::create_directory(in_folder("taken"));
  EXPECT_EQ(code_of([&] { write_text(in_folder("taken"), "x"); }), ErrorCode::file_access);
  EXPECT_EQ(file_count(), 1u) << "only the folder itself";
  write_text(in_folder("file"), "x");
  EXPECT_EQ(code_of([&] { write_text(in_folder("file/below.txt"), "x"); }), ErrorCode::file_access);
}

TEST_F(FileTest, MissingFileAndFolderAreFileAccess) {
  EXPECT_EQ(code_of([&] { read_text(in_folder("missing.csv")); }), ErrorCode::file_access);
  EXPECT_EQ(code_of([&] { read_text(folder_.string()); }), ErrorCode::file_access);
  EXPECT_EQ(code_of([] { read_text(""); }), ErrorCode::file_access);
}

TEST_F(FileTest, MessageNamesTheFile) {
  try {
    read_text(in_folder("missing.csv"));
    FAIL() << "a missing file was read";
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), in_folder("missing.csv"));
    EXPECT_EQ(e.message(), "cannot read: No such file or directory");
  }
}

TEST_F(FileTest, LimitIsKept) {
  write_text(in_folder("a.txt"), "12345");
  EXPECT_EQ(read_text(in_folder("a.txt"), 5), "12345");
  EXPECT_EQ(code_of([&] { read_text(in_folder("a.txt"), 4); }), ErrorCode::bad_input);
}

TEST_F(FileTest, NamesOfOthersStayInside) {
  const auto path = [&](const std::string& name) { return inside(folder_.string(), name); };
  for (const char* good :
       {"a.json", "z/model.json", "..a", "a..b", "K 1 (left).mtx", "ä.csv", ".hidden", "-rf", "a.b/c.d"})
    EXPECT_EQ(path(good), in_folder(good)) << good;
  for (const std::string& bad :
       {std::string(), std::string("/etc/passwd"), std::string(".."), std::string("."), std::string("../x"),
        std::string("a/../../x"), std::string("a/.."), std::string("dK_/../../x.mtx"), std::string("a//b"),
        std::string("a/"), std::string("./a"), std::string("a\\b"), std::string("a\nb"), std::string("a\0b", 3),
        std::string(5000, 'a')})
    EXPECT_EQ(code_of([&] { path(bad); }), ErrorCode::bad_input) << bad;
  // Links: not on the way; the last component is replaced by writing, not followed.
  fs::create_directory(in_folder("real"));
  fs::create_directory_symlink("/", in_folder("away"));
  fs::create_directory_symlink("real", in_folder("home"));
  fs::create_symlink("/etc/hostname", in_folder("last"));
  EXPECT_EQ(code_of([&] { path("away/x"); }), ErrorCode::bad_input);
  EXPECT_EQ(path("home/x"), in_folder("home/x"));
  EXPECT_EQ(path("last"), in_folder("last"));
  // A folder that is not there yet, and the current one.
  EXPECT_EQ(inside(in_folder("new"), "a"), in_folder("new/a"));
  EXPECT_EQ(inside("", "a"), "a");
  EXPECT_EQ(inside(".", "a/b"), "./a/b");
}

// Oracle: the examples of FIPS 180-4.
TEST(Sha256, PublishedExamples) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(ByteSource, GivesBytesByPlace) {
  const std::string path = ::testing::TempDir() + "kdyn_byte_source";
  std::string content;
  for (int i = 0; i < 3'000'000; ++i) content += static_cast<char>(i * 7 + i / 251);
  write_text(path, content);
  const auto file = ByteSource::open(path), memory = ByteSource::of(content);
  std::string scratch;
  for (const auto& source : {file, memory}) {
    EXPECT_EQ(source->size(), content.size());
    EXPECT_EQ(source->at(1'234'567, 1000, scratch), std::string_view(content).substr(1'234'567, 1000));
    EXPECT_EQ(source->up_to(2'999'990, 1000, scratch).size(), 10U);
    EXPECT_TRUE(source->up_to(9'000'000, 10, scratch).empty());
    EXPECT_EQ(sha256(*source), sha256(content));
  }
  write_text(path, "short");  // another file under the same name: the open one stays as it was
  EXPECT_EQ(file->at(0, 4, scratch), std::string_view(content).substr(0, 4));
  std::filesystem::resize_file(path, 3);
  const auto cut = ByteSource::open(path);
  std::filesystem::resize_file(path, 1);
  EXPECT_THROW(cut->at(0, 3, scratch), Error) << "the file became shorter";
  std::filesystem::remove(path);
  EXPECT_THROW(ByteSource::open(path), Error);
  EXPECT_THROW(ByteSource::open(::testing::TempDir()), Error);
}

}  // namespace
}  // namespace kdyn::inline base
