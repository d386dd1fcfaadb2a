// SPDX-License-Identifier: Apache-2.0
// Tables of structs in structs: round trips, places in errors, defaults, schema, archives.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"

namespace nested {

enum class Axis { x, y };

struct Sensor {
  std::string name, file;
  double x = 0.0;
  Axis axis = Axis::x;
};
struct Limits {
  double lower = -0.5, upper = 0.5;
};
struct Part {
  std::string name;
  std::vector<Sensor> sensors;
  std::map<std::string, Limits> limits;
  std::vector<std::vector<double>> matrix;
  std::array<double, 3> place{};
  std::optional<Limits> range;
  std::vector<int> labels;
};
struct Job {
  std::vector<Part> parts;
  Limits limits;
  std::map<std::string, std::string> units;
  std::string job;
};

const kdyn::FieldTable& fields_of(const Sensor*) {
  static const kdyn::FieldTable table = kdyn::FieldTable::of<Sensor>("sensor", [](kdyn::FieldTable& t) {
    t.add(&Sensor::name, "name", "-", "Name").must_be_given();
    t.add(&Sensor::file, "file", "-", "Calibration file").reads();
    t.add(&Sensor::x, "x", "m", "Place").range(-1.0, 1.0);
    t.add(&Sensor::axis, "axis", "-", "Direction").one_of({"x", "y"});
  });
  return table;
}
const kdyn::FieldTable& fields_of(const Limits*) {
  static const kdyn::FieldTable table = kdyn::FieldTable::of<Limits>("limits", [](kdyn::FieldTable& t) {
    t.add(&Limits::lower, "lower", "-", "Lower").above(-1.0);
    t.add(&Limits::upper, "upper", "-", "Upper");
  });
  return table;
}
const kdyn::FieldTable& fields_of(const Part*) {
  static const kdyn::FieldTable table = kdyn::FieldTable::of<Part>("part", [](kdyn::FieldTable& t) {
    t.add(&Part::name, "name", "-", "Name");
    t.add(&Part::sensors, "sensors", "-", "Sensors by name").keyed_by("name");
    t.add(&Part::limits, "limits", "-", "Limits of groups");
    t.add(&Part::matrix, "matrix", "-", "Rows");
    t.add(&Part::place, "place", "m", "Place");
    t.add(&Part::range, "range", "-", "Range");
    t.add(&Part::labels, "labels", "-", "Labels");
  });
  return table;
}
const kdyn::FieldTable& fields_of(const Job*) {
  static const kdyn::FieldTable table = kdyn::FieldTable::of<Job>("job", [](kdyn::FieldTable& t) {
    t.add(&Job::parts, "parts", "-", "Parts");
    t.add(&Job::limits, "limits", "-", "Limits").alias("bounds");
    t.add(&Job::units, "units", "-", "Units");
    t.add(&Job::job, "job", "-", "Job file").job_file();
  });
  return table;
}

// A result: computed, hidden and left-out fields.
struct Found {
  std::string name;
  double angle = 0.0;  // rad
  std::vector<double> raw;
  std::optional<double> noise;
  std::vector<std::string> notes;
};
const kdyn::FieldTable& fields_of(const Found*) {
  static const kdyn::FieldTable table = kdyn::FieldTable::results<Found>("found", [](kdyn::FieldTable& t) {
    t.add(&Found::name, "name", "-", "Name");
    t.add(&Found::angle, "angle_deg", "deg", "Angle").in_degrees();
    t.add(&Found::raw, "raw", "-", "Raw values").archive_only();
    t.add([](const Found& f) { return f.raw.size(); }, "samples", "-", "How many");
    t.add(&Found::noise, "noise", "-", "Noise, where known").unless_null();
    t.add(&Found::notes, "notes", "-", "Notes").unless_empty();
  });
  return table;
}

}  // namespace nested

namespace kdyn::inline base {
namespace {

using nested::Found;
using nested::Job;

const char* const whole = R"({"parts": [{"name": "S1", "sensors": {"a": {"file": "a.txt", "x": 0.5, "axis": "y"}},
  "limits": {"rotational": {"lower": -0.25, "upper": 0.5}}, "matrix": [[1.0, 2.0], [3.0, 4.0]], "place": [0.0, 1.0, 2.0],
  "range": null, "labels": [7, 9]}], "limits": {"lower": 0.25, "upper": 0.5}, "units": {"force": "kN"}, "job": ""})";

std::string error_of(const char* text) {
  Job job;
  try {
    from_json_fields(job, Json::parse(text), "");
  } catch (const Error& error) {
    return error.where() + ": " + error.message() + " / " + error.remedy();
  }
  return "";
}

TEST(NestedFields, RoundTrip) {
  Job job;
  from_json_fields(job, Json::parse(whole), "");
  EXPECT_EQ(job.parts[0].sensors[0].name, "a");
  EXPECT_EQ(job.parts[0].sensors[0].axis, nested::Axis::y);
  EXPECT_EQ(job.parts[0].matrix[1][0], 3.0);
  Json out;
  to_json_fields(job, out);
  EXPECT_EQ(out.dump(), Json::parse(whole).dump());
}

TEST(NestedFields, DefaultsStayWhereNothingIsGiven) {
  Job job;
  from_json_fields(job, Json::parse(R"({"limits": {"upper": 0.75}, "parts": [{"labels": 4}]})"), "");
  EXPECT_EQ(job.limits.lower, -0.5);
  EXPECT_EQ(job.limits.upper, 0.75);
  EXPECT_EQ(job.parts[0].labels, std::vector<int>{4});
}

TEST(NestedFields, ErrorsNameThePath) {
  EXPECT_EQ(error_of(R"({"parts": [{}, {}, {"sensors": {"x": 3}}]})").substr(0, 19), "parts[2].sensors.x:");
  EXPECT_NE(error_of(R"({"parts": [{"sensors": {"a": {"x": 2}}}]})")
                .find("parts[0].sensors.a.x: value 2 is not a number in [-1, 1] m"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"parts": [{"matrix": [[1], ["b"]]}]})").find("parts[0].matrix[1][0]"), std::string::npos);
  EXPECT_NE(error_of(R"({"parts": [{"limits": {"g": {"lowr": 1}}}]})").find("parts[0].limits.g.lowr: unknown field"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"parts": [{"limits": {"g": {"lowr": 1}}}]})").find("lower"),
            std::string::npos);  // did you mean
  EXPECT_NE(error_of(R"({"parts": [{"place": [1, 2]}]})").find("parts[0].place"), std::string::npos);
  EXPECT_NE(error_of(R"({"parts": {"name": "a"}})").find("parts: "), std::string::npos);
  EXPECT_NE(error_of(R"({"parts": [{"sensors": [1]}]})").find("parts[0].sensors"), std::string::npos);
}

TEST(NestedFields, RequiredInside) {
  struct Holder {
    nested::Sensor sensor;
  };
  const FieldTable table =
      FieldTable::of<Holder>("holder", [](FieldTable& t) { t.add(&Holder::sensor, "sensor", "-", "One"); });
  Holder holder;
  EXPECT_THROW(table.from_json(&holder, Json::parse(R"({"sensor": {"x": 0.1}})"), ""), Error);
}

TEST(NestedFields, GivenGoesOverTheJobFileEvenWhenItIsTheDefault) {
  const FieldTable& table = field_table<Job>();
  Json base =
      Json::parse(R"({"limits": {"lower": 0.1, "upper": 0.2}, "units": {"a": "N"}, "parts": [{"name": "one"}]})");
  table.overlay(base, Json::parse(R"({"bounds": {"upper": 0.5}, "units": {"b": "m"}, "parts": []})"));
  EXPECT_EQ(base.dump(), R"({"limits":{"lower":0.1,"upper":0.5},"units":{"a":"N","b":"m"},"parts":[]})");
}

TEST(NestedFields, PathsAreResolvedAtAnyDepth) {
  Json job = Json::parse(
      R"({"parts": [{"sensors": {"a": {"file": "a.txt"}, "b": {"file": "/tmp/b.txt"}}}], "job": "j.json"})");
  field_table<Job>().resolve_paths(job, "folder");
  EXPECT_EQ(job["parts"][0]["sensors"]["a"]["file"], "folder/a.txt");
  EXPECT_EQ(job["parts"][0]["sensors"]["b"]["file"], "/tmp/b.txt");
}

TEST(NestedFields, SchemaRefersToTables) {
  Json schema;
  field_table<Job>().json_schema(schema);
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["properties"]["parts"]["items"]["$ref"], "#/$defs/part");
  const Json& part = schema["$defs"]["part"]["properties"];
  EXPECT_EQ(part["sensors"]["additionalProperties"]["$ref"], "#/$defs/sensor");
  EXPECT_EQ(part["matrix"]["items"]["type"][0], "array");
  EXPECT_EQ(part["place"]["minItems"], 3);
  EXPECT_EQ(part["range"]["anyOf"][1]["type"], "null");
  const Json& sensor = schema["$defs"]["sensor"];
  EXPECT_EQ(sensor["properties"]["x"]["display_unit"], "mm");
  EXPECT_EQ(sensor["properties"]["file"]["path"], "input");
  EXPECT_EQ(sensor["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["limits"]["default"]["upper"], 0.5);
}

TEST(ResultFields, WriteWhatIsThere) {
  Found found{"a", std::acos(-1.0), {1.0, 2.0}, {}, {}};
  Json out;
  to_json_fields(found, out);
  EXPECT_EQ(out.dump(), R"({"name":"a","angle_deg":180.0,"samples":2})");
  found.noise = 0.5;
  found.notes = {"n"};
  to_json_fields(found, out);
  EXPECT_EQ(out["noise"], 0.5);
  EXPECT_EQ(out["notes"][0], "n");
  Json schema;
  field_table<Found>().json_schema(schema);
  EXPECT_EQ(schema["required"].dump(), R"(["name","angle_deg","samples"])");
  EXPECT_FALSE(schema["properties"].contains("raw"));
}

TEST(ResultFields, ArchivesKeepAllBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Found found{"a", 0.1 + 0.2, {nan, inf, -0.0, 5e-324, 1.0 / 3.0}, 1e300, {"x"}};
  Found back;
  from_archive(field_table<Found>(), &back, archive_bytes(field_table<Found>(), &found));
  EXPECT_EQ(back.angle, found.angle);
  ASSERT_EQ(back.raw.size(), 5u);
  EXPECT_TRUE(std::isnan(back.raw[0]));
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(std::signbit(back.raw[i]), std::signbit(found.raw[i]));
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(back.raw[i], found.raw[i]);
  EXPECT_EQ(back.noise, found.noise);
  EXPECT_EQ(back.notes, found.notes);
}

}  // namespace
}  // namespace kdyn::inline base
