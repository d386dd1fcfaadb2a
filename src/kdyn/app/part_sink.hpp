// SPDX-License-Identifier: Apache-2.0
// Where the parts of a long job go as soon as they are finished: a kill costs the part in work and no other.
//
// A front end that has a folder for the result offers it beside its progress: its Progress is a PartSink too. Without
// one the parts stay in memory and leave with the outcome.
#pragma once

#include <string>

#include "kdyn/app/operation.hpp"

namespace kdyn::app {

// Whether anybody will look at a report: drawing it takes as long as fitting a part.
class ReportWish {
 public:
  virtual ~ReportWish() = default;
  virtual bool wants_report() const = 0;
};
inline bool wants_report(const Progress& progress) {
  const auto* wish = dynamic_cast<const ReportWish*>(&progress);
  return wish == nullptr || wish->wants_report();
}

// What work inside other work sees of the outer progress: the request to stop, and whether reports are wanted.
class InnerProgress final : public Progress, public ReportWish {
 public:
  explicit InnerProgress(const Progress& outer) : outer_(outer) {}
  bool stop_requested() const override { return outer_.stop_requested(); }
  bool wants_report() const override { return app::wants_report(outer_); }

 private:
  const Progress& outer_;
};

class PartSink : public ReportWish {
 public:
  virtual bool takes_parts() const = 0;
  // Where files may lie that an unfinished run leaves for the next one; empty: nowhere.
  virtual std::string folder() const { return ""; }
  // result.json of this part as an earlier run finished it; null when there is none.
  virtual Json finished(const std::string& part) = 0;
  // The part is of this run as it lies there.
  virtual void keep(const std::string& part) = 0;
  // The outcome as a transaction of its own; may be called by several threads.
  virtual void write(const std::string& part, const Outcome& outcome) = 0;
};

// The sink of whoever runs the operation, or nullptr.
inline PartSink* part_sink(Progress& progress) {
  auto* sink = dynamic_cast<PartSink*>(&progress);
  return sink != nullptr && sink->takes_parts() ? sink : nullptr;
}

}  // namespace kdyn::app
