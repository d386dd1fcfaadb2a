// SPDX-License-Identifier: Apache-2.0
// Numbers of the chain, for every program that runs it (C++17).
#pragma once

namespace kdyn::mbs::chain {

inline constexpr double pitch = 0.2, half = 0.1, thickness = 0.01;  // m
inline constexpr double stiffness = 1e5, turning_stiffness = 100.0, damping_time = 2e-3,
                        gravity = 9.81;  // N/m, N m/rad, s, m/s^2

}  // namespace kdyn::mbs::chain
