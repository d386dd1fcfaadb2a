// SPDX-License-Identifier: Apache-2.0
// The one door for data: files in, what was found out, for every operation alike.
//
//   const Contents contents = read_files(paths, hints);
//   const std::vector<MeasuredObject> objects = objects_of(contents);   // one for each part and direction
//
// Formats are told by content (io/exchange.hpp, io/bench_tables.hpp). Measurements are sorted by part and direction
// (columns, preambles, names of sheets, files and folders say so): a fit takes one object and never two. What is left
// out by a hint, or belongs to nobody, is told. Records of steady sines are reduced to points of a map where the
// operation wants maps (reduce_sines.hpp). It knows what measurements look like, not what is done with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/exchange.hpp"

namespace kdyn::inline door {

// What a user knows better than the files; every field may be left alone.
struct ReadHints {
  Json columns = Json::object();      // meaning -> column name, number, letter or "=value unit"
  Json units = Json::object();        // meaning or column -> unit
  std::string layout;                 // name of a saved template; "none": none is applied
  std::string decimal;                // "comma" | "point"
  std::vector<std::string> sheets;    // of workbooks
  std::string part, direction;        // only these; "-": what tells none
  std::optional<double> temperature;  // degC: only rows within 2 degrees
};
const FieldTable& fields_of(const ReadHints*);

// Hints as the readers of io take them; checks that maps hold texts.
BenchReadOptions bench_options(const ReadHints& hints);

struct Contents {
  std::vector<Exchange> files;  // in the order given; what they hold of bench measurements stands in `sets`
  std::vector<BenchSet> sets;
  std::vector<Finding> findings;
};

// Throws Error(file_access) for a file that cannot be opened and Error(bad_input) for one that holds no measurement.
Contents read_measurements(const std::vector<std::string>& paths, const ReadHints& hints);

// Measurements of one part in one direction.
struct MeasuredObject {
  std::string part, direction;
  std::vector<std::size_t> sets;  // of Contents::sets
  std::string name() const;       // "part/direction", for folders and tables
};

// Sets without a direction belong to the only direction there is; with several, to an object of their own. Parts alike.
std::vector<MeasuredObject> objects_of(const Contents& contents);

// Leaves the object the hints ask for, in `contents`; what is dropped is told. Throws when nothing is left.
void choose_object(Contents& contents, const ReadHints& hints);

// One sentence on the objects and how to choose: the message when they are more than one.
std::string tell_objects(const std::vector<MeasuredObject>& objects, const Contents& contents);

}  // namespace kdyn::inline door
