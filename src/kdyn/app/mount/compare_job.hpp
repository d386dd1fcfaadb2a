// SPDX-License-Identifier: Apache-2.0
// Operation `kdyn fit compare`: all laws on the same data.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/door/read.hpp"
#include "kdyn/identify/compare.hpp"

namespace kdyn::app {

struct FitCompareJob {
  std::vector<std::string> data;
  ReadHints read;
  std::string title;
  CompareOptions compare;
};
Outcome fit_compare_job(const FitCompareJob& job, Progress& progress);

report::Document compare_report(const std::string& title, const ElastomerData& data, const CompareResult& result);

const FieldTable& fields_of(const FitCompareJob*);

struct FitCompareOutput;
const FieldTable& fields_of(const FitCompareOutput*);

}  // namespace kdyn::app
