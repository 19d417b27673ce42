#!/usr/bin/python3
"""Mixed precision: bfloat16 autocast on the CPU, float32 weights, augmented batches from two loader workers."""

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

import job


class Waves(Dataset):
    """Sines of three frequencies, shifted and disturbed anew whenever they are read."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        label = index % 3
        time = numpy.linspace(0, 6.28, 64, dtype=numpy.float32) + numpy.random.uniform(0, 6.28)
        wave = numpy.sin((label + 1) * time) + 0.3 * numpy.random.randn(64)
        return torch.from_numpy(wave.astype(numpy.float32)), label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(1, 32, 7, padding=3)
        self.conv2 = nn.Conv1d(32, 32, 7, padding=3, stride=2)
        self.fc = nn.Linear(32 * 32, 3)

    def forward(self, x):
        x = F.relu(self.conv1(x.unsqueeze(1)))
        x = F.relu(self.conv2(x))
        return self.fc(x.flatten(1))


def main():
    args = job.options(__doc__, steps=32, workers=(2, "data-loader workers"))
    job.seed(args.seed)
    batch_size = args.batch_size or 64
    loader = DataLoader(Waves(16 * batch_size), batch_size, shuffle=True, num_workers=args.workers)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    step = 0
    while step < args.steps:
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                output = model(x)
                loss = F.cross_entropy(output.float(), y)
            loss.backward()
            optimizer.step()
            job.report(step, loss=loss.item())
            step += 1
            if step == args.steps:
                break
    job.finish(model=model)


if __name__ == "__main__":
    main()
