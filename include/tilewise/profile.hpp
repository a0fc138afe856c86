// What a program compiles, tunes, launches and copies while a Profile lives.
//
//     tilewise::Profile profile;
//     ...
//     std::puts(profile.table().c_str());
//     profile.save("trace.json"); // for ui.perfetto.dev
#ifndef TILEWISE_PROFILE_HPP
#define TILEWISE_PROFILE_HPP

#include "device.hpp"
#include "profile.h"

#include <fstream>
#include <string>

namespace tilewise {
inline namespace api {

/// Of all threads of the process; one at a time.
class Profile {
public:
  Profile() { tw_profile_start(); }
  ~Profile() { tw_profile_stop(); }
  Profile(const Profile &) = delete;
  Profile &operator=(const Profile &) = delete;

  /// A Chrome trace.
  std::string trace() const {
    char *text = nullptr;
    detail::check(tw_profile_trace(&text));
    return detail::take(text);
  }
  std::string table() const {
    char *text = nullptr;
    detail::check(tw_profile_table(&text));
    return detail::take(text);
  }
  void save(const std::string &path) const {
    std::ofstream file(path, std::ios::binary);
    file << trace();
    file.close();
    if (!file)
      throw LaunchError("cannot write '" + path + "'");
  }
};

/// What a device can do; measured once per machine, in some seconds.
struct Ceilings {
  double gigabytesPerSecond = 0, gigaflops = 0;

  static Ceilings of(const Device &device, bool measure = true) {
    tw_ceilings found = {};
    detail::check(tw_device_ceilings(device.get(), measure, &found));
    return {found.gigabytes_per_second, found.gigaflops};
  }
};

} // namespace api
} // namespace tilewise

#endif
