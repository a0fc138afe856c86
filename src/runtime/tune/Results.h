// What tuning found out, kept: in the disk cache by itself, and in a file that can be checked in
// and shipped.
//
// A result belongs to a kernel, a device and a key: the values of the arguments that the tuner was
// told to look at, and the types of the tensors. Each config has its own time, so that a list of
// configs can grow: only the new ones, and the best of the old ones beside them, are timed then.
//
// The shipped file is text, one result per line, in an order of its own, so that two versions of it
// compare well:
//
//     {"tilewise_tuning": 1, "results": [
//     {"kernel": "matmul", "device": "cpu: sapphirerapids, 8 threads", "key": "M=512, ...", "config": "BLOCK: 64, ..."},
//     ...
//     ]}
#pragma once

#include "cache/Folder.h"
#include "runtime/tune/Config.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>

namespace tilewise::tune {

/// Whose result it is.
struct Subject {
  std::string kernel;   ///< Its name.
  std::string identity; ///< What tells its text from others'; the shipped file does without it.
  std::string device;   ///< "cpu: sapphirerapids, 8 threads", "cuda:90: NVIDIA H200"
  std::string key;      ///< "M=512, N=512, a: fp16"
};

/// Seconds by config's text; infinite for one that could not be run.
using Times = std::map<std::string, double>;

/// In the disk cache, which may be null.
Times recallTimes(const Subject &subject, cache::Folder *folder);
void keepTimes(const Subject &subject, const Times &times, cache::Folder *folder);

/// The file to be shipped.
class ResultsFile {
public:
  static Result<ResultsFile> read(const std::string &path);
  /// The text of such a file; its name is for messages.
  static Result<ResultsFile> parse(llvm::StringRef text, const std::string &name);
  /// Adds the results to those that are there, if any; written aside and renamed. Many threads and
  /// processes may do so at once.
  Result<void> write(const std::string &path) const;

  void set(const Subject &subject, const Config &config);
  std::optional<Config> find(const Subject &subject) const;
  /// Takes over the results of another file.
  void add(const ResultsFile &other);
  /// Every result of a kernel on a device, with its key.
  void each(const std::string &kernel, const std::string &device,
            llvm::function_ref<void(const std::string &key, const Config &config)> see) const;
  size_t size() const { return configs_.size(); }

private:
  std::string text() const;

  struct Place {
    std::string kernel, device, key;
    auto operator<=>(const Place &) const = default;
  };
  std::map<Place, std::string> configs_;
};

} // namespace tilewise::tune
