// SPDX-License-Identifier: Apache-2.0
// Script and style of the report, embedded at build time from web/report (web/tools/bundle.mjs writes the definitions).
#pragma once

#include <span>
#include <string_view>

namespace kdyn::report::internal {

// Compilers limit the length of a literal: the text is the concatenation of the chunks.
std::span<const std::string_view> script_chunks();
std::span<const std::string_view> style_chunks();

// SHA-256 of the script in base64, for the content security policy.
std::string_view script_sha256_base64();

}  // namespace kdyn::report::internal
