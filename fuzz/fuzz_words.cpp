// SPDX-License-Identifier: Apache-2.0
// Words of the command line: the first line names an operation, each further line is a word: "field=value" as --set
// has it, or "field" followed by lines with the words of its flag, up to an empty line. What comes out is options that
// the field table takes or refuses, and that say the same when they are written and read again.
// max_len: 500
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < size; ++i)
    if (data[i] == '\n')
      lines.emplace_back();
    else
      lines.back() += static_cast<char>(data[i]);
  const kdyn::app::Operation* operation = kdyn::app::find_operation(lines.front());
  if (operation == nullptr) return 0;
  const kdyn::FieldTable& table = operation->options();
  kdyn::Json options = kdyn::Json::object();
  try {
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i].find('=') != std::string::npos) {
        kdyn::app::set_from_text(options, table, lines[i]);
        continue;
      }
      const kdyn::Field* field = table.find(lines[i]);
      std::vector<std::string> words;
      while (++i < lines.size() && !lines[i].empty()) words.push_back(lines[i]);
      if (field != nullptr && !words.empty()) options[field->name] = kdyn::app::value_from_words(*field, words);
    }
    // Words that are no UTF-8 are written with other letters; names that differ there only become one.
    try {
      options.dump();
    } catch (const kdyn::Json::exception&) {
      return 0;
    }
    const kdyn::Json again = kdyn::parse_json(kdyn::dump_json(options), "again");
    if (kdyn::dump_json(again) != kdyn::dump_json(options)) __builtin_trap();
    kdyn::Json merged = kdyn::Json::object();
    table.overlay(merged, options);
  } catch (const kdyn::Error& error) {
    if (error.code() == kdyn::ErrorCode::internal || error.message().empty() || error.remedy().empty())
      __builtin_trap();
  }
  return 0;
}
