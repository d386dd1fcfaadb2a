// SPDX-License-Identifier: Apache-2.0
// Any bytes as a finite-element model: built, assembled, looked at by the doctor, written and read back.
#include "guard.hpp"

#include <string>

#include "kdyn/fe/doctor.hpp"
#include "kdyn/fe/nastran_model.hpp"
#include "kdyn/fe/nastran_write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check(data, size, [](std::string_view content) {
    kdyn::NastranDeck deck = kdyn::parse_nastran(content, "fuzz.bdf");
    const kdyn::fe::Model model = kdyn::fe::model_of(deck);
    if (model.nodes.size() > 60 || model.elements.size() > 6)
      return;  // matrices are larger than their deck: the guard is for the reader
    const kdyn::fe::Assembly assembly = kdyn::fe::assemble(model);
    kdyn::fe::examine(assembly.matrices.stiffness_at(), assembly.matrices.mass_at(), assembly.map.dofs,
                      kdyn::fe::geometry_of(model), "fuzz");
    kdyn::NastranDeck again = kdyn::parse_nastran(kdyn::fe::nastran_text(model), "again.bdf");
    kdyn::fe::model_of(again);
  });
}
