"""A request for an explanation, and the explanation."""

from typing import ClassVar

from pydantic import AliasChoices, Field

from bottega.coach.editor.schemas import Outgoing, Range
from bottega.core.wire import Wired


class Explain(Wired):
    """What is not given is looked up: the language by the path, the context in the file."""

    path: str
    language: str | None = None
    selection: Range = Field(validation_alias=AliasChoices("selection", "range"))
    selected_text: str = ""
    surrounding_context: str | None = None


class Explanation(Outgoing):
    type: ClassVar[str] = "explain:response"
    path: str
    explanation: str
    key_concepts: list[str]
    analogy: str | None
    related_files: list[str] | None
    phase_connection: str | None
    offline: bool = False


class ExplainError(Outgoing):
    type: ClassVar[str] = "explain:error"
    path: str
    error: str
