#!/usr/bin/python3
"""Image classification: a small convolutional network with batch normalisation and dropout on drawn shapes."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

import job


class Shapes(Dataset):
    """Noisy pictures of bars, crosses, squares and dots."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(4, (count,), generator=generator)
        self.pictures = 0.3 * torch.randn(count, 1, 28, 28, generator=generator)
        corners = torch.randint(2, 14, (count, 2), generator=generator)
        for picture, label, (y, x) in zip(self.pictures, self.labels, corners.tolist()):
            area = picture[0, y:y + 11, x:x + 11]
            if label == 0:
                area[4:7] += 1
            elif label == 1:
                area[4:7] += 1
                area[:, 4:7] += 1
            elif label == 2:
                area[[0, -1]] += 1
                area[:, [0, -1]] += 1
            else:
                area[3:8, 3:8] += 1

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.pictures[index], self.labels[index]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 7 * 7, 64)
        self.fc2 = nn.Linear(64, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = self.dropout(torch.flatten(x, 1))
        return self.fc2(F.relu(self.fc1(x)))


def evaluate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for pictures, labels in loader:
            right += (model(pictures).argmax(1) == labels).sum().item()
    return right / len(loader.dataset)


def main():
    args = job.options(__doc__, steps=48)
    job.seed(args.seed)
    batch_size = args.batch_size or 64
    train_loader = DataLoader(Shapes(16 * batch_size, args.seed + 1), batch_size, shuffle=True)
    test_loader = DataLoader(Shapes(256, args.seed + 2), 128)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr or 0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    step = 0
    while step < args.steps:
        model.train()
        for pictures, labels in train_loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(pictures), labels)
            loss.backward()
            optimizer.step()
            job.report(step, loss=loss.item())
            step += 1
            if step == args.steps:
                break
        scheduler.step()
        print("accuracy", evaluate(model, test_loader))
    job.finish(model=model)


if __name__ == "__main__":
    main()
