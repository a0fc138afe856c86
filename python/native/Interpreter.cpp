// Interpreter mode: expressions over Python objects, evaluated at once.
//
// A thread has one Session, whose interpreter keeps what it has learnt from launch to launch. While
// a kernel runs, its session is the thread's current one, to which operators and calls of the
// language's functions go:
//
//     offsets < n              nb_richcompare of a tensor     "a < b"
//     tl.load(p, mask=m)       tp_call of a Function          "f(x0, mask=k_mask)"
//     x.to(tl.float16)         interpreter_apply("a.to", x)   "a.to(x0)"
#include "Interpreter.h"

#include "Host.h"

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilewise::python {
namespace {

constexpr const char *kOperators[] = {"a + b",  "a - b",  "a * b",  "a / b",  "a // b", "a % b",  "a & b", "a | b",
                                      "a ^ b",  "a << b", "a >> b", "a ** b", "a < b",  "a <= b", "a > b", "a >= b",
                                      "a == b", "a != b", "-a",     "~a",     "+a",     "abs(a)"};

/// What a function of the language is in a session: an operand, or something that Python does.
struct Known {
  Ref operand, python;
};

struct State {
  tw_interpreter *interpreter = nullptr;
  Ref resolver;
  std::array<tw_expression *, std::size(kOperators)> operators{};
  std::unordered_map<std::string, tw_expression *> expressions;
  std::unordered_map<PyObject *, Known> functions;
  std::array<unsigned, 6> program{0, 0, 0, 1, 1, 1};
  unsigned depth = 0; ///< Of launches inside launches.
};

struct Session {
  PyObject_HEAD State *state;
};
PyTypeObject *sessionType = nullptr;
thread_local State *current = nullptr;

State *needSession() {
  if (!current)
    PyErr_SetString(PyExc_RuntimeError,
                    "values of an interpreted kernel can be used only while a kernel runs on this thread");
  return current;
}

/// Raises what belongs to a failed evaluation.
PyObject *fail(State &state) {
  if (PyErr_Occurred())
    return nullptr;
  std::string_view message = tw_last_error();
  if (message.starts_with("error: "))
    message.remove_prefix(7);
  Ref never(PyObject_CallMethod(state.resolver.get(), "fail", "s#", message.data(), Py_ssize_t(message.size())));
  if (never)
    PyErr_SetString(PyExc_SystemError, "fail() must raise");
  return nullptr;
}

struct Evaluation {
  State *state;
  PyObject *const *values;
  Ref result;
};

void give(void *user, size_t index, tw_value *value) {
  auto &evaluation = *static_cast<Evaluation *>(user);
  if (!say(evaluation.state->resolver.get(), evaluation.values[index], value))
    // The exception is pending; the message only ends the evaluation.
    tw_value_error(value, "a value could not be had from Python");
}

void take(void *user, const tw_value *result) {
  auto &evaluation = *static_cast<Evaluation *>(user);
  evaluation.result = read(evaluation.state->resolver.get(), result, evaluation.state->interpreter);
}

PyObject *evaluate(State &state, tw_expression *expression, PyObject *const *values) {
  Evaluation evaluation{&state, values, Ref()};
  if (tw_interpreter_evaluate(state.interpreter, expression, give, take, &evaluation) != TW_OK)
    return fail(state);
  return evaluation.result.release();
}

tw_expression *parse(State &state, const std::string &text, const std::vector<const char *> &names) {
  tw_expression *expression = nullptr;
  if (tw_interpreter_parse(state.interpreter, text.c_str(), names.data(), names.size(), &expression) != TW_OK)
    fail(state);
  return expression;
}

/// `callee(x0, x1, ..., name=k_name, ...)` over the callee's object and the arguments. The text is
/// the key.
PyObject *evaluateCall(State &state, const char *object, const char *callee, PyObject *self, PyObject *positional,
                       Py_ssize_t first, PyObject *named) {
  std::string text = callee;
  text += '(';
  std::vector<PyObject *> values{self};
  Py_ssize_t count = PyTuple_Size(positional);
  for (Py_ssize_t i = first; i < count; ++i) {
    ((text += 'x') += std::to_string(i)) += ", ";
    values.push_back(PyTuple_GetItem(positional, i));
  }
  std::vector<const char *> keywords;
  if (named) {
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (PyDict_Next(named, &at, &key, &value)) {
      const char *name = PyUnicode_AsUTF8AndSize(key, nullptr);
      if (!name)
        return nullptr;
      (((text += name) += "=k_") += name) += ", ";
      keywords.push_back(name);
      values.push_back(value);
    }
  }
  text += ')';
  tw_expression *&expression = state.expressions[text];
  if (!expression) {
    std::vector<std::string> names{object};
    for (Py_ssize_t i = first; i < count; ++i)
      names.push_back("x" + std::to_string(i));
    for (const char *name : keywords)
      names.push_back(std::string("k_") + name);
    std::vector<const char *> texts;
    for (const std::string &name : names)
      texts.push_back(name.c_str());
    expression = parse(state, text, texts);
    if (!expression)
      return nullptr;
  }
  return evaluate(state, expression, values.data());
}

/// A Function of the package, called while a kernel runs. The resolver says once what it is.
PyObject *callFunction(State &state, PyObject *function, PyObject *positional, PyObject *named) {
  auto [entry, isNew] = state.functions.try_emplace(function);
  Known &known = entry->second;
  if (isNew) {
    Ref python(PyObject_CallMethod(state.resolver.get(), "python", "(O)", function));
    PyObject *values[] = {function};
    Ref operand;
    if (python && python.get() == Py_None)
      if (tw_expression *expression = parse(state, "f", {"f"}))
        operand = Ref(evaluate(state, expression, values));
    if (!python || (python.get() == Py_None && !operand)) {
      state.functions.erase(function);
      return nullptr;
    }
    // Its address is the key.
    Py_INCREF(function);
    known = {std::move(operand), std::move(python)};
  }
  if (!known.operand)
    return PyObject_Call(known.python.get(), positional, named);
  return evaluateCall(state, "f", "f", known.operand.get(), positional, 0, named);
}

PyObject *call(PyObject *function, PyObject *positional, PyObject *named) {
  if (current)
    return callFunction(*current, function, positional, named);
  Ref complaint(PyObject_CallMethod(function, "_outside", nullptr));
  if (complaint)
    PyErr_SetObject(PyExc_ValueError, complaint.get());
  return nullptr;
}

/// interpreter_evaluate(expression, names, *values)
PyObject *evaluateText(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
  State *state = needSession();
  const char *text = state && count >= 2 ? PyUnicode_AsUTF8AndSize(arguments[0], nullptr) : nullptr;
  if (!text)
    return nullptr;
  tw_expression *&expression = state->expressions[text];
  if (!expression) {
    std::vector<const char *> names;
    for (Py_ssize_t i = 0; i < PyTuple_Size(arguments[1]); ++i)
      names.push_back(PyUnicode_AsUTF8AndSize(PyTuple_GetItem(arguments[1], i), nullptr));
    expression = parse(*state, text, names);
    if (!expression)
      return nullptr;
  }
  if (count - 2 != PyTuple_Size(arguments[1])) {
    PyErr_SetString(PyExc_TypeError, "interpreter_evaluate takes an expression, names and as many values");
    return nullptr;
  }
  return evaluate(*state, expression, arguments + 2);
}

/// interpreter_apply("a.name", object, *arguments, **named)
PyObject *apply(PyObject *, PyObject *arguments, PyObject *named) {
  State *state = needSession();
  const char *callee =
      state && PyTuple_Size(arguments) >= 2 ? PyUnicode_AsUTF8AndSize(PyTuple_GetItem(arguments, 0), nullptr) : nullptr;
  return callee ? evaluateCall(*state, "a", callee, PyTuple_GetItem(arguments, 1), arguments, 2, named) : nullptr;
}

PyObject *assigned(PyObject *, PyObject *value);

/// The same for every element. A named tuple stays one.
PyObject *assignedElements(PyObject *tuple) {
  Py_ssize_t count = PyTuple_Size(tuple);
  Ref elements(PyTuple_New(count));
  for (Py_ssize_t i = 0; elements && i < count; ++i) {
    PyObject *element = assigned(nullptr, PyTuple_GetItem(tuple, i));
    if (!element)
      return nullptr;
    PyTuple_SetItem(elements.get(), i, element);
  }
  auto *kind = reinterpret_cast<PyObject *>(Py_TYPE(tuple));
  if (!elements || PyTuple_CheckExact(tuple))
    return elements.release();
  return PyObject_HasAttrString(kind, "_fields") ? PyObject_Call(kind, elements.get(), nullptr)
                                                 : PyObject_CallFunctionObjArgs(kind, elements.get(), nullptr);
}

/// interpreter_assigned(value): what a variable holds after `name = value`, where numbers, also
/// those in tuples, become scalars.
PyObject *assigned(PyObject *, PyObject *value) {
  if (PyTuple_Check(value))
    return assignedElements(value);
  if (!PyLong_CheckExact(value) && !PyFloat_CheckExact(value) && !PyBool_Check(value)) {
    Py_INCREF(value);
    return value;
  }
  State *state = needSession();
  Ref function(state ? PyObject_GetAttrString(state->resolver.get(), "to_tensor") : nullptr);
  Ref arguments(function ? PyTuple_Pack(1, value) : nullptr);
  return arguments ? callFunction(*state, function.get(), arguments.get(), nullptr) : nullptr;
}

/// interpreter_active() -> whether a kernel runs on this thread
PyObject *active(PyObject *, PyObject *) { return PyBool_FromLong(current != nullptr); }

State &stateOf(PyObject *object) { return *reinterpret_cast<Session *>(object)->state; }

PyObject *wrapArgument(State &state, tw_status status, tw_operand *operand) {
  return status == TW_OK ? wrapTensor(operand).release() : fail(state);
}

/// argument(type, bits) -> tensor
PyObject *argument(PyObject *self, PyObject *arguments) {
  const char *type;
  unsigned long long bits;
  if (!PyArg_ParseTuple(arguments, "sK", &type, &bits))
    return nullptr;
  tw_operand *operand = nullptr;
  tw_status status = tw_interpreter_argument(stateOf(self).interpreter, type, bits, &operand);
  return wrapArgument(stateOf(self), status, operand);
}

/// pointer(type, name, address, bytes, bytes before) -> tensor; -1 bytes mean that nobody knows
PyObject *pointer(PyObject *self, PyObject *arguments) {
  const char *type, *name;
  unsigned long long address;
  long long bytes, before;
  if (!PyArg_ParseTuple(arguments, "ssKLL", &type, &name, &address, &bytes, &before))
    return nullptr;
  tw_operand *operand = nullptr;
  tw_status status = tw_interpreter_pointer(stateOf(self).interpreter, type, name, address,
                                            bytes < 0 ? TW_BYTES_UNKNOWN : uint64_t(bytes), uint64_t(before), &operand);
  return wrapArgument(stateOf(self), status, operand);
}

/// refusal(name, value) -> why a kernel may not use this value from outside of it under this name,
/// or None
PyObject *refusal(PyObject *self, PyObject *arguments) {
  const char *name;
  PyObject *value;
  if (!PyArg_ParseTuple(arguments, "sO", &name, &value))
    return nullptr;
  Evaluation evaluation{&stateOf(self), &value, Ref()};
  if (tw_interpreter_check_outer(stateOf(self).interpreter, name, give, &evaluation) == TW_OK)
    Py_RETURN_NONE;
  return PyErr_Occurred() ? nullptr : PyUnicode_FromString(tw_last_error());
}

void setProgram(State &state, const std::array<unsigned, 6> &program) {
  state.program = program;
  tw_interpreter_set_program(state.interpreter, program.data(), program.data() + 3);
}

PyObject *runProgram(PyObject *self, const std::array<unsigned, 6> &program, PyObject *body, PyObject *positional,
                     PyObject *named) {
  setProgram(stateOf(self), program);
  return PyObject_Call(body, positional, named);
}

/// run(grid, body, positional, named): every program, one after another; nested launches come back
/// to the program they were in.
PyObject *run(PyObject *self, PyObject *arguments) {
  PyObject *body, *positional, *named;
  unsigned grid[3];
  if (!PyArg_ParseTuple(arguments, "(III)OO!O!", &grid[0], &grid[1], &grid[2], &body, &PyTuple_Type, &positional,
                        &PyDict_Type, &named))
    return nullptr;
  if (PyDict_Size(named) == 0)
    named = nullptr;
  for (unsigned z = 0; z < grid[2]; ++z)
    for (unsigned y = 0; y < grid[1]; ++y)
      for (unsigned x = 0; x < grid[0]; ++x) {
        Ref done(runProgram(self, {x, y, z, grid[0], grid[1], grid[2]}, body, positional, named));
        if (!done)
          return nullptr;
      }
  Py_RETURN_NONE;
}

/// A launch begins: from now on the session is the thread's current one. Gives what leave() takes.
PyObject *enter(PyObject *self, PyObject *) {
  State &state = stateOf(self);
  if (state.depth++ == 0)
    tw_interpreter_reset(state.interpreter);
  current = &state;
  const auto &p = state.program;
  return Py_BuildValue("(IIIIII)", p[0], p[1], p[2], p[3], p[4], p[5]);
}

PyObject *leave(PyObject *self, PyObject *program) {
  State &state = stateOf(self);
  std::array<unsigned, 6> p;
  if (!PyArg_ParseTuple(program, "IIIIII", &p[0], &p[1], &p[2], &p[3], &p[4], &p[5]))
    return nullptr;
  setProgram(state, p);
  if (--state.depth == 0)
    current = nullptr;
  Py_RETURN_NONE;
}

void deallocateSession(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (State *state = reinterpret_cast<Session *>(object)->state) {
    for (auto &[function, known] : state->functions)
      Py_DECREF(function);
    // Operands hold the interpreter, so they go first.
    state->functions.clear();
    tw_interpreter_destroy(state->interpreter);
    delete state;
  }
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(object);
  Py_DECREF(type);
}

/// interpreter_create(resolver) -> Session. Beside what other resolvers do, it answers
/// `python(function)`: what Python does for a function of the language, or None; `to_tensor`: that
/// function; and `fail(message)`, which raises.
PyObject *create(PyObject *, PyObject *resolver) {
  tw_host host = hostOf(resolver);
  tw_interpreter *interpreter;
  if (tw_status status = tw_interpreter_create(&host, &interpreter))
    return raise(status);
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(sessionType, Py_tp_alloc));
  PyObject *self = allocate(sessionType, 0);
  if (!self) {
    tw_interpreter_destroy(interpreter);
    return nullptr;
  }
  auto *state = new State;
  state->interpreter = interpreter;
  Py_INCREF(resolver);
  state->resolver = Ref(resolver);
  reinterpret_cast<Session *>(self)->state = state;
  return self;
}

PyMethodDef sessionMethods[] = {
    {"argument", argument, METH_VARARGS, nullptr},
    {"pointer", pointer, METH_VARARGS, nullptr},
    {"refusal", refusal, METH_VARARGS, nullptr},
    {"run", run, METH_VARARGS, nullptr},
    {"enter", enter, METH_NOARGS, nullptr},
    {"leave", leave, METH_O, nullptr},
    {},
};
PyType_Slot sessionSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateSession)},
    {Py_tp_methods, sessionMethods},
    {},
};
PyType_Spec sessionSpec = {"tilewise._native.Session", sizeof(Session), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, sessionSlots};

PyType_Slot functionSlots[] = {{Py_tp_call, reinterpret_cast<void *>(call)}, {}};
PyType_Spec functionSpec = {"tilewise._native.Function", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                            functionSlots};

PyMethodDef functions[] = {
    {"interpreter_create", create, METH_O, nullptr},
    {"interpreter_active", active, METH_NOARGS, nullptr},
    {"interpreter_assigned", assigned, METH_O, nullptr},
    {"interpreter_evaluate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(evaluateText)), METH_FASTCALL,
     nullptr},
    {"interpreter_apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(apply)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {},
};

} // namespace

PyObject *evaluateOperator(Operator op, PyObject *a, PyObject *b) {
  State *state = needSession();
  if (!state)
    return nullptr;
  tw_expression *&expression = state->operators[size_t(op)];
  if (!expression) {
    expression = b ? parse(*state, kOperators[size_t(op)], {"a", "b"}) : parse(*state, kOperators[size_t(op)], {"a"});
    if (!expression)
      return nullptr;
  }
  PyObject *values[] = {a, b};
  return evaluate(*state, expression, values);
}

bool addInterpreter(PyObject *module) {
  sessionType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&sessionSpec));
  Ref function(PyType_FromSpec(&functionSpec));
  return sessionType && function && PyModule_AddObjectRef(module, "Function", function.get()) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

} // namespace tilewise::python
