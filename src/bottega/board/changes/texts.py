"""The texts of a change by the names of their files, in the database and on disk."""

import hashlib

from bottega.board.changes.tables import Change
from bottega.board.openspec.layout import checked_capability
from bottega.board.openspec.metadata import FILE_NAME
from bottega.board.openspec.reader import ChangeOnDisk
from bottega.board.openspec.texts import TextFile
from bottega.core.db.database import storable
from bottega.errors import InvalidInput

PROPOSAL, TASKS, DESIGN = "proposal.md", "tasks.md", "design.md"
METADATA = FILE_NAME

_COLUMNS = {
    PROPOSAL: "proposal_content",
    TASKS: "tasks_content",
    DESIGN: "design_content",
    METADATA: "metadata_content",
}
#: Those that people edit here.
EDITED = (PROPOSAL, TASKS, DESIGN)
#: Those that a change need not have.
_OPTIONAL = {DESIGN, METADATA}


def spec_name(capability: str) -> str:
    return f"specs/{capability}/spec.md"


def capability_of(name: str) -> str | None:
    """`orders` for `specs/orders/spec.md`; None for the other files."""
    inner = name.removeprefix("specs/").removesuffix("/spec.md")
    return inner if name == spec_name(inner) else None


def check_name(name: str) -> str:
    """Refuse what is no file that a person edits here."""
    if (capability := capability_of(name)) is not None:
        checked_capability(capability)
    elif name not in EDITED:
        known = ", ".join(EDITED)
        raise InvalidInput(
            f"{name[:80]!r} is no text of a change. Use {known} or {spec_name('<capability>')}."
        )
    return name


def hash_of(text: str | None) -> str | None:
    """Of the text, not of its bytes: another encoding is no other text. Nothing has no hash."""
    if text is None or not text.strip():
        return None
    return hashlib.sha256(storable(text).encode()).hexdigest()


def stored_texts(row: Change) -> dict[str, str]:
    texts = {name: getattr(row, column) for name, column in _COLUMNS.items()}
    texts |= {spec_name(capability): text for capability, text in row.specs.items()}
    return {name: text for name, text in texts.items() if text}


def store_text(row: Change, name: str, text: str | None) -> None:
    if (capability := capability_of(name)) is not None:
        # A new dictionary: SQLAlchemy does not see into this one.
        others = {key: value for key, value in row.specs.items() if key != capability}
        row.specs = others if text is None else {**others, capability: storable(text)}
        return
    empty = None if name in _OPTIONAL else ""
    setattr(row, _COLUMNS[name], empty if text is None else storable(text))


def files_on_disk(change: ChangeOnDisk) -> dict[str, TextFile]:
    named = {
        PROPOSAL: change.proposal,
        TASKS: change.tasks_file,
        DESIGN: change.design,
        METADATA: change.metadata_file,
    }
    files = {name: file for name, file in named.items() if file is not None}
    return files | {spec_name(delta.capability): delta.file for delta in change.deltas}


def hashes_on_disk(change: ChangeOnDisk) -> dict[str, str]:
    hashes = {name: hash_of(file.text) for name, file in files_on_disk(change).items()}
    return {name: found for name, found in hashes.items() if found}
