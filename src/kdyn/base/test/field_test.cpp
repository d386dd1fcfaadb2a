// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/field.hpp"

#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::inline base {
namespace {

enum class Law { masing, g4 };

// One member of every kind that a table knows.
struct Sample {
  double rho = 4000.0;
  std::optional<double> limit;
  int count = 3;
  std::uint32_t small = 0;
  std::int64_t seed = 1;
  bool report = true;
  std::string name = "mount";
  Law law = Law::masing;
  std::vector<double> frequencies_hz{1.0, 10.0};
  std::vector<std::string> files;
  Curve curve;
  std::map<std::string, double> fixed;
  std::map<std::string, std::pair<double, double>> bounds;
  Json extra = nullptr;
};

const FieldTable& fields_of(const Sample*) {
  static const FieldTable table = FieldTable::of<Sample>("sample", [](auto& t) {
    t.add(&Sample::rho, "rho", "1/m", "Curvature of the friction law").above(0.0);
    t.add(&Sample::limit, "limit", "N", "Largest friction force").at_least(0.0);
    t.add(&Sample::count, "count", "-", "How many").range(1, 5e9);
    t.add(&Sample::small, "small", "-", "");
    t.add(&Sample::seed, "seed", "-", "Seed of the noise").range(0, 1e15);
    t.add(&Sample::report, "report", "-", "Write a report");
    t.add(&Sample::name, "name", "-", "Name of the part").alias("title");
    t.add(&Sample::law, "law", "-", "Friction law").one_of({"masing", "g4"});
    t.add(&Sample::frequencies_hz, "frequencies_hz", "Hz", "Frequencies of the sweep").range(0.001, 1e4);
    t.add(&Sample::files, "files", "-", "Input files").from_words().must_be_given();
    t.add(&Sample::curve, "curve", "-", "Static curve");
    t.add(&Sample::fixed, "fixed", "-", "Parameters held fixed");
    t.add(&Sample::bounds, "bounds", "-", "Bounds of parameters");
    t.add(&Sample::extra, "extra", "-", "Anything");
  });
  return table;
}

Json as_json(const Sample& sample) {
  Json out;
  to_json_fields(sample, out);
  return out;
}

// The complaint about one field set to a value given as JSON text.
Error complaint(const std::string& name, const std::string& value) {
  Sample sample;
  try {
    field_table<Sample>().set_one(&sample, name, Json::parse(value), "options");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_input);
    EXPECT_EQ(as_json(sample), as_json(Sample{})) << "a refused value leaves the object as it was";
    return e;
  }
  ADD_FAILURE() << name << " took " << value;
  return Error(ErrorCode::internal, "", "", "");
}

TEST(FieldTableTest, RoundTripOfAllKinds) {
  const Json in = {{"rho", 123.5},
                   {"limit", 150.0},
                   {"count", 4},
                   {"small", 7},
                   {"seed", 900000000000000},
                   {"report", false},
                   {"name", "bushing \u00b0"},
                   {"law", "g4"},
                   {"frequencies_hz", {0.5, 40.0}},
                   {"files", {"a.csv", "b.csv"}},
                   {"curve", {{-1.0, -2.0}, {1.0, 2.5}}},
                   {"fixed", {{"alpha", 0.1}}},
                   {"bounds", {{"rho", {1.0, 2.0}}}},
                   {"extra", {{"deep", {1, nullptr, "x"}}}}};
  Sample sample;
  from_json_fields(sample, in, "");
  EXPECT_EQ(sample.rho, 123.5);
  EXPECT_EQ(sample.limit, 150.0);
  EXPECT_EQ(sample.law, Law::g4);
  EXPECT_EQ(sample.curve, (Curve{{-1.0, -2.0}, {1.0, 2.5}}));
  EXPECT_EQ(as_json(sample), in);
}

TEST(FieldTableTest, DefaultsRoundTrip) {
  Sample sample;
  from_json_fields(sample, as_json(Sample{}), "");
  EXPECT_EQ(as_json(sample), as_json(Sample{}));
}

TEST(FieldTableTest, WhatIsNotGivenStays) {
  Sample sample;
  sample.rho = 1.0;
  from_json_fields(sample, {{"count", 5}}, "");
  EXPECT_EQ(sample.rho, 1.0);
  EXPECT_EQ(sample.count, 5);
}

TEST(FieldTableTest, OneValueIsAListOfOne) {
  Sample sample;
  from_json_fields(sample, {{"frequencies_hz", 7.0}, {"files", "a.csv"}}, "");
  EXPECT_EQ(sample.frequencies_hz, std::vector<double>{7.0});
  EXPECT_EQ(sample.files, std::vector<std::string>{"a.csv"});
}

TEST(FieldTableTest, AliasNamesTheSameField) {
  Sample sample;
  from_json_fields(sample, {{"title", "x"}}, "");
  EXPECT_EQ(sample.name, "x");
}

TEST(FieldTableTest, BrokenBoundNamesFieldValueAndRule) {
  const Error error = complaint("rho", "0");
  EXPECT_EQ(error.where(), "options.rho");
  EXPECT_EQ(error.message(), "value 0 is not a number > 0 1/m");
  EXPECT_EQ(error.remedy(), "Curvature of the friction law");
  EXPECT_EQ(complaint("limit", "-1").message(), "value -1 is not a number or null >= 0 N");
  EXPECT_EQ(complaint("frequencies_hz", "[1, 2e4]").where(), "options.frequencies_hz[1]");
  EXPECT_EQ(complaint("frequencies_hz", "[1, 2e4]").message(),
            "value 20000 is not a list of numbers in [0.001, 10000] Hz");
}

TEST(FieldTableTest, BoundsThemselvesAreAllowedUnlessOpen) {
  Sample sample;
  EXPECT_NO_THROW(from_json_fields(sample, {{"limit", 0.0}, {"count", 1}, {"frequencies_hz", {0.001, 1e4}}}, ""));
}

TEST(FieldTableTest, WrongTypesAreRefused) {
  complaint("rho", "\"12\"");
  complaint("rho", "null");
  complaint("count", "1.5");
  complaint("report", "1");
  complaint("name", "1");
  complaint("law", "1");
  complaint("files", "[1]");
  complaint("frequencies_hz", "{}");
  complaint("curve", "[[1, 2, 3]]");
  complaint("curve", "[[1, \"x\"]]");
  complaint("bounds", "{\"rho\": [2, 1]}");
  EXPECT_EQ(complaint("fixed", "[1]").message(), "[1] is not an object of numbers");
}

TEST(FieldTableTest, WholeNumbersThatDoNotFitAreRefused) {
  complaint("count", "4000000000");  // inside the bounds of the field, outside of int
  complaint("small", "-1");
  complaint("seed", "1e18");
}

TEST(FieldTableTest, UnknownKeyComesWithASuggestion) {
  const Error error = complaint("frequencys_hz", "1");
  EXPECT_EQ(error.where(), "options.frequencys_hz");
  EXPECT_EQ(error.message(), "unknown field 'frequencys_hz' of sample");
  EXPECT_TRUE(error.remedy().starts_with("did you mean 'frequencies_hz'? known: rho, limit")) << error.remedy();
}

TEST(FieldTableTest, UnknownChoiceComesWithASuggestion) {
  EXPECT_EQ(complaint("law", "\"massing\"").remedy(), "did you mean 'masing'? known: masing, g4");
}

TEST(FieldTableTest, OnlyAnObjectDescribesAnObject) {
  Sample sample;
  EXPECT_THROW(from_json_fields(sample, Json::array(), "options"), Error);
}

TEST(FieldTableTest, SchemaSaysWhatTheTableSays) {
  Json schema;
  field_table<Sample>().schema(schema);
  ASSERT_EQ(schema.size(), field_table<Sample>().fields().size());
  EXPECT_EQ(schema[0], (Json{{"name", "rho"},
                             {"kind", "number"},
                             {"unit", "1/m"},
                             {"meaning", "Curvature of the friction law"},
                             {"above", 0.0},
                             {"display_unit", "1/mm"},
                             {"default", 4000.0}}));
  EXPECT_EQ(schema[1]["minimum"], 0.0);
  EXPECT_EQ(schema[1]["default"], nullptr);
  EXPECT_EQ(schema[6]["aliases"], Json{"title"});
  EXPECT_EQ(schema[7]["choices"], (Json{"masing", "g4"}));
  EXPECT_EQ(schema[7]["default"], "masing");
  EXPECT_EQ(schema[9]["positional"], true);
  EXPECT_EQ(schema[9]["required"], true);
}

}  // namespace
}  // namespace kdyn::inline base
