// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/json.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline base {
namespace {

// The place that a syntax error names.
std::string place_of_error(const std::string& text) {
  try {
    parse_json(text, "job.json");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_input);
    return e.where();
  }
  return "no error";
}

TEST(JsonTest, SyntaxErrorNamesLineAndColumn) {
  EXPECT_EQ(place_of_error("x"), "job.json:1:1");
  EXPECT_EQ(place_of_error("{\"a\": x}"), "job.json:1:7");
  EXPECT_EQ(place_of_error("{\n  \"a\": 1,\n  }"), "job.json:3:3");
  EXPECT_EQ(place_of_error("{\"a\": \"b\n\"}"), "job.json:1:9")
      << "the line break itself is the fault, not the line after it";
  EXPECT_EQ(place_of_error(""), "job.json:1:1");
  EXPECT_EQ(place_of_error("[1"), "job.json:1:3") << "just past the end";
}

TEST(JsonTest, WhatIsNoJson) {
  for (const char* text : {"{\"a\":1} x", "[1,]", "{a:1}", "nan", "\"\xff\"", "1e999", "'a'"})
    EXPECT_THROW(parse_json(text, "w"), Error) << text;
}

TEST(JsonTest, NestingIsLimited) {
  const auto nested = [](int levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_NO_THROW(parse_json(nested(200), "w"));
  EXPECT_THROW(parse_json(nested(201), "w"), Error);
  EXPECT_THROW(parse_json(std::string(1000000, '['), "w"), Error);
  EXPECT_NO_THROW(parse_json("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"", "w"))
      << "brackets in a text do not nest";
}

TEST(JsonTest, DumpAndParseRoundTrip) {
  const Json value = {{"z", 1},
                      {"a",
                       {{"x", 0.1},
                        {"tiny", std::numeric_limits<double>::denorm_min()},
                        {"large", std::numeric_limits<double>::max()}}},
                      {"list", {1.5, "text", nullptr, true}},
                      {"rows", {{{"k", 1}}, {{"k", 2}}}},
                      {"empty", {{"object", Json::object()}, {"array", Json::array()}}},
                      {"quote", "a\"\\\n\u00b0"}};
  EXPECT_EQ(parse_json(dump_json(value), "w"), value);
}

TEST(JsonTest, KeysKeepTheirOrderAndNumbersStandOnOneLine) {
  EXPECT_EQ(dump_json({{"b", {1, 2, 3}}, {"a", {{"x", 0.1}}}, {"pairs", {{1, 2}, {3, 4}}}}),
            "{\n  \"b\": [1,2,3],\n  \"a\": {\n    \"x\": 0.1\n  },\n  \"pairs\": [[1,2],[3,4]]\n}\n");
}

TEST(JsonTest, WhatJsonCannotSayIsReplaced) {
  EXPECT_EQ(dump_json(std::nan("")), "null\n");
  EXPECT_EQ(dump_json(std::numeric_limits<double>::infinity()), "null\n");
  EXPECT_EQ(dump_json({{"\xff", "\xfe"}}), "{\n  \"\ufffd\": \"\ufffd\"\n}\n")
      << "bytes that are no UTF-8 must not stop a result from being written";
}

}  // namespace
}  // namespace kdyn::inline base
