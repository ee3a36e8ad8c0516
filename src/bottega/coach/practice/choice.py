"""Which kata is the best to do next. There is always one, once there was a coaching session.

1. an unfinished kata of an open gap, the gap that matters most first;
2. without one, a new kata from the catalogue for the most pressing open gap;
3. without an open gap, any kata that is still unfinished;
4. and when all is done, a new warm-up from the catalogue.

A kata belongs to a gap, and a gap to the session that showed it. A warm-up answers no gap: its
entry, called "Warm-up", is made as addressed and so never counts as something to learn.
"""

import asyncio
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.editor.state import EditorState
from bottega.coach.enums import Severity, Stage
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.catalogue import best_for
from bottega.coach.practice.tables import KataSpec
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.service import Skills
from bottega.coach.skills.tables import KnowledgeGap
from bottega.core.services import Core
from bottega.core.sessions.session import SessionKind
from bottega.errors import InsufficientData

WARM_UP = "Warm-up"

#: The level of kata that a learner is offered first.
_FITTING_LEVEL = {
    Stage.NOVICE: 2,
    Stage.ADVANCED_BEGINNER: 3,
    Stage.COMPETENT: 5,
    Stage.PROFICIENT: 6,
    Stage.EXPERT: 8,
}

Kata = tuple[KataSpec, KnowledgeGap]


class KataChoice:
    def __init__(self, core: Core, skills: Skills) -> None:
        self._core = core
        self._skills = skills
        # Two windows that ask at once get the same new kata.
        self._choosing = asyncio.Lock()

    async def next(self, editor: EditorState) -> Kata:
        async with self._choosing:
            async with self._core.database.read() as session:
                katas = await kata_records.katas(session, editor.user_id)
                gaps = await skill_records.gaps(session, editor.user_id, addressed=False)
            unfinished = [kata for kata in katas if not kata_records.is_solved(kata[0])]
            for gap in gaps:
                for kata in unfinished:
                    if kata[1].id == gap.id:
                        return kata
            if not gaps and unfinished:
                return unfinished[0]
            warm_up = next((gap for _, gap in katas if gap.topic == WARM_UP), None)
            return await self._make(editor, gaps[0] if gaps else warm_up, katas)

    async def _make(
        self, editor: EditorState, gap: KnowledgeGap | None, known: Sequence[Kata]
    ) -> Kata:
        topic = gap.topic if gap else WARM_UP
        stage = await self._skills.stage(editor.user_id, topic)
        [chosen] = await asyncio.to_thread(
            best_for,
            topic,
            gap.related_concepts if gap else (),
            avoid={kata.slug for kata, _ in known if kata.slug},
            level=_FITTING_LEVEL[stage],
        )
        session_id = None if gap else await self._some_session(editor)
        async with self._core.database.write() as session:
            if session_id is not None:
                gap = await _warm_up(session, editor.user_id, session_id)
            assert gap is not None
            return await kata_records.add_kata(session, gap.id, **chosen.spec_fields()), gap

    async def _some_session(self, editor: EditorState) -> str:
        if editor.session_id is not None:
            return editor.session_id
        newest = await self._core.sessions.list(
            user_id=editor.user_id, kind=SessionKind.COACHING, limit=1
        )
        if not newest:
            raise InsufficientData(
                "Practice grows out of coaching sessions, and there was none yet. Start one in "
                "the web app, or with `session:start`, and ask again."
            )
        return newest[0].id


async def _warm_up(session: AsyncSession, user_id: str, session_id: str) -> KnowledgeGap:
    gap, _ = await skill_records.record_gap(
        session, user_id, session_id, WARM_UP, Severity.LOW, "Asked for by the learner."
    )
    gap.addressed = True
    return gap
