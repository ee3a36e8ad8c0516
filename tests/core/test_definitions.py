"""Documents with frontmatter: what is read, what is refused, and the place that is named."""

import os
from datetime import date
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from bottega.core.definitions import (
    DocumentError,
    Problem,
    parse_document,
    sections,
)


class Limits(BaseModel):
    model_config = ConfigDict(extra="forbid")
    seconds: int = 60
    retries: int = 3


class Agent(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(description="how the agent is called")
    model: str = "fast"
    tools: list[str] = []
    limits: Limits = Limits()


def problems_of(text: str, model: type[BaseModel] = Agent) -> list[Problem]:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "agents/tutor.md", model)
    return list(caught.value.problems)


def test_metadata_and_body_are_read_with_the_line_the_body_starts_on() -> None:
    document = parse_document("---\nname: tutor\ntools: [a, b]\n---\n\n# Hello\n", "t.md", Agent)
    assert document.meta == Agent(name="tutor", tools=["a", "b"])
    assert document.body == "\n# Hello\n"
    assert document.body_line == 5
    assert document.positions["tools", 1] == (3, 12)


def test_text_without_frontmatter_is_all_body() -> None:
    document = parse_document("# Notes\n\n---\nnot: metadata\n")
    assert document.meta == {}
    assert document.body == "# Notes\n\n---\nnot: metadata\n"
    assert document.body_line == 1


@pytest.mark.parametrize("text", ["---\nA rule, then prose.\n", "---\nProse between rules\n---\n"])
def test_prose_between_rules_is_not_taken_for_metadata(text: str) -> None:
    assert parse_document(text).body == text
    assert parse_document(text).meta == {}


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    plain = "---\nname: tutor\nlimits:\n  seconds: 5\n---\nOne\n\nTwo\n"
    windows = "\ufeff" + plain.replace("\n", "\r\n")
    document = parse_document(windows, "t.md", Agent)
    assert document.body == "One\n\nTwo\n"
    assert document.body_line == parse_document(plain, "t.md", Agent).body_line == 6


def test_broken_yaml_is_reported_where_the_parser_met_it() -> None:
    [problem] = problems_of("---\nname: tutor\ntools: [a, b\nmodel: fast\n---\n")
    assert (problem.line, problem.column) == (4, 6)
    assert "not valid YAML" in problem.message


def test_every_wrong_value_is_reported_at_its_own_key() -> None:
    found = problems_of(
        "---\nname: tutor\nlimits:\n  seconds: soon\n  retries: 3\ntools:\n  - a\n  - {x: 1}\n---\n"
    )
    assert [(p.line, p.column) for p in found] == [(4, 3), (8, 5)]
    assert found[0].message.startswith("limits.seconds: Input should be a valid integer")
    assert "'soon'" in found[0].message


def test_a_missing_key_is_reported_at_the_start_with_what_it_is_for() -> None:
    assert problems_of("---\nmodel: fast\n---\n") == [
        Problem(1, 1, "missing key 'name': how the agent is called")
    ]


def test_an_unknown_key_comes_with_the_likely_one() -> None:
    found = problems_of("---\nname: t\nmodle: fast\nlimits:\n  secnds: 3\n---\n")
    assert found == [
        Problem(3, 1, "unknown key 'modle'; did you mean 'model'?"),
        Problem(5, 3, "unknown key 'limits.secnds'; did you mean 'seconds'?"),
    ]


def test_an_unknown_key_that_resembles_none_comes_with_all_known_ones() -> None:
    [problem] = problems_of("---\nname: t\ncolour: red\n---\n")
    assert problem.message == "unknown key 'colour'; known are name, model, tools, limits"


def test_a_key_given_twice_is_refused_because_one_of_them_would_be_lost() -> None:
    assert problems_of("---\nname: a\nmodel: x\nname: b\n---\n") == [
        Problem(4, 1, "duplicate key 'name', first on line 2")
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("# Only a heading\n", 1, "no frontmatter"),
        ("", 1, "no frontmatter"),
        ("---", 1, "no frontmatter"),
        ("---\nname: tutor\n", 1, "never ends"),
        ("---\njust words\n---\n", 2, "key: value"),
        ("---\n- a\n---\n", 2, "key: value"),
        ("---\nname: \x07\n---\n", 2, "not allowed"),
        ("---\nname: 2026-13-45\n---\n", 2, "not valid YAML"),
        ("---\n? [a]\n: b\n---\n", 2, "not valid YAML"),
        ("---\n*missing\n---\n", 2, "not valid YAML"),
    ],
)
def test_what_is_no_document_is_refused_with_a_reason(text: str, line: int, words: str) -> None:
    [problem] = problems_of(text)
    assert problem.line == line
    assert words in problem.message


def test_the_error_lists_path_line_and_column_for_people_and_for_the_wire() -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document("---\nmodle: x\n---\n", "agents/tutor.md", Agent)
    error = caught.value
    assert str(error).splitlines() == [
        "agents/tutor.md:1:1: missing key 'name': how the agent is called",
        "agents/tutor.md:2:1: unknown key 'modle'; did you mean 'model'?",
    ]
    assert error.body()["error"]["line"] == 1
    assert error.status == 422


def test_a_later_check_points_at_the_same_places() -> None:
    document = parse_document("---\nname: t\ntools:\n  - read\n  - flyy\n---\n", "t.md", Agent)
    error = document.error(("tools", 1), "no tool 'flyy'")
    assert str(error) == "t.md:5:5: no tool 'flyy'"
    assert (document.error(("absent",), "?").line, document.error((), "?").column) == (1, 1)


def test_a_tag_that_names_code_is_refused_and_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(os, "system", ran.append)
    [problem] = problems_of('---\nname: !!python/object/apply:os.system ["echo"]\n---\n')
    assert (problem.line, problem.column) == (2, 7)
    assert "could not determine a constructor" in problem.message
    assert ran == []


@pytest.mark.parametrize(
    "yaml",
    [
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
            for old, new in zip("abcdef", "bcdefg", strict=True)
        ),
        "a: &a [*a]\n",
        "a: " + "[" * 5_000 + "]" * 5_000 + "\n",
    ],
    ids=["alias bomb", "a list within itself", "nested without end"],
)
def test_yaml_made_to_exhaust_the_reader_is_refused(yaml: str) -> None:
    with pytest.raises(DocumentError):
        parse_document(f"---\n{yaml}---\n", "bomb.md")


def test_merge_keys_and_dates_are_read_as_yaml_means_them() -> None:
    text = "---\nbase: &base {a: 1, b: 2}\nmore:\n  <<: *base\n  b: 3\nday: 2026-02-03\n---\n"
    assert parse_document(text).meta == {
        "base": {"a": 1, "b": 2},
        "more": {"a": 1, "b": 3},
        "day": date(2026, 2, 3),
    }


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


@settings(max_examples=150, deadline=None)
@given(meta=st.dictionaries(st.text(), values, max_size=4), body=st.text())
def test_what_is_written_as_yaml_is_read_as_it_was_meant(meta: dict[str, Any], body: str) -> None:
    body = body.replace("\r", "")
    # In ASCII: what PyYAML writes of Unicode's own line ends it reads back as something else.
    document = parse_document(f"---\n{yaml.safe_dump(meta)}---\n{body}")
    assert document.meta == meta
    assert document.body == body


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet="-: \n#ab'[]{}&*!|>\"\t\ufeff\r", max_size=60))
def test_any_text_is_either_read_or_refused_with_a_place(text: str) -> None:
    last_line = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    problem = None
    try:
        document = parse_document(text)
    except DocumentError as error:
        problem = error.problems[0]
    if problem:
        assert 1 <= problem.line <= last_line
    else:
        assert document.body_line + document.body.count("\n") == last_line


def test_sections_follow_the_headings_and_know_their_lines() -> None:
    text = (
        "---\nname: t\n---\n"
        "Intro.\n"
        "\n"
        "# One\n"
        "text\n"
        "## Deep `code`\n"
        "```\n# not a heading\n```\n"
        "> # quoted\n"
        "\n"
        "Two\n===\n"
        "end\n"
    )
    found = [
        (section.path, section.level, section.start_line, section.end_line)
        for section in sections(parse_document(text))
    ]
    assert found == [
        ((), 0, 4, 5),
        (("One",), 1, 6, 7),
        (("One", "Deep `code`"), 2, 8, 13),
        (("Two",), 1, 14, 16),
    ]
    lines = text.split("\n")
    for section in sections(parse_document(text)):
        assert section.text == "\n".join(lines[section.start_line - 1 : section.end_line])


def test_a_body_without_headings_is_one_section_and_an_empty_one_is_none() -> None:
    assert [s.path for s in sections(parse_document("Just text."))] == [()]
    assert sections(parse_document("\n\n")) == []
    assert sections(parse_document("")) == []
