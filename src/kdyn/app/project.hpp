// SPDX-License-Identifier: Apache-2.0
// The project folder of the web application: plain files that the command line reads as well.
//
//   data/            measurements, as they were dropped
//   jobs/0001-.../   one folder for each run: job.json, result.json, report.html and what the operation wrote
//   models/          models saved by hand
//   .kdyn/           lock, catalogue, temporary files; never served
//
// Paths are relative to the folder, with '/'. Whatever leads outside is refused: absolute paths, "..", links that point
// elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/app/own_mark.hpp"

namespace kdyn::app {

struct ProjectFile {
  std::string path;  // relative
  std::uintmax_t bytes = 0;
  std::int64_t changed = 0;  // seconds since 1970
};

class Project {
 public:
  // Makes the folder when it is missing. Throws Error(file_access) when another server works on it.
  explicit Project(const std::string& folder);
  ~Project();
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  const std::filesystem::path& root() const { return root_; }
  // 256 random bits in hexadecimal, new at each start. A server that was killed is followed by one with the same token,
  // so that open pages go on: begin_session notes it in a private file, marked as this user's, and end_session, at an
  // orderly end, forgets it.
  const std::string& token() const { return token_; }
  void begin_session(const OwnMark& mark);
  void end_session();
  // Opens one report and nothing else: a report may come from elsewhere, and a page knows its own address.
  std::string report_key(const std::string& path) const;

  // The absolute path of something inside. Throws Error(bad_input) when it is not inside; says nothing about whether it
  // exists.
  std::filesystem::path inside(std::string_view relative) const;
  // The same for something that is there: links are followed and must end inside. Throws Error(file_access) when
  // nothing is there.
  std::filesystem::path existing(std::string_view relative) const;
  std::string relative(const std::filesystem::path& path) const;

  // Files below a folder, newest first, at most `limit`. Hidden ones are left out.
  std::vector<ProjectFile> files(std::string_view folder, std::size_t limit = 2000) const;

  // Refuses options with a text that could name something outside. Every text is looked at, whatever the field calls
  // itself.
  template <class AnyJson>
  void check_texts(const AnyJson& value, const std::string& where) const;

 private:
  void check_text(const std::string& text, const std::string& where) const;

  std::filesystem::path root_;
  std::string token_;
  int lock_ = -1;
};

// The name of a dropped file as it is stored: one component, no control characters, not hidden. Throws
// Error(bad_input).
std::string checked_file_name(std::string_view name);

// A file that grows until it is complete, then takes its name; disappears when it is abandoned.
class IncomingFile {
 public:
  IncomingFile(const Project& project, std::string_view folder, std::string_view name);
  ~IncomingFile();
  IncomingFile(const IncomingFile&) = delete;
  IncomingFile& operator=(const IncomingFile&) = delete;

  void write(const char* bytes, std::size_t count);
  // Gives the file its name and returns the path, relative. An equal file that is there already is taken instead; a
  // different one of the same name is kept and the new one is numbered: map_2.csv.
  std::string finish();

 private:
  const Project& project_;
  std::filesystem::path folder_, temporary_;
  std::string name_;
  int file_ = -1;
};

template <class AnyJson>
void Project::check_texts(const AnyJson& value, const std::string& where) const {
  if (value.is_string()) check_text(value.template get<std::string>(), where);
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object()) check_text(key, where);
    check_texts(inner, where.empty() ? key : where + "." + key);
  }
}

}  // namespace kdyn::app
