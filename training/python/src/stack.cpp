#include "stack.hpp"

#include <string>
#include <unordered_map>
#include <vector>

#include "frame.h"
#include "record.hpp"

namespace tenet::training::collect {
namespace {

constexpr int most_frames = 6;
constexpr Py_ssize_t most_globals = 2000;

std::vector<std::string>& foreign() {
  static std::vector<std::string> folders;
  return folders;
}

bool is_job(tenet_frame* frame) {
  static std::unordered_map<PyObject*, bool> known;  // by file name object, kept alive
  PyObject* file = reinterpret_cast<PyCodeObject*>(tenet_frame_code(frame))->co_filename;
  const auto found = known.find(file);
  if (found != known.end()) return found->second;
  const char* text = PyUnicode_AsUTF8(file);
  if (text == nullptr) {
    PyErr_Clear();
    text = "<";
  }
  bool job = text[0] != '<' || std::string(text).starts_with("<ipython");
  for (const std::string& folder : foreign()) job = job && !std::string(text).starts_with(folder);
  Py_INCREF(file);
  known.emplace(file, job);
  return job;
}

// Calls visit(name, value) for the variables of a frame: its own ones, or those of its module. Stops on true.
template <class Visit>
bool each_variable(tenet_frame* frame, Visit visit) {
  if (!tenet_frame_has_dictionary(frame)) {
    PyObject* code = tenet_frame_code(frame);
    for (Py_ssize_t i = 0; i < tenet_code_locals(code); ++i) {
      PyObject* value = tenet_frame_local(frame, i);
      if (value != nullptr && tenet_code_local_is_cell(code, i) && PyCell_Check(value)) value = PyCell_GET(value);
      if (value != nullptr && visit(tenet_code_local_name(code, i), value)) return true;
    }
    return false;
  }
  PyObject* globals = tenet_frame_globals(frame);
  if (PyDict_GET_SIZE(globals) > most_globals) return false;
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(globals, &position, &key, &value) != 0) {
    if (PyUnicode_CheckExact(key) && visit(key, value)) return true;
  }
  return false;
}

template <class Visit>
void each_frame(Visit visit) {
  tenet_frame* frame = tenet_frame_innermost(PyThreadState_Get());
  for (int seen = 0; frame != nullptr && seen < most_frames; frame = tenet_frame_caller(frame)) {
    if (!is_job(frame)) continue;
    ++seen;
    if (visit(frame)) return;
  }
}

bool is_private(PyObject* name) { return PyUnicode_GET_LENGTH(name) == 0 || PyUnicode_READ_CHAR(name, 0) == '_'; }

// The attribute of `holder` that is `object`; borrowed.
PyObject* attribute_name(PyObject* holder, PyObject* object) {
  PyObject** const attributes = _PyObject_GetDictPtr(holder);
  if (attributes == nullptr || *attributes == nullptr || PyType_Check(holder) || PyModule_Check(holder)) return nullptr;
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(*attributes, &position, &key, &value) != 0) {
    if (value == object && PyUnicode_CheckExact(key)) return key;
  }
  return nullptr;
}

struct Number {
  std::uint8_t type = TENET_TRACE_NONE;
  std::uint64_t value = 0;
  bool operator==(const Number&) const = default;
};

bool number_of(PyObject* object, Number& number) {
  if (PyBool_Check(object)) {
    number = {TENET_TRACE_BOOL, object == Py_True};
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return false;
    number = {TENET_TRACE_INT, static_cast<std::uint64_t>(value)};
  } else if (PyFloat_CheckExact(object)) {
    number = {TENET_TRACE_FLOAT, std::bit_cast<std::uint64_t>(PyFloat_AS_DOUBLE(object))};
  } else {
    return false;
  }
  return true;
}

struct Scalar {
  Name name;
  Number last;
  std::uint32_t epoch = 0;
};

// Writes one number if it is new or has changed; adds it to `first` if it is new. `seen` hides outer variables of the
// same name.
void scalar(PyObject* name, PyObject* value, PyObject* first, std::unordered_map<std::string, bool>& seen) {
  static std::unordered_map<std::string, Scalar> known;
  Number number;
  if (is_private(name) || !number_of(value, number)) return;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) {
    PyErr_Clear();
    return;
  }
  if (!seen.emplace(text, true).second || seen.size() > 64) return;
  auto [entry, added] = known.try_emplace(text);
  Scalar& stored = entry->second;
  const bool is_new = added || stored.epoch != trace().epoch;
  if (added) stored.name = Name(std::string("loop.") + text);
  if (!is_new && stored.last == number) return;
  stored.epoch = trace().epoch;
  stored.last = number;
  tenet_trace_scalar(trace().handle, stored.name.id(), number.type, number.value);
  if (is_new) {
    PyObject* pair = PyTuple_Pack(2, name, value);
    if (pair == nullptr || PyList_Append(first, pair) != 0) PyErr_Clear();
    Py_XDECREF(pair);
  }
}

bool is_options(PyObject* value) {
  const char* type = Py_TYPE(value)->tp_name;
  return std::string_view(type) == "Namespace" || std::string_view(type) == "types.SimpleNamespace";
}

}  // namespace

void set_foreign_folders(PyObject* folders) {
  foreign().clear();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(folders); ++i) {
    const char* text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(folders, i));
    if (text == nullptr) PyErr_Clear();
    if (text != nullptr && *text != '\0') foreign().emplace_back(text);
  }
}

PyObject* variable_name(PyObject* object) {
  PyObject* found = nullptr;
  each_frame([&](tenet_frame* frame) {
    each_variable(frame, [&](PyObject* name, PyObject* value) {
      if (value == object && !is_private(name) && PyUnicode_CompareWithASCIIString(name, "self") != 0) found = name;
      return found != nullptr;
    });
    if (found == nullptr) {
      each_variable(frame, [&](PyObject*, PyObject* value) {
        PyObject* name = attribute_name(value, object);
        if (name != nullptr && !is_private(name)) found = name;
        return found != nullptr;
      });
    }
    return found != nullptr;
  });
  return Py_NewRef(found == nullptr ? Py_None : found);
}

PyObject* loop_scalars() {
  PyObject* first = PyList_New(0);
  if (first == nullptr) return nullptr;
  std::unordered_map<std::string, bool> seen;
  each_frame([&](tenet_frame* frame) {
    each_variable(frame, [&](PyObject* name, PyObject* value) {
      if (is_options(value)) {
        PyObject** const attributes = _PyObject_GetDictPtr(value);
        PyObject *key, *item;
        Py_ssize_t position = 0;
        while (attributes != nullptr && *attributes != nullptr &&
               PyDict_Next(*attributes, &position, &key, &item) != 0) {
          if (PyUnicode_CheckExact(key)) scalar(key, item, first, seen);
        }
      } else {
        scalar(name, value, first, seen);
      }
      return false;
    });
    return false;
  });
  return first;
}

PyObject* instances(PyObject* type) {
  PyObject* list = PyList_New(0);
  if (list == nullptr) return nullptr;
  const auto add = [&](PyObject* name, PyObject* value) {
    if (is_private(name) || PyType_IsSubtype(Py_TYPE(value), reinterpret_cast<PyTypeObject*>(type)) == 0) return;
    PyObject* pair = PyTuple_Pack(2, name, value);
    if (pair == nullptr || PyList_Append(list, pair) != 0) PyErr_Clear();
    Py_XDECREF(pair);
  };
  each_frame([&](tenet_frame* frame) {
    each_variable(frame, [&](PyObject* name, PyObject* value) {
      if (PyUnicode_CompareWithASCIIString(name, "self") == 0) {
        PyObject** const attributes = _PyObject_GetDictPtr(value);
        PyObject *key, *item;
        Py_ssize_t position = 0;
        while (attributes != nullptr && *attributes != nullptr &&
               PyDict_Next(*attributes, &position, &key, &item) != 0) {
          if (PyUnicode_CheckExact(key)) add(key, item);
        }
      } else {
        add(name, value);
      }
      return false;
    });
    return false;
  });
  return list;
}

}  // namespace tenet::training::collect
