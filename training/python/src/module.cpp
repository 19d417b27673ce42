// The extension module `tenet_train._hooks`: what the Python half of the collector calls.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstring>
#include <deque>
#include <unordered_map>

#include "describe.hpp"
#include "hook.hpp"
#include "stack.hpp"
#include "tensor.hpp"
#include "variables.hpp"

namespace tenet::training::collect {
namespace {

std::deque<Hook>& hooks() {
  static std::deque<Hook> instance;  // never shrinks: code objects and entries point into it
  return instance;
}

Name* name_of(PyObject* text) {
  static std::unordered_map<std::string, Name> known;
  const char* bytes = PyUnicode_AsUTF8(text);
  if (bytes == nullptr) return nullptr;
  auto [entry, added] = known.try_emplace(bytes);
  if (added) entry->second = Name(bytes);
  return &entry->second;
}

// A plain value as a slot; false with an exception if it is none.
bool slot(PyObject* value, std::uint8_t& type, std::uint64_t& bits) {
  bits = 0;
  if (value == Py_None) {
    type = TENET_TRACE_NONE;
  } else if (PyBool_Check(value)) {
    type = TENET_TRACE_BOOL;
    bits = value == Py_True;
  } else if (PyLong_Check(value)) {
    type = TENET_TRACE_INT;
    bits = static_cast<std::uint64_t>(PyLong_AsLongLong(value));
  } else if (PyFloat_Check(value)) {
    type = TENET_TRACE_FLOAT;
    bits = std::bit_cast<std::uint64_t>(PyFloat_AS_DOUBLE(value));
  } else if (PyUnicode_Check(value)) {
    type = TENET_TRACE_STR;
    const Name* name = name_of(value);
    if (name == nullptr) return false;
    bits = name->id();
  } else {
    PyErr_SetString(PyExc_TypeError, "not a plain value");
    return false;
  }
  return PyErr_Occurred() == nullptr;
}

PyObject* none_or_error(int status) {
  if (status == 0) Py_RETURN_NONE;
  PyErr_SetString(PyExc_OSError, tenet_trace_message(status));
  return nullptr;
}

PyObject* open(PyObject*, PyObject* arguments) {
  const char* prefix = nullptr;
  Py_ssize_t tail = 0;
  if (PyArg_ParseTuple(arguments, "s|n", &prefix, &tail) == 0) return nullptr;
  if (trace().handle != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "a trace is open");
    return nullptr;
  }
  tenet_trace_options options{};
  options.struct_size = sizeof options;
  options.tail_bytes = static_cast<std::size_t>(tail);
  trace().handle = tenet_trace_open(prefix, &options);
  if (trace().handle == nullptr) return PyErr_SetFromErrnoWithFilename(PyExc_OSError, prefix);
  ++trace().epoch;
  return PyUnicode_FromString(tenet_trace_path(trace().handle));
}

PyObject* close(PyObject*, PyObject*) {
  set_active(false);
  if (trace().handle == nullptr) Py_RETURN_NONE;
  const int status = tenet_trace_close(trace().handle);
  trace().handle = nullptr;
  return none_or_error(status);
}

PyObject* flush(PyObject*, PyObject*) { return none_or_error(tenet_trace_flush(trace().handle)); }

PyObject* path(PyObject*, PyObject*) {
  if (trace().handle == nullptr) Py_RETURN_NONE;
  return PyUnicode_FromString(tenet_trace_path(trace().handle));
}

PyObject* statistics(PyObject*, PyObject*) {
  tenet_trace_statistics found{};
  found.struct_size = sizeof found;
  if (trace().handle == nullptr || tenet_trace_get_statistics(trace().handle, &found) != 0) Py_RETURN_NONE;
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "records", found.records, "dropped", found.dropped, "blocks",
                       found.blocks, "stored_bytes", found.stored_bytes, "raw_bytes", found.raw_bytes);
}

PyObject* start(PyObject*, PyObject* arguments) {
  PyObject* torch = nullptr;
  PyObject* foreign = nullptr;
  int frames = 1;
  if (PyArg_ParseTuple(arguments, "OO!|p", &torch, &PyTuple_Type, &foreign, &frames) == 0) return nullptr;
  if (tensors_start(torch) != 0) return nullptr;
  set_foreign_folders(foreign);
  if (frames != 0 && !start_frames()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* activate(PyObject*, PyObject* on) {
  set_active(PyObject_IsTrue(on) == 1 && trace().handle != nullptr);
  Py_RETURN_NONE;
}

PyObject* watch(PyObject*, PyObject* arguments, PyObject* named) {
  static const char* names[] = {
      "target",         "name",         "record",      "has_self", "outermost", "user_only", "outer_callbacks",
      "argument_limit", "result_limit", "outer_limit", "before",   "after",     nullptr};
  PyObject* target = nullptr;
  const char* name = nullptr;
  int record = 1, has_self = 0, outermost = 0, user_only = 0, outer_callbacks = 0;
  Py_ssize_t argument_limit = 0, result_limit = 0, outer_limit = 0;
  PyObject *before = Py_None, *after = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, named, "Os|$pppppnnnOO", const_cast<char**>(names), &target, &name,
                                  &record, &has_self, &outermost, &user_only, &outer_callbacks, &argument_limit,
                                  &result_limit, &outer_limit, &before, &after) == 0) {
    return nullptr;
  }
  PyObject* code = PyFunction_Check(target) ? PyFunction_GET_CODE(target) : PyCode_Check(target) ? target : nullptr;
  Hook* hook = code == nullptr ? nullptr : watched_code(code);
  const bool known = hook != nullptr;
  if (!known) hook = &hooks().emplace_back();
  hook->name = Name(name);
  hook->record = record != 0;
  hook->has_self = has_self != 0;
  hook->outermost = outermost != 0;
  hook->user_only = user_only != 0;
  hook->argument_limit = static_cast<std::size_t>(argument_limit);
  hook->outer_callbacks = outer_callbacks != 0;
  hook->outer_limit = static_cast<std::size_t>(outer_limit);
  hook->result_limit = static_cast<std::size_t>(result_limit);
  Py_XDECREF(hook->before);
  Py_XDECREF(hook->after);
  hook->before = before == Py_None ? nullptr : Py_NewRef(before);
  hook->after = after == Py_None ? nullptr : Py_NewRef(after);
  hook->disabled = false;
  if (!known && !(code != nullptr ? watch_code(code, *hook) : watch_builtin(target, *hook))) {
    hooks().pop_back();
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* is_watched(PyObject*, PyObject* function) {
  PyObject* code = PyFunction_Check(function) ? PyFunction_GET_CODE(function) : function;
  if (!PyCode_Check(code)) Py_RETURN_FALSE;
  return PyBool_FromLong(watched_code(code) != nullptr);
}

PyObject* stop(PyObject*, PyObject*) {
  set_active(false);
  watch_no_code();
  watch_no_builtins();
  Py_RETURN_NONE;
}

PyObject* context(PyObject*, PyObject* arguments) {
  PyObject *key = nullptr, *value = nullptr;
  int thread = 0;
  if (PyArg_ParseTuple(arguments, "UO|p", &key, &value, &thread) == 0) return nullptr;
  std::uint8_t type = 0;
  std::uint64_t bits = 0;
  const Name* name = name_of(key);
  if (name == nullptr || trace().handle == nullptr) Py_RETURN_NONE;
  if (!slot(value, type, bits)) return nullptr;
  return none_or_error(tenet_trace_context(trace().handle, thread != 0 ? TENET_TRACE_THREAD : TENET_TRACE_PROCESS,
                                           name->id(), type, bits));
}

PyObject* scalar(PyObject*, PyObject* arguments) {
  PyObject *key = nullptr, *value = nullptr;
  if (PyArg_ParseTuple(arguments, "UO", &key, &value) == 0) return nullptr;
  std::uint8_t type = 0;
  std::uint64_t bits = 0;
  const Name* name = name_of(key);
  if (name == nullptr || trace().handle == nullptr) Py_RETURN_NONE;
  if (!slot(value, type, bits)) return nullptr;
  return none_or_error(tenet_trace_scalar(trace().handle, name->id(), type, bits));
}

PyObject* note(PyObject*, PyObject* text) {
  const Name* name = name_of(text);
  if (name == nullptr) return nullptr;
  if (trace().handle == nullptr) Py_RETURN_NONE;
  return none_or_error(tenet_trace_note(trace().handle, name->id(), 0, nullptr, 0));
}

// state(name, type, fields): `fields` maps keys to plain values or tensors, which are summarised whole.
PyObject* state(PyObject*, PyObject* arguments) {
  PyObject *name = nullptr, *type = nullptr, *values = nullptr;
  if (PyArg_ParseTuple(arguments, "UUO!", &name, &type, &PyDict_Type, &values) == 0) return nullptr;
  if (trace().handle == nullptr) Py_RETURN_NONE;
  static Keys root("");
  Fields fields;
  const Detail detail{SIZE_MAX, !tensors_are_watched(), true};
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(values, &position, &key, &value) != 0) {
    if (PyUnicode_Check(key)) describe(fields, root.at(key), value, detail);
  }
  if (PyErr_Occurred() != nullptr) return nullptr;
  return none_or_error(tenet_trace_state(trace().handle, name_of(name)->id(), name_of(type)->id(), fields.layout(),
                                         fields.values(), fields.bytes()));
}

// summary(tensor): a dictionary, or the reason why there is none.
PyObject* summary(PyObject*, PyObject* tensor) {
  if (!is_tensor(tensor)) {
    PyErr_SetString(PyExc_TypeError, "not a tensor");
    return nullptr;
  }
  const Contents found = contents(tensor, SIZE_MAX);
  if (found.missing != nullptr) return PyUnicode_FromString(found.missing);
  const tenet_summary& s = found.summary;
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:d,s:d,s:d,s:d}", "hash", s.hash, "count", s.count, "nan", s.nan, "inf",
                       s.inf, "norm", s.norm, "sum", s.sum, "min", s.min, "max", s.max);
}

PyObject* group(PyObject*, PyObject*) { return PyLong_FromSsize_t(new_group()); }

PyObject* group_clear(PyObject*, PyObject* number) {
  const Py_ssize_t which = PyLong_AsSsize_t(number);
  if (PyErr_Occurred() != nullptr) return nullptr;
  clear_group(which);
  Py_RETURN_NONE;
}

PyObject* group_add(PyObject*, PyObject* arguments) {
  Py_ssize_t which = 0;
  PyObject *module = nullptr, *key = nullptr;
  const char* name = nullptr;
  int buffer = 0;
  if (PyArg_ParseTuple(arguments, "nOUsp", &which, &module, &key, &name, &buffer) == 0) return nullptr;
  if (add_variable(which, module, key, name, buffer != 0) != 0) return nullptr;
  Py_RETURN_NONE;
}

PyObject* group_optimized(PyObject*, PyObject* arguments) {
  Py_ssize_t which = 0;
  PyObject* optimizers = nullptr;
  if (PyArg_ParseTuple(arguments, "nO!", &which, &PyDict_Type, &optimizers) == 0) return nullptr;
  mark_optimized(which, optimizers);
  Py_RETURN_NONE;
}

PyObject* observe_group(PyObject*, PyObject* arguments) {
  Py_ssize_t which = 0;
  int what = 0;
  long long step = 0;
  if (PyArg_ParseTuple(arguments, "niL", &which, &what, &step) == 0) return nullptr;
  if (trace().handle == nullptr) Py_RETURN_NONE;
  return PyLong_FromSsize_t(observe(which, what, step));
}

PyObject* failure_count(PyObject*, PyObject*) {
  return Py_BuildValue("(Ks)", failures().count, failures().last.c_str());
}

PyObject* count_failure(PyObject*, PyObject* text) {
  const char* bytes = PyUnicode_AsUTF8(text);
  if (bytes == nullptr) return nullptr;
  ++failures().count;
  failures().last = bytes;
  return note(nullptr, text);
}

PyObject* calls(PyObject*, PyObject*) {
  std::unordered_map<std::string, std::uint64_t> counts;
  for (const Hook& hook : hooks()) counts[hook.name.text()] += hook.calls;
  PyObject* result = PyDict_New();
  for (const auto& [name, count] : counts) {
    if (result == nullptr || count == 0) continue;
    PyObject* number = PyLong_FromUnsignedLongLong(count);
    if (number != nullptr) PyDict_SetItemString(result, name.c_str(), number);
    Py_XDECREF(number);
  }
  return result;
}

PyObject* name_module(PyObject*, PyObject* arguments) {
  PyObject* object = nullptr;
  const char* name = nullptr;
  if (PyArg_ParseTuple(arguments, "Os", &object, &name) == 0 || !name_object(object, name)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* find_name(PyObject*, PyObject* object) { return variable_name(object); }
PyObject* find_scalars(PyObject*, PyObject*) { return loop_scalars(); }
PyObject* find_instances(PyObject*, PyObject* type) {
  if (PyType_Check(type) == 0) {
    PyErr_SetString(PyExc_TypeError, "not a type");
    return nullptr;
  }
  return instances(type);
}

PyObject* dropped(PyObject*, PyObject* number) {
  const unsigned long long count = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (trace().handle != nullptr) tenet_trace_count_dropped(trace().handle, count);
  Py_RETURN_NONE;
}

// quiet(function, *arguments): calls it with hooks doing nothing in this thread.
PyObject* call_quietly(PyObject*, PyObject* arguments) {
  if (PyTuple_GET_SIZE(arguments) == 0) {
    PyErr_SetString(PyExc_TypeError, "a function is needed");
    return nullptr;
  }
  const Quiet quietly;
  PyObject* rest = PyTuple_GetSlice(arguments, 1, PyTuple_GET_SIZE(arguments));
  PyObject* result = rest == nullptr ? nullptr : PyObject_Call(PyTuple_GET_ITEM(arguments, 0), rest, nullptr);
  Py_XDECREF(rest);
  return result;
}

template <class Function>
PyCFunction function(Function pointer) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(pointer));
}

PyMethodDef methods[] = {
    {"open", function(open), METH_VARARGS, "open(prefix, tail_bytes=0): start the trace of this process."},
    {"close", function(close), METH_NOARGS, "Complete the trace."},
    {"flush", function(flush), METH_NOARGS, "Write what is in the tail as a block."},
    {"path", function(path), METH_NOARGS, "File being written, or None."},
    {"statistics", function(statistics), METH_NOARGS, "Counts of the trace being written, or None."},
    {"start", function(start), METH_VARARGS, "start(torch, foreign_folders, frames=True): get ready to read tensors."},
    {"activate", function(activate), METH_O, "Turn all hooks on or off."},
    {"watch", function(watch), METH_VARARGS | METH_KEYWORDS, "Watch a function, code object or builtin in place."},
    {"is_watched", function(is_watched), METH_O, "Whether a Python function is watched."},
    {"stop", function(stop), METH_NOARGS, "Take all hooks out."},
    {"context", function(context), METH_VARARGS, "context(key, value, thread=False)"},
    {"scalar", function(scalar), METH_VARARGS, "scalar(name, value)"},
    {"note", function(note), METH_O, "A remark about the trace."},
    {"state", function(state), METH_VARARGS, "state(name, type, fields)"},
    {"summary", function(summary), METH_O, "Hash and statistics of a tensor, or why there are none."},
    {"group", function(group), METH_NOARGS, "A new list of variables."},
    {"group_clear", function(group_clear), METH_O, "Empty a list of variables."},
    {"group_add", function(group_add), METH_VARARGS, "group_add(group, module, key, name, buffer)"},
    {"group_optimized", function(group_optimized), METH_VARARGS,
     "group_optimized(group, {id: id of its optimizer, None if it has several})"},
    {"observe", function(observe_group), METH_VARARGS, "observe(group, what, step)"},
    {"failures", function(failure_count), METH_NOARGS, "(number of hooks that failed, the last failure)"},
    {"count_failure", function(count_failure), METH_O, "Count a failure of the Python half."},
    {"calls", function(calls), METH_NOARGS, "Calls seen, by name."},
    {"name_object", function(name_module), METH_VARARGS, "name_object(object, name)"},
    {"variable_name", function(find_name), METH_O, "What the job calls an object."},
    {"loop_scalars", function(find_scalars), METH_NOARGS, "Record numbers of the job's frames."},
    {"instances", function(find_instances), METH_O, "Instances of a type in the job's frames."},
    {"count_dropped", function(dropped), METH_O, "Count records that were not written."},
    {"quietly", function(call_quietly), METH_VARARGS, "quietly(function, *arguments)"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_hooks",
                          "The native half of the collector.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace tenet::training::collect

PyMODINIT_FUNC PyInit__hooks() { return PyModule_Create(&tenet::training::collect::definition); }
