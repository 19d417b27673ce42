#!/usr/bin/python3
"""A variational autoencoder on pictures of soft blobs."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

import job


def blobs(count, seed):
    generator = torch.Generator().manual_seed(seed)
    grid = torch.linspace(-1, 1, 20)
    y = grid.view(1, 20, 1) - 1.2 * (torch.rand(count, 1, 1, generator=generator) - 0.5)
    x = grid.view(1, 1, 20) - 1.2 * (torch.rand(count, 1, 1, generator=generator) - 0.5)
    width = 0.1 + 0.3 * torch.rand(count, 1, 1, generator=generator)
    return torch.exp(-(x * x + y * y) / width).view(count, 400)


class VAE(nn.Module):
    def __init__(self, hidden=200, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(400, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
                                     nn.Linear(hidden, 400))

    def forward(self, x):
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        return self.decoder(z), mean, log_variance


def loss_of(model, x):
    logits, mean, log_variance = model(x)
    reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return (reconstruction + divergence) / len(x)


def main():
    args = job.options(__doc__, steps=60)
    job.seed(args.seed)
    loader = DataLoader(TensorDataset(blobs(1536, args.seed + 1)), args.batch_size or 128, shuffle=True)
    held_out = blobs(256, args.seed + 2)
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    step = 0
    while step < args.steps:
        model.train()
        for (x,) in loader:
            optimizer.zero_grad()
            loss = loss_of(model, x)
            loss.backward()
            optimizer.step()
            job.report(step, loss=loss.item())
            step += 1
            if step == args.steps:
                break
        model.eval()
        with torch.no_grad():
            print("held out", loss_of(model, held_out).item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
