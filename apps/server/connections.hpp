// SPDX-License-Identifier: Apache-2.0
// Parts cpp-httplib leaves to its user: threads that grow with the connections, a limit for those who have not shown
// the token, and limits of time and size for a whole request. (Its own time limits hold for one read: a client that
// sends a byte now and then would keep a thread for ever.)
#pragma once

#include <condition_variable>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <thread>

#include <httplib.h>

namespace kdyn::server {

// A page keeps several connections open; 200 clients are no reason to let one wait for another.
class GrowingPool final : public httplib::TaskQueue {
 public:
  explicit GrowingPool(std::size_t most) : most_(most) {}
  void enqueue(std::function<void()> task) override;
  void shutdown() override;

 private:
  void work();

  std::size_t most_, idle_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<std::function<void()>> waiting_;
  std::list<std::thread> threads_;
  bool ending_ = false;
};

// Connections that have not shown the token yet. When there are more than `most`, the one that is silent for longest is
// ended: who floods the server with connections pushes out his own, and the owner, who shows the token in milliseconds,
// gets through.
class Strangers {
 public:
  explicit Strangers(std::size_t most) : most_(most) {}
  void enter(socket_t socket);
  void leave(socket_t socket);  // it has shown the token, or is closed

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::list<socket_t> sockets_;  // oldest first
};

// A socket with a deadline for reading; each write has a limit of its own.
class TimedStream final : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TimedStream(socket_t socket) : socket_(socket) {}
  void allow(double seconds) {
    deadline_ = Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(1e6 * seconds));
  }
  // No more than this is read until `unlimit`: request line and headers.
  void limit(std::size_t bytes) { bytes_left_ = bytes; }
  void unlimit() { bytes_left_ = std::numeric_limits<std::size_t>::max(); }
  // Waits for the next request of a connection that is kept.
  bool wait_for_request(double seconds, const std::function<bool()>& is_ending);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

  std::size_t room = 0;      // of the memory for bodies that its request has taken
  bool close_after = false;  // set when the request was not read to its end

 private:
  bool wait(short events, Clock::time_point until) const;

  socket_t socket_;
  Clock::time_point deadline_{};
  char buffer_[16384];
  std::size_t start_ = 0, end_ = 0, bytes_left_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace kdyn::server
