"""What the coach makes of a plan. Field names are the specification's."""

from pydantic import BaseModel, Field

from bottega.coach.enums import Difficulty, FileStyle, HintLevel, LineStyle


class FileHintGuidance(BaseModel):
    path: str
    style: FileStyle


class LineHintGuidance(BaseModel):
    path: str
    start: int = Field(ge=1)
    end: int = Field(ge=1)
    style: LineStyle
    hover_text: str


class HintGuidance(BaseModel):
    file_hints: list[FileHintGuidance]
    line_hints: list[LineHintGuidance]


class PhaseGuidance(BaseModel):
    number: int = Field(ge=1)
    title: str
    description: str = Field(description="What the learner reads: what to do, and why.")
    expected_files: list[str] = Field(description="Paths that the phase should change.")
    hint_level: HintLevel
    hints: HintGuidance
    knowledge_gap_opportunities: list[str] = Field(
        description="What the phase is a chance to learn, each in a few words."
    )


class Guidance(BaseModel):
    phases: list[PhaseGuidance]
    memory_connection: str | None = Field(
        description="How this resembles earlier work, in a sentence; null if it does not."
    )
    estimated_difficulty: Difficulty
