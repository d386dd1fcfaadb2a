// SPDX-License-Identifier: Apache-2.0
// The exported C++ source against the library: random laws of every kind and random coupled bushings on long random
// paths, nested cycles included. Forces and derivatives agree to 1e-12 (derivatives to 1e-11 of the largest one: some
// are sums that cancel).
//   --laws N    all together; the full run is 1000
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kdyn/fmu/test/c_source_laws.hpp"

int main(int count, char** words) {
  using namespace kdyn;
  int wanted = 1000;
  for (int i = 1; i + 1 < count; ++i)
    if (std::strcmp(words[i], "--laws") == 0) wanted = std::atoi(words[i + 1]);
  const auto mounts = test::sample_models();
  const auto bushings = test::sample_bushings();
  RandomStream random(2026, 15);
  // One in ten is a bushing.
  const int each_bushing = wanted / 10 / static_cast<int>(bushings.size()),
            rest = wanted - each_bushing * static_cast<int>(bushings.size());
  test::Agreement all;
  const auto add = [&](const std::string& name, const test::Agreement& one) {
    std::printf("%-24s %4d  forces %.1e  derivatives %.1e\n", name.c_str(), one.laws, one.force, one.derivative);
    all.laws += one.laws;
    all.force = std::max(all.force, one.force), all.derivative = std::max(all.derivative, one.derivative);
  };
  for (std::size_t k = 0; k < mounts.size(); ++k) {
    test::Compiled compiled(mounts[k].model, mounts[k].name);
    const int begin = static_cast<int>(k) * rest / static_cast<int>(mounts.size()),
              end = static_cast<int>(k + 1) * rest / static_cast<int>(mounts.size());
    test::Agreement found;
    // Laws that refuse their numbers are drawn again.
    for (int tries = 0; found.laws < end - begin && tries < 100; ++tries) {
      const test::Agreement some = test::run_variants(compiled, mounts[k].model, end - begin - found.laws, random);
      found = {found.laws + some.laws, std::max(found.force, some.force), std::max(found.derivative, some.derivative)};
    }
    add(mounts[k].name, found);
  }
  for (const auto& [name, model] : bushings) {
    test::Compiled compiled(model, name);
    test::Agreement found;
    for (int tries = 0; found.laws < each_bushing && tries < 100; ++tries) {
      const test::Agreement some = test::run_bushing_variants(compiled, model, each_bushing - found.laws, random);
      found = {found.laws + some.laws, std::max(found.force, some.force), std::max(found.derivative, some.derivative)};
    }
    add(name, found);
  }
  std::printf("%-24s %4d  forces %.1e  derivatives %.1e\n", "all", all.laws, all.force, all.derivative);
  return all.laws == wanted && all.force < 1e-12 && all.derivative < 1e-11 ? EXIT_SUCCESS : EXIT_FAILURE;
}
