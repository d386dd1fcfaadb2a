// SPDX-License-Identifier: Apache-2.0
// A multibody model as a JSON file (docs/multibody.md has the full description).
//
// {"title": "...", "gravity": [0, 0, -9.81], "run": {"step_s": 1e-3, "duration_s": 2, ...},
//  "bodies":   [{"name": "arm", "mass": 2, "centre": [0.5, 0, 0], "inertia": [Jx, Jy, Jz] or 3 x 3, "position": [..], "rotation": [..],
//                "velocity": [..], "angular_velocity": [..],
//                "flexible": {"nodes": [..], "stiffness": [[..]], "damping": [[..]]} or
//                            {"file": "beam.fem", "modes": [1, 2], "damping_ratio": 0.01}}],
//  "markers":  [{"name": "pivot", "body": "arm" or "ground", "position": [..], "rotation": [..], "node": label}],
//  "joints":   [{"name": "hinge", "kind": "revolute", "markers": ["g", "pivot"], "length": 1, "axis": "z", "drive": "0.1*sin(t)"}],
//  "bushings": [{"name": "left", "markers": ["g", "m"], "measure": "log", "coupling": "none|cylindrical|spherical", "preload": [6 numbers],
//                "laws": {"fx": {mount law} or "file.json", ...} or a bushing model {"model": "bushing", ...}, in place or by file}],
//  "springs":  [{"name": "coil", "markers": ["g", "m"], "law": {mount law}, "rest_length": 0.2}],
//  "loads":    [{"name": "shaker", "marker": "m", "force": [signal, signal, signal], "torque": [..], "follows": false}],
//  "sensors":  [{"name": "a1", "kind": "accelerometer", "body": "arm", "position": [..], "rotation": [..], "axes": "xyz", "gravity": false}],
//  "tyres":    [{"name": "front", "body": "wheel", "axis": [0, 1, 0], "file": "a.tir" or "radius": 0.3, "stiffness": 2e5, "slip": {..},
//                "road": {"height": signal, "profile": [[x, z], ...]}}]}
// A marker may also stand in place as an object {"body": .., "position": ..}. "rotation" is a rotation vector (rad) or
// a 3 x 3 matrix. A signal is a number, a formula in t, a table [[t, value], ...], or {"file": "loads.csv", "column":
// "fz"}. SI units.
#pragma once

#include <map>
#include <string>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

struct ModelFile {
  Model model;
  RunOptions run;
  std::vector<Finding> findings;
  std::vector<std::string> files;  // laws, flexible bodies, signals and includes that were read, as folder/name
  std::map<std::string, double> parameters;  // of the file, in SI units
  std::string imported;  // the model file that was made of a deck of another program; empty for one of kdyn
};

// Unknown keys, missing fields, names that do not exist and broken rules throw, naming the field. Files of laws and
// bodies are relative to `folder`.
// `parameters` take the place of those of the file (model_expansion.hpp).
ModelFile model_from_json(const Json& in, const std::string& where, const std::string& folder = "",
                          const std::map<std::string, double>& parameters = {});
// The same for the content of a file, which may be a model of another program (foreign_model.hpp).
ModelFile model_from_text(const std::string& content, const std::string& where, const std::string& folder = "",
                          const std::map<std::string, double>& parameters = {});
ModelFile read_model(const std::string& path, const std::map<std::string, double>& parameters = {});

}  // namespace kdyn::mbs
