// SPDX-License-Identifier: Apache-2.0
// Any file kdyn knows, opened by its content: what format it is, what it holds, what is wrong with it.
//
// The content decides; the extension only where the content cannot (the matrices of CalculiX are three numbers a line).
// Model files (JSON) are not looked at here: io knows formats, not models.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/frequency_response.hpp"
#include "kdyn/data/matrix_set.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/data/signal.hpp"
#include "kdyn/data/spectra.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/bushing_file.hpp"
#include "kdyn/io/mbdyn_fem.hpp"
#include "kdyn/io/modulus_table.hpp"
#include "kdyn/io/nastran_deck.hpp"
#include "kdyn/io/recording.hpp"
#include "kdyn/io/sid.hpp"
#include "kdyn/io/ubf.hpp"

namespace kdyn::inline io {

struct Exchange {
  std::string path, sha256;
  std::string format;              // "uff", "op4", "nastran", "csv", ...; empty: not recognised
  std::vector<std::string> words;  // what is inside, in plain words
  std::vector<Finding> findings;

  std::optional<FrequencyResponse> response;
  std::optional<SignalSet> signals;
  std::optional<Recording> recording;  // channels that are read on demand; take_signals makes signals of them
  std::optional<SpectrumSet> spectra;
  std::optional<MatrixSet> matrices;
  std::optional<ModeSet> modes;  // geometry included
  std::optional<Geometry> geometry;
  std::vector<BenchSet> sets;  // bench measurements, one for each part and direction
  std::optional<ModulusTable> moduli;
  std::vector<DataTable> tables;  // sheets and tables that are none of these
  std::optional<BushingFile> bushing;
  std::optional<UbfFile> mount;
  std::optional<NastranDeck> deck;
  std::optional<MbdynFem> body;
  std::optional<SidBody> sid;

  // "frequency_response", "signals", "matrices", "modes", "geometry", "map", "moduli", ..., "unknown"
  std::string kind() const;
};

// Errors of content become serious findings of an exchange that holds nothing. Throws Error(file_access) only.
Exchange read_exchange(const std::string& path, const BenchReadOptions& options = {});
// The same for bytes in memory; `name` gives the extension.
Exchange parse_exchange(std::string&& content, const std::string& name, const BenchReadOptions& options = {});

// Signals by name ("force", "bench/force", "acc_*"), all when none is named: channels of a recording are read now,
// other signals are left out.
void take_signals(Exchange& exchange, const std::vector<std::string>& names);

struct ExchangeWriteOptions {
  bool binary = true;       // uff: 58b instead of 58; op4: binary instead of text
  bool version_73 = false;  // mat: version 7.3 instead of 5
  std::string matrix;       // mtx, sti, mas: which matrix when there are several
};
// The bytes of a file with the extension of `path`. Throws Error(bad_input) when that format cannot carry what is held,
// or does not exist. What is lost on the way is added to `findings`.
std::string exchange_bytes(const Exchange& exchange, const std::string& path, const ExchangeWriteOptions& options,
                           std::vector<Finding>& findings);
// The same into the file itself, for content that is not needed any more: signals on their way into .h5, .mat, .uff and
// .csv are held once, .mat adds their times.
void write_exchange(Exchange&& exchange, const std::string& path, const ExchangeWriteOptions& options,
                    std::vector<Finding>& findings);

}  // namespace kdyn::inline io
