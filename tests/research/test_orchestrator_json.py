"""JSON in replies that were meant to be nothing else."""

import time
from typing import Any

import pytest

from bottega.research.pipeline.json_objects import json_objects


@pytest.mark.requirement("RS-132")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('  {"a": 1}\n', [{"a": 1}]),
        ('Here you are:\n```json\n{"a": 1}\n```\nAnything else?', [{"a": 1}]),
        ('```\n{"a": 1}```', [{"a": 1}]),
        ('The plan is {"a": {"b": 2}} as you see.', [{"a": {"b": 2}}]),
        ('{"a": [1, 2,], "b": "x,}",}', [{"a": [1, 2], "b": "x,}"}]),
        ('A brace in text: "}" {"a": "}{", "b": "\\"}"}', [{"a": "}{", "b": '"}'}]),
        ('Use {braces} sparingly: {"a": 1}', [{"a": 1}]),
        ('First {"a": 1}, then {"b": 2}.', [{"a": 1}, {"b": 2}]),
        ('{"a": "two\nlines"}', [{"a": "two\nlines"}]),
        ('Cut off: {"a": {"b": 1}, "c": ', [{"b": 1}]),
        ("I would rather talk about it.", []),
        ("[1, 2]", []),
        ("", []),
        ('{"a": NaN', []),
    ],
)
def test_objects_are_dug_out_of_prose(text: str, found: list[dict[str, Any]]) -> None:
    """Whole, fenced, the balanced ones within prose, and with commas too many."""
    assert list(json_objects(text)) == found


@pytest.mark.requirement("RS-132")
@pytest.mark.parametrize("piece", ["{", '"', '{"a":"', "}", "```", '{"a":{', "\\", ","])
def test_no_reply_takes_long_to_search(piece: str) -> None:
    """Hostile text is given up on."""
    started = time.process_time()
    assert list(json_objects(piece * 20_000)) == []
    assert time.process_time() - started < 2
