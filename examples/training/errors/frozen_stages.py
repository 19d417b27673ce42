#!/usr/bin/python3
"""A backbone freezes its first stage when it is put into training mode, but not when it is made; a loop that never calls
train() trains the stage that should be frozen. (MMPretrain, 702)"""

from common import F, job, nn, table, torch


class Backbone(nn.Module):
    def __init__(self, freeze_at_once):
        super().__init__()
        self.stage1 = nn.Linear(16, 32)
        self.stage2 = nn.Linear(32, 32)
        self.head = nn.Linear(32, 4)
        if freeze_at_once:
            self.freeze_stages()

    def freeze_stages(self):
        for parameter in self.stage1.parameters():
            parameter.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.freeze_stages()
        return self

    def forward(self, x):
        return self.head(F.relu(self.stage2(F.relu(self.stage1(x)))))


def main():
    args = job.options(__doc__, steps=12, fault="do not freeze in the constructor")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Backbone(freeze_at_once=not args.fault)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.1)
    for step in range(args.steps):
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
