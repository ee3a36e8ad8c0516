"""Files, editor, explorer and terminal over WebSocket."""

from contextlib import suppress
from typing import Any

from bottega.coach.desk.contents import folder_of
from bottega.coach.desk.desk import Desks
from bottega.coach.desk.editing import Editing
from bottega.coach.protocol.files import (
    BufferUpdate,
    FilePath,
    FileSave,
    Scroll,
    Selection,
    TabSwitch,
    TerminalInput,
    TerminalSize,
    Tree,
)
from bottega.core.rooms import Incoming, Message
from bottega.errors import BottegaError, InvalidInput


def messages(desks: Desks, editing: Editing) -> list[Message[Any]]:
    return [
        *file_messages(desks, editing),
        *editor_messages(desks, editing),
        *explorer_messages(desks),
        *terminal_messages(desks, editing),
    ]


def file_messages(desks: Desks, editing: Editing) -> list[Message[Any]]:
    async def open_file(incoming: Incoming[FilePath]) -> None:
        highlights = await editing.open(desks.of_sender(incoming), incoming.payload.path)
        # Other windows have them already, and would show them twice.
        for shown in highlights:
            incoming.connection.send(shown.type, shown)

    async def save_file(incoming: Incoming[FileSave]) -> None:
        asked = incoming.payload
        # `fs:save_error` has told it to everyone, the sender included.
        with suppress(BottegaError):
            await editing.save(desks.of_sender(incoming), asked.path, asked.content)

    async def close_file(incoming: Incoming[FilePath]) -> None:
        await editing.close(desks.of_sender(incoming), incoming.payload.path)

    return [
        Message("file:open", FilePath, open_file),
        Message("file:save", FileSave, save_file),
        Message("file:close", FilePath, close_file),
    ]


def editor_messages(desks: Desks, editing: Editing) -> list[Message[Any]]:
    async def update_buffer(incoming: Incoming[BufferUpdate]) -> None:
        kept = await editing.edit(desks.of_sender(incoming), incoming.payload)
        if not kept and incoming.id is not None:
            raise InvalidInput(f"{incoming.payload.path} is a binary file and has no buffer.")

    async def switch_tab(incoming: Incoming[TabSwitch]) -> None:
        await editing.switch_tab(desks.of_sender(incoming), incoming.payload)

    async def select(incoming: Incoming[Selection]) -> None:
        await editing.select(desks.of_sender(incoming), incoming.payload)

    return [
        Message("buffer:update", BufferUpdate, update_buffer),
        Message("editor:tab_switch", TabSwitch, switch_tab),
        Message("editor:selection", Selection, select),
        Message("editor:scroll", Scroll, _ignore),
    ]


def explorer_messages(desks: Desks) -> list[Message[Any]]:
    async def expand(incoming: Incoming[FilePath]) -> None:
        root = await folder_of(desks.of_sender(incoming), incoming.payload.path)
        # As it is: a model of tens of thousands of nodes would be copied node by node.
        incoming.reply(Tree.type, {"root": root})

    return [
        Message("explorer:expand_dir", FilePath, expand),
        Message("explorer:collapse_dir", FilePath, _ignore),
    ]


def terminal_messages(desks: Desks, editing: Editing) -> list[Message[Any]]:
    async def measure(incoming: Incoming[TerminalSize]) -> None:
        size = incoming.payload
        desks.of_sender(incoming).terminal = (size.cols, size.rows)

    async def type_in(incoming: Incoming[TerminalInput]) -> None:
        editing.type_in_terminal(desks.of_sender(incoming))

    return [
        Message("terminal:ready", TerminalSize, measure),
        Message("terminal:resize", TerminalSize, measure),
        Message("terminal:input", TerminalInput, type_in),
    ]


async def _ignore(_incoming: Incoming[Any]) -> None:
    """What a person looks at tells the coach nothing (story 4: too noisy to log)."""
