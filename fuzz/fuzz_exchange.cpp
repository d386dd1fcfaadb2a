// SPDX-License-Identifier: Apache-2.0
// Any bytes through the door every file takes: recognised by content, read, described. The first byte chooses the
// extension.
#include "guard.hpp"

#include <array>
#include <string>

#include "kdyn/io/exchange.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::string_view content) {
    if (content.empty()) return;
    static constexpr std::array<const char*, 6> names = {"f.csv", "f.sti", "f.dof", "f.uff", "f.bdf", "f.op4"};
    const auto name = names[static_cast<unsigned char>(content.front()) % names.size()];
    content.remove_prefix(1);
    if (content.starts_with("MATLAB 7.3") || content.find("\x89HDF") != std::string_view::npos) return;
    kdyn::parse_exchange(std::string(content), name);
  };
  return fuzz::check(data, size, read, std::size_t{512} << 20);  // packed data of MATLAB files and recordings
}
