// Live functions through the C interface: a host in C++ answers for the names of two functions and
// watches what it hands out.
#include "tilewise/host.h"

#include "gtest/gtest.h"

#include <map>
#include <set>
#include <string>

namespace {

constexpr const char *kHelper = "    @jit\n"
                                "    def scaled(x):\n"
                                "        return x * SCALE\n";
constexpr const char *kKernel = "@some.decorator\n"
                                "def kernel(x_ptr, BLOCK: tl.constexpr):\n"
                                "    at = tl.arange(0, BLOCK)\n"
                                "    tl.store(x_ptr + at, scaled(tl.load(x_ptr + at)) + SHIFT.amount + TABLE[1])\n";

struct TestHost {
  std::map<std::string, int> asked;
  std::set<void *> held;
  int released = 0;
  tw_source *helper = nullptr;
  int shift = 0; ///< Stands for the object: only its address matters.

  static TestHost &of(void *user) { return *static_cast<TestHost *>(user); }

  tw_host callbacks() {
    tw_host host = {};
    host.struct_size = sizeof host;
    host.user = this;
    host.lookup = [](void *user, const char *name, tw_value *value) {
      TestHost &self = of(user);
      std::string text = name;
      ++self.asked[text];
      if (text == "tl")
        EXPECT_EQ(tw_value_language(value, "triton.language"), TW_OK);
      else if (text == "scaled")
        EXPECT_EQ(tw_value_function(value, self.helper, "scaled"), TW_OK);
      else if (text == "SCALE" || text == "PLAIN")
        tw_value_int(value, 3);
      else if (text == "SHIFT") {
        self.held.insert(&self.shift);
        tw_value_object(value, &self.shift, "the test's object");
      } else if (text == "TABLE") {
        tw_value_tuple(value, 2);
        tw_value_string(tw_value_item(value, 0), "x", 1);
        tw_value_float(tw_value_item(value, 1), 0.5);
      } else if (text == "BROKEN")
        tw_value_error(value, "its battery is empty");
      if (text == "SCALE" || text == "TABLE")
        tw_value_constexpr(value);
    };
    host.attribute = [](void *user, void *object, const char *name, tw_value *value) {
      EXPECT_EQ(object, &of(user).shift);
      if (std::string(name) == "amount")
        tw_value_int(value, 100);
    };
    host.names = [](void *, void (*add)(void *, const char *), void *list) { add(list, "BROKEN"); };
    host.release_object = [](void *user, void *object) { EXPECT_EQ(of(user).held.erase(object), 1u); };
    host.release = [](void *user) { ++of(user).released; };
    return host;
  }

  tw_source *source(const std::string &text, uint32_t firstLine) {
    tw_source *source = nullptr;
    EXPECT_EQ(tw_source_create(text.data(), text.size(), "model.py", firstLine, &source), TW_OK) << tw_last_error();
    tw_host host = callbacks();
    EXPECT_EQ(tw_source_set_host(source, &host), TW_OK) << tw_last_error();
    return source;
  }

  /// The error of launching a one-line kernel body.
  std::string errorOf(const std::string &line) {
    tw_source *own = source("def kernel(x_ptr):\n    " + line + "\n", 50);
    tw_kernel *kernel = nullptr;
    EXPECT_EQ(tw_kernel_create(own, "kernel", &kernel), TW_OK) << tw_last_error();
    tw_source_destroy(own);
    float x = 0;
    tw_argument argument = tw_pointer(&x, TW_FLOAT32);
    int64_t grid = 1;
    EXPECT_EQ(tw_kernel_launch(kernel, {TW_ENGINE_REFERENCE, 0}, nullptr, &grid, 1, &argument, 1, nullptr),
              TW_ERROR_KERNEL);
    std::string error = tw_last_error();
    tw_kernel_destroy(kernel);
    return error;
  }
};

} // namespace

TEST(Host, NamesResolveThroughCallbacks) {
  TestHost host;
  host.helper = host.source(kHelper, 7);
  tw_source *source = host.source(kKernel, 20);
  tw_kernel *kernel = nullptr;
  ASSERT_EQ(tw_kernel_create(source, "kernel", &kernel), TW_OK) << tw_last_error();
  tw_source_destroy(source);

  float x[4] = {1, 2, 3, 4};
  tw_argument arguments[] = {tw_pointer(x, TW_FLOAT32), tw_int(4)};
  int64_t grid = 1;
  ASSERT_EQ(tw_kernel_launch(kernel, {TW_ENGINE_REFERENCE, 0}, nullptr, &grid, 1, arguments, 2, nullptr), TW_OK)
      << tw_last_error();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(x[i], (i + 1) * 3 + 100.5f);
  EXPECT_TRUE(host.asked.count("SCALE"));
  EXPECT_FALSE(host.asked.count("at")) << "local names are no business of the host";

  EXPECT_TRUE(host.held.empty());
  tw_kernel_destroy(kernel);
  EXPECT_EQ(host.released, 1);
  tw_source_destroy(host.helper);
  EXPECT_EQ(host.released, 2);
}

TEST(Host, WhatTheHostCannotGiveIsAnErrorAtTheUsersLine) {
  TestHost host;
  std::string error = host.errorOf("tl.store(x_ptr, BROKEN)");
  EXPECT_NE(error.find("model.py:51:21: error:"), std::string::npos) << error;
  EXPECT_NE(error.find("its battery is empty"), std::string::npos) << error;
}

TEST(Host, UnknownNamesAreComparedWithTheHosts) {
  TestHost host;
  std::string error = host.errorOf("tl.store(x_ptr, BROKN)");
  EXPECT_NE(error.find("did you mean 'BROKEN'?"), std::string::npos) << error;
}

TEST(Host, APlainNumberFromOutsideIsRefused) {
  TestHost host;
  std::string error = host.errorOf("tl.store(x_ptr, PLAIN)");
  EXPECT_NE(error.find("'PLAIN'"), std::string::npos) << error;
  EXPECT_NE(error.find("tl.constexpr"), std::string::npos) << error;
}
