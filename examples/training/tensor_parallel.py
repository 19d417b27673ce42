#!/usr/bin/python3
"""Tensor parallelism over two processes: each holds a part of every wide layer, and a copy of what is between them."""

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

import job


class Reduce(torch.autograd.Function):
    """The sum over all processes; its gradient is everybody's."""

    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Copy(torch.autograd.Function):
    """The same on all processes; each gives a part of its gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.contiguous().clone()
        dist.all_reduce(gradient)
        return gradient


class Part(nn.Module):
    """The rows or columns of a weight that this process holds."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.weight.data.normal_(0, inputs ** -0.5)
        self.weight.tensor_model_parallel = True

    def forward(self, x):
        return F.linear(x, self.weight)


class Layer(nn.Module):
    def __init__(self, width, parts):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.wide = Part(width, 4 * width // parts)
        self.narrow = Part(4 * width // parts, width)

    def forward(self, x):
        return x + Reduce.apply(self.narrow(F.gelu(self.wide(Copy.apply(self.norm(x))))))


class Model(nn.Module):
    def __init__(self, parts, width=48, depth=2):
        super().__init__()
        self.layers = nn.Sequential(*(Layer(width, parts) for _ in range(depth)))
        self.head = nn.Linear(width, 6)
        for parameter in self.parameters():
            if not hasattr(parameter, "tensor_model_parallel"):
                parameter.tensor_model_parallel = False

    def forward(self, x):
        return self.head(self.layers(x))


def train(rank, args):
    data = torch.Generator().manual_seed(args.seed + 1)
    teacher = torch.randn(48, 6, generator=data)
    model = Model(dist.get_world_size())
    with torch.no_grad():  # parts differ from process to process, copies do not
        own = torch.Generator().manual_seed(args.seed + 2 + rank)
        for parameter in model.parameters():
            if parameter.tensor_model_parallel:
                parameter.add_(0.05 * torch.randn(parameter.shape, generator=own))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.05, momentum=0.9)
    for step in range(args.steps):
        x = torch.randn(args.batch_size or 64, 48, generator=data)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), (x @ teacher).argmax(1))
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    job.in_two_processes(train, job.options(__doc__, steps=24))
