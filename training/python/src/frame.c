#define Py_BUILD_CORE_MODULE 1
#include "frame.h"

#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030C0000
#error "the collector knows the frames of CPython 3.11 only"
#endif

#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <pthread.h>
#include <stdint.h>

static tenet_frame_hook hook_function;
static _PyFrameEvalFunction previous; /* another tool's, or the interpreter's own */
static Py_ssize_t slot = -1;

static _PyInterpreterFrame* inner(tenet_frame* frame) { return (_PyInterpreterFrame*)frame; }

/* With a frame function installed, a call from Python to Python uses the C stack, which without one it does not. So
 * that a job that recurses deeply does not run out of it, the function is taken out on the lower half of the stack. */
static __thread uintptr_t stack_limit;

static uintptr_t find_stack_limit(void) {
  pthread_attr_t attributes;
  void* base = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  if (size > ((size_t)1 << 32)) return 1; /* unlimited */
  return (uintptr_t)base + size / 2;
}

static PyObject* evaluate(PyThreadState* state, _PyInterpreterFrame* frame, int throwing) {
  if (stack_limit == 0) stack_limit = find_stack_limit();
  char here;
  if ((uintptr_t)&here < stack_limit) {
    PyInterpreterState* interpreter = state->interp;
    _PyInterpreterState_SetEvalFrameFunc(interpreter, previous);
    PyObject* result = previous(state, frame, throwing);
    if (hook_function != NULL) _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
    return result;
  }
  if (frame->f_code->co_extra == NULL || throwing || frame->owner != FRAME_OWNED_BY_THREAD || hook_function == NULL) {
    return previous(state, frame, throwing);
  }
  void* data = NULL;
  if (_PyCode_GetExtra((PyObject*)frame->f_code, slot, &data) != 0 || data == NULL) {
    return previous(state, frame, throwing);
  }
  return hook_function(data, state, (tenet_frame*)frame);
}

PyObject* tenet_frame_run(PyThreadState* state, tenet_frame* frame, int throwing) {
  return previous(state, inner(frame), throwing);
}

int tenet_frames_start(tenet_frame_hook hook) {
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  hook_function = hook;
  if (_PyInterpreterState_GetEvalFrameFunc(interpreter) != evaluate) {
    previous = _PyInterpreterState_GetEvalFrameFunc(interpreter);
    _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
  }
  return 0;
}

void tenet_frames_stop(void) {
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  hook_function = NULL;
  if (_PyInterpreterState_GetEvalFrameFunc(interpreter) == evaluate) {
    _PyInterpreterState_SetEvalFrameFunc(interpreter, previous);
  }
}

int tenet_code_mark(PyObject* code, void* data) {
  if (slot < 0) {
    slot = _PyEval_RequestCodeExtraIndex(NULL);
    if (slot < 0) {
      PyErr_SetString(PyExc_RuntimeError, "no slot left in code objects");
      return -1;
    }
  }
  return _PyCode_SetExtra(code, slot, data);
}

void* tenet_code_marked(PyObject* code) {
  void* data = NULL;
  if (slot >= 0 && _PyCode_GetExtra(code, slot, &data) != 0) PyErr_Clear();
  return data;
}

PyObject* tenet_frame_local(tenet_frame* frame, Py_ssize_t index) { return inner(frame)->localsplus[index]; }
PyObject* tenet_frame_code(tenet_frame* frame) { return (PyObject*)inner(frame)->f_code; }
PyObject* tenet_frame_globals(tenet_frame* frame) { return inner(frame)->f_globals; }

Py_ssize_t tenet_code_locals(PyObject* code) { return ((PyCodeObject*)code)->co_nlocalsplus; }
PyObject* tenet_code_local_name(PyObject* code, Py_ssize_t index) {
  return PyTuple_GET_ITEM(((PyCodeObject*)code)->co_localsplusnames, index);
}
int tenet_code_local_is_cell(PyObject* code, Py_ssize_t index) {
  const _PyLocals_Kind kind = _PyLocals_GetKind(((PyCodeObject*)code)->co_localspluskinds, (int)index);
  return (kind & (CO_FAST_CELL | CO_FAST_FREE)) != 0;
}

int tenet_frame_has_dictionary(tenet_frame* frame) { return (inner(frame)->f_code->co_flags & CO_OPTIMIZED) == 0; }

tenet_frame* tenet_frame_innermost(PyThreadState* state) {
  _PyInterpreterFrame* frame = state->cframe->current_frame;
  while (frame != NULL && _PyFrame_IsIncomplete(frame)) frame = frame->previous;
  return (tenet_frame*)frame;
}

tenet_frame* tenet_frame_caller(tenet_frame* frame) {
  _PyInterpreterFrame* caller = inner(frame)->previous;
  while (caller != NULL && _PyFrame_IsIncomplete(caller)) caller = caller->previous;
  return (tenet_frame*)caller;
}
