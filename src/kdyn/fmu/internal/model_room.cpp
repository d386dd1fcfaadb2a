// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fmu/internal/runtime_files.hpp"
#include "kdyn/fmu/runtime/model_data.hpp"

namespace kdyn::inline fmu::internal {
namespace {

constexpr char mark[sizeof fmi::ModelData::mark] = "kdyn model data 1";

}  // namespace

std::string with_model(std::string_view binary, const std::vector<double>& image, const std::string& token,
                       const std::string& where) {
  if (image.size() > fmi::model_room)
    throw_bad_input(where,
                    fmt::format("the model has {} numbers, an FMU has room for {}", image.size(), fmi::model_room),
                    "thin out its curves and tables");
  demand(token.size() < fmi::token_room, "the token of an FMU fits into its room");
  std::string out(binary);
  const std::string_view wanted(mark, sizeof mark);
  const std::size_t at = out.find(wanted);
  demand(at != std::string::npos && out.find(wanted, at + 1) == std::string::npos &&
             at + sizeof(fmi::ModelData) <= out.size(),
         "a binary for FMUs has room for one model");
  const auto size = static_cast<double>(image.size());
  std::memcpy(out.data() + at + offsetof(fmi::ModelData, size), &size, sizeof size);
  std::memcpy(out.data() + at + offsetof(fmi::ModelData, token), token.c_str(), token.size() + 1);
  std::memcpy(out.data() + at + offsetof(fmi::ModelData, image), image.data(), image.size() * sizeof(double));
  return out;
}

std::string model_source(const std::vector<double>& image, const std::string& token) {
  std::string out = fmt::format(
      "// The model of this FMU as numbers; written by kdyn, see resources/model.json.\nconst ModelData model = "
      "{{\"{}\", {}, \"{}\", {{",
      mark, image.size(), token);
  for (std::size_t i = 0; i < image.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "\n    " : i % 8 == 0 ? ",\n    " : ", ", image[i]);
  return out + "}};\n";
}

}  // namespace kdyn::inline fmu::internal
