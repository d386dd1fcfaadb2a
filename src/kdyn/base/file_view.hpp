// SPDX-License-Identifier: Apache-2.0
// What this thread sees in place of files on the disk: a run inside a study reads a model with changed values, or what
// the operation before it wrote, without a file.
//
// Readers of whole files and byte sources ask here first (file.cpp, byte_source.cpp), so that paths, places in messages
// and relative names stay what they are. Teams of threads (numerics/thread_team.hpp) see what the thread saw that
// started them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kdyn::inline base {

class FileView {
 public:
  virtual ~FileView() = default;
  // The content that stands for the file; nullptr: the file itself.
  virtual std::shared_ptr<const std::string> content(const std::string& path) const = 0;
  // A file on the disk was read whole.
  virtual void was_read(const std::string& path, std::string_view content) { (void)path, (void)content; }
};

// Of this thread; nullptr: files are what they are.
FileView* file_view();

// While it lives, this thread sees files through it.
class WithFileView {
 public:
  explicit WithFileView(FileView* view);
  ~WithFileView();
  WithFileView(const WithFileView&) = delete;
  WithFileView& operator=(const WithFileView&) = delete;

 private:
  FileView* before_;
};

}  // namespace kdyn::inline base
