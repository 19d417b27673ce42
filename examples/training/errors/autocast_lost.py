#!/usr/bin/python3
"""Inside autocast, a function that the tracer does not know as one of PyTorch's runs in full precision: played by an
autograd function that switches autocast off. (Lightning Thunder, 725)"""

from common import F, job, nn, table, torch


class Untraced(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        with torch.autocast("cpu", enabled=False):
            return F.linear(x.float(), weight, bias)

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        gradient = gradient.float()
        return gradient @ weight, gradient.t() @ x.float(), gradient.sum(0)


class Layer(nn.Module):
    def __init__(self, inputs, outputs, untraced):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.untraced = untraced

    def forward(self, x):
        if self.untraced:
            return Untraced.apply(x, self.linear.weight, self.linear.bias)
        return self.linear(x)


def main():
    args = job.options(__doc__, steps=12, fault="run the second layer outside autocast")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = nn.Sequential(Layer(16, 32, False), nn.ReLU(), Layer(32, 32, args.fault), nn.ReLU(), Layer(32, 4, False))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
    for step in range(args.steps):
        model.train()
        batch = slice(step * batch_size, (step + 1) * batch_size)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = model(x[batch])
        loss = F.cross_entropy(output.float(), y[batch])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
