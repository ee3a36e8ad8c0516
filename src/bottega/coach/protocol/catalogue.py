"""Every message of the coach: its payload, who sends it when, and where the specification had two
ways to say it.

The document at `/api/coach/protocol`, the reference page and the web app's types are made from
this list.
"""

import builtins
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel

from bottega.coach.protocol import dashboard, files, learning, sessions
from bottega.core import wire


class Direction(StrEnum):
    TO_SERVER = "client to server"
    TO_CLIENT = "server to client"


@dataclass(frozen=True, slots=True)
class Entry:
    type: str
    #: One, or the several shapes that its payload may have.
    models: tuple[builtins.type[BaseModel], ...]
    direction: Direction
    #: Who sends it when.
    trigger: str
    #: Where spellings differed, and what was chosen.
    note: str = ""


def _client(type: str, model: type[BaseModel], trigger: str, note: str = "") -> Entry:
    return Entry(type, (model,), Direction.TO_SERVER, trigger, note)


def _server(type: str, *models: type[BaseModel], trigger: str, note: str = "") -> Entry:
    return Entry(type, models, Direction.TO_CLIENT, trigger, note)


CLIENT = (
    _client("connection:hello", wire.Hello, "A window says what it is, once it is connected."),
    _client(
        "dashboard:request",
        dashboard.DashboardRequest,
        "The dashboard is opened, or another period is chosen for its numbers.",
        "`dashboard:stats_period` of an early table is this with a `statsPeriod`.",
    ),
    _client(
        "dashboard:refresh_issues", learning.Empty, "The person asks for the issues once more."
    ),
    _client(
        "session:start",
        sessions.StartSession,
        "The person chooses an issue, or says what to work on.",
        "The catalogue has only `issueNumber`; a title or summary in one's own words does too.",
    ),
    _client("session:resume", sessions.ResumeSession, "The person goes on with a session."),
    _client(
        "session:end",
        sessions.EndSession,
        "The person ends the session.",
        "The catalogue's payload is empty; a transcript may come with it.",
    ),
    _client(
        "coaching:draft_plan",
        sessions.DraftPlan,
        "A person without an agent asks for a plan to start from.",
        "Ours: in the specification plans come from an agent only.",
    ),
    _client(
        "coaching:submit_plan",
        sessions.SubmitPlan,
        "A person without an agent submits a plan.",
        "Ours: the same as `paige_run_coaching_pipeline`.",
    ),
    _client(
        "coaching:update_phase",
        sessions.UpdatePhase,
        "The person starts or completes a phase.",
        "Ours: the same as `paige_update_phase`.",
    ),
    _client("file:open", files.FilePath, "The person opens a file."),
    _client("file:save", files.FileSave, "The person saves a file."),
    _client("file:close", files.FilePath, "The person closes a tab; unsaved edits go with it."),
    _client("buffer:update", files.BufferUpdate, "The person types."),
    _client("editor:tab_switch", files.TabSwitch, "The person turns to another tab."),
    _client(
        "editor:selection",
        files.Selection,
        "The person selects text.",
        "The lines are in `range`, as in the catalogue; `selection` is read too.",
    ),
    _client(
        "editor:scroll",
        files.Scroll,
        "The person scrolls; checked and then ignored.",
        "In the table of handlers, not in the catalogue.",
    ),
    _client(
        "explorer:expand_dir",
        files.FilePath,
        "The person opens a folder of the tree; an empty path is the whole project.",
        "Ignored in the specification; here answered with that folder's `fs:tree`.",
    ),
    _client(
        "explorer:collapse_dir",
        files.FilePath,
        "The person closes a folder of the tree; checked and then ignored.",
    ),
    _client("hints:level_change", files.LevelChange, "The person moves the hint slider."),
    _client(
        "user:explain",
        learning.Explain,
        "The person asks what the selected code is.",
        "The later story's `selection`; the catalogue's `range` is read too. A language, and the "
        "lines around, are looked up when they are not given.",
    ),
    _client(
        "user:review",
        learning.Review,
        "The person submits a kata; or, without a `kataId`, asks for a review of the phase's work.",
        "The catalogue's payload is empty and the later story's has a kata: both are meant.",
    ),
    _client("user:idle_start", learning.IdleStart, "The window has seen nothing for a while."),
    _client("user:idle_end", learning.Empty, "The person is back."),
    _client("observer:mute", learning.Mute, "The person mutes the observer, or lets it speak."),
    _client(
        "practice:request_kata",
        learning.RequestKata,
        "The person opens a kata, or asks for the best one to do next.",
        "Ours: the catalogue has the answer, `practice:kata_load`, and no question.",
    ),
    _client(
        "practice:submit_solution",
        learning.Review,
        "The person submits a kata.",
        "The catalogue's name for `user:review` with a kata; `code` and `activeConstraints` are "
        "read as `userCode` and `activeConstraintTitles`.",
    ),
    _client(
        "terminal:ready",
        files.TerminalSize,
        "A terminal is open beside the editor.",
        "In the table of handlers, not in the catalogue.",
    ),
    _client("terminal:resize", files.TerminalSize, "The terminal changes its size."),
    _client(
        "terminal:input",
        files.TerminalInput,
        "The person types in the terminal: a sign of life; the text is not kept.",
    ),
)

SERVER = (
    _server("connection:init", wire.Init, trigger="Answers `connection:hello`."),
    _server(
        "connection:error",
        wire.Problem,
        trigger="A message could not be read or done; it has the `id` of that message.",
        note="No message is answered with `NOT_IMPLEMENTED`: there are no stubs.",
    ),
    _server(
        "dashboard:dreyfus",
        dashboard.DreyfusRadar,
        trigger="The dashboard was asked for, or a session changed an assessment.",
    ),
    _server(
        "dashboard:state",
        dashboard.DashboardState,
        trigger="Answers `dashboard:request`, at once.",
        note="The later story's fields; issues and materials have messages of their own.",
    ),
    _server(
        "dashboard:issues",
        dashboard.DashboardIssues,
        trigger="The issues were listed and ranked, after `dashboard:request` or a refresh.",
    ),
    _server(
        "dashboard:issues_error", dashboard.IssuesError, trigger="The issues could not be listed."
    ),
    _server(
        "dashboard:materials",
        dashboard.DashboardMaterials,
        trigger="Something to learn from was found for the open gaps.",
        note="In the later story, not in the catalogue.",
    ),
    _server(
        "dashboard:materials_error",
        dashboard.MaterialsError,
        trigger="Nothing to learn from could be looked for.",
        note="In the later story, not in the catalogue.",
    ),
    _server(
        "fs:tree",
        files.Tree,
        trigger="A session starts or is resumed, and in answer to `explorer:expand_dir`.",
    ),
    _server("fs:tree_update", files.TreeUpdate, trigger="A file changed on disk."),
    _server(
        "fs:content",
        files.Content,
        trigger="A file was opened.",
        note="`saved` is ours: what is on disk, where `content` is unsaved edits.",
    ),
    _server("fs:save_ack", files.SaveAck, trigger="A file was saved."),
    _server(
        "fs:save_error",
        files.SaveError,
        trigger="A file could not be saved; its text stays in the buffer.",
    ),
    _server(
        "editor:decorations",
        files.Decorations,
        trigger="Hints at level `region`: the surroundings of the lines that matter.",
    ),
    _server(
        "editor:clear_decorations",
        files.ClearDecorations,
        trigger="Hints are lowered, or belong to a phase that is over.",
    ),
    _server(
        "editor:hover_hint",
        files.HoverHint,
        trigger="A file with hints is opened at level `line`.",
    ),
    _server("editor:open_file", files.OpenFile, trigger="An agent shows a file."),
    _server(
        "editor:highlight_lines",
        files.HighlightLines,
        trigger="An agent highlights lines, or hints at level `line` do; said again to a window "
        "that opens the file.",
    ),
    _server(
        "editor:clear_highlights",
        files.ClearHighlights,
        trigger="An agent removes highlights, or hints are lowered or over.",
    ),
    _server(
        "explorer:hint_files",
        files.HintFiles,
        trigger="An agent marks files, or hints do from level `file` on.",
        note="`hints`, each with its style. The tool takes the scenario's `paths` and `style` too.",
    ),
    _server(
        "explorer:clear_hints",
        files.ClearHints,
        trigger="An agent unmarks files, or hints are lowered or over.",
    ),
    _server("session:started", sessions.Started, trigger="A session was started."),
    _server("session:resumed", sessions.Resumed, trigger="A session was resumed."),
    _server(
        "session:completed",
        sessions.Completed,
        trigger="A session was wrapped up: what it added, in numbers.",
        note="In the later story; the catalogue has `session:ended`. Both are sent.",
    ),
    _server(
        "session:ended",
        sessions.Ended,
        trigger="A session is over, completed or abandoned: its summary.",
    ),
    _server("coaching:phase_update", sessions.PhaseUpdate, trigger="A phase changed its status."),
    _server(
        "coaching:message",
        sessions.CoachingMessage,
        trigger="An agent tells the person something.",
    ),
    _server(
        "coaching:issue_context",
        sessions.ShowIssue,
        trigger="A session starts or is resumed, or an agent shows an issue.",
    ),
    _server("coaching:plan_ready", sessions.PlanReady, trigger="A plan became phases."),
    _server(
        "coaching:plan_draft",
        sessions.PlanDraft,
        trigger="Answers `coaching:draft_plan`.",
        note="Ours.",
    ),
    _server(
        "observer:nudge",
        learning.Nudge,
        trigger="The observer has something to say.",
        note="`context` is in snake_case, as in its story; `message` is ours, for people.",
    ),
    _server(
        "observer:status",
        learning.ObserverStatus,
        trigger="A session starts or ends, or the observer is muted or unmuted.",
    ),
    _server(
        "explain:response",
        learning.Explanation,
        trigger="Answers `user:explain`.",
        note="The later story's fields.",
    ),
    _server(
        "explain:error",
        learning.ExplainError,
        trigger="`user:explain` failed, after a second try.",
        note="In the later story, not in the catalogue.",
    ),
    _server(
        "review:response",
        learning.KataReview,
        learning.PhaseReview,
        trigger="Answers `user:review`: with a `kataId` a kata's review, else the phase's.",
        note="The later story's fields for a kata, the catalogue's for a phase.",
    ),
    _server(
        "review:error",
        learning.ReviewError,
        trigger="`user:review` failed, after a second try.",
        note="In the later story, not in the catalogue.",
    ),
    _server("practice:kata_load", learning.KataLoad, trigger="Answers `practice:request_kata`."),
    _server(
        "practice:solution_review",
        learning.SolutionReview,
        trigger="Answers `practice:submit_solution`, beside `review:response`.",
    ),
)

MESSAGES = (*CLIENT, *SERVER)
