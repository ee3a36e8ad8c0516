"""`bottega eval`: cases played in variants, judged three ways with `pydantic-evals`: one report."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext
from pydantic_evals.lifecycle import CaseLifecycle
from pydantic_evals.reporting import ReportCase, ReportCaseFailure

from bottega.assistant.evals.cases import EvalCase, Variant, load_cases, variants
from bottega.assistant.evals.criteria import conduct_of, judge_conduct, judge_structure
from bottega.assistant.evals.playthrough import Played, Player
from bottega.assistant.evals.report import (
    AssistantKind,
    AssistantReport,
    CaseResult,
    EvalFinding,
    make_report,
)
from bottega.assistant.evals.rubric import judge_by_rubric
from bottega.assistant.loop.runs import AssistantRuns
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.core.llm.gateway import Gateway
from bottega.core.services import Core
from bottega.errors import BottegaError

NOT_ASKED = "not asked"
#: What a case's result has of its turn's; without one, nobody played.
FROM_THE_TURN = {"status", "turns", "input_tokens", "output_tokens", "cost", "trace_id", "offline"}
NO_RESULT: dict[str, Any] = {"status": None, "offline": True}
log = structlog.get_logger()

#: Cases at a time: providers limit rates, and a turn waits for its model most of the time.
AT_ONCE = 4

Tell = Callable[[CaseResult, int], Awaitable[None]]
Judged = ReportCase[EvalCase, Played, None]
Failed = ReportCaseFailure[EvalCase, Played, None]


@dataclass(repr=False)
class Criteria(Evaluator[EvalCase, Played, None]):
    kind: AssistantKind
    judge: Callable[[Played], Awaitable[Iterable[EvalFinding]]]

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


def findings_of(judged: ReportCase[EvalCase, Played, None]) -> list[EvalFinding]:
    """In the order of the kinds, whether they could be asked or not."""
    order = list(AssistantKind)
    findings = [
        EvalFinding(
            criterion=each.name,
            kind=AssistantKind(each.source.args[0]),
            score=None if isinstance(each.value, str) else float(each.value),
            note=each.reason or "",
        )
        for each in [*judged.scores.values(), *judged.labels.values()]
    ]
    return sorted(findings, key=lambda finding: order.index(finding.kind))


async def run_evals(
    core: Core,
    runs: AssistantRuns,
    memory_files: MemoryFiles,
    *,
    cases: Sequence[EvalCase] | None = None,
    containing: str | None = None,
    without: Sequence[str] = (),
    models: Sequence[str] = (),
    judge: bool = True,
    tell: Tell | None = None,
) -> AssistantReport:
    """The shipped cases unless others are given; `containing` chooses some by name.

    `without` and `models` are further variants, each compared with the baseline. `tell` hears of
    each case that is done, and of how many there are.
    """
    chosen = list(cases) if cases is not None else await load_cases(containing=containing)
    player = Player(core, runs, memory_files)
    wanted = variants(without, models)

    async def tell_of(result: CaseResult) -> None:
        if tell is not None:
            await tell(result, len(chosen) * len(wanted))

    results: list[CaseResult] = []
    for variant in wanted:
        experiment = Experiment(player, variant, core.gateway, uses_model=judge)
        results += await experiment.run(chosen, tell_of)
    return make_report(results)


class Experiment:
    """All cases in one variant."""

    def __init__(
        self, player: Player, variant: Variant, gateway: Gateway, *, uses_model: bool
    ) -> None:
        self._player = player
        self._variant = variant
        self._gateway = gateway
        self._uses_model = uses_model
        #: What the rubric's judge took, by case, in US dollars.
        self._judge_costs: dict[str, float] = {}

    async def run(
        self, cases: Sequence[EvalCase], tell: Callable[[CaseResult], Awaitable[None]]
    ) -> list[CaseResult]:
        experiment = self

        class Telling(CaseLifecycle[EvalCase, Played, None]):
            async def teardown(self, result: Judged | Failed | None) -> None:
                if result is not None:
                    await tell(experiment._result(result))

        dataset = Dataset[EvalCase, Played, None](
            name=self._variant.name,
            cases=[Case(name=case.name, inputs=case) for case in cases],
            evaluators=[
                Criteria(AssistantKind.STRUCTURAL, self._by_structure),
                Criteria(AssistantKind.JUDGED, self._by_rubric),
                Criteria(AssistantKind.BEHAVIOURAL, self._by_conduct),
            ],
        )
        report = await dataset.evaluate(
            self._play, max_concurrency=AT_ONCE, progress=False, lifecycle=Telling
        )
        outcomes: list[Judged | Failed] = [*report.cases, *report.failures]
        return [self._result(each) for each in outcomes]

    async def _play(self, case: EvalCase) -> Played:
        log.info("eval.case", case=case.name, variant=self._variant.name)
        try:
            return await self._player.play(case, self._variant)
        except BottegaError as error:  # one broken case must not cost the others
            return Played(case, self._variant, None, error.message)

    async def _by_structure(self, played: Played) -> list[EvalFinding]:
        return await asyncio.to_thread(lambda: list(judge_structure(played)))

    async def _by_rubric(self, played: Played) -> list[EvalFinding]:
        judged = await judge_by_rubric(self._gateway, played, wanted=self._uses_model)
        self._judge_costs[played.case.name] = judged.cost
        return judged.findings

    async def _by_conduct(self, played: Played) -> list[EvalFinding]:
        return list(judge_conduct(played, conduct_of(played)))

    def _result(self, outcome: Judged | Failed) -> CaseResult:
        case, variant = outcome.inputs, self._variant
        if isinstance(outcome, ReportCaseFailure):
            return CaseResult(
                **NO_RESULT,
                case=case.name,
                variant=variant.name,
                command=case.command,
                error=outcome.error_message,
                findings=[],
            )
        played, result = outcome.output, outcome.output.result
        return CaseResult(
            **(result.model_dump(mode="json", include=FROM_THE_TURN) if result else NO_RESULT),
            case=case.name,
            variant=variant.name,
            command=case.command,
            error=played.error or _fault(outcome),
            findings=findings_of(outcome),
            conduct=conduct_of(played),
            judge_cost=self._judge_costs.get(case.name, 0.0),
            seconds=round(played.seconds, 3),
        )


def _fault(judged: Judged) -> str | None:
    """Of ours, for which a criterion could not be judged."""
    return next((f"{each.name}: {each.error_message}" for each in judged.evaluator_failures), None)
