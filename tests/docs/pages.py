"""What the documentation shows in fences: commands to type, with what they print, and code."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHELLS = ("sh", "bash", "shell", "console")
FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,}) *(?P<language>\w*)[^\n`]*\n"
    r"(?P<text>.*?)^(?P=indent)(?P=ticks) *$",
    re.DOTALL | re.MULTILINE,
)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    text: str
    #: What the page shows below it, if anything.
    shown: str
    line: int


@dataclass(frozen=True)
class Page:
    root: Path
    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(self.root).as_posix()

    @property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @property
    def blocks(self) -> list[Block]:
        return [read_block(found, self.text) for found in FENCE.finditer(self.text)]

    @property
    def commands(self) -> list[Command]:
        shells = (block for block in self.blocks if block.language in SHELLS)
        return [command for block in shells for command in read_commands(block)]

    @property
    def spans(self) -> list[str]:
        """Code within sentences, each on one line."""
        prose = FENCE.sub("", self.text)
        return [" ".join(span.split()) for span in SPAN.findall(prose)]


def pages(root: Path = ROOT) -> list[Page]:
    paths = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    return [Page(root, path) for path in paths if path.exists()]


def read_block(found: re.Match[str], page: str) -> Block:
    indent = found["indent"]
    lines = [line.removeprefix(indent) for line in found["text"].splitlines(keepends=True)]
    return Block(found["language"], "".join(lines), page.count("\n", 0, found.start()) + 1)


def read_commands(block: Block) -> Iterator[Command]:
    lines = list(enumerate(block.text.splitlines(), block.line + 1))
    is_console = block.language == "console"
    while lines:
        number, line = lines.pop(0)
        if is_console and not line.startswith("$ "):
            raise ValueError(f"line {number} of a console block is below no command: {line}")
        text = line.removeprefix("$ ") if is_console else line
        while lines and is_open(text):
            text += "\n" + lines.pop(0)[1].removeprefix("> " if is_console else "")
        shown = []
        while is_console and lines and not lines[0][1].startswith("$ "):
            shown.append(lines.pop(0)[1])
        if text.strip() and not text.lstrip().startswith("#"):
            yield Command(text, "\n".join(shown), number)


def is_open(text: str) -> bool:
    """Whether the next line still belongs to this command."""
    heredoc = HEREDOC.search(text)
    if heredoc:
        return heredoc[1] not in text.splitlines()[1:]
    if text.endswith("\\"):
        return True
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return True
    return False
