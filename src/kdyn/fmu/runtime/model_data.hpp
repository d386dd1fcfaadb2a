// SPDX-License-Identifier: Apache-2.0
// Where the model stands in the binary of an FMU. The binary is compiled once, when kdyn is built, with the room below
// left open; the exporter looks for the mark in its bytes and writes token and image there. So an FMU reads no file
// when it runs, and nobody needs a compiler. In the sources of an FMU the same struct is filled by model.inc.
#pragma once

#include <cstddef>

namespace kdyn::fmi {

inline constexpr std::size_t model_room = 32768;  // numbers of an image: 256 KiB
inline constexpr std::size_t token_room = 64;

struct ModelData {
  char mark[24];           // "kdyn model data 1", filled up with zeros; stands nowhere else in the binary
  double size;             // numbers in use; 0: no model
  char token[token_room];  // identification of the FMU, closed by a zero
  double image[model_room];
};

}  // namespace kdyn::fmi
