// SPDX-License-Identifier: Apache-2.0
// Options and functions of the exchange operations: convert, import, export.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/door/read.hpp"

namespace kdyn::app {

struct ConvertJob {
  std::string input, output;
  std::vector<std::string> channels;  // of signals; empty: all
  ReadHints read;
  ExchangeWriteOptions write;
};
Outcome convert(const ConvertJob& job, Progress& progress);

struct ImportJob {
  std::string file;
  std::string law;                  // friction law of the models; empty: as the file says
  std::vector<std::string> ignore;  // kinds of statements of a multibody model that are left out by wish
};
Outcome import_models(const ImportJob& job, Progress& progress);

enum class ExportTarget { ubf, bus, gbs, c, fmu2, fmu3 };

struct ExportJob {
  std::vector<std::string> models;
  ExportTarget to = ExportTarget::ubf;
  std::vector<std::string> directions;
  double frequency_hz = 10.0, amplitude = 1e-3, reach = 5e-3;
  std::string name = "mount";
  std::string author, model_version, license;  // of FMUs
  std::vector<std::string> inputs, outputs;    // of the FMU of a multibody model
  bool dry_run = false;                        // what would be lost, and no file
};
Outcome export_models(const ExportJob& job, Progress& progress);
// The same of a model at hand, without a file: what result.json of a dry run holds. `path` is what errors call it.
Json export_preview(const Json& model, const std::string& path, ExportJob job);

const FieldTable& fields_of(const ConvertJob*);
const FieldTable& fields_of(const ImportJob*);
const FieldTable& fields_of(const ExportJob*);

// Their results: exchange_outputs.hpp.
struct ConvertOutput;
struct ImportOutput;
struct ExportOutput;
const FieldTable& fields_of(const ConvertOutput*);
const FieldTable& fields_of(const ImportOutput*);
const FieldTable& fields_of(const ExportOutput*);

}  // namespace kdyn::app
