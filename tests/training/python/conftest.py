"""Running jobs with and without the collector, and reading what it wrote."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

SOURCES = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
EXAMPLES = os.path.join(SOURCES, "examples", "training")
PACKAGE = os.path.abspath(os.environ.get("TENET_TRAIN_PACKAGE", os.path.join(SOURCES, "build", "release", "training", "python")))
TOOL = os.environ.get("TENET_TRAIN_TOOL", os.path.join(SOURCES, "build", "release", "cli", "train", "tenet-train"))
BUILD = os.environ.get("TENET_TRAIN_BUILD", os.path.join(SOURCES, "build", "release"))
LIMIT = 240  # seconds for one process, on a machine that is busy

sys.path.insert(0, PACKAGE)


def clean_environment():
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("TENET_TRAIN_") and key not in ("RANK", "WORLD_SIZE")}
    environment["PYTHONPATH"] = ""
    environment["OMP_NUM_THREADS"] = "1"
    # Where the host's own name leads nowhere, Gloo warns, with a time and a thread in it that are never the same twice.
    environment.setdefault("GLOO_SOCKET_IFNAME", "lo")
    return environment


def run(*command, **options):
    options.setdefault("env", clean_environment())
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=LIMIT, **options)


def run_job(*job, **options):
    return run(sys.executable, *job, **options)


def collect(folder, *job, selection=None, **options):
    """Runs a job under the collector."""
    environment = options.pop("env", clean_environment())
    environment["PYTHONPATH"] = PACKAGE
    more = [] if selection is None else ["-s", selection]
    return run(sys.executable, "-m", "tenet_train", "collect", "-o", folder, *more, "--", *job, env=environment, **options)


class Record(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def read(folder):
    """All records of a run, in order, each with the context it was written in."""
    done = run(TOOL, "trace", "cat", "--json", folder)
    assert done.returncode == 0, done.stderr.decode()
    result = []
    context = {}
    open_calls = {}
    for line in done.stdout.decode().splitlines():
        record = Record(json.loads(line))
        mine = context.setdefault(record.process, {})
        if record.kind == "context":
            mine[record.name] = record.fields[""]
        record["context"] = dict(mine)
        stack = open_calls.setdefault((record.process, record.thread), [])
        record["stack"] = [call.name for call in stack]
        if record.kind == "enter":
            stack.append(record)
        elif record.kind in ("exit", "fail"):
            while stack and stack[-1].call != record.call:
                stack.pop()
            if stack:
                record["function"] = stack.pop().name
        result.append(record)
    return result


def calls(records, name):
    return [record for record in records if record.kind == "enter" and record.name == name]


def exits(records, name):
    return [record for record in records if record.kind == "exit" and record.get("function") == name]


def states(records, kind, name=None):
    return [record for record in records
            if record.kind == "state" and record.type == kind and (name is None or record.name == name)]


@pytest.fixture
def script(tmp_path):
    """Writes a job; torch is imported and seeded in its first lines."""
    number = iter(range(100))

    def write(text, prelude="import torch\ntorch.set_num_threads(1)\ntorch.manual_seed(0)\n"):
        path = tmp_path / f"job{next(number)}.py"
        path.write_text(prelude + textwrap.dedent(text))
        return path

    return write


@pytest.fixture
def collected(tmp_path, script):
    """Runs a job under the collector, checks that it succeeded, and returns its records."""
    number = iter(range(100))

    def execute(text, *arguments, **options):
        folder = tmp_path / f"run{next(number)}"
        done = collect(folder, script(text), *arguments, **options)
        assert done.returncode == 0, done.stderr.decode()
        execute.done = done
        execute.folder = folder
        return read(folder)

    return execute
