#!/usr/bin/python3
"""Gradient accumulation: one update for every four batches, over whole epochs."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

import job


def spirals(count, seed):
    generator = torch.Generator().manual_seed(seed)
    label = torch.randint(3, (count,), generator=generator)
    radius = torch.rand(count, generator=generator)
    angle = 4 * radius + label * (2 * math.pi / 3) + 0.15 * torch.randn(count, generator=generator)
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], 1)
    return TensorDataset(points, label)


def main():
    args = job.options(__doc__, steps=24)
    job.seed(args.seed)
    accumulation_steps = 4
    batch_size = args.batch_size or 64
    loader = DataLoader(spirals(30 * batch_size, args.seed + 1), batch_size, shuffle=True)
    # 30 batches an epoch: the last update of an epoch has two.
    updates_per_epoch = math.ceil(len(loader) / accumulation_steps)
    epochs = math.ceil(args.steps / updates_per_epoch)
    max_steps = epochs * updates_per_epoch
    model = nn.Sequential(nn.Linear(2, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 3))
    optimizer = torch.optim.RMSprop(model.parameters(), lr=args.lr or 2e-3)
    step = 0
    for epoch in range(epochs):
        model.train()
        for position, (points, label) in enumerate(loader):
            loss = F.cross_entropy(model(points), label) / accumulation_steps
            loss.backward()
            if (position + 1) % accumulation_steps == 0 or position + 1 == len(loader):
                optimizer.step()
                optimizer.zero_grad()
                step += 1
                job.report(step, loss=loss.item())
                if step == max_steps:
                    break
    job.finish(model=model)


if __name__ == "__main__":
    main()
