// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/own_mark.hpp"

#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "kdyn/base/error.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t key_bytes = 32;

std::string random_key() {
  std::string key(key_bytes, '\0');
  demand(::getrandom(key.data(), key.size(), 0) == static_cast<ssize_t>(key.size()), "the system has random numbers");
  return key;
}

// Empty where the environment names no absolute place.
fs::path state_folder() {
  const auto absolute = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
  };
  if (const fs::path state = absolute("XDG_STATE_HOME"); !state.empty()) return state / "kdyn";
  if (const fs::path home = absolute("HOME"); !home.empty()) return home / ".local" / "state" / "kdyn";
  return {};
}

// Empty unless it is a whole key in a plain file of this user that nobody else may touch.
std::string read_key(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  std::string key(key_bytes + 1, '\0');
  struct stat status {};
  const bool ours = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
                    (status.st_mode & 077) == 0;
  const ssize_t count = ours ? ::read(file, key.data(), key.size()) : -1;
  ::close(file);
  if (count != static_cast<ssize_t>(key_bytes)) return {};
  key.resize(key_bytes);
  return key;
}

// Takes its name only where there is none yet: two servers that start at once agree on the first one's key.
void write_key(const fs::path& path) {
  const std::string temporary = fmt::format("{}.{}.tmp", path.string(), ::getpid()), key = random_key();
  ::unlink(temporary.c_str());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const bool written = ::write(file, key.data(), key.size()) == static_cast<ssize_t>(key.size()) && ::fsync(file) == 0;
  ::close(file);
  if (written) [[maybe_unused]]
    const int linked = ::link(temporary.c_str(), path.c_str());
  ::unlink(temporary.c_str());
}

}  // namespace

OwnMark::OwnMark() : key_(random_key()) {}

OwnMark OwnMark::of_this_user() {
  OwnMark mark;
  const fs::path folder = state_folder();
  if (folder.empty()) return mark;
  std::error_code ec;
  fs::create_directories(folder.parent_path(), ec);
  ::mkdir(folder.c_str(), 0700);
  const fs::path path = folder / "key";
  std::string key = read_key(path);
  if (key.empty()) {
    write_key(path);
    key = read_key(path);
  }
  if (key.empty()) return mark;
  mark.key_ = std::move(key);
  mark.is_kept_ = true;
  return mark;
}

std::string OwnMark::on(const std::string& id, const Json& record) const {
  Json bare = record;
  bare.erase("mark");
  // As it reads back from a file, where 1.0 may have become 1.
  const std::string text = id + "\n" + dump_json(parse_json(dump_json(bare), id));
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  demand(HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
              reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &length) != nullptr,
         "HMAC-SHA256 is available");
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

void OwnMark::put(const std::string& id, Json& record) const { record["mark"] = on(id, record); }

bool OwnMark::is_on(const std::string& id, const Json& record) const {
  const auto found = record.find("mark");
  if (found == record.end() || !found->is_string()) return false;
  const std::string wanted = on(id, record), given = found->get<std::string>();
  return wanted.size() == given.size() && CRYPTO_memcmp(wanted.data(), given.data(), wanted.size()) == 0;
}

}  // namespace kdyn::app
