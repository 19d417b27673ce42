"""Summaries of PyTorch's tensors: every layout, element type and oddity."""

import math

import pytest

torch = pytest.importorskip("torch")
from tenet_train import _hooks as hooks  # noqa: E402

hooks.start(torch, (), False)
torch.manual_seed(0)


def summary(tensor):
    found = hooks.summary(tensor)
    assert isinstance(found, dict), found
    return found


def test_layouts_of_the_same_values_hash_alike():
    x = torch.randn(3, 8, 20, 30)
    expected = summary(x)
    wide = torch.zeros(3, 8, 20, 70)
    wide[..., 5:65:2] = x
    for other in (x.to(memory_format=torch.channels_last), wide[..., 5:65:2], x.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0),
                  x.transpose(0, 1).contiguous().transpose(0, 1), x.clone().requires_grad_(), torch.nn.Parameter(x)):
        assert torch.equal(other, x)
        assert summary(other) == expected
    assert summary(x.transpose(0, 1)) != expected


def test_a_change_anywhere_is_seen():
    x = torch.randn(128, 300)
    before = summary(x)["hash"]
    for row in (0, 1, 64, 127):
        y = x.clone()
        y[row, 299] += 1e-6 * abs(y[row, 299]) + 1e-9
        assert summary(y)["hash"] != before


def test_statistics():
    x = torch.randn(1000, dtype=torch.float64)
    found = summary(x)
    assert found["count"] == 1000
    assert math.isclose(found["norm"], x.norm().item(), rel_tol=1e-12)
    assert (found["min"], found["max"]) == (x.min().item(), x.max().item())
    x[3], x[4], x[5] = math.nan, math.inf, -math.inf
    found = summary(x)
    assert (found["nan"], found["inf"]) == (1, 2)
    assert math.isfinite(found["norm"])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.uint8,
                                   torch.int16, torch.int32, torch.int64, torch.bool, torch.complex64, torch.complex128])
def test_every_element_type(dtype):
    x = (torch.randn(37, 5) * 4).to(dtype)
    found = summary(x)
    assert found["count"] == 185
    if not dtype.is_complex:
        assert found["max"] == x.double().max().item()
        assert math.isclose(found["norm"], x.double().norm().item(), rel_tol=1e-12)
    assert summary(x.t().contiguous().t()) == found
    assert summary(torch.zeros((), dtype=dtype))["count"] == 1
    assert summary(torch.zeros(3, 0, dtype=dtype))["count"] == 0


def test_quantised_tensors_are_their_integers():
    q = torch.quantize_per_tensor(torch.randn(40), 0.1, 10, torch.quint8)
    assert summary(q)["hash"] == summary(q.int_repr())["hash"]


def test_lazy_conjugates_and_negatives():
    z = torch.randn(20, dtype=torch.complex64)
    assert z.conj().is_conj()
    assert summary(z.conj()) == summary(z.conj().resolve_conj())
    negative = z.conj().imag
    assert negative.is_neg()
    assert summary(negative) == summary(negative.resolve_neg())


@pytest.mark.parametrize("make", [
    lambda: torch.eye(3).to_sparse(),
    lambda: torch.empty(2, 3, device="meta"),
    lambda: torch.eye(4).to_sparse_csr(),
    lambda: torch.randn(2, 3).to_mkldnn(),
])
def test_what_cannot_be_read_is_said_to_be_so(make):
    assert hooks.summary(make()).startswith("not summarised")


def test_a_subclass_does_not_see_that_it_is_read():
    seen = []

    class Watched(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function)
            return super().__torch_function__(function, types, args, kwargs or {})

    x = torch.randn(6)
    watched = x.as_subclass(Watched)
    seen.clear()
    assert summary(watched) == summary(x)
    assert seen == []


def test_other_values_are_refused():
    with pytest.raises(TypeError):
        hooks.summary([1, 2])
