"""What the example jobs share: their options, the seeds, and one line at the end that tells two runs apart."""

import argparse
import datetime
import hashlib
import os
import random
import socket

import numpy
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def options(description, *, steps, fault=None, **more):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--steps", type=int, default=steps, help=f"training steps (default {steps})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=None, help="learning rate instead of the job's own")
    parser.add_argument("--batch-size", type=int, default=None, help="batch size instead of the job's own")
    if fault is not None:
        parser.add_argument("--fault", action="store_true", help=fault)
    for name, (default, text) in more.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default, help=text)
    return parser.parse_args()


def seed(number):
    torch.set_num_threads(1)
    random.seed(number)
    numpy.random.seed(number % 2**32)
    torch.manual_seed(number)


def _speaks():
    """Of several processes the first one."""
    return not dist.is_initialized() or dist.get_rank() == 0


def report(step, **values):
    """One line a step, with all digits."""
    if not _speaks():
        return
    print(f"step {step}", *(f"{name} {float(value).hex()}" for name, value in values.items()), flush=True)


def finish(**modules):
    """Prints a digest of all weights, buffers and random states."""
    if not _speaks():
        return
    digest = hashlib.sha256()
    for name, module in sorted(modules.items()):
        for key, tensor in sorted(module.state_dict().items()):
            digest.update(f"{name}.{key}".encode())
            digest.update(tensor.detach().contiguous().float().numpy().tobytes())
    digest.update(torch.get_rng_state().numpy().tobytes())
    digest.update(repr(random.getstate()).encode())
    digest.update(numpy.random.get_state()[1].tobytes())
    print("final", digest.hexdigest(), flush=True)


def as_one_of_several(function, args):
    """Runs function(rank, args) in a process whose environment names its group, as torchrun leaves it."""
    seed(args.seed)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=getattr(args, "timeout", 60)))
    function(dist.get_rank(), args)
    dist.barrier()
    dist.destroy_process_group()


def _worker(rank, function, world_size, port, args):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(world_size))
    as_one_of_several(function, args)


def in_two_processes(function, args):
    """Runs function(rank, args) in two processes that can talk to each other."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(_worker, (function, 2, port, args), nprocs=2)
