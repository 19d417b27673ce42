#!/usr/bin/python3
"""What collecting costs the example jobs: processor and wall time with and without, in interleaved pairs.

    overhead.py --package BUILD/training/python [--tool BUILD/cli/train/tenet-train] [--selection FILE] [--pairs 5] [JOB…]

"loop" is the difference between a run with the job's own number of steps and one with a single step, so without importing
PyTorch and placing the hooks; "all" is the whole process. Medians over the pairs.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

EXAMPLES = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "examples", "training"))
STEPS = {"cnn": 48, "lm": 40, "vae": 60, "gan": 40, "gcn": 80, "moe": 60, "ddp": 24, "accumulate": 24, "mixed": 32, "resume": 40,
         "tensor_parallel": 24, "expert_parallel": 24}


def measure(command, environment):
    """(processor seconds of the process and its children, wall seconds)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def drawn(path, count):
    """A file with some of the invariants."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    document["invariants"] = random.Random(0).sample(document["invariants"], min(count, len(document["invariants"])))
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(document, file)
    return file.name


def collected_size(folder):
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".tnt")]
    return sum(os.path.getsize(file) for file in files)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB", default=sorted(STEPS))
    parser.add_argument("--package", required=True)
    parser.add_argument("--tool", help="tenet-train, to count records")
    parser.add_argument("--selection", help="invariants or selection file: record only what it needs")
    parser.add_argument("--random", type=int, metavar="N", help="of the invariants take N, drawn with a fixed seed")
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    if options.random is not None:
        options.selection = drawn(options.selection, options.random)
    plain_environment = dict(os.environ, OMP_NUM_THREADS="1")
    plain_environment.pop("PYTHONPATH", None)
    environment = dict(plain_environment, PYTHONPATH=options.package)
    print(f"{'job':12} {'plain s':>8} {'loop cpu':>9} {'loop wall':>9} {'all cpu':>8} {'all wall':>8} {'bytes/step':>10}  records")
    for job in options.jobs:
        script = os.path.join(EXAMPLES, job + ".py")
        plain, watched = {1: [], STEPS[job]: []}, {1: [], STEPS[job]: []}
        size = count = 0
        for _ in range(options.pairs):
            for steps in (1, STEPS[job]):
                plain[steps].append(measure([sys.executable, script, "--steps", str(steps)], plain_environment))
                with tempfile.TemporaryDirectory() as folder:
                    more = ["-s", options.selection] if options.selection else []
                    watched[steps].append(measure([sys.executable, "-m", "tenet_train", "collect", "-o", folder, *more, "--",
                                                   script, "--steps", str(steps)], environment))
                    size = collected_size(folder)
                    if options.tool and steps > 1 and not count:
                        text = subprocess.run([options.tool, "trace", "stat", folder], capture_output=True, text=True).stdout
                        count = int(text.split(" ", 1)[0])

        def median(runs, kind):
            return statistics.median(run[kind] for run in runs)

        loop = [(median(watched[STEPS[job]], kind) - median(watched[1], kind)) /
                (median(plain[STEPS[job]], kind) - median(plain[1], kind)) for kind in (0, 1)]
        everything = [median(watched[STEPS[job]], kind) / median(plain[STEPS[job]], kind) for kind in (0, 1)]
        print(f"{job:12} {median(plain[STEPS[job]], 0):8.2f} {loop[0]:9.3f} {loop[1]:9.3f} {everything[0]:8.3f} "
              f"{everything[1]:8.3f} {size / STEPS[job]:10.0f}  {count or ''}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
