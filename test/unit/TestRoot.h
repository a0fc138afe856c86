// Where the tests find the repository's files: the source tree, or TILEWISE_TEST_ROOT on a machine
// that has only the test binary.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace tilewise::test {

/// `relative` is a path inside the repository, as "kernels/softmax.py".
inline std::string rootPath(const std::string &relative) {
  const char *root = std::getenv("TILEWISE_TEST_ROOT");
  return std::string(root ? root : TILEWISE_TEST_ROOT) + "/" + relative;
}

/// The text of a file inside the repository; empty when there is none.
inline std::string readRootFile(const std::string &relative) {
  std::ifstream file(rootPath(relative), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace tilewise::test
