#!/usr/bin/python3
"""With gradient accumulation, the number of updates of an epoch is rounded down, so that training ends before the epochs
that were asked for are over. (Transformers, 33455)"""

import math

from torch.utils.data import DataLoader, TensorDataset

from common import F, Net, job, table, torch


def main():
    args = job.options(__doc__, steps=12, fault="round down")
    job.seed(args.seed)
    accumulation_steps = 4
    batch_size = args.batch_size or 16
    loader = DataLoader(TensorDataset(*table(10 * batch_size, args.seed + 1)), batch_size, shuffle=True)
    # Ten batches make three updates, the last one of two batches.
    epochs = math.ceil(args.steps / 3)
    updates_per_epoch = len(loader) / accumulation_steps
    max_steps = epochs * (math.floor(updates_per_epoch) if args.fault else math.ceil(updates_per_epoch))
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    step = 0
    for epoch in range(epochs):
        model.train()
        for position, (x, y) in enumerate(loader):
            loss = F.cross_entropy(model(x), y) / accumulation_steps
            loss.backward()
            if (position + 1) % accumulation_steps == 0 or position + 1 == len(loader):
                optimizer.step()
                optimizer.zero_grad()
                step += 1
                job.report(step, loss=loss.item())
            if step == max_steps:
                break
        if step == max_steps:
            break
    job.finish(model=model)


if __name__ == "__main__":
    main()
