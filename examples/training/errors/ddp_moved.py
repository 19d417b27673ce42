#!/usr/bin/python3
"""A model is converted after it was wrapped for data parallelism: the parameters lose the hooks that average gradients,
and the replicas part. A round trip through float64 stands in for the one to the processor and back. (PyTorch, 104336)"""

from torch.nn.parallel import DistributedDataParallel

from common import F, Net, in_two_processes, job, table, torch


def train(rank, args):
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1 + rank)
    model = DistributedDataParallel(Net())
    if args.fault:
        model.double()
        model.float()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.1)
    for step in range(args.steps):
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model.module)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, fault="convert the wrapped model"))
