// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/model_picture.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_picture.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::app {

std::optional<report::Animation> model_picture(const std::string& path, std::vector<Finding>& findings) {
  try {
    const mbs::ModelFile file =
        mbs::model_from_json(read_json(path), path, std::filesystem::path(path).parent_path().string());
    const mbs::System system(file.model);
    report::Animation out = Picture(system, 1).shapes(system.initial_position(), {}, {});
    out.title = "Model";
    const auto counted = [](std::size_t count, const char* one, const char* many) {
      return fmt::format("{} {}", count, count == 1 ? one : many);
    };
    out.caption = fmt::format("{}, {}. Drag to turn, Ctrl and wheel to zoom.",
                              counted(file.model.bodies.size(), "body", "bodies"),
                              counted(file.model.connections.size(), "bushing or spring", "bushings and springs"));
    return out;
  } catch (const Error& error) {
    findings.push_back({Severity::warning, "incomplete_model", error.where(), error.message(),
                        error.remedy().empty() ? "give the files that the model names beside it" : error.remedy()});
    return std::nullopt;
  }
}

}  // namespace kdyn::app
