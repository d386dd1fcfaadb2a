// SPDX-License-Identifier: Apache-2.0
// Writing as in file.hpp, to a temporary name, then renamed: for libraries that write files themselves, and for content
// that is made piece by piece.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kdyn::inline base {

// `write` makes the file of the name it is given, or throws; then nothing is left of it. Creates missing folders.
void write_by(const std::string& path, const std::function<void(const std::string& temporary)>& write);

// Takes the next bytes of what is written.
using ByteSink = std::function<void(std::string_view piece)>;
// `make` gives the content to the sink, piece by piece: no more than a piece is held here. What it throws leaves the
// old file or none.
void write_pieces(const std::string& path, const std::function<void(const ByteSink& sink)>& make);

}  // namespace kdyn::inline base
