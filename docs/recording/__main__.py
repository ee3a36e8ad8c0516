"""Makes the pictures of these pages, from the real thing: `make pictures`.

`bottega demo` is run in a terminal of ours. What it prints becomes `demo.svg`, a recording that
plays by itself; while its web app stays open, every room is photographed. Then a library is asked
on the command line, for `ask.svg`. Nothing is drawn by hand, and nothing but the examples is seen.

Made again, the pictures stay as they are: ids, ports and temporary folders are written as `…` or as
a reader would see them, the pace of a recording is that of reading and not of this machine, and a
photograph that differs from the one before in little more than the time of day is not written.

Needs Chromium, as the tests of the web app do.
"""

import sys
import tempfile
from pathlib import Path

from docs.recording.photographs import photograph
from docs.recording.sheet import Sheet
from docs.recording.svg import draw
from docs.recording.terminal import Terminal, bottega

IMAGES = Path(__file__).parents[1] / "images"
OPEN = "The web app stays open at"
QUESTION = "How long may a shift of the watch last?"
#: Asked one after the other, each when the one before has answered.
ASKING = (
    ["library", "add", "harbour", "examples/standards"],
    ["library", "search", "harbour", "who may refuse a berth", "--limit", "2"],
    ["research", QUESTION, "--library", "harbour", "--depth", "quick", "--yes"],
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        record_demo(Path(folder))
        record_asking(Path(folder))


def record_demo(folder: Path) -> None:
    sheet = Sheet()
    with Terminal(bottega("demo"), folder) as terminal:
        told = terminal.read_until(OPEN)
        photograph(told, IMAGES)
        terminal.interrupt()
        terminal.read_to_end()
    sheet.types("bottega demo")
    sheet.prints(terminal.output)
    write("demo.svg", draw(sheet, rows=28, about="bottega demo: a tour through all rooms"))


def record_asking(folder: Path) -> None:
    sheet = Sheet()
    (folder / "examples").symlink_to(IMAGES.parents[1] / "examples")
    for words in ASKING:
        with Terminal(bottega(*words), folder) as terminal:
            terminal.read_to_end()
        sheet.types("bottega " + " ".join(f'"{word}"' if " " in word else word for word in words))
        sheet.prints(terminal.output)
    write("ask.svg", draw(sheet, rows=26, about="A library is made, searched and asked"))


def write(name: str, text: str) -> None:
    (IMAGES / name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"docs/images/{name}, {len(text) // 1024} KB\n")


if __name__ == "__main__":
    main()
