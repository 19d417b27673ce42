"""What is recorded: everything, or what given invariants need.

A selection file is JSON: either {"functions": [NAME…], "variables": [TYPE…], "details": bool} or an invariants file,
from which the same is derived.
"""

import json
import re

# Types of state records that can be asked for.
VARIABLES = (
    "torch.nn.Parameter", "buffer", "module", "optimizer.group", "optimizer.state", "optimizer.agreement", "scheduler",
    "scaler", "batch", "batch.fetched", "collective", "checkpoint.saved", "checkpoint.loaded",
    "checkpoint.agreement",
)


def role(name):
    """The name by which rules speak of what all optimizers and schedules have in common, of whichever class."""
    if not name.startswith("torch.optim."):
        return name
    parts = name.split(".")
    if parts[-1] == parts[-2] and len(parts) == 4:
        return "torch.optim.functional"  # the function that does the work of a class's step
    if parts[-1] not in ("step", "zero_grad", "add_param_group", "state_dict", "load_state_dict"):
        return name
    return ("torch.optim.lr_scheduler.LRScheduler." if parts[2] == "lr_scheduler" else "torch.optim.Optimizer.") + parts[-1]


class Selection:
    def __init__(self, functions, variables, scalars=True, all_functions=False):
        self._functions = frozenset(functions)
        self._variables = frozenset(variables)
        self.scalars = scalars
        self.all_functions = all_functions

    def function(self, name):
        return self.all_functions or name in self._functions or role(name) in self._functions

    def variable(self, kind):
        return kind in self._variables

    @property
    def functions(self):
        return self._functions


def everything():
    return Selection((), VARIABLES, all_functions=True)


def _names(value, what):
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"'{what}' is not a list of strings")
    return value


def _called(expression):
    """The functions an expression of a loop law counts: calls(NAME)."""
    return re.findall(r"calls\(([^()]*)\)", expression)


def _callers(entry):
    """Functions that a precondition asks about."""
    for clauses in entry.get("when", []) + entry.get("except", []):
        for clause in clauses:
            if clause.get("key") == "caller":
                yield from (value for value in clause.get("in", []) if isinstance(value, str))


def _from_invariants(entries):
    functions = set()
    variables = set()
    scalars = False
    for entry in entries:
        if entry.get("silenced"):
            continue
        functions.update(_callers(entry))
        sides = [entry.get(part, "") for part in ("subject", "object")]
        if entry.get("relation") == "loop-law":
            scalars = True
            functions.update(name for side in sides for name in _called(side))
        elif entry.get("relation") == "pair-equal":
            variables.update(("torch.nn.Parameter", "buffer"))  # the two sides are names of variables
        else:
            scalars = scalars or sides[0] == "loop"  # a rule about its quantities
            for side in filter(None, sides):
                (variables if side in VARIABLES else functions).add(side)
    return Selection(functions, variables, scalars)


def load(path):
    """Reads a selection or an invariants file. Raises OSError or ValueError."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if not isinstance(data, dict):
        raise ValueError("not a selection and not an invariants file")
    if "functions" in data or "variables" in data:
        variables = _names(data.get("variables", []), "variables")
        unknown = [name for name in variables if name not in VARIABLES]
        if unknown:
            raise ValueError(f"unknown type of variable '{unknown[0]}'; known are {', '.join(VARIABLES)}")
        return Selection(_names(data.get("functions", []), "functions"), variables, bool(data.get("scalars", True)))
    if isinstance(data.get("invariants"), list):
        try:
            return _from_invariants(data["invariants"])
        except (AttributeError, TypeError) as error:
            raise ValueError(f"an invariant is not understood: {error}") from None
    raise ValueError("not a selection and not an invariants file")
