"""Everything that is wrong with an agent's files, each with its file, line and column."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.core.documents import DocumentError, KeyPath, parse_document
from bottega.core.documents.document import Document, check
from bottega.core.documents.json_document import read_json
from bottega.core.documents.problems import Positions, Problem, place
from bottega.research.agents.definition import AgentConfig, AgentMeta
from bottega.research.agents.fitting import listed, misfits

#: More than anybody writes by hand.
MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, order=True)
class AgentProblem:
    """Lines and columns count from 1, as editors show them."""

    #: Relative to the agent's folder: `config.json`.
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """What was read, as far as it could be, and what is wrong with it."""

    problems: list[AgentProblem]
    document: Document[AgentMeta] | None = None
    config: AgentConfig | None = None
    prompts: dict[str, str] | None = None


def validate_agent(folder: Path, sources: Collection[str] | None = None) -> list[AgentProblem]:
    """All problems at once; none for an agent that can be used. Reads files.

    With `sources`, those that the agent requires have to be among them.
    """
    return read_agent(folder, sources).problems


def read_agent(folder: Path, sources: Collection[str] | None = None) -> AgentFiles:
    problems: list[AgentProblem] = []
    document = _collect(problems, "AGENT.md", lambda: _read_document(folder / "AGENT.md"))
    if document is not None:
        for where, message in _unknown_sources(document.meta, sources):
            at = place(document.positions, where)
            problems.append(AgentProblem("AGENT.md", *at, message))
    checked = _collect(problems, "config.json", lambda: _read_config(folder / "config.json"))
    prompts: dict[str, str] = {}
    config = None
    if checked is not None:
        config, positions = checked
        for where, message in [*misfits(config), *_read_prompts(folder, config, prompts)]:
            at = place(positions, where)
            problems.append(AgentProblem("config.json", *at, message))
    return AgentFiles(sorted(problems), document, config, prompts)


def _unknown_sources(
    meta: AgentMeta, sources: Collection[str] | None
) -> Iterator[tuple[KeyPath, str]]:
    for index, slug in enumerate(meta.sources):
        if sources is not None and slug not in sources:
            there_are = f"there are {listed(sorted(sources))}" if sources else "there is none"
            yield ("sources", index), f"there is no source {slug!r}; {there_are}"


def _read_prompts(
    folder: Path, config: AgentConfig, prompts: dict[str, str]
) -> Iterator[tuple[KeyPath, str]]:
    for index, stage in enumerate(config.stages):
        if stage.prompt is None:
            continue
        if Path(stage.prompt).name != stage.prompt or "\\" in stage.prompt:
            message = f"{stage.prompt!r} must be the name of a file in prompts/, without a path"
        else:
            try:
                prompts[stage.prompt] = read_text(folder / "prompts" / stage.prompt)
                continue
            except DocumentError as error:
                message = f"prompts/{stage.prompt}: {error.problems[0].message}"
        yield ("stages", index, "prompt"), message


def _read_document(path: Path) -> Document[AgentMeta]:
    return parse_document(read_text(path), path.name, AgentMeta)


def _read_config(path: Path) -> tuple[AgentConfig, Positions]:
    data, positions = read_json(read_text(path), path.name)
    return check(data, positions, path.name, AgentConfig), positions


def read_text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DocumentError(path.name, Problem(1, 1, f"larger than {MOST_BYTES} bytes"))
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise DocumentError(path.name, Problem(1, 1, "the file is missing")) from None
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text, from byte {error.start} on"
        raise DocumentError(path.name, Problem(1, 1, message)) from None
    except OSError as error:
        raise DocumentError(path.name, Problem(1, 1, f"cannot be read: {error}")) from None


def _collect(problems: list[AgentProblem], file: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except DocumentError as error:
        problems += [AgentProblem(file, p.line, p.column, p.message) for p in error.problems]
        return None
