// Runs kernel text on the engine under test, for tests of what the language means.
#pragma once

#include "driver/Compile.h"
#include "engines/OnEngine.h"
#include "runtime/Executable.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace tilewise::engines {

/// The kernel `k` of a text that follows the usual imports. A failure to compile is in `message`,
/// or a failed test when that is null.
inline std::unique_ptr<Executable> loadSource(const std::string &text, const std::string &signature,
                                              std::string *message = nullptr) {
  SourceFile file("test.py",
                  "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n" + text);
  CompileRequest request;
  request.kernel.file = &file;
  request.kernel.kernel = "k";
  request.kernel.arguments = *frontend::parseSignature(signature);
  request.target.engine = engineUnderTest;
  auto artifact = compile(request);
  if (artifact) {
    auto executable = loadExecutable(*artifact);
    if (executable)
      return std::move(*executable);
    EXPECT_TRUE(executable) << executable.failure().message;
    return nullptr;
  }
  if (message)
    *message = artifact.failure().message;
  else
    ADD_FAILURE() << artifact.failure().message;
  return nullptr;
}

/// Runs one program on buffers of bytes, one per parameter.
template <typename... Buffers>
void runSource(const std::string &text, const std::string &signature, Buffers &...buffers) {
  auto kernel = loadSource(text, signature);
  ASSERT_TRUE(kernel);
  std::vector<uint64_t> slots = {reinterpret_cast<uint64_t>(buffers.data())...};
  auto done = kernel->launch(slots, {{1, 1, 1}}, nullptr);
  ASSERT_TRUE(done) << done.failure().message;
}

} // namespace tilewise::engines
