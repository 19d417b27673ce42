#!/usr/bin/python3
"""Generation computes how many tokens it may add before the prompt is cut, and adds too many. (Transformers, 23723)"""

from common import F, job, nn, torch


class Decoder(nn.Module):
    def __init__(self, words=32, width=24):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.output = nn.Linear(width, words)

    def forward(self, words):
        states, _ = self.rnn(self.embedding(words))
        return self.output(states)


def generate(model, prompt, max_new_tokens, longest_prompt, fault):
    total = prompt.shape[1] + max_new_tokens
    prompt = prompt[:, -longest_prompt:]
    if not fault:
        total = prompt.shape[1] + max_new_tokens
    words = prompt
    while words.shape[1] < total:
        words = torch.cat([words, model(words)[:, -1:].argmax(-1)], 1)
    return words[:, prompt.shape[1]:]


def main():
    args = job.options(__doc__, steps=12, fault="count the tokens before the prompt is cut")
    job.seed(args.seed)
    data = torch.Generator().manual_seed(args.seed + 1)
    model = Decoder()
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
                max_new_tokens = 6
                response = generate(model, words, max_new_tokens, longest_prompt=8, fault=args.fault)
                response_length = response.shape[1]
                print("generated", response_length)
    job.finish(model=model)


if __name__ == "__main__":
    main()
