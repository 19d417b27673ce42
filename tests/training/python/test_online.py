"""Checking a run from inside the job."""

import os

import pytest
from conftest import PACKAGE, TOOL, collect, run, run_job

LOOP = """
import os, sys
sys.path.insert(0, {package!r})
import tenet_train
tenet_train.watch({invariants!r}, {callback})
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(12):
    x = torch.randn(8, 4)
    if step < {until}:
        optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
    print("done", step, flush=True)
"""


@pytest.fixture
def invariants(script, tmp_path):
    path = tmp_path / "inv.json"
    text = LOOP.format(package=PACKAGE, invariants=str(path), callback="None", until=99).replace("tenet_train.watch", "#")
    job = script(text)
    runs = []
    for number in range(2):
        runs.append(tmp_path / f"healthy{number}")
        assert collect(runs[-1], job).returncode == 0
    assert run(TOOL, "infer", *runs, "-o", path, "-q").returncode == 0
    return path


def lines(done):
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_a_violation_is_told_at_the_next_step(script, tmp_path, invariants):
    text = LOOP.format(package=PACKAGE, invariants=str(invariants), callback="lambda message, step: print('told', step, message)",
                       until=5)
    told = lines(collect(tmp_path / "run", script(text)))
    first = next(number for number, line in enumerate(told) if line.startswith("told"))
    assert "zero_grad" in told[first]
    assert told[first].split()[1] == "5" and told[first - 1] == "done 5"
    assert [line for line in told if line.startswith("done")] == [f"done {step}" for step in range(12)]


def test_the_job_can_be_stopped(script, tmp_path, invariants):
    text = LOOP.format(package=PACKAGE, invariants=str(invariants), callback="lambda message, step: os._exit(17)", until=5)
    done = collect(tmp_path / "run", script(text))
    assert done.returncode == 17
    assert done.stdout.decode().splitlines()[-1] == "done 5"


def test_a_healthy_run_and_a_callback_that_fails(script, tmp_path, invariants):
    text = LOOP.format(package=PACKAGE, invariants=str(invariants), callback="lambda message, step: 1 / 0", until=99)
    assert len(lines(collect(tmp_path / "healthy", script(text)))) == 12
    assert len(lines(collect(tmp_path / "broken", script(text.replace("step < 99", "step < 5"))))) == 12


def test_without_collecting_nothing_is_checked(script, tmp_path):
    text = LOOP.format(package=os.path.dirname(PACKAGE), invariants="/no/such/file", callback="None", until=99)
    text = text.replace(repr(os.path.dirname(PACKAGE)), repr(PACKAGE))
    assert len(lines(run_job(script(text)))) == 12


def test_a_file_that_cannot_be_used(script, tmp_path):
    text = LOOP.format(package=PACKAGE, invariants="/no/such/file", callback="None", until=99)
    done = collect(tmp_path / "run", script(text))
    assert done.returncode == 1 and b"/no/such/file" in done.stderr
