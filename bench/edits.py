#!/usr/bin/env python3
"""What a one-line edit costs: CPU seconds of `tenet verify` on an edited protocol, with and without the answers
that were kept of the protocol before the edit. Prints the table of docs/proving.md.

    python3 bench/edits.py build/release/cli/tenet [PROTOCOL…]
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Each edit leaves the protocol right: protocol, what it is, text, replacement.
EDITS = [
    ("two_phase_commit", "a guard of the coordinator, stronger", "when decision == none and ayes == all",
     "when decision == none and ayes == all and nays == {}"),
    ("three_phase_commit", "when it prepares, stronger", "step prepare when ayes == all {",
     "step prepare when ayes == all and nays == {} {"),
    ("simplified_leader_election", "who wins, stronger", "step win when majority(votes)",
     "step win when majority(votes) and nominee != none"),
    ("raft_leader_election", "who stands, stronger", "step stand when status != leader",
     "step stand when status == follower"),
    ("lock_server", "a comment", "role Server single", "// The server.\nrole Server single"),
    ("reduce", "when the end is, stronger", "step finish when reported == all",
     "step finish when reported == all and result == none"),
    ("paxos", "a guard of the learner, stronger", "step learn(v: Vote) when majority(accepts[v])",
     "step learn(v: Vote) when majority(accepts[v]) and learned == none"),
    ("paxos", "a variable with another name", "accepts", "heard"),
    ("paxos", "a guard of the leader, stronger", "step prepare {", "step prepare when not proposed {"),
]


def verify(tenet, path, cache, *options):
    """CPU seconds, and the report."""
    report = path.with_suffix(".json")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tenet, "verify", str(path), "--prove-seconds", "3000", "--json", str(report), *options],
                   env={**os.environ, "XDG_CACHE_HOME": cache}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(report.read_text())["files"][0]


def proved(file):
    return f'{sum(c["proved"] for c in file["proof"]["claims"])} of {len(file["proof"]["claims"])}'


def main():
    tenet, wanted = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    print("| protocol | edit | claims proved | obligations, of them from the cache | edited: afresh, with the cache |")
    print("| --- | --- | --- | --- | --- |")
    for name, what, old, new in EDITS:
        if wanted and name not in wanted:
            continue
        text = (ROOT / "protocols" / name / f"{name}.tenet").read_text()
        assert old in text, (name, old)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{name}.tenet"
            path.write_text(text)
            verify(tenet, path, folder + "/cache")
            path.write_text(text.replace(old, new))
            fresh, plain = verify(tenet, path, folder + "/cache", "--no-cache")
            warm, file = verify(tenet, path, folder + "/cache")
            assert proved(plain) == proved(file), (name, proved(plain), proved(file))
            needed = [o for o in file["proof"]["obligations"] if o["discharged"] and o["solver"] != "syntactic"]
            print(f'| `{name}` | {what} | {proved(file)} | {len(needed)}, {file["proof"]["obligations_cached"]} '
                  f'| {fresh:.1f} s, {warm:.1f} s |', flush=True)


if __name__ == "__main__":
    main()
