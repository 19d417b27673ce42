#!/usr/bin/python3
"""False alarms on healthy runs: the example jobs and the repaired twins of all re-created errors.

    false_alarms.py -o OUT --package BUILD/training/python --tool BUILD/cli/train/tenet-train
                    [--doctor BUILD/bench/training/tenet_doctor] [--runs 8] [--only NAME…]

Every program runs with other seeds, learning rates, batch sizes and numbers of steps each time. Three questions:

  same      invariants of k runs of a program, checked on its other runs
  across    invariants of one run each of k other programs, drawn with a fixed seed, checked on runs of a program

For each k: the share of healthy runs with at least one reported group, groups per 1,000 steps, and the share of judged
invariants that were violated (TrainCheck's figure); with --doctor also the share among those that say something: that a
doctored copy of the run (calls lost or swapped, values changed, repeated or cleared) violates. Runs that exist already in
OUT, as those of judge.py, are used.
"""

import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys

ERRORS = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "examples", "training", "errors"))
sys.path.insert(0, ERRORS)
import judge  # noqa: E402

COUNTS = (1, 2, 4, 6)
DAMAGE = [(kind, seed) for kind in ("lose-functions", "lose-calls", "swap-calls", "change-values", "repeat-values", "clear-values")
          for seed in (1, 2)]


def programs():
    found = {name: os.path.join(ERRORS, os.pardir, name + ".py") for name in judge.JOBS}
    found.update((error["script"], judge.script_of(error)) for error in judge.all_errors())
    return found


class Sums:
    def __init__(self):
        self.runs = self.alarmed = self.groups = self.steps = self.judged = self.violated = self.telling = 0
        self.causes = {}

    def add(self, name, run, telling):
        self.runs += 1
        self.alarmed += bool(run["groups"])
        self.groups += len(run["groups"])
        self.steps += run["last_step"] - run["first_step"] + 1
        self.judged += run["judged"]
        self.telling += telling
        violations = [violation for group in run["groups"] for violation in group["violations"]]
        self.violated += len(violations)
        for group in run["groups"]:
            self.causes.setdefault(group["violations"][0]["invariant"], set()).add(name)

    def line(self, what, k):
        return (f"{what:7} k={k}: {self.alarmed} of {self.runs} runs alarmed ({100 * self.alarmed / max(1, self.runs):.1f} %), "
                f"{1000 * self.groups / max(1, self.steps):.2f} groups per 1,000 steps, "
                f"{self.violated} of {self.judged} judged invariants violated ({100 * self.violated / max(1, self.judged):.2f} %)"
                + (f", of {self.telling} that say something {100 * self.violated / self.telling:.2f} %" if self.telling else ""))


def violated(run):
    return {violation["id"] for group in run["groups"] for violation in group["violations"]}


def doctored(workshop, doctor, name):
    """Damaged copies of a run, made once."""
    folders = []
    for kind, seed in DAMAGE:
        folder = workshop.path("doctored", f"{name}-{kind}-{seed}")
        if not os.path.exists(folder):
            os.makedirs(folder + ".new", exist_ok=True)
            done = subprocess.run([doctor, workshop.path("runs", name), "-o", os.path.join(folder + ".new", "run"), kind, str(seed)],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise judge.Failure(f"the run {name} was not doctored: {done.stderr}")
            os.rename(folder + ".new", folder)
        folders.append(folder)
    return folders


def main():
    parser = judge.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--package", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--doctor", help="the program tenet_doctor")
    parser.add_argument("--runs", type=int, default=8, help="runs of each program (default 8)")
    parser.add_argument("--draws", type=int, default=3, help="sets of k other programs for each program (default 3)")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=600)
    options = parser.parse_args()
    corpus = {name: path for name, path in programs().items() if options.only is None or name in options.only}

    workshop = judge.Workshop(options)
    work = [entry for name, path in corpus.items() for entry in judge.healthy_work(name, path, options.runs)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folders = dict(zip([entry[0] for entry in work], pool.map(lambda entry: workshop.collect(*entry), work)))

        def check(what, k, name, sources, checked):
            title = f"{what}-{k}-{name}-{checked[0]}"
            invariants = workshop.infer(title, [folders[source] for source in sources])
            return [(name, workshop.check(f"{title}-{run}", folders[f"{name}-{run}"], invariants), telling(title, f"{name}-{run}", invariants))
                    for run in checked]

        def telling(title, name, invariants):
            """How many of the invariants that are judged on a run a damaged copy of it violates, or the run itself."""
            if options.doctor is None:
                return 0
            healthy = workshop.check(f"{title}-judged", folders[name], invariants)
            found = violated(healthy)
            for folder in copies[name]:
                found |= violated(workshop.check(f"{title}-doctored", folder, invariants))
            return len(found - set(healthy["not_judged"]))

        copies = {}
        if options.doctor is not None:
            names = [entry[0] for entry in work]
            copies = dict(zip(names, pool.map(lambda name: doctored(workshop, options.doctor, name), names)))

        questions = []
        for k in COUNTS:
            for name in corpus:
                if k < options.runs:
                    questions.append(("same", k, name, [f"{name}-{number}" for number in range(k)], range(k, options.runs)))
                others = [other for other in corpus if other != name]
                for draw in range(options.draws):
                    chosen = random.Random(f"{name} {k} {draw}").sample(others, min(k, len(others)))
                    questions.append(("across", k, name, [f"{other}-{draw}" for other in chosen], [draw % options.runs]))
        sums = {}
        for question, found in zip(questions, pool.map(lambda question: check(*question), questions)):
            for name, run, count in found:
                sums.setdefault(question[:2], Sums()).add(name, run, count)
    for (what, k), entry in sorted(sums.items(), key=lambda item: (item[0][0], item[0][1]), reverse=False):
        print(entry.line(what, k))
    print("\nwhat was reported in the largest number of programs:")
    for (what, k), entry in sorted(sums.items()):
        for invariant, names in sorted(entry.causes.items(), key=lambda item: (-len(item[1]), item[0]))[:6]:
            print(f"  {what} k={k}: {len(names)} programs ({', '.join(sorted(names)[:3])}): {invariant}")


if __name__ == "__main__":
    main()
