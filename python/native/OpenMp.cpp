// use_openmp(): launches on the threads that torch runs its operators on; torch_threads.py says
// why. OpenMP is called by the addresses of its functions: which library it is, torch decides.
#include "OpenMp.h"

#include "Host.h"

#include <atomic>

namespace tilewise::python {
namespace {

/// What `#pragma omp parallel` compiles to: runs `work` on `threads` threads, 0 for as many as the
/// calling thread has set.
using Parallel = void (*)(void (*work)(void *), void *data, unsigned threads, unsigned flags);
using Count = int (*)();

Parallel parallel = nullptr;
Count count = nullptr;

struct Tasks {
  std::atomic<size_t> next{0};
  size_t count;
  void (*task)(void *, size_t);
  void *context;
};

/// On all threads, whatever the number of tasks is: OpenMP ends threads that a smaller team leaves
/// over, and starts others for the next one.
bool runTasks(void *, size_t count, void (*task)(void *, size_t), void *context) {
  Tasks tasks{{}, count, task, context};
  parallel(
      [](void *data) {
        Tasks &all = *static_cast<Tasks *>(data);
        for (size_t i; (i = all.next.fetch_add(1, std::memory_order_relaxed)) < all.count;)
          all.task(all.context, i);
      },
      &tasks, 0, 0);
  return true;
}

/// use_openmp(parallel, count): the addresses of OpenMP's GOMP_parallel, and of a function that
/// says how many threads it runs on from the calling thread.
PyObject *useOpenMp(PyObject *, PyObject *given) {
  unsigned long long first, second;
  if (!PyArg_ParseTuple(given, "KK", &first, &second))
    return nullptr;
  parallel = reinterpret_cast<Parallel>(first);
  count = reinterpret_cast<Count>(second);
  constexpr uint32_t kMostThreads = 4096;
  const tw_executor executor = {sizeof executor, kMostThreads, runTasks, nullptr,
                                [](void *) { return uint32_t(count()); }};
  if (const tw_status status = tw_set_executor(&executor); status != TW_OK)
    return raise(status);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"use_openmp", useOpenMp, METH_VARARGS, nullptr},
    {},
};

} // namespace

bool addOpenMp(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }

} // namespace tilewise::python
