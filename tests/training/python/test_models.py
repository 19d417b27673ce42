"""Finding the models of a job and what their optimizers have to do with them, where that is not simple."""

from conftest import calls, states


def test_two_models_that_take_turns(collected):
    records = collected("""
        import torch.nn as nn
        maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
        maker_optimizer = torch.optim.SGD(maker.parameters(), lr=0.1)
        judge_optimizer = torch.optim.SGD(judge.parameters(), lr=0.1)
        for _ in range(3):
            made = maker(torch.ones(4, 2))
            judge_optimizer.zero_grad()
            judge(made.detach()).sum().backward()
            judge_optimizer.step()
            maker_optimizer.zero_grad()
            judge(made).sum().backward()
            maker_optimizer.step()
    """)
    assert [r.context["step"] for r in calls(records, "torch.optim.sgd.SGD.step")] == [0, 0, 1, 1, 2, 2]
    assert {r.name for r in states(records, "torch.nn.Parameter")} == {"maker.weight", "maker.bias", "judge.weight", "judge.bias"}
    agreement = {name: states(records, "optimizer.agreement", name) for name in ("maker_optimizer", "judge_optimizer")}
    for found in agreement.values():
        assert [(r.fields["with_grad"], r.fields["missing"], r.fields["foreign"]) for r in found] == [(2, 0, 0)] * 3


def test_a_model_that_is_replaced_gets_a_name_of_its_own(collected):
    records = collected("""
        import torch.nn as nn
        for round in range(3):
            model = nn.Linear(2, 1)
            model(torch.ones(1, 2))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            del model, optimizer
    """)
    assert {r.name for r in states(records, "torch.nn.Parameter")} == {
        f"{name}.{key}" for name in ("model", "model#2", "model#3") for key in ("weight", "bias")}


def test_tied_weights_have_both_names(collected):
    records = collected("""
        import torch.nn as nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(5, 3)
                self.head = nn.Linear(3, 5, bias=False)
                self.head.weight = self.embedding.weight
            def forward(self, x):
                return self.head(self.embedding(x))
        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.tensor([1, 2])).sum().backward()
        optimizer.step()
    """)
    one, other = (states(records, "torch.nn.Parameter", name) for name in ("net.embedding.weight", "net.head.weight"))
    assert [r.fields["data"] for r in one] == [r.fields["data"] for r in other]
    assert len({r.fields["data"] for r in one}) == 2


def test_a_model_inside_an_object_and_attributes_of_parameters(collected):
    records = collected("""
        import torch.nn as nn
        class Trainer:
            def __init__(self):
                self.network = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
                self.network[0].weight.partition = "rows"
                self.network[0].weight.shared = False
                self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
            def train(self):
                self.network(torch.ones(1, 2)).sum().backward()
                self.optimizer.step()
        Trainer().train()
    """)
    found = states(records, "torch.nn.Parameter", "network.0.weight")
    assert found
    assert all(r.fields["partition"] == "rows" and r.fields["shared"] is False for r in found)
    assert all(r.fields["in_optimizer"] for r in found[1:])


def test_modules_that_grow(collected):
    records = collected("""
        import torch.nn as nn
        model = nn.Sequential(nn.Linear(2, 2))
        model(torch.ones(1, 2))
        model.append(nn.Linear(2, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    """)
    assert "model.1.weight" in {r.name for r in states(records, "torch.nn.Parameter")}


def test_texts_that_are_not_words_are_not_recorded(collected):
    records = collected("""
        torch.save({"a": torch.zeros(1)}, __file__ + ".secret")
        torch.nn.functional.interpolate(torch.zeros(1, 1, 2, 2), scale_factor=2.0, mode="nearest")
    """)
    assert "secret" not in str(records)
    assert calls(records, "torch.nn.functional.interpolate")[0].fields["arg.mode"] == "nearest"
    assert calls(records, "torch.save")[0].fields["arg.f.type"] == "str"
