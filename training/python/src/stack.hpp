// What the job's own code, up the stack, calls things and counts.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tenet::training::collect {

// Frames of files under one of these folders (a tuple of str) are not the job's.
void set_foreign_folders(PyObject* folders);

// The name by which the innermost frame of the job that knows `object` knows it; new reference, None if there is none.
PyObject* variable_name(PyObject* object);

// Numbers the job's innermost frames hold in variables, written to the trace as `loop.NAME` when they changed; a list of
// (name, value) of those seen for the first time.
PyObject* loop_scalars();

// All instances of `type` in variables of the job's frames, as a list of (name, object), innermost first.
PyObject* instances(PyObject* type);

}  // namespace tenet::training::collect
