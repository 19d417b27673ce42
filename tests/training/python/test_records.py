"""What is recorded."""

import os

import pytest
from conftest import EXAMPLES, calls, collect, exits, read, states

LOOP = """
import torch.nn as nn
from torch.nn.functional import relu, mse_loss
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return relu(self.norm(self.fc(x)))

num_epochs = 2
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.25)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randn(12, 3)), 4)
for epoch in range(num_epochs):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        model(x)
torch.save({"model": model.state_dict()}, __file__ + ".pt")
model.load_state_dict(torch.load(__file__ + ".pt")["model"])
"""


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loop")
    path = folder / "train.py"
    path.write_text("import torch\ntorch.set_num_threads(1)\ntorch.manual_seed(0)\n" + LOOP)
    done = collect(folder / "run", path)
    assert done.returncode == 0, done.stderr.decode()
    return read(folder / "run")


def test_steps_and_stages(loop):
    updates = calls(loop, "torch.optim.adam.Adam.step")
    assert [record.context["step"] for record in updates] == [0, 1, 2, 3, 4, 5]
    assert {record.context["stage"] for record in updates} == {"training"}
    stages = [record.fields[""] for record in loop if record.kind == "context" and record.name == "stage"]
    assert stages == ["init", "training", "evaluation", "training", "evaluation", "checkpointing", "evaluation",
                      "checkpointing", "evaluation"]


def test_every_process_names_its_program(loop):
    first = loop[0]
    assert (first.kind, first.name, first.fields[""]) == ("context", "program", "train.py")
    assert {record.context["program"] for record in loop} == {"train.py"}


def test_parameters_know_their_optimizer(collected):
    records = collected("""
        first, second, neither = (torch.nn.Linear(2, 2) for _ in range(3))
        model = torch.nn.Sequential(first, second, neither)
        one = torch.optim.SGD([first.weight, second.weight], lr=0.1)
        two = torch.optim.SGD([first.bias, second.weight], lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        one.step()
        two.step()
        one.zero_grad()
        two.zero_grad()
        """)
    one, two = (record.fields["self"] for record in calls(records, "torch.optim.sgd.SGD.step"))
    assert [record.fields["self"] for record in calls(records, "torch.optim.optimizer.Optimizer.zero_grad")] == [one, two]
    last = {record.name.split(".", 1)[1]: record.fields for record in states(records, "torch.nn.Parameter")}
    assert last["0.weight"]["optimizer"] == one != two == last["0.bias"]["optimizer"]
    assert last["1.weight"]["in_optimizer"] is True and "optimizer" not in last["1.weight"]  # it is in both
    assert last["2.weight"]["in_optimizer"] is False and "optimizer" not in last["2.weight"]


def test_names_bound_before_are_seen(loop):
    assert len(calls(loop, "torch.nn.functional.relu")) == 8
    inner = calls(loop, "torch.relu")
    assert len(inner) == 8
    assert all(record.stack[-1] == "torch.nn.functional.relu" for record in inner)


def test_calls_carry_arguments_and_results(loop):
    record = calls(loop, "torch.nn.functional.mse_loss")[0]
    assert record.fields["arg.reduction"] == "mean"
    assert record.fields["arg.input.shape"] == [4, 3]
    assert record.fields["arg.input.requires_grad"] is True
    assert record.fields["arg.size_average"] is None
    result = exits(loop, "torch.nn.functional.mse_loss")[0]
    assert result.fields["ret.shape"] == []
    assert result.fields["ret.norm"] > 0 and result.fields["ret"].startswith("0x")


def test_modules_are_called_by_name_and_mode(loop):
    outer = calls(loop, "torch.nn.Module.__call__")
    assert len(outer) == 8
    assert {record.fields["self.type"] for record in outer} == {"__main__.Net"}
    assert {record.fields["self.name"] for record in outer} == {"model"}
    assert [record.fields["self.training"] for record in outer].count(False) == 2
    linear = calls(loop, "torch.nn.modules.linear.Linear.forward")
    assert {record.fields["self.name"] for record in linear} == {"model.fc"}
    assert outer[0].fields["arg.0"].startswith("0x")  # what goes into a model is summarised whatever its size


def change(records, name, key):
    """(step, stack, value) of each change of an attribute of a variable."""
    last, found = object(), []
    for record in records:
        if record.kind == "state" and record.name == name and key in record.fields and record.fields[key] != last:
            last = record.fields[key]
            found.append((record.context["step"], record.stack, last))
    return found


def test_parameters_change_inside_the_update(loop):
    changes = change([r for r in loop if r.get("type") == "torch.nn.Parameter"], "model.fc.weight", "data")
    inside = [stack for _, stack, _ in changes[1:]]
    assert len(inside) == 6
    assert all("torch.optim.adam.Adam.step" in stack for stack in inside)


def test_gradients_are_cleared_and_filled(loop):
    changes = change([r for r in loop if r.get("type") == "torch.nn.Parameter"], "model.fc.weight", "grad")
    filled = [step for step, stack, _ in changes if "torch.autograd.backward" in stack]
    cleared = [step for step, stack, _ in changes if "torch.optim.optimizer.Optimizer.zero_grad" in stack]
    assert filled == [0, 1, 2, 3, 4, 5]
    assert cleared == [1, 2, 3, 4, 5]


def test_every_parameter_and_its_state_is_there_in_every_step(loop):
    for kind, names in (("torch.nn.Parameter", {"model.fc.weight", "model.fc.bias", "model.norm.weight", "model.norm.bias"}),
                        ("optimizer.state", {"optimizer.model.fc.weight", "optimizer.model.fc.bias",
                                             "optimizer.model.norm.weight", "optimizer.model.norm.bias"}),
                        ("buffer", {"model.norm.running_mean", "model.norm.running_var", "model.norm.num_batches_tracked"})):
        for step in range(6):
            assert {r.name for r in states(loop, kind) if r.context["step"] == step} == names, (kind, step)


def test_optimizer_state_and_hyper_parameters(loop):
    counts = [r.fields["step"] for r in states(loop, "optimizer.state", "optimizer.model.fc.bias")]
    assert counts == [1, 2, 3, 4, 5, 6]
    groups = states(loop, "optimizer.group", "optimizer.0")
    assert [r.fields["lr"] for r in groups] == [0.25] * 3 + [0.125] * 3
    assert groups[0].fields["betas.1"] == 0.999
    assert [r.fields["lr"] for r in states(loop, "scheduler")][-2:] == [0.125, 0.0625]
    agreement = states(loop, "optimizer.agreement", "optimizer")
    assert all(r.fields == {"parameters": 4, "with_grad": 4, "missing": 0, "idle": 0, "foreign": 0} for r in agreement)


def test_batches(loop):
    batches = states(loop, "batch", "loader")
    assert len(batches) == 6
    assert batches[0].fields["size"] == 4
    assert batches[0].fields["data"] == batches[3].fields["data"] != batches[1].fields["data"]
    assert batches[0].fields["data.1.shape"] == [4, 3]


def test_loop_quantities(loop):
    scalars = {}
    for record in loop:
        if record.kind == "scalar":
            scalars.setdefault(record.name, []).append(record.fields[""])
    assert scalars["loop.epochs"] == [2]
    assert scalars["loop.batches"] == [3, 3]
    assert scalars["loop.epoch"] == [0, 1]


def test_checkpoints(loop):
    saved = states(loop, "checkpoint.saved")
    assert {r.name for r in saved} == {"model.fc.weight", "model.fc.bias", "model.norm.weight", "model.norm.bias",
                                       "model.norm.running_mean", "model.norm.running_var",
                                       "model.norm.num_batches_tracked"}
    assert all(r.fields["data"] == r.fields["live"] for r in saved)
    loaded = states(loop, "checkpoint.loaded")
    assert len(loaded) == 7 and all(r.fields["data"] == r.fields["live"] for r in loaded)
    before = {r.name: r.fields["data"] for r in saved}
    assert before["model.fc.weight"] == states(loop, "torch.nn.Parameter", "model.fc.weight")[-1].fields["data"]


def test_gradient_mode(loop):
    evaluations = [r for r in calls(loop, "torch.nn.Module.__call__") if not r.fields["self.training"]]
    assert all(r.context["grad_enabled"] is False for r in evaluations)
    assert all(r.context["grad_enabled"] is True for r in calls(loop, "torch.autograd.backward"))


def test_a_frozen_head_shows_in_the_agreement(tmp_path):
    script = os.path.join(EXAMPLES, "errors", "frozen_head.py")
    assert collect(tmp_path, script, "--steps", 3, "--fault").returncode == 0
    agreement = states(read(tmp_path), "optimizer.agreement")
    assert [r.fields["with_grad"] for r in agreement] == [0, 0, 0]
    assert [r.fields["missing"] for r in agreement] == [2, 2, 2]


def test_a_model_the_optimizer_does_not_know(tmp_path):
    script = os.path.join(EXAMPLES, "errors", "copied_model.py")
    assert collect(tmp_path, script, "--steps", 3, "--fault").returncode == 0
    agreement = states(read(tmp_path), "optimizer.agreement")
    assert all(r.fields["foreign"] == r.fields["parameters"] and r.fields["missing"] > 0 for r in agreement)


def test_a_corrupt_checkpoint_differs_from_what_is_live(tmp_path):
    script = os.path.join(EXAMPLES, "errors", "bad_checkpoint.py")
    assert collect(tmp_path, script, "--steps", 4, "--fault").returncode == 0
    differing = {r.name for r in states(read(tmp_path), "checkpoint.saved") if r.fields["data"] != r.fields["live"]}
    assert differing == {"model.fc1.weight"}


def test_exceptions_and_autocast(collected):
    records = collected("""
        import torch.nn.functional as F
        linear = torch.nn.Linear(2, 2)
        try:
            linear(torch.zeros(3, 5))
        except RuntimeError:
            pass
        with torch.autocast("cpu", dtype=torch.bfloat16):
            linear(torch.zeros(3, 2))
        linear(torch.zeros(3, 2))
    """)
    failed = [r for r in records if r.kind == "fail"]
    assert {r.name for r in failed} == {"RuntimeError"}
    forward = calls(records, "torch.nn.modules.linear.Linear.forward")
    assert [r.context.get("autocast.dtype") for r in forward] == [None, "torch.bfloat16", None]
    assert [r.fields["ret.dtype"] for r in exits(records, "torch.nn.modules.linear.Linear.forward")] == [
        "torch.bfloat16", "torch.float32"]


def test_an_optimizer_of_the_job(collected):
    records = collected("""
        class Plain(torch.optim.Optimizer):
            def __init__(self, parameters):
                super().__init__(parameters, {"rate": 0.5})

            @torch.no_grad()
            def step(self, closure=None):
                for group in self.param_groups:
                    for p in group["params"]:
                        p -= group["rate"] * p.grad

        net = torch.nn.Linear(2, 1)
        mine = Plain(net.parameters())
        for _ in range(3):
            mine.zero_grad()
            net(torch.ones(4, 2)).sum().backward()
            mine.step()
    """)
    assert [r.context["step"] for r in calls(records, "__main__.Plain.step")] == [0, 1, 2]
    assert [r.fields["rate"] for r in states(records, "optimizer.group", "mine.0")] == [0.5] * 3
    inside = [stack for _, stack, _ in change([r for r in records if r.get("type") == "torch.nn.Parameter"], "net.bias", "data")]
    assert inside[1:] == [["__main__.Plain.step"]] * 3


def test_the_one_line_interface(tmp_path, script):
    job = script("""
        import sys
        sys.path.append(%r)
        import tenet_train
        for number in range(3):
            tenet_train.step()
            tenet_train.stage("testing")
            tenet_train.scalar("reward", number / 2)
            torch.relu(torch.zeros(2))
        print(tenet_train.active())
    """ % os.path.dirname(os.path.dirname(__file__)))
    done = collect(tmp_path / "run", job)
    assert done.stdout == b"True\n"
    records = read(tmp_path / "run")
    seen = calls(records, "torch.relu")
    assert [r.context["step"] for r in seen] == [0, 1, 2]
    assert {r.context["stage"] for r in seen} == {"testing"}
    assert [r.fields[""] for r in records if r.get("name") == "loop.reward"] == [0.0, 0.5, 1.0]


def test_start_and_stop_in_a_program(tmp_path, script):
    from conftest import PACKAGE, run_job
    job = script(f"""
        import sys
        sys.path.insert(0, {PACKAGE!r})
        from torch import relu          # bound before anything is watched
        import tenet_train
        tenet_train.step()              # does nothing yet
        x = torch.randn(3)
        relu(x)
        tenet_train.start({str(tmp_path / 'run')!r})
        relu(x)
        torch.nn.functional.relu(x)
        tenet_train.stop()
        relu(x)
        tenet_train.start({str(tmp_path / 'again')!r})
        relu(x)
    """)
    done = run_job(job)
    assert done.returncode == 0, done.stderr.decode()
    assert len(calls(read(tmp_path / "run"), "torch.relu")) == 2
    assert len(calls(read(tmp_path / "again"), "torch.relu")) == 1
