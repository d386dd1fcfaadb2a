// SPDX-License-Identifier: Apache-2.0
// What a file holds, as a person would say it.
#pragma once

#include <string>

#include "kdyn/io/exchange.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/uff.hpp"

namespace kdyn::inline io::internal {

std::string words_of(const UffFile& file);
std::string words_of(const MatFile& file);
std::string words_of(const NastranDeck& deck);
void describe(Exchange& exchange);  // adds words for everything that is held

}  // namespace kdyn::inline io::internal
