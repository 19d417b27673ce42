#include "keys.hpp"

namespace tenet::training::collect {
namespace {

Name field(const std::string& path, const char* suffix) { return Name(path.empty() ? suffix : path + '.' + suffix); }

}  // namespace

Keys::Keys(const std::string& path)
    : value(path),
      norm(field(path, "norm")),
      min(field(path, "min")),
      max(field(path, "max")),
      nan(field(path, "nan")),
      inf(field(path, "inf")),
      shape(field(path, "shape")),
      dtype(field(path, "dtype")),
      device(field(path, "device")),
      requires_grad(field(path, "requires_grad")),
      id(field(path, "id")),
      type(field(path, "type")),
      summary(field(path, "summary")),
      length(field(path, "length")),
      training(field(path, "training")),
      name(field(path, "name")),
      path_(path) {}

std::string Keys::below(const std::string& part) const { return path_.empty() ? part : path_ + '.' + part; }

Keys& Keys::at(std::size_t index) {
  while (indexed_.size() <= index) indexed_.push_back(std::make_unique<Keys>(below(std::to_string(indexed_.size()))));
  return *indexed_[index];
}

Keys& Keys::at(const std::string& part) {
  auto& keys = named_[part];
  if (!keys) keys = std::make_unique<Keys>(below(part));
  return *keys;
}

Keys& Keys::at(PyObject* part) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(part, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return at(std::string("?"));
  }
  return at(std::string(text, static_cast<std::size_t>(size)));
}

}  // namespace tenet::training::collect
