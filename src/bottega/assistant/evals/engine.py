"""`bottega eval`: cases played in variants, judged three ways, in one report."""

import asyncio
from collections.abc import Sequence

import structlog
from pydantic_evals import Case, Dataset
from pydantic_evals.reporting import EvaluationReport, ReportCase, ReportCaseFailure

from bottega.assistant.evals.behaviour import conduct_of, judge_conduct
from bottega.assistant.evals.cases import EvalCase, load_cases
from bottega.assistant.evals.criteria import Criteria, findings_of
from bottega.assistant.evals.findings import Finding, Kind
from bottega.assistant.evals.judging import judge_by_rubric
from bottega.assistant.evals.playing import Played, Player
from bottega.assistant.evals.report import CaseResult, Report, make_report
from bottega.assistant.evals.structural import judge_structure
from bottega.assistant.evals.variants import Variant, variants
from bottega.assistant.memory_files.files import MemoryFiles
from bottega.assistant.runs import AssistantRuns
from bottega.core.llm.gateway import Gateway
from bottega.core.services import Core
from bottega.errors import BottegaError

log = structlog.get_logger()

#: Cases at a time: providers limit rates, and a turn waits for its model most of the time.
AT_ONCE = 4


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
) -> Report:
    """The shipped cases unless others are given; `containing` chooses some by name.

    `without` and `models` are further variants, each compared with the baseline.
    """
    chosen = list(cases) if cases is not None else await load_cases(containing=containing)
    player = Player(core, runs, memory_files)
    results: list[CaseResult] = []
    for variant in variants(without, models):
        judges = Judges(core.gateway, uses_model=judge)
        dataset = Dataset[EvalCase, Played, None](
            name=variant.name,
            cases=[Case(name=case.name, inputs=case) for case in chosen],
            evaluators=[
                Criteria(Kind.STRUCTURAL, judges.by_structure),
                Criteria(Kind.JUDGED, judges.by_rubric),
                Criteria(Kind.BEHAVIOURAL, judges.by_conduct),
            ],
        )
        report = await _evaluate(dataset, player, variant)
        results += [_result(each, judges.costs.get(each.name, 0.0)) for each in report.cases]
        results += [_failed(each, variant) for each in report.failures]
    return make_report(results)


class Judges:
    def __init__(self, gateway: Gateway, *, uses_model: bool) -> None:
        self._gateway = gateway
        self._uses_model = uses_model
        #: What the rubric's judge took, by case, in US dollars.
        self.costs: dict[str, float] = {}

    async def by_structure(self, played: Played) -> list[Finding]:
        return await asyncio.to_thread(lambda: list(judge_structure(played)))

    async def by_rubric(self, played: Played) -> list[Finding]:
        judged = await judge_by_rubric(self._gateway, played, wanted=self._uses_model)
        self.costs[played.case.name] = judged.cost
        return judged.findings

    async def by_conduct(self, played: Played) -> list[Finding]:
        return list(judge_conduct(played, conduct_of(played)))


async def _evaluate(
    dataset: Dataset[EvalCase, Played, None], player: Player, variant: Variant
) -> EvaluationReport[EvalCase, Played, None]:
    async def play(case: EvalCase) -> Played:
        log.info("eval.case", case=case.name, variant=variant.name)
        try:
            return await player.play(case, variant)
        except BottegaError as error:  # one broken case must not cost the others
            return Played(case, variant, None, error.message)

    return await dataset.evaluate(play, max_concurrency=AT_ONCE, progress=False)


def _result(judged: ReportCase[EvalCase, Played, None], judge_cost: float) -> CaseResult:
    played = judged.output
    result = played.result
    return CaseResult(
        case=played.case.name,
        variant=played.variant.name,
        command=played.case.command,
        status=result.status.value if result else None,
        error=played.error or _failure(judged),
        findings=findings_of(judged),
        conduct=conduct_of(played),
        turns=result.turns if result else 0,
        input_tokens=result.input_tokens if result else 0,
        output_tokens=result.output_tokens if result else 0,
        cost=result.cost if result else 0.0,
        judge_cost=judge_cost,
        seconds=round(played.seconds, 3),
        trace_id=result.trace_id if result else None,
        offline=result is None or result.offline,
    )


def _failure(judged: ReportCase[EvalCase, Played, None]) -> str | None:
    """Of a criterion that could not be judged for a fault of ours."""
    return next((f"{each.name}: {each.error_message}" for each in judged.evaluator_failures), None)


def _failed(failure: ReportCaseFailure[EvalCase, Played, None], variant: Variant) -> CaseResult:
    return CaseResult(
        case=failure.name,
        variant=variant.name,
        command=failure.inputs.command,
        status=None,
        error=failure.error_message,
        findings=[],
        offline=True,
    )
