"""A collected job does exactly what it does alone."""

import os

import pytest
from conftest import EXAMPLES, collect, read, run_job

JOBS = {"cnn": 5, "lm": 4, "vae": 6, "gan": 5, "gcn": 11, "moe": 5, "ddp": 4, "accumulate": 4, "mixed": 5, "resume": 6,
        "tensor_parallel": 4, "expert_parallel": 4}


def same(plain, collected):
    assert collected.returncode == plain.returncode, collected.stderr.decode()
    assert collected.stdout == plain.stdout
    assert collected.stderr == plain.stderr


def test_every_example_is_tried():
    scripts = {name[:-3] for name in os.listdir(EXAMPLES) if name.endswith(".py") and name != "job.py"}
    assert scripts == set(JOBS)


@pytest.mark.parametrize("job", JOBS)
def test_examples_are_bit_identical(job, tmp_path):
    # The jobs print their losses with all digits and a digest of weights, buffers and random states.
    path = os.path.join(EXAMPLES, job + ".py")
    plain = run_job(path, "--steps", JOBS[job])
    assert plain.returncode == 0, plain.stderr.decode()
    assert b"final" in plain.stdout
    same(plain, collect(tmp_path, path, "--steps", JOBS[job]))
    records = read(tmp_path)
    assert len(records) > 100 * JOBS[job]
    assert not [record for record in records if record.kind == "note"]  # a hook that failed would leave one


WAYS_TO_END = {
    "exception": "raise ValueError('no')",
    "exit status": "import sys; sys.exit(17)",
    "message": "import sys; sys.exit('gone')",
    "error inside the library": "torch.nn.Linear(2, 3)(torch.zeros(4, 5))",
    "error in backward": "torch.zeros(3).sum().backward()",
    "error in an optimizer": "torch.optim.SGD([torch.zeros(2)], lr=-1)",
    "interrupt": "raise KeyboardInterrupt",
    "abort": "import os; os.abort()",
    "warning": "import warnings; warnings.warn('careful'); print(torch.zeros(2, requires_grad=True).sum().grad)",
    "syntax error": "if",
}


@pytest.mark.parametrize("end", WAYS_TO_END)
def test_ends_in_the_same_way(end, script, tmp_path):
    job = script("print('begins')\n" + WAYS_TO_END[end])
    same(run_job(job), collect(tmp_path / "run", job))


STILL_WORKING = """
import copy, inspect, io, pickle, sys, types
import torch.nn as nn, torch.nn.functional as F
from torch.nn.functional import relu, max_pool2d
from torch import conv2d

print(type(F.relu), type(torch.relu), type(torch.Tensor.normal_), isinstance(F.relu, types.FunctionType))
print(relu is F.relu, pickle.loads(pickle.dumps(F.relu)) is F.relu, pickle.loads(pickle.dumps(torch.relu)) is torch.relu)
for function in (F.relu, F.dropout, nn.Linear, nn.Module.__call__, torch.optim.SGD.step, torch.save, nn.Linear.forward):
    print(inspect.signature(function), inspect.isfunction(function))
print(inspect.getsource(F.relu)[:40], F.relu.__code__.co_name, len(F.relu.__code__.co_code), F.relu.__doc__[:20])
print(inspect.signature(torch.optim.Adam.step), torch.optim.Adam.step.__qualname__)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(max_pool2d(F.relu(self.conv(x)), 2)).flatten(1).sum(1)

net = Net()
print(isinstance(net, nn.Module), isinstance(net.conv.weight, nn.Parameter), type(net).__mro__)
other = copy.deepcopy(net)
print(torch.equal(other.conv.weight, net.conv.weight), other.conv.weight is not net.conv.weight)
x = torch.randn(2, 1, 8, 8)
scripted = torch.jit.script(net.eval())
print(torch.equal(scripted(x), net(x)), scripted.graph)
traced = torch.jit.trace(net, x)
print(torch.equal(traced(x), net(x)), traced.graph)

@torch.jit.script
def scripted_function(x: torch.Tensor) -> torch.Tensor:
    return F.relu(x) + torch.sigmoid(F.max_pool2d(x, 2)).sum()

print(scripted_function.graph)
buffer = io.BytesIO()
torch.save({"net": net, "state": net.state_dict()}, buffer)
buffer.seek(0)
loaded = torch.load(buffer)
print(torch.equal(loaded["net"](x), net(x)), sorted(loaded["state"]))

class Logged(torch.Tensor):
    names = []
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.names.append(getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, types, args, kwargs or {})

y = F.relu(torch.randn(3).as_subclass(Logged) + 1).sum()
print(Logged.names)

from torch.overrides import TorchFunctionMode
class Mode(TorchFunctionMode):
    def __init__(self):
        self.names = []
    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.names.append(getattr(function, "__name__", str(function)))
        return function(*args, **(kwargs or {}))
mode = Mode()
with mode:
    F.softmax(nn.Linear(3, 3)(torch.randn(2, 3)), dim=1).sum()
print(mode.names)
print([entry for entry in sys.path if "tenet_train" in entry], sys.gettrace(), sys.getprofile(), len(sys.meta_path))

def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)
sys.setrecursionlimit(60000)
print(deep(50000))
"""


def test_language_features_still_work(script, tmp_path):
    job = script(STILL_WORKING)
    plain = run_job(job)
    assert plain.returncode == 0, plain.stderr.decode()
    same(plain, collect(tmp_path / "run", job))


def test_programs_without_torch_leave_no_trace(script, tmp_path):
    job = script("import sys; print(sys.argv[1:], __name__, __file__ != '')", prelude="")
    plain = run_job(job, "a", "-b")
    same(plain, collect(tmp_path / "run", job, "a", "-b"))
    assert os.listdir(tmp_path / "run") == []
