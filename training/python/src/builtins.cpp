// A function written in C is an object that points to an entry with the address of its code. Exchanging the entry for a
// copy with another address lets every call be seen while the object itself stays the same one, whatever name it was
// bound to and whenever. The address is called with the arguments alone, so each watched function has an address of its
// own: a pool of them is stamped out at compile time.
#include <array>
#include <unordered_map>
#include <utility>

#include "hook.hpp"

namespace tenet::training::collect {
namespace {

constexpr std::size_t room = 1536;

struct Entry {
  PyMethodDef* original = nullptr;
  PyMethodDef** place = nullptr;
  PyMethodDef copy{};
  Hook* hook = nullptr;
};

struct Pool {
  std::array<Entry, room> entries;
  std::size_t used = 0;
  std::unordered_map<PyMethodDef**, std::size_t> by_place;
};

Pool& pool() {
  static Pool instance;
  return instance;
}

PyObject* call(std::size_t index, PyObject* self, PyObject* arguments, PyObject* named) {
  const Entry& entry = pool().entries[index];
  PyMethodDef* original = entry.original;
  const auto invoke = [&] {
    if ((original->ml_flags & METH_KEYWORDS) != 0) {
      return reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void*>(original->ml_meth))(self, arguments,
                                                                                                   named);
    }
    return original->ml_meth(self, arguments);
  };
  Hook& hook = *entry.hook;
  if (!Call::wanted(hook, self)) return invoke();

  PyObject* values[17];
  std::size_t count = 0;
  if (hook.has_self) values[count++] = self;
  if ((original->ml_flags & METH_VARARGS) != 0) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments) && count < 17; ++i) {
      values[count++] = PyTuple_GET_ITEM(arguments, i);
    }
  } else if ((original->ml_flags & METH_O) != 0) {
    values[count++] = arguments;
  }
  const bool keywords = (original->ml_flags & METH_KEYWORDS) != 0;
  Call observed(hook, Arguments{{values, count}, nullptr, keywords ? named : nullptr});
  PyObject* result = invoke();
  observed.finish(result);
  return result;
}

template <std::size_t index>
PyObject* plain(PyObject* self, PyObject* arguments) {
  return call(index, self, arguments, nullptr);
}
template <std::size_t index>
PyObject* with_keywords(PyObject* self, PyObject* arguments, PyObject* named) {
  return call(index, self, arguments, named);
}

template <std::size_t... index>
constexpr std::array<PyCFunction, room> plain_table(std::index_sequence<index...>) {
  return {plain<index>...};
}
template <std::size_t... index>
constexpr std::array<PyCFunctionWithKeywords, room> keyword_table(std::index_sequence<index...>) {
  return {with_keywords<index>...};
}
constexpr auto plain_functions = plain_table(std::make_index_sequence<room>{});
constexpr auto keyword_functions = keyword_table(std::make_index_sequence<room>{});

}  // namespace

bool watch_builtin(PyObject* function, Hook& hook) {
  PyMethodDef** place = nullptr;
  if (PyCFunction_CheckExact(function)) {
    place = &reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  } else if (Py_IS_TYPE(function, &PyMethodDescr_Type)) {
    place = &reinterpret_cast<PyMethodDescrObject*>(function)->d_method;
  } else {
    PyErr_SetString(PyExc_TypeError, "not a builtin function or method");
    return false;
  }
  if (((*place)->ml_flags & METH_FASTCALL) != 0) {
    PyErr_SetString(PyExc_TypeError, "calling convention not supported");
    return false;
  }
  Pool& all = pool();
  if (const auto known = all.by_place.find(place); known != all.by_place.end()) {
    Entry& entry = all.entries[known->second];
    entry.hook = &hook;
    *place = &entry.copy;
    return true;
  }
  if (all.used == room) {
    PyErr_SetString(PyExc_RuntimeError, "too many builtin functions");
    return false;
  }
  Entry& entry = all.entries[all.used];
  entry.original = *place;
  entry.place = place;
  entry.copy = **place;
  entry.hook = &hook;
  if ((entry.copy.ml_flags & METH_KEYWORDS) != 0) {
    entry.copy.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(keyword_functions[all.used]));
  } else {
    entry.copy.ml_meth = plain_functions[all.used];
  }
  all.by_place.emplace(place, all.used);
  ++all.used;
  Py_INCREF(function);
  *place = &entry.copy;
  return true;
}

void watch_no_builtins() {
  // Entries stay: a call may be under way in them, and bound methods made meanwhile point to the copies.
  Pool& all = pool();
  for (std::size_t i = all.used; i-- > 0;) {
    if (*all.entries[i].place == &all.entries[i].copy) *all.entries[i].place = all.entries[i].original;
  }
}

}  // namespace tenet::training::collect
