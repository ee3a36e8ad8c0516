"""What can be asked of the editor: by its windows, by agents, and over HTTP."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bottega.coach.editor.schemas import (
    AtPath,
    AtPathOrAll,
    BufferUpdate,
    BufferView,
    CoachingMessage,
    Content,
    DiffList,
    FilePath,
    FileSave,
    HighlightInput,
    HighlightLines,
    HintFilesInput,
    IssueInput,
    MessageInput,
    SaveAck,
    Scroll,
    Selection,
    ShowIssue,
    TabSwitch,
    TerminalInput,
    TerminalSize,
    Tree,
)
from bottega.coach.editor.state import buffer, content_of, diffs, folder_of
from bottega.core.operations import Get, McpTool, Put, SocketMessage, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Incoming
from bottega.errors import BottegaError, InvalidInput

if TYPE_CHECKING:
    from bottega.coach.service import Coach

DONE = {"success": True}


@operation(
    McpTool(
        "paige_get_buffer", "A file as it is in the editor; null if untouched.", read_only=True
    ),
    Get("/coach/buffer"),
)
async def show_buffer(coach: "Coach", asked: AtPath, caller: Caller) -> BufferView | None:
    """A file as it is in the editor, or null."""
    return buffer(coach.editor_of(caller), asked.path)


@operation(McpTool("paige_get_open_files", "Open files.", read_only=True))
async def get_open_files(coach: "Coach", caller: Caller) -> dict[str, Any]:
    return {"files": list(coach.editor_of(caller).open_files)}


@operation(
    McpTool("paige_get_diff", "Unsaved changes as unified diffs.", read_only=True),
    Get("/coach/diffs", describe={"path": None}),
)
async def list_diffs(coach: "Coach", asked: AtPathOrAll, caller: Caller) -> DiffList:
    """Unsaved changes of one file, or of all."""
    return DiffList(diffs=await diffs(coach.editor_of(caller), asked.path))


@operation(Get("/coach/files"))
async def read_file(coach: "Coach", asked: AtPath, caller: Caller) -> Content:
    """A file with its unsaved edits, if it has any."""
    return await content_of(coach.editor_of(caller), asked.path)


@operation(Put("/coach/files"), needs=Right.EDIT)
async def save_file(coach: "Coach", asked: FileSave, caller: Caller) -> SaveAck:
    """The person's own save, as `file:save` is. No agent has this."""
    return await coach.editor_service.save(coach.editor_of(caller), asked.path, asked.content)


@operation(McpTool("paige_open_file", "Show a file in the editor."))
async def open_file(coach: "Coach", asked: AtPath, caller: Caller) -> dict[str, Any]:
    shown = await coach.display.open_file(coach.editor_of(caller), asked.path)
    return {"success": True, "path": shown.path}


@operation(McpTool("paige_highlight_lines", "Highlight lines, beside those before."))
async def highlight_lines(coach: "Coach", asked: HighlightInput, caller: Caller) -> dict[str, Any]:
    await coach.display.highlight(coach.editor_of(caller), HighlightLines(**asked.model_dump()))
    return DONE


@operation(McpTool("paige_clear_highlights", "Remove highlights."))
async def clear_highlights(coach: "Coach", asked: AtPathOrAll, caller: Caller) -> dict[str, Any]:
    coach.display.clear_highlights(coach.editor_of(caller), asked.path)
    return DONE


@operation(McpTool("paige_hint_files", "Mark files in the tree."))
async def hint_files(coach: "Coach", asked: HintFilesInput, caller: Caller) -> dict[str, Any]:
    await coach.display.hint_files(coach.editor_of(caller), asked.all())
    return DONE


@operation(McpTool("paige_clear_hints", "Unmark the tree."))
async def clear_hints(coach: "Coach", caller: Caller) -> dict[str, Any]:
    coach.display.clear_hints(coach.editor_of(caller))
    return DONE


@operation(McpTool("paige_show_message", "Tell the person something."))
async def show_message(coach: "Coach", asked: MessageInput, caller: Caller) -> dict[str, Any]:
    message = CoachingMessage(message=asked.message, message_type=asked.type, anchor=asked.anchor)
    await coach.display.message(coach.editor_of(caller), message)
    return DONE


@operation(McpTool("paige_show_issue_context", "Show the issue."))
async def show_issue_context(coach: "Coach", asked: IssueInput, caller: Caller) -> dict[str, Any]:
    coach.display.issue(coach.editor_of(caller), ShowIssue(**asked.model_dump()))
    return DONE


@operation(SocketMessage("file:open"), needs=Right.READ)
async def open_in_window(coach: "Coach", asked: FilePath, incoming: Incoming[Any]) -> None:
    caller = incoming.connection.caller
    highlights = await coach.editor_service.open(coach.editor_of(caller), asked.path)
    # Other windows have them already, and would show them twice.
    for shown in highlights:
        incoming.connection.send(shown.type, shown)


@operation(SocketMessage("file:save"), needs=Right.EDIT)
async def save_in_window(coach: "Coach", asked: FileSave, caller: Caller) -> None:
    # `fs:save_error` was sent to all windows, the sender's included.
    with suppress(BottegaError):
        await coach.editor_service.save(coach.editor_of(caller), asked.path, asked.content)


@operation(SocketMessage("file:close"), needs=Right.READ)
async def close_file(coach: "Coach", asked: FilePath, caller: Caller) -> None:
    await coach.editor_service.close(coach.editor_of(caller), asked.path)


@operation(SocketMessage("buffer:update"), needs=Right.EDIT)
async def update_buffer(coach: "Coach", edit: BufferUpdate, incoming: Incoming[Any]) -> None:
    kept = await coach.editor_service.edit(coach.editors.of_sender(incoming), edit)
    if not kept and incoming.id is not None:
        raise InvalidInput(f"{edit.path} is a binary file and has no buffer.")


@operation(SocketMessage("editor:tab_switch"), needs=Right.READ)
async def switch_tab(coach: "Coach", switch: TabSwitch, caller: Caller) -> None:
    await coach.editor_service.switch_tab(coach.editor_of(caller), switch)


@operation(SocketMessage("editor:selection"), needs=Right.READ)
async def select(coach: "Coach", selection: Selection, caller: Caller) -> None:
    await coach.editor_service.select(coach.editor_of(caller), selection)


@operation(SocketMessage("editor:scroll"), needs=Right.READ)
async def scroll(_coach: "Coach", _asked: Scroll) -> None:
    """What a person looks at tells the coach nothing (story 4: too noisy to log)."""


@operation(SocketMessage("explorer:expand_dir"), needs=Right.READ)
async def expand_folder(coach: "Coach", asked: FilePath, incoming: Incoming[Any]) -> None:
    root = await folder_of(coach.editors.of_sender(incoming), asked.path)
    # As it is: a model of tens of thousands of nodes would be copied node by node.
    incoming.reply(Tree.type, {"root": root})


@operation(SocketMessage("explorer:collapse_dir"), needs=Right.READ)
async def collapse_folder(_coach: "Coach", _asked: FilePath) -> None:
    """Nothing to do: as with scrolling."""


@operation(SocketMessage("terminal:ready"), SocketMessage("terminal:resize"), needs=Right.READ)
async def resize_terminal(coach: "Coach", size: TerminalSize, caller: Caller) -> None:
    coach.editor_of(caller).terminal = (size.cols, size.rows)


@operation(SocketMessage("terminal:input"), needs=Right.EDIT)
async def type_in_terminal(coach: "Coach", _typed: TerminalInput, caller: Caller) -> None:
    coach.editor_service.type_in_terminal(coach.editor_of(caller))
