#!/usr/bin/python3
"""Runs end-to-end cases: each file holds input, command, expectation and exit status.

    run.py --tenet build/release/cli/tenet tests/cli/cases/*.case
    run.py --tenet build/release/cli/tenet --update tests/cli/cases/*.case

A case is a list of sections, each begun by a line `=== NAME [ARGUMENT]`:

    === file PATH      a file in the folder the command runs in
    === command        for /bin/sh, with `tenet` on the PATH
    === status         the exit status (of the last command)
    === stdout         exactly what is printed
    === stderr

What stands before the first section says what the case is about. A line `\\=== x` inside a file stands for
`=== x`. The folder's own path is shown as $HERE. `--update` writes what the command does now into the case.
"""

import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

EXPECTED = ("status", "stdout", "stderr")


def read_case(path):
    """The text before the sections, and the sections as [name, argument, body]."""
    about, sections = "", []
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("=== "):
            name, _, argument = line[4:].strip().partition(" ")
            sections.append([name, argument, ""])
        elif sections:
            sections[-1][2] += line[1:] if line.startswith("\\===") else line
        else:
            about += line
    return about, sections


def write_case(path, about, sections):
    text = about
    for name, argument, body in sections:
        text += f"=== {name} {argument}".rstrip() + "\n"
        if body and not body.endswith("\n"):
            body += "\n"
        text += "".join("\\" + line if line.startswith("===") else line for line in body.splitlines(keepends=True))
    path.write_text(text, encoding="utf-8")


def run_case(tenet, sections):
    with tempfile.TemporaryDirectory(prefix="tenet-case-") as folder:
        for name, argument, body in sections:
            if name == "file":
                target = pathlib.Path(folder, argument)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(body, encoding="utf-8")
        command = "".join(body for name, _, body in sections if name == "command")
        environment = {
            "PATH": f"{os.path.dirname(os.path.abspath(tenet))}:/usr/bin:/bin",
            "HOME": folder,
            "XDG_CACHE_HOME": os.path.join(folder, ".cache"),
            "LC_ALL": "C.UTF-8",
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=240, check=False)
        real = os.path.realpath(folder)

        def shown(data):
            text = data.decode("utf-8", errors="replace")
            return text.replace(real, "$HERE").replace(folder, "$HERE")

        return {"status": f"{done.returncode}\n", "stdout": shown(done.stdout), "stderr": shown(done.stderr)}


def check(path, tenet, update):
    about, sections = read_case(path)
    if not any(name == "command" for name, _, _ in sections):
        print(f"{path}: no command")
        return False
    actual = run_case(tenet, sections)
    expected = {name: body for name, _, body in sections if name in EXPECTED}
    wanted = {name: expected.get(name, "0\n" if name == "status" else "") for name in EXPECTED}

    def as_stored(text):
        return text if not text or text.endswith("\n") else text + "\n"

    actual = {name: as_stored(text) for name, text in actual.items()}
    if actual == wanted:
        return True
    if update:
        kept = [section for section in sections if section[0] not in EXPECTED]
        kept += [[name, "", actual[name]] for name in EXPECTED if actual[name] or name == "status"]
        write_case(path, about, kept)
        print(f"{path}: updated")
        return True
    for name in EXPECTED:
        if actual[name] != wanted[name]:
            print(f"{path}: {name} differs")
            sys.stdout.writelines(difflib.unified_diff(wanted[name].splitlines(keepends=True),
                                                       actual[name].splitlines(keepends=True), "expected", "actual"))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenet", required=True, help="the program to test")
    parser.add_argument("--update", action="store_true", help="write what happens now into the cases")
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    good = [check(path, arguments.tenet, arguments.update) for path in arguments.cases]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
