// SPDX-License-Identifier: Apache-2.0
// Any bytes as a workbook: as the whole file, or as one part of a sound archive (the first byte chooses), since a
// checksum would hide the XML from changes. Refused with an Error of code bad_input, or read and then taken for a bench
// measurement.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kdyn/base/error.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/table.hpp"

namespace {

using Parts = std::vector<std::pair<std::string, std::string>>;

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// Parts without compression.
std::string archive(const Parts& parts) {
  std::string out, directory;
  for (const auto& [name, content] : parts) {
    const auto offset = static_cast<std::uint32_t>(out.size()), size = static_cast<std::uint32_t>(content.size());
    std::string fields;
    put(fields, 20, 2), put(fields, 0, 2), put(fields, 0, 2), put(fields, 0, 4);
    put(fields, checksum(content), 4), put(fields, size, 4), put(fields, size, 4);
    put(fields, static_cast<std::uint32_t>(name.size()), 2), put(fields, 0, 2);
    out += "PK\x03\x04" + fields + name + content;
    directory += "PK\x01\x02";
    put(directory, 20, 2);
    directory += fields;
    put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 4), put(directory, offset, 4);
    directory += name;
  }
  const auto start = static_cast<std::uint32_t>(out.size());
  out += directory + "PK\x05\x06";
  put(out, 0, 4), put(out, static_cast<std::uint32_t>(parts.size()), 2),
      put(out, static_cast<std::uint32_t>(parts.size()), 2);
  put(out, static_cast<std::uint32_t>(directory.size()), 4), put(out, start, 4), put(out, 0, 2);
  return out;
}

std::string workbook(const std::string& sheet, const std::string& strings) {
  const std::string type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
  return archive(
      {{"xl/workbook.xml", "<workbook><sheets><sheet name=\"x\" sheetId=\"1\" id=\"r1\"/></sheets></workbook>"},
       {"xl/_rels/workbook.xml.rels", "<Relationships><Relationship Id=\"r1\" Type=\"" + type +
                                          "worksheet\" Target=\"s.xml\"/><Relationship Id=\"r2\" Type=\"" + type +
                                          "sharedStrings\" Target=\"t.xml\"/></Relationships>"},
       {"xl/s.xml", sheet},
       {"xl/t.xml", strings}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string file;
  switch (data[0] % 4) {
    case 0: file = bytes; break;
    case 1:
      file = workbook(bytes,
                      "<sst><si><t>f [Hz]</t></si><si><t>A [mm]</t></si><si><t>Kdyn [N/mm]</t></si><si><t>delta "
                      "[deg]</t></si></sst>");
      break;
    case 2:
      file = workbook("<worksheet><sheetData><row><c t=\"s\"><v>0</v></c></row></sheetData></worksheet>", bytes);
      break;
    default: file = archive({{"content.xml", bytes}});
  }
  try {
    for (const kdyn::DataTable& table : kdyn::read_spreadsheet(file, "fuzz.xlsx")) kdyn::table_csv(table);
    kdyn::read_bench_tables(file, "fuzz.xlsx");
  } catch (const kdyn::Error& error) {
    if (error.code() != kdyn::ErrorCode::bad_input || error.message().empty()) __builtin_trap();
  }
  return 0;
}
