#!/usr/bin/python3
"""All data-loader workers augment with the same random numbers, so that batches come twice. Before 1.9 PyTorch gave
workers the same NumPy seed by itself; here a worker_init_fn does. (Stack Overflow, 67180955)"""

import numpy
from torch.utils.data import DataLoader, Dataset

from common import F, Net, job, torch


class Augmented(Dataset):
    """One sound, played ever differently."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        row = numpy.random.randn(16).astype(numpy.float32)
        return torch.from_numpy(row), int(abs(row[:4]).argmax())


def same_seed(worker):
    numpy.random.seed(0)


def main():
    args = job.options(__doc__, steps=12, fault="give all workers the same seed")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    loader = DataLoader(Augmented(batch_size * args.steps), batch_size, num_workers=2,
                        worker_init_fn=same_seed if args.fault else None)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    model.train()
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
