#!/usr/bin/python3
"""The loop does not clear gradients, so that they add up from step to step. (Stack Overflow, 60335387)"""

from common import F, Net, job, table, torch


def main():
    args = job.options(__doc__, steps=12, fault="leave zero_grad() out")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    for step in range(args.steps):
        model.train()
        batch = slice(step * batch_size, (step + 1) * batch_size)
        if not args.fault:
            optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
