// One watched function and what happens around its calls.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "describe.hpp"

namespace tenet::training::collect {

struct Hook {
  Name name;
  bool record = true;          // write enter and exit records
  bool has_self = false;       // the first argument is the object the method belongs to
  bool outermost = false;      // only calls that are not inside another call of this hook
  bool user_only = false;      // inside another call of this hook, only if `self` is not of a class of the library
  bool outer_callbacks = false;  // `before` and `after` are for the outermost call only
  std::size_t argument_limit = 0;
  std::size_t result_limit = 0;
  std::size_t outer_limit = 0;  // for arguments and results of the outermost call, if larger
  PyObject* before = nullptr;  // called with the arguments; what it returns is handed to `after`
  PyObject* after = nullptr;   // called with the arguments, the result (None if it raised), what `before` returned, raised
  std::vector<std::string> names;  // of the arguments, as far as known
  Py_ssize_t arguments = 0;        // of a Python function: how many have names,
  bool has_rest = false;           // whether *args follows,
  bool has_named = false;          // and **kwargs
  std::vector<Keys*> keys;

  bool disabled = false;
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  int depth = 0;
};

// Arguments of a call. `values` may hold nulls; the rest of a call with * and ** is in `rest` and `named`.
struct Arguments {
  std::span<PyObject* const> values;
  PyObject* rest = nullptr;   // tuple
  PyObject* named = nullptr;  // dict
};

// What is kept between the beginning and the end of a call.
class Call {
 public:
  Call(Hook& hook, const Arguments& arguments);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Whether anything is to be observed at all.
  static bool wanted(const Hook& hook, PyObject* first);

  void finish(PyObject* result);

 private:
  Hook& hook_;
  std::uint64_t id_ = 0;
  bool outermost_ = false;
  PyObject* arguments_ = nullptr;
  PyObject* kept_ = nullptr;
};

// Whether hooks do anything now, in this thread.
bool watching();

// Makes hooks of this thread do nothing while it lives: what the collector does itself is not part of the job.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

// Turns the pending exception into a remark in the trace and counts it; the hook does nothing from here on.
void fail(Hook& hook, const char* where);

struct Failures {
  std::uint64_t count = 0;
  std::string last;
};
Failures& failures();

void set_active(bool active);
void set_library_prefix(const std::string& prefix);

// Builtin functions and methods, watched in place by exchanging the entry their object points to.
bool watch_builtin(PyObject* function, Hook& hook);  // false: not of a kind that can be watched; sets an exception
void watch_no_builtins();

// Python functions, watched in place by a mark on their code object.
bool watch_code(PyObject* code, Hook& hook);
Hook* watched_code(PyObject* code);
void watch_no_code();
bool start_frames();

Keys& argument_keys();
Keys& result_keys();
Keys& self_keys();

}  // namespace tenet::training::collect
