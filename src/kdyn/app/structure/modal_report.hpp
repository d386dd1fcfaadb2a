// SPDX-License-Identifier: Apache-2.0
// The report of a modal identification.
#pragma once

#include <optional>
#include <string>

#include "kdyn/data/mode_set.hpp"
#include "kdyn/modes/mass_line.hpp"
#include "kdyn/report/document.hpp"
#include "kdyn/sysid/identify.hpp"

namespace kdyn::app {

// `modes`: what is drawn on the wire frame; its geometry may be empty. `rigid_body`: where the mass line was asked for.
report::Document modal_report(const std::string& title, const ModalResult& result, const ModalOptions& options,
                              const ModeSet& modes, const std::optional<MassLine>& rigid_body);

}  // namespace kdyn::app
