"""`bottega eval`: cases played in variants, judged three ways, in one report."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from bottega.assistant.evals.behaviour import conduct_of, judge_conduct
from bottega.assistant.evals.cases import EvalCase, load_cases
from bottega.assistant.evals.judging import judge_by_rubric
from bottega.assistant.evals.playing import Played, Player
from bottega.assistant.evals.report import CaseResult, Report, make_report
from bottega.assistant.evals.structural import judge_structure
from bottega.assistant.evals.variants import Variant, variants
from bottega.assistant.memory_files.files import MemoryFiles
from bottega.assistant.runs import AssistantRuns
from bottega.core.services import Core
from bottega.errors import BottegaError

log = structlog.get_logger()

#: Cases at a time: providers limit rates, and a turn waits for its model most of the time.
AT_ONCE = 4

Tell = Callable[[CaseResult, int], Awaitable[None]]


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
) -> Report:
    """The shipped cases unless others are given; `containing` chooses some by name.

    `without` and `models` are further variants, each compared with the baseline. `tell` hears of
    each case that is done, and of how many there are.
    """
    chosen = list(cases) if cases is not None else await load_cases(containing=containing)
    player = Player(core, runs, memory_files)
    room = asyncio.Semaphore(AT_ONCE)

    async def try_out(case: EvalCase, variant: Variant) -> CaseResult:
        async with room:
            log.info("eval.case", case=case.name, variant=variant.name)
            try:
                played = await player.play(case, variant)
            except BottegaError as error:  # one broken case must not cost the others
                played = Played(case, variant, None, error.message)
            result = await _judge(core, played, judge=judge)
            if tell is not None:
                await tell(result, len(tried))
            return result

    tried = [try_out(case, variant) for variant in variants(without, models) for case in chosen]
    return make_report(await asyncio.gather(*tried))


async def _judge(core: Core, played: Played, *, judge: bool) -> CaseResult:
    result, conduct = played.result, conduct_of(played)
    structure = await asyncio.to_thread(lambda: list(judge_structure(played)))
    judged = await judge_by_rubric(core.gateway, played, wanted=judge)
    return CaseResult(
        case=played.case.name,
        variant=played.variant.name,
        command=played.case.command,
        status=result.status.value if result else None,
        error=played.error,
        findings=[*structure, *judged.findings, *judge_conduct(played, conduct)],
        conduct=conduct,
        turns=result.turns if result else 0,
        input_tokens=result.input_tokens if result else 0,
        output_tokens=result.output_tokens if result else 0,
        cost=result.cost if result else 0.0,
        judge_cost=judged.cost,
        seconds=round(played.seconds, 3),
        trace_id=result.trace_id if result else None,
        offline=result is None or result.offline,
    )
