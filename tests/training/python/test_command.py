"""`tenet train collect`, from the build tree and from an installed prefix."""

import os
import shutil
import sys

import pytest
from conftest import BUILD, TOOL, calls, clean_environment, read, run, run_job

TRAIN = """
import sys
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    net(torch.ones(4, 3)).sum().backward()
    optimizer.step()
print(sys.argv[1:], [name for name in sys.path if "tenet" in name])
sys.exit(5)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The tool in a prefix of its own, made by `cmake --install`."""
    prefix = tmp_path_factory.mktemp("prefix")
    done = run("cmake", "--install", BUILD, "--component", "training", "--prefix", prefix)
    assert done.returncode == 0, done.stderr.decode()
    moved = prefix.with_name("moved")  # a prefix may be moved
    shutil.move(prefix, moved)
    return os.path.join(moved, "bin", "tenet-train")


@pytest.mark.parametrize("command", [["--"], [sys.executable], ["-m", "runpy"]])
@pytest.mark.parametrize("place", ["build", "prefix"])
def test_a_job_is_collected_as_it_is(place, command, script, tmp_path, request):
    tool = TOOL if place == "build" else request.getfixturevalue("installed")
    job = script(TRAIN)
    words = ["--", *[word for word in command if word != "--"], job, "--lr", "0.5", "-s", "x"]
    if command[0] == "-m":
        words = ["--", "-c", TRAIN.replace("import sys", "import sys, torch"), "--lr", "0.5", "-s", "x"]
    done = run(tool, "collect", "-o", tmp_path / "run", *words)
    assert done.returncode == 5, done.stderr.decode()
    assert done.stdout == b"['--lr', '0.5', '-s', 'x'] []\n"
    assert done.stderr == b""
    records = read(tmp_path / "run")
    assert [r.context["step"] for r in calls(records, "torch.optim.sgd.SGD.step")] == [0, 1, 2]


def test_files_beside_the_job_do_not_matter_to_the_launcher(script, tmp_path):
    (tmp_path / "argparse.py").write_text("raise RuntimeError('the wrong argparse')\n")
    environment = dict(clean_environment(), PYTHONSTARTUP="/nowhere", PYTHONPATH="")
    job = script("print('runs')", prelude="")
    os.rename(job, tmp_path / "plain.txt")
    done = run(TOOL, "collect", "-o", tmp_path / "run", "--", sys.executable, "-c", "print('runs')", cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout) == (0, b"runs\n"), done.stderr


@pytest.mark.parametrize("words, said", [
    ([], "--output"), (["-o", "x"], "JOB"), (["-o", "x", "--"], "JOB"), (["-o", "x", "--", "/no/such/program"], "/no/such/program"),
    (["-o", "x", "-s", "/no/such/file", "--", "job.py"], "/no/such/file"),
    (["-o", "x", "--python", "/no/such/python", "--", "job.py"], "/no/such/python"),
])
def test_wrong_usage_is_status_3(words, said, tmp_path):
    done = run(TOOL, "collect", *words, cwd=tmp_path)
    assert done.returncode == 3
    assert said in done.stderr.decode()


def test_a_newcomer_finds_a_missing_line(script, tmp_path):
    # Everything recorded, and only what the invariants need.
    healthy = script("""
        import sys
        torch.manual_seed(int(sys.argv[1]))
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for step in range(10 + int(sys.argv[1])):
            x = torch.randn(16, 4)
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
            loss.backward()
            optimizer.step()
    """)
    text = healthy.read_text()
    broken = tmp_path / "broken.py"
    broken.write_text(text.replace("optimizer.zero_grad()", "# optimizer.zero_grad()"))
    for seed in (1, 2):
        assert run(TOOL, "collect", "-o", tmp_path / f"run{seed}", "--", healthy, seed).returncode == 0
    invariants = tmp_path / "inv.json"
    learned = run(TOOL, "infer", tmp_path / "run1", tmp_path / "run2", "-o", invariants, "-q")
    assert learned.returncode == 0, learned.stderr.decode()
    for selection in ([], ["-s", invariants]):
        folder = tmp_path / f"selected{len(selection)}"
        assert run(TOOL, "collect", "-o", folder / "good", *selection, "--", healthy, 3).returncode == 0
        silent = run(TOOL, "check", folder / "good", "-i", invariants)
        assert silent.returncode == 0, silent.stdout.decode()
        assert run(TOOL, "collect", "-o", folder / "bad", *selection, "--", broken, 3).returncode == 0
        found = run(TOOL, "check", folder / "bad", "-i", invariants)
        assert found.returncode == 1
        first = next(line for line in found.stdout.decode().splitlines() if "step" in line and "zero_grad" in line)
        assert "1. step 0, " in first or "1. step 1, " in first, found.stdout.decode()


def test_the_job_without_the_tool_is_the_same(script, tmp_path):
    job = script(TRAIN)
    plain = run_job(job, "a")
    done = run(TOOL, "collect", "-o", tmp_path / "run", "--", job, "a")
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
