// SPDX-License-Identifier: Apache-2.0
// Nastran OP2: a file put together here record by record, in both byte orders, and its damaged forms. Oracle: the
// numbers that were written.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/op2.hpp"

namespace kdyn::inline io {
namespace {

class Op2Writer {
 public:
  explicit Op2Writer(bool big_endian) : big_(big_endian) {
    marker(3), words({4, 5, 26}), marker(7), text("NASTRAN FORT TAPE ID CODE - "), marker(2), text("XXXXXXXX");
    marker(-1), marker(0);
  }

  void begin(const std::string& name) {
    marker(2), text(name), marker(-1), marker(7), words({101, 0, 0, 0, 0, 0, 0});
    marker(-2), marker(1), marker(0), marker(2), text(name);
    next_ = -3;
  }
  // Split into two pieces, as long records are.
  void record(const std::string& bytes) {
    marker(next_--), marker(1), marker(0);
    const std::size_t half = bytes.size() / 8 * 4;
    for (const std::string& piece : {bytes.substr(0, half), bytes.substr(half)})
      if (!piece.empty()) marker(static_cast<std::int32_t>(piece.size() / 4)), put(piece);
  }
  void end() { marker(next_), marker(1), marker(0), marker(0); }
  std::string take() {
    marker(0);
    return out_;
  }

  std::string integers(const std::vector<std::int32_t>& values) const {
    std::string out;
    for (const std::int32_t v : values) internal::store(out, v, big_);
    return out;
  }
  std::string reals(const std::vector<float>& values) const {
    std::string out;
    for (const float v : values) internal::store(out, v, big_);
    return out;
  }

 private:
  void put(const std::string& bytes) {
    internal::store(out_, static_cast<std::int32_t>(bytes.size()), big_);
    out_ += bytes;
    internal::store(out_, static_cast<std::int32_t>(bytes.size()), big_);
  }
  void marker(std::int32_t value) { put(integers({value})); }
  void words(const std::vector<std::int32_t>& values) { put(integers(values)); }
  void text(const std::string& value) {
    std::string padded = value;
    padded.resize(
        (value.size() + 7) / 8 * 8 == value.size() || value.size() == 28 ? value.size() : (value.size() + 7) / 8 * 8,
        ' ');
    put(padded);
  }

  bool big_;
  std::int32_t next_ = -3;
  std::string out_;
};

std::string sample(bool big_endian, bool complex = false) {
  Op2Writer w(big_endian);
  w.begin("GEOM1");
  // A cylindrical system turned by nothing, and two nodes: one of them at radius 2 and 90 deg in that system.
  w.record(w.integers({2001, 20, 9, 7, 2, 2, 0}) + w.reals({0, 0, 0, 0, 0, 1, 1, 0, 0}));
  w.record(w.integers({4501, 45, 1}) + w.integers({1, 0}) + w.reals({1.0F, 2.0F, 3.0F}) + w.integers({0, 0, 0}) +
           w.integers({5, 7}) + w.reals({2.0F, 90.0F, 0.5F}) + w.integers({7, 0, 0}));
  w.end();
  w.begin("GEOM2");
  w.record(w.integers({3001, 30, 48, 11, 1, 1, 5}));
  w.end();
  w.begin("LAMA");
  std::vector<std::int32_t> lama(146, 0);
  w.record(w.integers(lama));
  w.record(w.integers({1, 1}) + w.reals({400.0F, 20.0F, 3.183F, 2.5F, 1000.0F}));
  w.end();
  w.begin("OUGV1");
  std::vector<std::int32_t> head(146, 0);
  head[0] = complex ? 91 : 21, head[1] = 7, head[3] = 1, head[4] = 1, head[8] = complex ? 2 : 1,
  head[9] = complex ? 14 : 8;
  std::string bytes = w.integers(head);
  const std::string value = complex ? w.reals({-0.5F, 20.0F}) : w.reals({400.0F});
  bytes.replace(20, value.size(), value);
  w.record(bytes);
  std::string shape;
  for (const std::int32_t node : {1, 5}) {
    shape += w.integers({10 * node + 1, 1}) + w.reals({0.5F, -0.25F, 1.0F, 0.0F, 0.125F, static_cast<float>(node)});
    if (complex) shape += w.reals({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F});
  }
  w.record(shape);
  w.end();
  w.begin("OES1X1");
  w.record(w.integers(lama));
  w.end();
  return w.take();
}

TEST(Op2, GeometryAndEigenvectors) {
  for (const bool big_endian : {false, true}) {
    const std::string bytes = sample(big_endian);
    EXPECT_TRUE(looks_like_op2(bytes));
    const Op2File file = parse_op2(bytes, "a.op2");
    EXPECT_EQ(file.tables, (std::vector<std::string>{"GEOM1", "GEOM2", "LAMA", "OUGV1", "OES1X1"}));
    const ModeSet& modes = file.modes;
    ASSERT_EQ(modes.geometry.nodes.size(), 2U);
    EXPECT_EQ(modes.geometry.nodes[0].position, (std::array{1.0, 2.0, 3.0}));
    // Radius 2 at 90 deg is y = 2.
    EXPECT_NEAR(modes.geometry.nodes[1].position[0], 0.0, 1e-12);
    EXPECT_NEAR(modes.geometry.nodes[1].position[1], 2.0, 1e-12);
    EXPECT_NEAR(modes.geometry.nodes[1].position[2], 0.5, 1e-12);
    EXPECT_EQ(modes.geometry.nodes[1].motion_system, 7);
    ASSERT_EQ(modes.geometry.elements.size(), 1U);
    EXPECT_EQ(modes.geometry.elements[0].nodes, (std::vector<std::int64_t>{1, 5}));
    ASSERT_EQ(modes.modes.size(), 1U);
    ASSERT_EQ(modes.dofs.size(), 12U);
    EXPECT_EQ(modes.dofs[7], (Dof{5, 2, {}}));
    EXPECT_NEAR(modes.modes[0].frequency_hz(), 20.0 / (2.0 * std::numbers::pi), 1e-12);
    EXPECT_EQ(modes.modes[0].modal_mass, 2.5);
    EXPECT_EQ(modes.modes[0].shape[7], std::complex<double>(-0.25));
    EXPECT_EQ(modes.modes[0].shape[11], std::complex<double>(5.0));
    const auto told = [&](const char* code) {
      return std::any_of(modes.findings.begin(), modes.findings.end(),
                         [&](const Finding& f) { return f.code == code; });
    };
    EXPECT_TRUE(told("units_assumed"));
    EXPECT_TRUE(told("tables_not_used"));
    EXPECT_FALSE(told("damaged"));
  }
}

TEST(Op2, ComplexModes) {
  const ModeSet modes = parse_op2(sample(false, true), "a.op2").modes;
  ASSERT_EQ(modes.modes.size(), 1U);
  EXPECT_TRUE(modes.complex_shapes);
  EXPECT_EQ(modes.modes[0].pole, std::complex<double>(-0.5, 20.0));
  EXPECT_EQ(modes.modes[0].shape[1], std::complex<double>(-0.25, 2.0));
}

TEST(Op2, IsAnExchangeOfModes) {
  const Exchange exchange = parse_exchange(sample(false), "a.op2");
  EXPECT_EQ(exchange.kind(), "modes");
  std::vector<Finding> findings;
  EXPECT_FALSE(exchange_bytes(exchange, "a.uff", {}, findings).empty());
}

// Cut anywhere, the rest is told; what stands before the cut is read.
TEST(Op2, DamageIsTold) {
  const std::string bytes = sample(false);
  for (std::size_t cut = 4; cut < bytes.size(); cut += 3) {
    const Op2File file = parse_op2(bytes.substr(0, cut), "cut.op2");
    EXPECT_LE(file.modes.modes.size(), 1U);
    const bool told = std::any_of(file.modes.findings.begin(), file.modes.findings.end(),
                                  [](const Finding& f) { return f.code == "damaged"; });
    if (file.tables.size() == 5 && cut + 12 < bytes.size()) {  // 12: the end mark
      EXPECT_TRUE(told) << cut;
    }
  }
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    try {
      parse_op2(changed, "changed.op2");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
    }
  }
  EXPECT_THROW(parse_op2("", "empty.op2"), Error);
}

}  // namespace
}  // namespace kdyn::inline io
