// Reading a tensor without the headers of the library it comes from: through the getters its Python class has.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "keys.hpp"
#include "tenet/training/summary.h"

namespace tenet::training::collect {

// Looks the getters up. 0, or -1 with an exception set; until then nothing is a tensor.
int tensors_start(PyObject* torch);

bool is_tensor(PyObject* object);

// Whether reading the attributes of tensors now could be noticed by the job: while it is being traced, or while a mode of
// its own sees every access.
bool tensors_are_watched();

struct Contents {
  tenet_summary summary;
  const char* missing = nullptr;  // why there is no summary, null if there is one
};

// The contents of a tensor of at most `limit` bytes (more: missing is ""). Lets other threads run for large ones.
Contents contents(PyObject* tensor, std::size_t limit);

// Adds hash, statistics and the rest of a tensor to a record.
void add_tensor(Fields& fields, Keys& keys, PyObject* tensor, std::size_t limit);
void add_summary(Fields& fields, Keys& keys, const Contents& contents);
// Shape and type only.
void add_shape(Fields& fields, Keys& keys, PyObject* tensor);

// The attribute `grad` of a leaf, a new reference; null if there is none.
PyObject* gradient(PyObject* tensor);
bool requires_grad(PyObject* tensor);

}  // namespace tenet::training::collect
