// SPDX-License-Identifier: Apache-2.0
#include "http_server.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "connections.hpp"
#include "kdyn/app/job_folder.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::server {
namespace {

constexpr std::size_t longest_path = 1000;
constexpr double idle_seconds = 30.0;
constexpr std::size_t most_threads = 600;
constexpr std::size_t small_body = 64 << 10;  // these are always taken

thread_local TimedStream* this_connection = nullptr;

void send_error(httplib::Response& response, int status, const Error& error) {
  response.status = status;
  response.set_content(Json{{"error", app::error_json(error)}}.dump(-1, ' ', false, Json::error_handler_t::replace),
                       "application/json");
  // The body of a refused request is still on its way; it must not be read as the next request.
  if (this_connection != nullptr) this_connection->close_after = true;
}

void refuse(httplib::Response& response, int status, std::string message, std::string remedy) {
  send_error(response, status, Error(ErrorCode::bad_input, std::move(message), "request", std::move(remedy)));
}

int status_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::bad_input: return 400;
    case ErrorCode::file_access: return 404;
    case ErrorCode::internal: return 500;
  }
  return 500;
}

bool is_equal_secret(const std::string& a, const std::string& b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

// The library calls process_and_close_socket for each connection; here it gets deadlines.
struct HttpServer::Machine final : httplib::Server {
  Machine(HttpOptions options_, HttpHandlers handlers_) : options(std::move(options_)), handlers(std::move(handlers_)) {
    new_task_queue = [] { return new GrowingPool(most_threads); };
    set_tcp_nodelay(true);
    // Not SO_REUSEPORT, which would let another process take a share of the connections.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_keep_alive_max_count(10'000);
    set_payload_max_length(options.upload_bytes);
    set_default_headers({{"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Opener-Policy", "same-origin"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Cache-Control", "no-store"}});
    set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) { return check(request, response); });
    set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      refuse(response, 500, "the server met an unexpected error", "see the terminal of kdyn serve");
    });
    // A request the library refuses itself, such as a header that is too long.
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        refuse(response, response.status, fmt::format("the request was refused ({})", response.status), "");
    });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
    };
    Get(".*", answer);
    Post(".*", answer);
    Delete(".*", answer);
    Put(".*", [this](const httplib::Request& request, httplib::Response& response,
                     const httplib::ContentReader& reader) { receive(request, response, reader); });
  }

  bool process_and_close_socket(socket_t socket) override {
    TimedStream stream(socket);
    this_connection = &stream;
    const Farewell farewell{*this, stream};  // also where memory ends amid a request
    strangers.enter(socket);
    bool ok = true, closed = false;
    for (std::size_t count = 0; ok && !closed && !stream.close_after && count < keep_alive_max_count_; ++count) {
      if (!stream.wait_for_request(count == 0 ? options.header_seconds : idle_seconds,
                                   [this] { return ending.load(); }))
        break;
      stream.allow(options.header_seconds);
      stream.limit(options.header_bytes);
      ok = process_request(stream, count + 1 == keep_alive_max_count_, closed, [](httplib::Request& request) {
        // Compression costs more than it saves on the loopback; parts of files are not for us.
        request.headers.erase("Accept-Encoding");
        request.headers.erase("Range");
        request.ranges.clear();
      });
      give_room_back(stream);
    }
    this_connection = nullptr;
    stream.unlimit();
    // What is still unread would turn the close into a reset that can overtake the answer.
    ::shutdown(socket, SHUT_WR);
    if (stream.close_after) {
      stream.allow(2.0);
      char rest[16384];
      while (stream.read(rest, sizeof rest) > 0) {
      }
    }
    return ok;
  }

  struct Farewell {
    Machine& machine;
    TimedStream& stream;
    ~Farewell() {
      this_connection = nullptr;
      machine.give_room_back(stream);
      machine.strangers.leave(stream.socket());
      ::close(stream.socket());
    }
  };

  bool is_own_host(const std::string& host) const {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }

  HandlerResponse check(const httplib::Request& request, httplib::Response& response) {
    const auto no = [&](int status, std::string message, std::string remedy) {
      refuse(response, status, std::move(message), std::move(remedy));
      return HandlerResponse::Handled;
    };
    const auto header = [&](const char* name) { return request.get_header_value(name); };
    if (request.get_header_value_count("Host") != 1 || !is_own_host(header("Host")))
      return no(421, "this server does not go by that name", "use the address that kdyn serve printed");
    if (request.has_header("Origin") &&
        !(header("Origin").starts_with("http://") && is_own_host(header("Origin").substr(7))))
      return no(403, "the request comes from another page", "use the address that kdyn serve printed");
    const auto key = request.path.substr(std::min<std::size_t>(1, request.path.size()), options.token.size());
    const bool keyed = request.path.size() >= options.token.size() + 2 && request.path[options.token.size() + 1] == '/';
    const std::string path = keyed ? request.path.substr(options.token.size() + 2) : "";
    const std::string site = header("Sec-Fetch-Site");
    for (const char* name : {"Origin", "Sec-Fetch-Site", "Content-Length", "Content-Type"})
      if (request.get_header_value_count(name) > 1)
        return no(400, fmt::format("the header {} is there twice", name), "");
    // A person may come from anywhere to the first page: from the private file that opens the browser, from a bookmark.
    const bool arrives = path.empty() && request.method == "GET" && header("Sec-Fetch-Mode") == "navigate" &&
                         header("Sec-Fetch-Dest") == "document";
    if (!site.empty() && site != "same-origin" && site != "none" && !arrives)
      return no(403, "the request comes from another page", "use the address that kdyn serve printed");
    if (request.target.size() > longest_path) return no(414, "the address is too long", "");
    const bool is_report = keyed && request.method == "GET" && path.starts_with("jobs/") &&
                           is_equal_secret(key, handlers.report_key(path));
    if (!keyed || !(is_report || is_equal_secret(key, options.token)))
      return no(403, "the address has not the right token",
                "open the address that kdyn serve printed at its last start");
    strangers.leave(this_connection->socket());
    this_connection->unlimit();
    const std::string& method = request.method;
    if (method != "GET" && method != "POST" && method != "PUT" && method != "DELETE")
      return no(405, "this method is not known here", "");
    if (request.has_header("Transfer-Encoding") ||
        (method != "GET" && method != "DELETE" && !request.has_header("Content-Length")))
      return no(411, "the length of the body is not told", "send Content-Length");
    if (request.has_header("Content-Encoding")) return no(415, "compressed bodies are not read", "send it as it is");
    const std::string length = header("Content-Length");
    if (!std::all_of(length.begin(), length.end(), [](unsigned char c) { return std::isdigit(c) != 0; }) ||
        length.size() > 15)
      return no(400, "the length of the body is no number", "");
    const std::size_t bytes = length.empty() ? 0 : std::strtoull(length.c_str(), nullptr, 10);
    const std::size_t limit = method == "PUT" ? options.upload_bytes : method == "POST" ? options.body_bytes : 0;
    if (bytes > limit)
      return no(413, fmt::format("the body has {} bytes, the limit is {}", bytes, limit),
                method == "PUT" ? "thin the file out, or raise --max-upload-mb" : "send less at once");
    if (method == "POST" && !header("Content-Type").starts_with("application/json"))
      return no(415, "the body is not JSON", "send application/json");
    if (method == "PUT" && header("Content-Type") != "application/octet-stream")
      return no(415, "the body is not a plain file", "send application/octet-stream");
    if (method == "POST" && bytes > small_body && !take_room(bytes))
      return no(503, "too many large requests at once", "send it again in a moment");
    this_connection->allow(options.body_seconds + static_cast<double>(bytes) / 1e6);
    return HandlerResponse::Unhandled;
  }

  // Bodies lie in memory, some of them several times while they are read as JSON.
  bool take_room(std::size_t bytes) {
    if (bodies.fetch_add(bytes) + bytes > options.bodies_bytes) {
      bodies -= bytes;
      return false;
    }
    this_connection->room += bytes;
    return true;
  }
  void give_room_back(TimedStream& stream) { bodies -= std::exchange(stream.room, 0); }

  Ask asked(const httplib::Request& request) const {
    Ask ask{request.method, request.path.substr(options.token.size() + 2), {}, request.body};
    for (const auto& [name, value] : request.params) ask.query[name] = value;
    return ask;
  }

  void send(Reply reply, httplib::Response& response) const {
    response.status = reply.status;
    for (const auto& [name, value] : reply.headers) response.set_header(name, value);
    if (reply.gzipped) response.set_header("Content-Encoding", "gzip");
    if (reply.file.empty()) {
      response.set_content(std::move(reply.body), reply.type);
      return;
    }
    const auto file = std::make_shared<std::ifstream>(reply.file, std::ios::binary | std::ios::ate);
    if (!*file) throw Error(ErrorCode::file_access, "cannot be read", "file", "check the project folder");
    const auto size = static_cast<std::size_t>(file->tellg());
    if (size == 0) {
      response.set_content("", reply.type);
      return;
    }
    response.set_content_provider(
        size, reply.type, [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          std::vector<char> piece(std::min<std::size_t>(length, 1 << 18));
          file->seekg(static_cast<std::streamoff>(offset));
          file->read(piece.data(), static_cast<std::streamsize>(piece.size()));
          return file->gcount() > 0 && sink.write(piece.data(), static_cast<std::size_t>(file->gcount()));
        });
  }

  template <class Work>
  void guarded(httplib::Response& response, Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      send_error(response, status_of(error), error);
    } catch (const Json::exception& error) {
      refuse(response, 400, fmt::format("the request has not the expected content: {}", error.what()), "");
    } catch (const std::exception& error) {
      std::fputs(fmt::format("kdyn serve: {}\n", error.what()).c_str(), stderr);
      send_error(
          response, 500,
          Error(ErrorCode::internal, "the server met an unexpected error", "", "see the terminal of kdyn serve"));
    }
  }

  void respond(const httplib::Request& request, httplib::Response& response) {
    guarded(response, [&] {
      const Ask ask = asked(request);
      if (!is_equal_secret(request.path.substr(1, options.token.size()),
                           options.token))  // checked above: the key of a report
        send(handlers.report(ask.path), response);
      else if (ask.method == "GET" && ask.path == "api/events")
        stream_events(request, response);
      else
        send(handlers.answer(ask), response);
    });
  }

  void receive(const httplib::Request& request, httplib::Response& response, const httplib::ContentReader& reader) {
    guarded(response, [&] {
      const std::unique_ptr<Receiver> receiver = handlers.upload(asked(request));
      std::size_t got = 0;
      std::exception_ptr failure;
      const bool complete = reader([&](const char* bytes, std::size_t count) {
        got += count;
        if (got > options.upload_bytes) return false;
        try {
          receiver->write(bytes, count);
        } catch (...) {
          failure = std::current_exception();
        }
        return failure == nullptr;
      });
      if (failure) std::rethrow_exception(failure);
      if (!complete || got != std::strtoull(request.get_header_value("Content-Length").c_str(), nullptr, 10))
        return refuse(response, 408, "the upload was cut off or took too long", "try again");
      send(receiver->finish(), response);
    });
  }

  void stream_events(const httplib::Request& request, httplib::Response& response) {
    if (streams.fetch_add(1) >= options.event_streams) {
      --streams;
      return refuse(response, 503, "too many pages are open", "close some of them");
    }
    const std::string last = request.has_header("Last-Event-ID") ? request.get_header_value("Last-Event-ID")
                                                                 : request.get_param_value("since");
    const auto since = std::make_shared<std::uint64_t>(std::strtoull(last.c_str(), nullptr, 10));
    const auto silent = std::make_shared<double>(0.0);
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, since, silent](std::size_t, httplib::DataSink& sink) {
          if (ending) return false;
          const std::string text = handlers.events(*since, 1.0);
          *silent = text.empty() ? *silent + 1.0 : 0.0;
          // A word now and then shows whether the page is still there.
          if (text.empty() && *silent < 5.0) return true;
          *silent = 0.0;
          const std::string words = text.empty() ? ": still here\n\n" : text;
          return sink.write(words.data(), words.size());
        },
        [this](bool) { --streams; });
  }

  HttpOptions options;
  HttpHandlers handlers;
  Strangers strangers{options.strangers};
  int port = 0;
  std::atomic<bool> ending{false};
  std::atomic<std::size_t> streams{0};
  std::atomic<std::size_t> bodies{0};  // bytes of large bodies that are read or answered now

  // The library listens with a short queue. Who does not fit into it tries again after a second: a crowd must not keep the
  // owner waiting for that.
  void lengthen_queue() { ::listen(svr_sock_, 4096); }
};

HttpServer::HttpServer(HttpOptions options, HttpHandlers handlers)
    : machine_(std::make_unique<Machine>(std::move(options), std::move(handlers))) {}
HttpServer::~HttpServer() = default;

int HttpServer::bind() {
  const char* loopback = "127.0.0.1";
  const int wanted = machine_->options.port;
  if (wanted > 0 && machine_->bind_to_port(loopback, wanted))
    machine_->port = wanted;
  else if (wanted == 0 || machine_->options.any_port)
    machine_->port = machine_->bind_to_any_port(loopback);
  if (machine_->port <= 0)
    throw Error(ErrorCode::file_access, fmt::format("port {} is taken", wanted), "port",
                "give --port another one, or 0 for any that is free");
  machine_->lengthen_queue();
  return machine_->port;
}

std::string HttpServer::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", machine_->port, machine_->options.token);
}

void HttpServer::run() { machine_->listen_after_bind(); }

void HttpServer::stop() {
  machine_->ending = true;
  machine_->stop();
}

}  // namespace kdyn::server
