#include "hook.hpp"

#include <algorithm>

#include "tensor.hpp"

namespace tenet::training::collect {
namespace {

thread_local int quiet = 0;
bool active = false;
std::string library_prefix = "torch.";

// An exception that was pending before the collector did something stays pending after it.
class Pending {
 public:
  Pending() { PyErr_Fetch(&type_, &value_, &trace_); }
  ~Pending() { PyErr_Restore(type_, value_, trace_); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  PyObject* type() const { return type_; }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* trace_ = nullptr;
};

bool holds_tensor(const Arguments& arguments) {
  for (PyObject* value : arguments.values) {
    if (value != nullptr && (is_tensor(value) || PyTuple_Check(value) || PyList_Check(value))) return true;
  }
  return arguments.rest != nullptr || arguments.named != nullptr;
}

void describe_arguments(Fields& fields, Hook& hook, const Arguments& arguments, std::size_t limit) {
  const Detail detail{limit, !holds_tensor(arguments) || !tensors_are_watched()};
  std::size_t i = 0;
  if (hook.has_self && !arguments.values.empty()) {
    if (arguments.values[0] != nullptr) {
      if (is_tensor(arguments.values[0])) {
        describe(fields, self_keys(), arguments.values[0], detail);
      } else {
        describe_self(fields, self_keys(), arguments.values[0]);
      }
    }
    i = 1;
  }
  for (std::size_t position = i; position < arguments.values.size(); ++position) {
    PyObject* value = arguments.values[position];
    if (value == nullptr) continue;
    while (hook.keys.size() <= position) {
      const std::size_t next = hook.keys.size();
      if (next < hook.names.size()) {
        hook.keys.push_back(&argument_keys().at(hook.names[next]));
      } else {
        hook.keys.push_back(next < i ? &self_keys() : &argument_keys().at(next - i));
      }
    }
    describe(fields, *hook.keys[position], value, detail);
  }
  if (arguments.rest != nullptr && PyTuple_Check(arguments.rest)) {
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(arguments.rest) && n < 16; ++n) {
      describe(fields, argument_keys().at(static_cast<std::size_t>(n)), PyTuple_GET_ITEM(arguments.rest, n), detail);
    }
  }
  if (arguments.named != nullptr && PyDict_Check(arguments.named)) {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t place = 0;
    while (PyDict_Next(arguments.named, &place, &key, &value) != 0) {
      if (PyUnicode_Check(key)) describe(fields, argument_keys().at(key), value, detail);
    }
  }
}

PyObject* packed(const Arguments& arguments) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(arguments.values.size()));
  if (tuple == nullptr) return nullptr;
  for (std::size_t i = 0; i < arguments.values.size(); ++i) {
    PyObject* value = arguments.values[i] == nullptr ? Py_None : arguments.values[i];
    Py_INCREF(value);
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), value);
  }
  if (arguments.rest == nullptr && arguments.named == nullptr) return tuple;
  PyObject* rest = arguments.rest == nullptr ? PyTuple_New(0) : Py_NewRef(arguments.rest);
  PyObject* named = arguments.named == nullptr ? PyDict_New() : Py_NewRef(arguments.named);
  PyObject* all = rest == nullptr || named == nullptr ? nullptr : PyTuple_New(PyTuple_GET_SIZE(tuple) + 2);
  if (all != nullptr) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
      PyTuple_SET_ITEM(all, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
    }
    PyTuple_SET_ITEM(all, PyTuple_GET_SIZE(tuple), Py_NewRef(rest));
    PyTuple_SET_ITEM(all, PyTuple_GET_SIZE(tuple) + 1, Py_NewRef(named));
  }
  Py_XDECREF(rest);
  Py_XDECREF(named);
  Py_DECREF(tuple);
  return all;
}

}  // namespace

Quiet::Quiet() { ++quiet; }
Quiet::~Quiet() { --quiet; }

bool watching() { return active && quiet == 0; }
void set_active(bool on) { active = on; }
void set_library_prefix(const std::string& prefix) { library_prefix = prefix; }

Failures& failures() {
  static Failures instance;
  return instance;
}

Keys& argument_keys() {
  static Keys keys("arg");
  return keys;
}
Keys& result_keys() {
  static Keys keys("ret");
  return keys;
}
Keys& self_keys() {
  static Keys keys("self");
  return keys;
}

void fail(Hook& hook, const char* where) {
  std::string what = "unknown error";
  if (PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
      // The user's, caught at the wrong moment: it is raised again as soon as the job runs on.
      PyErr_Clear();
      PyErr_SetInterrupt();
      return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (type != nullptr) what = reinterpret_cast<PyTypeObject*>(type)->tp_name;
    PyObject* printed = value == nullptr ? nullptr : PyObject_Str(value);
    const char* text = printed == nullptr ? nullptr : PyUnicode_AsUTF8(printed);
    if (text != nullptr) what += std::string(": ") + text;
    Py_XDECREF(printed);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    PyErr_Clear();
  }
  hook.disabled = true;
  ++hook.failures;
  ++failures().count;
  failures().last = hook.name.text() + " (" + where + "): " + what;
  const std::string note = "hook disabled: " + failures().last;
  tenet_trace_note(trace().handle, tenet_trace_string(trace().handle, note.data(), note.size()), 0, nullptr, 0);
}

bool Call::wanted(const Hook& hook, PyObject* first) {
  if (hook.disabled || !watching()) return false;
  if (hook.outermost && hook.depth > 0) return false;
  if (hook.user_only && hook.depth > 0 && first != nullptr) {
    const std::string& type = type_name(Py_TYPE(first)).text();
    if (type.starts_with(library_prefix)) return false;
  }
  return true;
}

Call::Call(Hook& hook, const Arguments& arguments) : hook_(hook) {
  const Pending pending;
  const Quiet quietly;
  outermost_ = hook.depth == 0;
  ++hook.depth;
  ++hook.calls;
  // What is done before the call comes before its record: a step that begins with this call holds the call, and what is
  // noted about the state before it is outside of it.
  if ((hook.before != nullptr || hook.after != nullptr) && (outermost_ || !hook.outer_callbacks)) {
    arguments_ = packed(arguments);
    if (hook.before != nullptr && arguments_ != nullptr) kept_ = PyObject_CallOneArg(hook.before, arguments_);
    if (PyErr_Occurred() != nullptr) fail(hook, "before the call");
  }
  if (!hook.record) return;
  try {
    Fields fields;
    describe_arguments(fields, hook, arguments,
                       outermost_ ? std::max(hook.argument_limit, hook.outer_limit) : hook.argument_limit);
    id_ = tenet_trace_enter(trace().handle, hook.name.id(), fields.layout(), fields.values(), fields.bytes());
  } catch (...) {
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_MemoryError, "out of memory");
  }
  if (PyErr_Occurred() != nullptr) fail(hook, "before the call");
}

void Call::finish(PyObject* result) {
  const Pending pending;
  const Quiet quietly;
  --hook_.depth;
  if (!active) return;
  try {
    if (hook_.after != nullptr && arguments_ != nullptr && !hook_.disabled) {
      PyObject* answer = PyObject_CallFunctionObjArgs(hook_.after, arguments_, result == nullptr ? Py_None : result,
                                                      kept_ == nullptr ? Py_None : kept_,
                                                      result == nullptr ? Py_True : Py_False, nullptr);
      Py_XDECREF(answer);
      if (answer == nullptr) fail(hook_, "after the call");
    }
    if (id_ == 0) return;
    if (result == nullptr) {
      const Name* exception = nullptr;
      static const Name unknown("unknown");
      if (pending.type() != nullptr && PyType_Check(pending.type())) {
        exception = &type_name(reinterpret_cast<PyTypeObject*>(pending.type()));
      }
      tenet_trace_fail(trace().handle, id_, (exception == nullptr ? unknown : *exception).id(), 0, nullptr, 0);
      return;
    }
    Fields fields;
    const std::size_t limit = outermost_ ? std::max(hook_.result_limit, hook_.outer_limit) : hook_.result_limit;
    const bool tensors = is_tensor(result) || PyTuple_Check(result) || PyList_Check(result) || PyDict_Check(result);
    describe(fields, result_keys(), result, Detail{limit, !tensors || !tensors_are_watched()});
    tenet_trace_exit(trace().handle, id_, fields.layout(), fields.values(), fields.bytes());
  } catch (...) {
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_MemoryError, "out of memory");
  }
  if (PyErr_Occurred() != nullptr) fail(hook_, "after the call");
}

Call::~Call() {
  if (arguments_ == nullptr && kept_ == nullptr) return;
  const Pending pending;
  Py_XDECREF(arguments_);
  Py_XDECREF(kept_);
}

}  // namespace tenet::training::collect
