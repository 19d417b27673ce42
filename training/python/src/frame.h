/* The only part that knows how this version of CPython lays out frames. In C, since the interpreter's internal headers
 * are not C++. */
#ifndef TENET_COLLECT_FRAME_H
#define TENET_COLLECT_FRAME_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenet_frame tenet_frame; /* a frame of the interpreter */

/* Runs the frame's code as the interpreter would. */
PyObject* tenet_frame_run(PyThreadState* state, tenet_frame* frame, int throwing);

/* Called in place of running a frame whose code was marked with `data`. */
typedef PyObject* (*tenet_frame_hook)(void* data, PyThreadState* state, tenet_frame* frame);

/* From here on, frames of marked code go through `hook`. 0, or -1 with an exception set. */
int tenet_frames_start(tenet_frame_hook hook);
void tenet_frames_stop(void);

/* Marks a code object; null unmarks it. 0, or -1 with an exception set. */
int tenet_code_mark(PyObject* code, void* data);
void* tenet_code_marked(PyObject* code);

/* The local variable at `index` (arguments come first), borrowed, null if it has no value. */
PyObject* tenet_frame_local(tenet_frame* frame, Py_ssize_t index);
PyObject* tenet_frame_code(tenet_frame* frame);    /* borrowed */
PyObject* tenet_frame_globals(tenet_frame* frame); /* borrowed */
/* Number of slots tenet_frame_local knows, and the name of one. */
Py_ssize_t tenet_code_locals(PyObject* code);
PyObject* tenet_code_local_name(PyObject* code, Py_ssize_t index); /* borrowed */
/* 1 if the slot is a cell around its variable. */
int tenet_code_local_is_cell(PyObject* code, Py_ssize_t index);
/* Whether the frame is a module's or class's body, whose variables are in a dictionary. */
int tenet_frame_has_dictionary(tenet_frame* frame);

/* The innermost frame of the thread, and the one that called `frame`; null at the end. */
tenet_frame* tenet_frame_innermost(PyThreadState* state);
tenet_frame* tenet_frame_caller(tenet_frame* frame);

#ifdef __cplusplus
}
#endif
#endif
