// SPDX-License-Identifier: Apache-2.0
// The laws as source text: the headers of kdyn itself, joined into one C++17 file with the laws that a model needs.
#pragma once

#include <string>
#include <vector>

namespace kdyn::inline fmu {

// One header: its text without includes, the headers of kdyn it needs in front and at its end, and those of the
// standard library.
struct LawSource {
  std::string path, text;
  std::vector<std::string> before, after, outside;
};
const std::vector<LawSource>& law_sources();  // written by the build

// Everything that `root` includes, each header once, with only those laws in KDYN_LAWS that are named (class templates:
// "Elastomer"). All of it stands in namespace `name_space` instead of kdyn, so that two exported models can live in one
// program.
std::string joined_law_source(const std::string& root, const std::vector<std::string>& laws,
                              const std::string& name_space);

}  // namespace kdyn::inline fmu
