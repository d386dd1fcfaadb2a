// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/internal/archive.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"

extern char** environ;

namespace kdyn::internal {
namespace {

[[noreturn]] void zip_failed(const char* what) {
  throw Error(ErrorCode::internal, std::string("the archive could not be written: ") + what, "export", "report this");
}

// A folder that vanishes with its content.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kdyn_fmu_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw Error(ErrorCode::file_access, "no folder for temporary files could be made", pattern, "set TMPDIR to a folder you may write to");
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Names of compilers, as the systems have them. The name may come out of a file of somebody else: nothing but these is ever started.
bool is_compiler(std::string name) {
  for (const char* machine : {"x86_64-linux-gnu-", "aarch64-linux-gnu-", "x86_64-w64-mingw32-", "x86_64-w64-windows-gnu-"})
    if (name.starts_with(machine)) {
      name.erase(0, std::string_view(machine).size());
      break;
    }
  for (const char* thread_model : {"-posix", "-win32"})
    if (name.ends_with(thread_model)) name.resize(name.size() - 6);
  for (const char* stem : {"cc", "gcc", "clang"}) {
    if (!name.starts_with(stem)) continue;
    const std::string rest = name.substr(std::string_view(stem).size());  // "" or "-12"
    if (rest.empty()) return true;
    if (rest.size() > 1 && rest.size() < 5 && rest[0] == '-' && rest.find_first_not_of("0123456789", 1) == std::string::npos) return true;
  }
  return false;
}

// Where PATH has it, in absolute folders only: "" and "." there mean the current folder, where the data lie. Empty: nowhere.
std::string found_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  for (;;) {
    const auto colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const std::string place = fmt::format("{}/{}", folder, name);
    std::error_code ec;
    if (folder.starts_with('/') && std::filesystem::is_regular_file(place, ec) && ::access(place.c_str(), X_OK) == 0) return place;
    if (colon == std::string_view::npos) return {};
    rest.remove_prefix(colon + 1);
  }
}

// Runs a program with its output in a file; the exit code, or 127 when it was not found.
int run(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& entries) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* buffer = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (buffer == nullptr) zip_failed(zip_error_strerror(&error));
  zip_source_keep(buffer);  // zip_close gives one hold back, the reading below needs one
  zip_t* archive = zip_open_from_source(buffer, ZIP_TRUNCATE, &error);
  if (archive == nullptr) zip_failed(zip_error_strerror(&error));
  constexpr time_t january_2000 = 946728000;
  for (const auto& [name, content] : entries) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = source == nullptr ? -1 : zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_failed(zip_strerror(archive));
    zip_file_set_mtime(archive, static_cast<zip_uint64_t>(index), january_2000, 0);
  }
  if (zip_close(archive) != 0) zip_failed(zip_strerror(archive));
  zip_stat_t about;
  if (zip_source_open(buffer) != 0 || zip_source_stat(buffer, &about) != 0) zip_failed("it cannot be read back");
  std::string bytes(about.size, '\0');
  if (zip_source_read(buffer, bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size())) zip_failed("it cannot be read back");
  zip_source_close(buffer);
  zip_source_free(buffer);
  return bytes;
}

Compiled compile_shared(const std::vector<std::pair<std::string, std::string>>& files, const std::string& main_source,
                        const std::vector<std::string>& compilers) {
  Compiled out;
  const Scratch scratch;
  for (const auto& [name, content] : files) write_text((scratch.path() / name).string(), content);
  const std::string library = (scratch.path() / "library.so").string(), source = (scratch.path() / main_source).string(),
                    log = (scratch.path() / "log").string();
  for (const std::string& name : compilers) {
    if (!is_compiler(name))
      throw_bad_input("compilers", fmt::format("{} is not the name of a C compiler that is known here", in_quotes(name)),
                      "use cc, gcc, clang, x86_64-w64-mingw32-gcc or aarch64-linux-gnu-gcc, also with a version (gcc-12), without folder");
    const std::string compiler = found_in_path(name);
    if (compiler.empty() || run({compiler, "-dumpmachine"}, log) == 127) continue;
    out.machine = read_text(log);
    out.machine.erase(out.machine.find_last_not_of("\r\n ") + 1);
    const bool windows = out.machine.find("mingw") != std::string::npos;
    // No contraction of products and sums: the same digits on every machine.
    std::vector<std::string> words = {compiler, "-std=c99", "-O2", "-ffp-contract=off", "-fvisibility=hidden", "-shared", "-o",
                                      library,  source,     "-lm"};
    words.insert(words.begin() + 1, windows ? "-static-libgcc" : "-fPIC");
    if (run(words, log) == 0) {
      out.library = read_text(library);
      out.compiler = name;
    } else {
      out.reason = fmt::format("{} failed: {}", name, read_text(log).substr(0, 400));
    }
    return out;
  }
  out.reason = fmt::format("no C compiler was found: {}", join(compilers, ", "));
  return out;
}

}  // namespace kdyn::internal
