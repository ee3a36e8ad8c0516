"""What of the project a text speaks of: the files that a plan names, and those that an issue is
probably about, by the words that they share.

Identifiers are cut into words (`priceOf`, `price_of`), words are compared by their stems, and one
that few files have says more than one that all have.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

import structlog

from bottega.coach.file_roles import is_test, language_name
from bottega.core.files.languages import is_binary
from bottega.core.files.project import ProjectFiles
from bottega.core.files.tree import TreeNode, file_paths
from bottega.core.text.words import STOP_WORDS, stem
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


MOST_PLACES = 5
MOST_TESTS = 3
#: Below this share of the best one's score a file is no clue any more.
WORTH_NAMING = 0.3
#: What a word weighs: anywhere in the issue, in its title, set as code.
IN_TEXT, IN_TITLE, AS_CODE = 1.0, 2.0, 3.0
#: A file's or function's name says more than what is in it.
IN_NAME = 2.0

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
CODE = re.compile(r"`([^`\n]+)`")
SHORTEST_WORD = 3

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LikelyFile:
    """A file that the issue seems to speak of, and where in it to begin."""

    path: str
    #: The issue's words that are in it, the most telling first.
    words: tuple[str, ...] = ()
    definition: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Clues:
    #: The likeliest first.
    places: tuple[LikelyFile, ...] = ()
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    path: str
    text: str
    in_path: frozenset[str]
    in_text: frozenset[str]


def find_clues(title: str, summary: str, sources: Mapping[str, str]) -> Clues:
    """`sources` are texts by path. Takes a while: off the loop."""
    read = [_Source(path, text, stems(path), stems(text)) for path, text in sources.items()]
    telling = _telling(read)
    weights = _weigh(title, summary)
    asked = {word: weight * telling.get(word, 0.0) for word, weight in weights.items()}
    code = [source for source in read if source.text.strip() and not is_test(source.path)]
    named = named_files(f"{title}\n{summary}", sources)
    spoken = _spoken(title, summary)
    ranked = _ranked(code, asked, named)[:MOST_PLACES]
    places = tuple(_place(source, asked, spoken) for source in ranked)
    tests = [source for source in read if is_test(source.path)]
    return Clues(places, _tests_for(tests, places, asked))


def words(text: str) -> list[str]:
    found = (match.lower() for match in WORD.findall(text))
    return [word for word in found if len(word) >= SHORTEST_WORD and word not in STOP_WORDS]


def stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, set(words(text))))


def _spoken(title: str, summary: str) -> dict[str, str]:
    """Each stem as the issue writes it."""
    return {stem(word): word for word in reversed(words(f"{title}\n{summary}"))}


def _weigh(title: str, summary: str) -> dict[str, float]:
    weights = dict.fromkeys(stems(summary), IN_TEXT) | dict.fromkeys(stems(title), IN_TITLE)
    quoted = " ".join(CODE.findall(f"{title}\n{summary}"))
    return weights | dict.fromkeys(stems(quoted), AS_CODE)


def _telling(read: Sequence[_Source]) -> dict[str, float]:
    met = Counter(word for source in read for word in source.in_path | source.in_text)
    return {word: math.log(1 + len(read) / count) for word, count in met.items()}


def _score(asked: Weights, in_name: frozenset[str], in_text: frozenset[str]) -> float:
    return sum(
        weight * (IN_NAME * (word in in_name) + (word in in_text)) for word, weight in asked.items()
    )


def _ranked(read: Sequence[_Source], asked: Weights, named: Sequence[str]) -> list[_Source]:
    """A file that the issue names outright comes first."""
    scores = {source.path: _score(asked, source.in_path, source.in_text) for source in read}
    least = WORTH_NAMING * max(scores.values(), default=0.0)
    worth = [
        source
        for source in read
        if source.path in named or (scores[source.path] and scores[source.path] >= least)
    ]
    return sorted(
        worth, key=lambda source: (source.path not in named, -scores[source.path], source.path)
    )


def _place(source: _Source, asked: Weights, spoken: Mapping[str, str]) -> LikelyFile:
    shared = [word for word in asked if asked[word] and word in source.in_path | source.in_text]
    shared.sort(key=lambda word: (-asked[word], word))
    told = tuple(spoken[word] for word in shared if word in spoken)
    begin = _where_to_begin(source, asked)
    if begin is None:
        return LikelyFile(source.path, told)
    return LikelyFile(source.path, told, begin.name, begin.start)


def _where_to_begin(source: _Source, asked: Weights) -> CodeDefinition | None:
    """The function whose name and body fit best; a long one fits by chance."""
    lines = source.text.split("\n")
    best, highest = None, 0.0
    for found in definitions_in(source.path, source.text):
        body = "\n".join(lines[found.start - 1 : found.end])
        length = 1 + math.log(1 + found.end - found.start)
        score = _score(asked, stems(found.name), stems(body)) / length
        if score > highest:
            best, highest = found, score
    return best


def _tests_for(
    tests: Sequence[_Source], places: Sequence[LikelyFile], asked: Weights
) -> tuple[str, ...]:
    """Those named for the likeliest files first, then those that share words with the issue."""
    names = [PurePosixPath(place.path).stem.lower() for place in places]
    ranks: dict[str, tuple[int, float]] = {}
    for source in tests:
        own = PurePosixPath(source.path).name.lower()
        named_for = next((rank for rank, name in enumerate(names) if name in own), len(names))
        score = _score(asked, source.in_path, source.in_text)
        if score or named_for < len(names):
            ranks[source.path] = named_for, -score
    return tuple(sorted(ranks, key=lambda path: (ranks[path], path))[:MOST_TESTS])
