#!/usr/bin/python3
"""False alarms on healthy runs: the example jobs and the repaired twins of all re-created errors.

    false_alarms.py -o OUT --package BUILD/training/python --tool BUILD/cli/train/tenet-train [--runs 8] [--only NAME…]

Every program runs with other seeds, learning rates, batch sizes and numbers of steps each time. Three questions:

  same      invariants of k runs of a program, checked on its other runs
  across    invariants of one run each of k other programs, drawn with a fixed seed, checked on runs of a program

For each k: the share of healthy runs with at least one reported group, groups per 1,000 steps, and the share of judged
invariants that were violated (TrainCheck's figure). Runs that exist already in OUT, as those of judge.py, are used.
"""

import argparse
import concurrent.futures
import json
import os
import random
import sys

ERRORS = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "examples", "training", "errors"))
sys.path.insert(0, ERRORS)
import judge  # noqa: E402

COUNTS = (1, 2, 4, 6)


def programs():
    found = {name: os.path.join(ERRORS, os.pardir, name + ".py") for name in judge.JOBS}
    found.update((error["script"], judge.script_of(error)) for error in judge.all_errors())
    return found


class Sums:
    def __init__(self):
        self.runs = self.alarmed = self.groups = self.steps = self.judged = self.violated = 0
        self.causes = {}

    def add(self, name, run):
        self.runs += 1
        self.alarmed += bool(run["groups"])
        self.groups += len(run["groups"])
        self.steps += run["last_step"] - run["first_step"] + 1
        self.judged += run["judged"]
        violations = [violation for group in run["groups"] for violation in group["violations"]]
        self.violated += len(violations)
        for group in run["groups"]:
            self.causes.setdefault(group["violations"][0]["invariant"], set()).add(name)

    def line(self, what, k):
        return (f"{what:7} k={k}: {self.alarmed} of {self.runs} runs alarmed ({100 * self.alarmed / max(1, self.runs):.1f} %), "
                f"{1000 * self.groups / max(1, self.steps):.2f} groups per 1,000 steps, "
                f"{self.violated} of {self.judged} judged invariants violated ({100 * self.violated / max(1, self.judged):.2f} %)")


def main():
    parser = judge.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--package", required=True)
    parser.add_argument("--tool", required=True)
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
            return [(name, workshop.check(f"{title}-{run}", folders[f"{name}-{run}"], invariants)) for run in checked]

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
            for name, run in found:
                sums.setdefault(question[:2], Sums()).add(name, run)
    for (what, k), entry in sorted(sums.items(), key=lambda item: (item[0][0], item[0][1]), reverse=False):
        print(entry.line(what, k))
    print("\nwhat was reported in the largest number of programs:")
    for (what, k), entry in sorted(sums.items()):
        for invariant, names in sorted(entry.causes.items(), key=lambda item: (-len(item[1]), item[0]))[:6]:
            print(f"  {what} k={k}: {len(names)} programs ({', '.join(sorted(names)[:3])}): {invariant}")


if __name__ == "__main__":
    main()
