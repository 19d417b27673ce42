#include "describe.hpp"

#include <cstring>
#include <map>
#include <unordered_map>

#include "tensor.hpp"

namespace tenet::training::collect {
namespace {

constexpr Py_ssize_t longest_text = 64;
constexpr Py_ssize_t most_items = 8;
constexpr int deepest = 2;

void text(Fields& fields, const Name& key, const char* bytes, std::size_t length) {
  fields.text(key, tenet_trace_string(trace().handle, bytes, length));
}

void type_and_length(Fields& fields, Keys& keys, PyObject* value, Py_ssize_t length) {
  fields.text(keys.type, type_name(Py_TYPE(value)).id());
  fields.integer(keys.length, length);
}

bool integers(Fields& fields, Keys& keys, PyObject* const* items, Py_ssize_t count) {
  if (count == 0 || count > 16) return false;
  char printed[16 * 22];
  std::size_t length = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyLong_CheckExact(items[i])) return false;
    const long long number = PyLong_AsLongLong(items[i]);
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
    length += static_cast<std::size_t>(
        std::snprintf(printed + length, sizeof printed - length, i == 0 ? "%lld" : ",%lld", number));
  }
  fields.dims(keys.value, tenet_trace_string(trace().handle, printed, length));
  return true;
}

void sequence(Fields& fields, Keys& keys, PyObject* value, const Detail& detail, int depth) {
  PyObject* const* items = PySequence_Fast_ITEMS(value);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
  if (integers(fields, keys, items, count)) return;
  type_and_length(fields, keys, value, count);
  if (depth >= deepest) return;
  for (Py_ssize_t i = 0; i < count && i < most_items; ++i) {
    describe(fields, keys.at(static_cast<std::size_t>(i)), items[i], detail, depth + 1);
  }
}

void mapping(Fields& fields, Keys& keys, PyObject* value, const Detail& detail, int depth) {
  type_and_length(fields, keys, value, PyDict_GET_SIZE(value));
  if (depth >= deepest || PyDict_GET_SIZE(value) > most_items) return;
  PyObject* key = nullptr;
  PyObject* item = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(value, &position, &key, &item) != 0) {
    if (PyUnicode_CheckExact(key)) describe(fields, keys.at(key), item, detail, depth + 1);
  }
}

// Values that print as one short word and of which there are few: element types, devices, layouts, memory formats.
bool word(PyTypeObject* type) {
  static const char* const names[] = {"torch.dtype", "torch.layout", "torch.memory_format", "torch.device",
                                      "torch.qscheme"};
  for (const char* name : names) {
    if (std::strcmp(type->tp_name, name) == 0) return true;
  }
  return false;
}

struct Named {
  PyObject* reference;  // weak: the address may be used again by another object
  Name name;
};

std::unordered_map<const void*, Named>& object_names() {
  static std::unordered_map<const void*, Named> names;
  return names;
}

// Words such as "mean" or "torch.float32"; not paths, sentences or anything else that may be nobody's business.
bool is_word(const char* bytes, Py_ssize_t length) {
  for (Py_ssize_t i = 0; i < length; ++i) {
    const char c = bytes[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::strchr("_.:+-", c) == nullptr) return false;
  }
  return true;
}

}  // namespace

const Name& type_name(PyTypeObject* type) {
  // A type's address may be used again after it is gone; its name object, kept here, may not.
  static std::map<std::pair<PyTypeObject*, PyObject*>, Name> known;
  const bool heap = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
  PyObject* qualified = heap ? reinterpret_cast<PyHeapTypeObject*>(type)->ht_qualname : nullptr;
  const auto found = known.find({type, qualified});
  if (found != known.end()) return found->second;
  std::string name = type->tp_name;
  if (heap) {
    name = PyUnicode_AsUTF8(qualified);
    PyObject* module = PyDict_GetItemString(type->tp_dict, "__module__");
    const char* prefix = module != nullptr && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : nullptr;
    if (prefix != nullptr && std::strcmp(prefix, "builtins") != 0) name = std::string(prefix) + '.' + name;
    PyErr_Clear();
  }
  Py_XINCREF(qualified);
  return known.emplace(std::pair{type, qualified}, Name(name)).first->second;
}

void describe_self(Fields& fields, Keys& keys, PyObject* self) {
  fields.reference(keys.value, self);
  fields.text(keys.type, type_name(Py_TYPE(self)).id());
  static PyObject* const training = PyUnicode_InternFromString("training");
  PyObject** const dictionary = _PyObject_GetDictPtr(self);
  if (dictionary != nullptr && *dictionary != nullptr) {
    PyObject* found = PyDict_GetItemWithError(*dictionary, training);
    if (found == nullptr) PyErr_Clear();
    if (found != nullptr && PyBool_Check(found)) fields.boolean(keys.training, found == Py_True);
  }
  const auto named = object_names().find(self);
  if (named != object_names().end() && PyWeakref_GetObject(named->second.reference) == self) {
    fields.text(keys.name, named->second.name.id());
  }
}

bool name_object(PyObject* object, const char* name) {
  PyObject* reference = PyWeakref_NewRef(object, nullptr);
  if (reference == nullptr) return false;
  auto [entry, added] = object_names().try_emplace(object, Named{reference, Name(name)});
  if (!added) {
    Py_DECREF(entry->second.reference);
    entry->second = Named{reference, Name(name)};
  }
  return true;
}

void describe(Fields& fields, Keys& keys, PyObject* value, const Detail& detail, int depth) {
  if (fields.full()) return;
  if (value == Py_None) {
    fields.none(keys.value);
  } else if (PyBool_Check(value)) {
    fields.boolean(keys.value, value == Py_True);
  } else if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) {
      fields.integer(keys.value, number);
    } else {
      fields.real(keys.value, overflow > 0 ? HUGE_VAL : -HUGE_VAL);
    }
  } else if (PyFloat_CheckExact(value)) {
    fields.real(keys.value, PyFloat_AS_DOUBLE(value));
  } else if (PyUnicode_CheckExact(value)) {
    Py_ssize_t length = 0;
    const char* bytes = PyUnicode_GET_LENGTH(value) > longest_text ? nullptr : PyUnicode_AsUTF8AndSize(value, &length);
    if (bytes == nullptr || !is_word(bytes, length)) {
      PyErr_Clear();
      type_and_length(fields, keys, value, PyUnicode_GET_LENGTH(value));
    } else {
      text(fields, keys.value, bytes, static_cast<std::size_t>(length));
    }
  } else if (PyBytes_CheckExact(value) && PyBytes_GET_SIZE(value) == sizeof(std::uint64_t) && detail.hashes) {
    std::uint64_t hash;
    std::memcpy(&hash, PyBytes_AS_STRING(value), sizeof hash);
    fields.hash(keys.value, hash);
  } else if (is_tensor(value)) {
    if (detail.tensors) {
      add_tensor(fields, keys, value, detail.limit);
    } else {
      fields.text(keys.type, type_name(Py_TYPE(value)).id());
    }
  } else if (PyTuple_Check(value) || PyList_Check(value)) {
    sequence(fields, keys, value, detail, depth);
  } else if (PyDict_Check(value)) {
    mapping(fields, keys, value, detail, depth);
  } else if (word(Py_TYPE(value))) {
    PyObject* printed = PyObject_Str(value);
    Py_ssize_t length = 0;
    const char* bytes = printed == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(printed, &length);
    if (bytes != nullptr) text(fields, keys.value, bytes, static_cast<std::size_t>(length));
    if (bytes == nullptr) PyErr_Clear();
    Py_XDECREF(printed);
  } else {
    fields.text(keys.type, type_name(Py_TYPE(value)).id());
  }
}

}  // namespace tenet::training::collect
