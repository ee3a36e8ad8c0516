"""How the tour speaks: a heading for every room, a line for every step, what came of it below."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text


@dataclass(frozen=True)
class Made:
    """Something that the tour leaves to look at, and where the web app shows it."""

    what: str
    path: str


@dataclass
class Guide:
    console: Console
    #: The step under way, so that a failure can be named.
    at: str = ""
    made: list[Made] = field(default_factory=list)

    def enters(self, number: int, of: int, title: str, why: str) -> None:
        self.at = title
        heading = f"[bold]{number}/{of} {title}[/bold]"
        self.console.print()
        self.console.print(Rule(heading, align="left", style="dim"))
        self.console.print(Text(why, style="dim"))

    @contextmanager
    def step(self, sentence: str, via: str) -> Iterator[None]:
        """What is done, and through which door; it is printed when it is done."""
        self.at = sentence
        with self.console.status(sentence):
            yield
        line = Text.assemble(("✓ ", "green"), sentence, (f"  {via}", "dim"))
        self.console.print(line)

    def shows(self, text: str, *, style: str = "") -> None:
        self.console.print(Padding.indent(Text(text, style=style), 4))

    def lists(self, rows: list[tuple[str, str]]) -> None:
        table = Table.grid(padding=(0, 2))
        for name, text in rows:
            table.add_row(Text(name, style="bold"), Text(text))
        self.console.print(Padding.indent(table, 4))

    def leaves(self, what: str, path: str) -> None:
        self.made.append(Made(what, path))

    def fails(self, title: str, error: Exception, log: Path) -> None:
        why = str(error) or type(error).__name__
        self.console.print(Text.assemble(("✗ ", "red"), (f"{title} failed", "bold red")))
        self.lists([("step", self.at), ("why", why), ("log", str(log))])

    def sums_up(self, url: str) -> None:
        self.console.print()
        self.console.print(Rule("[bold]What was made[/bold]", align="left", style="dim"))
        for made in self.made:
            # Whole, however narrow the terminal: it is to be opened.
            link = Text(f"    {url}{made.path}", style=f"link {url}{made.path}")
            self.console.print(Text(made.what), link, sep="\n", soft_wrap=True)
