// Events, pinned memory and graphs of the C++ interface, over stream.h, which says what each does.
//
//     tilewise::Stream stream("cuda:0");
//     tilewise::PinnedVector<float> values(1000, stream.device());
//     tilewise::Tensor x(tilewise::DType::Float32, {1000}, stream);      memory in the stream's order
//     tilewise::Event start(stream.device()), end(stream.device());
//     start.record(stream);
//     x.upload(values, stream);                                          waits for nothing
//     scale[4].on(stream)(x, 1000, 2.0f, 256);
//     x.download(values, stream);
//     end.record(stream);
//     double milliseconds = end.millisecondsSince(start);                waits for `end`
#ifndef TILEWISE_STREAM_HPP
#define TILEWISE_STREAM_HPP

#include "device.hpp"
#include "stream.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace tilewise {
inline namespace api { // See error.hpp.

/// A point in a stream's work.
class Event {
public:
  explicit Event(Device device) : device_(device) {
    void *made = nullptr;
    detail::check(tw_event_create(device.get(), &made));
    event_.reset(made, [device](void *event) { tw_event_destroy(device.get(), event); });
  }
  /// Around a CUevent that someone else owns.
  Event(Device device, void *foreign) : device_(device), event_(foreign, [](void *) {}) {}

  /// It happens when all that is on the stream now is done.
  void record(const Stream &stream) { detail::check(tw_event_record(device_.get(), event_.get(), stream.get())); }
  void synchronize() const { detail::check(tw_event_synchronize(device_.get(), event_.get())); }
  bool isDone() const {
    bool done = false;
    detail::check(tw_event_is_done(device_.get(), event_.get(), &done));
    return done;
  }
  /// Waits for this event, which is the later one.
  double millisecondsSince(const Event &start) const {
    synchronize();
    double milliseconds = 0;
    detail::check(tw_event_elapsed(device_.get(), start.event_.get(), event_.get(), &milliseconds));
    return milliseconds;
  }
  Device device() const { return device_; }
  void *get() const { return event_.get(); }

private:
  Device device_;
  std::shared_ptr<void> event_;
};

inline void Stream::wait(const Event &event) const {
  detail::check(tw_stream_wait(device_.get(), stream_.get(), event.get()));
}

/// Values in host memory that a GPU copies from and to without help; zeros at first.
template <typename T> class PinnedVector {
public:
  explicit PinnedVector(std::size_t size, Device device) : size_(size) {
    static_assert(detail::kIsElement<T>, "elements are those that a tensor can have");
    void *made = nullptr;
    detail::check(tw_host_allocate(device.get(), size * sizeof(T), &made));
    memory_.reset(static_cast<T *>(made), [device](T *memory) { tw_host_free(device.get(), memory); });
    for (T &value : *this)
      value = T();
  }
  PinnedVector(PinnedVector &&) noexcept = default;
  PinnedVector &operator=(PinnedVector &&) noexcept = default;

  std::size_t size() const { return size_; }
  T *data() { return memory_.get(); }
  const T *data() const { return memory_.get(); }
  T &operator[](std::size_t index) { return data()[index]; }
  const T &operator[](std::size_t index) const { return data()[index]; }
  T *begin() { return data(); }
  T *end() { return data() + size_; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + size_; }

private:
  std::shared_ptr<T> memory_;
  std::size_t size_;
};

/// Launches and copies, recorded once and put on a stream as one piece of work: the host's part of
/// each is gone. Tensors in it must live as long as it does.
class Graph {
public:
  /// What `queue()` puts on the stream is recorded and does not run.
  template <typename Queue> static Graph record(const Stream &stream, Queue &&queue) {
    const Device device = stream.device();
    detail::check(tw_graph_begin(device.get(), stream.get()));
    Ending ending{stream};
    queue();
    return ending.take();
  }

  void launch(const Stream &stream) const {
    detail::check(tw_graph_launch(stream.device().get(), graph_.get(), stream.get()));
  }

private:
  /// Ends a recording in every case: the stream would stay in that state.
  struct Ending {
    const Stream &stream;
    bool isTaken = false;

    Graph take() {
      isTaken = true;
      const Device device = stream.device();
      void *made = nullptr;
      detail::check(tw_graph_end(device.get(), stream.get(), &made));
      Graph graph;
      graph.graph_.reset(made, [device](void *one) { tw_graph_destroy(device.get(), one); });
      return graph;
    }
    ~Ending() {
      void *made = nullptr;
      if (!isTaken && tw_graph_end(stream.device().get(), stream.get(), &made) == TW_OK)
        tw_graph_destroy(stream.device().get(), made);
    }
  };

  Graph() = default;
  std::shared_ptr<void> graph_;
};

} // namespace api
} // namespace tilewise

#endif
