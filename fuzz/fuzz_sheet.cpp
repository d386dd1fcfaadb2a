// SPDX-License-Identifier: Apache-2.0
// Any text as one part of a sound workbook: a sheet, its texts, its styles, the list of sheets or the relations of
// .xlsx, the content of .ods (the first byte chooses). Refused with an Error of code bad_input, or read and then taken
// for bench measurements.
// max_len: 1000
#include <string>

#include "bench_guard.hpp"

#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/test/stored_archive.hpp"

namespace {

constexpr std::string_view list = "<workbook><sheets><sheet name=\"x\" sheetId=\"1\" id=\"r1\"/></sheets></workbook>";
constexpr std::string_view relations =
    "<Relationships><Relationship Id=\"r1\" Type=\"/worksheet\" Target=\"s.xml\"/><Relationship Id=\"r2\" "
    "Type=\"/sharedStrings\" Target=\"t.xml\"/><Relationship Id=\"r3\" Type=\"/styles\" "
    "Target=\"y.xml\"/></Relationships>";
constexpr std::string_view sheet =
    "<worksheet><sheetData><row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>1</v></c><c t=\"s\"><v>2</v></c><c t=\"s\"><v>3"
    "</v></c></row><row><c s=\"1\"><v>5</v></c><c><v>0.1</v></c><c><v>400</v></c><c><v>6</v></c></row></sheetData>"
    "</worksheet>";
constexpr std::string_view texts =
    "<sst><si><t>f [Hz]</t></si><si><t>A [mm]</t></si><si><t>Kdyn [N/mm]</t></si><si><t>delta [deg]</t></si></sst>";
constexpr std::string_view styles =
    "<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>";

std::string workbook(std::string_view book, std::string_view links, std::string_view cells, std::string_view strings,
                     std::string_view formats) {
  return kdyn::test::archive({{"xl/workbook.xml", book},
                              {"xl/_rels/workbook.xml.rels", links},
                              {"xl/s.xml", cells},
                              {"xl/t.xml", strings},
                              {"xl/y.xml", formats}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string file;
  switch (data[0] % 8) {
    case 0:
    case 1: file = workbook(list, relations, text, texts, styles); break;
    case 2: file = workbook(list, relations, sheet, text, styles); break;
    case 3: file = workbook(list, relations, sheet, texts, text); break;
    case 4: file = workbook(text, relations, sheet, texts, styles); break;
    case 5: file = workbook(list, text, sheet, texts, styles); break;
    default: file = kdyn::test::archive({{"content.xml", text}});
  }
  const auto read = [&](std::string_view) { fuzz::check_sets(kdyn::read_bench_tables(file, "fuzz.xlsx").sets); };
  return fuzz::check(data, size, read, fuzz::table_room);
}
