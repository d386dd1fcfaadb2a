// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/batch_job.hpp"

#include "kdyn/base/error.hpp"

namespace kdyn::app {
namespace {

Json options_of(const BatchJob& job, const BatchGroup& group) {
  Json options = job.options;
  options["data"] = group.files;
  options["title"] = group.name;
  if (!group.part.empty()) options["part"] = group.part;
  if (!group.direction.empty()) options["direction"] = group.direction;
  options.erase("tolerances");
  return options;
}

bool holds_no_table(const Error& error) { return error.message().starts_with("no table found"); }

// Files of the group that hold something; what holds no table is told. What else is wrong with a file its fit says.
std::vector<std::string> measured_files(const BatchGroup& group, const ReadHints& read, std::vector<Finding>& told) {
  std::vector<std::string> out;
  for (const std::string& path : group.files) try {
      read_measurements({path}, read);
      out.push_back(path);
    } catch (const Error& error) {
      if (holds_no_table(error))
        told.push_back({Severity::note, "not_used", path, "it holds no table and was not used", ""});
      else
        out.push_back(path);
    }
  return out;
}

}  // namespace

namespace {

Outcome run_groups(const BatchJob& job, const std::vector<BatchGroup>& groups, BatchWork work,
                   std::vector<Finding> told, Progress& progress) {
  // Every part is a run of its own, with its own provenance.
  const Operation& operation = *find_operation(job.operation);
  work.fit = [&](const BatchGroup& group, Progress& inner) {
    return run_operation(operation, options_of(job, group), inner);
  };
  work.is_done = [&](const BatchGroup& group, const Json& earlier) {
    return is_same_run(earlier, job.operation, options_of(job, group));
  };
  std::vector<PartSummary> parts = run_batch(groups, work, told, progress);
  Population population = describe_population(std::move(parts), job.tolerances);
  Json used = job.options;
  used["data"] = job.data;
  return population_outcome(job.title, std::move(population), std::move(told), used);
}

// Groups whose files hold several objects are split, files that are no measurements are told.
std::vector<BatchGroup> split_group(const BatchJob& job, BatchGroup group, std::vector<Finding>& told) {
  try {
    Contents contents = read_measurements(group.files, job.read);
    choose_object(contents, job.read);
    if (objects_of(contents).size() > 1) return groups_of_objects(contents, group.name + "/");
  } catch (const Error& error) {
    if (holds_no_table(error)) group.files = measured_files(group, job.read, told);
    if (group.files.empty()) return {};
  }
  return {std::move(group)};
}

}  // namespace

Outcome fit_groups(const BatchJob& job, const std::vector<BatchGroup>& groups, std::vector<Finding> told,
                   Progress& progress) {
  return run_groups(job, groups, {}, std::move(told), progress);
}

Outcome fit_folder(const BatchJob& job, Progress& progress) {
  BatchWork work;
  work.split = [&](const BatchGroup& group, std::vector<Finding>& told) { return split_group(job, group, told); };
  return run_groups(job, batch_groups(job.data), std::move(work), {}, progress);
}

}  // namespace kdyn::app
