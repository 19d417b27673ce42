"""Starting and stopping the collector in this process."""

import atexit
import os
import sys

import tenet_train


def start(directory, selection=None):
    """Collects into `directory` from here on."""
    import torch

    os.makedirs(directory, exist_ok=True)
    _begin(torch, directory, selection)


def stop():
    job = tenet_train._current
    if job is None:
        return
    tenet_train._current = None
    job.end()


def start_with_torch(directory, selection=None):
    """Collects from the moment on at which the job has imported torch."""
    if "torch" in sys.modules:
        _begin(sys.modules["torch"], directory, selection)
    else:
        sys.meta_path.insert(0, _Finder(directory, selection))


def _begin(torch, directory, selection):
    from tenet_train import _job, _selection

    if tenet_train._current is not None:
        raise RuntimeError("already collecting")
    wanted = _selection.everything() if selection is None else _selection.load(selection)
    tenet_train._current = _job.Job(torch, os.path.join(os.path.abspath(directory), "trace"), wanted)
    atexit.register(stop)


class _Finder:
    """Finds `torch` once, as the others would, and starts collecting when it has been executed."""

    def __init__(self, directory, selection):
        self._directory = directory
        self._selection = selection

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec, self._directory, self._selection)
                return spec
        return None


class _Loader:
    def __init__(self, spec, directory, selection):
        self._spec = spec
        self._loader = spec.loader
        self._directory = directory
        self._selection = selection

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        try:
            _begin(module, self._directory, self._selection)
        except Exception as error:
            sys.stderr.write(f"tenet_train: this process is not collected: {error!r}\n")
