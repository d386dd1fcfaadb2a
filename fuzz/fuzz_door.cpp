// SPDX-License-Identifier: Apache-2.0
// What the door does with tables: the first line is a saved layout (JSON), the second the name of the file, the third
// part, direction and temperature asked for, the rest the table. Labels, temperatures by name, objects and the choice
// among them.
// max_len: 300
#include <string>

#include "bench_guard.hpp"

#include "kdyn/base/text.hpp"
#include "kdyn/door/read.hpp"
#include "kdyn/door/temperatures.hpp"
#include "kdyn/door/templates.hpp"

namespace {

std::string_view take_line(std::string_view& text, char mark = '\n') {
  const std::string_view out = text.substr(0, text.find(mark));
  text.remove_prefix(out.size() < text.size() ? out.size() + 1 : out.size());
  return out;
}

void go_through(std::string_view content) {
  kdyn::ReadHints hints;
  try {
    const kdyn::LayoutTemplate layout = kdyn::parse_layout_template(take_line(content), "layout.json");
    hints.columns = layout.columns, hints.units = layout.units, hints.decimal = layout.decimal;
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.where().empty()) __builtin_trap();
  }
  const std::string name(take_line(content));
  std::string_view asked = take_line(content);
  hints.part = take_line(asked, ','), hints.direction = take_line(asked, ',');
  hints.temperature = kdyn::parse_number(asked);
  kdyn::Contents contents;
  kdyn::BenchTables tables =
      kdyn::read_bench_tables(content, name, kdyn::options_for(name, content, hints, contents.findings));
  contents.sets = std::move(tables.sets);
  kdyn::label_temperatures(contents);
  kdyn::tell_objects(kdyn::objects_of(contents), contents);
  kdyn::choose_object(contents, hints);
  std::size_t sets = 0;
  for (const kdyn::MeasuredObject& object : kdyn::objects_of(contents)) sets += object.sets.size(), object.name();
  if (sets != contents.sets.size() || sets == 0) __builtin_trap();
  fuzz::check_sets(contents.sets);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, go_through, fuzz::table_room);
}
