// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/provenance.hpp"

namespace kdyn::app {

const FieldTable& fields_of(const Build*) {
  static const FieldTable table = FieldTable::results<Build>("build", [](FieldTable& t) {
    t.add(&Build::version, "version", "-", "Version of kdyn");
    t.add(&Build::revision, "revision", "-", "Revision of its source");
    t.add(&Build::compiler, "compiler", "-", "Compiler it was built with");
  });
  return table;
}

const FieldTable& fields_of(const Provenance*) {
  using P = Provenance;
  static const FieldTable table = FieldTable::results<P>("provenance", [](FieldTable& t) {
    t.add(&P::kdyn, "kdyn", "-", "The program");
    t.add(&P::created, "created", "-", "Date and time, UTC");
    t.add(&P::operation, "operation", "-", "What was run");
    t.add(&P::options_given, "options_given", "-", "Options as they were given; options_used has all of them");
    t.add(&P::inputs, "inputs", "-", "Files that were read");
    t.add(&P::seconds, "seconds", "s", "Computing time").shown_in("s");
  });
  return table;
}

}  // namespace kdyn::app
