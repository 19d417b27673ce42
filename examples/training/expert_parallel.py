#!/usr/bin/python3
"""Experts in two processes, one each: every process sends half of its tokens to the other one's expert and gets them back."""

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

import job


class Exchange(torch.autograd.Function):
    """Row block i goes to process i; gradients take the same way back."""

    @staticmethod
    def forward(ctx, x):
        received = torch.empty_like(x)
        dist.all_to_all_single(received, x.contiguous())
        return received

    @staticmethod
    def backward(ctx, gradient):
        returned = torch.empty_like(gradient)
        dist.all_to_all_single(returned, gradient.contiguous())
        return returned


class Mixture(nn.Module):
    """A shared gate, and the expert of this process."""

    def __init__(self, width):
        super().__init__()
        self.gate = nn.Linear(width, width)
        self.expert = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))
        for parameter in self.parameters():  # those of the expert differ from process to process
            parameter.tensor_model_parallel = all(parameter is not shared for shared in self.shared())

    def shared(self):
        return self.gate.parameters()

    def forward(self, x):
        return torch.sigmoid(self.gate(x)) * Exchange.apply(self.expert(Exchange.apply(x)))


def train(rank, args):
    data = torch.Generator().manual_seed(args.seed + 10 + rank)
    model = Mixture(32)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 3e-3)
    tokens = 2 * (args.batch_size or 64)
    for step in range(args.steps):
        x = torch.randn(tokens, 32, generator=data)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), torch.sin(2 * x))
        loss.backward()
        for parameter in model.shared():
            dist.all_reduce(parameter.grad)
            parameter.grad /= dist.get_world_size()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    job.in_two_processes(train, job.options(__doc__, steps=24))
