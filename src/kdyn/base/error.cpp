// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/error.hpp"

#include <utility>

#include "kdyn/base/eigen_check.hpp"

namespace kdyn::inline base {
namespace {

std::string compose(const std::string& message, const std::string& where, const std::string& remedy) {
  std::string text;
  if (!where.empty()) text += where + ": ";
  text += message;
  if (!remedy.empty()) text += " (" + remedy + ")";
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string message, std::string where, std::string remedy)
    : std::runtime_error(compose(message, where, remedy)),
      code_(code),
      message_(std::move(message)),
      where_(std::move(where)),
      remedy_(std::move(remedy)) {}

void throw_bad_input(std::string where, std::string message, std::string remedy) {
  throw Error(ErrorCode::bad_input, std::move(message), std::move(where), std::move(remedy));
}

void demand(bool holds, const char* what) {
  if (!holds)
    throw Error(ErrorCode::internal, std::string("assumption does not hold: ") + what, "kdyn",
                "this is a bug; please report it with the command line and the input files");
}

void eigen_assumption_broken(const char* what, const char* file, int line) {
  const std::string path = file;
  throw Error(
      ErrorCode::internal,
      "assumption does not hold: " + path.substr(path.find_last_of('/') + 1) + ":" + std::to_string(line) + ": " + what,
      "kdyn", "this is a bug; please report it with the command line and the input files");
}

}  // namespace kdyn::inline base
