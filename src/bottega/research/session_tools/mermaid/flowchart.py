"""Flowcharts: nodes in their shapes, links between them, subgraphs, and how all that looks."""

import re
from collections.abc import Iterator

from bottega.core.documents import Problem
from bottega.research.session_tools.mermaid.source import (
    Line,
    Wrong,
    lines_of,
    shown,
    split_statements,
)

HEADER = re.compile(
    r"(?:graph|flowchart(?:-elk)?)\b[ \t]*(TB|TD|BT|RL|LR|[<>^v])?[ \t]*(?=[;\n]|\Z)"
)
#: How a node's text is opened and closed; the longer ones first.
SHAPES = (
    ("(((", (")))",)),
    ("((", ("))",)),
    ("([", ("])",)),
    ("(-", ("-)",)),
    ("(", (")",)),
    ("[[", ("]]",)),
    ("[(", (")]",)),
    ("[|", ("|]",)),
    ("[/", ("/]", "\\]")),
    ("[\\", ("\\]", "/]")),
    ("[", ("]",)),
    ("{{", ("}}",)),
    ("{", ("}",)),
    (">", ("]",)),
)
ID = re.compile(
    r"(?:[^\s\-=.<>\[\](){}|~&;:,@\"^]|[.](?=[^\s.\-])|-(?=[^\s>\-.])|=(?=[^\s=>])|:(?!:))+"
)
LINK = re.compile(r"[xo<]?--+[-xo>]|[xo<]?==+[=xo>]|[xo<]?-?\.+-[xo>]?|~~~+")
#: A link whose text comes before its other half.
OPEN_LINK = {
    "--": (re.compile(r"[xo<]?--"), re.compile(r"--+[-xo>]")),
    "==": (re.compile(r"[xo<]?=="), re.compile(r"==+[=xo>]")),
    "-.": (re.compile(r"[xo<]?-\."), re.compile(r"\.+-[xo>]?")),
}
STYLE_CLASS = re.compile(r":::[\w-]+")
EDGE_ID = re.compile(r"[\w-]+@(?=[xo<]?[-=~.])")
_NAMES = r"[\w-]+(?:\s*,\s*[\w-]+)*"
_LOOKS = r"[^\s\[\](){}|<>\"][^\[\](){}|<>\"]*"
_ADDRESS = r'(?:href\s+)?"[^"]*"(?:\s+"[^"]*")?(?:\s+_(?:self|blank|parent|top))?'
_CALL = r'(?:call\s+)?[\w.]+(?:\([^)]*\))?(?:\s+"[^"]*")?'
KEYWORDS = (
    ("classDef", re.compile(rf"classDef\s+{_NAMES}\s+{_LOOKS}")),
    ("class", re.compile(r"class\s+[^\s,]+(?:\s*,\s*[^\s,]+)*\s+[\w,-]+")),
    ("style", re.compile(rf"style\s+\S+\s+{_LOOKS}")),
    ("linkStyle", re.compile(rf"linkStyle\s+(?:default|\d+(?:\s*,\s*\d+)*)\s+{_LOOKS}")),
    ("click", re.compile(rf"click\s+\S+\s+(?:{_ADDRESS}|{_CALL})")),
    ("direction", re.compile(r"direction\s+(?:TB|TD|BT|RL|LR)")),
    ("subgraph", re.compile(r"subgraph(?:\s+\S.*)?")),
    ("end", re.compile(r"end")),
)


def check_flowchart(text: str) -> list[Problem]:
    problems: list[Problem] = []
    open_subgraphs: list[Line] = []
    for line in _statements(text):
        keyword = line.text.split(maxsplit=1)[0]
        try:
            pattern = next((each for name, each in KEYWORDS if name == keyword), None)
            if pattern is None:
                Chain(line).check()
            elif not pattern.fullmatch(line.text):
                problems.append(line.problem(f"{keyword!r} is not complete: {shown(line.text)}"))
            elif keyword == "subgraph":
                open_subgraphs.append(line)
            elif keyword == "end" and not open_subgraphs:
                problems.append(line.problem("'end' without a subgraph"))
            elif keyword == "end":
                open_subgraphs.pop()
        except Wrong as wrong:
            problems.append(wrong.problem)
    problems += [line.problem("this subgraph has no 'end'") for line in open_subgraphs]
    return problems


def _statements(text: str) -> Iterator[Line]:
    """Lines, and what `;` separates in them."""
    header = HEADER.search(text)
    start = header.end() if header else 0
    body = re.sub(r"[^\n]", " ", text[:start]) + text[start:]
    for line in lines_of(body, quotes_run_on=True):
        yield from split_statements(line, opening="[({", closing="])}")


class Chain:
    """Nodes and the links between them: `A[Text] & B -->|yes| C`."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._text = line.text
        self._at = 0

    def check(self) -> None:
        self._nodes()
        while self._skip_blanks():
            self._link()
            self._skip_blanks()
            self._nodes()

    def _nodes(self) -> None:
        self._node()
        while True:
            here = self._at
            self._skip_blanks()
            if not self._take("&"):
                self._at = here
                return
            self._skip_blanks()
            self._node()

    def _node(self) -> None:
        found = ID.match(self._text, self._at)
        if not found:
            raise self._wrong("a node is expected here")
        if found[0] == "end":
            raise self._wrong("'end' closes a subgraph and cannot name a node; write 'End'")
        self._at = found.end()
        if self._take("@{"):
            self._until(("}",), "@{")
        else:
            self._shape()
        self._match(STYLE_CLASS)

    def _shape(self) -> None:
        for opening, closings in SHAPES:
            if self._take(opening):
                self._until(closings, opening)
                return

    def _until(self, closings: tuple[str, ...], opening: str) -> None:
        """The text of a node: in quotes anything, without them no brackets."""
        start = self._at - len(opening)
        while self._at < len(self._text):
            if any(self._take(each) for each in closings):
                return
            letter = self._text[self._at]
            if letter == '"':
                self._quoted()
            elif letter in "[](){}|" and opening != "@{":
                raise self._wrong(f"{letter!r} in a text has to stand in quotes")
            else:
                self._at += 1
        expected = " or ".join(map(repr, closings))
        raise Wrong(self._line.problem(f"{opening!r} is not closed by {expected}", start))

    def _quoted(self) -> None:
        end = self._text.find('"', self._at + 1)
        if end < 0:
            raise self._wrong("this quotation mark is not closed")
        self._at = end + 1

    def _link(self) -> None:
        self._match(EDGE_ID)
        if self._match(LINK):
            self._skip_blanks()
            if self._take("|"):
                self._until(("|",), "|")
            return
        for opening, closing in OPEN_LINK.values():
            if self._match(opening):
                start = self._at
                found = closing.search(self._text, self._at)
                if not found or not self._text[start : found.start()].strip():
                    raise self._wrong("this link has no other half")
                self._at = found.end()
                return
        raise self._wrong(
            f"a link such as --> is expected here, not {shown(self._text[self._at :])}"
        )

    def _match(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found is not None

    def _take(self, token: str) -> bool:
        if not self._text.startswith(token, self._at):
            return False
        self._at += len(token)
        return True

    def _skip_blanks(self) -> bool:
        """Whether something comes after them."""
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        return self._at < len(self._text)

    def _wrong(self, message: str) -> Wrong:
        return Wrong(self._line.problem(message, min(self._at, len(self._text) - 1)))
