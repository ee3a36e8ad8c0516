"""Whether a command that is not run could be: its subcommand and options, its target."""

import re
import shlex
from functools import cache
from typing import Any

import typer
import typer.core

from bottega.cli.main import add_rooms, cli
from tests.docs.pages import ROOT

ASSIGNMENT = re.compile(r"[A-Z_]+=")
TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)


# Typer brings its own copy of click, whose classes it does not export: hence `Any`.
@cache
def root() -> Any:
    add_rooms()
    return typer.main.get_command(cli)


@cache
def targets() -> set[str]:
    return set(TARGET.findall((ROOT / "Makefile").read_text()))


def problem(text: str) -> str | None:
    """What is wrong with a line that calls `bottega` or `make`; nothing of any other."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        return None
    while words and ASSIGNMENT.match(words[0]):
        words.pop(0)
    if words[:1] == ["bottega"]:
        return _wrong_option(words[1:])
    if words[:1] == ["make"] and words[1:] and words[1] not in targets():
        return f"the Makefile has no {words[1]}"
    return None


def _wrong_option(words: list[str]) -> str | None:
    command, path = root(), "bottega"
    while isinstance(command, typer.core.TyperGroup) and words and not words[0].startswith("-"):
        # `a|b` are two commands; what is no command of `research` is a question.
        names = words[0].split("|")
        unknown = [name for name in names if name not in command.commands]
        if unknown and "ask" not in command.commands:
            return f"{path} has no {unknown[0]}"
        command = command.commands["ask" if unknown else names[0]]
        words, path = words[1:], f"{path} {names[0]}"
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    known |= {"--help", "-h"}
    given = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    unknown = [option for option in given if option not in known]
    return f"{path} has no {unknown[0]}" if unknown else None
