// What the library has to say reaches the callback, and nobody else.
#include "runtime/Log.h"

#include <gtest/gtest.h>

#include <string>

using namespace tilewise;

TEST(Log, ReachesTheCallbackUntilItIsTakenBack) {
  std::string heard;
  setLogCallback(
      [](tw_log_level level, const char *message, void *user) {
        *static_cast<std::string *>(user) += (level == TW_LOG_WARNING ? "warning " : "info ") + std::string(message);
      },
      &heard);
  log(TW_LOG_WARNING, "slow");
  EXPECT_EQ(heard, "warning slow");
  setLogCallback(nullptr, nullptr);
  log(TW_LOG_INFO, "lost");
  EXPECT_EQ(heard, "warning slow");
}

TEST(Log, WhatAVariableAsksForIsPrintedWithoutACallback) {
  testing::internal::CaptureStderr();
  log(TW_LOG_INFO, "nobody asked");
  logAsked("asked\n");
  log(TW_LOG_WARNING, "slow");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "asked\nslow\n");
}
