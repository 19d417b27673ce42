#!/usr/bin/python3
"""A graph convolutional network that tells the communities of a random graph apart."""

import torch
import torch.nn as nn
import torch.nn.functional as F

import job


def graph(nodes, classes, seed):
    """A stochastic block model with weak features; the normalised adjacency is a sparse tensor."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(classes, (nodes,), generator=generator)
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    edges = torch.rand(nodes, nodes, generator=generator) < torch.where(same, 0.02, 0.003)
    edges = (edges | edges.t()).float()
    edges.fill_diagonal_(1)
    degree = edges.sum(1).rsqrt()
    adjacency = degree.unsqueeze(1) * edges * degree.unsqueeze(0)
    features = torch.randn(nodes, 32, generator=generator)
    features[torch.arange(nodes), labels] += 1
    return adjacency.to_sparse(), features, labels


class Layer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, adjacency, x):
        return torch.sparse.mm(adjacency, x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, classes, hidden=64):
        super().__init__()
        self.layer1 = Layer(32, hidden)
        self.layer2 = Layer(hidden, classes)

    def forward(self, adjacency, x):
        x = F.relu(self.layer1(adjacency, x))
        return self.layer2(adjacency, F.dropout(x, 0.5, training=self.training))


def main():
    args = job.options(__doc__, steps=80)
    job.seed(args.seed)
    adjacency, features, labels = graph(1200, 5, args.seed + 1)
    training = torch.arange(len(labels)) % 3 == 0
    model = GCN(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr or 0.01, weight_decay=5e-4)
    for step in range(args.steps):
        model.train()
        optimizer.zero_grad()
        output = model(adjacency, features)
        loss = F.cross_entropy(output[training], labels[training])
        loss.backward()
        optimizer.step()
        job.report(step, loss=loss.item())
        if step % 10 == 9:
            model.eval()
            with torch.no_grad():
                right = model(adjacency, features).argmax(1) == labels
            print("accuracy", right[~training].float().mean().item())
    job.finish(model=model)


if __name__ == "__main__":
    main()
