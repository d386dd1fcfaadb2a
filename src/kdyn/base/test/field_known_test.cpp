// SPDX-License-Identifier: Apache-2.0
// What a file holds beyond the table is passed over at any depth; what the table knows is checked as always.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/json.hpp"

namespace {

struct Inner {
  std::string name;
  double value = 0.0;
};
const kdyn::FieldTable& fields_of(const Inner*) {
  static const kdyn::FieldTable table = kdyn::FieldTable::results<Inner>("inner", [](kdyn::FieldTable& t) {
    t.add(&Inner::name, "name", "-", "Name").unless_empty();
    t.add(&Inner::value, "value", "m", "Value").alias("length");
  });
  return table;
}
struct Outer {
  std::vector<Inner> list, keyed;
  std::optional<Inner> one;
  std::string word = "untouched";
};
const kdyn::FieldTable& fields_of(const Outer*) {
  static const kdyn::FieldTable table = kdyn::FieldTable::results<Outer>("outer", [](kdyn::FieldTable& t) {
    t.add(&Outer::list, "list", "-", "List");
    t.add(&Outer::keyed, "keyed", "-", "By name").keyed_by("name");
    t.add(&Outer::one, "one", "-", "One, or null");
    t.add(&Outer::word, "word", "-", "Word");
  });
  return table;
}

TEST(FieldKnown, PassesOverWhatItDoesNotKnow) {
  const kdyn::Json in = kdyn::Json::parse(R"({"list": [{"value": 1, "more": [1]}, {"length": 2.5}],
    "keyed": {"a": {"value": null, "status": "free"}, "b": {"value": 4}}, "one": null, "else": {"list": 5}})");
  Outer out;
  kdyn::from_known_fields(out, in, "file");
  ASSERT_EQ(out.list.size(), 2u);
  EXPECT_EQ(out.list[0].value, 1.0);
  EXPECT_EQ(out.list[1].value, 2.5);
  ASSERT_EQ(out.keyed.size(), 2u);
  EXPECT_EQ(out.keyed[0].name, "a");
  EXPECT_TRUE(std::isnan(out.keyed[0].value));
  EXPECT_EQ(out.keyed[1].value, 4.0);
  EXPECT_FALSE(out.one.has_value());
  EXPECT_EQ(out.word, "untouched");
}

TEST(FieldKnown, RefusesOddTypesByTheirPlace) {
  for (const auto& [text, place] : {std::pair(R"({"list": [{}, {"value": "x"}]})", "file.list[1].value"),
                                    {R"({"keyed": {"a": {"value": []}}})", "file.keyed.a.value"},
                                    {R"({"keyed": 5})", "file.keyed"},
                                    {R"({"one": [1]})", "file.one"},
                                    {R"({"list": [7]})", "file.list[0]"},
                                    {R"([1])", "file"}}) {
    Outer out;
    try {
      kdyn::from_known_fields(out, kdyn::Json::parse(text), "file");
      ADD_FAILURE() << text;
    } catch (const kdyn::Error& error) {
      EXPECT_EQ(error.where(), place) << text;
    }
  }
}

}  // namespace
