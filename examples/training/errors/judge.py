#!/usr/bin/python3
"""Runs the re-created errors, learns from healthy runs, and judges what the checker found.

    judge.py -o OUT --package DIR --tool tenet-train [--from own|others] [--only NAME…] [--runs 4] [--jobs 2]

For each error, errors.json says beforehand which findings are right and when the first of them can be observed.
`--from own` learns from runs of the same script without the fault; `--from others` from the healthy example jobs and the
healthy twins of all other errors, never from the script itself. An error counts as detected when a right finding is among
the first three groups of the report, and its first failure is not before the fault and at most one step after the first
observable moment. The script without its fault, with the same seed, has to be silent.

Exit status: 0 if all that was asked for was detected and all twins are silent, 1 if not, 3 for wrong usage, 4 if something
could not be run.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
JOBS = ("cnn", "lm", "vae", "gan", "gcn", "moe", "ddp", "accumulate", "mixed", "resume",
        "tensor_parallel", "expert_parallel")
SEED = 1000  # of the runs that are judged; the healthy ones have smaller seeds
# Hyper-parameters of the healthy runs, in turn.
LEARNING_RATES = ("0.01", "0.003", "0.02", "0.005", "0.03", "0.002", "0.008", "0.015")
STEPS = (12, 9, 15, 18, 10, 14, 11, 16)
BATCH_SIZES = (32, 24, 16, 40, 20, 48, 28, 36)
JOB_STEPS = (24, 12, 36, 18, 30, 40, 28, 20)  # of the example jobs, some of which have long epochs


class Failure(Exception):
    """Something that the judgement needs could not be done."""


class Workshop:
    """Runs jobs and the tool; what exists already is not made again."""

    def __init__(self, options):
        self.options = options
        os.makedirs(options.output, exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.options.output, *parts)

    def collect(self, name, script, *arguments):
        """Collects one run; returns its folder."""
        folder = self.path("runs", name)
        done = os.path.join(folder, "done")
        if os.path.exists(done):
            return folder
        environment = dict(os.environ, PYTHONPATH=self.options.package, OMP_NUM_THREADS="1")
        command = [sys.executable, "-m", "tenet_train", "collect", "-o", folder, "--", script, *map(str, arguments)]
        try:
            status = subprocess.run(command, env=environment, capture_output=True, timeout=self.options.timeout).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
        if not os.path.isdir(folder) or not any(file.endswith(".tnt") for file in os.listdir(folder)):
            raise Failure(f"{name} left no trace (status {status})")
        with open(done, "w", encoding="utf-8") as file:
            file.write(f"{status}\n")
        return folder

    def tool(self, *words):
        return subprocess.run([self.options.tool, *map(str, words)], capture_output=True, text=True)

    def evidence(self, name, folders, others=()):
        """Evidence of some runs; with that of others, their hypotheses are judged on these runs too."""
        path = self.path("evidence", name + (".all.json" if others else ".json"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            more = ["--with", *others] if others else []
            done = self.tool("infer", *folders, "--shard", "-q", "-o", path, *more)
            if done.returncode not in (0, 2):
                raise Failure(f"infer failed on {name}: {done.stderr}")
        return path

    def evidence_of_all(self, folders):
        """The same for many, {name: folders}, each with the hypotheses of all."""
        first = {name: self.evidence(name, mine) for name, mine in folders.items()}
        return {name: self.evidence(name, mine, list(first.values())) for name, mine in folders.items()}

    def invariants(self, name, sources, how="merge"):
        path = self.path("invariants", name + ".json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        done = self.tool(how, *sources, "-q", "-o", path)
        if done.returncode not in (0, 2):
            raise Failure(f"{how} failed on {name}: {done.stderr}")
        return path

    def infer(self, name, folders):
        return self.invariants(name, folders, "infer")

    def check(self, name, folder, invariants):
        path = self.path("findings", name + ".json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        done = self.tool("check", folder, "-i", invariants, "--json", path)
        if done.returncode not in (0, 1, 2):
            raise Failure(f"check failed on {name}: {done.stderr}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)["runs"][0]


def is_right(violation, finding):
    text = " ".join(str(violation.get(key, "")) for key in ("message", "invariant", "function", "variables"))
    return (re.fullmatch(finding["relation"], violation["relation"]) is not None and
            all(re.search(pattern, text) for pattern in finding["mentions"]))


def judge(error, run, twin):
    """(detected, rank of the right group, step, the invariant) of one report; what the twin reports too is no finding."""
    noise = {violation["id"] for group in twin["groups"] for violation in group["violations"]}
    last = (run["last_step"] if error["step"] == "last" else error["step"]) + 1
    best = None
    for rank, group in enumerate(run["groups"], 1):
        for violation in group["violations"]:
            if violation["id"] not in noise and error["begins"] <= violation["step"] <= last and any(is_right(violation, finding) for finding in error["findings"]):
                found = (rank <= 3, rank, violation["step"], violation["invariant"])
                if best is None or found[1] < best[1]:
                    best = found
    return best if best is not None else (False, None, None, None)


def script_of(error):
    return os.path.join(HERE, error["script"] + ".py")


def healthy_work(name, script, count):
    steps = JOB_STEPS if name in JOBS else STEPS
    return [(f"{name}-{number}", script, "--seed", number, "--lr", LEARNING_RATES[number % 8], "--steps", steps[number % 8],
             "--batch-size", BATCH_SIZES[number % 8])
            for number in range(count)]


def healthy_runs(workshop, name, script, count):
    return [workshop.collect(*words) for words in healthy_work(name, script, count)]


def prepare(workshop, errors, options, pool):
    """Collects everything that is needed, several runs at a time."""
    work = []
    for error in errors:
        name, script = error["script"], script_of(error)
        work.append((name + "-fault", script, "--seed", SEED, "--fault"))
        work.append((name + "-twin", script, "--seed", SEED))
    programs = {error["script"]: script_of(error) for error in errors}
    if options.source == "others":
        programs = {error["script"]: script_of(error) for error in all_errors()}
        programs.update((name, os.path.join(HERE, os.pardir, name + ".py")) for name in JOBS)
    for name, script in programs.items():
        work += healthy_work(name, script, options.runs)
    for future in [pool.submit(workshop.collect, *words) for words in work]:
        future.result()
    return programs


def all_errors():
    with open(os.path.join(HERE, "errors.json"), encoding="utf-8") as file:
        return json.load(file)["errors"]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        print(f"judge: error: {message}", file=sys.stderr)
        sys.exit(3)


def main():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="folder for traces, invariants and findings")
    parser.add_argument("--package", required=True, help="folder that holds the package tenet_train")
    parser.add_argument("--tool", required=True, help="the program tenet-train")
    parser.add_argument("--from", dest="source", choices=("own", "others"), default="own")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="scripts to judge")
    parser.add_argument("--runs", type=int, default=4, help="healthy runs of each program (default 4)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one run")
    options = parser.parse_args()
    errors = [error for error in all_errors() if options.only is None or error["script"] in options.only]
    if not errors:
        parser.error("no such error")

    workshop = Workshop(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = prepare(workshop, errors, options, pool)
    runs = {name: healthy_runs(workshop, name, script, options.runs) for name, script in programs.items()}
    if options.source == "own":
        evidence = {name: workshop.evidence(name, mine) for name, mine in runs.items()}
    else:
        evidence = workshop.evidence_of_all(runs)

    rows = []
    for error in errors:
        name = error["script"]
        sources = [evidence[name]] if options.source == "own" else [path for other, path in evidence.items() if other != name]
        invariants = workshop.invariants(f"{name}-{options.source}", sources)
        fault = workshop.check(f"{name}-fault-{options.source}", workshop.path("runs", name + "-fault"), invariants)
        twin = workshop.check(f"{name}-twin-{options.source}", workshop.path("runs", name + "-twin"), invariants)
        detected, rank, step, text = judge(error, fault, twin)
        rows.append({"id": error["id"], "error": name, "origin": error["origin"], "detected": detected, "rank": rank,
                     "step": step, "observable": error["step"], "invariant": text, "judged": fault["judged"],
                     "groups": len(fault["groups"]), "twin_groups": len(twin["groups"])})
        print(f"{error['id']!s:>8} {name:18} {'detected' if detected else 'missed':8} rank {rank!s:>4} step {step!s:>4} "
              f"(observable {error['step']}) groups {len(fault['groups'])} twin {len(twin['groups'])} {text or ''}", flush=True)
    with open(workshop.path(f"table-{options.source}.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
    found = sum(row["detected"] for row in rows)
    silent = sum(row["twin_groups"] == 0 for row in rows)
    print(f"{found} of {len(rows)} detected, {silent} of {len(rows)} twins silent")
    return 0 if found == silent == len(rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.stderr.write(f"judge: {failure}\n")
        sys.exit(4)
