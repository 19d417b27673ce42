#!/usr/bin/python3
"""The optimizer is made before the model is wrapped, and wrapping makes a copy: the copy is trained but never updated.
(Accelerate, 2665)"""

import copy

from common import F, Net, job, table, torch


def wrap(model, fault):
    return copy.deepcopy(model) if fault else model


def main():
    args = job.options(__doc__, steps=12, fault="copy the model after the optimizer is made")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    model = wrap(model, args.fault)
    for step in range(args.steps):
        model.train()
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
