// SPDX-License-Identifier: Apache-2.0
// What web/one_file/engine.ts calls: the server's calls without sockets, on a project folder in the memory of a worker.
//
// One instance answers (kdyn_open, kdyn_ask, ...); each job runs in an instance of its own (kdyn_run_job), so that it can
// be ended while it computes. Strings that are returned live until the next call.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <emscripten.h>

#include "kdyn/app/browser/process.hpp"
#include "kdyn/app/job_folder.hpp"
#include "kdyn/app/job_runner.hpp"
#include "kdyn/app/project.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "routes.hpp"

namespace {

using namespace kdyn;

struct Engine {
  app::Project project;
  app::JobRunner jobs;
  server::Routes routes;

  static app::JobRunnerOptions runner(const app::OwnMark& mark) {
    app::JobRunnerOptions options;
    options.program = {"kdyn", "job"};
    options.running_at_once = 1;
    options.mark = mark;
    options.own_thread = false;
    return options;
  }
  Engine(const std::string& folder, const Json& facts)
      : project(folder),
        jobs(project, runner(app::OwnMark::of_this_user())),
        routes(project, jobs, server::Book("/none"), facts) {}
};

std::unique_ptr<Engine> engine;
std::unique_ptr<server::Receiver> incoming;
server::Reply reply;
std::string text;

// What is not in this program (cmake/KdynWasm.cmake); a test holds the list against the native one.
constexpr std::array elsewhere = {"frf",     "modal",    "body",  "fe",     "correlate", "update",
                                  "vehicle", "simulate", "modes", "insitu", "study"};

void refuse_elsewhere(const Json& body) {
  const std::string name = body.is_object() ? body.value("operation", "") : "";
  if (std::find(elsewhere.begin(), elsewhere.end(), name) == elsewhere.end()) return;
  throw_bad_input("operation", name + " is not part of kdyn in the browser",
                  "save the project, unpack it and run kdyn serve --project on it: the full kdyn has finite elements, "
                  "multibody models and studies");
}

// As the server answers what went wrong.
template <class Work>
void answer(Work&& work) {
  const auto refuse = [](int status, const Error& error) {
    reply = {.status = status,
             .body = Json{{"error", app::error_json(error)}}.dump(-1, ' ', false, Json::error_handler_t::replace)};
  };
  try {
    reply = work();
  } catch (const Error& error) {
    refuse(error.code() == ErrorCode::bad_input ? 400 : error.code() == ErrorCode::file_access ? 404 : 500, error);
  } catch (const std::bad_alloc&) {
    refuse(500, app::out_of_memory());
  } catch (const Json::exception& error) {
    refuse(400, Error(ErrorCode::bad_input, error.what(), "request", "docs/web.md describes the requests"));
  } catch (const std::exception& error) {
    refuse(500, Error(ErrorCode::internal, error.what(), "", "please report this"));
  }
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int kdyn_open(const char* folder, const char* facts) {
  answer([&]() -> server::Reply {
    Json about = Json::parse(facts);
    about["elsewhere"] = elsewhere;
    engine = std::make_unique<Engine>(folder, about);
    std::error_code ec;
    std::filesystem::current_path(folder, ec);
    return {.body = "{}"};
  });
  return reply.status;
}

// The query is a JSON object of texts. Returns the status; what the reply holds is asked for next.
EMSCRIPTEN_KEEPALIVE int kdyn_ask(const char* method, const char* path, const char* query, const char* body,
                                  std::size_t bytes) {
  answer([&] {
    if (method == std::string_view("POST") && path == std::string_view("api/jobs"))
      refuse_elsewhere(parse_json({body, bytes}, "request"));
    return engine->routes.answer({.method = method,
                                  .path = path,
                                  .query = Json::parse(query).get<std::map<std::string, std::string>>(),
                                  .body = {body, bytes}});
  });
  return reply.status;
}

EMSCRIPTEN_KEEPALIVE int kdyn_begin_upload(const char* path) {
  answer([&]() -> server::Reply {
    incoming = engine->routes.upload({.method = "PUT", .path = path, .query = {}, .body = {}});
    return {};
  });
  return reply.status;
}
EMSCRIPTEN_KEEPALIVE int kdyn_upload(const char* bytes, std::size_t count) {
  answer([&]() -> server::Reply {
    incoming->write(bytes, count);
    return {};
  });
  return reply.status;
}
EMSCRIPTEN_KEEPALIVE int kdyn_end_upload() {
  answer([&] { return incoming->finish(); });
  incoming.reset();
  return reply.status;
}

EMSCRIPTEN_KEEPALIVE const char* kdyn_reply_type() { return reply.type.c_str(); }
EMSCRIPTEN_KEEPALIVE const char* kdyn_reply_file() { return reply.file.c_str(); }
EMSCRIPTEN_KEEPALIVE const char* kdyn_reply_body() { return reply.body.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t kdyn_reply_bytes() { return reply.body.size(); }
EMSCRIPTEN_KEEPALIVE int kdyn_reply_is_gzipped() { return reply.gzipped ? 1 : 0; }

// Starts what waits and looks at what runs; changes since a revision as JSON, empty when there are none.
EMSCRIPTEN_KEEPALIVE const char* kdyn_step(double since) {
  try {
    engine->jobs.step();
    const auto seen = static_cast<std::uint64_t>(since);
    text = engine->jobs.revision() > seen
               ? engine->jobs.changes(seen, 0.0).dump(-1, ' ', false, Json::error_handler_t::replace)
               : "";
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kdyn: %s\n", error.what());
    text.clear();
  }
  return text.c_str();
}

EMSCRIPTEN_KEEPALIVE void kdyn_job_ended(int number, const char* ending) {
  app::browser::process_ended(number, ending);
}

EMSCRIPTEN_KEEPALIVE int kdyn_run_job(const char* project, const char* folder) {
  std::error_code ec;
  std::filesystem::current_path(project, ec);
  return app::run_job_folder(folder, [] { return false; });
}
}
