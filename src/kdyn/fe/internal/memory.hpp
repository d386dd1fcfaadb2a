// SPDX-License-Identifier: Apache-2.0
// Memory of this machine that a large job may take.
#pragma once

namespace kdyn::fe::internal {

// Bytes that programs may take without driving others out, as the system says (Linux); infinite where it does not.
double free_memory_bytes();

}  // namespace kdyn::fe::internal
