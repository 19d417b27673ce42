#include <vector>

#include "frame.h"
#include "hook.hpp"

namespace tenet::training::collect {
namespace {

std::vector<PyObject*>& marked() {
  static std::vector<PyObject*> codes;  // kept alive: hooks refer to them
  return codes;
}

PyObject* run(void* data, PyThreadState* state, tenet_frame* frame) {
  Hook& hook = *static_cast<Hook*>(data);
  if (!Call::wanted(hook, hook.has_self ? tenet_frame_local(frame, 0) : nullptr)) {
    return tenet_frame_run(state, frame, 0);
  }
  PyObject* values[32];
  std::size_t count = 0;
  for (Py_ssize_t i = 0; i < hook.arguments && count < 32; ++i) values[count++] = tenet_frame_local(frame, i);
  Arguments arguments{{values, count}};
  Py_ssize_t next = hook.arguments;
  if (hook.has_rest) arguments.rest = tenet_frame_local(frame, next++);
  if (hook.has_named) arguments.named = tenet_frame_local(frame, next);
  Call observed(hook, arguments);
  PyObject* result = tenet_frame_run(state, frame, 0);
  observed.finish(result);
  return result;
}

}  // namespace

bool watch_code(PyObject* code, Hook& hook) {
  const auto* object = reinterpret_cast<PyCodeObject*>(code);
  hook.arguments = object->co_argcount + object->co_kwonlyargcount;
  hook.has_rest = (object->co_flags & CO_VARARGS) != 0;
  hook.has_named = (object->co_flags & CO_VARKEYWORDS) != 0;
  hook.names.clear();
  hook.keys.clear();
  for (Py_ssize_t i = 0; i < hook.arguments; ++i) {
    const char* name = PyUnicode_AsUTF8(tenet_code_local_name(code, i));
    if (name == nullptr) return false;
    hook.names.emplace_back(name);
  }
  if (tenet_code_mark(code, &hook) != 0) return false;
  Py_INCREF(code);
  marked().push_back(code);
  return true;
}

Hook* watched_code(PyObject* code) { return static_cast<Hook*>(tenet_code_marked(code)); }

void watch_no_code() {
  tenet_frames_stop();
  for (PyObject* code : marked()) {
    if (tenet_code_mark(code, nullptr) != 0) PyErr_Clear();
    Py_DECREF(code);
  }
  marked().clear();
}

bool start_frames() { return tenet_frames_start(run) == 0; }

}  // namespace tenet::training::collect
