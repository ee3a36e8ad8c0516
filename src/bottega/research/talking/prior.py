"""Research that came before, as a follow-up question finds it."""

from pydantic import BaseModel, ConfigDict


class PriorSection(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    #: `P1`, `P2` … in the order in which they are given.
    label: str
    heading: str
    #: The first 200 characters of what it said.
    excerpt: str
    run_id: str
    #: References of the paragraphs that it cited.
    citations: list[str] = []


class PriorResearch(BaseModel):
    model_config = ConfigDict(frozen=True)

    #: What was asked then.
    question: str | None = None
    #: The newest first; at most 30 over a chain of follow-ups.
    sections: list[PriorSection] = []
    #: Every paragraph that was cited, by reference: delta retrieval leaves these out.
    cited: list[str] = []

    def __bool__(self) -> bool:
        return bool(self.sections)
