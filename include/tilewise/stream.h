/* Work that is queued: events, copies that do not wait, pinned memory, memory of a stream, graphs.
 *
 * A GPU works off its streams behind the host's back. What is here lets a program order that work
 * and measure it without waiting for the whole device. Streams and events are the driver's own
 * handles (CUstream, CUevent): foreign ones can be given, too.
 *
 * The CPU and the reference engine have finished a launch when it returns. There a copy is done at
 * once, an event notes the time, and waiting returns at once, so that the same program runs; only
 * graphs need a GPU. */
#ifndef TILEWISE_STREAM_H
#define TILEWISE_STREAM_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Events */

TW_API tw_status tw_event_create(tw_device device, void **event);
TW_API tw_status tw_event_destroy(tw_device device, void *event);
/* The event happens when all that is on the stream now is done. */
TW_API tw_status tw_event_record(tw_device device, void *event, void *stream);
TW_API tw_status tw_event_synchronize(tw_device device, void *event);
TW_API tw_status tw_event_is_done(tw_device device, void *event, bool *done);
/* Milliseconds between two events that have happened. */
TW_API tw_status tw_event_elapsed(tw_device device, void *start, void *end, double *milliseconds);
/* What is put on the stream from now on waits for the event; the host does not. */
TW_API tw_status tw_stream_wait(tw_device device, void *stream, void *event);
TW_API tw_status tw_stream_is_done(tw_device device, void *stream, bool *done);

/* Memory */

/* Host memory that a GPU copies from and to without help: copies of other host memory are slower,
 * and may wait. */
TW_API tw_status tw_host_allocate(tw_device device, size_t bytes, void **memory);
TW_API void tw_host_free(tw_device device, void *memory);

/* As tw_tensor_upload and tw_tensor_download, of a tensor in row-major order, as the next piece of
 * work on the stream. The host memory must stay as it is until that is done. */
TW_API tw_status tw_tensor_upload_on(tw_tensor *tensor, const void *host, size_t bytes, void *stream);
TW_API tw_status tw_tensor_download_on(const tw_tensor *tensor, void *host, size_t bytes, void *stream);

/* A tensor of zeros whose memory comes and goes in the stream's order: nothing waits, neither here
 * nor when it is destroyed, and what is freed is used again. Other streams that use it must be
 * ordered after its creation and before its end by events. */
TW_API tw_status tw_tensor_create_on(tw_device device, tw_dtype dtype, const int64_t *shape, size_t rank, void *stream,
                                     tw_tensor **tensor);

typedef struct tw_held_memory {
  uint64_t used;     /* bytes of tensors that live */
  uint64_t reserved; /* bytes that the device has set aside for these and those to come */
} tw_held_memory;

/* Of tensors made by tw_tensor_create_on, on one device. */
TW_API tw_status tw_device_held_memory(tw_device device, tw_held_memory *held);
/* Gives back what is set aside and not used. */
TW_API tw_status tw_device_trim(tw_device device);

/* Graphs */

/* From here to tw_graph_end, what is put on the stream is recorded and does not run. The stream is
 * not the default one. Arguments are recorded by value: tensors must live as long as the graph. */
TW_API tw_status tw_graph_begin(tw_device device, void *stream);
TW_API tw_status tw_graph_end(tw_device device, void *stream, void **graph);
/* All that was recorded, as one piece of work. */
TW_API tw_status tw_graph_launch(tw_device device, void *graph, void *stream);
TW_API tw_status tw_graph_destroy(tw_device device, void *graph);

#ifdef __cplusplus
}
#endif

#endif
