"""What the scripts of this folder share: small models and data, and the two processes of the distributed ones."""

import datetime
import os
import socket
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import job  # noqa: E402


class Net(nn.Module):
    def __init__(self, inputs=16, width=32, outputs=4):
        super().__init__()
        self.fc1 = nn.Linear(inputs, width)
        self.norm = nn.LayerNorm(width)
        self.fc2 = nn.Linear(width, outputs)

    def forward(self, x):
        return self.fc2(F.relu(self.norm(self.fc1(x))))


def table(count, seed, inputs=16, outputs=4):
    """Random rows and the class a random linear map gives them."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, inputs, generator=generator)
    return x, (x @ torch.randn(inputs, outputs, generator=generator)).argmax(1)


def average_gradients(model):
    """What data parallelism does, by hand: the mean of the gradients of all processes."""
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()


def _worker(rank, function, world_size, port, args):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(world_size))
    job.seed(args.seed)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=getattr(args, "timeout", 60)))
    function(rank, args)
    dist.barrier()
    dist.destroy_process_group()


def in_two_processes(function, args):
    """Runs function(rank, args) in two processes that can talk to each other."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(_worker, (function, 2, port, args), nprocs=2)
