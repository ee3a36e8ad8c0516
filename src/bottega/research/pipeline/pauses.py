"""A run that waits for a person: they go on, change the plan, or leave.

    asked to leave before?
    ├─ yes: the reply denies it       A   go on
    │       the reply confirms it     B   leave; what made us ask is answered next
    │       it says something else    C   leave; that is answered next
    └─ no:  it asks to leave          D   ask whether that is so
            it is about another thing D'  the same, in a model's judgement
            anything else             E   go on, or change the plan and show it again

Leaving ends work that was paid for, so it is never guessed: doubt always goes on. All of it is
decided by the run's own code from replies on record, and so decided again alike after a crash.

What a paused run says is made by code from what the stages gave, so the same plan is always shown
in the same words.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

from pydantic import JsonValue

from bottega.conversation.pauses import wait_for_reply
from bottega.core.runs import RunContext
from bottega.core.text.words import one_line, shorten
from bottega.errors import BudgetExceeded, ModelError, Unavailable
from bottega.library.service import Role
from bottega.research.agents.definition import Depth, DepthSettings, StageConfig, StageName
from bottega.research.pipeline.context import (
    KNOWN_AS,
    PLANNING,
    Progress,
    RunResources,
    StageContext,
    StageOutputs,
)
from bottega.research.pipeline.replies import (
    BreakoutResponse,
    MessageKind,
    classify_breakout,
    classify_breakout_response,
    is_breakout_intent,
    is_proceed,
    open_question,
    read_message,
    wants_to_modify,
)
from bottega.research.pipeline.schemas import Calibration, QueryPlan
from bottega.research.pipeline.state import SUB_QUERIES_TOLD, ResearchEvent
from bottega.research.pipeline.views import WaitingOption

#: From here on a question is clear enough to go on with.
CLEAR = 0.7
#: Of the person's own words, when they are quoted back.
LONGEST_QUOTE = 200
_ROLES = {
    Role.PRIMARY: "the heart of it",
    Role.SUPPORTING: "supporting",
    Role.CONTEXT: "for context",
}


class PauseKind(StrEnum):
    READY = "READY"
    CLARIFYING = "CLARIFYING"
    CALIBRATED = "CALIBRATED"
    CONFIRMED = "CONFIRMED"
    #: Asked what to change.
    MODIFYING = "MODIFYING"
    #: Asked whether to leave.
    LEAVING = "LEAVING"


@dataclass(frozen=True, slots=True)
class PauseMessage:
    kind: PauseKind
    #: Markdown, for doors that show the options themselves.
    body: str
    options: Sequence[WaitingOption] = ()
    #: What can be written in the place of an option.
    otherwise: str = ""

    @property
    def text(self) -> str:
        """Markdown, with the options as a menu."""
        if not self.options:
            return self.body
        menu = [f"{option.key}. {option.label}" for option in self.options]
        return "\n".join([self.body, "", *menu, "", self.otherwise])

    def as_prompt(self) -> dict[str, Any]:
        """For `run.pause`."""
        return {
            "kind": self.kind.value,
            "text": self.text,
            "body": self.body,
            "options": [option.model_dump() for option in self.options],
            "otherwise": self.otherwise,
        }


def _menu(*labels: str) -> list[WaitingOption]:
    return [WaitingOption(key=str(number), label=label) for number, label in enumerate(labels, 1)]


MENU = _menu("Go on", "Change something", "Leave this research")
LEAVE_OR_STAY = _menu("Yes, leave", "No, stay")


def pause_message(
    stage: StageConfig,
    known: StageOutputs,
    *,
    depth: Depth,
    settings: DepthSettings,
    budget_usd: float,
    offline: bool = False,
) -> PauseMessage:
    """What to say after a stage that the agent pauses at."""
    plan = known.current_plan
    if stage.name is StageName.CALIBRATE and known.calibration is not None:
        kind, opening = _after_calibration(known.calibration)
    elif stage.name is StageName.ANALYZE:
        kind, opening = _after_analysis(plan)
    else:
        spoken = stage.name.value.replace("_", " ")
        kind, opening = PauseKind.READY, [f"Stage {stage.id} is done ({spoken})."]
    effort = _effort(plan, depth, settings, budget_usd, offline)
    lines = [*opening, "", *_plan(plan), "", effort]
    otherwise = "You can also simply write what you would like to be different."
    return PauseMessage(kind, "\n".join(lines), MENU, otherwise)


def modification_message() -> PauseMessage:
    """After somebody chose to change the plan and did not say how."""
    text = (
        "What should be different? Say it in your own words: narrow it, widen it, drop a part, "
        "add one, or ask for another depth (quick, standard, deep)."
    )
    return PauseMessage(PauseKind.MODIFYING, text)


def confirmation_message(message: str) -> PauseMessage:
    """Before anything is ended: one false guess must not cost a person their research."""
    lines = [
        "It looks as if you want to leave this research.",
        "",
        *(["> " + _quoted(message), ""] if len(message.strip()) > 2 else []),
        "Shall I end it? What has been found so far is kept.",
    ]
    otherwise = "If you write something else, I take it as your next question."
    return PauseMessage(PauseKind.LEAVING, "\n".join(lines), LEAVE_OR_STAY, otherwise)


def _after_analysis(plan: QueryPlan) -> tuple[PauseKind, list[str]]:
    if plan.clarity_score >= CLEAR:
        return PauseKind.READY, ["**Ready.** This is how I understand your question."]
    lines = ["**A question before I start.** What you ask can be read in more than one way."]
    if plan.clarification_questions:
        # Not bare numbers: those are the menu's.
        questions = enumerate(plan.clarification_questions, 1)
        lines += ["", *(f"- Q{number}: {question}" for number, question in questions)]
    if plan.alternative_interpretations:
        lines += ["", "It could also mean:", *_bulleted(plan.alternative_interpretations)]
    return PauseKind.CLARIFYING, lines


def _after_calibration(calibration: Calibration) -> tuple[PauseKind, list[str]]:
    looked = _counted(len(calibration.web_sources), "page")
    changes = calibration.intent_changes
    if not changes.any:
        return PauseKind.CONFIRMED, [
            f"**Confirmed.** I looked at {looked} on the web; the plan stays as it is."
        ]
    lines = [f"**Adjusted.** I looked at {looked} on the web, and they change the plan:", ""]
    for what, items in (
        ("Added", changes.sub_queries_added),
        ("Reworded", changes.sub_queries_modified),
        ("Dropped", changes.sub_queries_removed),
        ("Less important", changes.sub_queries_demoted),
        ("Documents added", changes.standards_added),
    ):
        lines += [f"- {what}: {item}" for item in items]
    if changes.scope_changed:
        lines.append("- The scope is another one; see below.")
    return PauseKind.CALIBRATED, lines


def _plan(plan: QueryPlan) -> list[str]:
    lines = [f"> {_quoted(plan.original_query)}", "", "I will look for:"]
    for number, sub_query in enumerate(plan.sub_queries, 1):
        held = f", in {', '.join(sub_query.standards)}" if sub_query.standards else ""
        lines.append(f"{number}. {sub_query.query} *({_ROLES[sub_query.role]}{held})*")
    if plan.assumptions:
        lines += ["", "I take for granted:", *_bulleted(plan.assumptions)]
    if plan.scope:
        lines += ["", f"Scope: {plan.scope}"]
    return lines


def _effort(
    plan: QueryPlan, depth: Depth, settings: DepthSettings, budget_usd: float, offline: bool
) -> str:
    searches = _counted(min(len(plan.sub_queries), settings.max_sub_queries), "search", "es")
    repairs = _counted(settings.repair_iterations, "repair")
    cost = "It costs nothing: no model is used." if offline else f"At most ${budget_usd:.2f}."
    return (
        f"Depth: {depth.value} ({searches}, up to {settings.paragraphs_per_query} paragraphs each, "
        f"at most {repairs}). {cost}"
    )


def _bulleted(items: Sequence[str]) -> list[str]:
    return [f"- {item}" for item in items]


def _quoted(text: str) -> str:
    return shorten(one_line(text), LONGEST_QUOTE)


def _counted(number: int, thing: str, plural: str = "s") -> str:
    return f"{number} {thing}{'' if number == 1 else plural}"


#: Characters of a person's message that an event keeps; the whole of it is in the reply's own.
LONGEST_TOLD = 500
Revise = Callable[[StageContext, str], Awaitable[QueryPlan]]


@dataclass(frozen=True, slots=True)
class PersonLeft:
    """The person has left the run."""

    #: What they want answered instead, if anything.
    open_question: str | None


class PlanDiscussion:
    """What is talked about at a pause: the plan as it stands, and how a reply changes it."""

    def __init__(
        self, resources: RunResources, revise: Revise, stage: StageConfig, progress: Progress
    ) -> None:
        self._resources = resources
        self._revise = revise
        self._stage = stage
        #: With what was changed.
        self.progress = progress

    def message(self) -> PauseMessage:
        depth, settings = self.progress.depth
        return pause_message(
            self._stage,
            self.progress.known,
            depth=depth,
            settings=settings,
            budget_usd=self._resources.budget_usd,
            offline=self._resources.services.core.gateway.mode.offline,
        )

    async def has_left(self, reply: str) -> bool:
        """Whether the reply, in a model's judgement, has nothing to do with the run.

        Without a model that is sure, the person is taken to have stayed.
        """
        plan = self.progress.known.current_plan
        sub_queries = [sub_query.query for sub_query in plan.sub_queries[:SUB_QUERIES_TOLD]]
        calls = self._resources.context(self.progress, self._stage).calls
        embedder = self._resources.services.core.embedder
        try:
            message = await read_message(embedder, plan.original_query, sub_queries, reply)
            judged = await calls.ask(classify_breakout, message, max_tokens=200)
        except (ModelError, BudgetExceeded, Unavailable):
            return False
        return judged.settled is MessageKind.BREAKOUT

    async def modify(self, reply: str) -> bool:
        """Change the plan as the reply wants it; `False` if it is too late for that."""
        if self._stage.name not in PLANNING:
            return False
        context = self._resources.context(self.progress, self._stage)
        plan = await self._revise(context, reply)
        self.progress = self.progress.with_plan(plan, reply)
        output = getattr(self.progress.known, KNOWN_AS[self._stage.name])
        await self._resources.run.emit(
            ResearchEvent.PLAN_MODIFIED,
            {
                **self._stage.told,
                "reply": reply[:LONGEST_TOLD],
                "output": output.model_dump(mode="json"),
            },
        )
        return True


async def hold_pause(
    run: RunContext, stage: StageConfig, plan: PlanDiscussion
) -> PersonLeft | None:
    """Wait for the person until they go on (`None`) or leave."""
    shown = plan.message()
    while True:
        reply = await _ask(run, stage, shown)
        if is_breakout_intent(reply):
            return await _confirm(run, stage, reply, "keyword")
        if is_proceed(reply):
            return await _go_on(run, stage, reply)
        if wants_to_modify(reply):
            shown = modification_message()
        elif not reply.strip():
            shown = plan.message()
        elif await plan.has_left(reply):
            return await _confirm(run, stage, reply, "semantic")
        else:
            try:
                if not await plan.modify(reply):
                    return await _go_on(run, stage, reply)
                shown = plan.message()
            except ModelError as error:
                shown = _unchanged(plan.message(), error)


async def _confirm(
    run: RunContext, stage: StageConfig, message: str, detected_by: Literal["keyword", "semantic"]
) -> PersonLeft | None:
    told = {**stage.told, "user_message": message[:LONGEST_TOLD], "detected_by": detected_by}
    await run.emit(ResearchEvent.BREAKOUT_PENDING, told)
    reply = await _ask(run, stage, confirmation_message(message))
    response = classify_breakout_response(reply)
    if response is BreakoutResponse.DENY:
        return await _go_on(run, stage, reply)
    is_explicit = response is BreakoutResponse.CONFIRM
    leaving = PersonLeft(open_question(message, reply) if is_explicit else reply)
    told = {
        **stage.told,
        "user_message": (leaving.open_question or message)[:LONGEST_TOLD],
        "confirmed": "explicit" if is_explicit else "implicit",
    }
    await run.emit(ResearchEvent.BREAKOUT, told)
    return leaving


async def _ask(run: RunContext, stage: StageConfig, message: PauseMessage) -> str:
    told = {**stage.told, "kind": message.kind, "text": message.text, "body": message.body}
    await run.emit(ResearchEvent.PAUSE_MESSAGE, told)
    return await wait_for_reply(run, f"reply after {stage.name}", message.as_prompt(), _words)


def _words(reply: JsonValue) -> str:
    """The doors of the core take any JSON as a reply."""
    return reply if isinstance(reply, str) else str(reply if reply is not None else "")


async def _go_on(run: RunContext, stage: StageConfig, reply: str) -> PersonLeft | None:
    await run.emit(ResearchEvent.RESUMED, {**stage.told, "reply": reply[:LONGEST_TOLD]})
    return None


def _unchanged(message: PauseMessage, error: ModelError) -> PauseMessage:
    note = f"I could not change the plan just now: {error.message}\nIt is still as it was.\n\n"
    return replace(message, body=note + message.body)
