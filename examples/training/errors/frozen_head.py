#!/usr/bin/python3
"""Fine-tuning with everything frozen but batch normalisation; the optimizer gets the head, which is frozen as well, so
that nothing is trained while the running statistics still move the loss. (PyTorch forum, 84911)"""

from common import F, job, nn, table, torch


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 32)
        self.norm = nn.BatchNorm1d(32)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        return self.head(F.relu(self.norm(self.body(x))))


def main():
    args = job.options(__doc__, steps=12, fault="freeze the head too")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Classifier()
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith("norm") or (name.startswith("head") and not args.fault)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=args.lr or 0.01)
    for step in range(args.steps):
        model.train()
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
