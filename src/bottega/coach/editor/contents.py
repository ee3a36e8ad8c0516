"""What a person sees of the project: their unsaved edits where there are any, else the disk."""

from bottega.coach.editor.schemas import BufferView, Content, DiffView, Position
from bottega.coach.editor.state import EditorState
from bottega.core.files.encoding import count_lines
from bottega.core.files.languages import language_of
from bottega.core.files.tree import TreeNode
from bottega.errors import InvalidInput, NotFound


async def content_of(editor: EditorState, path: str) -> Content:
    key = editor.files.sandbox.relative(path)
    edited = editor.files.get_buffer(key)
    if edited is not None and edited.dirty:
        return Content(
            path=key,
            content=edited.content,
            language=language_of(key),
            line_count=count_lines(edited.content),
            saved=await _saved(editor, key),
        )
    saved = await editor.files.read(key)
    if saved.binary:
        raise InvalidInput(f"{key} is a binary file. Open it with a program that is made for it.")
    return Content(
        path=key, content=saved.content, language=saved.language, line_count=saved.line_count
    )


async def _saved(editor: EditorState, key: str) -> str:
    try:
        return (await editor.files.read(key)).content
    except NotFound:
        # New, or deleted while it was open.
        return ""


async def folder_of(editor: EditorState, path: str) -> TreeNode:
    """The tree from a folder down; the whole of it from `""`."""
    key = editor.files.sandbox.relative(path)
    node = await editor.files.tree()
    for name in key.split("/") if key else ():
        found = next((child for child in node.get("children", ()) if child["name"] == name), None)
        if found is None:
            raise NotFound(f"There is no folder {key} in the project's tree.")
        node = found
    if node["type"] != "directory":
        raise InvalidInput(f"{key} is a file, not a folder. Open it with `file:open`.")
    return node


def buffers(editor: EditorState) -> list[BufferView]:
    return [
        view for path in editor.files.buffers.all() if (view := buffer(editor, path)) is not None
    ]


def buffer(editor: EditorState, path: str) -> BufferView | None:
    """FR-066."""
    entry = editor.files.get_buffer(path)
    if entry is None:
        return None
    cursor = entry.cursor_position
    return BufferView(
        path=editor.files.sandbox.relative(path),
        content=entry.content,
        cursor_position=Position(line=cursor.line, column=cursor.column),
        dirty=entry.dirty,
        last_updated=entry.last_updated,
    )


async def diffs(editor: EditorState, path: str | None = None) -> list[DiffView]:
    """FR-069: of one file, or of every unsaved one. A clean file has none (EC-34)."""
    if path is None:
        found = await editor.files.get_diffs()
    else:
        found = {editor.files.sandbox.relative(path): await editor.files.get_diff(path)}
    return [DiffView(path=key, diff=diff) for key, diff in found.items() if diff]
