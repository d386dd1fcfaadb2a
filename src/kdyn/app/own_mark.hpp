// SPDX-License-Identifier: Apache-2.0
// The user's own mark on the jobs that his servers wrote, so that jobs which came with somebody else's project folder
// are known as such.
//
// The mark is an HMAC-SHA256 of the whole record by a key of 256 random bits. The key lies in the user's own state
// folder
// ($XDG_STATE_HOME/kdyn, else ~/.local/state/kdyn; readable by its owner only), never in a project, and no job can read
// it where the kernel confines jobs. It says who wrote a job, not that its options are good: those are checked on their
// own.
#pragma once

#include <string>

#include "kdyn/base/json.hpp"

namespace kdyn::app {

class OwnMark {
 public:
  // A key that nobody keeps: what it marked is known until the process ends.
  OwnMark();
  // The key of this user, made at the first use. Where no place for it is found, one that nobody keeps.
  static OwnMark of_this_user();

  bool is_kept() const { return is_kept_; }
  std::string on(const std::string& id, const Json& record) const;
  // Puts the mark into record["mark"].
  void put(const std::string& id, Json& record) const;
  bool is_on(const std::string& id, const Json& record) const;

 private:
  std::string key_;
  bool is_kept_ = false;
};

}  // namespace kdyn::app
