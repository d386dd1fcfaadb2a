// SPDX-License-Identifier: Apache-2.0
// A law, or its memory, as a plain list of numbers and back: how models get into exported binaries and how states are
// saved.
//
// A law walks its members in one fixed order with an archive; the same walk writes and reads:
//   archive(number)   double or dual number          archive.whole(value)      int, bool, enum
//   archive.curve(p)  list of pairs                  archive.presence(value)   whether an optional is there
//   archive.count(list)                              length of a list, which is resized when reading
// Reading never trusts the list: what is too short or no number leaves `good` false, and lengths are limited by what is
// left.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline element {

class ImageWriter {
 public:
  static constexpr bool reads = false;
  explicit ImageWriter(std::vector<double>& out) : out_(out) {}

  template <class T>
  void operator()(const T& value) {
    out_.push_back(value_of(value));
  }
  template <class I>
  void whole(const I& value) {
    out_.push_back(static_cast<double>(static_cast<int>(value)));
  }
  template <class T>
  void presence(const std::optional<T>& value) {
    out_.push_back(value.has_value() ? 1.0 : 0.0);
  }
  template <class T>
  void count(const std::vector<T>& list) {
    out_.push_back(static_cast<double>(list.size()));
  }
  void curve(const std::vector<std::pair<double, double>>& points) {
    count(points);
    for (const auto& [x, y] : points) out_.push_back(x), out_.push_back(y);
  }

 private:
  std::vector<double>& out_;
};

class ImageReader {
 public:
  static constexpr bool reads = true;
  ImageReader(const double* at, std::size_t size) : at_(at), end_(at + size) {}

  bool good() const { return good_; }
  bool finished() const { return good_ && at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  template <class T>
  void operator()(T& value) {
    value = T(next());
  }
  template <class I>
  void whole(I& value) {
    const double number = next();
    if (!(number >= 0.0 && number <= 1e6) || number != std::floor(number))
      good_ = false;
    else
      value = static_cast<I>(static_cast<int>(number));
  }
  template <class T>
  void presence(std::optional<T>& value) {
    int there = 0;
    whole(there);
    if (there == 1)
      value.emplace(T(0.0));
    else
      value.reset();
  }
  template <class T>
  void count(std::vector<T>& list) {
    const double number = next();
    if (!(number >= 0.0 && number <= static_cast<double>(left()))) {
      good_ = false;
      list.clear();
      return;
    }
    list.resize(static_cast<std::size_t>(number));
  }
  void curve(std::vector<std::pair<double, double>>& points) {
    count(points);
    for (auto& [x, y] : points) x = next(), y = next();
  }

 private:
  double next() {
    if (at_ == end_) {
      good_ = false;
      return 0.0;
    }
    const double value = *at_++;
    if (!std::isfinite(value)) good_ = false;
    return value;
  }

  const double *at_, *end_;
  bool good_ = true;
};

// Settings first (they say which parameters there are), then every parameter.
template <class Law, class Archive>
void archive_law(Law& law, Archive& archive) {
  law.settings(archive);
  law.visit_parameters([&](const char*, typename Law::Scalar& value) { archive(value); });
  if constexpr (Archive::reads) law.complete();
}

}  // namespace kdyn::inline element
