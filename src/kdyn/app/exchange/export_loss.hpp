// SPDX-License-Identifier: Apache-2.0
// What an export loses, in one line that fits beside a button: "fz 13 % too soft at 10 Hz, 1 mm; up to 44 % elsewhere".
// The numbers are those of the comparison (export_check.hpp); nothing is computed here.
#pragma once

#include "kdyn/app/exchange/exchange_outputs.hpp"

namespace kdyn::app {

ExportLoss loss_of(const ExportOutput& output, const ExportJob& job);

}  // namespace kdyn::app
