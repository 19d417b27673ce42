#!/usr/bin/python3
"""What collecting costs the example jobs: processor time, wall time and peak memory with and without, in interleaved rounds.

    overhead.py --package BUILD/training/python --tool BUILD/cli/train/tenet-train [--pairs 6] [--modes full selective] [JOB…]

A round runs a job plain, recorded in full, and recorded selectively: what 100 invariants need, drawn with a fixed seed
from those learned from two other runs of the job. Every other round goes backwards, so that a machine that becomes slower
or faster favours no mode. "loop" is from the end of the first step to the end of the job, so without importing PyTorch and
placing the hooks; "all" is the whole process. Each ratio is taken inside a round; shown is the median over the rounds with
the middle half of them. A job counts with all its processes; of memory the largest process counts.

Jobs of one process run two at a time, each on a core of its own (--lanes 1: one at a time); those of several run alone.
Only a machine that does nothing else gives figures worth keeping; the load before it begins is printed.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import queue
import random
import statistics
import subprocess
import sys
import tempfile
import time

EXAMPLES = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir, "examples", "training"))
STEPS = {"cnn": 36, "lm": 6, "vae": 32, "gan": 28, "gcn": 200, "moe": 60, "accumulate": 300, "resume": 100,
         "ddp": 100, "mixed": 48, "tensor_parallel": 60, "expert_parallel": 80}
SEVERAL_PROCESSES = ("ddp", "mixed", "tensor_parallel", "expert_parallel")
DRAWN = 100
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid):
    """Of a process, its living descendants, and the children that all of them have waited for."""
    parents, used = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            parents[int(entry)] = int(fields[1])
            used[int(entry)] = sum(map(int, fields[11:15]))

    def is_below(process):
        while process not in (0, 1, pid) and process in parents:
            process = parents[process]
        return process == pid

    return sum(ticks for process, ticks in used.items() if is_below(process)) / TICK


class Run:
    """One run of a command: processor and wall seconds of all of it and of its loop, and peak memory in MiB."""

    def __init__(self, command, environment, cores):
        begin = time.monotonic()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   preexec_fn=lambda: os.sched_setaffinity(0, cores))
        first = last = None
        for line in process.stdout:
            if first is None and line.startswith("step "):
                first = processor_seconds(process.pid), time.monotonic()
            elif line.startswith("final "):
                last = processor_seconds(process.pid), time.monotonic()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 or first is None or last is None:
            raise RuntimeError(f"{' '.join(command)}: exit status {process.returncode}, or no steps were printed")
        self.all_cpu, self.all_wall = usage.ru_utime + usage.ru_stime, time.monotonic() - begin
        self.loop_cpu, self.loop_wall = last[0] - first[0], last[1] - first[1]
        self.memory = usage.ru_maxrss / 1024


class Bench:
    def __init__(self, options):
        self.options = options
        self.plain = dict(os.environ, OMP_NUM_THREADS="1")
        self.plain.pop("PYTHONPATH", None)
        self.watched = dict(self.plain, PYTHONPATH=options.package)

    def command(self, job, *arguments):
        return [os.path.join(EXAMPLES, job + ".py"), *map(str, arguments)]

    def collect(self, job, folder, cores, *arguments, selection=None):
        more = ["-s", selection] if selection else []
        return Run([sys.executable, "-m", "tenet_train", "collect", "-o", folder, *more, "--", *self.command(job, *arguments)],
                   self.watched, cores)

    def selection(self, job, scratch, cores):
        """An invariants file with some of what two runs of the job teach."""
        folders = [os.path.join(scratch, f"{job}-{seed}") for seed in (1, 2)]
        for seed, folder in enumerate(folders, 1):
            self.collect(job, folder, cores, "--steps", 8 + 4 * seed, "--seed", seed)
        path = os.path.join(scratch, job + ".json")
        done = subprocess.run([self.options.tool, "infer", *folders, "-q", "-o", path], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"nothing was learned of {job}: {done.stderr}")
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        document["invariants"] = random.Random(0).sample(document["invariants"], min(DRAWN, len(document["invariants"])))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def measure(self, job, cores):
        """The table's lines of one job."""
        steps = self.options.steps or STEPS[job]
        runs = {mode: [] for mode in ("plain", *self.options.modes)}
        size, records = {}, {}
        with tempfile.TemporaryDirectory() as scratch:
            chosen = self.selection(job, scratch, cores) if "selective" in runs else None
            for number in range(self.options.pairs):
                for mode in list(runs) if number % 2 == 0 else reversed(runs):
                    if mode == "plain":
                        runs[mode].append(Run([sys.executable, *self.command(job, "--steps", steps)], self.plain, cores))
                        continue
                    with tempfile.TemporaryDirectory(dir=scratch) as folder:
                        selection = chosen if mode == "selective" else None
                        runs[mode].append(self.collect(job, folder, cores, "--steps", steps, selection=selection))
                        if mode not in size:
                            size[mode] = sum(file.stat().st_size for file in os.scandir(folder) if file.name.endswith(".tnt"))
                            text = subprocess.run([self.options.tool, "trace", "stat", folder], capture_output=True, text=True).stdout
                            records[mode] = int(text.split(" ", 1)[0])
        plain = runs["plain"]

        def ratio(mode, kind):
            ratios = sorted(getattr(run, kind) / getattr(alone, kind) for run, alone in zip(runs[mode], plain))
            quarter = len(ratios) // 4
            return f"{statistics.median(ratios):.3f} ({ratios[quarter]:.2f}–{ratios[-1 - quarter]:.2f})"

        def median(mode, kind):
            return statistics.median(getattr(run, kind) for run in runs[mode])

        return [f"| {mode} | `{job}` | {median('plain', 'loop_cpu'):.2f} | {ratio(mode, 'loop_cpu')} | {ratio(mode, 'loop_wall')} | "
                f"{ratio(mode, 'all_cpu')} | {ratio(mode, 'all_wall')} | {median('plain', 'memory'):.0f} | {median(mode, 'memory'):.0f} | "
                f"{size[mode] / steps:,.0f} | {records[mode]:,} |" for mode in self.options.modes]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB", default=list(STEPS), help=f"of {', '.join(STEPS)} (default all)")
    parser.add_argument("--package", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--modes", nargs="+", choices=("full", "selective"), default=["full", "selective"])
    parser.add_argument("--pairs", type=int, default=6, help="rounds (default 6)")
    parser.add_argument("--steps", type=int, help="of every job, instead of as many as take a second or two")
    parser.add_argument("--lanes", type=int, default=2, help="jobs of one process at a time (default 2)")
    options = parser.parse_args()
    for job in options.jobs:
        if job not in STEPS:
            parser.error(f"no such job: {job}")
    bench = Bench(options)
    available = sorted(os.sched_getaffinity(0))
    cores = queue.SimpleQueue()
    for core in available[:options.lanes]:
        cores.put({core})

    def alone(job):
        mine = cores.get()
        try:
            return bench.measure(job, mine)
        finally:
            cores.put(mine)

    begin = time.monotonic()
    print(f"load before: {os.getloadavg()[0]:.2f}; {options.pairs} rounds; median (middle half)\n")
    print("| mode | job | plain loop, CPU s | loop, CPU | loop, wall | all, CPU | all, wall | plain, MiB | MiB | bytes a step | records |")
    print("| --- " * 11 + "|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(len(available[:options.lanes])) as pool:
        for lines in pool.map(alone, [job for job in options.jobs if job not in SEVERAL_PROCESSES]):
            print(*lines, sep="\n", flush=True)
    for job in options.jobs:
        if job in SEVERAL_PROCESSES:
            print(*bench.measure(job, set(available)), sep="\n", flush=True)
    print(f"\n{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(f"overhead: {error}")
