// SPDX-License-Identifier: Apache-2.0
// HTTP on the loopback with everything in it that keeps strangers out; knows nothing of kdyn's work.
//
// Every address starts with the token: http://127.0.0.1:PORT/TOKEN/... A request is refused when the token is wrong,
// when Host is not this server (DNS rebinding), when Origin or Sec-Fetch-Site tell of another page, when it is larger
// or slower than allowed, or of a kind no page of ours sends.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kdyn::server {

struct Ask {
  std::string method;  // GET, POST, DELETE, PUT
  std::string path;    // after the token, decoded: "api/jobs"
  std::map<std::string, std::string> query;
  std::string body;
};

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::string file{};  // path of a file to send instead of the body
  bool gzipped = false;
  std::vector<std::pair<std::string, std::string>> headers{};
};

// Takes the bytes of an upload one piece after the other.
class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual void write(const char* bytes, std::size_t count) = 0;
  virtual Reply finish() = 0;
};

struct HttpOptions {
  int port = 8765;
  bool any_port = true;  // take a free one when the port is taken
  std::string token;
  std::size_t body_bytes = 16u << 20;
  std::size_t bodies_bytes = 32u << 20;  // of all bodies at one time
  std::size_t upload_bytes = std::size_t{2} << 30;
  double header_seconds = 10.0;  // for request line and headers
  double body_seconds = 15.0;    // for a body, and one second more for each MB
  std::size_t event_streams = 64;
  std::size_t header_bytes = 32 << 10;  // of request line and all headers
  std::size_t strangers = 128;          // connections that have not shown the token; the oldest gives way to the newest
};

struct HttpHandlers {
  std::function<Reply(const Ask&)> answer;               // throws kdyn::Error
  std::function<Reply(const std::string& path)> report;  // a page under a key of its own
  std::function<std::string(const std::string& path)> report_key;
  std::function<std::unique_ptr<Receiver>(const Ask&)> upload;  // PUT
  // Text of the events after `since`, which it moves on; empty when nothing happened within `seconds`.
  std::function<std::string(std::uint64_t& since, double seconds)> events;  // GET events
};

class HttpServer {
 public:
  HttpServer(HttpOptions options, HttpHandlers handlers);
  ~HttpServer();

  // Throws Error(file_access) when the port is taken. Returns the port; connections are accepted from now on.
  int bind();
  std::string address() const;  // with the token
  void run();                   // until stop
  void stop();

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace kdyn::server
