"""What a template is filled with: statements from what the agent knows, each with its place."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bottega.assistant.drafts.phrases import has_any, like, topic_of
from bottega.assistant.drafts.playbook import ListOf, Playbook, SourceKind
from bottega.assistant.drafts.situation import Situation
from bottega.assistant.drafts.template import TemplateData, names_in
from bottega.assistant.drafts.timing import divide, find_whole
from bottega.assistant.workspace.texts import statements, words_of
from bottega.assistant.workspace.view import lines_of
from bottega.core.readers.embedder import Embedder

#: How much shared words count beside likeness of meaning, and what is preferred beside both.
WORDS_WEIGHT = 0.5
PREFERENCE = 0.3
SHORTEST_QUOTE, LONGEST_QUOTE = 12, 160
#: Characters of a statement that says something.
SHORTEST = 20

_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
#: What cannot stand in a pointer's quotation, or is only markup.
_MARKUP = re.compile(r"[*_`\"“”\[\]|<>{}]+")
_EDGES = re.compile(r"^\s*\([^)]*\)\W*|^[\W_]+|[\s:;,–—-]+$")
#: Past sessions that are named.
MOST_PAST = 3


@dataclass(frozen=True, slots=True)
class FoundStatement:
    text: str
    path: str
    #: What looked like the list's example.
    code: str = ""
    evidence: str = ""

    def values(self) -> Mapping[str, str]:
        return {
            "text": self.text,
            "code": self.code,
            "evidence": self.evidence,
            "source": self.path,
        }


async def find(
    wanted: ListOf, situation: Situation, query: str, embedder: Embedder
) -> Sequence[FoundStatement]:
    """The nearest to the query first."""
    found = [
        each
        for path, text in situation.of(wanted.source).items()
        for each in _matching(path, text, wanted)
    ]
    if not found:
        return []
    nearness = await rank(query, [each.text for each in found], embedder)
    wish = _preferred(wanted, situation.text_of(SourceKind.CLASS))
    scores = [
        near + (PREFERENCE if wish and wish in f"{each.code} {each.text}" else 0.0)
        for near, each in zip(nearness, found, strict=True)
    ]
    order = sorted(range(len(found)), key=lambda number: (-scores[number], number))
    return [found[number] for number in order[: wanted.most]]


async def rank(query: str, texts: Sequence[str], embedder: Embedder) -> list[float]:
    """How near each text is: by meaning, and by the words that it shares with the query."""
    vectors = await embedder.embed([query, *texts])
    meaning = vectors[1:] @ vectors[0]
    asked = words_of(query)
    shared = [len(asked & words_of(text)) / max(1, len(asked)) for text in texts]
    # Rounded: the last digits of a dot product differ between machines, the order may not.
    return [
        round(float(near) + WORDS_WEIGHT * words, 4)
        for near, words in zip(meaning, shared, strict=True)
    ]


def pointer(path: str, text: str, line: int) -> str:
    """`[evidence: path:L12-L12 "quoted text"]`, its words as they stand in the line; or nothing."""
    lines = lines_of(text)
    if not 1 <= line <= len(lines):
        return ""
    pieces = [_EDGES.sub("", piece) for piece in _MARKUP.split(lines[line - 1])]
    quote = max((_shortened(piece) for piece in pieces), key=len)
    if len(quote) < SHORTEST_QUOTE:
        return ""
    return f'[evidence: {path}:L{line}-L{line} "{quote}"]'


def _matching(path: str, text: str, wanted: ListOf) -> Iterator[FoundStatement]:
    headings = _headings_above(text)
    shape = like(wanted.like) if wanted.like else None
    is_topic = wanted.source is SourceKind.TOPICS
    for each in statements(text):
        under = headings[each.line]
        code = shape.search(each.text) if shape else None
        if len(each.text) < SHORTEST or (shape and not code):
            continue
        if has_any(f"{under} {each.text}", wanted.avoid):
            continue
        if wanted.words and not has_any(each.text, wanted.words):
            continue
        if wanted.under and not has_any(under, wanted.under):
            continue
        evidence = pointer(path, text, each.line) if is_topic else ""
        if not is_topic or evidence:
            said = _without_code(each.text, code[0]) if code else each.text
            yield FoundStatement(said, path, code[0] if code else "", evidence)


def _headings_above(text: str) -> dict[int, str]:
    """For every line, from 1."""
    above: dict[int, str] = {}
    outline: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if found := _HEADING.match(line):
            level = len(line) - len(line.lstrip("#"))
            outline = [*((each, name) for each, name in outline if each < level), (level, found[1])]
        above[number] = " ".join(name for _, name in outline)
    return above


def _without_code(text: str, code: str) -> str:
    """What follows it, such as "(to be checked): …", and what stood before it."""
    rest = " ".join(text.replace(code, "", 1).split())
    return rest.lstrip(" :;,.–—-") or text


def _preferred(wanted: ListOf, profile: str) -> str | None:
    """What the profile names first."""
    places = {
        wish: profile.casefold().find(said.casefold()) for said, wish in wanted.prefer.items()
    }
    named = [wish for wish, at in places.items() if at >= 0]
    return min(named, key=lambda wish: places[wish], default=None)


def _shortened(piece: str) -> str:
    if len(piece) <= LONGEST_QUOTE:
        return piece
    return piece[:LONGEST_QUOTE].rsplit(" ", 1)[0]


async def gather(
    situation: Situation, playbook: Playbook | None, embedder: Embedder
) -> TemplateData:
    topic = topic_of(situation.request, situation.class_id)
    values = {
        "topic": topic,
        "Topic": topic[:1].upper() + topic[1:],
        "class": situation.class_id or "your class",
        "request": " ".join(situation.request.split()),
        "said": " ".join(situation.said.split()),
        "skills": ", ".join(situation.of(SourceKind.SKILLS)) or "none",
        "files": ", ".join((*situation.files, *situation.memory)) or "none",
        "past": _past(situation),
    }
    flags = {name for name in ("said", "past") if values[name]}
    flags |= {"class"} if situation.class_id else set()
    if playbook is None:
        return TemplateData(values, flags)
    meta = playbook.meta
    about = "\n".join(_known_texts(situation))
    lines = [line for line in about.split("\n") if line.strip()]
    for name, phrases in meta.flags.items():
        if any(has_any(line, phrases) for line in lines):
            flags.add(name)
    query = f"{topic}. {situation.request} {situation.said}"
    lists = {
        name: [each.values() for each in await find(wanted, situation, query, embedder)]
        for name, wanted in meta.lists.items()
    }
    return TemplateData({**values, **_timings(situation, playbook)}, flags, lists)


def _timings(situation: Situation, playbook: Playbook) -> dict[str, str]:
    timing = playbook.meta.timing
    if timing is None:
        return {}
    topics = list(situation.of(SourceKind.TOPICS))
    subjects = {word: path for path in (*topics, *situation.other_files) for word in _names(path)}
    subject = next((word for path in topics[:1] for word in _names(path)), "")
    whole = find_whole(
        timing,
        [situation.said, situation.request],
        [
            situation.text_of(origin)
            for origin in (SourceKind.CLASS, SourceKind.MEMORY, SourceKind.PERSON)
        ],
        subjects,
        subject,
    )
    minutes = divide(timing, whole, _known_texts(situation))
    # The template may add some up: {minutes:explain+practise}.
    wanted = {name for name in names_in(playbook.body) if name.startswith("minutes:")}
    sums = {
        name: sum(minutes.get(part, 0) for part in name.removeprefix("minutes:").split("+"))
        for name in wanted
    }
    return {"length": str(whole)} | {name: str(total) for name, total in sums.items()}


def _known_texts(situation: Situation) -> list[str]:
    """What was just said goes before what was learned, and that before what files say."""
    return [
        situation.said,
        situation.request,
        *("\n".join(each.text for each in statements(text)) for text in situation.memory.values()),
        situation.text_of(SourceKind.CLASS),
    ]


def _names(path: str) -> Sequence[str]:
    """`history` for `curriculum/cfe-history.md`."""
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    return sorted(words_of(stem.replace("-", " ")), key=len)[-1:]


def _past(situation: Situation) -> str:
    """Titles and days of the sessions that a search found."""
    found: list[str] = []
    for _, text in situation.read("search_sessions"):
        sessions = json.loads(text) if text.startswith("[") else []
        found += [f"{each['title']} ({each['updated_at'][:10]})" for each in sessions]
    return "; ".join(found[:MOST_PAST])
