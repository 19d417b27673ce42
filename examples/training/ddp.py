#!/usr/bin/python3
"""Data-parallel training in two processes over gloo on the loopback interface. Starts them itself, or runs as one of
those that torchrun has started."""

import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import job


class Net(nn.Module):
    def __init__(self, width=192):
        super().__init__()
        self.fc1 = nn.Linear(64, width)
        self.norm = nn.LayerNorm(width)
        self.fc2 = nn.Linear(width, width)
        self.fc3 = nn.Linear(width, 10)

    def forward(self, x):
        x = F.relu(self.norm(self.fc1(x)))
        return self.fc3(F.relu(self.fc2(x)))


def data(count, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 64, generator=generator)
    return TensorDataset(x, (x @ torch.randn(64, 10, generator=generator)).argmax(1))


def train(rank, args):
    dataset = data(2048, args.seed + 1)
    sampler = DistributedSampler(dataset, seed=args.seed)
    loader = DataLoader(dataset, args.batch_size or 64, sampler=sampler)
    model = DistributedDataParallel(Net())
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.1, momentum=0.9)
    step = epoch = 0
    while step < args.steps:
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            job.report(step, loss=mean / dist.get_world_size())
            step += 1
            if step == args.steps:
                break
        epoch += 1
    job.finish(model=model.module)


if __name__ == "__main__":
    arguments = job.options(__doc__, steps=24)
    (job.as_one_of_several if "RANK" in os.environ else job.in_two_processes)(train, arguments)
