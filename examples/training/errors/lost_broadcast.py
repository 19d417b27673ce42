#!/usr/bin/python3
"""Hardware that loses data, second way: the weights are sent from the first process to the second before training, and
the second half of the largest one does not arrive. (PyTorch, 96600)"""

import torch.distributed as dist

from common import F, Net, average_gradients, in_two_processes, job, table, torch


def share(model, rank, fault):
    for parameter in model.parameters():
        before = parameter.detach().clone()
        dist.broadcast(parameter.data, 0)
        if fault and rank == 1 and parameter.numel() >= 512:
            half = parameter.numel() // 2
            parameter.data.view(-1)[half:] = before.view(-1)[half:]


def train(rank, args):
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1 + rank)
    torch.manual_seed(args.seed + 100 + rank)
    model = Net()
    share(model, rank, args.fault)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.1, momentum=0.9)
    for step in range(args.steps):
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        average_gradients(model)
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, fault="lose half of a weight on the way"))
