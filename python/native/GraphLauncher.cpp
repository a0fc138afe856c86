// Launches of one kernel from the code that torch's Inductor writes: call after call it gets
// tensors in the same places and most often the same numbers.
//
// Inductor's own launcher is a Python function that works out the grid and calls
// _native.Kernel.run, which asks each tensor for its type, device and address through Python. In a
// graph all that was settled when it was compiled, so it is looked at once, and a call fetches the
// addresses alone: 0.3 us where it took 1.5. Whatever a call has that the first one had not goes to
// Inductor's launcher.
#include "GraphLauncher.h"

#include "Host.h"
#include "KernelObject.h"

#include <algorithm>

namespace tilewise::python {
namespace {

/// What an argument of the launcher was at the first call, and so has to be.
struct Slot {
  enum { Tensor, Integer, Float, Other } kind = Other;
  long long number = 0;     ///< Of an integer: its value at the call that planned the grid.
  Ref object;               ///< Of what is none of the three: this object alone.
  Py_ssize_t argument = -1; ///< Its place among those of the kernel; -1: not passed on.
};

struct Plan {
  /// Of each parameter of the kernel that is no constant, the place among the launcher's.
  std::vector<Py_ssize_t> places;
  std::vector<Slot> slots; ///< Empty before the first call.
  std::vector<tw_argument> arguments;
  int64_t grid[3] = {};
  bool hasGrid = false, isUnsuited = false;
};

constexpr size_t kMost = 64;

/// What `plan` was told last on this thread: the planner is Python, which may change threads.
thread_local int64_t planned[3];

struct GraphLauncher {
  PyObject_HEAD PyObject *kernel;
  PyObject *run;      ///< Inductor's way to `original`, which looks for profilers and the like.
  PyObject *original; ///< Inductor's launcher.
  PyObject *planner;  ///< Its code, with `plan` for what launches.
  PyObject *watched;  ///< A tuple of (dict, name): `run` is called while a value is true.
  PyObject *hooks;    ///< A tuple of lists: `original` is called while one has something.
  PyObject *types;    ///< A tuple: torch's tensor and its parameter.
  void *(*dataPointer)(PyObject *);
  Plan *plan;
};

PyTypeObject *graphLauncherType = nullptr;

GraphLauncher &of(PyObject *self) { return *reinterpret_cast<GraphLauncher *>(self); }

bool isTensor(const GraphLauncher &self, PyObject *object) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  return type == PyTuple_GetItem(self.types, 0) || type == PyTuple_GetItem(self.types, 1);
}

/// Whether somebody wants to see launches; -1 with an exception set.
int isWatched(const GraphLauncher &self) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(self.watched); ++i) {
    PyObject *place = PyTuple_GetItem(self.watched, i);
    PyObject *value = PyDict_GetItemWithError(PyTuple_GetItem(place, 0), PyTuple_GetItem(place, 1));
    if (int is = value ? PyObject_IsTrue(value) : PyErr_Occurred() ? -1 : 0)
      return is;
  }
  return 0;
}

bool hasHooks(const GraphLauncher &self) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(self.hooks); ++i)
    if (PyList_Size(PyTuple_GetItem(self.hooks, i)) != 0)
      return true;
  return false;
}

/// From the first call: what each argument is. False where calls are not plain, without an
/// exception.
bool learn(const GraphLauncher &self, PyObject *const *given, Py_ssize_t count) {
  Plan &plan = *self.plan;
  const tw_kernel *kernel = handle(self.kernel);
  Arguments converted;
  if (!converted.convert(given, count) || !converted.haveMemory() ||
      converted.device({TW_ENGINE_CPU, 0}).engine != TW_ENGINE_CPU) {
    PyErr_Clear(); // Inductor's launcher comes upon it again
    return false;
  }
  std::vector<Slot> slots{size_t(count)};
  for (Py_ssize_t i = 0; i < count; ++i) {
    Slot &slot = slots[size_t(i)];
    if (isTensor(self, given[i])) {
      slot.kind = Slot::Tensor;
    } else if (converted.data()[i].kind == TW_ARGUMENT_INT && PyLong_CheckExact(given[i])) {
      slot.kind = Slot::Integer;
    } else if (PyFloat_CheckExact(given[i])) {
      slot.kind = Slot::Float;
    } else {
      Py_INCREF(given[i]);
      slot.object = Ref(given[i]);
    }
  }
  std::vector<tw_argument> arguments;
  size_t parameter = 0;
  for (Py_ssize_t place : plan.places) {
    if (place < 0 || place >= count || slots[size_t(place)].kind == Slot::Other)
      return false;
    while (tw_kernel_parameter(kernel, parameter).is_constexpr)
      ++parameter;
    slots[size_t(place)].argument = Py_ssize_t(arguments.size());
    arguments.push_back(converted.data()[place]);
    arguments.back().bytes = TW_BYTES_UNKNOWN;
    // By place as long as nothing before it was left out; that is the faster way.
    if (parameter != arguments.size() - 1)
      arguments.back().name = tw_kernel_parameter(kernel, parameter).name;
    ++parameter;
  }
  // Converting calls Python, so another thread may have learnt the same meanwhile.
  plan.slots = std::move(slots);
  plan.arguments = std::move(arguments);
  return true;
}

/// Fills in what differs from call to call, and says whether the grid of the plan holds for these
/// numbers. False where the call is not plain, without an exception.
bool fill(const GraphLauncher &self, PyObject *const *given, tw_argument *arguments, bool &hasGrid) {
  for (size_t i = 0; i < self.plan->slots.size(); ++i) {
    const Slot &slot = self.plan->slots[i];
    tw_argument *argument = slot.argument < 0 ? nullptr : arguments + slot.argument;
    switch (slot.kind) {
    case Slot::Tensor:
      if (!isTensor(self, given[i]))
        return false;
      if (!argument)
        break;
      // A tensor without elements has no memory, and one on the device 'meta' should not be here.
      if (!(argument->value.pointer = self.dataPointer(given[i])))
        return false;
      break;
    case Slot::Integer: {
      int overflow = 0;
      if (!PyLong_CheckExact(given[i]))
        return false;
      const long long number = PyLong_AsLongLongAndOverflow(given[i], &overflow);
      if (overflow)
        return false;
      hasGrid &= number == slot.number;
      if (argument)
        argument->value.i = number;
      break;
    }
    case Slot::Float:
      if (!PyFloat_CheckExact(given[i]))
        return false;
      if (argument)
        argument->value.f = PyFloat_AsDouble(given[i]);
      break;
    case Slot::Other:
      if (given[i] != slot.object.get())
        return false;
      break;
    }
  }
  return true;
}

PyObject *callWith(PyObject *function, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  Ref positional(PyTuple_New(count)), named(PyDict_New());
  if (!positional || !named)
    return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SetItem(positional.get(), i, Py_NewRef(given[i]));
  for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GetItem(names, i), given[count + i]) < 0)
      return nullptr;
  return PyObject_Call(function, positional.get(), named.get());
}

/// The grid of these numbers, from now on. False with an exception set.
bool replan(const GraphLauncher &self, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  if (!Ref(callWith(self.planner, given, count, names)))
    return false;
  Plan &plan = *self.plan;
  std::copy(planned, planned + 3, plan.grid);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (plan.slots[size_t(i)].kind == Slot::Integer)
      plan.slots[size_t(i)].number = PyLong_AsLongLong(given[i]);
  plan.hasGrid = true;
  return true;
}

/// launch(*arguments, stream): as Inductor's launcher.
PyObject *launch(PyObject *object, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  GraphLauncher &self = of(object);
  Plan &plan = *self.plan;
  const int watched = isWatched(self);
  if (watched < 0)
    return nullptr;
  // The stream alone is named, and the CPU has none.
  if (watched || !names || PyTuple_Size(names) != 1)
    return callWith(self.run, given, count, names);
  bool isPlain = !plan.isUnsuited && !hasHooks(self);
  if (isPlain && plan.slots.empty())
    isPlain = !(plan.isUnsuited = !learn(self, given, count));
  tw_argument arguments[kMost];
  bool hasGrid = plan.hasGrid;
  isPlain = isPlain && size_t(count) == plan.slots.size();
  if (isPlain) {
    std::copy(plan.arguments.begin(), plan.arguments.end(), arguments);
    isPlain = fill(self, given, arguments, hasGrid);
  }
  if (!isPlain)
    return callWith(self.original, given, count, names);
  if (!hasGrid && !replan(self, given, count, names))
    return nullptr;
  int64_t grid[3];
  std::copy(plan.grid, plan.grid + 3, grid);
  const tw_options &options = reinterpret_cast<Kernel *>(self.kernel)->options;
  const size_t passed = plan.arguments.size();
  tw_kernel *kernel = handle(self.kernel);
  tw_status status;
  Py_INCREF(object); // another thread may drop it meanwhile
  Py_BEGIN_ALLOW_THREADS;
  status = tw_kernel_launch(kernel, {TW_ENGINE_CPU, 0}, nullptr, grid, 3, arguments, passed, &options);
  Py_END_ALLOW_THREADS;
  Py_DECREF(object);
  if (status != TW_OK)
    return raise(status);
  Py_RETURN_NONE;
}

/// plan(grid_0, grid_1, grid_2, ...): takes the place of Kernel.run in the planner.
PyObject *planGrid(PyObject *, PyObject *const *given, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < 3; ++i) {
    planned[i] = count > i ? PyLong_AsLongLong(given[i]) : -1;
    if (PyErr_Occurred())
      return nullptr;
  }
  Py_RETURN_NONE;
}

/// plan_with(planner): before the first launch.
PyObject *planWith(PyObject *object, PyObject *planner) {
  PyObject *old = of(object).planner;
  of(object).planner = Py_NewRef(planner);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  GraphLauncher &self = of(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self.kernel);
  Py_VISIT(self.original);
  Py_VISIT(self.planner);
  Py_VISIT(self.run);
  Py_VISIT(self.watched);
  Py_VISIT(self.hooks);
  Py_VISIT(self.types);
  return 0;
}

// The planner holds a method of this object, and the owner of `run` another.
int clear(PyObject *object) {
  GraphLauncher &self = of(object);
  Py_CLEAR(self.planner);
  Py_CLEAR(self.original);
  Py_CLEAR(self.run);
  return 0;
}

void deallocate(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  GraphLauncher &self = of(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  Py_XDECREF(self.kernel);
  Py_XDECREF(self.watched);
  Py_XDECREF(self.hooks);
  Py_XDECREF(self.types);
  delete self.plan;
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(launch)), METH_FASTCALL | METH_KEYWORDS,
     nullptr},
    {"plan", asMethod(planGrid), METH_FASTCALL, nullptr},
    {"plan_with", planWith, METH_O, nullptr},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_methods, methods},
    {},
};
PyType_Spec spec = {"tilewise._native.GraphLauncher", sizeof(GraphLauncher), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/// graph_launcher(kernel, run, launcher, places, watched, hooks, types, data_pointer): for a kernel
/// that was made from an artifact, Inductor's way to launch it, and Inductor's launcher at its end.
/// `places` has the place of each argument of the kernel that is no constant among those of the
/// launcher, `data_pointer` is the address of torch's function from a tensor to its memory. None
/// where accesses are checked, or the kernel is not for the CPU engine.
PyObject *graphLauncher(PyObject *, PyObject *given) {
  PyObject *kernel, *run, *launcher, *places, *watched, *hooks, *types;
  unsigned long long dataPointer;
  if (!PyArg_ParseTuple(given, "O!OOO!O!O!O!K", kernelType, &kernel, &run, &launcher, &PyTuple_Type, &places,
                        &PyTuple_Type, &watched, &PyTuple_Type, &hooks, &PyTuple_Type, &types, &dataPointer))
    return nullptr;
  const auto &made = *reinterpret_cast<Kernel *>(kernel);
  if (made.engine != TW_ENGINE_CPU || tw_options_checked(&made.options) || PyTuple_Size(places) > Py_ssize_t(kMost))
    Py_RETURN_NONE;
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(graphLauncherType, Py_tp_alloc));
  Ref object(allocate(graphLauncherType, 0));
  if (!object)
    return nullptr;
  GraphLauncher &self = of(object.get());
  self.kernel = Py_NewRef(kernel);
  self.original = Py_NewRef(launcher);
  self.run = Py_NewRef(run);
  self.watched = Py_NewRef(watched);
  self.hooks = Py_NewRef(hooks);
  self.types = Py_NewRef(types);
  self.dataPointer = reinterpret_cast<void *(*)(PyObject *)>(dataPointer);
  self.plan = new Plan;
  for (Py_ssize_t i = 0; i < PyTuple_Size(places); ++i)
    self.plan->places.push_back(PyLong_AsSsize_t(PyTuple_GetItem(places, i)));
  return PyErr_Occurred() ? nullptr : object.release();
}

PyMethodDef functions[] = {
    {"graph_launcher", graphLauncher, METH_VARARGS, nullptr},
    {},
};

} // namespace

bool addGraphLauncher(PyObject *module) {
  graphLauncherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return graphLauncherType && PyModule_AddFunctions(module, functions) == 0 &&
         PyModule_AddObjectRef(module, "GraphLauncher", reinterpret_cast<PyObject *>(graphLauncherType)) == 0;
}

} // namespace tilewise::python
