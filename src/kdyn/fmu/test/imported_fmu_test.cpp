// SPDX-License-Identifier: Apache-2.0
// FMUs as force elements inside a multibody model. Oracle: the law that the FMU was made from, in the same model.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/fmu/fmu.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/mbs/fmu_law.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run.hpp"
#include "kdyn/mbs/run_snapshot.hpp"

namespace kdyn::inline fmu {
namespace {

using mbs::RunStatus;

class ImportedFmu : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "kdyn_imported_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const Json& law, int version = 2) {
    write_text((folder_ / name).string(), make_fmu(law, "element", {.version = version}).archive);
  }
  // A body of 50 kg on one element, pushed by two sines from rest at its static equilibrium.
  static Json model(const Json& law) {
    return {{"gravity", {0, 0, -9.81}},
            {"run", {{"step_s", 2.5e-4}, {"duration_s", 0.4}, {"static_start", true}, {"tolerance", 1e-13}}},
            {"bodies", {{{"name", "block"}, {"mass", 50.0}, {"inertia", {1, 1, 1}}}}},
            {"joints",
             {{{"name", "rail"}, {"kind", "translational"}, {"markers", {{{"body", "ground"}}, {{"body", "block"}}}}}}},
            {"bushings",
             {{{"name", "m"}, {"markers", {{{"body", "ground"}}, {{"body", "block"}}}}, {"laws", {{"fz", law}}}}}},
            {"loads",
             {{{"name", "push"},
               {"marker", {{"body", "block"}}},
               {"force", {0, 0, "150*sin(2*pi*7*t) + 60*sin(2*pi*23*t)"}}}}}};
  }
  mbs::ModelFile read(const Json& law, bool allowed = true) const {
    const mbs::RunsForeignCode consent(allowed);
    return mbs::model_from_json(model(law), "model", folder_.string());
  }
  static std::vector<double> path(const mbs::ModelFile& file) {
    std::vector<double> out;
    const mbs::RunResult run = mbs::simulate(
        mbs::System(file.model), file.run,
        [&](const mbs::RunState& s, const mbs::Evaluation&) { out.push_back(s.q[2]); }, silent_progress());
    EXPECT_EQ(run.status, RunStatus::done) << run.reason;
    return out;
  }
  static double apart(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double worst = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      worst = std::max(worst, std::abs(a[i] - b[i])), largest = std::max(largest, std::abs(a[i] - a[0]));
    return worst / largest;
  }
  std::string refusal(const Json& law, bool allowed = true) const {
    try {
      read(law, allowed);
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
      return std::string(error.what());
    }
    return "";
  }

  std::filesystem::path folder_;
};

const Json element = {{"model", "fmu"}, {"file", "element.fmu"}};

// Laws with states, friction and valves: both run the same scheme on the same equations, turning points inside steps
// included; what is left is the fourth order of the step, in which states are cubic there. Left out: a hydro mount that switches itself at given times, which an FMU learns of at the end of a step.
TEST_F(ImportedFmu, RunsAsTheLawItWasMadeFrom) {
  double worst = 0.0;
  for (const auto& [name, law] : test::sample_models()) {
    if (name == "hydromount_switched") continue;
    write("element.fmu", law);
    const double difference = apart(path(read(law)), path(read(element)));
    EXPECT_LT(difference, 1e-9) << name;
    worst = std::max(worst, difference);
  }
  std::printf("[ figure ] FMU against law, worst of all %.1e\n", worst);
}

TEST_F(ImportedFmu, ModesAreThoseOfTheLaw) {
  const Json law = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 3e5}, {"damping", 900.0}}}};
  write("element.fmu", law);
  const auto found = [](const mbs::ModelFile& file) {
    return mbs::modes(mbs::linearise(mbs::System(file.model), true, {}, {}));
  };
  const auto native = found(read(law)), imported = found(read(element));
  ASSERT_EQ(native.size(), 1u);
  ASSERT_EQ(imported.size(), 1u);
  EXPECT_LT(std::abs(native[0].eigenvalue - imported[0].eigenvalue), 1e-9 * std::abs(native[0].eigenvalue));
}

TEST_F(ImportedFmu, TakesParameters) {
  write("element.fmu", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1e5}, {"damping", 10.0}}}});
  const Json law = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 3e5}, {"damping", 900.0}}}};
  Json with = element;
  with["parameters"] = {{"stiffness", 3e5}, {"damping", 900.0}};
  EXPECT_LT(apart(path(read(law)), path(read(with))), 1e-9);
  with["parameters"] = {{"stifness", 3e5}};
  EXPECT_NE(refusal(with).find("no real variable 'stifness'"), std::string::npos);
  with["parameters"] = {{"stiffness", -3e5}};
  EXPECT_NE(refusal(with), "");
}

// A run that is restored from its own snapshot goes on with the same bits.
TEST_F(ImportedFmu, GoesOnFromASnapshot) {
  write("element.fmu", test::elastomer());
  const mbs::ModelFile file = read(element);
  const mbs::System system(file.model);
  mbs::Run run(system, file.run);
  ASSERT_EQ(run.start().status, RunStatus::done);
  std::string reason;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(run.step(reason)) << reason;
  const mbs::RunSnapshot snapshot = run.snapshot();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(run.step(reason)) << reason;
  mbs::Run again(system, file.run);
  again.restore(snapshot, "snapshot");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(again.step(reason)) << reason;
  EXPECT_EQ((run.state().q - again.state().q).cwiseAbs().maxCoeff(), 0.0);
}

TEST_F(ImportedFmu, SaysWhatIsWrong) {
  const Json law = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 3e5}, {"damping", 900.0}}}};
  write("element.fmu", law);
  // A program never runs because a model file names it.
  EXPECT_NE(refusal(element, false).find("is a program"), std::string::npos);
  const auto with = [](const char* key, const Json& value) {
    Json out = element;
    out[key] = value;
    return out;
  };
  EXPECT_NE(refusal(with("force", "displacement")).find("no output"), std::string::npos);
  EXPECT_NE(refusal(with("displacement", "velocity")).find("in m/s, not in m"), std::string::npos);
  EXPECT_NE(refusal(with("displacements", "x")).find("unknown field"), std::string::npos);
  EXPECT_NE(refusal(with("file", "none.fmu")), "");
  write("three.fmu", law, 3);
  EXPECT_NE(refusal(with("file", "three.fmu")).find("FMI 3"), std::string::npos);
  write_text((folder_ / "text.fmu").string(), "no archive");
  EXPECT_NE(refusal(with("file", "text.fmu")).find("damaged"), std::string::npos);
  EXPECT_THROW(read(element).model.connections[0].laws[2]->set_parameter(0, 1.0), Error);
}

}  // namespace
}  // namespace kdyn::inline fmu
