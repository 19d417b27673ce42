#!/usr/bin/python3
"""Nanoseconds that watching adds to one call, by the kind of function and of arguments; two records are written a call.

    call_cost.py --package BUILD/training/python
"""

import argparse
import sys
import tempfile
import time


def best(function, rounds=7, calls=2000):
    times = []
    for _ in range(rounds):
        begin = time.process_time_ns()
        for _ in range(calls):
            function()
        times.append((time.process_time_ns() - begin) / calls)
    return min(times)


def nothing():
    return None


def one_number(x):
    return x


def one_tensor(x):
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", required=True)
    sys.path.insert(0, parser.parse_args().package)
    import torch
    from tenet_train import _hooks as hooks

    torch.set_num_threads(1)
    small, large = torch.randn(4), torch.randn(1 << 17)
    cases = {
        "Python function, no arguments": (nothing, lambda: nothing(), {}),
        "Python function, a number in and out": (one_number, lambda: one_number(1.5), {}),
        "Python function, a tensor, not summarised": (one_tensor, lambda: one_tensor(small), {}),
        "Python function, 4 floats summarised": (one_tensor, lambda: one_tensor(small), {"argument_limit": sys.maxsize}),
        "Python function, 512 KiB summarised": (one_tensor, lambda: one_tensor(large), {"argument_limit": sys.maxsize}),
        "builtin, two tensors in, one out": (torch.add, lambda: torch.add(small, small), {}),
        "method of a tensor": (torch.Tensor.fill_, lambda: small.fill_(1.0), {}),
    }
    before = {name: best(call) for name, (_, call, _) in cases.items()}
    with tempfile.TemporaryDirectory() as folder:
        hooks.open(folder + "/trace")
        hooks.start(torch, ())
        hooks.activate(True)
        idle = {name: best(call) for name, (_, call, _) in cases.items()}
        for name, (function, call, keywords) in cases.items():
            hooks.watch(function, name, **keywords)
            after = best(call)
            print(f"{name:45} {before[name]:8.0f} ns alone, +{idle[name] - before[name]:5.0f} with others watched, "
                  f"+{after - before[name]:6.0f} watched")
        hooks.close()


if __name__ == "__main__":
    sys.exit(main())
