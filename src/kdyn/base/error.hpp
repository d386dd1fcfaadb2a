// SPDX-License-Identifier: Apache-2.0
// The one exception of kdyn. Its code is also the exit code of the command line (design section 4).
//
// A message names what was given, where (field, or file:line) and which rule it broke; the remedy says what to do.
// Not converging is no error: it is a status in the result.
#pragma once

#include <stdexcept>
#include <string>

namespace kdyn::inline base {

enum class ErrorCode {
  bad_input = 2,    // an option or the content of a file breaks a rule
  file_access = 4,  // a file is missing, unreadable or not a file
  internal = 5,     // a bug of kdyn
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message, std::string where, std::string remedy);

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& remedy() const { return remedy_; }

 private:
  ErrorCode code_;
  std::string message_, where_, remedy_;
};

// Shorthand for the most frequent case: user input that breaks a rule.
[[noreturn]] void throw_bad_input(std::string where, std::string message, std::string remedy);

// A fact the code relies on. Always armed; failing it is a bug of kdyn, not of its user.
void demand(bool holds, const char* what);

}  // namespace kdyn::inline base
