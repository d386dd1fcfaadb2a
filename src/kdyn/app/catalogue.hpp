// SPDX-License-Identifier: Apache-2.0
// The mount catalogue: which part, direction and batch a fit belongs to, with its parameters; in SQLite
// (.kdyn/catalogue.sqlite).
//
// The files of a job stay the truth; an entry remembers what is searched and compared. Several entries of the same part
// and direction are its history, several of the same batch its scatter. Safe to call from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::app {

struct CatalogueEntry {
  std::string part, direction, batch, note;
  std::string job;        // folder name of the fit, "0002-fit-elastomer"
  std::string operation;  // "fit elastomer"
  Json parameters;        // as in result.json
  Json fit;               // misfits, as in result.json
  std::string fitted;     // time of the fit
};
const FieldTable& fields_of(const CatalogueEntry*);

class Catalogue {
 public:
  // Opens or makes the file. Throws Error(file_access).
  explicit Catalogue(const std::string& path);
  ~Catalogue();

  // Puts an entry; one of the same job is replaced. Part and job must not be empty.
  void put(const CatalogueEntry& entry);
  void remove(const std::string& job);
  // Entries whose part, direction, batch, note or job contain every word of `search`; newest first.
  // A list of CatalogueEntry.
  Json find(const std::string& search, std::size_t limit = 1000) const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
  mutable std::mutex mutex_;
};

}  // namespace kdyn::app
