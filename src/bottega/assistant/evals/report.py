"""What the cases came to: case by case, each variant beside the baseline; also in markdown."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from pydantic import BaseModel, computed_field

from bottega.assistant.drafts.phrases import has_phrase
from bottega.core.text.words import one_line, shorten


class AssistantKind(StrEnum):
    #: By rules, from the document.
    STRUCTURAL = "structural"
    #: By a model, against a rubric.
    JUDGED = "judged"
    #: From the trace: what the agent and its hooks did.
    BEHAVIOURAL = "behavioural"


class EvalFinding(BaseModel, frozen=True):
    criterion: str
    kind: AssistantKind
    #: From 0 to 1; nothing, if it could not be asked.
    score: float | None
    #: What is missing, or why it was not asked.
    note: str = ""


def share(criterion: str, kind: AssistantKind, wanted: Iterable[str], text: str) -> EvalFinding:
    """How many of the phrases are there: each within one line."""
    wanted = list(wanted)
    lines = text.split("\n")
    missing = [each for each in wanted if not any(has_phrase(line, each) for line in lines)]
    score = 1 - len(missing) / max(1, len(wanted))
    note = f"missing: {', '.join(missing)}" if missing else ""
    return EvalFinding(criterion=criterion, kind=kind, score=round(score, 4), note=note)


class Conduct(BaseModel, frozen=True):
    """What an agent and its hooks did, in numbers."""

    tool_calls: int = 0
    skills: list[str] = []
    skill_files: list[str] = []
    files_read: list[str] = []
    memory_reads: int = 0
    memory_writes: int = 0
    subagents: int = 0
    guardrails_passed: int = 0
    guardrails_run: int = 0
    #: Answers at gates: `feedforward confirm`.
    decisions: dict[str, int] = {}
    #: Tokens of the prompt by section, at its first assembly.
    prompt_tokens: dict[str, int] = {}


#: Sections of a prompt that memory takes.
_MEMORY = ("teacher_memory", "class_memory")
#: Notes of a case that are shown; all are in the JSON.
MOST_NOTES = 3
LONGEST_NOTE = 160

VARIANT_HEADS = (
    "variant",
    "cases",
    "score",
    "Δ",
    "structural",
    "judged",
    "behavioural",
    "cost",
    "Δ cost",
    "tokens",
    "seconds",
)
CASE_HEADS = ("case", "variant", "status", "score", "cost", "seconds", "what to look at")


class CaseResult(BaseModel, frozen=True):
    case: str
    variant: str
    command: str
    #: Of the loop; nothing, if it did not get that far.
    status: str | None
    error: str | None = None
    findings: list[EvalFinding]
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

    def score_of(self, kind: AssistantKind) -> float | None:
        return mean(finding.score for finding in self.findings if finding.kind is kind)


class VariantSummary(BaseModel, frozen=True):
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


class AssistantReport(BaseModel, frozen=True):
    #: Whether no model played.
    offline: bool
    #: What was not asked, each once, with why.
    skipped: list[str]
    variants: list[VariantSummary]
    results: list[CaseResult]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def markdown(self) -> str:
        return as_markdown(self)


def make_report(results: Sequence[CaseResult]) -> AssistantReport:
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
    return AssistantReport(
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
        by_kind={
            kind.value: mean(result.score_of(kind) for result in results) for kind in AssistantKind
        },
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


def as_markdown(report: AssistantReport) -> str:
    blocks = ["# Evals", _opening(report), "## Variants", _table(VARIANT_HEADS, _rows(report))]
    for summary in report.variants[1:]:
        if summary.criterion_deltas:
            blocks += [f"### What {summary.name} changes", _deltas(summary)]
    blocks += ["## Cases", _table(CASE_HEADS, [_case(result) for result in report.results])]
    return "\n\n".join(blocks) + "\n"


def _opening(report: AssistantReport) -> str:
    count = f"{len(report.results)} results over {len(report.variants)} variants."
    played = "No model played: these are offline drafts." if report.offline else ""
    skipped = [f"- Not asked: {each}" for each in report.skipped]
    return "\n".join((f"{count} {played}".strip(), *(["", *skipped] if skipped else [])))


def _rows(report: AssistantReport) -> list[list[str]]:
    return [
        [
            each.name,
            str(each.cases),
            _score(each.score),
            _delta(each.score_delta),
            *(_score(each.by_kind[kind]) for kind in AssistantKind),
            _dollars(each.cost + each.judge_cost),
            "" if each.cost_delta is None else f"{each.cost_delta:+.4f}",
            f"{each.input_tokens + each.output_tokens:,}",
            f"{each.seconds:.1f}",
        ]
        for each in report.variants
    ]


def _case(result: CaseResult) -> list[str]:
    weak = [each for each in result.findings if each.score is not None and each.score < 1]
    notes = [f"{each.criterion}: {each.note}".rstrip(": ") for each in weak[:MOST_NOTES]]
    return [
        result.case,
        result.variant,
        result.status or "failed",
        _score(result.score),
        _dollars(result.cost + result.judge_cost),
        f"{result.seconds:.1f}",
        _cell("; ".join(notes)),
    ]


def _deltas(summary: VariantSummary) -> str:
    ordered = sorted(summary.criterion_deltas.items(), key=lambda item: (item[1], item[0]))
    return "\n".join(f"- {_cell(criterion)}: {delta:+.2f}" for criterion, delta in ordered)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return shorten(one_line(text).replace("|", "/"), LONGEST_NOTE)


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"


def _delta(delta: float | None) -> str:
    return "" if delta is None else f"{delta:+.2f}"


def _dollars(cost: float) -> str:
    return f"${cost:.4f}"
