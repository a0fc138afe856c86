// The choices of configs that threads of this process are making now.
//
// A thread that wants a choice of a tuner that is making one waits: it may be the same, and samples
// of two races would disturb each other. The list is the process's and not the tuner's, so that a
// child that is forked in the midst of a race, and has only the thread that forked, can empty it.
#pragma once

#include "support/Error.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tilewise::tune {

class Choices {
public:
  static Choices &instance();

  /// Also guards what the tuners know.
  std::mutex mutex;

  /// While it lives, its thread is the one that chooses for a tuner.
  class Turn {
  public:
    ~Turn();
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    friend Choices;
    explicit Turn(const void *tuner) : tuner_(tuner) {}
    const void *const tuner_;
  };

  /// Waits until it is this thread's turn, or until `isKnown` says that there is nothing left to
  /// choose: null then. Fails where this thread has the turn already, as a hook of the tuner has.
  /// The lock is that of `mutex`.
  Result<std::unique_ptr<Turn>> take(std::unique_lock<std::mutex> &lock, const void *tuner, const std::string &kernel,
                                     const std::function<bool()> &isKnown);

  void afterForkInChild();

private:
  struct One {
    const void *tuner;
    std::thread::id thread;
  };
  std::vector<One> underWay_;
  std::condition_variable settled_;
};

} // namespace tilewise::tune
