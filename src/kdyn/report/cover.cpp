// SPDX-License-Identifier: Apache-2.0
#include "kdyn/report/cover.hpp"

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/report/internal/page.hpp"

namespace kdyn::report {
namespace {

constexpr std::size_t largest_logo = std::size_t{2} << 20;

// RFC 4648, with padding.
std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

// By content: a name can be anything.
std::string type_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "image/webp";
  const std::string_view head = bytes.substr(0, 1000);
  if (head.find("<svg") != std::string_view::npos) return "image/svg+xml";
  return "";
}

std::string picture(const std::string& path) {
  if (path.empty()) return "";
  const std::string bytes = read_text(path, largest_logo);
  const std::string type = type_of(bytes);
  if (type.empty())
    throw_bad_input(path, "the logo is no picture that browsers show", "give a PNG, JPEG, WebP or SVG file");
  return fmt::format("data:{};base64,{}", type, base64(bytes));
}

}  // namespace

const FieldTable& fields_of(const Cover*) {
  static const FieldTable table = FieldTable::of<Cover>("cover", [](FieldTable& t) {
    t.add(&Cover::part, "part", "-", "Part that was measured or modelled: name or number");
    t.add(&Cover::customer, "customer", "-", "Whom the report is for");
    t.add(&Cover::bench, "bench", "-", "Test bench or vehicle");
    t.add(&Cover::operator_name, "operator", "-", "Who measured or computed");
    t.add(&Cover::note, "note", "-", "One line more, such as the order");
    t.add(&Cover::logo, "logo", "-", "Picture of at most 2 MB: PNG, JPEG, WebP or SVG").reads();
  });
  return table;
}

Cover read_cover(const std::string& path) {
  Cover cover;
  from_json_fields(cover, read_json(path), path);
  if (!cover.logo.empty())
    cover.logo = (std::filesystem::path(path).parent_path() / cover.logo).string();  // an absolute one stays as it is
  picture(cover.logo);  // what is wrong with it is told now
  return cover;
}

std::string html_with_cover(Json document, const Cover& cover) {
  Json shown = Json::object();
  to_json_fields(cover, shown);
  shown["logo"] = picture(cover.logo);
  for (auto entry = shown.begin(); entry != shown.end();)
    entry = trim(entry->get<std::string>()).empty() ? shown.erase(entry) : std::next(entry);
  document.erase("cover");
  if (!shown.empty()) document["cover"] = std::move(shown);
  return internal::page_of(document);
}

void put_cover(const std::string& folder, const Cover& cover) {
  const auto file = [&](const char* name) { return (std::filesystem::path(folder) / name).string(); };
  if (!std::filesystem::exists(file("document.json")))
    throw Error(ErrorCode::file_access, "there is no report to put a cover on", file("document.json"),
                "run the operation with its report");
  write_text(file("report.html"), html_with_cover(read_json(file("document.json")), cover));
}

}  // namespace kdyn::report
