"""Hooks that fail, and wrong usage."""

import os
import subprocess
import sys

import pytest
from conftest import PACKAGE, calls, clean_environment, collect, read, run_job

BROKEN = """
import sys
sys.path.insert(0, {package!r})
import tenet_train
tenet_train.start({folder!r})
hooks = tenet_train._current.hooks

def broken(*arguments):
    raise {error}

hooks.watch(torch.nn.functional.relu, "torch.nn.functional.relu", **{{{when!r}: broken}})
x = torch.randn(3, requires_grad=True)
for _ in range(3):
    torch.nn.functional.relu(x).sum().backward()
try:
    torch.nn.functional.relu("not a tensor")
except TypeError as error:
    print("the job's own error:", error)
print(hooks.failures()[0])
print(x.grad is not None)
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("error", ["ValueError('a hook failed')", "SystemExit(9)", "MemoryError()"])
def test_a_failing_hook_is_counted_and_taken_out(when, error, script, tmp_path):
    folder = str(tmp_path / "run")
    done = run_job(script(BROKEN.format(package=PACKAGE, folder=folder, when=when, error=error)))
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("the job's own error:")
    assert lines[1:] == ["1", "True"]
    records = read(folder)
    notes = [r for r in records if r.kind == "note"]
    assert len(notes) == 1 and "torch.nn.functional.relu" in notes[0].name
    assert len(calls(records, "torch.nn.functional.relu")) == 1  # from then on it is not watched
    assert len(calls(records, "torch.relu")) == 4                # the others are


def test_an_interrupt_inside_a_hook_reaches_the_job(script, tmp_path):
    done = run_job(script(BROKEN.format(package=PACKAGE, folder=str(tmp_path / "run"), when="before", error="KeyboardInterrupt")))
    assert b"KeyboardInterrupt" in done.stderr
    assert done.returncode != 0


def test_a_folder_that_cannot_be_written(script, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = collect(blocked, script("print('runs')"))
    assert done.returncode == 3
    assert b"tenet_train: error:" in done.stderr or b"error:" in done.stderr


def test_a_folder_that_disappears(script, tmp_path):
    folder = tmp_path / "run"
    job = script("import os\n" f"os.rmdir({str(folder)!r}) if os.path.isdir({str(folder)!r}) else None\nimport torch\nprint('runs')\n",
                 prelude="")
    done = collect(folder, job)
    assert done.returncode == 0
    assert done.stdout == b"runs\n"
    assert b"not collected" in done.stderr


@pytest.mark.parametrize("words", [[], ["collect"], ["collect", "-o", "x"], ["collect", "-o", "x", "--"], ["collect", "job.py"],
                                   ["walk"], ["collect", "-o", "/tmp/tenet-none", "--", "/no/such/program"]])
def test_wrong_usage_is_status_3(words, tmp_path):
    environment = clean_environment()
    environment["PYTHONPATH"] = PACKAGE
    done = subprocess.run([sys.executable, "-m", "tenet_train", *words], capture_output=True, env=environment, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert done.stderr


def test_help(tmp_path):
    environment = clean_environment()
    environment["PYTHONPATH"] = PACKAGE
    done = subprocess.run([sys.executable, "-m", "tenet_train", "collect", "--help"], capture_output=True, env=environment)
    assert done.returncode == 0
    assert b"--output" in done.stdout
    assert os.listdir(tmp_path) == []
