"""What a job's models, optimizers, batches and checkpoints look like, written down as state records."""

import weakref

from tenet_train import _hooks as hooks

_DATA, _GRADIENTS = 1, 2

COLLECTIVES = (
    "all_reduce", "broadcast", "reduce", "all_gather", "all_gather_into_tensor", "_all_gather_base", "gather", "scatter",
    "reduce_scatter", "reduce_scatter_tensor", "_reduce_scatter_base", "all_to_all", "all_to_all_single",
)

# Names of loop quantities that mean the same, and what they are recorded as besides.
_ALIASES = {
    "epochs": ("epochs", "num_epochs", "n_epochs", "max_epochs", "total_epochs", "num_train_epochs"),
    "accumulation": ("accumulation", "accum", "accum_steps", "accumulation_steps", "grad_accum", "grad_accum_steps",
                     "gradient_accumulation_steps", "gradient_accumulation"),
    "max_steps": ("max_steps", "total_steps", "num_steps", "n_steps", "num_training_steps", "max_train_steps"),
}
_CANONICAL = {name: canonical for canonical, names in _ALIASES.items() for name in names if name != canonical}


def record_scalars():
    for name, value in hooks.loop_scalars():
        canonical = _CANONICAL.get(name)
        if canonical is not None:
            hooks.scalar("loop." + canonical, value)


class _Names:
    """Names that are used once: `model`, `model#2`, …"""

    def __init__(self):
        self._used = {}

    def unique(self, name):
        self._used[name] = self._used.get(name, 0) + 1
        return name if self._used[name] == 1 else f"{name}#{self._used[name]}"


class Models:
    """The modules of the job, by the outermost one it calls or optimizes, and their parameters and buffers."""

    def __init__(self, torch, selection):
        self._torch = torch
        self._parameters_wanted = selection.variable("torch.nn.Parameter")
        self._buffers_wanted = selection.variable("buffer")
        self._modules_wanted = selection.variable("module")
        self._batches_wanted = selection.variable("batch")
        self._fetched_wanted = selection.variable("batch.fetched")
        self._collectives_wanted = selection.variable("collective")
        self._names = _Names()
        self._known = {}       # id of a module: (weak reference, its name)
        self._roots = {}       # id of a model: weak reference
        self._parameters = hooks.group()
        self._buffers = hooks.group()
        self.names = {}        # id of a parameter: (weak reference, name)
        self._modes = {}
        self._size = {}        # id of a model: number of modules when it was last walked
        self.used_now = {}     # id of models run with gradients in this step: weak reference
        self._loaders = {}

    # Finding modules

    def _is_known(self, module):
        entry = self._known.get(id(module))
        return entry is not None and entry[0]() is module

    def is_model(self, module):
        return self._is_known(module)

    def add(self, module, name=None):
        """Makes a model known, with everything in it that is not known yet."""
        if not self._is_known(module):
            if name is None:
                name = hooks.variable_name(module) or type(module).__name__.lower()
            name = self._names.unique(name)
            self._roots[id(module)] = weakref.ref(module)
        else:
            name = self._known[id(module)][1]
        self._walk(module, name)
        self._size[id(module)] = _count(module)

    def _walk(self, module, name):
        if not self._is_known(module):
            self._known[id(module)] = (weakref.ref(module), name)
            hooks.name_object(module, name)
            for key in module._parameters:
                hooks.group_add(self._parameters, module, key, f"{name}.{key}", False)
            for key in module._buffers:
                hooks.group_add(self._buffers, module, key, f"{name}.{key}", True)
        for key, parameter in module._parameters.items():
            if parameter is not None:
                entry = self.names.get(id(parameter))
                if entry is None or entry[0]() is not parameter:
                    self.names[id(parameter)] = (weakref.ref(parameter), f"{name}.{key}")
        for key, child in module._modules.items():
            if child is not None:
                self._walk(child, f"{name}.{key}")

    def know(self, module):
        """The outermost module is about to run. Returns whether it is a model: a module with parameters."""
        if self._is_known(module):
            if self._size.get(id(module), -1) not in (-1, _count(module)):
                self.add(module)
        elif next(module.parameters(), None) is None:
            return False
        else:
            self.add(module)
        if self._modules_wanted and self._modes.get(id(module)) != module.training:
            self._modes[id(module)] = module.training
            hooks.state(self._known[id(module)][1], "module",
                        {"training": module.training, "class": f"{type(module).__module__}.{type(module).__qualname__}"})
        return True

    def used(self, module):
        """A model runs with gradients."""
        self.used_now[id(module)] = weakref.ref(module)

    def find_owners(self, optimizer):
        """The models in the job's variables that an optimizer was made for."""
        wanted = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
        wanted -= {key for key in wanted if self.name_of_id(key) is not None}
        if not wanted:
            return
        candidates = []
        for name, module in hooks.instances(self._torch.nn.Module):
            owned = {id(parameter) for parameter in module.parameters()}
            if owned & wanted:
                wrapper = type(module).__module__.startswith("torch.nn.parallel")
                candidates.append((wrapper, -_count(module), len(candidates), name, module))
        for _, _, _, name, module in sorted(candidates, key=lambda entry: entry[:3]):
            if not self._is_known(module):
                self.add(module, name)

    def name_of_id(self, key):
        entry = self.names.get(key)
        return entry[1] if entry is not None and entry[0]() is not None else None

    def name_of(self, parameter):
        entry = self.names.get(id(parameter))
        return entry[1] if entry is not None and entry[0]() is parameter else None

    def live(self):
        """The models that exist, as (name, module)."""
        for key, reference in list(self._roots.items()):
            module = reference()
            if module is None:
                del self._roots[key]
            else:
                yield self._known[key][1], module

    def optimized(self, optimizers):
        hooks.group_optimized(self._parameters, optimizers)

    # Observing

    def observe(self, step):
        if self._parameters_wanted:
            hooks.observe(self._parameters, _DATA | _GRADIENTS, step)
        if self._buffers_wanted:
            hooks.observe(self._buffers, _DATA, step)

    def observe_data(self, step):
        if self._parameters_wanted:
            hooks.observe(self._parameters, _DATA, step)

    def observe_gradients(self, step):
        if self._parameters_wanted:
            hooks.observe(self._parameters, _GRADIENTS, step)

    def observe_buffers(self, step):
        if self._buffers_wanted:
            hooks.observe(self._buffers, _DATA, step)

    # Batches

    def loader(self, loader, iterator):
        name = hooks.variable_name(loader) or "loader"
        try:
            self._loaders[id(iterator)] = (weakref.ref(iterator), name)
        except TypeError:
            return
        try:
            length = len(loader)
        except TypeError:
            return
        hooks.scalar("loop.batches", length)

    def batch(self, iterator, batch, worker=None):
        if not (self._batches_wanted if worker is None else self._fetched_wanted):
            return
        entry = self._loaders.get(id(iterator))
        name = entry[1] if entry is not None and entry[0]() is iterator else "loader"
        tensors = _tensors(batch, self._torch.Tensor)
        fields = {}
        combined = 1469598103934665603
        for tensor in tensors:
            summary = hooks.summary(tensor)
            if isinstance(summary, dict):
                combined = ((combined ^ summary["hash"]) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
        if tensors:
            fields["data"] = combined.to_bytes(8, "little")
            first = tensors[0]
            fields["size"] = len(first) if first.dim() else 1
        for position, tensor in enumerate(tensors[:8]):
            fields[f"data.{position}"] = tensor
        if worker is not None:
            fields["worker"] = worker
        hooks.state(name, "batch" if worker is None else "batch.fetched", fields)

    # Collectives

    def before_collective(self, name, arguments):
        """What goes in, by hash: it may be overwritten by what comes out."""
        if not self._collectives_wanted:
            return None
        fields = {"op": name}
        for key, tensor in self._named(arguments, "input"):
            summary = hooks.summary(tensor)
            if isinstance(summary, dict):
                fields[key] = summary["hash"].to_bytes(8, "little")
        return fields

    def _named(self, arguments, name):
        tensors = [tensor for argument in arguments for tensor in _tensors(argument, self._torch.Tensor)[:4]]
        return [(name if position == 0 else f"{name}.{position}", tensor) for position, tensor in enumerate(tensors)]

    def after_collective(self, name, arguments, result, kept, failed):
        if kept is None or failed:
            return
        if result is None:  # otherwise it is still under way
            kept.update(self._named(arguments, "output"))
        hooks.state(name, "collective", kept)


def _count(module):
    return 1 + sum(_count(child) for child in module._modules.values() if child is not None)


def _tensors(value, kind, depth=0):
    """The tensors in a nest of lists, tuples and dictionaries."""
    if isinstance(value, kind):
        return [value]
    if depth >= 3:
        return []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value[:64] for tensor in _tensors(item, kind, depth + 1)]
    return []


class Optimizers:
    def __init__(self, torch, selection, models):
        self._torch = torch
        self._models = models
        self._groups_wanted = selection.variable("optimizer.group")
        self._state_wanted = selection.variable("optimizer.state")
        self._agreement_wanted = selection.variable("optimizer.agreement")
        self._scheduler_wanted = selection.variable("scheduler")
        self._scaler_wanted = selection.variable("scaler")
        self._names = _Names()
        self._known = {}  # id: (weak reference, name)
        self._optimized = {}  # id of a parameter: id of its optimizer, None if it has several

    def made(self, optimizer):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                owner = self._optimized.setdefault(id(parameter), id(optimizer))
                if owner != id(optimizer):
                    self._optimized[id(parameter)] = None
        self._models.optimized(self._optimized)

    def _name(self, optimizer):
        entry = self._known.get(id(optimizer))
        if entry is None or entry[0]() is not optimizer:
            name = self._names.unique(hooks.variable_name(optimizer) or "optimizer")
            entry = self._known[id(optimizer)] = (weakref.ref(optimizer), name)
            self.made(optimizer)
        return entry[1]

    def before_step(self, optimizer, step):
        name = self._name(optimizer)
        self._models.observe(step)
        if self._agreement_wanted:
            hooks.state(name, "optimizer.agreement", self._agreement(optimizer))

    def _agreement(self, optimizer):
        mine = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        ids = {id(parameter) for parameter in mine}
        with_grad = sum(parameter.grad is not None for parameter in mine)
        used = {}
        for reference in self._models.used_now.values():
            module = reference()
            if module is not None:
                used.update((id(parameter), parameter) for parameter in module.parameters())
        missing = sum(1 for key, parameter in used.items()
                      if key not in self._optimized and parameter.is_leaf and parameter.grad is not None)
        return {"parameters": len(mine), "with_grad": with_grad, "missing": missing, "idle": len(mine) - with_grad,
                "foreign": len(ids - used.keys())}

    def after_step(self, optimizer, step):
        name = self._name(optimizer)
        self._models.observe_data(step)
        if self._groups_wanted:
            for number, group in enumerate(optimizer.param_groups):
                hooks.state(f"{name}.{number}", "optimizer.group", _plain(group))
        if self._state_wanted:
            self._record_state(name, optimizer)

    def _record_state(self, name, optimizer):
        for parameter, state in optimizer.state.items():
            if not isinstance(state, dict) or not isinstance(parameter, self._torch.Tensor):
                continue
            fields = dict(state)
            step = fields.get("step")
            if isinstance(step, self._torch.Tensor):
                fields["step"] = int(step.item()) if step.numel() == 1 and step.device.type == "cpu" else None
            path = self._models.name_of(parameter)
            if path is not None:
                hooks.state(f"{name}.{path}", "optimizer.state", fields)

    def after_schedule(self, arguments, result, kept, failed):
        if not self._scheduler_wanted or failed:
            return
        scheduler = arguments[0]
        groups = getattr(getattr(scheduler, "optimizer", None), "param_groups", None) or [{}]
        hooks.state("scheduler", "scheduler", {
            "lr": groups[0].get("lr"), "last_epoch": getattr(scheduler, "last_epoch", None),
            "class": type(scheduler).__name__})

    def after_scale(self, arguments, result, kept, failed):
        scaler = arguments[0]
        if self._scaler_wanted and not failed and scaler.is_enabled():
            hooks.state("scaler", "scaler", {
                "scale": float(scaler.get_scale()), "growth_tracker": int(scaler._get_growth_tracker())})


def _plain(group):
    """The hyper-parameters of a group that are numbers, bools, short strings or tuples of such."""
    fields = {"parameters": len(group["params"])}
    for key, value in group.items():
        if isinstance(value, (bool, int, float, str)) or value is None:
            fields[key] = value
        elif isinstance(value, (tuple, list)) and key != "params":
            for position, item in enumerate(value[:4]):
                if isinstance(item, (bool, int, float)):
                    fields[f"{key}.{position}"] = item
    return fields


class Files:
    """Checkpoints: what is written and read beside what is live."""

    def __init__(self, torch, selection, models):
        self._torch = torch
        self._models = models
        self._saved_wanted = selection.variable("checkpoint.saved")
        self._loaded_wanted = selection.variable("checkpoint.loaded")
        self._agreement_wanted = selection.variable("checkpoint.agreement")

    def before_save(self, value):
        if not self._saved_wanted:
            return
        for table in _state_tables(value, self._torch.Tensor):
            live = self._matching(table)
            for key, tensor in table.items():
                if isinstance(tensor, self._torch.Tensor) and key in live:
                    name, current = live[key]
                    hooks.state(name, "checkpoint.saved", {"data": tensor, "live": current})

    def _matching(self, table):
        """The live variables a table of tensors is of: by the names of the model that shares most of them."""
        best = {}
        best_score = 0
        for name, module in self._models.live():
            own = {}
            for path, child in _walk(module, ""):
                for holder in (child._parameters, child._buffers):
                    for key, tensor in holder.items():
                        if tensor is not None:
                            own[path + key] = (f"{name}.{path}{key}", tensor)
            for prefix in ("", "module."):
                matched = {key: own[key.removeprefix(prefix)] for key in table
                           if isinstance(key, str) and key.startswith(prefix) and key.removeprefix(prefix) in own}
                if len(matched) > best_score:
                    best, best_score = matched, len(matched)
        return best

    def after_load_state(self, arguments, result, kept, failed):
        module, table = arguments[0], arguments[1]
        if failed or not isinstance(table, dict):
            return
        if self._agreement_wanted:
            missing, unexpected = (getattr(result, key, None) for key in ("missing_keys", "unexpected_keys"))
            if isinstance(missing, list) and isinstance(unexpected, list):
                hooks.state(hooks.variable_name(module) or "model", "checkpoint.agreement",
                            {"loaded": len(table) - len(unexpected), "missing": len(missing), "unexpected": len(unexpected)})
        if not self._loaded_wanted:
            return
        for path, child in _walk(module, ""):
            for holder in (child._parameters, child._buffers):
                for key, tensor in holder.items():
                    given = table.get(path + key)
                    if tensor is not None and isinstance(given, self._torch.Tensor):
                        name = self._models.name_of(tensor) or path + key
                        hooks.state(name, "checkpoint.loaded", {"data": given, "live": tensor})


def _walk(module, path):
    yield path, module
    for key, child in module._modules.items():
        if child is not None:
            yield from _walk(child, f"{path}{key}.")


def _state_tables(value, kind, depth=0):
    """The dictionaries in a checkpoint that map names to tensors."""
    if not isinstance(value, dict) or depth > 3:
        return
    if any(isinstance(item, kind) for item in value.values()):
        yield value
    for item in value.values():
        yield from _state_tables(item, kind, depth + 1)
