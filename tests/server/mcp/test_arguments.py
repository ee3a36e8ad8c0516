"""What a caller is told about arguments that do not fit."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, model_validator

from bottega.core.rooms import Caller, Tool
from bottega.errors import InvalidInput
from bottega.server.mcp.arguments import check_arguments


class Hint(BaseModel):
    path: str
    style: Literal["subtle", "obvious"] = "subtle"


class HintFiles(BaseModel):
    hints: list[Hint] = Field(max_length=2)
    hover_text: str | None = Field(None, alias="hoverText")

    @model_validator(mode="after")
    def _needs_hints(self) -> "HintFiles":
        if not self.hints:
            raise ValueError("give at least one hint")
        return self


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class Nothing(BaseModel):
    pass


async def run(arguments: BaseModel, caller: Caller) -> None: ...


def check(model: type[BaseModel], arguments: dict[str, Any]) -> BaseModel:
    return check_arguments(Tool("hint_files", "Marks files.", model, run), arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "`hints` is missing"),
        ({"hints": []}, "give at least one hint"),
        ({"hints": [{"path": "a", "style": "loud"}]}, "`hints[0].style` is 'loud'; valid options:"),
        ({"hints": [{"path": "a", "stile": 1}]}, "`hints[0].stile` is not an argument there"),
        ({"hints": [{"path": "a"}], "hovertext": "x"}, "did you mean `hoverText`?"),
        ({"hints": [{"path": 1}]}, "`hints[0].path` is 1; it should be a valid string"),
        ({"hints": "a" * 500}, "`hints` is '" + "a" * 59 + "…; it should be a valid list"),
    ],
)
def test_each_problem_is_said_with_its_place_and_a_way_out(
    arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        check(HintFiles, arguments)

    assert caught.value.message.startswith("hint_files: ")
    assert said in caught.value.message


def test_a_flood_of_problems_is_cut_short() -> None:
    with pytest.raises(InvalidInput, match="and 95 more") as caught:
        check(Nothing, {f"key-{number}": number for number in range(100)})

    assert len(caught.value.message) < 1_000
    assert "this tool takes none" in caught.value.message


def test_a_key_that_utf8_cannot_hold_is_answered_in_words_it_can() -> None:
    with pytest.raises(InvalidInput, match="should be a valid string") as caught:
        check(HintFiles, {"\ud800": 1})

    assert caught.value.message.encode()


def test_a_tool_may_take_whatever_it_is_given() -> None:
    assert check(Anything, {"free": 1}).model_extra == {"free": 1}
