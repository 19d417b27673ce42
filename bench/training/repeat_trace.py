#!/usr/bin/env python3
"""Repeats a TrainCheck trace to a given size, for benchmarks.

Each copy has fresh call ids, later times and steps, and tensor hashes perturbed by copy (equal hashes stay equal inside a
copy). With --ranks N the copies are dealt to N processes with ranks. This is not a trace of a larger job: it has the
sample's functions and variables, only more of them.

    repeat_trace.py SAMPLE_FOLDER OUTPUT_FOLDER --megabytes 66 [--ranks 8]
"""
import argparse
import glob
import json
import os

MASK = (1 << 63) - 1


def perturb(value, copy):
    """Another hash for the same contents in another copy; None stays None."""
    if value is None:
        return None
    return ((value ^ (copy * 0x9E3779B97F4A7C15)) & MASK) if copy else value


def load(folder):
    files = {}
    for path in sorted(glob.glob(os.path.join(folder, "trace_*")) + glob.glob(os.path.join(folder, "proxy_log.json"))):
        with open(path) as lines:
            files[os.path.basename(path)] = [json.loads(line) for line in lines]
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sample")
    parser.add_argument("output")
    parser.add_argument("--megabytes", type=float, required=True)
    parser.add_argument("--ranks", type=int, default=1)
    options = parser.parse_args()

    files = load(options.sample)
    records = [record for file in files.values() for record in file]
    times = [record["time"] for record in records]
    steps = [record["meta_vars"]["step"] for record in records]
    span = max(times) - min(times) + 1_000_000
    step_span = max(steps) - min(steps) + 2
    os.makedirs(options.output, exist_ok=True)
    written = 0
    copy = 0
    outputs = {}
    while written < options.megabytes * 1e6:
        rank = copy % options.ranks
        turn = copy // options.ranks
        for name, lines in files.items():
            target = outputs.get((name, rank))
            if target is None:
                path = name if rank == 0 and name == "proxy_log.json" else f"trace_{rank}_{name}"
                target = outputs[(name, rank)] = open(os.path.join(options.output, path), "w")
            parts = []
            for record in lines:
                record = dict(record)
                record["time"] += turn * span
                meta = dict(record["meta_vars"])
                meta["step"] += turn * step_span
                record["process_id"] += rank
                if options.ranks > 1:
                    meta["_DATA_PARALLEL_RANK"] = rank
                    meta["rank"] = rank
                record["meta_vars"] = meta
                if "func_call_id" in record:
                    record["func_call_id"] = f"{copy:x}_{record['func_call_id']}"
                if "attributes" in record:
                    attributes = dict(record["attributes"])
                    for key in ("data", "grad"):
                        attributes[key] = perturb(attributes.get(key), turn)
                    record["attributes"] = attributes
                parts.append(json.dumps(record, separators=(",", ":")))
            text = "\n".join(parts) + "\n"
            target.write(text)
            written += len(text)
        copy += 1
    for target in outputs.values():
        target.close()
    print(f"{copy} copies, {copy * len(records)} records, {written / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
