"""Step outcomes: what comes back after a crash is what came back the first time."""

import functools
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from bottega.core.definitions import DocumentError, Problem
from bottega.core.runs.context import StepFailed, adapter_of, describe, restore, result_type
from bottega.errors import ApiRefusalError, BottegaError, InvalidInput, TooMany


class Leaf(BaseModel):
    name: str
    at: datetime


class Tree(BaseModel):
    leaves: list[Leaf]
    extra: dict[str, float | None] = {}


LEAF = Leaf(name="a", at=datetime(2026, 1, 2, 3, 4, 5, 678901, UTC))


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (Tree, Tree(leaves=[LEAF], extra={"x": None, "y": 0.5})),
        (list[Leaf], [LEAF, LEAF]),
        (tuple[int, Leaf], (1, LEAF)),
        (dict[str, set[int]], {"a": {1, 2}}),
        (Path | None, Path("a/b")),
        (bytes, b"bytes"),
        (Annotated[int, Field(gt=0)], 3),
        (Any, {"plain": [1, "two", None]}),
        (type(None), None),
    ],
)
def test_values_come_back_as_their_declared_type(type_: Any, value: object) -> None:
    adapter = adapter_of(type_)
    assert adapter.validate_python(adapter.dump_python(value, mode="json")) == value


def test_the_declared_type_is_found_on_functions_methods_and_partials() -> None:
    async def function(x: int) -> Tree:
        raise NotImplementedError

    class Service:
        async def method(self) -> list[Leaf]:
            raise NotImplementedError

    assert result_type(function) is Tree
    assert result_type(Service().method) == list[Leaf]
    assert result_type(functools.partial(functools.partial(function), 1)) is Tree
    assert result_type(lambda: None) is Any


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput("wrong", valid_options=["a"]),
        TooMany("slower", retry_after=3),
        ApiRefusalError("refused"),
        StepFailed("broken"),
    ],
)
def test_our_errors_come_back_as_they_were(error: BottegaError) -> None:
    restored = restore(describe(error))
    assert type(restored) is type(error)
    assert restored.body() == error.body()


def test_an_error_with_a_constructor_of_its_own_comes_back_as_its_nearest_kind() -> None:
    restored = restore(describe(DocumentError("a.md", Problem(2, 1, "unknown key"))))
    assert type(restored) is InvalidInput
    assert restored.message == "a.md:2:1: unknown key"
    assert restored.details["line"] == 2


def test_foreign_errors_become_step_failures_that_name_them() -> None:
    restored = restore(describe(KeyError("x")))
    assert type(restored) is StepFailed
    assert restored.message == "KeyError: 'x'"


def test_details_that_are_not_json_are_told_as_text() -> None:
    details = describe(InvalidInput("wrong", path=Path("a"), why=object))["details"]
    assert details["path"] == "a"
    assert isinstance(details["why"], str)
