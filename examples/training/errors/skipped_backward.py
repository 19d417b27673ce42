#!/usr/bin/python3
"""An iteration without gradients makes a compiled training step believe that there never are any: from step 4 on it skips
the update. The compiled step is played by a function that remembers what it was specialised for. (PyTorch, 115607)"""

from common import F, Net, job, table, torch

FAULT_STEP = 4


class CompiledStep:
    """Backward and update, specialised at its first call for parameters that have gradients or have none."""

    def __init__(self, optimizer, guarded):
        self.optimizer = optimizer
        self.guarded = guarded
        self.skips = False

    def __call__(self, loss):
        if self.skips and not self.guarded:
            return
        self.skips = False
        loss.backward()
        self.optimizer.step()


def main():
    args = job.options(__doc__, steps=12, fault="specialise without a guard")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    update = CompiledStep(optimizer, guarded=not args.fault)
    for step in range(args.steps):
        model.train()
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad(set_to_none=True)
        if step == FAULT_STEP:
            update.skips = True
        loss = F.cross_entropy(model(x[batch]), y[batch])
        update(loss)
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
