#!/usr/bin/python3
"""Experts in two processes: tokens are exchanged once per round, and one process, which has fewer tokens, stops one round
early. The other waits for it until the time limit. (DeepSpeed, 5794)"""

import torch.distributed as dist

from common import F, average_gradients, in_two_processes, job, nn, torch

FAULT_STEP = 4


class Experts(nn.Module):
    """One expert per process. Each exchange sends as many tokens to every process."""

    def __init__(self, width):
        super().__init__()
        self.router = nn.Linear(width, 2)
        self.expert = nn.Linear(width, width)

    def forward(self, x, rounds):
        outputs = []
        for chunk in x.chunk(rounds):
            received = torch.empty_like(chunk)
            dist.all_to_all_single(received, chunk.detach().contiguous())
            outputs.append(F.softmax(self.router(chunk), -1)[:, :1] * self.expert(received))
        return torch.cat(outputs)


def train(rank, args):
    data = torch.Generator().manual_seed(args.seed + 1 + rank)
    model = Experts(16)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.05)
    for step in range(args.steps):
        x = torch.randn(32, 16, generator=data)
        rounds = 1 if args.fault and rank == 1 and step >= FAULT_STEP else 2
        optimizer.zero_grad()
        loss = F.mse_loss(model(x, rounds), x)
        loss.backward()
        average_gradients(model)
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, timeout=(8, "seconds to wait for the other process"),
                                        fault="end one round early in the second process"))
