// SPDX-License-Identifier: Apache-2.0
// Oracle: the JSON is cut out of the page as a browser does (up to the first "</script") and parsed back.
#include "kdyn/report/html.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <regex>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string embedded_json(const std::string& html) {
  const std::string start = "id=\"document\">";
  const std::size_t begin = html.find(start) + start.size();
  return html.substr(begin, html.find("</script", begin) - begin);
}

Json embedded_document(const Document& document) { return parse_json(embedded_json(to_html(document)), "report"); }

Document with(Block block) {
  Document d{.title = "t"};
  d.sections.push_back({"s", "", {std::move(block)}});
  return d;
}

Json only_block(const Json& document) { return document["sections"][0]["blocks"][0]; }

TEST(Html, CarriesTheDocument) {
  Document d{.title = "Mount", .subtitle = "axial", .created = "2026-03-14"};
  d.key_figures.push_back({"Misfit", 1.5, "%", Quality::fair, "limit 3 %"});
  d.section("Results", "lead")
      .add(Text{"words"})
      .add(Table{.columns = {{"a"}, {"b"}, {"c"}}, .rows = {{{1, "x", Value()}, Quality::poor}}});
  d.provenance = {{"Program", "kdyn"}};
  const Json json = embedded_document(d);
  EXPECT_EQ(json, to_json(d));
  EXPECT_EQ(json["key_figures"][0]["value"], 1.5);
  EXPECT_EQ(json["key_figures"][0]["quality"], "fair");
  EXPECT_EQ(json["sections"][0]["blocks"][1]["rows"][0]["cells"], Json::parse(R"([1.0, "x", null])"));
  EXPECT_EQ(json["provenance"][0]["name"], "Program");
}

TEST(Html, TextCannotLeaveTheScriptElement) {
  const std::string attack =
      "</script><script>alert(1)</script><!-- <script> ]]> \xE2\x80\xA8 \xE2\x80\xA9 \" ' & \\ \x01";
  const Document d = with({Findings{{{Severity::serious, attack, attack, attack, attack}}}});
  const std::string raw = embedded_json(to_html(d));
  EXPECT_EQ(raw.find('<'), std::string::npos);
  EXPECT_EQ(raw.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(raw.find("\xE2\x80\xA9"), std::string::npos);
  EXPECT_EQ(only_block(parse_json(raw, "report"))["findings"][0]["message"], attack);
}

TEST(Html, EscapesTitleAndSubtitle) {
  const std::string html = to_html({.title = "<b>\"A\" & 'B'</b>\n</title>", .subtitle = "<img src=x>"});
  EXPECT_NE(html.find("<title>&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt; &lt;/title&gt;</title>"),
            std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
}

TEST(Html, ReplacesInvalidUtf8) {
  const std::string replacement = "\xEF\xBF\xBD";
  const Document d{.title =
                       "a\xFF"
                       "b",
                   .subtitle = "\xC3",
                   .provenance = {{"\xED\xA0\x80", "file_\xB5m.csv"}}};
  EXPECT_NE(to_html(d).find("<title>a" + replacement + "b</title>"), std::string::npos);
  EXPECT_EQ(embedded_document(d)["provenance"][0]["value"], "file_" + replacement + "m.csv");
}

TEST(Html, NonFiniteNumbersBecomeNull) {
  const Json plot =
      only_block(embedded_document(with({Plot{.series = {{.x = {1, 2, infinity, 4}, .y = {nan, 2, 3, -infinity}}}}})));
  EXPECT_EQ(plot["series"][0]["x"].dump(), "[1.0,2.0,null,4.0]");
  EXPECT_EQ(plot["series"][0]["y"].dump(), "[null,2.0,3.0,null]");
  const Json table = only_block(embedded_document(with({Table{.columns = {{"a"}}, .rows = {{{nan}}, {{infinity}}}}})));
  EXPECT_TRUE(table["rows"][0]["cells"][0].is_null());
  EXPECT_TRUE(table["rows"][1]["cells"][0].is_null());
}

TEST(Html, RoundsSeriesToEightDigits) {
  const std::vector<double> y{1.0 / 3.0, -2.0e-17 / 3.0, 123456789.123, 5e-324, 1.7e308};
  const Json plot = only_block(embedded_document(with({Plot{.series = {{.x = {0, 1, 2, 3, 4}, .y = y}}}})));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double written = plot["series"][0]["y"][i];
    // Half a unit of the eighth digit; the smallest double has no digits to lose.
    EXPECT_LE(std::abs(written - y[i]), 5e-8 * std::abs(y[i])) << i;
  }
  EXPECT_EQ(plot["series"][0]["y"][0].dump(), "0.33333333");
}

TEST(Html, ThinsLongSeriesAndSaysSo) {
  Series series;
  for (int i = 0; i < 30000; ++i)
    series.x.push_back(i), series.y.push_back(i == 12345 ? 7.0 : 0.0), series.hover.push_back(std::to_string(i));
  const Json out = only_block(embedded_document(with({Plot{.series = {series}}})))["series"][0];
  EXPECT_EQ(out["total_points"], 30000);
  EXPECT_LE(out["x"].size(), max_points_per_series);
  EXPECT_EQ(out["hover"].size(), out["x"].size());
  bool found = false;
  for (std::size_t i = 0; i < out["x"].size(); ++i) {
    EXPECT_EQ(out["hover"][i], std::to_string(out["x"][i].get<int>()));
    found = found || (out["x"][i] == 12345 && out["y"][i] == 7.0);
  }
  EXPECT_TRUE(found);
}

TEST(Html, SeriesWithoutGroupTakeTheirPosition) {
  const Json series = only_block(
      embedded_document(with({Plot{.series = {{.name = "a"}, {.name = "b"}, {.name = "c", .group = 0}}}})))["series"];
  EXPECT_EQ(series[0]["group"], 0);
  EXPECT_EQ(series[1]["group"], 1);
  EXPECT_EQ(series[2]["group"], 0);
}

TEST(Html, BlocksMayNest) {
  const Json details =
      only_block(embedded_document(with({Details("more", "{}", {Block{Text{"inside"}}, Block{Details("deeper")}})})));
  EXPECT_EQ(details["preformatted"], "{}");
  EXPECT_EQ(details["blocks"][0]["text"], "inside");
  EXPECT_EQ(details["blocks"][1]["title"], "deeper");
}

TEST(Html, PartsMustFitTogether) {
  const std::vector<Block> wrong = {
      {Plot{.series = {{.x = {1, 2}, .y = {1}}}}},
      {Plot{.series = {{.x = {1}, .y = {1}, .hover = {"a", "b"}}}}},
      {Plot{.series = {{.x = {1}, .y = {1}, .lower = {0}}}}},
      {Plot{.series = {{.x = {1}, .y = {1}, .group = 2}}, .groups = {"a", "b"}}},
      {Table{.columns = {{"a"}}, .rows = {{{1, 2}}}}},
      {Heatmap{.row_names = {"a"}, .column_names = {"a", "b"}, .values = {{1}}}},
  };
  for (const Block& block : wrong) EXPECT_THROW(to_html(with(block)), Error);
}

TEST(Html, RefersToNothingOutside) {
  const std::string html = to_html(with({Plot{.series = {{.x = {1}, .y = {1}}}}}));
  const std::regex attribute(R"((src|href|action|data|srcset)\s*=\s*["']?\s*(https?:|//|file:))", std::regex::icase);
  EXPECT_FALSE(std::regex_search(html, attribute));
  for (const char* word :
       {"<link", "<iframe", "<img", "<base", "@import", "url(http", "url(//", "new WebSocket", "importScripts"})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  EXPECT_NE(html.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(html.find("connect-src"), std::string::npos);
  // The only addresses in the code are names of XML vocabularies, which nobody fetches; licence notices may name their
  // source.
  const std::size_t notice = html.find("/*!");
  const std::string code = html.substr(0, notice) + html.substr(html.find("*/", notice));
  const std::regex address(R"(https?://[^\s"'`)]+)");
  for (auto it = std::sregex_iterator(code.begin(), code.end(), address); it != std::sregex_iterator(); ++it)
    EXPECT_EQ(it->str().rfind("http://www.w3.org/", 0), 0U) << it->str();
}

TEST(Html, PolicyNamesTheScriptThatIsInside) {
  const std::string html = to_html({.title = "t"});
  const std::size_t begin = html.rfind("<script>") + 8;
  const std::string hex = sha256(std::string_view(html).substr(begin, html.rfind("</script>") - begin));
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  unsigned bits = 0, held = 0;
  for (const char c : bytes) {
    held = (held << 8) | static_cast<unsigned char>(c), bits += 8;
    while (bits >= 6) bits -= 6, base64 += alphabet[(held >> bits) & 63];
  }
  if (bits > 0) base64 += alphabet[(held << (6 - bits)) & 63];
  while (base64.size() % 4 != 0) base64 += '=';
  EXPECT_NE(html.find("'sha256-" + base64 + "'"), std::string::npos);
}

TEST(Html, EqualDocumentsGiveEqualFiles) {
  const Document d = with({Text{"words"}});
  const auto folder = std::filesystem::temp_directory_path() / "kdyn_report_html_test";
  const std::string path = (folder / "new" / "report.html").string();
  write_html(d, path);
  EXPECT_EQ(read_text(path), to_html(d));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kdyn::report
