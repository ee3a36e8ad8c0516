"""What the tour prints: a heading for each room, a line for each step and its result below."""

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
class DemoResult:
    """Something the tour created, and the page of the web app that shows it."""

    what: str
    path: str


@dataclass
class Guide:
    console: Console
    #: The step under way, so that a failure can be named.
    at: str = ""
    results: list[DemoResult] = field(default_factory=list)

    def enter(self, number: int, of: int, title: str, why: str) -> None:
        self.at = title
        heading = f"[bold]{number}/{of} {title}[/bold]"
        self.console.print()
        self.console.print(Rule(heading, align="left", style="dim"))
        self.console.print(Text(why, style="dim"))

    @contextmanager
    def step(self, sentence: str, via: str) -> Iterator[None]:
        """A step and the door it uses, printed when it is done."""
        self.at = sentence
        with self.console.status(sentence):
            yield
        line = Text.assemble(("✓ ", "green"), sentence, (f"  {via}", "dim"))
        self.console.print(line)

    def show(self, text: str, *, style: str = "") -> None:
        self.console.print(Padding.indent(Text(text, style=style), 4))

    def show_rows(self, rows: list[tuple[str, str]]) -> None:
        table = Table.grid(padding=(0, 2))
        for name, text in rows:
            table.add_row(Text(name, style="bold"), Text(text))
        self.console.print(Padding.indent(table, 4))

    def add_result(self, what: str, path: str) -> None:
        self.results.append(DemoResult(what, path))

    def show_failure(self, title: str, error: Exception, log: Path) -> None:
        why = str(error) or type(error).__name__
        self.console.print(Text.assemble(("✗ ", "red"), (f"{title} failed", "bold red")))
        self.show_rows([("step", self.at), ("why", why), ("log", str(log))])

    def show_results(self, url: str) -> None:
        self.console.print()
        self.console.print(Rule("[bold]What was made[/bold]", align="left", style="dim"))
        for result in self.results:
            # Whole, however narrow the terminal: it is to be opened.
            link = Text(f"    {url}{result.path}", style=f"link {url}{result.path}")
            self.console.print(Text(result.what), link, sep="\n", soft_wrap=True)
