"""Labelled requests, texts and sentences, and how a guardrail does on them.

Lists and thresholds were made with those for tuning in view. Those held out were written when
these stood, and nothing was changed for them: whoever does so moves them over and writes new ones.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from bottega.assistant.guardrails.names import likely_names
from bottega.assistant.guardrails.scope import PluginDomain, ScopeLevel, estimate_scope
from bottega.assistant.guardrails.suitability import Severity, judge
from bottega.assistant.plugins.catalogue import SHIPPED, PluginFolders
from bottega.core.definitions.folders import Origin
from bottega.core.readers.embedder import Embedder

DATA = Path(__file__).parent / "data"
TUNING, HELD_OUT = "tuning", "held_out"


@dataclass(frozen=True, slots=True)
class Figures:
    """Of what was stopped, and of what should have been."""

    right: int
    wrong: int
    missed: int
    #: All that should not have been stopped.
    harmless: int

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed)

    @property
    def wrongly_stopped(self) -> float:
        """The share of what is harmless."""
        return self.wrong / self.harmless

    @classmethod
    def of(cls, judged: Iterable[tuple[bool, bool]]) -> "Figures":
        """From pairs: should it be stopped, was it."""
        pairs = list(judged)
        return cls(
            pairs.count((True, True)),
            pairs.count((False, True)),
            pairs.count((True, False)),
            sum(not should for should, _ in pairs),
        )


@dataclass(frozen=True, slots=True)
class Request:
    plugin: str
    #: `in`, `out`, or `near`: out, but from the same walk of life.
    label: str
    split: str
    text: str


@dataclass(frozen=True, slots=True)
class PupilText:
    age: int
    verdict: str
    split: str
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    names: list[str]
    split: str


def requests() -> list[Request]:
    lines = (DATA / "scope_requests.tsv").read_text("utf-8").splitlines()
    return [Request(*line.split("\t")) for line in lines]


def pupil_texts() -> list[PupilText]:
    return [
        PupilText(**each) for each in yaml.safe_load((DATA / "age_texts.yaml").read_text("utf-8"))
    ]


def sentences() -> list[Sentence]:
    """Their names stand in braces."""
    return [
        Sentence(re.sub(r"[{}]", "", line), re.findall(r"\{(.+?)\}", line), split)
        for split in (TUNING, HELD_OUT)
        for line in (DATA / f"names_{split}.txt").read_text("utf-8").splitlines()
    ]


async def scope_of(request: Request, embedder: Embedder) -> ScopeLevel:
    """As the shipped plugin and its fresh workspace see it."""
    plugin = PluginFolders(((Origin.SHIPPED, SHIPPED),)).load(request.plugin)
    names = [path.stem for path in (plugin.folder / "workspace").glob("*/*.md")]
    return (await estimate_scope(request.text, PluginDomain.of(plugin), embedder, names)).scope


def verdict_of(text: PupilText) -> str:
    severities = {concern.severity for concern in judge(text.text, text.age)}
    return next((each for each in (Severity.ABORT, Severity.NOTE) if each in severities), "pass")


async def scope_figures(some: Iterable[Request], embedder: Embedder) -> Figures:
    return Figures.of(
        [
            (each.label != "in", await scope_of(each, embedder) is ScopeLevel.OUTSIDE)
            for each in some
        ]
    )


def age_figures(some: Iterable[PupilText]) -> Figures:
    return Figures.of((each.verdict == "abort", verdict_of(each) == "abort") for each in some)


def name_figures(some: Iterable[Sentence]) -> Figures:
    """By name: one that is found in part is found."""
    return Figures.of(pair for sentence in some for pair in _names_judged(sentence))


def _names_judged(sentence: Sentence) -> Iterator[tuple[bool, bool]]:
    found = [each.text for each in likely_names(sentence.text)]
    for name in sentence.names:
        yield True, any(name in each or each in name for each in found)
    for each in found:
        if not any(name in each or each in name for name in sentence.names):
            yield False, True
    if not sentence.names and not found:
        yield False, False
