// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/sid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

using internal::TextLine;
using internal::TextLines;

std::size_t place(const SidTaylor& t, int mode, int r, int c) {
  return (static_cast<std::size_t>(mode) * static_cast<std::size_t>(t.columns) + static_cast<std::size_t>(c)) *
             static_cast<std::size_t>(t.rows) +
         static_cast<std::size_t>(r);
}

constexpr std::array<const char*, 11> body_blocks = {"mdcm", "j",  "ct",     "cr", "me", "gr",
                                                     "ge",   "oe", "ksigma", "ke", "de"};
constexpr std::array<const char*, 5> node_blocks = {"origin", "phi", "psi", "ap", "sigma"};

class Reader {
 public:
  Reader(std::string_view content, const std::string& name, SidBody& body)
      : lines_(content),
        name_(name),
        body_(body),
        budget_(internal::allowed_bytes(content.size()) / 2) {}

  void read() {
    TextLine line;
    if (lines_.next(line)) read_head(line.text);
    while (lines_.next(line)) {
      line_ = line;
      const std::string_view text = trim(line.text);
      if (text.empty()) continue;
      const std::size_t equals = text.find('=');
      const std::string key = lower_case(trim(text.substr(0, equals)));
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view() : trim(text.substr(equals + 1));
      if (key.starts_with("end "))
        close(trim(std::string_view(key).substr(4)));
      else if (key == "new node")
        open_node(value);
      else if (key == "rframe" && in_node_ && !body_.nodes.empty())
        body_.nodes.back().reference_frame = internal::to_utf8(value);
      else if (key == "mass")
        body_.mass = number(value);
      else if (key.starts_with("ielastq"))
        body_.mode_names.push_back(internal::to_utf8(value));
      else if (taylor_ != nullptr && equals != std::string_view::npos)
        set(key, value);
      else if (equals == std::string_view::npos)
        open_block(key, text);
    }
    finish();
  }

 private:
  void complain(const std::string& message) {
    if (body_.findings.size() < 100)
      body_.findings.push_back(
          {Severity::serious, "bad_record",
           fmt::format("{}:{}: block {}, byte {}", name_, line_.number, in_quotes(block_name_), line_.offset), message,
           "repair the record"});
  }
  double number(std::string_view value) {
    const auto parsed = internal::field_number(value);
    if (!parsed || !std::isfinite(*parsed)) {
      complain(fmt::format("{} is no number; zero was taken", in_quotes(value)));
      return 0.0;
    }
    return *parsed;
  }

  void read_head(std::string_view text) {
    const auto numbers = internal::words_of(text.substr(0, text.find(':')));
    if (numbers.size() >= 2)
      announced_nodes_ = internal::field_integer(numbers[0]), announced_modes_ = internal::field_integer(numbers[1]);
    if (const auto colon = text.find(':'); colon != std::string_view::npos)
      body_.comment = internal::to_utf8(trim(text.substr(colon + 1, 500)));
  }

  void open_node(std::string_view value) {
    in_node_ = true;
    if (budget_ < 4 * sizeof(SidNode))
      return complain("there are more nodes than the file can describe; the rest was left out");
    budget_ -= 4 * sizeof(SidNode);
    SidNode node;
    const auto label = internal::field_integer(value);
    if (!label) complain(fmt::format("{} is no node number", in_quotes(value)));
    node.label = label.value_or(0);
    body_.nodes.push_back(std::move(node));
  }

  void open_block(const std::string& key, std::string_view written) {
    const auto known = [&](const auto& names) { return std::find(names.begin(), names.end(), key) != names.end(); };
    if (in_node_ && !body_.nodes.empty() && known(node_blocks))
      taylor_ = &body_.nodes.back().blocks[std::string(written)];
    else if (!in_node_ && known(body_blocks))
      taylor_ = &body_.blocks[std::string(written)];
    else
      return;
    *taylor_ = {};
    block_name_ = written;
  }

  void close(std::string_view what) {
    if (what == "node") in_node_ = false;
    if (taylor_ != nullptr) complete(*taylor_);
    taylor_ = nullptr;
    block_name_.clear();
  }

  // A symmetric block is written by one triangle; what is not written is zero.
  void complete(SidTaylor& t) {
    if (t.structure == 4 && t.m0.empty() && make_room(t, false))
      for (int i = 0; i < std::min(t.rows, t.columns); ++i) t.m0[place(t, 0, i, i)] = 1.0;
    if (t.structure != 2 || t.rows != t.columns) return;
    const auto mirror = [&](std::vector<double>& values, int mode) {
      for (int c = 0; c < t.columns; ++c)
        for (int r = 0; r < c; ++r) {
          double &upper = values[place(t, mode, r, c)], &lower = values[place(t, mode, c, r)];
          if (upper == 0.0)
            upper = lower;
          else if (lower == 0.0)
            lower = upper;
        }
    };
    if (!t.m0.empty()) mirror(t.m0, 0);
    if (!t.m1.empty())
      for (int mode = 0; mode < t.modes; ++mode) mirror(t.m1, mode);
  }

  bool make_room(SidTaylor& t, bool first_order) {
    std::vector<double>& values = first_order ? t.m1 : t.m0;
    if (!values.empty()) return true;
    if (refused_ == &t) return false;
    const auto rows = static_cast<std::size_t>(t.rows), columns = static_cast<std::size_t>(t.columns),
               modes = first_order ? static_cast<std::size_t>(t.modes) : 1U;
    // Each factor is below 2^20, so the product fits.
    const std::size_t bytes = rows * columns * modes * sizeof(double);
    if (bytes == 0 || bytes > budget_) {
      complain(fmt::format("{} x {} values for {} modes are more than the file can hold; the block was left out",
                           t.rows, t.columns, modes));
      refused_ = &t;
      return false;
    }
    budget_ -= bytes;
    values.assign(rows * columns * modes, 0.0);
    return true;
  }

  void set(const std::string& key, std::string_view value) {
    SidTaylor& t = *taylor_;
    const std::pair<const char*, int*> sizes[] = {{"order", &t.order},         {"nrow", &t.rows},
                                                  {"ncol", &t.columns},        {"nq", &t.modes},
                                                  {"nqn", &t.modes_nonlinear}, {"structure", &t.structure}};
    for (const auto& [name, target] : sizes)
      if (key == name) {
        const auto number_value = internal::field_integer(value);
        if (!number_value || *number_value < 0 || *number_value >= 1 << 20 || !t.m0.empty() || !t.m1.empty())
          complain(fmt::format("{} = {} cannot be", key, in_quotes(value)));
        else
          *target = static_cast<int>(*number_value);
        return;
      }
    if (key.size() < 2 || key[0] != 'm') return;
    const std::size_t open = key.find('('), close = key.find(')');
    if (open == std::string::npos || close == std::string::npos || close < open)
      return complain(fmt::format("{} is no place of a matrix", in_quotes(key)));
    std::string inner = key.substr(open + 1, close - open - 1);
    std::replace(inner.begin(), inner.end(), ',', ' ');
    const auto indices = internal::integer_fields(inner, 10);
    const std::string which(trim(std::string_view(key).substr(0, open)));
    const bool first_order = which == "m1";
    if (which != "m0" && which != "m1") {
      if (!told_order_) complain(fmt::format("terms {} are not kept", in_quotes(which)));
      told_order_ = true;
      return;
    }
    if (!indices || indices->size() != (first_order ? 3U : 2U))
      return complain(fmt::format("{} is no place of a matrix", in_quotes(key)));
    const std::int64_t r = indices->front() - 1, c = indices->back() - 1, mode = first_order ? (*indices)[1] - 1 : 0;
    if (r < 0 || r >= t.rows || c < 0 || c >= t.columns || mode < 0 || (first_order && mode >= t.modes))
      return complain(fmt::format("{} lies outside {} x {} with {} modes", in_quotes(key), t.rows, t.columns, t.modes));
    if (make_room(t, first_order))
      (first_order ? t.m1 : t.m0)[place(t, static_cast<int>(mode), static_cast<int>(r), static_cast<int>(c))] =
          number(value);
  }

  void finish() {
    if (taylor_ != nullptr) complain("the file ends within this block");
    const auto compare = [&](const std::optional<std::int64_t>& announced, std::size_t found, const char* what) {
      if (announced && *announced != static_cast<std::int64_t>(found))
        body_.findings.push_back({Severity::warning, "wrong_count", name_ + ":1",
                                  fmt::format("{} {} are announced and {} are there", *announced, what, found),
                                  "compare with the writer"});
    };
    compare(announced_nodes_, body_.nodes.size(), "nodes");
    compare(announced_modes_, body_.mode_names.size(), "modes");
  }

  TextLines lines_;
  const std::string& name_;
  SidBody& body_;
  std::size_t budget_;
  TextLine line_;
  std::string block_name_;
  SidTaylor* taylor_ = nullptr;
  const SidTaylor* refused_ = nullptr;
  bool in_node_ = false, told_order_ = false;
  std::optional<std::int64_t> announced_nodes_, announced_modes_;
};

void print_taylor(std::string& out, const std::string& name, const SidTaylor& t, int indent) {
  const std::string pad(static_cast<std::size_t>(indent), ' ');
  out += pad + name + "\n";
  const auto key = [&](const std::string& what, const std::string& value) {
    out += fmt::format("{}     {:<22}={}\n", pad, what, value);
  };
  const std::pair<const char*, int> sizes[] = {{"order", t.order},         {"nrow", t.rows},
                                               {"ncol", t.columns},        {"nq", t.modes},
                                               {"nqn", t.modes_nonlinear}, {"structure", t.structure}};
  for (const auto& [what, value] : sizes) key(what, fmt::format("{:5d}", value));
  const bool half = t.structure == 2;
  if (t.structure != 4 && t.structure != 0)
    for (int c = 0; c < t.columns && !t.m0.empty(); ++c)
      for (int r = half ? c : 0; r < t.rows; ++r)
        if (const double value = t.m0[place(t, 0, r, c)]; value != 0.0)
          key(fmt::format("m0({:2d},{:2d})", r + 1, c + 1), fmt::format("{:23.16E}", value));
  if (!t.m1.empty())
    for (int mode = 0; mode < t.modes; ++mode)
      for (int c = 0; c < t.columns; ++c)
        for (int r = half ? c : 0; r < t.rows; ++r)
          if (const double value = t.m1[place(t, mode, r, c)]; value != 0.0)
            key(fmt::format("m1({:2d},{:2d},{:2d})", r + 1, mode + 1, c + 1), fmt::format("{:23.16E}", value));
  out += pad + "end " + name + "\n";
}

}  // namespace

double SidTaylor::at(int r, int c) const { return m0.empty() ? 0.0 : m0[place(*this, 0, r, c)]; }
double SidTaylor::at(int mode, int r, int c) const { return m1.empty() ? 0.0 : m1[place(*this, mode, r, c)]; }

bool looks_like_sid(std::string_view content) {
  const std::string head = lower_case(content.substr(0, 4096));
  return head.find("refmod") != std::string::npos && head.find("part") != std::string::npos;
}

SidBody parse_sid(std::string_view content, const std::string& name) {
  if (!looks_like_sid(content))
    throw_bad_input(name, "this is no SID file: 'part' and 'refmod' are missing at its start", "check the file");
  SidBody body;
  Reader(content, name, body).read();
  return body;
}

std::string sid_text(const SidBody& body) {
  std::string out =
      fmt::format("{:5d}{:4d}    :{}\n part\n      new modal                                 =\n           refmod\n",
                  body.nodes.size(), body.mode_names.size(), body.comment);
  out += fmt::format("                mass                            ={:23.16E}\n", body.mass);
  out += fmt::format("                nelastq                         ={:6d}\n", body.mode_names.size());
  for (std::size_t i = 0; i < body.mode_names.size(); ++i)
    out += fmt::format("                ielastq ({:4d})                  = {}\n", i + 1, body.mode_names[i]);
  out += "           end refmod\n           frame\n";
  for (const SidNode& node : body.nodes) {
    out += fmt::format(
        "                new node                        ={:8d}\n                     rframe                     = "
        "{}\n",
        node.label, node.reference_frame);
    for (const auto& [name, block] : node.blocks) print_taylor(out, name, block, 21);
    out += "                end node\n";
  }
  out += "           end frame\n";
  for (const auto& [name, block] : body.blocks) print_taylor(out, name, block, 11);
  return out + "      end modal\n end part\n";
}

}  // namespace kdyn::inline io
