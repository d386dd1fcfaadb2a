// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes are: truncated at every place, counts that lie, huge indices, garbage. A reader returns or throws
// Error(bad_input), and holds at most 20 times the file (1 MB for tiny files) at any time. Allocations by new are
// counted in this program.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/bushing_file.hpp"
#include "kdyn/io/calculix.hpp"
#include "kdyn/io/dmig.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/matrix_market.hpp"
#include "kdyn/io/modulus_table.hpp"
#include "kdyn/io/op4.hpp"
#include "kdyn/io/store.hpp"
#include "kdyn/io/table.hpp"
#include "kdyn/io/test/counted_memory.hpp"
#include "kdyn/io/test/stored_archive.hpp"
#include "kdyn/io/uff_data.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using Reader = std::function<void(const std::string&)>;

struct Format {
  const char* name;
  std::string good;
  Reader read;
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all = [] {
    const FrequencyResponse response = test::sample_response();
    const ModeSet modes = test::sample_modes();
    const MatrixSet matrices = test::sample_matrices();
    const Reader uff = [](const std::string& bytes) {
      UffFile file = parse_uff(bytes, "d");
      modes_of(file);
      signals_of(file);
      frequency_response_of(std::move(file));
    };
    const Reader op4 = [](const std::string& bytes) { parse_op4(bytes, "d"); };
    const Reader mat = [](const std::string& bytes) { matrices_of(parse_mat(bytes, "d")); };
    MbdynFem fem;
    fem.modes = modes;
    SidBody sid;
    sid.mode_names = {"one"};
    SidTaylor block;
    block.rows = 3, block.columns = 1, block.modes = 1, block.order = 1;
    block.m0 = {1, 2, 3}, block.m1 = {4, 5, 6};
    sid.blocks["mdCM"] = block;
    sid.nodes.push_back({1, "ref", {{"origin", block}}});
    BushingFile bushing;
    bushing.directions[0].curve = {{-1, -1}, {1, 1}};
    UbfFile ubf;
    ubf.directions[0].present = true;
    ubf.directions[0].numbers["ALPHA"] = 0.5;
    Store store;
    store.response = response;
    store.matrices = matrices;
    const Reader teimorbit = [](const std::string& bytes) {
      TeimOrbitFile file = parse_teimorbit(bytes, "d");
      if (is_ubf(file))
        ubf_of(std::move(file));
      else
        bushing_of(std::move(file));
    };
    const std::string deck =
        "SOL 103\nCEND\nBEGIN BULK\nGRID,1,,1.,2.,3.\nGRID*                  2               0             1.5         "
        "   -2.5*A\n*A                "
        "3.5D+0\nCORD2R,1,0,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nSPC1,1,1,1,THRU,9\nFOO,1\nENDDATA\n";
    return std::vector<Format>{
        {"uff text", uff_text(to_uff(response), {false, true}), uff},
        {"uff binary", uff_text(to_uff(response), {true, true}), uff},
        {"uff modes", uff_text(to_uff(modes)), uff},
        {"op4 text", op4_bytes(matrices, {false, false, false, Op4Storage::automatic}), op4},
        {"op4 binary", op4_bytes(matrices, {true, false, false, Op4Storage::nonbigmat}), op4},
        {"op4 wide", op4_bytes(matrices, {true, true, true, Op4Storage::bigmat}), op4},
        {"nastran", deck,
         [](const std::string& bytes) {
           NastranDeck read = parse_nastran(bytes, "d");
           geometry_of(read);
           dmig_matrices(read);
         }},
        {"dmig", dmig_text(matrices), [](const std::string& bytes) { parse_dmig(bytes, "d"); }},
        {"calculix", calculix_matrix_text(matrices.matrices[0]),
         [](const std::string& bytes) {
           std::vector<Finding> findings;
           parse_calculix_matrix(std::string(bytes), "d", findings);
           parse_calculix_dofs(bytes, "d", findings);
         }},
        {"mbdyn", mbdyn_fem_text(fem), [](const std::string& bytes) { parse_mbdyn_fem(bytes, "d"); }},
        {"sid", sid_text(sid), [](const std::string& bytes) { parse_sid(bytes, "d"); }},
        {"mat 5", mat_bytes(to_mat(matrices)), mat},
        {"mat 7.3", mat_bytes(to_mat(matrices), true), mat},
        {"store", store_bytes(store), [](const std::string& bytes) { parse_store(bytes, "d"); }},
        {"bus", bus_text(bushing), teimorbit},
        {"gbs", gbs_text(bushing), teimorbit},
        {"ubf", ubf_text(ubf), teimorbit},
        {"frf csv", frf_csv(response), [](const std::string& bytes) { parse_frf_csv(bytes, "d"); }},
        {"matrix market", matrix_market_text(matrices.matrices[0]),
         [](const std::string& bytes) { parse_matrix_market(bytes, "d"); }},
        {"exchange", uff_text(to_uff(modes)),
         [](const std::string& bytes) { parse_exchange(std::string(bytes), "d.csv"); }},
        {"bench table",
         "# Part: M17\nAmplitude = 0.1 mm, F0 = 850 N\nFrequency [Hz];Kdyn [N/mm];Phase [deg]\n1;400;5\n5;410;5.5\n\n"
         "Amplitude = 0.2 mm\nFrequency [Hz];Kdyn [N/mm];Phase [deg]\n1;380;5.2\n5;390;5.7\nMean;395;5.4\n",
         [](const std::string& bytes) { read_bench_tables(bytes, "d.csv"); }},
        {"json series",
         R"({"data": [[0, 0, 0], [0.1, 1, 30], [0.2, 0, 1]], "time units": "s", "displacement units": "in", "force units": "kip"})",
         [](const std::string& bytes) { read_bench_tables(bytes, "d.json"); }},
        {"modulus table", "T;f;E';tan delta\nC;Hz;MPa;-\n-20;1;12;0,3\n20;1;5;0,12\n20;10;5,5;0,14\n",
         [](const std::string& bytes) { read_modulus_table(bytes, "d.csv"); }},
    };
  }();
  return all;
}

// Reads, demanding an orderly end and bounded memory.
void expect_orderly(const Format& format, const std::string& bytes, const std::string& what) {
  const std::size_t before = live;
  peak = live.load();
  try {
    format.read(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input) << format.name << " " << what << ": " << error.what();
    EXPECT_FALSE(error.message().empty());
  }
  constexpr std::size_t floor = std::size_t{1} << 20, messages = std::size_t{1} << 18;
  const std::size_t allowed = std::max(20 * bytes.size(), floor) + messages;
  EXPECT_LE(peak - before, allowed) << format.name << " " << what;
}

TEST(Damage, TruncatedAnywhere) {
  for (const Format& format : formats()) {
    const std::size_t step = std::max<std::size_t>(1, format.good.size() / 400);
    for (std::size_t length = 0; length < format.good.size(); length += step)
      expect_orderly(format, format.good.substr(0, length), "cut at " + std::to_string(length));
  }
}

TEST(Damage, BytesChanged) {
  RandomStream random(20260101, 4);
  for (const Format& format : formats())
    for (int trial = 0; trial < 300; ++trial) {
      std::string bytes = format.good;
      for (int k = 0; k < 3; ++k)
        bytes[static_cast<std::size_t>(random.uniform() * static_cast<double>(bytes.size()))] =
            static_cast<char>(random.uniform() * 256.0);
      expect_orderly(format, bytes, "change " + std::to_string(trial));
    }
}

TEST(Damage, EveryNumberReplacedByAHugeOne) {
  for (const Format& format : formats()) {
    std::size_t places = 0;
    for (std::size_t i = 1; i < format.good.size() && places < 150; ++i) {
      const auto digit = [&](std::size_t k) { return format.good[k] >= '0' && format.good[k] <= '9'; };
      if (!digit(i) || digit(i - 1)) continue;
      std::size_t end = i;
      while (end < format.good.size() && digit(end)) ++end;
      ++places;
      for (const char* huge : {"2147483647", "4294967296", "99999999999999999999", "-5"})
        expect_orderly(format, format.good.substr(0, i) + huge + format.good.substr(end),
                       "number at " + std::to_string(i));
    }
  }
}

TEST(Damage, Garbage) {
  RandomStream random(7, 1);
  for (const Format& format : formats())
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{127}, std::size_t{5000}}) {
      std::string bytes(size, '\0');
      for (char& c : bytes) c = static_cast<char>(random.uniform() * 256.0);
      expect_orderly(format, bytes, "garbage");
      // Garbage behind a good start.
      expect_orderly(format, format.good.substr(0, format.good.size() / 2) + bytes, "garbage in the middle");
      expect_orderly(format, format.good + bytes, "garbage at the end");
    }
}

// Files of some size, so that the factor 20 is what counts and not the allowance for tiny ones.
TEST(Damage, ManyShortRecordsStayWithinTheBound) {
  const auto repeat = [](const std::string& head, const std::string& line, std::size_t bytes) {
    std::string out = head;
    while (out.size() < bytes) out += line;
    return out;
  };
  constexpr std::size_t size = 3 << 20;
  const std::pair<const char*, std::string> cases[] = {
      {"uff modes", repeat("    -1\n    15\n", "1 1 1 1 1 1 1\n", size)},
      {"uff modes", repeat("    -1\n  2412\n", "1 1 1 1 1 1\n1\n", size)},
      {"uff modes", repeat("", "    -1\n    82\n1 1 1\nA\n1\n    -1\n", size)},
      {"uff text", repeat("", "    -1\n    58\n", size)},
      {"nastran", repeat("", "MPC,1\n", size)},
      {"nastran", repeat("", "MPC\n", size)},
      {"nastran", repeat("MPC,1\n", "+,1\n", size)},
      {"nastran", repeat("MPC,1\n", "+,,,,,,,,1\n", size)},
      {"calculix", repeat("", "1 1 1\n", size)},
      {"mbdyn", repeat("** RECORD GROUP 1, HEADER\n** RECORD GROUP 2, NODES\n", "1\n", size)},
      {"sid", repeat("part\nrefmod\n", "new node=1\n", size)},
      {"bus", repeat("[FX_CURVE]\n{x f}\n", "1 1\n", size)},
      {"bus", repeat("[A]\n", "A=1\n", size)},
      {"bus", repeat("", "[A]\n", size)},
      {"matrix market", repeat("%%MatrixMarket matrix coordinate pattern symmetric\n100000 100000 3\n", "9 1\n", size)},
      {"matrix market", "%%MatrixMarket matrix array complex general\n3 222222\n1 0\n"},
      {"dmig", "DMIG,K,0,9,2,0,,,200000\n"},
      {"op4 text", repeat("       1       1       2       1A       1P,3E24.16\n", "1 1 1\n1.\n", size)},
      {"dmig", repeat("DMIG,A,0,6,2,0\nDMIG,A,1,1,,1,1,1.\n", ",1,1,1.,,1,1,1.\n", size)},
  };
  for (const auto& [name, bytes] : cases)
    for (const Format& format : formats())
      if (std::string(format.name) == name) expect_orderly(format, bytes, bytes.substr(0, 60));
}

// Few bytes of XML that ask for millions of cells or gigabytes of text. They are refused long before the promised
// bound of 2 GiB is near: text beyond 16 MB and cells beyond 50000 need XML of some size.
TEST(Damage, WorkbooksThatRepeatCellsAreRefused) {
  const auto content = [](const std::string& tables) {
    return "<office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\"><office:body>"
           "<office:spreadsheet>" +
           tables + "</office:spreadsheet></office:body></office:document-content>";
  };
  const auto table = [](int rows, int columns, const std::string& text) {
    return "<table:table table:name=\"z\"><table:table-row table:number-rows-repeated=\"" + std::to_string(rows) +
           "\"><table:table-cell office:value-type=\"string\" table:number-columns-repeated=\"" +
           std::to_string(columns) + "\"><text:p>" + text +
           "</text:p></table:table-cell></table:table-row></table:table>";
  };
  std::string many_tables, far_rows, sheets;
  for (int i = 0; i < 50; ++i) many_tables += table(49'000, 1, "1");
  for (int i = 1; i <= 40; ++i)
    far_rows += "<row r=\"" + std::to_string(i) + "\"><c r=\"XFD" + std::to_string(i) + "\"><v>1</v></c></row>";
  for (int i = 0; i < 200; ++i) sheets += "<sheet name=\"s" + std::to_string(i) + "\" id=\"r1\"/>";
  const auto xlsx = [&](const std::string& cells) {
    const std::string book = "<workbook><sheets>" + sheets + "</sheets></workbook>";
    return test::archive(
        {{"xl/workbook.xml", book},
         {"xl/_rels/workbook.xml.rels",
          "<Relationships><Relationship Id=\"r1\" Type=\"/worksheet\" Target=\"s.xml\"/></Relationships>"},
         {"xl/s.xml", cells}});
  };
  const auto ods = [&](const std::string& tables) {
    const std::string xml = content(tables);
    return test::archive({{"content.xml", xml}});
  };
  const std::pair<const char*, std::string> bombs[] = {
      {"a text in a million rows", ods(table(1'000'000, 1, std::string(60'000, 'x')))},
      {"a long text in all columns", ods(table(1, 16'384, std::string(200'000, 'x')))},
      {"numbers in a million rows", ods(table(1'000'000, 4, "1"))},
      {"many sheets", ods(many_tables)},
      {"cells in the last column", xlsx("<worksheet><sheetData>" + far_rows + "</sheetData></worksheet>")},
      {"one sheet under many names",
       xlsx("<worksheet><sheetData><row><c r=\"XFD1\"><v>1</v></c></row></sheetData></worksheet>")},
      {"data without an end", xlsx("<worksheet><sheetData><row><c><v>1</v></c></row><sheetData>")}};
  for (const auto& [name, bytes] : bombs) {
    peak = live.load();
    const std::size_t before = live;
    EXPECT_THROW(read_spreadsheet(bytes, "bomb"), Error) << name;
    EXPECT_LT(peak - before, std::size_t{100} << 20) << name;  // text of 16 MB while its string grows, cells, XML
  }
  // What is repeated in a genuine sheet is read.
  EXPECT_EQ(read_spreadsheet(ods(table(2'000, 4, "1")), "good").front().cells(), 8'000u);
}

// A long recording on its way into a file is held once, .mat adds its times, and the file is the one that is made in
// memory. Room beyond that: pieces of less than 1 MB, and what the HDF5 library holds.
TEST(WrittenMemory, SignalsAreHeldOnce) {
#if !defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t samples = 200'000, channels = 2, room = std::size_t{4} << 20;
  const auto recording = [&] {
    Exchange out;
    out.signals.emplace();
    for (std::size_t c = 0; c < channels; ++c) {
      Signal signal;
      signal.name = "c" + std::to_string(c), signal.unit = "N", signal.step_s = 1.0 / 1024.0;
      signal.dof = parse_dof(signal.name);
      signal.values.resize(samples);
      for (std::size_t i = 0; i < samples; ++i) signal.values[i] = std::sin(1e-3 * static_cast<double>(i * (c + 1)));
      out.signals->signals.push_back(std::move(signal));
    }
    return out;
  };
  const std::size_t held = samples * channels * sizeof(double), times = samples * sizeof(double);
  struct Case {
    std::string path;
    ExchangeWriteOptions options;
    std::size_t more;
  };
  for (const Case& one :
       {Case{"w.uff", {true, false, ""}, 0}, Case{"t.uff", {false, false, ""}, 0}, Case{"w.csv", {}, 0},
        Case{"w.mat", {}, times}, Case{"w73.mat", {true, true, ""}, times}, Case{"w.h5", {}, 0}}) {
    std::vector<Finding> findings;
    const std::string expected = exchange_bytes(recording(), one.path, one.options, findings);
    const std::size_t before = live;
    Exchange given = recording();
    peak = live.load();
    write_exchange(std::move(given), one.path, one.options, findings);
    EXPECT_LE(peak - before, held + one.more + room) << one.path;
    if (one.path != "w73.mat") {  // 7.3: other addresses
      EXPECT_TRUE(read_text(one.path) == expected) << one.path;
    }
    const Exchange again = parse_exchange(read_text(one.path), one.path);
    ASSERT_TRUE(again.signals) << one.path;
    const double tolerance = one.path == "t.uff" ? 1e-12 : 0.0;  // 13 digits of text
    for (std::size_t i = 0; i < samples; i += 997)
      ASSERT_NEAR(again.signals->signals[1].values[i], std::sin(1e-3 * static_cast<double>(2 * i)), tolerance)
          << one.path;
    std::filesystem::remove(one.path);
  }
#endif
}

}  // namespace
}  // namespace kdyn::inline io
