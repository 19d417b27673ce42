# Runs at the start of every Python process of a collected job: this folder is on PYTHONPATH. It leaves nothing behind
# but the collector: the folder is taken off the path, and the sitecustomize it hides is run.
import importlib.util
import os
import sys


def _begin():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    sys.path_importer_cache.pop(here, None)

    sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401, the hidden one
    except ImportError as error:
        if error.name != "sitecustomize":
            raise

    if "tenet_train" not in sys.modules:
        package = os.path.dirname(here)
        location = os.path.join(package, "__init__.py")
        spec = importlib.util.spec_from_file_location("tenet_train", location, submodule_search_locations=[package])
        module = importlib.util.module_from_spec(spec)
        sys.modules["tenet_train"] = module
        spec.loader.exec_module(module)
    from tenet_train import _session

    _session.start_with_torch(os.environ["TENET_TRAIN_DIRECTORY"], os.environ.get("TENET_TRAIN_SELECTION"))


if "TENET_TRAIN_DIRECTORY" in os.environ:
    try:
        _begin()
    except Exception as error:
        # Without a collector the job runs as it would have; only say so.
        sys.stderr.write(f"tenet_train: this process is not collected: {error!r}\n")
