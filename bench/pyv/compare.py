#!/usr/bin/python3
"""Runs tenet and mypyvy side by side over a folder of .pyv files, and writes a Markdown table.

    bench/pyv/compare.py --mypyvy ~/mypyvy --tenet build/release/cli/tenet ~/mypyvy/examples/*.pyv

mypyvy is a checkout of its public repository; it needs z3, ply and networkx for Python. Of each file its `verify`, and its
`trace` and `theorem` where the file has any, are run with ten seconds for a query. CPU time is of the process and its children.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def timed(command, seconds):
    """Output, exit status, CPU seconds and wall seconds; the status is None if the time was over."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        status = None
        while time.monotonic() - begin < seconds:
            pid, code, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                status = os.waitstatus_to_exitcode(code)
                break
            time.sleep(0.005)
        if status is None:
            process.kill()
            _, _, usage = os.wait4(process.pid, 0)
        process.returncode = status
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    return text, status, usage.ru_utime + usage.ru_stime, time.monotonic() - begin


def of_mypyvy(text, status):
    if status is None:
        return "no answer"
    if status != 0:
        return "fails"
    return "unknown" if "unknown" in text else "holds"


def mypyvy(arguments, path):
    """Verdicts of claims and of traces, and CPU seconds."""
    source = path.read_text(encoding="utf-8")
    program = [arguments.python, str(arguments.mypyvy / "src" / "mypyvy.py")]
    options = ["--timeout=10000", "--no-print-counterexample"]
    verdicts, cpu = {}, 0.0
    commands = [("claims", "verify", True), ("traces", "trace", re.search(r"^(un)?sat trace", source, re.MULTILINE)),
                ("theorems", "theorem", re.search(r"^(\w+ )?theorem\b", source, re.MULTILINE))]
    for name, command, wanted in commands:
        if not wanted:
            continue
        text, status, used, _ = timed(program + [command] + options + [str(path)], arguments.seconds)
        verdicts[name] = of_mypyvy(text, status)
        cpu += used
    return verdicts, cpu


def tenet(arguments, path):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        _, status, cpu, wall = timed(
            [arguments.tenet, "verify", "--no-cache", "--json", report.name, str(path)], arguments.seconds)
        findings = json.load(open(report.name, encoding="utf-8"))["files"][0]["findings"] if status is not None else []
    verdicts = {}
    worst = ["holds", "unknown", "fails"]
    for finding in findings:
        kind = finding.get("kind") or finding.get("subject_kind")
        name = {"trace": "traces", "theorem": "theorems"}.get(kind, "claims")
        verdict = {"proved": "holds", "reached": "holds", "violated": "fails"}.get(finding.get("verdict"), "unknown")
        if "verdict" in finding:
            verdicts[name] = max(verdicts.get(name, "holds"), verdict, key=worst.index)
    return verdicts or {"claims": "no answer"}, cpu, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mypyvy", type=pathlib.Path, required=True, help="its checkout")
    parser.add_argument("--tenet", default="tenet")
    parser.add_argument("--python", default=sys.executable, help="the interpreter for mypyvy")
    parser.add_argument("--seconds", type=float, default=300, help="for one command")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    print("| file | mypyvy | Tenet | mypyvy CPU s | Tenet CPU s | ratio |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    worse = 0
    for path in arguments.files:
        ours, cpu, _ = tenet(arguments, path)
        theirs, their_cpu = mypyvy(arguments, path)
        def words(verdicts):
            return ", ".join(f"{name} {verdict}" for name, verdict in sorted(verdicts.items()))
        differ = any(theirs[name] in ("holds", "fails") and ours.get(name) != theirs[name] for name in theirs)
        worse += differ
        shown = "the same" if ours == theirs else words(ours)
        print(f"| {path.stem} | {words(theirs)} | {shown} | {their_cpu:.2f} | {cpu:.2f} | {their_cpu / max(cpu, 0.01):.0f} |",
              flush=True)
    print(f"\n{len(arguments.files)} files; in {worse} Tenet says less than mypyvy, or something else.")


if __name__ == "__main__":
    main()
