// The demo: the four kernels on each engine of this machine, checked; a picture filtered to PNG;
// times. Usage: demo [--quick]
#include "Demo.hpp"
#include "KernelFile.hpp"

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  const bool isQuick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
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
