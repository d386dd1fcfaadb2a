// SPDX-License-Identifier: Apache-2.0
// Bytes on a connection to the server of the web application. Whatever they are, the server lives and answers the next
// client, and work is asked for only by requests that hold the token and name this server. `{token}` and `{host}` in an
// input stand for the right ones.
// max_len: 1500
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http_server.hpp"
#include "kdyn/base/error.hpp"

namespace {

using namespace kdyn;

constexpr std::string_view token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
std::atomic<int> asked{0};

struct Nothing final : server::Receiver {
  void write(const char*, std::size_t) override {}
  server::Reply finish() override { return {}; }
};

// What routes do with a request is tried elsewhere; here it only matters that nobody else comes so far.
server::Reply answer(const server::Ask& ask) {
  ++asked;
  if (ask.path == "refuse") throw Error(ErrorCode::bad_input, "refused", "request", "");
  return {200, "text/plain", ask.path};
}

int start() {
  std::signal(SIGPIPE, SIG_IGN);
  server::HttpOptions options;
  options.port = 0, options.token = token, options.header_seconds = 1.0, options.body_seconds = 1.0;
  static server::HttpServer http(options, {answer, [](const std::string&) { return server::Reply{}; },
                                           [](const std::string&) { return std::string(token.size(), 'r'); },
                                           [](const server::Ask&) {
                                             ++asked;
                                             return std::make_unique<Nothing>();
                                           },
                                           [](std::uint64_t& since, double) {
                                             ++since;  // goes on after its client has left: it is not counted
                                             return std::string("data: x\n\n");
                                           }});
  const int port = http.bind();
  std::thread([] { http.run(); }).detach();
  return port;
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// The beginning of what comes back.
std::string talk(int port, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET, to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket < 0 || ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) __builtin_trap();
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) break;  // the server may have refused what it read so far
    sent += static_cast<std::size_t>(n);
  }
  ::shutdown(socket, SHUT_WR);
  std::string out;
  char buffer[4096];
  pollfd wait{socket, POLLIN, 0};
  while (out.size() < 8192 && ::poll(&wait, 1, 5000) > 0) {
    const ssize_t n = ::recv(socket, buffer, sizeof buffer, 0);
    if (n <= 0) break;
    out.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(socket);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int port = start();
  static const std::string host = "127.0.0.1:" + std::to_string(port);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  replace(bytes, "{token}", token);
  replace(bytes, "{host}", host);
  const int before = asked;
  talk(port, bytes);
  // Digits of the token may be written as %30; then this says nothing.
  const bool could = bytes.find(token.substr(1)) != std::string::npos || bytes.find('%') != std::string::npos;
  if (asked != before && !could) __builtin_trap();
  static int count = 0;
  if (++count % 16 == 0) {
    const std::string reply =
        talk(port, "GET /" + std::string(token) + "/alive HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    if (reply.find(" 200 ") == std::string::npos || !reply.ends_with("alive")) __builtin_trap();
  }
  return 0;
}
