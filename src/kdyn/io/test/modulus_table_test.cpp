// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/modulus_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io {
namespace {

TEST(ModulusTable, UnitsInARowBelowTheHeader) {
  const auto t =
      read_modulus_table("f,E_stor,E_loss,T,Set\nHz, MPa, MPa, C, -\n0.1,8097,93,-50,0\n1,8781,139,-49.5,0\n", "a.csv");
  ASSERT_TRUE(t);
  ASSERT_EQ(t->storage.size(), 2u);
  EXPECT_DOUBLE_EQ(t->storage[0], 8097e6);
  EXPECT_DOUBLE_EQ(t->loss[1], 139e6);
  EXPECT_DOUBLE_EQ(t->temperature_c[0], -50.0);
  EXPECT_EQ(t->modulus_unit, "MPa");
  ASSERT_EQ(t->findings.size(), 1u);
  EXPECT_EQ(t->findings[0].code, "columns_not_used");  // Set
}

TEST(ModulusTable, OtherUnitsAndTanDelta) {
  const auto t = read_modulus_table(
      "Temperature [K];Angular frequency [rad/s];G' [kPa];tan delta\n293,15;62,83185307;500;0,2\n300;6,283;450;0,1\n",
      "b.csv");
  ASSERT_TRUE(t);
  EXPECT_NEAR(t->temperature_c[0], 20.0, 1e-9);
  EXPECT_NEAR(t->frequency_hz[0], 10.0, 1e-7);
  EXPECT_DOUBLE_EQ(t->storage[0], 5e5);
  EXPECT_DOUBLE_EQ(t->loss[0], 1e5);
}

TEST(ModulusTable, WhatItRefuses) {
  EXPECT_FALSE(read_modulus_table("time_s,force_N\n0,1\n1,2\n", "c.csv"));
  EXPECT_FALSE(read_modulus_table("{\"model\": 1}", "d.json"));
  EXPECT_THROW(read_modulus_table("T,f,E',G'\nC,Hz,MPa,MPa\n20,1,5,5\n20,2,6,6\n", "e.csv"), Error);    // two moduli
  EXPECT_THROW(read_modulus_table("T,f,E',E''\nC,Hz,mm,mm\n20,1,5,5\n20,2,6,6\n", "f.csv"), Error);     // no modulus
  EXPECT_THROW(read_modulus_table("T,f,E',E''\nC,Hz,MPa,MPa\n20,1,5,5\n20,2,-6,6\n", "g.csv"), Error);  // negative
  EXPECT_THROW(read_modulus_table("T,f,E',E''\nbar,Hz,MPa,MPa\n20,1,5,5\n20,2,6,6\n", "h.csv"),
               Error);  // no temperature
}

}  // namespace
}  // namespace kdyn::inline io
