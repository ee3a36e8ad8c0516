"""Finding transcripts on disk, and telling them from other files."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bottega.core.transcripts import claude_code, codex
from bottega.core.transcripts.transcript import Transcript

ENDING = ".jsonl"
LARGEST_BYTES = 1_000_000_000


class NotATranscript(Exception):
    """With the reason why a file was skipped."""


def find_files(paths: Sequence[Path]) -> list[Path]:
    """The files given, and every transcript in the folders given; each once."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(path.rglob(f"*{ENDING}")) if path.is_dir() else [path]
        found.update(dict.fromkeys(inside))
    return list(found)


def read_transcripts(path: Path) -> tuple[list[Transcript], int]:
    """What is in a file, and how many of its lines could not be read; a cut last line is none."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise NotATranscript(f"it is larger than {LARGEST_BYTES // 1_000_000} MB")
        lines, unreadable = _parse(path)
    except OSError as error:
        raise NotATranscript(error.strerror or str(error)) from None
    if not lines:
        raise NotATranscript("it is empty" if not unreadable else "it is not JSON Lines")
    for agent in (codex, claude_code):
        if any(agent.recognises(line) for _, line in lines):
            found = [each for each in agent.read(lines) if each.said]
            if not found:
                raise NotATranscript("nothing was said in it")
            return found, unreadable
    raise NotATranscript("it is no transcript of Claude Code or of Codex")


def _parse(path: Path) -> tuple[list[tuple[int, dict[str, Any]]], int]:
    lines: list[tuple[int, dict[str, Any]]] = []
    unreadable = 0
    for number, text in _texts(path):
        try:
            # `NaN` is no JSON to PostgreSQL.
            line = json.loads(text, parse_constant=str)
        except (ValueError, RecursionError):
            # The agent may be writing this very line.
            unreadable += text.endswith(b"\n")
            continue
        if isinstance(line, dict):
            lines.append((number, line))
        else:
            unreadable += 1
    return lines, unreadable


def _texts(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as stream:
        for number, text in enumerate(stream, 1):
            if text.strip():
                yield number, text
