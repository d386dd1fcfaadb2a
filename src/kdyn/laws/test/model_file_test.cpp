// SPDX-License-Identifier: Apache-2.0
#include "kdyn/laws/model_file.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::inline laws {
namespace {

Error error_of(const std::string& text) {
  try {
    mount_from_json(parse_json(text, "m.json"), "m.json");
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, "accepted", "", "");
}

TEST(ModelFile, ReadsAModelAndAFitResult) {
  const std::string model = R"({"model":"elastomer","parameters":{"static_stiffness":1e5}})";
  EXPECT_EQ(mount_from_json(parse_json(model, "m.json"), "m.json")->static_force(1e-3), 100.0);
  const std::string fit = R"({"status":"converged","model":)" + model + "}";
  EXPECT_EQ(mount_from_json(parse_json(fit, "m.json"), "m.json")->model(), "elastomer");
}

TEST(ModelFile, NamesWhatIsWrong) {
  EXPECT_EQ(error_of("{}").where(), "m.json");
  EXPECT_EQ(error_of("[1]").where(), "m.json");
  EXPECT_EQ(error_of(R"({"model":3})").where(), "m.json.model");
  const Error unknown = error_of(R"({"model":"elastomr"})");
  EXPECT_EQ(unknown.where(), "m.json.model");
  EXPECT_NE(unknown.remedy().find("elastomer"), std::string::npos) << unknown.remedy();
  EXPECT_EQ(error_of(R"({"model":{"model":"elastomer","parameters":{"static_stiffness":-1}}})").where(),
            "m.json.model.parameters.static_stiffness");
  for (const char* text : {"{}", R"({"model":3})", R"({"model":"spring"})"}) {
    EXPECT_EQ(error_of(text).code(), ErrorCode::bad_input);
    EXPECT_FALSE(error_of(text).remedy().empty());
  }
}

TEST(ModelFile, NamesAFileThatIsNone) {
  try {
    read_mount("no/such/model.json");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::file_access);
    EXPECT_NE(std::string(error.what()).find("no/such/model.json"), std::string::npos);
  }
  const std::string path = testing::TempDir() + "kdyn_broken_model.json";
  write_text(path, "{\"model\": ");
  try {
    read_mount(path);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.where().rfind(path, 0), 0u) << error.where();
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kdyn::inline laws
