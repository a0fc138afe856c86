// Where the examples find the kernel library: the nearest folder `kernels` above the program
// itself.
#pragma once

#include <filesystem>
#include <string>

inline std::filesystem::path programFolder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

inline std::string kernelFile(const std::string &name) {
  for (std::filesystem::path folder = programFolder(); folder != folder.root_path(); folder = folder.parent_path())
    if (std::filesystem::exists(folder / "kernels" / name))
      return (folder / "kernels" / name).string();
  return "kernels/" + name;
}
