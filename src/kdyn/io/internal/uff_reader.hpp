// SPDX-License-Identifier: Apache-2.0
// One dataset at a time: its lines, where they are, and how a bad one is reported.
#pragma once

#include <string>
#include <vector>

#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/uff.hpp"

namespace kdyn::inline io::internal {

// The lines of one dataset up to its closing -1. Record counts from 1 after the dataset number.
class UffRecords {
 public:
  UffRecords(UffFile& file, TextLines& lines, const UffDataset& dataset)
      : file_(file),
        lines_(lines),
        dataset_(dataset) {}

  bool next(std::string_view& text);  // false at the closing -1 (not consumed) or at the end of the file
  void put_back() { lines_.put_back(line_), --record_; }
  // A record that must be there; reports its absence.
  bool need(std::string_view& text, const char* what);

  // Reports a defect at the current record.
  void complain(Severity severity, const char* code, const std::string& message, const std::string& remedy);
  bool bad(const std::string& message);  // serious, remedy "repair or remove the dataset"; returns false

  std::size_t left() const { return lines_.left(); }
  UffFile& file() { return file_; }
  TextLines& lines() { return lines_; }
  const UffDataset& dataset() const { return dataset_; }

 private:
  UffFile& file_;
  TextLines& lines_;
  const UffDataset& dataset_;
  TextLine line_;
  std::size_t record_ = 0;
};

bool is_uff_delimiter(std::string_view line);

void read_uff_15(UffRecords& records);
void read_uff_18(UffRecords& records);
void read_uff_82(UffRecords& records);
void read_uff_151(UffRecords& records);
void read_uff_164(UffRecords& records);
void read_uff_2411(UffRecords& records);
void read_uff_2412(UffRecords& records);
void read_uff_2420(UffRecords& records);
void read_uff_58(UffRecords& records);
void read_uff_58b(UffRecords& records, std::string_view first_line);
void read_uff_55(UffRecords& records);
void read_uff_2414(UffRecords& records);

}  // namespace kdyn::inline io::internal
