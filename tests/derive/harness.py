"""Builds a small system with its tests, records them and derives its checkers, as the CMake function does."""

import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(os.environ["TENET_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["TENET_BINARY_DIR"])
TENET = BUILD / "cli" / "tenet"
FLAGS = os.environ.get("TENET_TEST_FLAGS", "").split()
CXX = os.environ.get("TENET_TEST_CXX", "g++")
INCLUDES = [f"-I{ROOT}/runtime-monitors/derived/include", f"-I{ROOT}/runtime-monitors/core/include"]
LIBRARIES = [f"{BUILD}/runtime-monitors/derived/libtenet_derived.a", f"{BUILD}/runtime-monitors/core/libtenet_monitor.a",
             "-lpthread"]


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done


class System:
    """One system in a folder of its own: SYSTEM.h, SYSTEM.cc, SYSTEM_test.cc, MODEL.toml."""

    def __init__(self, folder, origin, system, tests, model, edit=None):
        self.folder = pathlib.Path(folder)
        self.system, self.tests = self.folder / system, self.folder / tests
        self.model = self.folder / model
        for path in pathlib.Path(origin).iterdir():
            if path.suffix in (".h", ".cc", ".toml"):
                text = path.read_text()
                if edit:
                    text = edit(path.name, text)
                (self.folder / path.name).write_text(text)
        (self.folder / "build").mkdir(exist_ok=True)
        commands = [{"directory": str(self.folder), "file": str(path),
                     "arguments": [CXX, "-std=c++17", f"-I{self.folder}", "-c", str(path)]}
                    for path in (self.system, self.tests)]
        (self.folder / "build" / "compile_commands.json").write_text(json.dumps(commands))

    def derive(self):
        """Definitions by name, and the report."""
        out = self.folder
        self.extracted = must([TENET, "derive", "extract", "-m", self.model, "-p", out / "build", "-o", out / "suite.json",
                               self.tests])
        must([TENET, "derive", "attach", "--rewrite", "-m", self.model, "-p", out / "build", "-o", out / "gen", self.system])
        flags = ["-std=c++17", "-g", "-O0", *FLAGS, *INCLUDES, f"-I{out}/gen", f"-I{out}"]
        must([CXX, *flags, "-include", "tenet/derived/gtest.h", out / "gen" / self.system.name, self.tests, *LIBRARIES,
              "-lgtest", "-lgtest_main", "-lgmock", "-o", out / "recorder"])
        recording = out / "recording"
        recording.unlink(missing_ok=True)
        must([out / "recorder"], env={**os.environ, "TENET_DERIVED_RECORD": str(recording)})
        return self.infer()

    def infer(self):
        out = self.folder
        done = run([TENET, "derive", "infer", "-m", self.model, out / "suite.json", "-r", f"{out}/recorder={out}/recording",
                    "-o", out / "checkers", "--report", out / "report"])
        if done.returncode not in (0, 2):
            raise AssertionError(done.stderr)
        return definitions((out / "checkers").read_text()), (out / "report").read_text()


def definitions(text):
    """Name to the lines that say what is checked, and the origins."""
    found = {}
    for block in re.split(r"^checker ", text, flags=re.M)[1:]:
        lines = block.splitlines()
        said = [" ".join(line.split()) for line in lines[1:] if line.strip()]
        found[lines[0].strip()] = {
            "says": [line for line in said if line.split()[0] in ("given", "when", "then", "unless")],
            "from": [line[5:] for line in said if line.startswith("from ")],
        }
    return found
