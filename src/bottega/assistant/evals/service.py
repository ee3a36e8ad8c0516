"""Evals as a durable run: twenty cases take a while, and nobody has to hold the line."""

from bottega.assistant.evals.operations import EvalOrder
from bottega.assistant.evals.report import AssistantReport, CaseResult
from bottega.assistant.loop.runs import AssistantRuns
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.core.imports import load
from bottega.core.runs import Run, RunContext
from bottega.core.services import Core
from bottega.errors import Conflict, NotFound

KIND = "assistant_eval"


class EvalRuns:
    def __init__(self, core: Core, runs: AssistantRuns, memory_files: MemoryFiles) -> None:
        self._core = core
        self._runs = runs
        self._memory_files = memory_files
        core.runs.register(KIND, self._evaluate)

    async def start(self, order: EvalOrder, *, user_id: str) -> Run:
        """One at a time: the cases of two would be in each other's way."""
        for run in await self._core.runs.list(kind=KIND, limit=5):
            if not run.status.is_final:
                raise Conflict(
                    f"An eval is {run.status} already: {run.id}. Wait for it, or cancel it.",
                    run_id=run.id,
                )
        run_id = await self._core.runs.start(KIND, order, user_id=user_id)
        return await self._core.runs.get(run_id)

    async def get(self, run_id: str, *, user_id: str) -> Run:
        run = await self._core.runs.get(run_id, user_id=user_id)
        if run.kind != KIND:
            raise NotFound(f"The run {run_id!r} is no eval.")
        return run

    async def _evaluate(self, run: RunContext, order: EvalOrder) -> AssistantReport:
        return await run.step("evals", self._play, run, order)

    async def _play(self, run: RunContext, order: EvalOrder) -> AssistantReport:
        await load("bottega.assistant.evals.engine")
        from bottega.assistant.evals.engine import run_evals

        async def tell(result: CaseResult, total: int) -> None:
            told = {"case": result.case, "variant": result.variant, "score": result.score}
            await run.emit("case_played", {**told, "of": total})

        return await run_evals(
            self._core,
            self._runs,
            self._memory_files,
            containing=order.cases,
            without=order.without,
            models=[order.model] if order.model else [],
            tell=tell,
        )
