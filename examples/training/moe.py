#!/usr/bin/python3
"""A mixture of experts: a router sends each token to the best two of four small networks."""

import torch
import torch.nn as nn
import torch.nn.functional as F

import job


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width))

    def forward(self, x):
        return self.layers(x)


class Mixture(nn.Module):
    def __init__(self, width, experts=4, chosen=2):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(Expert(width) for _ in range(experts))
        self.chosen = chosen

    def forward(self, x):
        weights = F.softmax(self.router(x), dim=-1)
        top, index = weights.topk(self.chosen, dim=-1)
        top = top / top.sum(-1, keepdim=True)
        output = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, slots = (index == number).nonzero(as_tuple=True)
            output = output.index_add(0, rows, expert(x[rows]) * top[rows, slots].unsqueeze(1))
        load = F.one_hot(index[:, 0], len(self.experts)).float().mean(0)
        return output, len(self.experts) * (load * weights.mean(0)).sum()


class Model(nn.Module):
    def __init__(self, width=64, depth=2):
        super().__init__()
        self.inputs = nn.Linear(16, width)
        self.mixtures = nn.ModuleList(Mixture(width) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(depth))
        self.output = nn.Linear(width, 1)

    def forward(self, x):
        x = self.inputs(x)
        balance = 0
        for norm, mixture in zip(self.norms, self.mixtures):
            more, loss = mixture(norm(x))
            x = x + more
            balance = balance + loss
        return self.output(x).squeeze(1), balance


def main():
    args = job.options(__doc__, steps=60)
    job.seed(args.seed)
    data = torch.Generator().manual_seed(args.seed + 1)
    teacher = torch.randn(16, 4, generator=data)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr or 2e-3)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 10))
    for step in range(args.steps):
        x = torch.randn(args.batch_size or 512, 16, generator=data)
        target = torch.sin(x @ teacher).prod(1)
        prediction, balance = model(x)
        loss = F.mse_loss(prediction, target) + 0.01 * balance
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        scheduler.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
