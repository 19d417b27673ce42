#!/usr/bin/python3
"""Hardware that loses data, third way: at step 3 one bit in the exponent of one received gradient flips, a value becomes
huge, and soon there are infinities. (Baichuan2, 86)"""

from common import F, Net, average_gradients, in_two_processes, job, table, torch

FAULT_STEP = 3


def flip(model):
    bits = model.fc2.weight.grad.view(torch.int32)
    bits[0, 0] = bits[0, 0] ^ (1 << 30)


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
        if args.fault and rank == 1 and step == FAULT_STEP:
            flip(model)
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    in_two_processes(train, job.options(__doc__, steps=8, fault="flip a bit at step 3"))
