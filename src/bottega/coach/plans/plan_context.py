"""What of the project a plan speaks of: the files that it names, and where their names are."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

import structlog

from bottega.coach.file_roles import language_name
from bottega.core.files.languages import is_binary
from bottega.core.files.project import ProjectFiles
from bottega.core.files.tree import TreeNode, file_paths
from bottega.errors import BottegaError

#: What a prompt is shown of a big project.
MOST_PATHS = 1_000
MOST_FILES = 20
MOST_DEFINITIONS = 400
LONGEST_FILE = 200_000
LONGEST_LINE = 400
#: A shorter word is a word before it is a module.
SHORTEST_MODULE = 4
#: A name that more files have (`__init__.py`) points at none of them.
MOST_NAMESAKES = 2
MOST_DOTS = 8
#: Before a file's bare name; no path has it.
MODULE = "module "

TOKEN = re.compile(r"[\w./\\-]*\w")
DEFINITION = re.compile(
    r"^(?P<indent>[ \t]*)"
    r"(?:(?:export|default|pub(?:\([^)\n]*\))?|public|private|static|async)[ \t]+)*"
    r"(?:def|class|function\*?|func|fn|interface|type|enum|struct|trait|const|let|var)[ \t]+"
    r"(?P<name>[A-Za-z_$][\w$]*)",
    re.MULTILINE,
)
#: A plain constant or variable is a line, not a place to work at.
VALUE = re.compile(r"\b(?:const|let|var)\s+[\w$]+[^=]*=\s*(?!.*(?:=>|\bfunction\b|\bclass\b))")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class CodeDefinition:
    name: str
    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PlanContext:
    #: The project's files, those that the plan names first.
    tree: Sequence[str] = ()
    definitions: Sequence[CodeDefinition] = ()


async def read_plan_context(files: ProjectFiles, plan: str) -> PlanContext:
    """The project as the plan sees it. What cannot be read is left out."""
    try:
        root = await files.tree()
    except BottegaError as error:
        log.warning("coach.no_tree", why=error.message)
        return PlanContext()
    paths, named = await asyncio.to_thread(_paths_and_named, root, plan)
    definitions: list[CodeDefinition] = []
    for path in named[:MOST_FILES]:
        text = await _text(files, path)
        definitions += await asyncio.to_thread(definitions_in, path, text)
    kept = dict.fromkeys([*named, *paths[:MOST_PATHS]])
    return PlanContext(list(kept)[:MOST_PATHS], definitions[:MOST_DEFINITIONS])


def named_files(text: str, tree: Iterable[str]) -> list[str]:
    """The files that a text names by path, name or module, in the order of their mention."""
    tokens = [
        token.replace("\\", "/").removeprefix("./") for token in dict.fromkeys(TOKEN.findall(text))
    ]
    meant: dict[str, list[str]] = {key: [] for token in tokens for key in _keys(token)}
    for path in tree:
        for key in _names_of(path):
            if key in meant:
                meant[key].append(path)
    found: dict[str, None] = {}
    for token in tokens:
        paths = next((meant[key] for key in _keys(token) if meant[key]), [])
        if len(paths) <= MOST_NAMESAKES:
            found |= dict.fromkeys(paths)
    return list(found)


def _keys(token: str) -> Iterator[str]:
    """What a word may mean, the surest first."""
    yield token
    if "." in token and "/" not in token:
        # `bakery.orders` and `bakery.orders.total` are Python's way to say it.
        parts = token.split(".")
        for end in range(min(len(parts), MOST_DOTS), 1, -1):
            yield "/".join(parts[:end]) + ".py"
    if len(token) >= SHORTEST_MODULE:
        yield f"{MODULE}{token}"


def _names_of(path: str) -> Iterator[str]:
    yield path
    place = path.find("/")
    while place >= 0:
        yield path[place + 1 :]
        place = path.find("/", place + 1)
    yield f"{MODULE}{PurePosixPath(path).stem}"


def definitions_in(path: str, text: str) -> list[CodeDefinition]:
    """Functions, classes and the like with their lines, found by a regular expression."""
    if language_name(path) is None:
        return []
    lines = text.split("\n")
    found = []
    for match in islice(DEFINITION.finditer(text), MOST_DEFINITIONS):
        start = text.count("\n", 0, match.start("name"))
        if not VALUE.search(lines[start][:LONGEST_LINE]):
            end = _last_line(lines, start, len(match["indent"].expandtabs(4)))
            found.append(CodeDefinition(match["name"], path, start + 1, end + 1))
    return found


def _last_line(lines: list[str], start: int, indent: int) -> int:
    """Where a block ends: before the next line that is indented no more, but with its bracket."""
    last = start
    for number in range(start + 1, len(lines)):
        line = lines[number].expandtabs(4)
        if not line.strip():
            continue
        if len(line) - len(line.lstrip()) <= indent:
            closes = line.lstrip()[0] in "})]"
            if not (closes and line.rstrip().endswith((":", "{"))):
                return number if closes else last
            # Only a signature over several lines ended here.
        last = number
    return last


def _paths_and_named(root: TreeNode, plan: str) -> tuple[list[str], list[str]]:
    paths = [path for path in file_paths(root) if not is_binary(path)]
    return paths, named_files(plan, paths)


async def _text(files: ProjectFiles, path: str) -> str:
    """What the person sees: the buffer before the disk."""
    if buffer := files.get_buffer(path):
        text = buffer.content
    else:
        try:
            text = (await files.read(path)).content
        except BottegaError as error:
            log.warning("coach.file_not_read", path=path, why=error.message)
            return ""
    return text if len(text) <= LONGEST_FILE else ""
