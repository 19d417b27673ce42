"""One job being collected: which functions are watched, and what is noted down around the calls that matter."""

import functools
import multiprocessing.util
import os
import sys
import types
import weakref

from tenet_train import _catalog, _progress, _state
from tenet_train import _hooks as hooks

# Bytes up to which tensors are summarised whole, where they are arguments and results of calls. Parameters, gradients,
# buffers, optimizer state, batches, what goes in and out of the outermost module, and collectives have no limit.
SMALL = 1 << 12
ALL = sys.maxsize


class Job:
    def __init__(self, torch, prefix, selection):
        self.hooks = hooks
        self.torch = torch
        self.selection = selection
        self._folder = os.path.dirname(prefix)
        self._watching = None  # the process that checks itself, and how
        hooks.open(prefix)
        self._announce_process()
        self._contexts = {}
        self.models = _state.Models(torch, selection)
        self.steps = _progress.Steps(self._step_begins)
        self.stages = _progress.Stages(lambda name: hooks.context("stage", name))
        self.optimizers = _state.Optimizers(torch, selection, self.models)
        self.files = _state.Files(torch, selection, self.models)
        self.context("grad_enabled", torch.is_grad_enabled(), thread=True)
        self._watch()
        os.register_at_fork(after_in_child=self._forked)
        multiprocessing.util.register_after_fork(self, Job._worker_begins)
        hooks.activate(True)

    def end(self):
        hooks.stop()
        hooks.close()
        self._look(lambda watch: watch.finish())

    def watch(self, invariants, on_violation):
        from tenet_train import _online

        self._watching = os.getpid(), _online.Watch(invariants, self._folder, on_violation)

    def _look(self, action):
        if self._watching is None or self._watching[0] != os.getpid():
            return
        try:
            action(self._watching[1])
        except Exception as error:
            self._watching = None
            hooks.count_failure(f"the run is not checked any more: {error!r}")

    def _step_begins(self, number):
        hooks.context("step", number)
        self.models.used_now.clear()
        self._look(lambda watch: watch.poll())

    def _announce_process(self):
        hooks.context("program", os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) else "")
        for variable, key in (("RANK", "rank"), ("WORLD_SIZE", "world_size")):
            if os.environ.get(variable, "").isdigit():
                hooks.context(key, int(os.environ[variable]))

    def _forked(self):
        # The child writes a file of its own, which has to say where it is.
        if self is not sys.modules["tenet_train"]._current:
            return
        self._announce_process()
        hooks.context("step", self.steps.number)
        hooks.context("stage", self.stages.name)
        for (key, thread), value in self._contexts.items():
            hooks.context(key, value, thread)

    def _worker_begins(self):
        # Processes of multiprocessing leave without running what atexit knows.
        multiprocessing.util.Finalize(None, _end_worker, args=(os.getpid(),), exitpriority=-1000)

    def context(self, key, value, thread=False):
        if self._contexts.get((key, thread), _NOTHING) != value:
            self._contexts[key, thread] = value
            hooks.context(key, value, thread)

    # Watching

    def _watch(self):
        folders = {os.path.dirname(self.torch.__file__), os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.__file__)}
        folders = {folder + os.sep for folder in folders} | {os.path.realpath(folder) + os.sep for folder in folders}
        folders |= {"<frozen", "/usr/lib/python3/dist-packages/"}
        hooks.start(self.torch, tuple(sorted(folders)))
        special = self._callbacks()
        placed = set()
        for name, function, has_self in _catalog.python_functions(_catalog.loaded_modules()):
            options = special.get(name, {})
            wanted = self.selection.function(name)
            if wanted or options.get("needed", False):
                self._place(function, name, has_self, wanted, options)
                placed.add(name)
        for name, function, has_self in _catalog.builtin_functions(self.torch):
            if self.selection.function(name):
                self._place(function, name, has_self, True, {"result_limit": 64})
        for name, function, has_self, options in self._private():
            self._place(function, name, has_self, self.selection.function(name) and options.get("record", True), options)
        self._placed = placed

    def _place(self, function, name, has_self, record, options):
        keywords = {key: value for key, value in options.items() if key not in ("needed", "record")}
        if name.endswith(".forward") and "result_limit" not in keywords:
            keywords["result_limit"] = SMALL
        keywords.setdefault("result_limit", 64)
        try:
            hooks.watch(function, name, has_self=has_self, record=record, **keywords)
        except (TypeError, RuntimeError) as error:
            if self.selection.function(name) and not isinstance(error, TypeError):
                hooks.count_failure(f"not watched: {name}: {error}")

    def _private(self):
        """Functions that the catalogue does not list, with what is done around them."""
        torch = self.torch
        module = torch.nn.Module
        found = [("torch.nn.Module.__call__", module.__call__, True, {
            "user_only": True, "result_limit": SMALL, "outer_limit": ALL, "outer_callbacks": True,
            "before": self._before_forward, "after": self._after_forward})]
        set_grad = getattr(torch._C, "_set_grad_enabled", None)
        if set_grad is not None:
            found.append(("torch._C._set_grad_enabled", set_grad, False, {"record": False, "after": self._grad_mode}))
        utils = sys.modules.get("torch.utils.data._utils.fetch")
        for name in ("_MapDatasetFetcher", "_IterableDatasetFetcher"):
            fetcher = getattr(utils, name, None)
            if fetcher is not None and self.selection.variable("batch.fetched"):
                found.append((f"torch.utils.data._utils.fetch.{name}.fetch", fetcher.fetch, True,
                              {"record": False, "after": self._fetched}))
        return found

    def _callbacks(self):
        """What is done around functions of the catalogue, by name. `needed`: also if the selection does not name them."""
        torch = self.torch
        callbacks = {}

        def on(holder, method, **options):
            function = vars(holder).get(method) if isinstance(holder, type) else getattr(holder, method, None)
            if isinstance(function, types.FunctionType):
                options.setdefault("needed", True)
                callbacks[_catalog.full_name(_catalog.innermost(function, method))] = options

        self._optimizer_options = {"needed": True, "before": self._before_step, "after": self._after_step}
        optimizer = torch.optim.Optimizer
        for name in dir(torch.optim):
            kind = getattr(torch.optim, name)
            if isinstance(kind, type) and issubclass(kind, optimizer) and kind is not optimizer:
                on(kind, "step", **self._optimizer_options)
        on(optimizer, "__init__", after=self._optimizer_made)
        on(optimizer, "zero_grad", before=self._before_clear, after=self._after_clear)
        on(torch.nn.Module, "zero_grad", after=self._after_change_of_gradients)
        on(torch.nn.Module, "train", outer_callbacks=True, before=self._mode)
        on(torch.nn.Module, "load_state_dict", after=self.files.after_load_state)
        on(torch.autograd, "backward", before=self._before_backward, after=self._after_backward)
        data = torch.utils.data.dataloader
        on(data.DataLoader, "__iter__", after=self._loader_begins)
        on(data._BaseDataLoaderIter, "__next__", result_limit=0, after=self._batch)
        scheduler = torch.optim.lr_scheduler
        for name, kind in sorted(vars(scheduler).items()):
            if isinstance(kind, type) and kind.__module__ == scheduler.__name__:
                on(kind, "step", needed=self.selection.variable("scheduler"), after=self.optimizers.after_schedule)
        amp = getattr(torch, "autocast", None)
        if amp is not None:
            on(amp, "__enter__", after=self._autocast)
            on(amp, "__exit__", after=self._autocast)
        scaler = getattr(getattr(torch.cuda, "amp", None), "GradScaler", None)
        if scaler is not None:
            on(scaler, "update", needed=self.selection.variable("scaler"), after=self.optimizers.after_scale)
        on(torch.nn.utils, "clip_grad_norm_", needed=False, result_limit=SMALL)
        distributed = torch.distributed
        if distributed.is_available():
            c10d = distributed.distributed_c10d
            on(c10d, "init_process_group", after=self._group_begins)
            wanted = self.selection.variable("collective")
            for name in _state.COLLECTIVES:
                on(c10d, name, needed=wanted, argument_limit=ALL, before=functools.partial(self.models.before_collective, name),
                   after=functools.partial(self.models.after_collective, name))
            on(torch.nn.parallel.DistributedDataParallel, "__init__", after=self._model_wrapped)
        # torch.serialization is not in the catalogue: its two entry points are placed by hand.
        for name in ("save", "load"):
            function = getattr(torch, name)
            full = f"torch.{name}"
            options = {"before": self._before_file, "after": self._after_file}
            if name == "save":
                options["before"] = self._before_save
            self._place(_catalog.innermost(function, name), full, False, self.selection.function(full), options)
        return callbacks

    # Around calls. Every function gets the arguments of the call as a tuple; those of a function with *args and **kwargs
    # are its last two items.

    def _before_forward(self, arguments):
        module = arguments[0]
        training = module.training
        gradients = self.torch.is_grad_enabled()
        if self.models.know(module):
            self.stages.forward(training, gradients)
            if training and gradients:
                self.steps.forward()
                self.models.used(module)

    def _after_forward(self, arguments, result, kept, failed):
        self.models.observe_buffers(self.steps.number)

    def _mode(self, arguments):
        module, mode = arguments[0], bool(arguments[1])
        if self.models.is_model(module):
            self.stages.mode(mode)

    def _grad_mode(self, arguments, result, kept, failed):
        self.context("grad_enabled", self.torch.is_grad_enabled(), thread=True)

    def _autocast(self, arguments, result, kept, failed):
        torch = self.torch
        on = False
        kind = None
        if torch.is_autocast_enabled():
            on, kind = True, torch.get_autocast_gpu_dtype()
        elif getattr(torch, "is_autocast_cpu_enabled", bool)():
            on, kind = True, torch.get_autocast_cpu_dtype()
        self.context("autocast", on, thread=True)
        self.context("autocast.dtype", str(kind) if on else None, thread=True)

    def _optimizer_made(self, arguments, result, kept, failed):
        if failed:
            return
        optimizer = arguments[0]
        step = getattr(type(optimizer), "step", None)
        if isinstance(step, types.FunctionType):
            step = _catalog.innermost(step, "step")
            if not hooks.is_watched(step):  # an optimizer of the job's own
                name = _catalog.full_name(step)
                self._place(step, name, True, self.selection.function(name), self._optimizer_options)
        self.models.find_owners(optimizer)
        self.optimizers.made(optimizer)
        self.steps.made(id(optimizer))
        weakref.finalize(optimizer, self.steps.forget, id(optimizer)).atexit = False
        self.models.observe(self.steps.number)

    def _model_wrapped(self, arguments, result, kept, failed):
        if not failed:
            self.models.add(arguments[0])
            self.models.observe(self.steps.number)

    def _before_step(self, arguments):
        optimizer = arguments[0]
        self.steps.updates(id(optimizer))
        self.optimizers.before_step(optimizer, self.steps.number)

    def _after_step(self, arguments, result, kept, failed):
        optimizer = arguments[0]
        self.optimizers.after_step(optimizer, self.steps.number)
        if self.selection.scalars:
            _state.record_scalars()
        self.steps.updated(id(optimizer))

    def _before_clear(self, arguments):
        self.steps.clears(id(arguments[0]))

    def _after_clear(self, arguments, result, kept, failed):
        self.models.observe_gradients(self.steps.number)

    def _after_change_of_gradients(self, arguments, result, kept, failed):
        self.models.observe_gradients(self.steps.number)

    def _before_backward(self, arguments):
        self.steps.backward()

    def _after_backward(self, arguments, result, kept, failed):
        self.models.observe_gradients(self.steps.number)

    def _loader_begins(self, arguments, result, kept, failed):
        if not failed:
            self.models.loader(arguments[0], result)
            if self.selection.scalars:
                _state.record_scalars()

    def _batch(self, arguments, result, kept, failed):
        if failed:
            return
        if self.stages.name != "evaluation" and self.torch.is_grad_enabled():
            self.steps.batch()
        self.models.batch(arguments[0], result)

    def _fetched(self, arguments, result, kept, failed):
        info = self.torch.utils.data.get_worker_info()
        if info is not None and not failed:
            self.context("worker", info.id)
            self.models.batch(None, result, worker=info.id)

    def _group_begins(self, arguments, result, kept, failed):
        distributed = self.torch.distributed
        if not failed and distributed.is_initialized():
            self.context("rank", distributed.get_rank())
            self.context("world_size", distributed.get_world_size())

    def _before_file(self, arguments):
        return self.stages.during("checkpointing")

    def _before_save(self, arguments):
        before = self.stages.during("checkpointing")
        self.files.before_save(arguments[0])
        return before

    def _after_file(self, arguments, result, kept, failed):
        self.stages.back(kept)


def _end_worker(process):
    from tenet_train import _session

    if os.getpid() == process:
        _session.stop()


_NOTHING = object()
