// SPDX-License-Identifier: Apache-2.0
// kdyn self-test: does this installation compute what it should? Bundled data against the values they were made with.
#pragma once

namespace kdyn::cli {

// Prints a line for each check; 0 when all are right, else 5.
int self_test();

}  // namespace kdyn::cli
