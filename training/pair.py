"""A claim or a question with a passage and its label: what every step writes and the next reads.

Documents, not pairs, are left out of learning: whoever has read about a manual knows its words.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

#: What a passage says of a claim.
SUPPORTED, CONTRADICTED, UNKNOWN = CLAIM_LABELS = ("supported", "contradicted", "unknown")
#: And of a question.
ANSWERED, UNANSWERED = "answered", "unanswered"

PUBLIC, MANUAL, WRITTEN, CONTRAST = "public", "manual", "written", "contrast"
NEAR, NEGATIVE = "near", "negative"
#: Of the claims about manuals, documents that are not learned from.
SET_ASIDE = ("diffutils", "ninja-build", "MPL-1.1")
#: One in so many documents of the written claims is left out.
LEFT_OUT_SHARE = 5


@dataclass(frozen=True, slots=True)
class Pair:
    text: str
    passage: str
    label: str
    #: Who made it: one of the constants above.
    origin: str
    #: The public set, or what was done to make a claim true or false.
    kind: str
    document: str
    #: What a public pair counts beside others.
    weight: float = 1.0

    @property
    def is_question(self) -> bool:
        return self.label not in CLAIM_LABELS

    @property
    def is_about_manuals(self) -> bool:
        return self.origin in (MANUAL, WRITTEN)

    @property
    def is_left_out(self) -> bool:
        if self.origin == MANUAL:
            return any(name in self.document for name in SET_ASIDE)
        return WRITTEN in (self.origin, self.kind) and is_left_out(self.document)


def is_left_out(document: str) -> bool:
    """Of the documents of passages."""
    # The prefix keeps the choice with which the weights that ship were made.
    return hashlib.md5(f"w/{document}".encode()).digest()[0] % LEFT_OUT_SHARE == 0


def label_weight(pair: Pair) -> float:
    """What a pair counts: people check claims about texts such as manuals."""
    own = {WRITTEN: 3.0, MANUAL: 2.0, CONTRAST: 0.5}
    return own.get(pair.origin, 0.7 * pair.weight)


def is_readable(pair: Pair) -> bool:
    return 5 < len(pair.text) < 500 and 10 < len(pair.passage) < 1600


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(pair)) + "\n" for pair in pairs)


def read_pairs(path: Path) -> Iterator[Pair]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield Pair(**json.loads(line))


def learned_pairs(folder: Path) -> list[Pair]:
    """Labelled pairs and contrasts, without the documents that are left out."""
    pairs = [pair for pair in read_pairs(folder / "pairs.jsonl") if not pair.is_left_out]
    written = {
        pair.document for pair in read_pairs(folder / "pairs.jsonl") if pair.origin == WRITTEN
    }
    left_out = {document for document in written if is_left_out(document)}
    contrasts = read_pairs(folder / "contrast.jsonl")
    return [*pairs, *(pair for pair in contrasts if pair.document not in left_out)]


def left_out_pairs(folder: Path) -> list[Pair]:
    return [pair for pair in read_pairs(folder / "pairs.jsonl") if pair.is_left_out]
