"""Several processes, and processes that end suddenly."""

import os
import signal
import sys

import pytest
from conftest import EXAMPLES, calls, collect, read, states

TRAIN = """
def train(steps, after=lambda step: None):
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(steps):
        optimizer.zero_grad()
        net(torch.ones(4, 3)).sum().backward()
        optimizer.step()
        after(step)
"""


def processes(records):
    return {record.process for record in records}


def updates(records, process=None):
    return [r.context["step"] for r in calls(records, "torch.optim.sgd.SGD.step")
            if process is None or r.process == process]


def test_fork(collected):
    records = collected(TRAIN + """
import os
train(2)
child = os.fork()
train(3)
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
""")
    assert len(processes(records)) == 2
    assert sorted(len(updates(records, process)) for process in processes(records)) == [3, 5]
    child = min(processes(records), key=lambda process: len(updates(records, process)))
    mine = [r for r in records if r.process == child]
    assert mine[0].kind == "context"  # a child says at once where it is
    assert {"step", "stage"} <= {r.name for r in mine if r.kind == "context"}


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_multiprocessing(method, collected):
    records = collected(TRAIN + f"""
def work(steps):
    train(steps)

if __name__ == "__main__":
    import multiprocessing
    context = multiprocessing.get_context({method!r})
    children = [context.Process(target=work, args=(n,)) for n in (2, 3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0
""")
    counts = sorted(len(updates(records, process)) for process in processes(records))
    assert counts[-2:] == [2, 3]


def test_loader_workers(tmp_path):
    assert collect(tmp_path, os.path.join(EXAMPLES, "mixed.py"), "--steps", 4).returncode == 0
    records = read(tmp_path)
    workers = {r.context["worker"]: r.process for r in records if r.context.get("worker") is not None}
    assert set(workers) == {0, 1}
    assert len(set(workers.values())) == 2
    batches = states(records, "batch.fetched")
    assert all("worker" in r.fields for r in batches)
    fetched = {r.fields["data"] for r in batches}
    assert len(fetched) == len(batches)  # healthy workers draw different numbers
    received = [r.fields["data"] for r in states(records, "batch")]
    assert len(received) == 4 and set(received) <= fetched


def test_workers_with_the_same_seed_fetch_the_same(tmp_path):
    script = os.path.join(EXAMPLES, "errors", "worker_seed.py")
    assert collect(tmp_path, script, "--steps", 4, "--fault").returncode == 0
    fetched = [r.fields["data"] for r in states(read(tmp_path), "batch.fetched")]
    assert len(fetched) == 4 and len(set(fetched)) == 2


def test_torchrun(tmp_path):
    done = collect(tmp_path, sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", 2, "--master_port", 29731,
                   "--redirects", 1, "--tee", 1,  # the default of PyTorch 1.13 fails under Python 3.11
                   os.path.join(EXAMPLES, "ddp.py"), "--steps", 3)
    assert done.returncode == 0, done.stderr.decode()
    records = read(tmp_path)
    ranks = {r.context["rank"]: r.process for r in calls(records, "torch.optim.sgd.SGD.step")}
    assert set(ranks) == {0, 1} and len(set(ranks.values())) == 2
    after = {}
    for record in states(records, "torch.nn.Parameter"):
        after[record.context["rank"], record.name, record.context["step"]] = record.fields["data"]
    names = {name for _, name, _ in after}
    assert len(names) == 8
    assert all(after[0, name, step] == after[1, name, step] for name in names for step in range(3))
    reduced = states(records, "collective")
    assert reduced and all("output" in r.fields and "input" in r.fields for r in reduced)


@pytest.mark.parametrize("end, status", [("os._exit(5)", 5), ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
                                         ("os.abort()", -signal.SIGABRT)])
def test_a_sudden_end_loses_at_most_the_current_step(end, status, script, tmp_path):
    job = script(TRAIN + f"""
import os, signal
def after(step):
    if step == 6:
        {end}
train(10, after)
""")
    assert collect(tmp_path / "run", job).returncode == status
    records = read(tmp_path / "run")
    assert updates(records) == [0, 1, 2, 3, 4, 5, 6]
    last = [r for r in states(records, "torch.nn.Parameter", "net.bias")]
    assert last[-1].context["step"] >= 5


def test_threads(collected):
    records = collected("""
        import threading
        def work():
            for _ in range(50):
                torch.relu(torch.zeros(3))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """)
    assert len(calls(records, "torch.relu")) == 200
    assert len({r.thread for r in calls(records, "torch.relu")}) == 4
