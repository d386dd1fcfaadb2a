// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>

#include <fmt/format.h>

#include "assets.hpp"
#include "kdyn/app/exchange/exchange_jobs.hpp"
#include "kdyn/app/job_folder.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/report/cover.hpp"

namespace kdyn::server {
namespace {

constexpr const char* page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src "
    "'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// The book has no inline script; its search sends a form to itself and reads pages of its own.
constexpr const char* book_policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src "
    "'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
// A report is a file of the project and may have been made elsewhere: it runs as a stranger, without access to this
// server.
constexpr const char* report_policy =
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: "
    "blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

std::string dumped(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Reply json(const Json& value, int status = 200) { return {.status = status, .body = dumped(value)}; }

[[noreturn]] void unknown(const std::string& path) {
  throw Error(ErrorCode::file_access, "there is nothing at this address", path, "docs/web.md lists the addresses");
}

Json body_of(const Ask& ask) {
  Json body = parse_json(ask.body, "request");
  if (!body.is_object()) throw_bad_input("request", "the body must be a JSON object", R"(send {"field": value})");
  return body;
}

bool starts_with(const std::string& path, std::string_view prefix, std::string& rest) {
  if (!path.starts_with(prefix)) return false;
  rest = path.substr(prefix.size());
  return true;
}

class Incoming final : public Receiver {
 public:
  Incoming(const app::Project& project, const std::string& name) : file_(project, "data", name) {}
  void write(const char* bytes, std::size_t count) override { file_.write(bytes, count); }
  Reply finish() override { return json({{"path", file_.finish()}}); }

 private:
  app::IncomingFile file_;
};

}  // namespace

Routes::Routes(app::Project& project, app::JobRunner& jobs, Book book, Json facts)
    : project_(project),
      jobs_(jobs),
      catalogue_((project.root() / ".kdyn" / "catalogue.sqlite").string()),
      book_(std::move(book)),
      facts_(std::move(facts)) {}

Reply Routes::answer(const Ask& ask) {
  std::string rest;
  const bool get = ask.method == "GET", post = ask.method == "POST";
  if (get && ask.path.empty()) return asset("index.html");
  if (get && ask.path == "api/app") return about();
  if (ask.path == "api/jobs" || starts_with(ask.path, "api/jobs/", rest)) return about_jobs(ask, rest);
  if (get && ask.path == "api/files") {
    Json all = Json::array();
    const auto folder = ask.query.find("folder");
    for (const app::ProjectFile& one : project_.files(folder == ask.query.end() ? "data" : folder->second))
      all.push_back({{"path", one.path}, {"bytes", one.bytes}, {"changed", one.changed}});
    return json(all);
  }
  if (post && starts_with(ask.path, "api/examples/", rest)) return json(copy_example(rest));
  if (post && ask.path == "api/responses") return responses(body_of(ask));
  if (post && starts_with(ask.path, "api/workbench/", rest)) return workbench(rest, body_of(ask));
  if (ask.path == "api/catalogue" || starts_with(ask.path, "api/catalogue/", rest)) return catalogue(ask, rest);
  if (get && ask.path == "api/cover")
    return json(std::filesystem::exists(cover_file()) ? read_json(cover_file()) : Json::object());
  if (post && ask.path == "api/models") return json(save_model(body_of(ask)));
  if (get && starts_with(ask.path, "files/", rest)) return file(rest, ask.query.contains("download"));
  if (get && starts_with(ask.path, "book/", rest)) return page_of_book(rest);
  if (get) return asset(ask.path);
  unknown(ask.path);
}

Reply Routes::asset(const std::string& path) const {
  const auto all = assets();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Asset& one) { return one.path == path; });
  if (found == all.end() || path.starts_with("example/")) unknown(path);
  Reply reply{.type = std::string(found->type), .body = found->content(), .gzipped = found->gzipped};
  reply.headers.emplace_back("Content-Security-Policy", page_policy);
  return reply;
}

Reply Routes::file(const std::string& path, bool download) const {
  const std::filesystem::path place = project_.existing(path);
  if (!std::filesystem::is_regular_file(place))
    throw Error(ErrorCode::file_access, "is not a file", path, "name a file in it");
  const std::string extension = lower_case(place.extension().string());
  Reply reply{.type = "application/octet-stream", .file = place.string()};
  if (extension == ".html" && path.starts_with("jobs/")) {
    reply.type = "text/plain; charset=utf-8";
  } else if (extension == ".json") {
    reply.type = "application/json";
  } else if (extension == ".csv" || extension == ".txt" || extension == ".c" || extension == ".h") {
    reply.type = "text/plain; charset=utf-8";
  } else {
    download = true;
  }
  if (download) {
    std::string name = place.filename().string();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e || c == '"' || c == '\\'; }, '_');
    reply.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}\"", name));
  }
  return reply;
}

Reply Routes::page_of_book(const std::string& path) const {
  const std::string* page = book_.page(path);
  if (page == nullptr) unknown("book/" + path);
  Reply reply{.type = Book::type_of(path), .body = *page};
  reply.headers.emplace_back("Content-Security-Policy", book_policy);
  return reply;
}

// Html of the project is shown under a key of its own: such a page may come from elsewhere, and must not learn the
// token from its address.
Reply Routes::report(const std::string& path) const {
  if (!path.starts_with("jobs/") || !path.ends_with(".html")) unknown(path);
  Reply reply = file(path, false);
  reply.type = "text/html; charset=utf-8";
  reply.headers.emplace_back("Content-Security-Policy", report_policy);
  return reply;
}

Reply Routes::about() const {
  Json out = facts_;
  out["version"] = version();
  out["book"] = !book_.empty();
  out["project"] = {{"folder", project_.root().string()}, {"name", project_.root().filename().string()}};
  const Json described = app::describe_operations();
  for (const char* part : {"operations", "display_units"}) out[part] = described[part];
  // Forms are drawn from the fields; the schemas are for programs, which ask kdyn describe.
  for (Json& operation : out["operations"]) operation.erase("input_schema"), operation.erase("output_schema");
  out["revision"] = jobs_.revision();
  return json(out);
}

Reply Routes::about_jobs(const Ask& ask, const std::string& rest) {
  const auto slash = rest.find('/');
  const std::string id = rest.substr(0, slash), verb = slash == std::string::npos ? "" : rest.substr(slash + 1);
  if (id.empty() && ask.method == "GET") return json({{"revision", jobs_.revision()}, {"jobs", jobs_.list()}});
  if (id.empty() && ask.method == "POST") {
    const Json body = body_of(ask);
    return json(jobs_.submit(body.at("operation").get<std::string>(), body.value("options", Json::object()),
                             body.value("title", "")));
  }
  if (id.empty()) unknown(ask.path);
  if (ask.method == "GET" && verb.empty()) return json(jobs_.one(id));
  if (ask.method == "GET" && verb == "files") {
    Json all = Json::array();
    for (const app::ProjectFile& one : project_.files(jobs_.folder(id)))
      all.push_back({{"path", one.path}, {"bytes", one.bytes}});
    return json(all);
  }
  if (ask.method == "POST" && verb == "cancel") {
    jobs_.cancel(id);
    return json(jobs_.one(id));
  }
  if (ask.method == "POST" && verb == "allow") {
    jobs_.allow(id);
    return json(jobs_.one(id));
  }
  if (ask.method == "POST" && verb == "rename") {
    jobs_.rename(id, body_of(ask).value("title", ""));
    return json(jobs_.one(id));
  }
  if (ask.method == "POST" && verb == "cover") {
    const Json body = body_of(ask);
    report::Cover cover;
    from_json_fields(cover, body, "cover");
    if (!cover.logo.empty()) cover.logo = project_.existing(cover.logo).string();
    report::put_cover(project_.existing(jobs_.folder(id)).string(), cover);
    write_text(cover_file(), dump_json(body));  // the next report is likely for the same people
    return json(body);
  }
  if (ask.method == "POST" && verb == "again") return json(jobs_.again(id));
  if (ask.method == "DELETE" && verb.empty()) {
    jobs_.remove(id);
    return json({{"removed", id}});
  }
  unknown(ask.path);
}

std::string Routes::cover_file() const { return (project_.root() / ".kdyn" / "cover.json").string(); }

Json Routes::copy_example(const std::string& name) const {
  const std::string prefix = "example/" + name + "/";
  std::vector<std::pair<std::string, std::string>> files;
  bool own_folder = false;
  for (const Asset& asset : assets()) {
    if (!asset.path.starts_with(prefix)) continue;
    files.emplace_back(asset.path.substr(prefix.size()), asset.content());
    own_folder = own_folder || asset.path.ends_with(".json");
  }
  if (files.empty()) unknown(name);
  // Models and jobs name other files: theirs have to stay beside them, whatever else of that name is in the project.
  const std::string folder = own_folder ? folder_for_example(name, files) : "data";
  Json written = Json::array();
  for (const auto& [inside, content] : files) {
    const std::filesystem::path place = std::filesystem::path(folder) / inside;
    std::filesystem::create_directories(project_.inside(place.parent_path().string()));
    app::IncomingFile file(project_, place.parent_path().string(), place.filename().string());
    file.write(content.data(), content.size());
    written.push_back(file.finish());
  }
  return {{"files", written}};
}

// The first of data/NAME, data/NAME_2, ... where no file differs from the example's.
std::string Routes::folder_for_example(const std::string& name,
                                       const std::vector<std::pair<std::string, std::string>>& files) const {
  for (int number = 1; number < 10000; ++number) {
    const std::string folder = number == 1 ? "data/" + name : fmt::format("data/{}_{}", name, number);
    const auto differs = [&](const std::pair<std::string, std::string>& file) {
      const std::filesystem::path place = project_.inside(folder + "/" + file.first);
      return std::filesystem::exists(place) &&
             (!std::filesystem::is_regular_file(place) || read_text(place.string()) != file.second);
    };
    if (std::none_of(files.begin(), files.end(), differs)) return folder;
  }
  throw_bad_input("name", "there are too many changed copies of this example", "delete some below data");
}

// Entries are put by the name of a fit; what it found is read from its files, not taken from the request.
Reply Routes::catalogue(const Ask& ask, const std::string& job) {
  if (ask.method == "GET" && job.empty()) {
    const auto search = ask.query.find("search");
    return json(catalogue_.find(search == ask.query.end() ? "" : search->second));
  }
  if (ask.method == "POST" && job.empty()) {
    const Json body = body_of(ask);
    const auto text = [&](const char* name) { return body.value(name, std::string()); };
    const Json record = jobs_.one(text("job"));
    const Json result = read_json(project_.existing(record.at("folder").get<std::string>() + "/result.json").string());
    if (!result.contains("parameters")) throw_bad_input("job", "this run found no parameters", "choose a fit");
    catalogue_.put({text("part"), text("direction"), text("batch"), text("note"), text("job"),
                    record.at("operation").get<std::string>(), result["parameters"],
                    result.value("fit", Json::object()), record.value("finished", "")});
    return json({{"job", text("job")}});
  }
  if (ask.method == "DELETE" && !job.empty()) {
    catalogue_.remove(job);
    return json({{"removed", job}});
  }
  unknown(ask.path);
}

Json Routes::save_model(const Json& body) const {
  const Json& model = body.at("model");
  mount_from_json(model, "model");
  app::IncomingFile file(project_, "models", app::checked_file_name(body.at("name").get<std::string>()) + ".json");
  const std::string text = dump_json(model);
  file.write(text.data(), text.size());
  return {{"path", file.finish()}};
}

std::vector<std::string> Routes::project_files(const Json& names) const {
  std::vector<std::string> paths;
  for (const Json& one : names) paths.push_back(project_.existing(one.get<std::string>()).string());
  return paths;
}

// Names and what tells one content from the next: size, place on the disk, times of the last change of content and of
// the entry. The latter cannot be set back, so that a file which is replaced is read again; a hash would cost seconds
// for each turn of a slider on a long record.
std::string Routes::files_key(const Json& names) const {
  std::string key = dumped(names);
  for (const std::string& path : project_files(names)) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) continue;
    key += fmt::format("|{} {} {} {}.{} {}.{}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  }
  return key;
}

std::shared_ptr<const app::Workbench> Routes::bench_of(const Json& body) {
  const Json files = body.at("files");
  Json given = body.value("read", Json::object());
  if (body.contains("units")) given["units"] = body["units"];
  return benches_.get(files_key(files) + dumped(given), [&] {
    ReadHints hints;
    from_json_fields(hints, given, "read");
    return std::make_shared<const app::Workbench>(project_files(files), hints);
  });
}

// Without "channels": which there are.
Reply Routes::responses(const Json& body) {
  const Json files = body.at("files");
  const auto view =
      responses_.get(files_key(files), [&] { return std::make_shared<const app::ResponseView>(project_files(files)); });
  if (!body.contains("channels")) return json(view->channels());
  return json(view->values(body["channels"].get<std::vector<double>>()));
}

Reply Routes::workbench(const std::string& verb, const Json& body) {
  if (verb == "open")
    return json({{"measured", bench_of(body)->measured()}, {"fields", app::model_fields(body.value("model", Json()))}});
  // Asked while somebody still types: what cannot be answered yet is an answer, too.
  const auto patiently = [](const auto& work) {
    try {
      return json(work());
    } catch (const Error& error) {
      return json({{"trouble", app::error_json(error)}});
    }
  };
  if (verb == "preview") return patiently([&] { return Json{{"measured", bench_of(body)->measured()}}; });
  if (verb == "losses") {  // what an export would lose, before anybody presses its button
    app::ExportJob job;
    from_json_fields(job, body.value("options", Json::object()), "options");
    const auto file = body.value("file", std::string());
    const Json model = file.empty() ? body.at("model") : read_json(project_.existing(file).string());
    return patiently([&] { return app::export_preview(model, file.empty() ? "model" : file, job); });
  }
  if (verb == "series") {
    app::SeriesView view;
    from_json_fields(view, body.value("view", Json::object()), "view");
    return json(bench_of(body)->series(view));
  }
  if (verb != "evaluate" && verb != "follow") unknown("api/workbench/" + verb);
  app::EvaluateOptions options;
  from_json_fields(options, body.value("options", Json::object()), "options");
  if (verb == "follow") {
    const std::vector<float> values = bench_of(body)->follow(body.at("model"), options);
    return {.type = "application/octet-stream",
            .body = {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}};
  }
  return json(bench_of(body)->evaluate(body.at("model"), options));
}

std::unique_ptr<Receiver> Routes::upload(const Ask& ask) {
  std::string name;
  if (!starts_with(ask.path, "api/files/", name)) unknown(ask.path);
  return std::make_unique<Incoming>(project_, name);
}

std::string Routes::events(std::uint64_t& since, double seconds) {
  const Json changes = jobs_.changes(since, seconds);
  const auto revision = changes["revision"].get<std::uint64_t>();
  if (revision <= since) return {};
  since = revision;
  return fmt::format("id: {}\ndata: {}\n\n", revision, dumped(changes));
}

}  // namespace kdyn::server
