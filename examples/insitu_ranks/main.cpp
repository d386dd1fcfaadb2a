// SPDX-License-Identifier: Apache-2.0
// kdyn insitu with many starts over the ranks of an MPI run: every rank searches from its share of the starts, the first one writes the result.
// The result does not depend on the number of ranks.
//
// Sample runs:
//   kdyn simulate examples/multibody/double_mass.json --out out/double_mass
//   mpirun -n 4 insitu_ranks examples/multibody/double_mass_insitu.json --data out/double_mass/series.csv --starts 16 --out out/starts
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "kdyn/app/multibody_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/mpi/ranks.hpp"

int main(int argc, char** argv) {
  kdyn::mpi::Ranks ranks(argc, argv);
  try {
    kdyn::app::InsituJob job;
    job.fit.starts = 8;
    std::string out = "out/insitu_ranks";
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.starts_with("--") && i + 1 >= argc) kdyn::throw_bad_input(word, "the value is missing", "write it after the flag");
      if (word == "--starts")
        job.fit.starts = std::atoi(argv[++i]);
      else if (word == "--out")
        out = argv[++i];
      else if (word == "--data")
        job.data = {argv[++i]};
      else if (!word.starts_with("--"))
        job.job = word;
      else
        kdyn::throw_bad_input(word, "unknown flag", "--data, --starts and --out are known");
    }
    if (job.job.empty()) kdyn::throw_bad_input("job", "no job file is given", "name a job file of kdyn insitu");
    const kdyn::app::Outcome outcome = kdyn::app::insitu_job_over(
        job, kdyn::silent_progress(), [&](int count, const std::function<std::vector<double>(int)>& task) { return ranks.run(count, 1, task); });
    if (!ranks.first()) return 0;
    fmt::print("{} ranks\n{}", ranks.size(), outcome.text);
    for (const std::string& path : kdyn::app::write_outcome(outcome, out, true)) fmt::print("wrote {}\n", path);
    return outcome.complete ? 0 : 3;
  } catch (const kdyn::Error& error) {
    if (ranks.first()) fmt::print(stderr, "insitu_ranks: {}: {}\n  remedy: {}\n", error.where(), error.message(), error.remedy());
    return 2;
  }
}
