"""Contrast pairs made of sentences of manuals: `python -m training.contrast FOLDER`.

A sentence of a passage is true of it; with one thing exchanged (a number, a word for its opposite,
who does what) it no longer is, though nearly all words are the same. As many true ones are made as
false ones, and both are touched up alike, so that wording tells nothing. Writes
FOLDER/contrast.jsonl and, for `training.near`, FOLDER/sentences.jsonl.
"""

import json
import random
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from training.pair import CONTRADICTED, CONTRAST, SUPPORTED, UNKNOWN, Pair, write_pairs
from training.passages import Passage, read_passages

WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: Of a passage, the sentences that contrasts are made of, and the false ones of each.
SENTENCES, FALSE = 2, 2
#: Changed so, a sentence is rather unsaid than denied.
UNSAID = ("modality", "entity")
WEIGHT = 0.5

_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_POINTS_BACK = re.compile(r"(?:This|It|They|These|Those|That|He|She) ")
_NUMBER = re.compile(r"(?<![\w.\-/])(\d{1,6})(?![\w\-/]|\.\d)")
_VERB = re.compile(r"\b(is|are|was|were|can|should|must|may|will)\b(?! not)")
_SUBJECT_AND_VERB = re.compile(r"^((?:The|This|A|An|Each) (?:[\w-]+ ){1,3})(\w+?)(s)\b ")
_NAME = re.compile(r"(?<!^)\b(?:[A-Z][a-z]*[A-Z]\w*|[A-Z]{2,}\w*|[a-z]+_[a-z_]+|--?[a-z][\w-]+)\b")
_DOER = re.compile(
    r"\b(the|a|an) ([\w-]+) (\w+s|is \w+ed by|can \w+|must \w+|may \w+|will \w+) (the|a|an) "
    r"([\w-]+)\b"
)
_LEAD = re.compile(rf"^(?:{'|'.join(WORDS['leads'])})[,]? ")
_CONDITION = re.compile(r"(?i)if|when|unless|although|while|for|to|in ")
_DENIALS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(
            r"\b(is|are|was|were|does|do|has|have been|can|should|must|may|will|would|could) not\b"
        ),
        lambda found: found[1],
    ),
    (re.compile(r"\bcannot\b"), lambda _: "can"),
    (re.compile(r"\b(isn't|aren't)\b"), lambda found: found[1][:-3]),
    (re.compile(r"\b(doesn't|don't)\b"), lambda found: found[1][:-3]),
)

Exchanges = Mapping[str, Sequence[str]]
Changed = str | None


def main() -> None:
    folder = Path(sys.argv[1])
    passages = read_passages(folder)
    chance = random.Random(21)
    made = list(Contrasts(chance).of(passages))
    chance.shuffle(made)
    once = {(pair.text, pair.label): pair for pair in reversed(made)}
    kept = list(reversed(once.values()))
    write_pairs(folder / "contrast.jsonl", kept)
    with (folder / "sentences.jsonl").open("w", encoding="utf-8") as file:
        for passage in passages:
            file.writelines(
                json.dumps([each, passage.id]) + "\n" for each in sentences(passage.text)
            )
    print(len(kept), Counter(pair.kind for pair in kept))


def sentences(text: str) -> list[str]:
    """Those that can be understood by themselves."""
    return [
        each
        for each in _END.split(text)
        if 7 <= len(each.split()) <= 40
        and each[-1] in ".!?"
        and each[0].isupper()
        and not _POINTS_BACK.match(each)
    ]


class Contrasts:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        opposites: dict[str, list[str]] = {}
        for one, other in (each.split("/") for each in WORDS["opposites"]):
            opposites |= {one: [other], other: [one]}
        self._tables: dict[str, tuple[Exchanges, re.Pattern[str]]] = {
            "antonym": (opposites, _any_of(opposites)),
            "modality": (WORDS["modality"], _any_of(WORDS["modality"])),
            "quantifier": (WORDS["quantifier"], _any_of(WORDS["quantifier"])),
        }

    def of(self, passages: Sequence[Passage]) -> Iterator[Pair]:
        before: tuple[str, list[str]] = ("", [])
        for passage in passages:
            said = sentences(passage.text)
            if not said:
                continue
            for sentence in self._chance.sample(said, min(SENTENCES, len(said))):
                false = list(self._false(sentence, passage))
                yield from false
                for _ in false:
                    yield _pair(self._true(sentence), passage, SUPPORTED, "true")
            document, neighbours = before
            if document == passage.document and self._chance.random() < 0.5:
                yield _pair(self._chance.choice(neighbours), passage, UNKNOWN, "neighbour")
            before = passage.document, said

    def _false(self, sentence: str, passage: Passage) -> Iterator[Pair]:
        makers: list[tuple[str, Callable[[str], Changed]]] = [
            ("number", self._number),
            ("negated", self._negated),
            ("modality", lambda each: self._exchange("modality", each)),
            ("antonym", lambda each: self._exchange("antonym", each)),
            ("quantifier", lambda each: self._exchange("quantifier", each)),
            ("entity", lambda each: self._entity(each, passage.text)),
            ("role", _role),
        ]
        self._chance.shuffle(makers)
        made = 0
        for kind, change in makers:
            changed = change(sentence)
            if not changed or changed == sentence or changed in passage.text:
                continue
            said = changed if self._chance.random() < 0.5 else self._touched_up(changed)
            label = UNKNOWN if kind in UNSAID else CONTRADICTED
            yield _pair(said, passage, label, kind)
            made += 1
            if made == FALSE:
                return

    def _true(self, sentence: str) -> str:
        touched_up = self._touched_up(sentence)
        clause = _first_clause(sentence) or self._touched_up(sentence)
        return self._chance.choice([sentence, touched_up, clause])

    def _number(self, sentence: str) -> Changed:
        if digits := list(_NUMBER.finditer(sentence)):
            found = self._chance.choice(digits)
            value = int(found[1])
            other = self._chance.choice(
                [value + 1, value * 2, value * 10, max(0, value - 1), value // 2, value + 5]
            )
            return _with(sentence, found, str(other if other != value else value + 3))
        words: Mapping[str, str] = WORDS["number"]
        if spelled := list(re.finditer(rf"\b({'|'.join(words)})\b", sentence)):
            found = self._chance.choice(spelled)
            return _with(sentence, found, words[found[1]])
        return None

    def _negated(self, sentence: str) -> Changed:
        for pattern, affirmed in _DENIALS:
            if found := pattern.search(sentence):
                return _with(sentence, found, affirmed(found))
        if verbs := list(_VERB.finditer(sentence)):
            found = self._chance.choice(verbs)
            return _with(sentence, found, f"{found[0]} not")
        found_verb = _SUBJECT_AND_VERB.search(sentence)
        if found_verb and not found_verb[2].endswith("s") and len(found_verb[2]) > 3:
            rest = sentence[found_verb.end() - 1 :]
            return f"{found_verb[1]}does not {found_verb[2]}{rest}"
        return None

    def _exchange(self, table: str, sentence: str) -> Changed:
        exchanges, pattern = self._tables[table]
        places = list(pattern.finditer(sentence))
        if not places:
            return None
        found = self._chance.choice(places)
        others = exchanges[found[1].lower()]
        other = self._chance.choice(others) if len(others) > 1 else others[0]
        return _with(sentence, found, _capital(other) if found[1][0].isupper() else other)

    def _entity(self, sentence: str, text: str) -> Changed:
        named = _NAME.findall(sentence)
        others = sorted({each for each in _NAME.findall(text) if each not in named})
        if not named or not others:
            return None
        return sentence.replace(self._chance.choice(named), self._chance.choice(others), 1)

    def _touched_up(self, sentence: str) -> str:
        """In slightly other words."""
        if lead := _LEAD.match(sentence):
            sentence = _capital(sentence[lead.end() :])
        for words, others in WORDS["same"].items():
            if words in sentence and self._chance.random() < 0.7:
                sentence = sentence.replace(words, others, 1)
        starts = ("If ", "When ", "While ", "Because ")
        if ", " in sentence and sentence.startswith(starts) and sentence.count(",") == 1:
            condition, rest = sentence.rstrip(".").split(", ", 1)
            return f"{_capital(rest)} {condition[0].lower()}{condition[1:]}."
        return sentence


def _pair(text: str, passage: Passage, label: str, kind: str) -> Pair:
    return Pair(text, passage.text, label, CONTRAST, kind, passage.document, WEIGHT)


def _role(sentence: str) -> Changed:
    """Who does it and to whom it is done exchanged."""
    found = _DOER.search(sentence)
    if not found or found[2] == found[5]:
        return None
    return _with(sentence, found, f"{found[1]} {found[5]} {found[3]} {found[4]} {found[2]}")


def _first_clause(sentence: str) -> Changed:
    first, *others = re.split(r", (?:and|but|which|so) |; ", sentence.rstrip("."))
    if others and len(first.split()) >= 6 and not _CONDITION.match(first):
        return f"{first}."
    return None


def _any_of(exchanges: Exchanges) -> re.Pattern[str]:
    longest_first = sorted(exchanges, key=len, reverse=True)
    return re.compile(rf"(?i)\b({'|'.join(map(re.escape, longest_first))})\b")


def _with(sentence: str, found: re.Match[str], other: str) -> str:
    return sentence[: found.start()] + other + sentence[found.end() :]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    main()
