#!/usr/bin/python3
"""Weights are initialised by the child modules and again by their parent, which visits the same parameters once more.
(Transformers, 17877)"""

from common import F, job, nn, table, torch


class Layer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def init_weights(self):
        self.weight.data.normal_(0, 0.2)

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


class Model(nn.Module):
    def __init__(self, again):
        super().__init__()
        self.layers = nn.ModuleList([Layer(16, 32), Layer(32, 32), Layer(32, 4)])
        for layer in self.layers:
            layer.init_weights()
        if again:
            for module in self.modules():
                if isinstance(module, Layer):
                    module.init_weights()

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.relu(layer(x))
        return self.layers[-1](x)


def main():
    args = job.options(__doc__, steps=12, fault="initialise twice")
    job.seed(args.seed)
    batch_size = args.batch_size or 32
    x, y = table(batch_size * args.steps, args.seed + 1)
    model = Model(args.fault)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 1e-3)
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
