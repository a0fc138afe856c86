// What the benches of launches share: a kernel by its number of arguments, and figures that
// processes of their own print.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

/// A kernel of one program that stores the sum of its integers.
inline std::string sumKernel(int integers) {
  std::string parameters, sum = "0";
  for (int i = 0; i < integers; ++i) {
    parameters += ", a" + std::to_string(i);
    sum += " + a" + std::to_string(i);
  }
  return "import triton\nimport triton.language as tl\n\n@triton.jit\ndef add(x" + parameters + "):\n    tl.store(x, " +
         sum + ")\n";
}

/// The number that this program prints when it is run with these arguments and variables; -1 where
/// it fails.
inline double printedBy(std::vector<const char *> arguments,
                        const std::vector<std::pair<const char *, std::string>> &variables) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  arguments.insert(arguments.begin(), "bench");
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto &[name, value] : variables)
      setenv(name, value.c_str(), 1);
    dup2(ends[1], 1);
    execv("/proc/self/exe", const_cast<char *const *>(arguments.data()));
    _exit(1);
  }
  close(ends[1]);
  char text[64] = "";
  if (read(ends[0], text, sizeof text - 1) < 0)
    text[0] = 0;
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0 ? std::atof(text) : -1;
}

inline double medianOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}
