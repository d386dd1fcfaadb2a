// SPDX-License-Identifier: Apache-2.0
// The calibrated model as the deck it came from.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "kdyn/app/structure/update_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {

std::string file_name_of(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '_';
  return out;
}

std::vector<UpdatedDeckOfPart> updated_decks(const UpdateJob& job, const update::FullModel& model,
                                             const update::UpdateResult& result, const std::string& folder,
                                             std::vector<Finding>& findings) {
  std::vector<UpdatedDeckOfPart> out;
  if (!job.write_deck || !model.map || job.model.empty()) return out;
  std::vector<fe::Parameter> parameters;
  for (const update::ParameterSetting& p : model.parameters) parameters.push_back(p.what);
  for (const update::PartResult& part : result.parts) {
    if (part.optimum.ratio.size() == 0) continue;
    try {
      UpdatedDeckOfPart one;
      one.part = part.name;
      one.folder = result.parts.size() > 1 ? folder + "/" + file_name_of(part.name) : folder;
      one.deck = fe::updated_deck(job.model.front(), {job.length_m, job.mass_kg}, parameters, part.optimum.ratio);
      out.push_back(std::move(one));
    } catch (const Error& error) {
      findings.push_back({Severity::warning, "deck_not_written", part.name,
                          fmt::format("the updated deck was not written: {}", error.message()), error.remedy()});
    }
  }
  return out;
}

}  // namespace kdyn::app
