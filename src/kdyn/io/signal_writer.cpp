// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/signal_writer.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/io/internal/hdf5_growing.hpp"
#include "kdyn/io/internal/store_json.hpp"

namespace kdyn::inline io {
namespace {

class CsvWriter final : public SignalWriter {
 public:
  CsvWriter(const std::string& path, const std::vector<WrittenSignal>& signals)
      : path_(path),
        count_(signals.size()),
        file_(std::fopen(path.c_str(), "wb"), &std::fclose) {
    if (!file_) fail();
    text_ = "time [s]";
    for (const WrittenSignal& signal : signals) text_ += "," + signal.name + " [" + signal.unit + "]";
    text_ += '\n';
  }

  void add(double time_s, const double* values) override {
    number(time_s);
    for (std::size_t i = 0; i < count_; ++i) text_ += ',', number(values[i]);
    text_ += '\n';
    if (text_.size() >= enough) flush();
  }

  void finish() override {
    flush();
    // Closing writes the rest and may be the call that meets the full disk.
    if (std::fclose(file_.release()) != 0) fail();
  }

 private:
  static constexpr std::size_t enough = 1 << 18;

  void number(double value) {
    char digits[32];
#ifdef __cpp_lib_to_chars
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 12).ptr;
#else  // the same digits
    const auto end = fmt::format_to_n(digits, sizeof digits, "{:.12g}", value).out;
#endif
    text_.append(digits, static_cast<std::size_t>(end - digits));
  }
  void flush() {
    if (std::fwrite(text_.data(), 1, text_.size(), file_.get()) != text_.size()) fail();
    text_.clear();
  }
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::file_access, std::string("cannot write: ") + std::strerror(errno), path_,
                "is the disk full? Check the folder and the permissions");
  }

  std::string path_;
  std::size_t count_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string text_;
};

class StoreWriter final : public SignalWriter {
 public:
  StoreWriter(const std::string& path, const std::vector<WrittenSignal>& signals, double first_s, double step_s)
      : file_(path, texts(signals, first_s, step_s), "/signals", signals.size()),
        rows_(signals.size()) {}

  void add(double, const double* values) override {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].push_back(values[i]);
    if (!rows_.empty() && rows_.front().size() == internal::GrowingHdf5::chunk) write();
  }
  void finish() override {
    write();
    file_.close();
  }

 private:
  static std::vector<std::pair<std::string, std::string>> texts(const std::vector<WrittenSignal>& signals,
                                                                double first_s, double step_s) {
    std::vector<Signal> about;
    for (const WrittenSignal& signal : signals) {
      Signal& one = about.emplace_back();
      one.name = signal.name, one.unit = signal.unit, one.start_s = first_s, one.step_s = step_s;
    }
    return {{"/kdyn", internal::store_format}, {"/signals/meta", dump_json(internal::signals_meta(about))}};
  }
  void write() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      file_.append(i, rows_[i]);
      rows_[i].clear();
    }
  }

  internal::GrowingHdf5 file_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace

std::unique_ptr<SignalWriter> csv_writer(const std::string& path, const std::vector<WrittenSignal>& signals) {
  return std::make_unique<CsvWriter>(path, signals);
}

std::unique_ptr<SignalWriter> store_writer(const std::string& path, const std::vector<WrittenSignal>& signals,
                                           double first_s, double step_s) {
  return std::make_unique<StoreWriter>(path, signals, first_s, step_s);
}

}  // namespace kdyn::inline io
