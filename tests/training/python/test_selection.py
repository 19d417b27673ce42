"""Recording only what is asked for."""

import json
import os

import pytest
from conftest import EXAMPLES, calls, collect, read, run_job, states
from tenet_train import _selection

INVARIANTS = {
    "tenet_training_invariants": 1,
    "invariants": [
        {"relation": "contains-change", "subject": "torch.optim.adam.Adam.step", "object": "torch.nn.Parameter", "field": "data"},
        {"relation": "constant", "subject": "torch.nn.functional.dropout", "field": "arg.training", "value": False,
         "when": [[{"key": "caller", "in": ["torch.nn.modules.dropout.Dropout.forward"]}]]},
        {"relation": "mirrors", "of": "variables", "subject": "checkpoint.saved", "object": "torch.nn.Parameter", "field": "data"},
        {"relation": "loop-law", "subject": "calls(torch.optim.sgd.SGD.step)", "object": "loop.epochs * ceil(loop.batches)"},
        {"relation": "before", "subject": "torch.never", "object": "torch.never_again", "silenced": "noise"},
    ],
}


def test_what_invariants_need(tmp_path):
    path = tmp_path / "inv.json"
    path.write_text(json.dumps(INVARIANTS))
    selection = _selection.load(path)
    assert selection.functions == {"torch.optim.adam.Adam.step", "torch.nn.functional.dropout",
                                   "torch.nn.modules.dropout.Dropout.forward", "torch.optim.sgd.SGD.step"}
    assert selection.variable("torch.nn.Parameter") and selection.variable("checkpoint.saved")
    assert not selection.variable("buffer")
    assert selection.scalars


def test_rules_about_all_optimizers_ask_for_each_of_them():
    selection = _selection.Selection({"torch.optim.Optimizer.step", "torch.optim.functional"}, ())
    assert selection.function("torch.optim.adam.Adam.step")
    assert selection.function("torch.optim.sgd.sgd")
    assert not selection.function("torch.optim.optimizer.Optimizer.zero_grad")
    assert not selection.function("torch.optim.lr_scheduler.StepLR.step")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"functions": 3}', '{"variables": ["nothing"]}', '{"invariants": [3]}',
                                  '{"functions": [1]}'])
def test_bad_selections_are_refused(text, tmp_path):
    path = tmp_path / "selection.json"
    path.write_text(text)
    with pytest.raises(ValueError):
        _selection.load(path)
    done = collect(tmp_path / "run", "job.py", selection=path)
    assert done.returncode == 3
    assert b"error" in done.stderr
    assert not os.path.exists(tmp_path / "run")


def test_only_what_is_asked_for_is_recorded(tmp_path):
    path = tmp_path / "selection.json"
    path.write_text(json.dumps({"functions": ["torch.optim.sgd.SGD.step", "torch.relu"], "variables": ["torch.nn.Parameter"]}))
    job = os.path.join(EXAMPLES, "cnn.py")
    done = collect(tmp_path / "run", job, "--steps", 4, selection=path)
    assert done.stdout == run_job(job, "--steps", 4).stdout
    records = read(tmp_path / "run")
    assert {r.name for r in records if r.kind == "enter"} == {"torch.optim.sgd.SGD.step", "torch.relu"}
    assert {r.type for r in records if r.kind == "state"} == {"torch.nn.Parameter"}
    assert [r.context["step"] for r in calls(records, "torch.optim.sgd.SGD.step")] == [0, 1, 2, 3]
    data = [r.fields["data"] for r in states(records, "torch.nn.Parameter", "model.fc2.weight")]
    assert len(set(data)) == 5
