// SPDX-License-Identifier: Apache-2.0
// The book (docs/, built by ./dev book) as the server hands it out: read into memory at the start, before the process is
// confined. A request is looked up by name in what was read then: no path of a request reaches the disk.
#pragma once

#include <map>
#include <string>

namespace kdyn::server {

class Book {
 public:
  // Empty where the folder is not there. Links, hidden names and what is above 64 MB in all are left out.
  explicit Book(const std::string& folder);
  static Book beside_program();

  bool empty() const { return pages_.empty(); }
  // "tutorials/bushing.html"; none: null.
  const std::string* page(const std::string& path) const;
  static std::string type_of(const std::string& path);

 private:
  std::map<std::string, std::string> pages_;
};

}  // namespace kdyn::server
