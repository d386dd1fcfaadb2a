// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/confine.hpp"

// Landlock is of Linux 5.13; its numbers are in the headers of 5.13 too. KDYN_PLAIN_POSIX: as if they were not there.
#if defined(__linux__) && !defined(KDYN_PLAIN_POSIX) && __has_include(<linux/landlock.h>)
#include <sys/syscall.h>
#ifdef SYS_landlock_create_ruleset
#define KDYN_HAS_LANDLOCK 1
#endif
#endif

#ifndef KDYN_HAS_LANDLOCK

namespace kdyn::app {

Confinement confine_process(const std::filesystem::path&, const std::vector<std::filesystem::path>&) {
  Confinement done;
  done.words =
      "this kdyn was built without Landlock: paths of requests are checked, but files that include others could name "
      "any";
  return done;
}

}  // namespace kdyn::app

#else

#include <cstdint>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

// Newer than the first headers that have Landlock.
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

// The headers of Debian 12 know version 2; the system may know more.
struct Rules {
  std::uint64_t files, network;
};
constexpr std::uint64_t truncate_file = 1u << 14, connect_tcp = 1u << 1;

constexpr std::uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t run_rights = read_rights | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t file_rights =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_file;

std::uint64_t all_rights(long version) {
  std::uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= truncate_file;
  return rights;
}

void allow(int rules, const fs::path& path, std::uint64_t rights) {
  const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return;  // not there: nothing to allow
  struct stat status {};
  if (::fstat(place, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= file_rights;
  landlock_path_beneath_attr attribute{};
  attribute.allowed_access = rights;
  attribute.parent_fd = place;
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &attribute, 0);
  ::close(place);
}

// The program and the libraries it runs with, wherever they are installed.
std::set<std::string> mapped_files() {
  std::set<std::string> all;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const auto slash = line.find('/'); slash != std::string::npos) all.insert(line.substr(slash));
  return all;
}

}  // namespace

Confinement confine_process(const fs::path& project, const std::vector<fs::path>& more) {
  Confinement done;
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) {
    done.words =
        "this system has no Landlock: paths of requests are checked, but files that include others could name any";
    return done;
  }
  const std::uint64_t all = all_rights(version);
  const Rules handled{all, version >= 4 ? connect_tcp : 0};
  const int rules = static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, version >= 4 ? sizeof handled : sizeof handled.files, 0));
  if (rules < 0) {
    done.words = "Landlock refused its rules; paths of requests are checked";
    return done;
  }
  allow(rules, project, all);
  for (const fs::path& place : more) allow(rules, place, all);
  for (const char* place :
       {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"})
    allow(rules, place, run_rights & all);
  for (const char* place : {"/proc", "/sys/devices/system/cpu", "/dev/urandom"}) allow(rules, place, read_rights & all);
  allow(rules, "/dev/null", (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_file) & all);
  for (const std::string& file : mapped_files()) allow(rules, file, run_rights & all);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, rules, 0) == 0) {
    done.files = true;
    done.network = handled.network != 0;
    done.words = done.network ? "confined to the project folder, without network" : "confined to the project folder";
  } else {
    done.words = "Landlock refused its rules; paths of requests are checked";
  }
  ::close(rules);
  return done;
}

}  // namespace kdyn::app

#endif
