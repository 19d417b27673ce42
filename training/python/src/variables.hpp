// Parameters and buffers of the job, observed again and again; a record is written when one has changed and at least
// once a step.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tenet::training::collect {

enum { observe_data = 1, observe_gradients = 2 };

// A new, empty list of variables; returns its number.
Py_ssize_t new_group();
void clear_group(Py_ssize_t group);

// Adds `module._parameters[key]` or, if `buffer`, `module._buffers[key]`. 0, or -1 with an exception set.
int add_variable(Py_ssize_t group, PyObject* module, PyObject* key, const char* name, bool buffer);

// Marks the variables whose tensors are in `optimizers`, {id: id of its optimizer or None if it has several}, as being
// in an optimizer.
void mark_optimized(Py_ssize_t group, PyObject* optimizers);

// Returns how many records were written.
Py_ssize_t observe(Py_ssize_t group, int what, long long step);

}  // namespace tenet::training::collect
