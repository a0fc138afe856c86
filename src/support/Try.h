// Passing a failure on to the caller: TILEWISE_TRY(auto x, compute()) declares x, or returns
// compute()'s failure.
#pragma once

#include "support/Error.h"

#define TILEWISE_TRY_CONCAT_(a, b) a##b
#define TILEWISE_TRY_NAME_(a, b) TILEWISE_TRY_CONCAT_(a, b)
#define TILEWISE_TRY(declaration, ...)                                                                                 \
  auto TILEWISE_TRY_NAME_(tried, __LINE__) = (__VA_ARGS__);                                                            \
  if (!TILEWISE_TRY_NAME_(tried, __LINE__))                                                                            \
    return TILEWISE_TRY_NAME_(tried, __LINE__).takeFailure();                                                          \
  declaration = std::move(*TILEWISE_TRY_NAME_(tried, __LINE__))
#define TILEWISE_CHECK(...)                                                                                            \
  if (auto checked = (__VA_ARGS__); !checked)                                                                          \
  return checked.takeFailure()
