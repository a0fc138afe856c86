// Runs tile IR text on the engine under test.
#pragma once

#include "cpu/CpuHarness.h"
#include "engines/OnEngine.h"
#include "runtime/Executable.h"

#include "gtest/gtest.h"

#include <bit>
#include <string>
#include <vector>

namespace tilewise::engines {

inline std::unique_ptr<Executable> loadKernel(const std::string &text) {
  Artifact artifact;
  if (engineUnderTest == Engine::Cpu) {
    artifact = cputest::compileTileIr(text);
    if (artifact.code.empty())
      return nullptr;
  } else {
    artifact.target.engine = engineUnderTest;
    artifact.code = text;
  }
  auto executable = loadExecutable(artifact);
  if (executable)
    return std::move(*executable);
  ADD_FAILURE() << executable.failure().message << "\n" << text;
  return nullptr;
}

inline uint64_t slotFor(int32_t value) { return uint64_t(int64_t(value)); }
inline uint64_t slotFor(float value) { return std::bit_cast<uint32_t>(value); }
template <typename T> uint64_t slotFor(std::vector<T> &values) { return reinterpret_cast<uint64_t>(values.data()); }

template <typename... Arguments>
void runKernel(const std::string &text, std::array<uint32_t, 3> grid, Arguments &&...arguments) {
  auto kernel = loadKernel(text);
  ASSERT_TRUE(kernel);
  std::vector<uint64_t> slots = {slotFor(arguments)...};
  auto done = kernel->launch(slots, {grid}, nullptr);
  ASSERT_TRUE(done) << done.failure().message;
}

/// A kernel that loads a block from each input, computes `body` (which names them %0, %1, .. and
/// its result %r) and stores %r.
inline std::string elementwiseKernel(const std::vector<std::string> &inputs, const std::string &output,
                                     const std::string &body, size_t count) {
  std::string n = std::to_string(count), text = "func.func @kernel(";
  std::vector<std::string> types = inputs;
  types.push_back(output);
  for (size_t i = 0; i < types.size(); ++i)
    text += (i ? ", " : "") + std::string("%p") + std::to_string(i) + ": !tile.ptr<" + types[i] + ">";
  text += ") attributes {tile.kernel} {\n  %range = tile.range 0 to " + n + " : tensor<" + n + "xi32>\n";
  for (size_t i = 0; i < types.size(); ++i) {
    std::string name = std::to_string(i), block = "tensor<" + n + "x!tile.ptr<" + types[i] + ">>";
    text += "  %s" + name + " = tile.splat %p" + name + " : " + block + "\n";
    text += "  %q" + name + " = tile.ptr_add %s" + name + ", %range : " + block + ", tensor<" + n + "xi32>\n";
    if (i < inputs.size())
      text += "  %" + name + " = tile.load %q" + name + " : " + block + " -> tensor<" + n + "x" + types[i] + ">\n";
  }
  text += "  " + body + "\n";
  std::string last = std::to_string(inputs.size());
  text += "  tile.store %q" + last + ", %r : tensor<" + n + "x!tile.ptr<" + output + ">>, tensor<" + n + "x" + output +
          ">\n  return\n}\n";
  return text;
}

template <typename Out, typename A>
std::vector<Out> runUnary(const std::string &in, const std::string &out, const std::string &op, std::vector<A> a) {
  std::vector<Out> result(a.size());
  std::string n = std::to_string(a.size());
  std::string types =
      in == out ? "tensor<" + n + "x" + in + ">" : "tensor<" + n + "x" + in + "> to tensor<" + n + "x" + out + ">";
  if (op.starts_with("tile."))
    types = "tensor<" + n + "x" + in + "> -> tensor<" + n + "x" + out + ">";
  runKernel(elementwiseKernel({in}, out, "%r = " + op + " %0 : " + types, a.size()), {1, 1, 1}, a, result);
  return result;
}

template <typename Out, typename A>
std::vector<Out> runBinary(const std::string &in, const std::string &out, const std::string &op, std::vector<A> a,
                           std::vector<A> b) {
  std::vector<Out> result(a.size());
  std::string type = "tensor<" + std::to_string(a.size()) + "x" + in + ">";
  runKernel(elementwiseKernel({in, in}, out, "%r = " + op + " %0, %1 : " + type, a.size()), {1, 1, 1}, a, b, result);
  return result;
}

} // namespace tilewise::engines
