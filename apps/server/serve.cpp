// SPDX-License-Identifier: Apache-2.0
#include "serve.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "http_server.hpp"
#include "kdyn/app/confine.hpp"
#include "kdyn/app/job_runner.hpp"
#include "kdyn/app/project.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/program.hpp"
#include "kdyn/door/templates.hpp"
#include "routes.hpp"

namespace kdyn::server {
namespace {

// Signals come as bytes through a pipe: libraries have threads of their own that would take a signal everybody else
// blocks.
int signal_pipe[2] = {-1, -1};
extern "C" void on_signal(int) {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(signal_pipe[1], &byte, 1);
}

// Where there is a screen. The browser is a process of its own and not confined. Everybody on the machine can read the
// words of a command: the address with its token goes to the browser in a file that only this user can read.
bool open_browser(const std::string& address, const std::string& path) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return false;
  write_text(
      path,
      fmt::format("<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta http-equiv=\"refresh\" content=\"0; url={0}\"><title>kdyn</title><a href=\"{0}\">kdyn</a>\n",
                  address));
  std::string program = "xdg-open", argument = path;
  char* words[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  close_other_files(actions);
  pid_t pid = 0;
  const bool started = posix_spawnp(&pid, program.c_str(), &actions, nullptr, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

}  // namespace

int serve(const ServeOptions& options) {
  // Measurements and results of a project are its owner's: folders 0700, files 0600, also those of the jobs.
  ::umask(077);
#ifdef __GLIBC__
  // Large blocks go back to the system when they are free. glibc raises its limit with the first of them, and each of
  // many threads then keeps the largest body it ever took: 600 MB for bodies of 16 MB, two at a time.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
  // Connections cost files; the usual limit of 1024 is a soft one.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 65536);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  app::Project project(options.project);
  const app::OwnMark mark = app::OwnMark::of_this_user();  // before the process is confined: the key lies elsewhere
  project.begin_session(mark);
  HttpOptions http;
  http.port = options.port;
  http.any_port = !options.port_given;
  http.token = project.token();
  http.upload_bytes = options.max_upload_mb << 20;

  std::unique_ptr<Routes> routes;
  HttpServer server(http, {[&](const Ask& ask) { return routes->answer(ask); },
                           [&](const std::string& path) { return routes->report(path); },
                           [&](const std::string& path) { return project.report_key(path); },
                           [&](const Ask& ask) { return routes->upload(ask); },
                           [&](std::uint64_t& since, double seconds) { return routes->events(since, seconds); }});
  const std::string program = program_file().string();
  if (program.empty())
    throw Error(ErrorCode::internal, "the system does not tell where the program lies", "serve", "mount /proc");
  server.bind();
  const std::string opener = (project.root() / ".kdyn" / "open.html").string();
  ::unlink(opener.c_str());
  if (options.browser) open_browser(server.address(), opener);
  // Programs that an operation starts keep their temporary files in the project, the only place they can write to.
  const std::filesystem::path temporary = project.root() / ".kdyn" / "tmp";
  std::filesystem::create_directories(temporary);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  Book book = Book::beside_program();  // before the process is confined: it lies elsewhere
  // Layouts of columns are looked for in the project, as jobs do it, and beside it: those that the user keeps for all
  // projects. They are the one thing outside that may be written, hence the folder is made while that is possible.
  std::filesystem::current_path(project.root());
  std::vector<std::filesystem::path> more;
  if (const std::string layouts = user_layout_folder(); !layouts.empty()) {
    std::error_code ec;
    std::filesystem::create_directories(layouts, ec);
    if (!ec) more.emplace_back(layouts);
  }
  const app::Confinement confinement = app::confine_process(project.root(), more);

  if (::pipe2(signal_pipe, O_CLOEXEC) != 0)
    throw Error(ErrorCode::internal, "no pipe for signals", "serve", "close some programs");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, &on_signal);
  std::signal(SIGPIPE, SIG_IGN);

  app::JobRunnerOptions runner;
  runner.program = {program, "job"};
  runner.mark = mark;
  runner.seconds_at_most = 3600.0 * options.job_hours;
  runner.running_at_once = static_cast<std::size_t>(options.jobs);
  app::JobRunner jobs(project, runner);
  routes = std::make_unique<Routes>(project, jobs, std::move(book),
                                    Json{{"confinement", confinement.words}, {"upload_mb", options.max_upload_mb}});

  fmt::print("kdyn serves {} at\n  {}\n{}. Ctrl-C ends it; jobs that run then go on at the next start.\n",
             project.root().string(), server.address(), confinement.words);
  if (!mark.is_kept())
    fmt::print(
        "There is no folder for the key of this user (HOME or XDG_STATE_HOME): jobs that wait now ask for consent at "
        "the next start.\n");
  std::fflush(stdout);
  std::thread waiter([&] {
    char byte = 0;
    while (::read(signal_pipe[0], &byte, 1) < 0 && errno == EINTR) {
    }
    server.stop();
  });
  server.run();
  on_signal(SIGTERM);  // the server may have ended by itself
  waiter.join();
  ::unlink(opener.c_str());
  project.end_session();
  return 0;
}

}  // namespace kdyn::server
