"""Every command in the documentation works as it stands there, and prints what the page shows.

A page's commands are typed in order, as its reader would, into a shell of their own beside a
running server without a model. What cannot be run here is in `excused.py`, with its reason.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs import parsing
from tests.docs.excused import EXCUSES, excuse_of, is_proven
from tests.docs.pages import ROOT, SHELLS, Command, Page, pages
from tests.docs.preparing import VARYING, fill_in, prepare
from tests.docs.sandbox import Sandbox, install

#: Elsewhere for pages that are not in this checkout.
PAGES = pages(Path(os.environ.get("BOTTEGA_DOCS_ROOT", ROOT)))
#: What looks like a command, and must be in a fence that says so.
TYPED = re.compile(r"^(\$ |bottega |make [a-z]|claude |pipx |docker )", re.MULTILINE)
#: A change is approved only once.
DECIDES = "bottega board"
#: How a page shows that a command is meant to end with exit code 1.
REFUSED = re.compile(r"error:|\S+ does not say so")


def name(page: Page) -> str:
    return page.name


def in_order(page: Page) -> tuple[bool, str]:
    """The journal's page shows what is in a journal that has nothing else in it."""
    return "journal" not in page.name, page.name


def with_commands() -> list[Page]:
    return sorted([page for page in PAGES if page.commands], key=in_order)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Iterator[Sandbox]:
    sandbox = Sandbox(tmp_path_factory.mktemp("shared"), programs)
    yield sandbox
    sandbox.stop()


@pytest.fixture
def sandbox(
    page: Page, programs: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Sandbox]:
    """One for all pages, as to start a server takes a while; a page that decides has its own."""
    if not any(command.text.startswith(DECIDES) for command in page.commands):
        yield request.getfixturevalue("shared")
        return
    own = Sandbox(tmp_path, programs)
    yield own
    own.stop()


@pytest.mark.requirement("GH-52")
@pytest.mark.parametrize("page", with_commands(), ids=name)
def test_every_command_of_a_page_does_what_the_page_shows(page: Page, sandbox: Sandbox) -> None:
    """GH-52 among them: the journal's tables, bars and plot, as a person meets them."""
    runnable = [command for command in page.commands if excuse_of(command.text) is None]
    sandbox.begin()
    printed = ""
    for command in runnable:
        printed += prepare(sandbox, command.text)
        ran = sandbox.run(fill_in(command.text, printed))
        where = f"{page.name}:{command.line}: {command.text}"
        fails = bool(REFUSED.match(command.shown))
        assert bool(ran.code) is fails, f"{where}\nended with {ran.code}:\n{ran.output}"
        check_shown(command, ran.output, where)
        printed += ran.output


def check_shown(command: Command, output: str, where: str) -> None:
    shown = normal(command.shown)
    if not shown:
        return
    # A page may leave out lines, or the rest of one.
    pattern = re.escape(shown).replace("…", ".*?")
    assert re.fullmatch(pattern, normal(output), re.DOTALL), f"{where}\nprinted:\n{output}"


def normal(text: str) -> str:
    lines = VARYING.sub("~", text).strip("\n").splitlines()
    return "\n".join(line.rstrip() for line in lines)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_is_not_run_is_at_least_a_command_that_exists(page: Page) -> None:
    excused = [command.text for command in page.commands if excuse_of(command.text)]
    for text in [*excused, *page.spans]:
        problem = parsing.problem(text)
        assert problem is None, f"{page.name}: {text}: {problem}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_command_stands_in_a_fence_that_says_so(page: Page) -> None:
    """Or it would not be run."""
    hidden = [
        f"{page.name}:{block.line}"
        for block in page.blocks
        if block.language not in SHELLS and not block.language and TYPED.search(block.text)
    ]
    assert not hidden, f"begin these with ```sh or ```console: {hidden}"


@pytest.mark.parametrize("excuse", EXCUSES, ids=lambda excuse: str(excuse.begins))
def test_what_excuses_a_command_exists(excuse: object) -> None:
    assert is_proven(excuse)  # type: ignore[arg-type]
