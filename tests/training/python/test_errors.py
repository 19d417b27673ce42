"""A slice of what examples/training/errors/judge.py does with all errors, and what it is given."""

import json
import os
import re
import sys

from conftest import EXAMPLES, PACKAGE, TOOL, run

ERRORS = os.path.join(EXAMPLES, "errors")


def test_some_errors_are_found_and_their_twins_are_silent(tmp_path):
    done = run(sys.executable, os.path.join(ERRORS, "judge.py"), "-o", tmp_path, "--package", PACKAGE, "--tool", TOOL,
               "--only", "missing_zero_grad", "bad_checkpoint", "--runs", 2, "--jobs", 1)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    assert done.stdout.decode().splitlines()[-1] == "2 of 2 detected, 2 of 2 twins silent"


def test_every_error_has_a_script_and_its_right_findings():
    with open(os.path.join(ERRORS, "errors.json"), encoding="utf-8") as file:
        errors = json.load(file)["errors"]
    scripts = {name[:-3] for name in os.listdir(ERRORS) if name.endswith(".py") and name not in ("common.py", "judge.py")}
    assert {error["script"] for error in errors} == scripts
    assert sorted(error["id"] for error in errors if error["group"] == "twenty") == list(range(1, 21))
    for error in errors:
        assert error["findings"] and all(finding["mentions"] for finding in error["findings"])
        for finding in error["findings"]:
            re.compile(finding["relation"])


def test_a_job_that_was_not_collected_is_not_judged(tmp_path):
    (tmp_path / "tenet_train").mkdir()
    done = run(sys.executable, os.path.join(ERRORS, "judge.py"), "-o", tmp_path / "out", "--package", tmp_path, "--tool", TOOL,
               "--only", "missing_zero_grad", "--runs", 1)
    assert done.returncode == 4, done.stderr.decode()
