// SPDX-License-Identifier: Apache-2.0
// Recordings as exchange files, and files that are named but not read.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/io/exchange.hpp"

namespace kdyn::inline io::internal {

void take_recording(std::shared_ptr<const ByteSource> bytes, Exchange& out);
// From the disk; errors of content become a serious finding.
Exchange read_recording(const std::string& path);

// Results of Nastran: named, not read.
bool looks_like_op2(std::string_view content);
void refuse_op2(Exchange& out);

}  // namespace kdyn::inline io::internal
