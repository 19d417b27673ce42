#include "tensor.hpp"

#include <charconv>
#include <cstring>
#include <unordered_map>

namespace tenet::training::collect {
namespace {

// A getter or a method without arguments of the tensor class, called without a look-up.
class Reader {
 public:
  bool find(PyObject* dictionary, const char* name) {
    PyObject* found = PyDict_GetItemString(dictionary, name);  // borrowed; the class keeps it alive
    if (found == nullptr) return false;
    if (Py_IS_TYPE(found, &PyGetSetDescr_Type)) {
      getter_ = reinterpret_cast<PyGetSetDescrObject*>(found)->d_getset;
      return getter_->get != nullptr;
    }
    if (Py_IS_TYPE(found, &PyMethodDescr_Type)) {
      method_ = found;
      return true;
    }
    return false;
  }

  // New reference; null without an exception when the tensor does not have it.
  PyObject* operator()(PyObject* tensor) const {
    PyObject* result = nullptr;
    if (getter_ != nullptr) {
      result = getter_->get(tensor, getter_->closure);
    } else if (method_ != nullptr) {
      result = PyObject_CallOneArg(method_, tensor);
    }
    if (result == nullptr) PyErr_Clear();
    return result;
  }

  bool is_true(PyObject* tensor) const {
    PyObject* result = (*this)(tensor);
    const bool answer = result == Py_True;
    Py_XDECREF(result);
    return answer;
  }

 private:
  PyGetSetDef* getter_ = nullptr;
  PyObject* method_ = nullptr;
};

struct Library {
  PyTypeObject* base = nullptr;     // torch._C._TensorBase
  PyObject* tensor = nullptr;       // torch.Tensor
  PyObject* parameter = nullptr;    // torch.nn.Parameter
  PyObject* strided = nullptr;      // torch.strided
  PyObject* tracing = nullptr;      // torch._C._get_tracing_state, optional
  PyObject* modes = nullptr;        // torch._C._len_torch_function_stack, optional
  PyObject* no_override = nullptr;  // torch._C.DisableTorchFunction
  Reader shape, dtype, is_cpu, layout, data_ptr, stride, requires_grad, is_leaf, retains_grad, grad, is_neg, is_conj,
      device;
  std::unordered_map<PyObject*, std::pair<int, Name>> dtypes;  // -1: not one a summary knows
};

Library& library() {
  static Library instance;
  return instance;
}

constexpr std::size_t without_lock = 256 << 10;

// While it lives, the attributes of a tensor subclass are read without the subclass seeing it.
class Unseen {
 public:
  explicit Unseen(PyObject* tensor) {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(tensor));
    if (type == library().tensor || type == library().parameter || library().no_override == nullptr) return;
    guard_ = PyObject_CallNoArgs(library().no_override);
    PyObject* entered = guard_ == nullptr ? nullptr : PyObject_CallMethod(guard_, "__enter__", nullptr);
    if (entered == nullptr) PyErr_Clear();
    Py_XDECREF(entered);
  }
  ~Unseen() {
    if (guard_ == nullptr) return;
    PyObject* left = PyObject_CallMethod(guard_, "__exit__", "OOO", Py_None, Py_None, Py_None);
    if (left == nullptr) PyErr_Clear();
    Py_XDECREF(left);
    Py_DECREF(guard_);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  PyObject* guard_ = nullptr;
};

int read_integers(PyObject* tuple, std::int64_t (&out)[64]) {
  if (tuple == nullptr || !PyTuple_Check(tuple)) return -1;
  const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
  if (count > 64) return -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
    if (out[i] == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return -1;
    }
  }
  return static_cast<int>(count);
}

std::uint32_t dimensions_id(const std::int64_t* sizes, int count) {
  char text[64 * 21];
  char* end = text;
  for (int i = 0; i < count; ++i) {
    if (i != 0) *end++ = ',';
    end = std::to_chars(end, text + sizeof text, sizes[i]).ptr;
  }
  return tenet_trace_string(trace().handle, text, static_cast<std::size_t>(end - text));
}

const std::pair<int, Name>& dtype_of(PyObject* dtype) {
  auto& known = library().dtypes;
  const auto found = known.find(dtype);
  if (found != known.end()) return found->second;
  std::string text = "unknown";
  if (PyObject* printed = PyObject_Str(dtype)) {
    if (const char* bytes = PyUnicode_AsUTF8(printed)) text = bytes;
    Py_DECREF(printed);
  }
  PyErr_Clear();
  Py_INCREF(dtype);
  return known.emplace(dtype, std::pair{-1, Name(text)}).first->second;
}

Contents read(PyObject* tensor, std::size_t limit, int dtype, const std::int64_t* sizes, int dimensions) {
  Contents result;
  const auto missing = [&](const char* why) {
    result.missing = why;
    return result;
  };
  if (dtype < 0) return missing("not summarised: element type");
  if (!library().is_cpu.is_true(tensor)) return missing("not summarised: device");
  PyObject* layout = library().layout(tensor);
  Py_XDECREF(layout);  // a singleton
  if (layout != library().strided) return missing("not summarised: layout");

  std::int64_t count = 1;
  for (int i = 0; i < dimensions; ++i) count *= sizes[i];
  const auto bytes =
      static_cast<std::size_t>(count) * static_cast<std::size_t>(tenet_dtype_size(static_cast<tenet_dtype>(dtype)));
  if (bytes > limit) return missing("");

  PyObject* stride = library().stride(tensor);
  std::int64_t strides[64];
  const int given = read_integers(stride, strides);
  Py_XDECREF(stride);
  if (given != dimensions) return missing("not summarised: strides");
  PyObject* address = library().data_ptr(tensor);
  if (address == nullptr) return missing("not summarised: no storage");
  const void* data = PyLong_AsVoidPtr(address);
  Py_DECREF(address);
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  if (data == nullptr && count > 0) return missing("not summarised: no storage");

  int flags = 0;
  if (library().is_neg.is_true(tensor)) flags |= TENET_SUMMARY_NEGATE;
  if (dtype >= TENET_COMPLEX32 && library().is_conj.is_true(tensor)) flags |= TENET_SUMMARY_CONJUGATE;

  int status;
  if (bytes < without_lock) {
    status = tenet_summarise(data, static_cast<tenet_dtype>(dtype), dimensions, sizes, strides, flags, &result.summary);
  } else {
    Py_INCREF(tensor);
    Py_BEGIN_ALLOW_THREADS;
    status = tenet_summarise(data, static_cast<tenet_dtype>(dtype), dimensions, sizes, strides, flags, &result.summary);
    Py_END_ALLOW_THREADS;
    Py_DECREF(tensor);
  }
  return status == TENET_SUMMARY_OK ? result : missing("not summarised: description");
}

struct Header {
  std::int64_t sizes[64];
  int dimensions = -1;
  const std::pair<int, Name>* dtype = nullptr;
};

bool read_header(PyObject* tensor, Header& header) {
  PyObject* shape = library().shape(tensor);
  header.dimensions = read_integers(shape, header.sizes);
  Py_XDECREF(shape);
  PyObject* dtype = library().dtype(tensor);
  if (header.dimensions < 0 || dtype == nullptr) {
    Py_XDECREF(dtype);
    return false;
  }
  header.dtype = &dtype_of(dtype);
  Py_DECREF(dtype);  // kept alive by the table
  return true;
}

}  // namespace

int tensors_start(PyObject* torch) {
  Library& found = library();
  if (found.base != nullptr) return 0;
  PyObject* c = PyObject_GetAttrString(torch, "_C");
  PyObject* nn = PyObject_GetAttrString(torch, "nn");
  if (c == nullptr || nn == nullptr) return -1;
  PyObject* base = PyObject_GetAttrString(c, "_TensorBase");
  if (base == nullptr) {
    PyErr_Clear();
    base = PyObject_GetAttrString(c, "TensorBase");
  }
  if (base == nullptr) return -1;
  PyObject* dictionary = reinterpret_cast<PyTypeObject*>(base)->tp_dict;
  const std::pair<const char*, Reader*> needed[] = {{"shape", &found.shape},
                                                    {"dtype", &found.dtype},
                                                    {"is_cpu", &found.is_cpu},
                                                    {"layout", &found.layout},
                                                    {"stride", &found.stride},
                                                    {"data_ptr", &found.data_ptr},
                                                    {"requires_grad", &found.requires_grad},
                                                    {"is_leaf", &found.is_leaf},
                                                    {"grad", &found.grad}};
  for (const auto& [name, reader] : needed) {
    if (!reader->find(dictionary, name)) {
      PyErr_Format(PyExc_RuntimeError, "tensors have no readable attribute '%s'", name);
      return -1;
    }
  }
  found.is_neg.find(dictionary, "is_neg");
  found.is_conj.find(dictionary, "is_conj");
  found.device.find(dictionary, "device");
  found.retains_grad.find(dictionary, "retains_grad");
  found.tensor = PyObject_GetAttrString(torch, "Tensor");
  found.parameter = PyObject_GetAttrString(nn, "Parameter");
  found.strided = PyObject_GetAttrString(torch, "strided");
  found.tracing = PyObject_GetAttrString(c, "_get_tracing_state");
  PyErr_Clear();
  found.modes = PyObject_GetAttrString(c, "_len_torch_function_stack");
  PyErr_Clear();
  found.no_override = PyObject_GetAttrString(c, "DisableTorchFunction");
  PyErr_Clear();
  const std::pair<const char*, int> types[] = {{"float32", TENET_FLOAT32},
                                               {"float64", TENET_FLOAT64},
                                               {"float16", TENET_FLOAT16},
                                               {"bfloat16", TENET_BFLOAT16},
                                               {"int8", TENET_INT8},
                                               {"uint8", TENET_UINT8},
                                               {"int16", TENET_INT16},
                                               {"int32", TENET_INT32},
                                               {"int64", TENET_INT64},
                                               {"bool", TENET_BOOL},
                                               {"complex32", TENET_COMPLEX32},
                                               {"complex64", TENET_COMPLEX64},
                                               {"complex128", TENET_COMPLEX128},
                                               {"qint8", TENET_INT8},
                                               {"quint8", TENET_UINT8},
                                               {"qint32", TENET_INT32}};
  for (const auto& [name, number] : types) {
    if (PyObject* dtype = PyObject_GetAttrString(torch, name)) {
      found.dtypes.emplace(dtype, std::pair{number, Name(std::string("torch.") + name)});
    } else {
      PyErr_Clear();
    }
  }
  Py_DECREF(c);
  Py_DECREF(nn);
  if (found.tensor == nullptr || found.parameter == nullptr || found.strided == nullptr) return -1;
  found.base = reinterpret_cast<PyTypeObject*>(base);
  return 0;
}

bool is_tensor(PyObject* object) {
  return library().base != nullptr && PyType_IsSubtype(Py_TYPE(object), library().base) != 0;
}

bool tensors_are_watched() {
  if (library().tracing != nullptr) {
    PyObject* state = PyObject_CallNoArgs(library().tracing);
    if (state == nullptr) PyErr_Clear();
    Py_XDECREF(state);
    if (state != nullptr && state != Py_None) return true;
  }
  if (library().modes != nullptr) {
    PyObject* depth = PyObject_CallNoArgs(library().modes);
    const long count = depth == nullptr ? 0 : PyLong_AsLong(depth);
    if (PyErr_Occurred() != nullptr) PyErr_Clear();
    Py_XDECREF(depth);
    if (count > 0) return true;
  }
  return false;
}

Contents contents(PyObject* tensor, std::size_t limit) {
  const Unseen unseen(tensor);
  Header header;
  if (!read_header(tensor, header)) {
    Contents result;
    result.missing = "not summarised: no shape";
    return result;
  }
  return read(tensor, limit, header.dtype->first, header.sizes, header.dimensions);
}

void add_summary(Fields& fields, Keys& keys, const Contents& found) {
  if (found.missing != nullptr) {
    if (*found.missing != '\0') {
      fields.text(keys.summary, tenet_trace_string(trace().handle, found.missing, std::strlen(found.missing)));
    }
    return;
  }
  const tenet_summary& summary = found.summary;
  fields.hash(keys.value, summary.hash);
  fields.real(keys.norm, summary.norm);
  fields.real(keys.min, summary.min);
  fields.real(keys.max, summary.max);
  fields.integer(keys.nan, static_cast<std::int64_t>(summary.nan));
  fields.integer(keys.inf, static_cast<std::int64_t>(summary.inf));
}

void add_shape(Fields& fields, Keys& keys, PyObject* tensor) {
  const Unseen unseen(tensor);
  Header header;
  if (!read_header(tensor, header)) return;
  fields.dims(keys.shape, dimensions_id(header.sizes, header.dimensions));
  fields.text(keys.dtype, header.dtype->second.id());
}

void add_tensor(Fields& fields, Keys& keys, PyObject* tensor, std::size_t limit) {
  const Unseen unseen(tensor);
  Header header;
  if (!read_header(tensor, header)) {
    static const Name unreadable("not summarised: no shape");
    fields.text(keys.summary, unreadable.id());
    return;
  }
  if (limit > 0) {
    add_summary(fields, keys, read(tensor, limit, header.dtype->first, header.sizes, header.dimensions));
  }
  fields.dims(keys.shape, dimensions_id(header.sizes, header.dimensions));
  fields.text(keys.dtype, header.dtype->second.id());
  fields.boolean(keys.requires_grad, library().requires_grad.is_true(tensor));
  if (!library().is_cpu.is_true(tensor)) {
    PyObject* device = library().device(tensor);
    PyObject* printed = device == nullptr ? nullptr : PyObject_Str(device);
    const char* text = printed == nullptr ? nullptr : PyUnicode_AsUTF8(printed);
    if (text != nullptr) fields.text(keys.device, tenet_trace_string(trace().handle, text, std::strlen(text)));
    if (text == nullptr) PyErr_Clear();
    Py_XDECREF(printed);
    Py_XDECREF(device);
  } else if (PyObject* address = library().data_ptr(tensor)) {
    fields.reference(keys.id, PyLong_AsVoidPtr(address));
    if (PyErr_Occurred() != nullptr) PyErr_Clear();
    Py_DECREF(address);
  }
}

PyObject* gradient(PyObject* tensor) {
  const Unseen unseen(tensor);
  // Asking anything but a leaf for its gradient prints a warning.
  if (!library().is_leaf.is_true(tensor) && !library().retains_grad.is_true(tensor)) return nullptr;
  PyObject* found = library().grad(tensor);
  if (found == Py_None) {
    Py_DECREF(found);
    return nullptr;
  }
  return found;
}

bool requires_grad(PyObject* tensor) {
  const Unseen unseen(tensor);
  return library().requires_grad.is_true(tensor);
}

}  // namespace tenet::training::collect
