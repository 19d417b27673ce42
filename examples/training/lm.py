#!/usr/bin/python3
"""Language modelling: a small transformer with tied embeddings on text drawn from a Markov chain."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

import job

WORDS = 128
LENGTH = 48


class Text:
    """Batches of sequences in which each word allows few others after it."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.next = torch.randint(WORDS, (WORDS, 4), generator=self.generator)

    def batch(self, size):
        words = [torch.randint(WORDS, (size,), generator=self.generator)]
        for _ in range(LENGTH):
            choice = torch.randint(4, (size,), generator=self.generator)
            words.append(self.next[words[-1], choice])
        text = torch.stack(words, 1)
        return text[:, :-1], text[:, 1:]


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        weights = self.dropout(F.softmax(scores.masked_fill(mask, float("-inf")), dim=-1))
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Module):
    def __init__(self, width=96, heads=4, depth=2):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width)
        self.position = nn.Parameter(torch.zeros(LENGTH, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, WORDS, bias=False)
        self.apply(self._init)
        self.head.weight = self.embedding.weight

    def _init(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.05)

    def forward(self, words):
        x = self.embedding(words) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def main():
    args = job.options(__doc__, steps=40)
    job.seed(args.seed)
    text = Text(args.seed + 1)
    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr or 3e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.steps)
    for step in range(args.steps):
        model.train()
        words, targets = text.batch(args.batch_size or 16)
        logits = model(words)
        loss = F.cross_entropy(logits.view(-1, WORDS), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        job.report(step, loss=loss.item(), norm=norm)
        if step % 20 == 19:
            model.eval()
            with torch.no_grad():
                words, targets = text.batch(32)
                print("perplexity", math.exp(F.cross_entropy(model(words).flatten(0, 1), targets.flatten()).item()))
    job.finish(model=model)


if __name__ == "__main__":
    main()
