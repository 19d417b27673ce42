#!/usr/bin/python3
"""From step 4 on the training loop calls the module inside the data-parallel wrapper in place of the wrapper: gradients
are no longer averaged and the replicas part. (jxmnop's out-of-sync trainer)"""

from torch.nn.parallel import DistributedDataParallel

from common import F, Net, in_two_processes, job, table, torch

FAULT_STEP = 4


def train(rank, args):
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1 + rank)
    model = DistributedDataParallel(Net())
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.1)
    for step in range(args.steps):
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        unwrapped = args.fault and step >= FAULT_STEP
        output = model.module(x[batch]) if unwrapped else model(x[batch])
        loss = F.cross_entropy(output, y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model.module)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, fault="call the module inside from step 4 on"))
