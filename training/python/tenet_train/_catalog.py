"""Which functions of PyTorch are watched, found by walking the library as it is: no list of versions."""

import sys
import types

# Modules whose functions are not what a job calls: compilers, exporters, launchers, plumbing.
_UNSEEN = (
    "torch.ao", "torch.backends", "torch.contrib", "torch.cpu", "torch.distributed.algorithms.ddp_comm_hooks",
    "torch.distributed.elastic", "torch.distributed.launch", "torch.distributed.launcher", "torch.distributed.nn",
    "torch.distributed.rendezvous", "torch.distributed.rpc", "torch.distributed.run", "torch.export", "torch.fx",
    "torch.futures", "torch.hub", "torch.jit", "torch.library", "torch.monitor", "torch.multiprocessing", "torch.nested",
    "torch.nn.backends", "torch.nn.grad", "torch.nn.intrinsic", "torch.nn.qat", "torch.nn.quantizable",
    "torch.nn.quantized", "torch.onnx", "torch.ops", "torch.overrides", "torch.package", "torch.profiler",
    "torch.quantization", "torch.return_types", "torch.serialization", "torch.storage", "torch.testing", "torch.types",
    "torch.utils", "torch.version",
)
_SEEN_ANYWAY = ("torch._tensor", "torch.utils.data", "torch.utils.checkpoint")
_UNSEEN_BELOW = ("torch.utils.data._utils", "torch.utils.data.datapipes", "torch.utils.data.graph",
                 "torch.utils.data.backward_compatibility", "torch.utils.data.communication",
                 "torch.utils.data.dataloader_experimental", "torch.utils.data.graph_settings")

# Private or special methods that mean something.
_SPECIAL = {"__init__", "__enter__", "__exit__"}
_SPECIAL_NAMES = {
    "torch.utils.data.dataloader.DataLoader.__iter__", "torch.utils.data.dataloader._BaseDataLoaderIter.__next__",
}
# Public functions that are made of private ones by a decorator that shares its code among all of them.
_BEHIND = {f"torch.nn.functional._{name}": f"torch.nn.functional.{name}"
           for name in ("max_pool1d", "max_pool2d", "max_pool3d", "fractional_max_pool2d", "fractional_max_pool3d",
                        "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")}
# Helpers that are called for every attribute or every tensor and say nothing about the job.
_SKIPPED = {
    "torch.nn.modules.module.Module.extra_repr", "torch.nn.modules.module.Module.__init__",
    "torch.is_tensor", "torch.is_storage", "torch.typename", "torch.get_default_dtype", "torch.is_warn_always_enabled",
    "torch.get_autocast_cpu_dtype", "torch.get_autocast_gpu_dtype", "torch.is_autocast_cache_enabled",
    "torch.autocast_increment_nesting", "torch.autocast_decrement_nesting", "torch.clear_autocast_cache",
    "torch._tensor.Tensor.dim", "torch.nn.functional.has_torch_function", "torch.nn.functional.has_torch_function_unary",
    "torch.nn.functional.has_torch_function_variadic",
}
_SKIPPED_CLASSES = ("torch.autograd.profiler", "torch.autograd.function", "torch.autograd.grad_mode._DecoratorContextManager")

# Methods of tensors, written in C, that say something about a job.
_TENSOR_METHODS = (
    "normal_", "uniform_", "random_", "bernoulli_", "exponential_", "zero_", "fill_", "copy_", "requires_grad_",
    "detach_", "to", "half", "bfloat16", "float", "double", "cpu", "cuda",
)


def _seen(module):
    def below(prefixes):
        return any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)

    if not below(("torch",)) or below(_UNSEEN_BELOW):
        return False
    if below(_SEEN_ANYWAY):
        return True
    return not below(_UNSEEN) and not any(part.startswith("_") for part in module.split("."))


def innermost(function, name):
    """The function that does the work, below decorators: those that say so and those that hide it in a closure."""
    for _ in range(8):
        wrapped = getattr(function, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType):
            function = wrapped
            continue
        if function.__code__.co_name == name or function.__closure__ is None:
            break
        for cell in function.__closure__:
            try:
                inner = cell.cell_contents
            except ValueError:
                continue
            if isinstance(inner, types.FunctionType) and inner.__name__ == name:
                function = inner
                break
        else:
            break
    return function


def full_name(function):
    return f"{function.__module__}.{function.__qualname__}"


def _is_public(name):
    return not name.startswith("_")


def python_functions(modules):
    """(full name, function, has self) of the Python functions to watch, in a fixed order."""
    found = {}

    def add(function, name, has_self):
        function = innermost(function, name)
        if "<locals>" in function.__qualname__ or function.__module__ is None:
            return
        if not _seen(function.__module__):
            return
        full = _BEHIND.get(full_name(function), full_name(function))
        if full not in _SKIPPED and not full.startswith(_SKIPPED_CLASSES):
            found.setdefault(full, (function, has_self))

    for module_name in sorted(modules):
        if not _seen(module_name):
            continue
        for name, value in sorted(vars(modules[module_name]).items()):
            # By type() alone: some objects of the library warn when they are looked at through isinstance().
            if type(value) is types.FunctionType:
                optimizer = module_name.startswith("torch.optim.") and name.startswith(("_single_tensor", "_multi_tensor"))
                if _is_public(name) or f"{module_name}.{name}" in _BEHIND or optimizer:
                    add(value, name, False)
            elif issubclass(type(value), type) and vars(value).get("__module__") == module_name:
                for method, raw in sorted(vars(value).items()):
                    special = f"{module_name}.{value.__qualname__}.{method}" in _SPECIAL_NAMES
                    if not (_is_public(method) or method in _SPECIAL or special):
                        continue
                    has_self = isinstance(raw, types.FunctionType)
                    if isinstance(raw, (staticmethod, classmethod)):
                        raw = raw.__func__
                    if isinstance(raw, types.FunctionType):
                        add(raw, method, has_self)
    return [(name, function, has_self) for name, (function, has_self) in sorted(found.items())]


def builtin_functions(torch):
    """(full name, object, has self) of the functions written in C to watch, in a fixed order."""
    found = {}

    def add(prefix, holder, names):
        for name in names:
            value = getattr(holder, name, None)
            full = f"{prefix}.{name}"
            if type(value) is not types.BuiltinFunctionType or not value.__name__.endswith(name):
                continue  # the second: left over in a loop of the library, such as torch.obj
            if full not in _SKIPPED and id(value) not in found:
                found[id(value)] = (full, value, False)

    for prefix in ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"):
        module = sys.modules.get(prefix)
        if module is not None:
            add(prefix, module, sorted(filter(_is_public, vars(module))))
    for private, prefix in (("_nn", "torch.nn.functional"), ("_linalg", "torch.linalg"), ("_fft", "torch.fft"),
                            ("_special", "torch.special")):
        module = getattr(torch._C, private, None)
        if module is not None:
            add(prefix, module, sorted(filter(_is_public, dir(module))))
    # What is reachable by a second way only, such as torch._VF, has the name of the first.
    functions = getattr(torch._C, "_VariableFunctions", None)
    if functions is not None:
        add("torch", functions, sorted(filter(_is_public, dir(functions))))
    base = getattr(torch._C, "_TensorBase", None) or getattr(torch._C, "TensorBase", None)
    for name in _TENSOR_METHODS:
        value = vars(base).get(name)
        if isinstance(value, types.MethodDescriptorType):
            found[id(value)] = (f"torch.Tensor.{name}", value, True)
    return sorted(found.values(), key=lambda entry: entry[0])


def loaded_modules():
    return {name: module for name, module in list(sys.modules.items())
            if isinstance(module, types.ModuleType) and (name == "torch" or name.startswith("torch."))}
