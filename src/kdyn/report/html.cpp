// SPDX-License-Identifier: Apache-2.0
#include "kdyn/report/html.hpp"

#include <span>
#include <string_view>

#include <fmt/format.h>

#include "kdyn/base/file.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/report/internal/assets.hpp"
#include "kdyn/report/internal/page.hpp"

namespace kdyn::report {
namespace {

// Dumping with replacement is the one place that repairs UTF-8: text for the page itself takes the same way and comes
// back.
std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string escape_html(const std::string& text) {
  const std::string valid = Json::parse(dump(Json(text))).get<std::string>();
  std::string out;
  for (const char c : valid) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        // A document must not contain control characters; no title needs them.
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

// JSON inside a script element: '<' could end the element or start a comment; U+2028 and U+2029 end lines in old
// scripts.
std::string dump_for_script(const Json& value) {
  const std::string text = dump(value);
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i, 3);
    if (text[i] == '<') {
      out += "\\u003c";
    } else if (rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9") {
      out += rest.back() == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

void append(std::span<const std::string_view> chunks, std::string& out) {
  for (const std::string_view chunk : chunks) out += chunk;
}

}  // namespace

std::string to_json_text(const Document& document) { return dump(to_json(document)) + "\n"; }

std::string internal::page_of(const Json& document) {
  const auto text = [&](const char* key) {
    return document.is_object() && document.contains(key) && document[key].is_string()
               ? escape_html(document[key].get<std::string>())
               : std::string();
  };
  const std::string title = text("title"), subtitle = text("subtitle");
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // Only the one script below runs. Styles must be inline because plots carry their own; images are those of the PNG
  // download.
  out += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{}'; style-src "
      "'unsafe-inline'; "
      "img-src data: blob:; base-uri 'none'; form-action 'none'\">\n",
      internal::script_sha256_base64());
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
      "content=\"light dark\">\n";
  out += fmt::format("<meta name=\"generator\" content=\"kdyn {}\">\n<title>{}</title>\n<style>",
                     escape_html(version()), title);
  append(internal::style_chunks(), out);
  out += fmt::format(
      "</style>\n</head>\n<body>\n<div id=\"report\">\n<header class=\"masthead\"><p "
      "class=\"brand\">kdyn</p><h1>{}</h1><p "
      "class=\"subtitle\">{}</p></header>\n"
      "<noscript><p class=\"notice\">This report draws its plots and tables with JavaScript, which is switched off in "
      "this browser. "
      "Allow scripts for this file to see them; nothing is loaded from the network.</p></noscript>\n</div>\n",
      title, subtitle);
  out += "<script type=\"application/json\" id=\"document\">" + dump_for_script(document) + "</script>\n<script>";
  append(internal::script_chunks(), out);
  out += "</script>\n</body>\n</html>\n";
  return out;
}

std::string to_html(const Document& document) { return internal::page_of(to_json(document)); }

void write_html(const Document& document, const std::string& path) { write_text(path, to_html(document)); }

}  // namespace kdyn::report
