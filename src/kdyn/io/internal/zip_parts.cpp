// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/zip_parts.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <zip.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io::internal {

ZipParts::ZipParts(std::string_view content, const std::string& name, const SpreadsheetLimits& limits)
    : name_(name),
      limits_(limits),
      content_(content) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(content.data(), content.size(), 0, &error);
  archive_ = source != nullptr ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (archive_ == nullptr) {
    const std::string why = zip_error_strerror(&error);
    if (source != nullptr) zip_source_free(source);
    zip_error_fini(&error);
    throw_bad_input(name, fmt::format("the archive is damaged ({})", why),
                    "save the workbook again, or copy the file again");
  }
  zip_error_fini(&error);
  const auto entries = zip_get_num_entries(archive_, 0);
  if (entries < 0 || static_cast<std::size_t>(entries) > limits.entries) {
    zip_discard(archive_);
    throw_bad_input(name, fmt::format("the archive holds {} entries, the limit is {}", entries, limits.entries),
                    "this is no common workbook");
  }
}

ZipParts::~ZipParts() { zip_discard(archive_); }

bool ZipParts::has(const std::string& part) const { return zip_name_locate(archive_, part.c_str(), 0) >= 0; }

std::vector<std::string> ZipParts::names() const {
  std::vector<std::string> out;
  const auto entries = zip_get_num_entries(archive_, 0);
  for (zip_int64_t i = 0; i < entries; ++i)
    if (const char* one = zip_get_name(archive_, static_cast<zip_uint64_t>(i), 0)) out.emplace_back(one);
  return out;
}

std::string ZipParts::read(const std::string& part) {
  const std::string where = name_ + " (" + part + ")";
  const auto index = zip_name_locate(archive_, part.c_str(), 0);
  zip_stat_t stat;
  if (index < 0 || zip_stat_index(archive_, static_cast<zip_uint64_t>(index), 0, &stat) != 0)
    throw_bad_input(where, "the workbook has no such part", "save the workbook again");
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    throw_bad_input(where, "the workbook is encrypted", "save it without a password");
  if ((stat.valid & ZIP_STAT_COMP_METHOD) != 0 && stat.comp_method != ZIP_CM_STORE &&
      stat.comp_method != ZIP_CM_DEFLATE)
    throw_bad_input(where, fmt::format("compression method {} is none of workbooks", stat.comp_method),
                    "save the workbook again");
  // Bytes are counted while they are unpacked; the packed size cannot be more than the file.
  const double packed = std::max(1.0, static_cast<double>(std::min<zip_uint64_t>(stat.comp_size, content_.size())));
  const std::size_t most =
      std::min({limits_.part_bytes, limits_.total_bytes - std::min(limits_.total_bytes, total_),
                std::max(limits_.free_bytes, static_cast<std::size_t>(std::min(1e12, limits_.ratio * packed)))});
  zip_file_t* file = zip_fopen_index(archive_, static_cast<zip_uint64_t>(index), 0);
  if (file == nullptr)
    throw_bad_input(where, fmt::format("the part cannot be opened ({})", zip_strerror(archive_)),
                    "save the workbook again");
  std::string out;
  // The archive's word on the size is not believed, but small parts need no large block.
  std::string block(std::clamp<std::size_t>((stat.valid & ZIP_STAT_SIZE) != 0 ? stat.size : 0, 4096, 1 << 18), '\0');
  bool too_large = false, damaged = false;
  while (true) {
    const auto count = zip_fread(file, block.data(), block.size());
    damaged = count < 0;
    if (count <= 0) break;
    too_large = out.size() + static_cast<std::size_t>(count) > most;
    if (too_large) break;
    out.append(block, 0, static_cast<std::size_t>(count));
  }
  zip_fclose(file);
  if (too_large)
    throw_bad_input(where,
                    fmt::format("the part unpacks to more than {} MB from {:.0f} kB, which no measurement does",
                                most >> 20, packed / 1024.0),
                    "save the sheet as CSV if it is genuine");
  if (damaged)
    throw_bad_input(where, "the part is damaged: it does not unpack",
                    "save the workbook again, or copy the file again");
  total_ += out.size();
  return out;
}

}  // namespace kdyn::inline io::internal
