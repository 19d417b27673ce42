#!/usr/bin/python3
"""Stops half-way, saves a checkpoint, and goes on from it with a new model and a new optimizer."""

import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

import job


class Tagger(nn.Module):
    """Says for each position of a sequence whether the count of ones so far is even."""

    def __init__(self, hidden=48):
        super().__init__()
        self.embedding = nn.Embedding(2, 16)
        self.rnn = nn.GRU(16, hidden, batch_first=True)
        self.output = nn.Linear(hidden, 2)

    def forward(self, bits):
        states, _ = self.rnn(self.embedding(bits))
        return self.output(states)


def build(args):
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 5e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)
    return model, optimizer, scheduler


def train(model, optimizer, scheduler, data, first, last, batch_size):
    model.train()
    for step in range(first, last):
        bits = torch.randint(2, (batch_size, 20), generator=data)
        target = bits.cumsum(1) % 2
        optimizer.zero_grad()
        loss = F.cross_entropy(model(bits).flatten(0, 1), target.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        job.report(step, loss=loss.item())


def main():
    args = job.options(__doc__, steps=40)
    job.seed(args.seed)
    batch_size = args.batch_size or 64
    data = torch.Generator().manual_seed(args.seed + 1)
    half = args.steps // 2
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint.pt")
        model, optimizer, scheduler = build(args)
        train(model, optimizer, scheduler, data, 0, half, batch_size)
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                    "scheduler": scheduler.state_dict(), "data": data.get_state(), "step": half}, path)

        model, optimizer, scheduler = build(args)
        checkpoint = torch.load(path)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scheduler.load_state_dict(checkpoint["scheduler"])
        data.set_state(checkpoint["data"])
        train(model, optimizer, scheduler, data, checkpoint["step"], args.steps, batch_size)
    job.finish(model=model)


if __name__ == "__main__":
    main()
