"""Steps and stages, from sequences of events alone."""

import pytest

from tenet_train import _progress


class Steps(_progress.Steps):
    def __init__(self):
        self.announced = []
        super().__init__(self.announced.append)


def play(*events, rounds=4, optimizers=("a",)):
    """Plays the events of an iteration several times; returns the step at the end of each iteration."""
    steps = Steps()
    for optimizer in optimizers:
        steps.made(optimizer)
    seen = []
    for _ in range(rounds):
        for event in events:
            name, _, optimizer = event.partition(" ")
            if name == "step":
                steps.updates(optimizer)
                steps.updated(optimizer)
            elif name == "clear":
                steps.clears(optimizer)
            else:
                getattr(steps, name)()
        seen.append(steps.number)
    return seen


@pytest.mark.parametrize("events", [
    ("batch", "clear a", "forward", "backward", "step a"),
    ("batch", "forward", "clear a", "backward", "step a"),
    ("batch", "forward", "backward", "step a", "clear a"),
    ("clear a", "forward", "backward", "step a"),
    ("forward", "backward", "step a", "clear a"),
    ("forward", "backward", "step a"),
    ("step a",),
])
def test_an_iteration_is_a_step(events):
    assert play(*events) == [0, 1, 2, 3]


def test_accumulated_batches_are_one_step():
    iteration = ("batch", "forward", "backward") * 3 + ("step a", "clear a")
    assert play(*iteration) == [0, 1, 2, 3]
    without_loader = ("forward", "backward") * 3 + ("step a", "clear a")
    assert play(*without_loader) == [0, 1, 2, 3]


def test_two_optimizers_that_take_turns_share_a_step():
    iteration = ("clear d", "forward", "backward", "step d", "clear g", "forward", "backward", "step g")
    assert play(*iteration, optimizers=("d", "g")) == [0, 1, 2, 3]


def test_a_batch_without_an_update_does_not_begin_a_step():
    assert play("batch", "forward") == [0, 0, 0, 0]


def test_a_job_that_says_its_steps_is_believed():
    steps = Steps()
    steps.set()
    for _ in range(3):
        steps.updates("a")
        steps.updated("a")
        steps.batch()
        steps.set()
    assert steps.announced == [0, 1, 2, 3]
    steps.set(17)
    assert steps.number == 17


def test_stages_follow_the_mode_of_the_model():
    announced = []
    stages = _progress.Stages(announced.append)
    stages.forward(training=True, gradients=True)
    stages.mode(False)
    stages.forward(training=False, gradients=False)
    before = stages.during("checkpointing")
    stages.back(before)
    stages.mode(True)
    assert announced == ["init", "training", "evaluation", "checkpointing", "evaluation", "training"]
    stages.set("testing")
    stages.forward(training=True, gradients=True)
    assert announced[-1] == "testing"
