// Any Python value as fields of a record: plain values as they are, tensors by summary, everything else by its type.
#pragma once

#include "keys.hpp"

namespace tenet::training::collect {

// How much to say about tensors.
struct Detail {
  std::size_t limit = 0;  // summarise tensors of at most so many bytes; 0: none
  bool tensors = true;    // false while the job would notice: tensors are then recorded by their type alone
  bool hashes = false;    // eight bytes are a hash
};

void describe(Fields& fields, Keys& keys, PyObject* value, const Detail& detail, int depth = 0);

// Fully qualified name of a type, `torch.optim.sgd.SGD`; builtins without their module.
const Name& type_name(PyTypeObject* type);

// `self` of a call: identity, type, and whether it is in training mode.
void describe_self(Fields& fields, Keys& keys, PyObject* self);

// A name for an object that calls on it show, such as the path of a module. False with an exception if it cannot have one.
bool name_object(PyObject* object, const char* name);

}  // namespace tenet::training::collect
