"""Our ways of judging as evaluators of `pydantic-evals`.

A criterion that could not be asked has no score: it comes as a label with the reason for it.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext
from pydantic_evals.reporting import ReportCase

from bottega.assistant.evals.cases import EvalCase
from bottega.assistant.evals.findings import Finding, Kind
from bottega.assistant.evals.playing import Played

NOT_ASKED = "not asked"


@dataclass(repr=False)
class Criteria(Evaluator[EvalCase, Played, None]):
    kind: Kind
    judge: Callable[[Played], Awaitable[Iterable[Finding]]]

    def build_serialization_arguments(self) -> dict[str, str]:
        return {"kind": self.kind.value}

    async def evaluate(
        self, ctx: EvaluatorContext[EvalCase, Played, None]
    ) -> dict[str, EvaluationReason]:
        return {
            each.criterion: EvaluationReason(
                NOT_ASKED if each.score is None else each.score, each.note or None
            )
            for each in await self.judge(ctx.output)
        }


def findings_of(judged: ReportCase[EvalCase, Played, None]) -> list[Finding]:
    """In the order of the kinds, whether they could be asked or not."""
    order = list(Kind)
    findings = [
        Finding(
            criterion=each.name,
            kind=Kind(each.source.args[0]),
            score=None if isinstance(each.value, str) else float(each.value),
            note=each.reason or "",
        )
        for each in [*judged.scores.values(), *judged.labels.values()]
    ]
    return sorted(findings, key=lambda finding: order.index(finding.kind))
