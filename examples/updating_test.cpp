// SPDX-License-Identifier: Apache-2.0
// Updating of a ring on four bushings: a Nastran deck with guessed bushings, and the responses of parts that differ
// from it and from each other.
//
// It writes the deck, the responses of every part with 1 % noise (universal files), and job.json. kdyn update then
// finds the 24 stiffnesses of each part, says which of them the test can determine, and separates the spread between
// the parts from the noise.
//
// Sample runs:
//   updating_test --out out/updating --parts 2
//   kdyn update out/updating/job.json --starts 1 --out out/updated
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/nastran_write.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/update/full_model.hpp"
#include "kdyn/update/virtual_responses.hpp"

namespace {

using namespace kdyn;

// Stiffnesses of a part over those of the deck: what such a subframe was found to have, with 5 % scatter from part to
// part.
Eigen::VectorXd as_built(const update::FullModel& model, int part) {
  const auto found = fe::box_ring_found_stiffness();
  RandomStream random(17, static_cast<std::uint64_t>(part));
  Eigen::VectorXd out(24);
  for (std::size_t s = 0; s < 24; ++s)
    out[static_cast<Eigen::Index>(s)] =
        found[s / 6][s % 6] / model.parameters[s].nominal * (1.0 + 0.05 * random.normal());
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path folder = "out/updating";
  int parts = 3;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--out") == 0) folder = argv[i + 1];
    if (std::strcmp(argv[i], "--parts") == 0) parts = std::atoi(argv[i + 1]);
  }
  try {
    fe::BoxRingOptions ring_options;
    ring_options.cells = 2;
    const fe::BoxRing ring = fe::make_box_ring(ring_options);
    write_text((folder / "box_ring.bdf").string(),
               fe::nastran_text(ring.model, {.modes = 40, .comments = {"Ring of box beams on four bushings"}}));
    std::vector<update::ParameterSetting> settings;
    for (const fe::Parameter& p : fe::box_ring_parameters(ring)) {
      update::ParameterSetting setting;
      setting.name = p.name, setting.what = p;
      settings.push_back(std::move(setting));
    }
    const update::FullModel model = update::full_model(ring.model, settings);
    Json job = {
        {"title", "Ring on four bushings"},
        {"model", {"box_ring.bdf"}},
        {"parts", Json::array()},
        {"parameters", {{{"kind", "bushing"}, {"name", "k"}, {"labels", Json::array()}}}},
        {"groups",
         {{"rotational", {{"lower", -0.6}, {"upper", 1.5}}}, {"translational", {{"lower", -0.6}, {"upper", 1.5}}}}},
        {"band_hz", {30, 265}},
        {"phases", {"rotational", "all"}},
        {"starts", 3}};
    for (const fe::Spring& spring : ring.model.springs) job["parameters"][0]["labels"].push_back(spring.label);
    for (const std::size_t y : {9, 10, 11, 18, 19, 20, 33, 34, 35}) job["validation"].push_back(label(ring.outputs[y]));
    for (int part = 0; part < parts; ++part) {
      const Eigen::VectorXd ratio = as_built(model, part);
      fe::ModesOptions options;
      options.count = 150, options.shift_hz = 100.0;
      const fe::Modes modes =
          fe::find_modes(model.matrices.stiffness_at(ratio), model.matrices.mass_at(ratio), model.group_of, options);
      RandomStream random(99);
      Eigen::VectorXd damping(modes.frequency_hz.size());
      for (double& xi : damping) xi = random.uniform(0.004, 0.012);
      Exchange file;
      file.response = update::virtual_responses(
          update::modes_at(modes, model.rows(ring.outputs, "outputs"), model.rows(ring.inputs, "inputs")), damping,
          Eigen::VectorXd::LinSpaced(600, 30.0, 270.0), ring.outputs, ring.inputs, 0.01,
          static_cast<std::uint64_t>(part + 1));
      std::vector<Finding> lost;
      const std::string name = fmt::format("part_{}.uff", part + 1);
      write_text((folder / name).string(), exchange_bytes(file, name, {}, lost));
      job["parts"].push_back({{"name", fmt::format("S{}", part + 1)}, {"data", {name}}});
      fmt::print("wrote {}\n", name);
    }
    write_text((folder / "job.json").string(), dump_json(job));
    fmt::print("wrote box_ring.bdf and job.json\n");
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
