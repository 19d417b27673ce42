#!/usr/bin/python3
"""Parameters are frozen before the engine is set up, and its checkpoint holds those that are trained only: what is loaded
from it is incomplete. (DeepSpeed, 5489)"""

import os
import tempfile

from common import F, Net, job, table, torch


def save(model, path, fault):
    names = {name for name, parameter in model.named_parameters() if parameter.requires_grad or not fault}
    torch.save({name: tensor for name, tensor in model.state_dict().items() if name in names}, path)


def main():
    args = job.options(__doc__, steps=12, fault="save what is trained only")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Net()
    model.fc1.requires_grad_(False)
    optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=args.lr or 1e-3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint.pt")
        for step in range(args.steps):
            model.train()
            batch = slice(step * batch_size, (step + 1) * batch_size)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            job.report(step, loss=loss.item())
            if step % 4 == 3:
                save(model, path, args.fault)
                restored = Net()
                restored.load_state_dict(torch.load(path), strict=False)
    job.finish(model=model)


if __name__ == "__main__":
    main()
