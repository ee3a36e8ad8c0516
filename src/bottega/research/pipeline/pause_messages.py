"""What a paused run says: the plan, what it may cost, and what can be answered.

Made by code from what the stages gave, so the same plan is always shown in the same words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bottega.core.text.words import one_line, shorten
from bottega.library.service import Role
from bottega.research.agents.definition import Depth, DepthSettings, StageConfig, StageName
from bottega.research.pipeline.context import StageOutputs
from bottega.research.pipeline.schemas import Calibration, QueryPlan
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
        kind, opening = PauseKind.READY, [f"Stage {stage.id} is done ({_spoken(stage.name)})."]
    lines = [
        *opening,
        "",
        *_plan(plan),
        "",
        _effort(plan, depth, settings, budget_usd, offline),
    ]
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
        lines += ["", *_numbered(plan.clarification_questions, "Q")]
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


def _numbered(items: Sequence[str], letter: str) -> list[str]:
    # Not bare numbers: those are the menu's.
    return [f"- {letter}{number}: {item}" for number, item in enumerate(items, 1)]


def _bulleted(items: Sequence[str]) -> list[str]:
    return [f"- {item}" for item in items]


def _quoted(text: str) -> str:
    return shorten(one_line(text), LONGEST_QUOTE)


def _counted(number: int, thing: str, plural: str = "s") -> str:
    return f"{number} {thing}{'' if number == 1 else plural}"


def _spoken(name: StageName) -> str:
    return name.value.replace("_", " ")
