// How long a GPU takes for what was queued: by its own events, of calls or of a recorded graph.
#pragma once

#include "support/Error.h"

#include <functional>
#include <memory>

namespace tilewise::cuda {

/// Two events around something that is queued on a stream.
class Timer {
public:
  static Result<Timer> create(int index);

  /// Milliseconds on the GPU of what `queue` puts on the stream; waits for it.
  Result<double> time(void *stream, const std::function<Result<void>()> &queue) const;

private:
  int index_ = 0;
  std::shared_ptr<void> start_, end_;
};

/// Calls, recorded once and queued as a whole: the host's part of each is gone.
class Graph {
public:
  /// Nothing of it runs yet. The stream is not the default one, which cannot be recorded.
  static Result<Graph> record(int index, void *stream, const std::function<Result<void>()> &queue);

  Result<void> launch(void *stream) const;

private:
  int index_ = 0;
  std::shared_ptr<void> graph_;
};

} // namespace tilewise::cuda
