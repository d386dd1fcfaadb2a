// SPDX-License-Identifier: Apache-2.0
// The pages of the web application and the example it brings along, embedded at build time (web/tools/bundle.mjs writes
// the definitions).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kdyn::server {

struct Asset {
  std::string_view path;  // "app.js", "example/cab_mount/z_map.csv"
  std::string_view type;
  bool gzipped;
  std::span<const std::string_view> chunks;  // compilers limit the length of a literal

  std::string content() const {
    std::string all;
    for (const std::string_view chunk : chunks) all += chunk;
    return all;
  }
};

std::span<const Asset> assets();

}  // namespace kdyn::server
