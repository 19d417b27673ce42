#include "variables.hpp"

#include <memory>
#include <string>
#include <vector>

#include "describe.hpp"
#include "keys.hpp"
#include "tensor.hpp"

namespace tenet::training::collect {
namespace {

struct Variable {
  PyObject* module;  // weak reference
  PyObject* key;
  Name name;
  bool buffer;
  bool optimized = false;
  PyObject* optimizer = nullptr;  // never dereferenced: the one that steps it; null if none or several do
  bool known = false;
  bool has_gradient = false;
  long long step = -1;
  Contents data = {};
  Contents gradient = {};
};

std::vector<std::vector<Variable>>& groups() {
  static std::vector<std::vector<Variable>> instance;
  return instance;
}

// Borrowed; null if the variable is gone.
PyObject* tensor_of(const Variable& variable) {
  static PyObject* const parameters = PyUnicode_InternFromString("_parameters");
  static PyObject* const buffers = PyUnicode_InternFromString("_buffers");
  PyObject* module = PyWeakref_GetObject(variable.module);
  if (module == nullptr || module == Py_None) return nullptr;
  PyObject** const attributes = _PyObject_GetDictPtr(module);
  if (attributes == nullptr || *attributes == nullptr) return nullptr;
  PyObject* table = PyDict_GetItemWithError(*attributes, variable.buffer ? buffers : parameters);
  PyObject* tensor = table == nullptr || !PyDict_Check(table) ? nullptr : PyDict_GetItemWithError(table, variable.key);
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  return tensor == nullptr || !is_tensor(tensor) ? nullptr : tensor;
}

bool differ(const Contents& a, const Contents& b) {
  if ((a.missing == nullptr) != (b.missing == nullptr)) return true;
  return a.missing == nullptr && (a.summary.hash != b.summary.hash || a.summary.count != b.summary.count);
}

bool look(Variable& variable, PyObject* tensor, int what) {
  bool changed = !variable.known;
  if ((what & observe_data) != 0 || !variable.known) {
    const Contents now = contents(tensor, SIZE_MAX);
    changed = changed || differ(now, variable.data);
    variable.data = now;
  }
  if (!variable.buffer && ((what & observe_gradients) != 0 || !variable.known)) {
    PyObject* gradient_now = gradient(tensor);
    const bool has = gradient_now != nullptr;
    if (has) {
      const Contents now = contents(gradient_now, SIZE_MAX);
      changed = changed || !variable.has_gradient || differ(now, variable.gradient);
      variable.gradient = now;
      Py_DECREF(gradient_now);
    }
    changed = changed || has != variable.has_gradient;
    variable.has_gradient = has;
  }
  variable.known = true;
  return changed;
}

// What the job itself has noted on a parameter, such as how it is split over processes.
void add_attributes(Fields& fields, PyObject* tensor) {
  static Keys root("");
  PyObject** const attributes = _PyObject_GetDictPtr(tensor);
  if (attributes == nullptr || *attributes == nullptr) return;
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(*attributes, &position, &key, &value) != 0) {
    const bool plain = PyBool_Check(value) || PyLong_CheckExact(value) || PyUnicode_CheckExact(value);
    if (plain && PyUnicode_CheckExact(key) && PyUnicode_GET_LENGTH(key) > 0 && PyUnicode_READ_CHAR(key, 0) != '_') {
      describe(fields, root.at(key), value, Detail{});
    }
  }
}

void write(const Variable& variable, PyObject* tensor) {
  static Keys data("data");
  static Keys grad("grad");
  static const Name needs("requires_grad");
  static const Name in_optimizer("in_optimizer");
  static const Name optimizer("optimizer");
  static const Name parameter("torch.nn.Parameter");
  static const Name buffer("buffer");
  Fields fields;
  add_summary(fields, data, variable.data);
  add_shape(fields, data, tensor);
  if (!variable.buffer) {
    if (variable.has_gradient) {
      add_summary(fields, grad, variable.gradient);
    } else {
      fields.none(grad.value);
    }
    fields.boolean(needs, requires_grad(tensor));
    fields.boolean(in_optimizer, variable.optimized);
    if (variable.optimizer != nullptr) fields.reference(optimizer, variable.optimizer);
    add_attributes(fields, tensor);
  }
  tenet_trace_state(trace().handle, variable.name.id(), (variable.buffer ? buffer : parameter).id(), fields.layout(),
                    fields.values(), fields.bytes());
}

}  // namespace

Py_ssize_t new_group() {
  groups().emplace_back();
  return static_cast<Py_ssize_t>(groups().size()) - 1;
}

void clear_group(Py_ssize_t group) {
  for (Variable& variable : groups().at(static_cast<std::size_t>(group))) {
    Py_DECREF(variable.module);
    Py_DECREF(variable.key);
  }
  groups().at(static_cast<std::size_t>(group)).clear();
}

int add_variable(Py_ssize_t group, PyObject* module, PyObject* key, const char* name, bool buffer) {
  PyObject* reference = PyWeakref_NewRef(module, nullptr);
  if (reference == nullptr) return -1;
  Variable variable{reference, Py_NewRef(key), Name(name), buffer};
  groups().at(static_cast<std::size_t>(group)).push_back(std::move(variable));
  return 0;
}

void mark_optimized(Py_ssize_t group, PyObject* optimizers) {
  for (Variable& variable : groups().at(static_cast<std::size_t>(group))) {
    PyObject* tensor = tensor_of(variable);
    if (tensor == nullptr) continue;
    PyObject* id = PyLong_FromVoidPtr(tensor);
    PyObject* owner = id == nullptr ? nullptr : PyDict_GetItemWithError(optimizers, id);
    if (owner != nullptr) {
      auto* const optimizer = owner == Py_None ? nullptr : static_cast<PyObject*>(PyLong_AsVoidPtr(owner));
      if (!variable.optimized || variable.optimizer != optimizer) variable.step = -1;
      variable.optimized = true;
      variable.optimizer = optimizer;
    }
    if (PyErr_Occurred() != nullptr) PyErr_Clear();
    Py_XDECREF(id);
  }
}

Py_ssize_t observe(Py_ssize_t group, int what, long long step) {
  if (tensors_are_watched()) return 0;
  Py_ssize_t written = 0;
  auto& variables = groups().at(static_cast<std::size_t>(group));
  std::erase_if(variables, [](const Variable& variable) {
    if (PyWeakref_GetObject(variable.module) != Py_None) return false;
    Py_DECREF(variable.module);
    Py_DECREF(variable.key);
    return true;
  });
  for (std::size_t i = 0; i < variables.size(); ++i) {
    PyObject* tensor = tensor_of(variables[i]);
    if (tensor == nullptr) continue;
    Py_INCREF(tensor);
    const bool changed = look(variables[i], tensor, what);
    if (changed || variables[i].step != step) {
      write(variables[i], tensor);
      variables[i].step = step;
      ++written;
    }
    Py_DECREF(tensor);
  }
  return written;
}

}  // namespace tenet::training::collect
