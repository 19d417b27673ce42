#!/usr/bin/python3
"""The function that saves a checkpoint lays one weight out anew on the way and writes it transposed; training itself is
right. (Transformers, 29903)"""

import os
import tempfile

from common import F, Net, job, table, torch


def save(model, optimizer, path, fault):
    weights = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
    if fault:
        wrong = weights["fc1.weight"]
        weights["fc1.weight"] = wrong.t().contiguous().view(wrong.shape)
    torch.save({"model": weights, "optimizer": optimizer.state_dict()}, path)


def main():
    args = job.options(__doc__, steps=12, fault="write one weight transposed")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    with tempfile.TemporaryDirectory() as folder:
        for step in range(args.steps):
            model.train()
            batch = slice(step * batch_size, (step + 1) * batch_size)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            job.report(step, loss=loss.item())
            if step % 4 == 3:
                save(model, optimizer, os.path.join(folder, f"{step}.pt"), args.fault)
    job.finish(model=model)


if __name__ == "__main__":
    main()
