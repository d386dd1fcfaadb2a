// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/internal/archive.hpp"

#include <zip.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline fmu::internal {
namespace {

[[noreturn]] void zip_failed(const char* what) {
  throw Error(ErrorCode::internal, std::string("the archive could not be written: ") + what, "export", "report this");
}

}  // namespace

std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& entries) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* buffer = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (buffer == nullptr) zip_failed(zip_error_strerror(&error));
  zip_source_keep(buffer);  // zip_close gives one hold back, the reading below needs one
  zip_t* archive = zip_open_from_source(buffer, ZIP_TRUNCATE, &error);
  if (archive == nullptr) zip_failed(zip_error_strerror(&error));
  constexpr zip_uint16_t noon = 12 << 11,
                         january_1_2000 = (20 << 9) | (1 << 5) | 1;  // as zip files say it, without a time zone
  for (const auto& [name, content] : entries) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = source == nullptr ? -1 : zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_failed(zip_strerror(archive));
    zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), noon, january_1_2000, 0);
    // libzip takes level 9 by itself: five times the time of level 4 for 3 % of the size.
    if (zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 4) != 0)
      zip_failed(zip_strerror(archive));
  }
  if (zip_close(archive) != 0) zip_failed(zip_strerror(archive));
  zip_stat_t about;
  if (zip_source_open(buffer) != 0 || zip_source_stat(buffer, &about) != 0) zip_failed("it cannot be read back");
  std::string bytes(about.size, '\0');
  if (zip_source_read(buffer, bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size()))
    zip_failed("it cannot be read back");
  zip_source_close(buffer);
  zip_source_free(buffer);
  return bytes;
}

std::string zip_entry(const std::string& archive, const std::string& name, std::size_t largest) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* buffer = zip_source_buffer_create(archive.data(), archive.size(), 0, &error);
  if (buffer == nullptr) return {};
  zip_t* opened = zip_open_from_source(buffer, ZIP_RDONLY, &error);
  if (opened == nullptr) {
    zip_source_free(buffer);
    return {};
  }
  std::string content;
  zip_stat_t about;
  if (zip_stat(opened, name.c_str(), 0, &about) == 0 && (about.valid & ZIP_STAT_SIZE) != 0 && about.size <= largest) {
    if (zip_file_t* file = zip_fopen(opened, name.c_str(), 0)) {
      content.resize(about.size);
      if (zip_fread(file, content.data(), content.size()) != static_cast<zip_int64_t>(content.size())) content.clear();
      zip_fclose(file);
    }
  }
  zip_discard(opened);
  return content;
}

}  // namespace kdyn::inline fmu::internal
