#!/usr/bin/python3
"""Each process computes the capacity of its experts from its own tokens, so that what the processes exchange differs in
size; here the exchange is padded, so that training goes on instead of hanging. (DeepSpeed, 6089)"""

import torch.distributed as dist

from common import F, average_gradients, in_two_processes, job, nn, torch

FAULT_STEP = 4


class Experts(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.expert = nn.Linear(width, width)

    def forward(self, x, capacity):
        dispatched = F.pad(x[:capacity], (0, 0, 0, capacity - min(capacity, len(x))))
        gathered = self.expert(dispatched)
        size = torch.tensor([capacity])
        dist.all_reduce(size, op=dist.ReduceOp.MAX)
        buffer = torch.zeros(int(size), x.shape[1])
        buffer[:capacity] = gathered.detach()
        dist.all_reduce(buffer)
        return gathered


def train(rank, args):
    data = torch.Generator().manual_seed(args.seed + 1 + rank)
    model = Experts(16)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.05)
    for step in range(args.steps):
        x = torch.randn(32, 16, generator=data)
        capacity = 24 if args.fault and rank == 1 and step >= FAULT_STEP else 32
        optimizer.zero_grad()
        loss = F.mse_loss(model(x, capacity), x[:capacity])
        loss.backward()
        average_gradients(model)
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, fault="let the capacities differ from step 4 on"))
