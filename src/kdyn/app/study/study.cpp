// SPDX-License-Identifier: Apache-2.0
// kdyn study: runs of a chain of operations over a design, over threads and ranks; what they tell.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/part_sink.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/study/study_chain.hpp"
#include "kdyn/app/study/study_journal.hpp"
#include "kdyn/app/study/study_result.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::app {

namespace {

namespace fs = std::filesystem;

// What the numbers of a study depend on, titles and threads aside; files that runs read are in the journal.
std::string identity_of(const StudyJob& job, const StudyPlan& plan) {
  StudyJob same = job;
  same.title.clear(), same.threads = 0, same.keep.clear(), same.allowed_failures = 0.0;
  same.search.most_runs = 0;  // a search that may go on makes the same runs first
  std::string text = archive_bytes(field_table<StudyJob>(), &same) + version() + revision();
  for (const Source& input : plan.inputs()) text += input.sha256;
  return sha256(text);
}

// The folder of the study as the first rank has it.
std::string shared_folder(Progress& progress) {
  const auto mine = [&](int) {
    const PartSink* sink = part_sink(progress);
    return sink != nullptr ? sink->folder() : std::string();
  };
  return task_runner().ranks() > 1 ? task_runner().run_bytes(1, mine).front() : mine(0);
}

std::string journal_path(const std::string& folder, int rank) {
  if (folder.empty()) return "";
  return (fs::path(folder) / (rank == 0 ? "runs.journal" : fmt::format("runs.journal.{}", rank))).string();
}

// Runs that an earlier start finished, whatever number of ranks it had; the same on all ranks.
std::vector<JournalEntry> earlier_runs(const std::string& folder, const std::string& study, std::string& why) {
  if (folder.empty()) return {};
  const auto read = [&](int) {
    std::vector<JournalEntry> all;
    std::error_code ec;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder, ec))
      if (entry.path().filename().string().starts_with("runs.journal")) names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      std::string reason;
      for (JournalEntry& e : finished_runs(name, study, reason)) all.push_back(std::move(e));
      if (reason.empty()) continue;
      why = reason;
      all.clear();
      break;
    }
    if (!why.empty())
      for (const std::string& name : names) fs::remove(name, ec);
    JournalEntry last;  // carries the reason to other ranks
    last.reason = why;
    all.push_back(std::move(last));
    return packed(all);
  };
  std::vector<JournalEntry> out =
      unpacked(task_runner().ranks() > 1 ? task_runner().run_bytes(1, read).front() : read(0));
  why = out.back().reason;
  out.pop_back();
  return out;
}

class Runner {
 public:
  Runner(const StudyJob& job, const StudyPlan& plan, const StudyChain& chain, Progress& progress)
      : job_(job),
        plan_(plan),
        chain_(chain),
        progress_(progress),
        ranks_(task_runner().ranks()),
        threads_(job.threads > 0 ? job.threads : std::max(1, machine_threads() / ranks_)) {}

  // Entries of all runs that have taken place, on every rank.
  std::vector<JournalEntry> run(const std::string& folder, const std::string& study,
                                const std::vector<JournalEntry>& earlier) {
    std::vector<char> there(plan_.runs(), 0);
    for (const JournalEntry& e : earlier)
      if (static_cast<std::size_t>(e.run) < there.size()) there[static_cast<std::size_t>(e.run)] = 1;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < there.size(); ++i)
      if (!there[i]) missing.push_back(i);
    // In an order by chance, so that slow levels do not all fall to one rank; the first run comes first: it tells
    // whether the responses are there at all.
    RandomStream random(static_cast<std::uint64_t>(job_.seed), 0x5741);
    for (std::size_t i = missing.size(); i > 2; --i) std::swap(missing[i - 1], missing[1 + random.below(i - 1)]);
    finished_before_ = earlier.size();
    const auto share = [&](int rank) {
      std::vector<std::size_t> own;
      for (std::size_t i = static_cast<std::size_t>(rank); i < missing.size(); i += static_cast<std::size_t>(ranks_))
        own.push_back(missing[i]);
      return packed(run_share(own, journal_path(folder, rank), study));
    };
    std::vector<JournalEntry> all = earlier;
    for (const std::string& bytes : task_runner().run_bytes(ranks_, share))
      for (JournalEntry& e : unpacked(bytes)) all.push_back(std::move(e));
    return all;
  }

 private:
  std::vector<JournalEntry> run_share(const std::vector<std::size_t>& own, const std::string& path,
                                      const std::string& study) {
    Journal journal(path, study);
    std::vector<JournalEntry> out(own.size());
    std::atomic<std::size_t> next{0}, finished{0};
    bool alike = finished_before_ == 0;  // every run failed for one reason so far
    std::mutex mutex;
    std::string first_reason;
    const auto tell_files = [&] {
      const std::scoped_lock lock(mutex);
      for (const Source& source : chain_.files_read()) {
        if (!told_.insert(source.path).second) continue;
        JournalEntry e;
        e.file = source.path, e.sha256 = source.sha256;
        journal.add(e);
      }
    };
    const auto work = [&](int) {
      for (std::size_t i = next++; i < own.size() && !progress_.stop_requested(); i = next++) {
        RunOutcome run = chain_.run(own[i], progress_);
        if (run.stopped) break;
        tell_files();
        JournalEntry& e = out[i];
        e.run = static_cast<std::int64_t>(own[i]), e.done = run.done;
        e.reason = std::move(run.reason), e.responses = std::move(run.responses);
        journal.add(e);
        const std::size_t count = ++finished;
        {
          const std::scoped_lock lock(mutex);
          if (first_reason.empty()) first_reason = e.reason;
          alike = alike && !e.done && e.reason == first_reason;
          const std::size_t so_far =
              std::min(plan_.runs(), finished_before_ + count * static_cast<std::size_t>(ranks_));
          if (job_.design == StudyDesign::optimise)
            progress_.report(static_cast<double>(so_far) / std::max(1.0, static_cast<double>(job_.search.most_runs)),
                             fmt::format("run {}, {} at most", so_far, job_.search.most_runs));
          else
            progress_.report(static_cast<double>(so_far) / static_cast<double>(plan_.runs()),
                             fmt::format("run {} of {}", so_far, plan_.runs()));
          // What fails from the first run on in one way will not get better: responses are tried there.
          if (alike && count >= std::min<std::size_t>(3, plan_.runs())) {
            next = own.size();
            throw_bad_input("chain", fmt::format("every run fails from the first one on: {}", first_reason),
                            "run the steps one by one with kdyn, and mend what they say");
          }
        }
      }
    };
    run_team(static_cast<int>(
                 std::min<std::size_t>(static_cast<std::size_t>(threads_), std::max<std::size_t>(1, own.size()))),
             work);
    std::erase_if(out, [](const JournalEntry& e) { return e.run < 0; });
    return out;
  }

  const StudyJob& job_;
  const StudyPlan& plan_;
  const StudyChain& chain_;
  Progress& progress_;
  int ranks_, threads_;
  std::size_t finished_before_ = 0;
  std::set<std::string> told_;  // files, to the journal
};

void collect(const StudyJob& job, const StudyPlan& plan, const std::vector<JournalEntry>& entries, StudyResult& out) {
  out.finished.assign(plan.runs(), 0), out.is_done.assign(plan.runs(), 0), out.reasons.assign(plan.runs(), "");
  for (const StudyResponse& r : job.responses) {
    StudyResponseResult& one = out.responses.emplace_back();
    one.name = r.name, one.unit = r.unit;
    one.values.assign(plan.runs(), study::not_known);
  }
  for (const JournalEntry& e : entries) {
    const auto run = static_cast<std::size_t>(e.run);
    if (run >= plan.runs() || out.finished[run]) continue;
    out.finished[run] = 1;
    out.is_done[run] = e.done && e.responses.size() == out.responses.size();
    out.reasons[run] = e.reason;
    if (out.is_done[run])
      for (std::size_t k = 0; k < e.responses.size(); ++k) out.responses[k].values[run] = e.responses[k];
  }
  std::map<std::string, StudyFailure> failures;
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    if (!out.finished[run]) {
      ++out.missing;
      continue;
    }
    ++(out.is_done[run] ? out.done : out.failed);
    if (out.is_done[run]) continue;
    StudyFailure& failure =
        failures.try_emplace(out.reasons[run], StudyFailure{out.reasons[run], 0, run}).first->second;
    ++failure.runs;
  }
  for (auto& [reason, failure] : failures) out.failures.push_back(std::move(failure));
  std::stable_sort(out.failures.begin(), out.failures.end(),
                   [](const auto& a, const auto& b) { return a.runs > b.runs; });
  constexpr std::size_t most_reasons = 20;
  if (out.failures.size() > most_reasons) {
    StudyFailure rest{"other reasons, see the column reason of runs.csv", 0, out.failures[most_reasons].first};
    for (std::size_t i = most_reasons; i < out.failures.size(); ++i) rest.runs += out.failures[i].runs;
    out.failures.resize(most_reasons);
    out.failures.push_back(std::move(rest));
  }
}

void analyse(const StudyJob& job, const StudyPlan& plan, StudyResult& out) {
  // Parameters that are numbers; levels with names are compared one by one.
  std::vector<std::size_t> numbers, levels;
  for (std::size_t c = 0; c < plan.columns().size(); ++c) {
    const StudyColumn& column = plan.columns()[c];
    if (!column.has_levels() || (column.is_number() && column.levels.size() > 1)) numbers.push_back(c);
    if (column.has_levels() && column.levels.size() > 1 && column.levels.size() <= 24) levels.push_back(c);
  }
  study::Points points{plan.runs(), numbers.size(), std::vector<double>(plan.runs() * numbers.size())};
  for (std::size_t run = 0; run < plan.runs(); ++run)
    for (std::size_t k = 0; k < numbers.size(); ++k) points.at(run, k) = plan.number(run, numbers[k]);
  const study::EffectFit fit(std::move(points));
  std::vector<std::vector<std::vector<std::size_t>>> pairs;
  for (const std::size_t c : levels) pairs.push_back(plan.runs_by_level(c));
  for (StudyResponseResult& response : out.responses) {
    // A search crowds at its optimum: what responses do over the box is told by its sample alone.
    std::vector<double> counted = response.values;
    if (out.optimum)
      for (std::size_t run = 0; run < counted.size(); ++run)
        if (out.optimum->stages[run] != "sample" && out.optimum->stages[run] != "start")
          counted[run] = study::not_known;
    response.spread = study::spread_of(counted);
    const study::EffectsOfResponse effects = fit.of(counted);
    response.r_squared = effects.r_squared;
    std::vector<study::SensitivityIndex> indices;
    if (job.design == StudyDesign::sensitivity)
      indices =
          study::sensitivity_indices(response.values, plan.columns().size(), static_cast<std::uint64_t>(job.seed));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      StudyEffect& e = response.effects.emplace_back();
      e.parameter = plan.columns()[numbers[k]].name;
      e.effect = effects.effects[k];
      if (!indices.empty()) e.index = indices[numbers[k]];
    }
    for (std::size_t l = 0; l < levels.size(); ++l) {
      StudyLevels& shown = response.levels.emplace_back();
      shown.parameter = plan.columns()[levels[l]].name;
      const auto values_of = [&](const std::vector<std::size_t>& runs) {
        std::vector<double> values;
        for (const std::size_t run : runs) values.push_back(response.values[run]);
        return values;
      };
      const std::size_t count = plan.columns()[levels[l]].levels.size();
      std::vector<std::vector<double>> by_level(count);
      for (std::size_t run = 0; run < plan.runs(); ++run)
        by_level[static_cast<std::size_t>(plan.entry(run, levels[l]))].push_back(response.values[run]);
      const std::vector<double> first = values_of(pairs[l].front());
      for (std::size_t k = 0; k < count; ++k) {
        StudyLevel& level = shown.levels.emplace_back();
        level.name = plan.columns()[levels[l]].levels[k].name;
        level.spread = study::spread_of(by_level[k]);
        if (k > 0) level.against_first = study::paired_difference(first, values_of(pairs[l][k]));
      }
    }
  }
}

void choose_kept(const StudyJob& job, const StudyPlan& plan, StudyResult& out) {
  std::map<std::size_t, std::string> chosen;
  for (std::size_t i = 0; i < job.keep.size(); ++i) {
    const StudyKeep& keep = job.keep[i];
    std::vector<std::string> known;
    for (const StudyResponseResult& r : out.responses) known.push_back(r.name);
    const auto response = std::find(known.begin(), known.end(), keep.response);
    if (response == known.end())
      throw_bad_input(fmt::format("keep[{}].response", i),
                      fmt::format("there is no response {}", in_quotes(keep.response)), suggest(keep.response, known));
    const std::vector<double>& values = out.responses[static_cast<std::size_t>(response - known.begin())].values;
    std::vector<std::size_t> order;
    for (std::size_t run = 0; run < values.size(); ++run)
      if (std::isfinite(values[run])) order.push_back(run);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    const auto add = [&](std::size_t run, const char* what) {
      std::string& why = chosen[run];
      why += fmt::format("{}{} {}", why.empty() ? "" : "; ", what, keep.response);
    };
    for (std::size_t k = 0; k < std::min(order.size(), static_cast<std::size_t>(keep.smallest)); ++k)
      add(order[k], "smallest");
    for (std::size_t k = 0; k < std::min(order.size(), static_cast<std::size_t>(keep.largest)); ++k)
      add(order[order.size() - 1 - k], "largest");
  }
  if (out.optimum && out.optimum->run) {
    std::string& why = chosen[*out.optimum->run];
    why = "best" + (why.empty() ? why : "; " + why);
  }
  for (const auto& [run, why] : chosen) {
    KeptRun& kept = out.kept.emplace_back();
    kept.run = run, kept.why = why, kept.folder = fmt::format("runs/{}", run);
    for (std::size_t c = 0; c < plan.columns().size(); ++c)
      kept.parameters.emplace_back(plan.columns()[c].name, plan.text(run, c));
    for (const StudyResponseResult& r : out.responses) kept.responses.emplace_back(r.name, r.values[run]);
  }
}

void judge(const StudyJob& job, const StudyPlan& plan, const std::string& why_anew, bool stopped, StudyResult& out) {
  if (!why_anew.empty())
    out.findings.push_back({Severity::note, "begun_anew", "runs.journal",
                            "runs of an earlier start were not taken over: " + why_anew, "nothing to do"});
  const double share = plan.runs() > 0 ? static_cast<double>(out.failed) / static_cast<double>(plan.runs()) : 0.0;
  if (out.failed > 0)
    out.findings.push_back(
        {share > job.allowed_failures ? Severity::serious : Severity::warning, "failed_runs", "runs.csv",
         fmt::format("{} of {} runs failed and count in no number: what is told holds for the others only", out.failed,
                     plan.runs()),
         "see the reasons; narrow the parameters, or mend the model where it fails"});
  if (out.optimum && out.optimum->run) {
    const StudyOptimum& o = *out.optimum;
    for (const OptimumParameter& p : o.parameters)
      if (!p.bound.empty())
        out.findings.push_back({Severity::note, "at_bound", "parameters." + p.name,
                                fmt::format("{} lies at its {} bound {:.6g}", p.name, p.bound, p.value),
                                "widen the bound if the part allows it: the optimum may lie beyond"});
    double apart = 0.0;
    for (const OptimumSearch& search : o.searches)
      if (search.alike) apart = std::max(apart, search.apart);
    if (o.status == "converged" && apart > 0.01)
      out.findings.push_back({Severity::warning, "not_unique", "optimum",
                              fmt::format("searches ended at the same objective with parameters that differ by up to "
                                          "{:.0f} % of their range: the objective does not tell one best setting",
                                          100.0 * apart),
                              "add a term or a constraint that tells them apart, or leave a parameter out"});
    for (const OptimumConstraint& c : o.constraints)
      if (!c.met)
        out.findings.push_back({Severity::serious, "constraint_broken", "constraints",
                                fmt::format("{} is {:.6g} and ought to be {} {:.6g}", c.name, c.value, c.kind, c.limit),
                                "loosen the constraint, or widen the bounds of the parameters"});
  }
  for (const StudyResponseResult& r : out.responses) {
    if (r.spread.count > 1 &&
        r.spread.maximum - r.spread.minimum <= 1e-12 * std::max(std::abs(r.spread.maximum), std::abs(r.spread.minimum)))
      out.findings.push_back({Severity::warning, "no_influence", "responses." + r.name,
                              fmt::format("{} is the same in all runs: no parameter acts on it", r.name),
                              "check the places of the parameters and the response"});
    std::vector<std::string> together;
    for (const StudyEffect& e : r.effects)
      if (!e.effect.determined && r.spread.count > r.effects.size() + 2) together.push_back(e.parameter);
    if (!together.empty() && &r == &out.responses.front())
      out.findings.push_back(
          {Severity::warning, "effects_together", "parameters",
           fmt::format("the effects of {} cannot be distinguished by these runs", join(together, ", ")),
           "let them vary independently"});
    if (!r.effects.empty() && r.spread.count > 0 && r.spread.count <= r.effects.size() + 2 &&
        &r == &out.responses.front())
      out.findings.push_back(
          {Severity::note, "few_runs", "runs",
           fmt::format("{} runs are too few for the effects of {} parameters", r.spread.count, r.effects.size()),
           "make more runs"});
    if (job.design == StudyDesign::sensitivity) {
      const std::size_t whole = study::whole_base_points(r.values, plan.columns().size());
      double widest = 0.0;
      for (const StudyEffect& e : r.effects)
        if (e.index && std::isfinite(e.index->total))
          widest = std::max(widest, e.index->total_upper_95 - e.index->total_lower_95);
      if (widest > 0.2 || whole < 8)
        out.findings.push_back(
            {Severity::note, "wide_indices", "responses." + r.name,
             whole < 8 ? fmt::format("{} whole base points are too few for Sobol indices", whole)
                       : fmt::format("the Sobol indices of {} are known to {:.2f} only", r.name, 0.5 * widest),
             "make more runs: intervals shrink with their root"});
    }
  }
  if (stopped) {
    out.status = "stopped";
    out.reason = fmt::format("{} of {} runs did not take place; the same command goes on where it was", out.missing,
                             plan.runs());
  } else if (out.optimum && out.done > 0) {
    const StudyOptimum& o = *out.optimum;
    out.status = o.status == "converged" ? "done" : "not_converged";
    out.reason = told(o);
    if (o.status != "converged")
      out.findings.push_back({Severity::serious, "no_optimum", "optimum", out.reason, remedy_of(o)});
  } else if (share > job.allowed_failures || out.done == 0) {
    out.status = "incomplete";
    out.reason = fmt::format("{} of {} runs failed", out.failed, plan.runs());
  } else {
    out.status = "done";
    out.reason = out.failed == 0 ? "every run succeeded" : fmt::format("{} of {} runs failed", out.failed, plan.runs());
  }
}

std::string text_of(const StudyPlan& plan, const StudyResult& result) {
  std::string text =
      fmt::format("{}: {} of {} runs succeeded{}\n", result.status, result.done, plan.runs(),
                  result.taken_over > 0 ? fmt::format(", {} of them in an earlier start", result.taken_over) : "");
  if (result.optimum && result.optimum->run) {
    const StudyOptimum& o = *result.optimum;
    text += fmt::format("  run {}: objective {:.8g}\n", *o.run, o.objective);
    for (const OptimumParameter& p : o.parameters)
      text += fmt::format("    {:<26} {:.8g} {}{}\n", p.name, p.value, p.unit,
                          p.bound.empty() ? "" : fmt::format("  (its {} bound)", p.bound));
    for (const OptimumResponse& r : o.responses) text += fmt::format("    {:<26} {:.8g} {}\n", r.name, r.value, r.unit);
    for (const OptimumConstraint& c : o.constraints)
      text += fmt::format("    {:<26} {} {:.6g}: {}\n", c.name, c.kind, c.limit,
                          !c.met     ? "broken"
                          : c.active ? "holds the objective back"
                                     : "met");
    text += fmt::format("  {}\n", result.reason);
  }
  for (const StudyResponseResult& r : result.responses) {
    if (r.spread.count == 0 || result.optimum) continue;
    text += fmt::format("  {:<28} median {:<11.5g} 5 to 95 %: {:.5g} to {:.5g} {}\n", r.name, r.spread.median,
                        r.spread.lower_5, r.spread.upper_95, r.unit);
    for (const StudyLevels& l : r.levels) {
      text += fmt::format("    {:<26}", l.parameter);
      for (const StudyLevel& level : l.levels) text += fmt::format(" {} {:.5g} ", level.name, level.spread.mean);
      text += "\n";
    }
    const StudyEffect* strongest = nullptr;
    for (const StudyEffect& e : r.effects)
      if (e.effect.determined && (strongest == nullptr || e.effect.share > strongest->effect.share)) strongest = &e;
    if (strongest != nullptr)
      text += fmt::format("    most by {}: {:+.4g} {} for one standard deviation ({:.0f} % of the variance)\n",
                          strongest->parameter, strongest->effect.per_std, r.unit, 100.0 * strongest->effect.share);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(5, result.failures.size()); ++i)
    text += fmt::format("  {} failed: {}\n", result.failures[i].runs, result.failures[i].reason);
  return text + findings_text(result.findings);
}

}  // namespace

Outcome study_job(const StudyJob& job, Progress& progress) {
  StudyPlan plan(job);
  const StudyChain chain(job, plan);
  const bool search = job.design == StudyDesign::optimise;
  if (!search && (!job.objective.terms.empty() || !job.objective.formula.empty() || !job.constraints.empty()))
    throw_bad_input("objective", "objective and constraints are for the design optimise",
                    "set design to optimise, or take them out");
  for (const StudyKeep& keep : job.keep)
    if (std::none_of(job.responses.begin(), job.responses.end(),
                     [&](const auto& r) { return r.name == keep.response; })) {
      std::vector<std::string> known;
      for (const StudyResponse& r : job.responses) known.push_back(r.name);
      throw_bad_input("keep.response", fmt::format("there is no response {}", in_quotes(keep.response)),
                      suggest(keep.response, known));
    }
  const std::string study = identity_of(job, plan), folder = shared_folder(progress);
  std::string why_anew;
  const std::vector<JournalEntry> earlier = earlier_runs(folder, study, why_anew);
  StudyResult result;
  result.taken_over = earlier.size();
  Runner runner(job, plan, chain, progress);
  if (search) {
    const StudyGoal goal(job, plan);
    std::vector<JournalEntry> entries = earlier;
    std::map<std::size_t, std::size_t> of_run;
    result.optimum = optimise_study(
        job, goal, plan,
        [&] {
          entries = runner.run(folder, study, entries);
          of_run.clear();
          for (std::size_t i = 0; i < entries.size(); ++i)
            of_run.try_emplace(static_cast<std::size_t>(entries[i].run), i);
          for (std::size_t i = 0; i < plan.runs(); ++i)
            if (!of_run.contains(i)) return false;
          return true;
        },
        [&](std::size_t i) -> std::optional<std::vector<double>> {
          const JournalEntry& e = entries[of_run.at(i)];
          if (!e.done || e.responses.size() != job.responses.size()) return std::nullopt;
          return e.responses;
        });
    collect(job, plan, entries, result);
  } else {
    collect(job, plan, runner.run(folder, study, earlier), result);
  }
  analyse(job, plan, result);
  const bool stopped = result.missing > 0;
  judge(job, plan, why_anew, stopped, result);
  Outcome outcome;
  outcome.complete = result.status == "done";
  outcome.files.push_back({"runs.csv", runs_csv(plan, result)});
  outcome.files.push_back({"runs.h5", runs_hdf5(plan, result)});
  if (!stopped) choose_kept(job, plan, result);
  for (const KeptRun& kept : result.kept)
    for (OutputFile& file : chain.whole_run(kept.run, kept.folder, progress)) outcome.files.push_back(std::move(file));
  to_json_fields(StudyOutput{job, plan, result, names_of(outcome.files)}, outcome.result);
  outcome.inputs = plan.inputs();
  for (Source& source : chain.files_read()) outcome.inputs.push_back(std::move(source));
  outcome.text = text_of(plan, result);
  const std::string title = !job.title.empty() ? job.title
                            : job.job.empty()  ? "Study"
                                               : fs::path(job.job).stem().string();
  outcome.document = study_report(title, job, plan, result);
  return outcome;
}

Operation study_operation() {
  Operation out = make_operation<StudyJob, StudyOutput>(
      "study", "Run any operation or chain over many settings: parameter studies, tolerances, sensitivities",
      "kdyn study examples/study/mount_tolerance.json --out out/study", &study_job,
      {{"job", "Steps and parameters"},
       {"design", "Design of the runs"},
       {"responses", "What is taken from the runs"},
       {"allowed_failures", "Running"}});
  out.run = [run = out.run](const Json& options, Progress& progress) {
    return run(with_job_file(field_table<StudyJob>(), options), progress);
  };
  return out;
}

}  // namespace kdyn::app
