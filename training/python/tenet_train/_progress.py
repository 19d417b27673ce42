"""Where a job is: its step and its stage, recognised from what it does or told by it."""


class Steps:
    """Counts training steps, from 0.

    A step ends with an update and lasts until the job visibly begins the next one: it fetches a training batch, clears
    gradients the way it did before the first update, runs forward or backward after every optimizer has stepped, or
    steps an optimizer a second time. So gradient accumulation is one step, and two optimizers that take turns share it.
    """

    def __init__(self, announce):
        self.number = 0
        self._announce = announce
        self._told = False
        self._stepped = set()      # optimizers that have stepped in this step
        self._made = set()         # optimizers that exist
        self._used = set()         # optimizers that ever stepped
        self._clears_first = {}    # by optimizer: gradients are cleared before the first update
        self._batches = False      # training batches come from a loader
        announce(0)

    def set(self, number=None):
        first = not self._told
        self._told = True
        if number is None:
            number = self.number if first and not self._used else self.number + 1
        if number != self.number:
            self.number = number
            self._announce(number)

    def _next(self):
        self._stepped.clear()
        if not self._told:
            self.number += 1
            self._announce(self.number)

    def made(self, optimizer):
        self._made.add(optimizer)

    def batch(self):
        self._batches = True
        if self._stepped:
            self._next()

    def forward(self):
        if self._stepped and not self._batches and self._stepped >= self._made:
            self._next()

    def backward(self):
        if self._stepped and not self._batches and self._stepped >= self._made:
            self._next()

    def clears(self, optimizer):
        first = self._clears_first.setdefault(optimizer, optimizer not in self._used)
        if first and optimizer in self._stepped and not self._batches:
            self._next()

    def updates(self, optimizer):
        if optimizer in self._stepped:
            self._next()
        self._made.add(optimizer)
        self._used.add(optimizer)

    def updated(self, optimizer):
        self._stepped.add(optimizer)

    def forget(self, optimizer):
        self._made.discard(optimizer)
        self._used.discard(optimizer)
        self._stepped.discard(optimizer)
        self._clears_first.pop(optimizer, None)


class Stages:
    """The stage: init until a model is used, then training or evaluation, as the mode of the model says."""

    def __init__(self, announce):
        self.name = "init"
        self._announce = announce
        self._told = False
        announce("init")

    def _become(self, name):
        if name != self.name:
            self.name = name
            self._announce(name)

    def set(self, name):
        self._told = True
        self._become(name)

    def mode(self, training):
        """A model was put into this mode."""
        if not self._told:
            self._become("training" if training else "evaluation")

    def forward(self, training, gradients):
        """A model was run in this mode."""
        if self._told:
            return
        if not training:
            self._become("evaluation")
        elif gradients or self.name == "init":
            self._become("training")

    def during(self, name):
        """Announces a stage that lasts for one call; returns the one to return to."""
        before = self.name
        if not self._told:
            self._become(name)
        return before

    def back(self, name):
        if not self._told:
            self._become(name)
