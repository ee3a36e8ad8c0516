"""Text from a report in Markdown: it comes out as it went in, and as nothing else."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bottega.board.failures.reports.report import block, clean, code, inline, one_line

NASTY = st.text(r"""\`*_[](){}<>#|~!&;:"'/ab1 é""" + "\n", max_size=40)
TEXTS = NASTY | st.text(max_size=40)


def parsed(markdown: str) -> list[Token]:
    [paragraph] = [token for token in MarkdownIt().parse(markdown) if token.type == "inline"]
    return paragraph.children or []


@pytest.mark.requirement("BD-234")
@settings(deadline=None)
@given(TEXTS)
@example("[a](b) ![c](d) <http://x> &amp; ~~x~~ __y__ *z* `w` \\](")
def test_words_stay_words(text: str) -> None:
    """No emphasis, link, picture, entity or HTML comes of them."""
    tokens = parsed(f"x {inline(text)} x")
    assert {token.type for token in tokens} <= {"text", "text_special"}
    assert "".join(token.content for token in tokens) == f"x {one_line(text)} x"


@pytest.mark.requirement("BD-234")
@settings(deadline=None)
@given(TEXTS)
def test_code_stays_code(text: str) -> None:
    """However many backticks it has."""
    tokens = [token for token in parsed(f"- x {code(text)}") if token.type != "text"]
    assert [token.type for token in tokens] == ["code_inline"]
    assert tokens[0].content.strip() == one_line(text)


@pytest.mark.requirement("BD-234")
@settings(deadline=None)
@given(TEXTS)
@example("```\n# out\n~~~\n# out\n````")
def test_a_block_holds_all_of_its_text(text: str) -> None:
    """Nothing in it closes it."""
    text = clean(text)
    tokens = MarkdownIt().parse(block(text) + "\n\n# after")
    assert [token.type for token in tokens][:2] == ["fence", "heading_open"]
    assert tokens[0].content.strip("\n") == text.strip("\n")


@pytest.mark.requirement("BD-230")
@pytest.mark.parametrize("name", ["test_adds[1-a]", "adds 1 & 2 (twice)", "C# > C", "a|b", "50 %!"])
def test_ordinary_names_are_left_as_they_are(name: str) -> None:
    """A proposal's title is read in lists, where a backslash would only disturb."""
    assert inline(name) == name
