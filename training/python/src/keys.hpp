// The names of fields, as a tree: the keys of a value and of what is inside it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "record.hpp"

namespace tenet::training::collect {

class Keys {
 public:
  explicit Keys(const std::string& path);

  Name value, norm, min, max, nan, inf, shape, dtype, device, requires_grad, id, type, summary, length, training, name;

  Keys& at(std::size_t index);
  Keys& at(PyObject* part);  // a str
  Keys& at(const std::string& part);

 private:
  std::string below(const std::string& part) const;

  std::string path_;
  std::vector<std::unique_ptr<Keys>> indexed_;
  std::unordered_map<std::string, std::unique_ptr<Keys>> named_;
};

}  // namespace tenet::training::collect
