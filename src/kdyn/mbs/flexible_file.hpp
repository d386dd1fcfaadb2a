// SPDX-License-Identifier: Apache-2.0
// Flexible bodies from files: body.json or body.h5 of kdyn body, modal data of MBDyn (.fem), standard input data
// (SID_FEM).
//
// What a multibody body needs is G of [mbs E2]; the files hold it in different shares.
//   MBDyn with lumped masses (group 11): G follows from the nodes, rotary inertia included.
//   SID: mass, mdCM, J, Ct, Cr, Me and the first order of J and Oe hold every entry that matters  [mbs E30]
//   kdyn body (and MBDyn without group 11, with mass, centre and inertia given): rigid-body properties, shapes and modal mass are exact; how the
//   mass lies on the nodes is estimated from them  [mbs E31]
// Shapes are scaled to a largest displacement of 1, so that mode coordinates are metres.
// Not read: geometric stiffness (ksigma), damping of SID other than De, moments of order two and more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/io/mbdyn_fem.hpp"
#include "kdyn/io/sid.hpp"
#include "kdyn/mbs/model.hpp"
#include "kdyn/modes/flexible_body.hpp"

namespace kdyn::mbs {

struct FlexibleOptions {
  std::vector<int> modes;                    // those to keep, from 1; empty: all
  std::optional<double> damping_ratio;       // of every mode, in place of the file's damping
  std::optional<RigidBodyProperties> rigid;  // for MBDyn files without lumped masses
};

struct FlexibleData {
  Body body;  // G, stiffness, damping, nodes, lines
  std::vector<Finding> findings;
};

FlexibleData flexible_from_mbdyn(const MbdynFem& file, const std::string& where, const FlexibleOptions& options = {});
FlexibleData flexible_from_sid(const SidBody& file, const std::string& where, const FlexibleOptions& options = {});
FlexibleData flexible_from_body(const FlexibleBody& file, const std::string& where,
                                const FlexibleOptions& options = {});
// Any of them, told by content.
FlexibleData read_flexible(const std::string& path, const FlexibleOptions& options = {});

}  // namespace kdyn::mbs
