// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kdyn::inline base {
namespace {

TEST(ErrorTest, WhatIsComposedOfPlaceMessageAndRemedy) {
  EXPECT_STREQ(Error(ErrorCode::bad_input, "value -1 is not a number > 0", "rho", "choose a positive value").what(),
               "rho: value -1 is not a number > 0 (choose a positive value)");
  EXPECT_STREQ(Error(ErrorCode::bad_input, "message", "", "").what(), "message");
}

TEST(ErrorTest, PartsAreKept) {
  const Error error(ErrorCode::file_access, "message", "where", "remedy");
  EXPECT_EQ(error.code(), ErrorCode::file_access);
  EXPECT_EQ(error.message(), "message");
  EXPECT_EQ(error.where(), "where");
  EXPECT_EQ(error.remedy(), "remedy");
}

TEST(ErrorTest, CodesAreTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(static_cast<int>(ErrorCode::bad_input), 2);
  EXPECT_EQ(static_cast<int>(ErrorCode::file_access), 4);
  EXPECT_EQ(static_cast<int>(ErrorCode::internal), 5);
}

TEST(ErrorTest, ABrokenAssumptionIsABug) {
  EXPECT_NO_THROW(demand(true, "holds"));
  try {
    demand(false, "one is two");
    FAIL() << "demand let a false statement pass";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::internal);
    EXPECT_NE(std::string(e.what()).find("one is two"), std::string::npos);
  }
}

}  // namespace
}  // namespace kdyn::inline base
