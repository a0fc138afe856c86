// The demo: the four kernels on each engine of this machine, checked; a picture filtered to PNG;
// times. Usage: demo [--quick|--help]
#include "Demo.hpp"
#include "KernelFile.hpp"

#include <cstdio>
#include <string_view>

int main(int argc, char **argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  const bool isQuick = option == "--quick";
  if (!option.empty() && !isQuick) {
    const bool isHelp = option == "--help" || option == "-h";
    std::fputs(
        "usage: demo [--quick]\n\nRuns four kernels on every engine of this machine, compares them with plain "
        "C++,\nwrites two filtered pictures, and prints a table of times.\n\n  --quick  smaller problems: seconds "
        "instead of a minute\n",
        isHelp ? stdout : stderr);
    return isHelp ? 0 : 2;
  }
  try {
    const auto devices = tilewise::Device::all();
    std::printf("tilewise %s\n", tilewise::version().c_str());
    for (const tilewise::Device &device : devices)
      std::printf("  %-10s %s\n", device.text().c_str(), device.name().c_str());

    std::printf("\nfour kernels on each engine, compared with plain C++:\n");
    bool isGood = true;
    for (const tilewise::Device &device : devices)
      isGood &= demo::checkKernels(device);

    std::printf("\n");
    isGood &= demo::writePictures(devices.back(), programFolder().parent_path().string());

    std::printf("\ntime and bytes moved: one fused kernel | one kernel per pass | plain C++ loops per pass, same "
                "threads (CPU)\n");
    for (const tilewise::Device &device : devices)
      if (device != tilewise::Device("reference"))
        isGood &= demo::printTimes(device, isQuick ? 16 : 1);
    std::printf(isGood ? "\nall results agree\n" : "\nsome results differ, see above\n");
    return isGood ? 0 : 1;
  } catch (const tilewise::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
