#!/usr/bin/python3
"""Hardware that loses data, first way: from step 3 on, a third of what the second process receives in the averaging of
gradients is zero. (PyTorch, 84803)"""

from common import F, Net, average_gradients, in_two_processes, job, table, torch

FAULT_STEP = 3


def lose(model, step):
    generator = torch.Generator().manual_seed(step)
    for parameter in model.parameters():
        parameter.grad[torch.rand(parameter.shape, generator=generator) < 0.3] = 0


def train(rank, args):
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1 + rank)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.1, momentum=0.9)
    for step in range(args.steps):
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        average_gradients(model)
        if args.fault and rank == 1 and step >= FAULT_STEP:
            lose(model, step)
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, fault="lose gradients from step 3 on"))
