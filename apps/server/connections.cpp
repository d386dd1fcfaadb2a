// SPDX-License-Identifier: Apache-2.0
#include "connections.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <fmt/format.h>

namespace kdyn::server {

void GrowingPool::enqueue(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(task));
  // No thread to be had: the task waits for one that is there. Without any, the next connection tries again.
  if (idle_ < waiting_.size() && threads_.size() < most_) try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      std::fputs(fmt::format("kdyn serve: {}\n", error.what()).c_str(), stderr);
    }
  wake_.notify_one();
}

void GrowingPool::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void GrowingPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return !waiting_.empty() || ending_; });
    --idle_;
    if (waiting_.empty()) return;
    const std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    // What one connection meets must not end the others.
    try {
      task();
    } catch (const std::exception& error) {
      std::fputs(fmt::format("kdyn serve: {}\n", error.what()).c_str(), stderr);
    }
    lock.lock();
  }
}

void Strangers::enter(socket_t socket) {
  const std::lock_guard lock(mutex_);
  sockets_.push_back(socket);
  if (sockets_.size() <= most_) return;
  // Its thread wakes up, finds the end and closes it.
  ::shutdown(sockets_.front(), SHUT_RDWR);
  sockets_.pop_front();
}

void Strangers::leave(socket_t socket) {
  const std::lock_guard lock(mutex_);
  sockets_.remove(socket);
}

bool TimedStream::wait(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left < 0) return false;
    pollfd entry{socket_, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool TimedStream::wait_for_request(double seconds, const std::function<bool()>& is_ending) {
  if (start_ < end_) return true;
  const auto until = Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(1e6 * seconds));
  while (!is_ending() && Clock::now() < until)
    if (wait(POLLIN, std::min(until, Clock::now() + std::chrono::milliseconds(200)))) return true;
  return false;
}

bool TimedStream::is_readable() const { return start_ < end_ || wait(POLLIN, deadline_); }

bool TimedStream::is_writable() const { return wait(POLLOUT, Clock::now() + std::chrono::seconds(20)); }

ssize_t TimedStream::read(char* bytes, std::size_t size) {
  if (start_ == end_) {
    if (Clock::now() > deadline_ || !wait(POLLIN, deadline_)) return -1;
    ssize_t n = -1;
    do n = ::recv(socket_, buffer_, sizeof buffer_, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0) return n;
    start_ = 0;
    end_ = static_cast<std::size_t>(n);
  }
  const std::size_t n = std::min({size, end_ - start_, bytes_left_});
  if (n == 0 && size > 0) return -1;  // more than a head of a request has
  if (bytes_left_ != std::numeric_limits<std::size_t>::max()) bytes_left_ -= n;
  std::copy_n(buffer_ + start_, n, bytes);
  start_ += n;
  return static_cast<ssize_t>(n);
}

// All of it or failure: a client that does not read is given up.
ssize_t TimedStream::write(const char* bytes, std::size_t size) {
  const auto until = Clock::now() + std::chrono::seconds(20) + std::chrono::microseconds(size);
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t n = ::send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0)
      sent += static_cast<std::size_t>(n);
    else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? !wait(POLLOUT, until) : errno != EINTR)
      return -1;
  }
  return static_cast<ssize_t>(size);
}

namespace {

void address_of(const sockaddr_storage& storage, std::string& ip, int& port) {
  if (storage.ss_family != AF_INET) return;
  const auto& address = reinterpret_cast<const sockaddr_in&>(storage);
  char text[INET_ADDRSTRLEN] = {};
  if (::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text) != nullptr) ip = text;
  port = ntohs(address.sin_port);
}

}  // namespace

void TimedStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&storage), &length) == 0) address_of(storage, ip, port);
}

void TimedStream::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&storage), &length) == 0) address_of(storage, ip, port);
}

}  // namespace kdyn::server
