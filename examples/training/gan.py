#!/usr/bin/python3
"""A generative adversarial network for points on a ring of Gaussians: two models, two optimizers."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

import job


def ring(count, generator):
    angle = torch.randint(8, (count,), generator=generator) * (2 * math.pi / 8)
    centre = torch.stack([angle.cos(), angle.sin()], 1)
    return centre + 0.05 * torch.randn(count, 2, generator=generator)


class Generator(nn.Module):
    def __init__(self, width=192):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, width),
                                    nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, 2))

    def forward(self, noise):
        return self.layers(noise)


class Discriminator(nn.Module):
    def __init__(self, width=192):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2),
                                    nn.Linear(width, 1))

    def forward(self, points):
        return self.layers(points).squeeze(1)


def main():
    args = job.options(__doc__, steps=40)
    job.seed(args.seed)
    batch_size = args.batch_size or 256
    data = torch.Generator().manual_seed(args.seed + 1)
    generator, discriminator = Generator(), Discriminator()
    generator_optimizer = torch.optim.Adam(generator.parameters(), lr=args.lr or 1e-3, betas=(0.5, 0.999))
    discriminator_optimizer = torch.optim.Adam(discriminator.parameters(), lr=args.lr or 1e-3, betas=(0.5, 0.999))
    real_label, fake_label = torch.ones(batch_size), torch.zeros(batch_size)
    for step in range(args.steps):
        real = ring(batch_size, data)
        fake = generator(torch.randn(batch_size, 16))

        discriminator_optimizer.zero_grad()
        discriminator_loss = (F.binary_cross_entropy_with_logits(discriminator(real), real_label) +
                              F.binary_cross_entropy_with_logits(discriminator(fake.detach()), fake_label))
        discriminator_loss.backward()
        discriminator_optimizer.step()

        generator_optimizer.zero_grad()
        generator_loss = F.binary_cross_entropy_with_logits(discriminator(fake), real_label)
        generator_loss.backward()
        generator_optimizer.step()
        job.report(step, discriminator=discriminator_loss.item(), generator=generator_loss.item())
    job.finish(generator=generator, discriminator=discriminator)


if __name__ == "__main__":
    main()
