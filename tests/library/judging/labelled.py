"""The labelled sets, the texts that they are about, and how a judge is scored on them.

`claims_held_out` and `claims_python_policy` were written before the judge. The second is about a
document that comes with Debian's `python3`; its text is read from the installed package.
"""

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lxml import html

from bottega.core.embeddings import WordLlamaEmbedder
from bottega.core.vectors.store import Vector
from bottega.library.judging.citations import judge_citation
from bottega.library.judging.verdicts import Judgement, Verdict
from bottega.library.reading import read_document

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "library" / "data"
STANDARDS = ROOT / "examples" / "standards"
PYTHON_POLICY = Path("/usr/share/doc/python3/python-policy.html")


@dataclass(frozen=True, slots=True)
class Claim:
    ref: str
    claim: str
    label: Verdict
    kind: str
    #: Of the paragraph in the edition that the claim was written for.
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Texts:
    paragraphs: dict[str, str]
    terms: dict[str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    claim: Claim
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Figures:
    precision: float
    recall: float


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def claims(name: str) -> list[Claim]:
    return [Claim(**row | {"label": Verdict(row["label"])}) for row in rows(name)]


@cache
def standards() -> Texts:
    documents = [read_document(path.read_bytes(), path.name) for path in STANDARDS.glob("*.md")]
    return Texts(
        {each.ref: each.text for document in documents for each in document.paragraphs},
        {each.term: each.definition for document in documents for each in document.terms},
    )


@cache
def python_policy() -> Texts:
    """Its paragraphs as `4.2¶2`: the second of section 4.2."""
    page = html.fromstring(PYTHON_POLICY.read_text("utf-8"))
    paragraphs: dict[str, str] = {}
    for heading in page.iter("h2", "h3", "h4"):
        number = re.match(r"([\d.]+)\.\s", heading.text_content())
        section = heading.getparent()
        # The appendices begin again at 1.
        if number and section is not None and f"{number[1]}¶1" not in paragraphs:
            for place, paragraph in enumerate(section.iterchildren("p"), 1):
                paragraphs[f"{number[1]}¶{place}"] = " ".join(paragraph.text_content().split())
    return Texts(paragraphs, {})


def is_other_edition(claim: Claim, texts: Texts) -> bool:
    text = texts.paragraphs.get(claim.ref)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16] if text is not None else None
    return digest != claim.sha256


@cache
def _embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def embed(texts: Sequence[str]) -> Vector:
    return asyncio.run(_embedder().embed(texts))


def judge_all(wanted: Sequence[Claim], texts: Texts) -> Iterator[Judged]:
    for claim in wanted:
        judgement = judge_citation(
            claim.claim, claim.ref, texts.paragraphs, terms=texts.terms, embed=embed
        )
        yield Judged(claim, judgement)


def confusion(judged: Sequence[Judged], *, leaning: bool) -> Counter[tuple[Verdict, Verdict]]:
    """How often each label got each verdict; an undecided one as it leans, or as such."""
    return Counter(
        (each.claim.label, each.judgement.leaning if leaning else each.judgement.verdict)
        for each in judged
    )


def figures(counts: Counter[tuple[Verdict, Verdict]], verdict: Verdict) -> Figures:
    given = sum(count for (_, said), count in counts.items() if said is verdict)
    wanted = sum(count for (label, _), count in counts.items() if label is verdict)
    right = counts[verdict, verdict]
    return Figures(right / given if given else 1.0, right / wanted if wanted else 1.0)
