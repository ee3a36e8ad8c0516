"""What the cases came to: case by case, and each variant beside the baseline."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, computed_field

from bottega.assistant.evals.behaviour import Conduct
from bottega.assistant.evals.findings import Finding, Kind

#: Sections of a prompt that memory takes.
_MEMORY = ("teacher_memory", "class_memory")


class CaseResult(BaseModel):
    model_config = ConfigDict(frozen=True)

    case: str
    variant: str
    command: str
    #: Of the loop; nothing, if it did not get that far.
    status: str | None
    error: str | None = None
    findings: list[Finding]
    conduct: Conduct = Conduct()
    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    #: US dollars: of the turn, and of the judge.
    cost: float = 0.0
    judge_cost: float = 0.0
    seconds: float = 0.0
    trace_id: str | None = None
    offline: bool = False

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float | None:
        return mean(finding.score for finding in self.findings)

    def score_of(self, kind: Kind) -> float | None:
        return mean(finding.score for finding in self.findings if finding.kind is kind)


class VariantSummary(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    cases: int
    score: float | None
    #: Mean score of each kind, and of each criterion.
    by_kind: dict[str, float | None]
    by_criterion: dict[str, float | None]
    cost: float
    judge_cost: float
    input_tokens: int
    output_tokens: int
    #: Of the prompts' memory sections, on average: what memory costs.
    memory_tokens: float
    seconds: float
    #: Against the baseline; nothing for the baseline itself.
    score_delta: float | None = None
    cost_delta: float | None = None
    criterion_deltas: dict[str, float] = {}


class Report(BaseModel):
    model_config = ConfigDict(frozen=True)

    #: Whether no model played.
    offline: bool
    #: What was not asked, each once, with why.
    skipped: list[str]
    variants: list[VariantSummary]
    results: list[CaseResult]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def markdown(self) -> str:
        from bottega.assistant.evals.printing import as_markdown

        return as_markdown(self)


def make_report(results: Sequence[CaseResult]) -> Report:
    """`results` stand in the order of the variants, the baseline's first."""
    names = list(dict.fromkeys(result.variant for result in results))
    summaries = [_summarise(name, [r for r in results if r.variant == name]) for name in names]
    compared = [_compare(each, summaries[0]) for each in summaries[1:]]
    skipped = dict.fromkeys(
        f"{finding.kind}: {finding.note}"
        for result in results
        for finding in result.findings
        if finding.score is None
    )
    return Report(
        offline=all(result.offline for result in results),
        skipped=list(skipped),
        variants=[*summaries[:1], *compared],
        results=list(results),
    )


def mean(scores: Iterable[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return round(sum(known) / len(known), 4) if known else None


def _summarise(name: str, results: Sequence[CaseResult]) -> VariantSummary:
    findings = [finding for result in results for finding in result.findings]
    criteria = list(dict.fromkeys(finding.criterion for finding in findings))
    memory = [
        sum(result.conduct.prompt_tokens.get(section, 0) for section in _MEMORY)
        for result in results
    ]
    return VariantSummary(
        name=name,
        cases=len(results),
        score=mean(result.score for result in results),
        by_kind={kind.value: mean(result.score_of(kind) for result in results) for kind in Kind},
        by_criterion={
            criterion: mean(each.score for each in findings if each.criterion == criterion)
            for criterion in criteria
        },
        cost=sum(result.cost for result in results),
        judge_cost=sum(result.judge_cost for result in results),
        input_tokens=sum(result.input_tokens for result in results),
        output_tokens=sum(result.output_tokens for result in results),
        memory_tokens=mean(memory) or 0.0,
        seconds=round(sum(result.seconds for result in results), 3),
    )


def _compare(summary: VariantSummary, baseline: VariantSummary) -> VariantSummary:
    both = {
        name: (score, before)
        for name, score in summary.by_criterion.items()
        if score is not None and (before := baseline.by_criterion.get(name)) is not None
    }
    deltas = {name: round(score - before, 4) for name, (score, before) in both.items()}
    score_delta = None
    if summary.score is not None and baseline.score is not None:
        score_delta = round(summary.score - baseline.score, 4)
    return summary.model_copy(
        update={
            "score_delta": score_delta,
            "cost_delta": summary.cost - baseline.cost,
            "criterion_deltas": {name: delta for name, delta in deltas.items() if delta},
        }
    )
