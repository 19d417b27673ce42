#!/usr/bin/python3
"""Tensor parallelism by hand: each process holds a half of the hidden layer and a copy of the normalisation. Clipping
scales the gradients of what is replicated on the first process only, and the copies part. (DeepSpeed, 1801)"""

import torch.distributed as dist

from common import F, in_two_processes, job, nn, table, torch


class Sum(torch.autograd.Function):
    """Adds up the partial results of all processes; the gradient goes to each of them as it is."""

    @staticmethod
    def forward(ctx, x):
        total = x.clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Half(nn.Module):
    """One process's half of a layer that is split over two."""

    def __init__(self, inputs, width, outputs):
        super().__init__()
        self.norm = nn.LayerNorm(inputs)
        self.up = nn.Linear(inputs, width // 2)
        self.down = nn.Linear(width // 2, outputs, bias=False)
        split = {self.up.weight, self.up.bias, self.down.weight}
        for parameter in self.parameters():
            parameter.tensor_model_parallel = parameter in split

    def forward(self, x):
        return Sum.apply(self.down(F.relu(self.up(self.norm(x)))))


def replicated(model):
    return [p for p in model.parameters() if not p.tensor_model_parallel]


def synchronise(model):
    """Each half sees its part of the gradient of what is replicated."""
    for parameter in replicated(model):
        dist.all_reduce(parameter.grad)


def clip(model, limit, rank, fault):
    """Scales all gradients so that their norm over all processes is at most `limit`."""
    copies = {id(p) for p in replicated(model)}
    square = torch.zeros(1)
    for parameter in model.parameters():
        if id(parameter) not in copies or rank == 0:
            square += parameter.grad.pow(2).sum()
    dist.all_reduce(square)
    factor = min(1.0, limit / (square.sqrt().item() + 1e-6))
    for parameter in model.parameters():
        if fault and rank > 0 and id(parameter) in copies:
            continue
        parameter.grad.mul_(factor)


def train(rank, args):
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    torch.manual_seed(args.seed + 100 + rank)
    model = Half(16, 32, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.1)
    for step in range(args.steps):
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        synchronise(model)
        clip(model, 0.05, rank, args.fault)
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, fault="clip what is replicated on the first process only"))
