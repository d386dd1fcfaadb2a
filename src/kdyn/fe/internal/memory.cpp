// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace kdyn::fe::internal {

double free_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  double value = 0.0;
  while (file >> name >> value) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return 1024.0 * value;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace kdyn::fe::internal
