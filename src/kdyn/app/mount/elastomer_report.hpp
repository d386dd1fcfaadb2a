// SPDX-License-Identifier: Apache-2.0
// The picture of an elastomer fit: measured against model in every view an engineer would ask for.
#pragma once

#include <string>

#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/report/document.hpp"
#include "kdyn/rig/bushing_rig.hpp"
#include "kdyn/rig/trust.hpp"

namespace kdyn::app {

report::Document elastomer_report(const std::string& title, const ElastomerData& data, const ElastomerFitResult& fit,
                                  const TrustResult& trust);
report::Document bushing_rig_report(const std::string& title, const RigOptions& options, const BushingRigResult& result,
                                    const std::vector<Finding>& findings);
report::Document rig_report(const std::string& title, const Mount& mount, AxisKind axis, const RigOptions& options,
                            const RigResult& result);

}  // namespace kdyn::app
