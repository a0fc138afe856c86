// use_openmp(): launches on the threads that torch runs its operators on; torch_threads.py says
// why. OpenMP is called by the addresses of its functions: which library it is, torch decides.
#include "OpenMp.h"

#include "Host.h"

namespace tilewise::python {
namespace {

/// What `#pragma omp parallel` compiles to: runs `work` on `threads` threads, 0 for as many as the
/// calling thread has set.
using Parallel = void (*)(void (*work)(void *), void *data, unsigned threads, unsigned flags);
using Count = int (*)();

Parallel parallel = nullptr;
Count count = nullptr, ownNumber = nullptr;

struct Tasks {
  size_t count;
  void (*task)(void *, size_t);
  void *context;
};

/// On all threads, whatever the number of tasks is: OpenMP ends threads that a smaller team leaves
/// over, and starts others for the next one. Each has the task of its own number, so that it works
/// on the same memory as in the launch before; of what no thread has, others do the programs.
bool runTasks(void *, size_t count, void (*task)(void *, size_t), void *context) {
  Tasks tasks{count, task, context};
  parallel(
      [](void *data) {
        const Tasks &all = *static_cast<Tasks *>(data);
        if (const auto index = size_t(ownNumber()); index < all.count)
          all.task(all.context, index);
      },
      &tasks, 0, 0);
  return true;
}

/// use_openmp(parallel, own_number, count): the addresses of OpenMP's GOMP_parallel and
/// omp_get_thread_num, and of a function that says how many threads the first runs on from the
/// calling thread.
PyObject *useOpenMp(PyObject *, PyObject *given) {
  unsigned long long first, second, third;
  if (!PyArg_ParseTuple(given, "KKK", &first, &second, &third))
    return nullptr;
  parallel = reinterpret_cast<Parallel>(first);
  ownNumber = reinterpret_cast<Count>(second);
  count = reinterpret_cast<Count>(third);
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
