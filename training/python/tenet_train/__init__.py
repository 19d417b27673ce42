"""Records what a PyTorch job does, without changing it.

From the command line, with no change to the job:

    python3 -m tenet_train collect -o runs/1 -- train.py --epochs 3

From a notebook, or for a part of a program:

    import tenet_train
    tenet_train.start("runs/1")
    ...
    tenet_train.stop()

A job may say where it is, in one line each; without these calls steps and stages are recognised from what it does.
When nothing is being collected they do nothing, so they can stay in the code.

    tenet_train.step()                 # a new step begins (or step(17))
    tenet_train.stage("evaluation")    # training, evaluation, testing, checkpointing, ... until the next call
    tenet_train.scalar("reward", 3.5)  # a quantity of the loop
"""

__all__ = ["start", "stop", "step", "stage", "scalar", "context", "active", "watch"]

_current = None  # what is being collected, a tenet_train._job.Job


def start(directory, *, selection=None):
    """Collects from here on into `directory`; `selection` is the path of a file that says what is needed."""
    from tenet_train import _session

    _session.start(directory, selection)


def stop():
    """Ends collecting and completes the trace."""
    from tenet_train import _session

    _session.stop()


def watch(invariants, on_violation):
    """Checks this run against an invariants file while it is collected; does nothing if it is not.

    `on_violation(message, step)` is called for each invariant that fails, at the beginning of the step after. To stop the
    job from there, raise KeyboardInterrupt or end the process; any other exception is counted as a failure of the
    collector and ends the checking. Raises OSError or ValueError if the file cannot be used.
    """
    if _current is not None:
        _current.watch(invariants, on_violation)


def active():
    """Whether this process is being collected."""
    return _current is not None


def step(number=None):
    """A new step begins. From the first call on, steps are no longer recognised automatically."""
    if _current is not None:
        _current.steps.set(number)


def stage(name):
    """The job is in this stage until it says otherwise."""
    if _current is not None:
        _current.stages.set(name)


def scalar(name, value):
    """Records a quantity of the loop: a number, a bool or a short string."""
    if _current is not None:
        _current.hooks.scalar("loop." + name, value)


def context(name, value):
    """From here on the records of this process carry `name` = `value`; None takes it away."""
    if _current is not None:
        _current.hooks.context(name, value)
