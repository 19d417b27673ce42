#!/usr/bin/python3
"""A layer with spectral normalisation is evaluated before it was ever run in training mode: its weight is not normalised
yet. (PyTorch, 51800)"""

from common import F, job, nn, table, torch


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.utils.spectral_norm(nn.Linear(16, 32))
        self.output = nn.Linear(32, 4)

    def forward(self, x):
        return self.output(F.relu(self.hidden(x)))


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        print("accuracy", (model(x).argmax(1) == y).float().mean().item())


def main():
    args = job.options(__doc__, steps=12, fault="evaluate first")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * (args.steps + 1), args.seed + 1)
    model = Critic()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    held_out = x[-batch_size:], y[-batch_size:]
    if args.fault:
        evaluate(model, *held_out)
    for step in range(args.steps):
        model.train()
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
        if step % 4 == 3:
            evaluate(model, *held_out)
    job.finish(model=model)


if __name__ == "__main__":
    main()
