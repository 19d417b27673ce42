"""What the scripts of this folder share: small models and data, and the two processes of the distributed ones."""

import os
import sys

import torch
import torch.distributed as dist
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


in_two_processes = job.in_two_processes
