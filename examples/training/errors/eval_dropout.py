#!/usr/bin/python3
"""Attention applies its dropout in evaluation mode too, so that two evaluations of the same data differ.
(Transformers, 33844)"""

from common import F, job, nn, torch


class Attention(nn.Module):
    def __init__(self, width, always):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.always = always

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        weights = F.softmax(q @ k.transpose(-2, -1) / x.shape[-1] ** 0.5, dim=-1)
        weights = F.dropout(weights, 0.2, training=self.training or self.always)
        return weights @ v


class Model(nn.Module):
    def __init__(self, always, words=32, width=24):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.attention = Attention(width, always)
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(width, words)

    def forward(self, words):
        x = self.embedding(words)
        return self.output(x + self.dropout(self.attention(x)))


def main():
    args = job.options(__doc__, steps=12, fault="drop out in evaluation too")
    job.seed(args.seed)
    data = torch.Generator().manual_seed(args.seed + 1)
    model = Model(args.fault)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-2)
    for step in range(args.steps):
        model.train()
        start = torch.randint(32, (args.batch_size or 16, 1), generator=data)
        words = (start + torch.arange(13)) % 32
        optimizer.zero_grad()
        loss = F.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
        if step % 3 == 2:
            model.eval()
            with torch.no_grad():
                print("held out", F.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten()).item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
