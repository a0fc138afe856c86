// Events and graphs around calls.
#include "runtime/CudaTimer.h"

#include "runtime/CudaStreams.h"
#include "support/Try.h"

namespace tilewise::cuda {

static Result<std::shared_ptr<void>> ownedEvent(int index) {
  TILEWISE_TRY(void *event, createEvent(index));
  return std::shared_ptr<void>(event, [index](void *one) { (void)bool(destroyEvent(index, one)); });
}

Result<Timer> Timer::create(int index) {
  Timer timer;
  timer.index_ = index;
  TILEWISE_TRY(timer.start_, ownedEvent(index));
  TILEWISE_TRY(timer.end_, ownedEvent(index));
  return timer;
}

Result<double> Timer::time(void *stream, const std::function<Result<void>()> &queue) const {
  TILEWISE_CHECK(recordEvent(index_, start_.get(), stream));
  TILEWISE_CHECK(queue());
  TILEWISE_CHECK(recordEvent(index_, end_.get(), stream));
  TILEWISE_CHECK(synchronizeEvent(index_, end_.get()));
  return millisecondsBetween(index_, start_.get(), end_.get());
}

Result<Graph> Graph::record(int index, void *stream, const std::function<Result<void>()> &queue) {
  TILEWISE_CHECK(beginGraph(index, stream));
  Result<void> queued = queue();
  // Ended in every case: the stream would stay in that state.
  Result<void *> made = endGraph(index, stream);
  Graph graph;
  graph.index_ = index;
  if (made)
    graph.graph_ = std::shared_ptr<void>(*made, [index](void *one) { (void)bool(destroyGraph(index, one)); });
  if (!queued || !made)
    return queued ? made.takeFailure() : queued.takeFailure();
  return graph;
}

Result<void> Graph::launch(void *stream) const { return launchGraph(index_, graph_.get(), stream); }

} // namespace tilewise::cuda
