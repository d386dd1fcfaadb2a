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

}  // namespace kdyn::inline io::internal
