#!/usr/bin/env python3
"""The 27 protocols of Table 1 of DuoAI (OSDI 2022), with nothing given but the safety property: what the learner proves of
our relational models (tests/learn/protocols), the prover of our models with messages (protocols/), `tenet verify --infer` of
twins in mypyvy's language, and what it takes. Prints the table of docs/learning.md.

    bench/pushbutton.py build/release [--pyv DIR] [--seconds N] [--kept FILE] [PROTOCOL…]

The argument is a build folder with the targets tenet and tenet_learn_measure. DIR holds files in mypyvy's language, called as in TWINS below
(of a checkout of its public repository: examples/*.pyv, and examples/fol/*.pyv of its branch p-fol-ic3); what is not there is left
out. N seconds by the clock are given to each file. FILE keeps what was measured, so that a run can go on where it was stopped.
"""
import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# By the names of our models: seconds published (28 cores at 4.3 GHz; None: not solved), and names of the twin.
PUBLISHED = {
    "chord_ring_maintenance": 200.9, "consensus_forall": 11.9, "consensus_wo_decide": 3.9, "database_chain_replication": 9.5,
    "decentralized_lock": 9.9, "distributed_lock": 6.1, "ring_leader_election": 3.5, "learning_switch_ternary": 14.2,
    "learning_switch_quad": 52.4, "lock_server_async": 1.9, "lock_server_sync": 1.3, "sharded_kv": 1.9, "ticket_lock": 23.9,
    "toy_consensus_forall": 1.9, "two_phase_commit": 1.5, "client_server_ae": 1.5, "client_server_db_ae": 3.1,
    "consensus_epr": 4.8, "hybrid_reliable_broadcast": 1211.2, "sharded_kv_no_lost_keys": 2.1, "toy_consensus_epr": 2.6,
    "paxos_epr": 60.4, "flexible_paxos": 78.7, "multi_paxos": 1549, "stoppable_paxos": 4051, "fast_paxos": 26979,
    "vertical_paxos": None,
}
TWINS = {
    "distributed_lock": ["ironfleet_distributed_lock"], "learning_switch_ternary": ["learning_switch_forall"],
    "learning_switch_quad": ["learning_switch"], "lock_server_async": ["lockserv"], "ring_leader_election": ["ring_leader_election"],
    "ticket_lock": ["ticket"], "hybrid_reliable_broadcast": ["hybrid_reliable_broadcast_cisa"],
    "flexible_paxos": ["flexible_paxos_epr"], "multi_paxos": ["multi_paxos_epr"], "stoppable_paxos": ["stoppable_paxos_epr"],
    "fast_paxos": ["fast_paxos_epr"], "vertical_paxos": ["vertical_paxos_epr"],
}
# With messages, for the prover: the same protocol, modelled in another way.
WITH_MESSAGES = {"paxos_epr": "paxos", "flexible_paxos": "flexible_paxos", "multi_paxos": "multi_paxos",
                 "two_phase_commit": "two_phase_commit"}

Run = collections.namedtuple("Run", "solved cpu candidates size stops")


def learn(program, path, seconds):
    """One run of the learner alone."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([program, path], stdout=subprocess.PIPE, timeout=seconds, check=True, text=True)
    except subprocess.TimeoutExpired:
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return Run(False, round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1), None, None,
                   f"stopped after {seconds} s")
    columns = [cell.strip() for cell in done.stdout.strip().strip("|").split("|")]
    solved = columns[1] == "proved"
    return Run(solved, float(columns[3]), int(columns[6]), int(columns[8]) if solved else None, columns[9])


def verify(tenet, path, seconds, infer=True):
    """One run of the tool, without the cache."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [tenet, "verify", "--no-cache", "--explore-seconds", "5", "--prove-seconds", str(seconds), "--json", report.name]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command + (["--infer"] if infer else []) + [path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=4 * seconds + 60, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        file = json.load(report)["files"][0]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    proof = file.get("proof") or {"claims": [], "invariants": [], "reason": "there is no proof"}
    solved = bool(proof["claims"]) and all(claim["proved"] for claim in proof["claims"])
    reasons = [claim["reason"] for claim in proof["claims"] if not claim["proved"]] or [proof["reason"]]
    return Run(solved, round(cpu, 1), None, len(proof["invariants"]) if solved else None, "" if solved else reasons[0])


def twin_of(folder, name):
    for each in [name, *TWINS.get(name, [])]:
        path = folder / f"{each}.pyv"
        if path.exists():
            return path
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("protocols", nargs="*", metavar="PROTOCOL", help="only these")
    parser.add_argument("--pyv", type=pathlib.Path, metavar="DIR", help="where the twins are")
    parser.add_argument("--seconds", type=int, default=300, metavar="N", help="by the clock, for each file (default 300)")
    parser.add_argument("--kept", type=pathlib.Path, metavar="FILE", help="measurements that are not taken again")
    arguments = parser.parse_intermixed_args()
    unknown = set(arguments.protocols) - set(PUBLISHED)
    if unknown:
        parser.error("no such protocol: " + ", ".join(sorted(unknown)))
    if arguments.pyv and not arguments.pyv.is_dir():
        parser.error(f"no such folder: {arguments.pyv}")
    kept = json.loads(arguments.kept.read_text()) if arguments.kept and arguments.kept.exists() else {}

    def measured(path, how):
        key = os.path.relpath(path, ROOT)
        if key not in kept:
            print(key, file=sys.stderr)
            kept[key] = how(path)._asdict()
            if arguments.kept:
                arguments.kept.write_text(json.dumps(kept, indent=1))
        return Run(**kept[key])

    tenet, seconds = arguments.build / "cli/tenet", arguments.seconds
    kinds = {"the learner, our model": lambda path: learn(arguments.build / "tests/learn/learn_measure", path, seconds),
             "the prover, our model with messages": lambda path: verify(tenet, path, seconds, infer=False),
             "the `.pyv` twin": lambda path: verify(tenet, path, seconds)}
    print("| protocol | learner, our model | CPU s | candidates | lemmas | prover, our model with messages | CPU s | facts "
          "| `.pyv` twin | CPU s | lemmas | DuoAI, published, s |")
    print("| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | --- | ---: | ---: | ---: |")
    counts = collections.Counter()
    stops = []
    for name, published in PUBLISHED.items():
        if arguments.protocols and name not in arguments.protocols:
            continue
        other = WITH_MESSAGES.get(name)
        paths = [ROOT / "tests/learn/protocols" / f"{name}.tenet", ROOT / "protocols" / other / f"{other}.tenet" if other else None,
                 twin_of(arguments.pyv, name) if arguments.pyv else None]
        row, solved = [f"`{name}`"], []
        for (kind, how), path in zip(kinds.items(), paths):
            wide = kind == "the learner, our model"
            if not path or not path.exists():
                row += [""] * (4 if wide else 3)
                continue
            run = measured(path, how)
            solved += [kind] if run.solved else []
            counts[f"{kind}, of those there are"] += 1
            if not run.solved:
                stops.append(f"- `{name}`, {kind}: {run.stops}")
            row += ["proved" if run.solved else "no", run.cpu] + ([run.candidates or ""] if wide else [])
            row += ["" if run.size is None else run.size]
        counts.update(solved)
        counts["any of our models"] += any("model" in kind for kind in solved)
        print("| " + " | ".join(str(cell) for cell in row + ["not solved" if published is None else published]) + " |", flush=True)
    print("\n" + "; ".join(f"{what}: {count}" for what, count in sorted(counts.items())) + ".\n\nWhere it stops:\n")
    print("\n".join(stops))


if __name__ == "__main__":
    main()
