#!/usr/bin/python3
"""Runs the commands of docs/ci on a scratch repository, as the two services would.

    ci_files_test.py --tenet build/release/cli/tenet --ci docs/ci

What the services do themselves is done here: a clone for each job, artifacts carried from job to job, expressions and
variables filled in. The commands are those of the files, to the letter, but for those that install Tenet.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

ARGUMENTS = argparse.ArgumentParser()
ARGUMENTS.add_argument("--tenet", required=True)
ARGUMENTS.add_argument("--ci", required=True)
ARGUMENTS = ARGUMENTS.parse_args()

LOCK = (pathlib.Path(__file__).parent.parent / "support" / "lock.tenet").read_text(encoding="utf-8")
BROKEN = LOCK.replace("free = false  send", "send")


class Service(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenet-ci-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.origin = self.folder / "origin"
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "tenet").symlink_to(os.path.abspath(ARGUMENTS.tenet))
        # No variable of the machine that runs this test, least of all those of its own service.
        self.environment = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.git(self.folder, "init", "-q", "-b", "main", str(self.origin))
        self.commit({"specs/lock.tenet": LOCK, "specs/other.tenet": LOCK.replace("protocol lock", "protocol other")})
        self.base = self.revision()

    def git(self, folder, *words):
        done = subprocess.run(
            ["git", "-C", str(folder), "-c", "user.name=Test", "-c", "user.email=test@example.org", *words],
            env=self.environment, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, files):
        for name, text in files.items():
            path = self.origin / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.git(self.origin, "add", "-A")
        self.git(self.origin, "commit", "-q", "-m", "step")

    def revision(self):
        return self.git(self.origin, "rev-parse", "HEAD")

    def change(self, text):
        """A request to merge, with main one commit further than where it began."""
        self.git(self.origin, "checkout", "-q", "-b", "change")
        self.commit({"specs/lock.tenet": text, "specs/other.tenet": LOCK.replace("protocol lock", "// x\nprotocol other")})
        self.head = self.revision()
        self.git(self.origin, "checkout", "-q", "main")
        self.commit({"README.md": "meanwhile\n"})
        self.tip = self.revision()
        # What GitHub checks out, made once.
        self.git(self.origin, "checkout", "-q", "-b", "merged")
        self.git(self.origin, "merge", "-q", "--no-ff", "-m", "merge", "change")
        self.merged = self.revision()
        self.git(self.origin, "checkout", "-q", "main")

    def clone(self, depth, revision):
        target = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        words = ["--depth", str(depth)] if depth else []
        self.git(self.folder, "clone", "-q", *words, f"file://{self.origin}", str(target))
        if not depth:
            self.git(target, "checkout", "-q", "--detach", revision)
        return target

    def run_job(self, commands, folder, variables):
        """The exit status of the commands, one after the other until one fails."""
        text = "set -e\n" + "\n".join(commands)
        done = subprocess.run(["/bin/sh", "-c", text], cwd=folder, env={**self.environment, **variables},
                              capture_output=True, text=True, timeout=240, check=False)
        self.output = done.stdout + done.stderr
        return done.returncode

    def carry(self, pattern, source, target):
        for path in source.glob(pattern):
            shutil.copy(path, target)


class GitHub(Service):
    def setUp(self):
        super().setUp()
        self.file = yaml.safe_load(pathlib.Path(ARGUMENTS.ci, "github-actions.yml").read_text(encoding="utf-8"))

    def fill(self, values, shard):
        known = {
            "github.event.pull_request.base.sha": self.tip,
            "matrix.shard": str(shard),
        }
        return {name: re.sub(r"\$\{\{ *([^ }]+) *\}\}", lambda m: known[m[1]], str(value))
                for name, value in values.items()}

    def job(self, name, shard, folder):
        job = self.file["jobs"][name]
        variables = self.fill({**self.file["env"], **job.get("env", {})}, shard)
        variables["GITHUB_STEP_SUMMARY"] = str(folder / "step-summary.md")
        commands = [step["run"] for step in job["steps"] if "run" in step and step["name"] != "Install Tenet"]
        self.assertTrue(commands)
        self.assertNotIn("${{", "".join(commands), "what a pull request says must not become part of a command")
        return self.run_job(commands, folder, variables)

    def pipeline(self, leave_out=()):
        gate = self.clone(0, self.merged)
        statuses = []
        for shard in self.file["jobs"]["verify"]["strategy"]["matrix"]["shard"]:
            clone = self.clone(0, self.merged)
            statuses.append(self.job("verify", shard, clone))
            if shard not in leave_out:
                self.carry("shard-*.json", clone, gate)
        status = self.job("gate", 0, gate)
        return statuses, status, gate

    def test_whole_history_and_no_token(self):
        self.assertEqual(self.file["permissions"], {"contents": "read"})
        for job in self.file["jobs"].values():
            self.assertNotIn("permissions", job)
            checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout")]
            self.assertEqual([step["with"]["fetch-depth"] for step in checkouts], [0])
        shards = self.file["jobs"]["verify"]
        self.assertEqual(len(shards["strategy"]["matrix"]["shard"]), shards["env"]["SHARDS"])

    def test_good_change_passes(self):
        self.change(LOCK + "// documented\n")
        statuses, status, gate = self.pipeline()
        self.assertEqual((statuses, status), ([0, 0], 0), self.output)
        self.assertIn("Tenet gate: passed", (gate / "step-summary.md").read_text(encoding="utf-8"))
        self.assertEqual(json.loads((gate / "tenet.sarif").read_text(encoding="utf-8"))["version"], "2.1.0")

    def test_bad_change_fails_with_its_run(self):
        self.change(BROKEN)
        statuses, status, gate = self.pipeline()
        self.assertEqual((sorted(statuses), status), ([0, 1], 1), self.output)
        summary = (gate / "step-summary.md").read_text(encoding="utf-8")
        self.assertIn("newly-violated", summary)
        self.assertIn("receives Grant", summary)
        results = json.loads((gate / "tenet.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
        self.assertEqual([each["ruleId"] for each in results], ["newly-violated"])

    def test_missing_shard_fails(self):
        self.change(LOCK + "// documented\n")
        _, status, _ = self.pipeline(leave_out=(2,))
        self.assertEqual(status, 3)
        self.assertIn("shard 2 of 2 is missing", self.output)


class GitLab(Service):
    def setUp(self):
        super().setUp()
        self.file = yaml.safe_load(pathlib.Path(ARGUMENTS.ci, "gitlab-ci.yml").read_text(encoding="utf-8"))

    def pipeline(self):
        variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base}
        gate = self.clone(0, self.head)
        statuses = []
        total = self.file["tenet-verify"]["parallel"]
        for index in range(1, total + 1):
            clone = self.clone(0, self.head)
            node = {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(total)}
            statuses.append(self.run_job(self.file["tenet-verify"]["script"], clone, {**variables, **node}))
            self.carry("shard-*.json", clone, gate)
        status = self.run_job(self.file["tenet-gate"]["script"], gate, variables)
        return statuses, status, gate

    def test_whole_history(self):
        self.assertEqual(self.file["variables"]["GIT_DEPTH"], "0")

    def test_good_change_passes(self):
        self.change(LOCK + "// documented\n")
        statuses, status, gate = self.pipeline()
        self.assertEqual((statuses, status), ([0, 0], 0), self.output)
        self.assertIn("Tenet gate: passed", (gate / "tenet.md").read_text(encoding="utf-8"))

    def test_bad_change_fails(self):
        self.change(BROKEN)
        statuses, status, gate = self.pipeline()
        self.assertEqual((sorted(statuses), status), ([0, 1], 1), self.output)
        self.assertTrue((gate / "tenet.sarif").exists())

    def test_shallow_clone_is_refused(self):
        self.change(LOCK + "// documented\n")
        script = self.file["tenet-gate"]["script"][0].replace("--merge shard-*.json", "")
        self.assertEqual(self.run_job([script], self.clone(1, None), {"CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base}), 3)
        self.assertIn("shallow", self.output)


if __name__ == "__main__":
    unittest.main(argv=["ci_files_test"])
