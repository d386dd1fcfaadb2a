// SPDX-License-Identifier: Apache-2.0
// Small text helpers shared by error messages, readers and front ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline base {

std::string_view trim(std::string_view text);
std::string lower_case(std::string_view text);

// A whole text as a number (locale independent, also "1e5", "+3", "1.5D+02"); nothing else may stand around it but
// blanks. "nan" and "inf" are numbers here, so that readers can tell a gap from garbage; who needs a finite number
// checks.
std::optional<double> parse_number(std::string_view text);

// The candidate nearest to `word` in edit distance, when it is near enough to be what was meant.
std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean 'x'? known: a, b, c": the remedy for an unknown name.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Shortens and quotes text from a file so that it can stand in a message: control characters escaped, at most 40
// characters.
std::string in_quotes(std::string_view text);

}  // namespace kdyn::inline base
