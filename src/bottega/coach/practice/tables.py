"""A learner's katas, each with its attempts."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json


class KataSpec(Base):
    """FR-020."""

    __tablename__ = "kata_specs"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    knowledge_gap_id: Mapped[str] = mapped_column(
        ForeignKey("knowledge_gaps.id", ondelete="CASCADE"), index=True
    )
    title: Mapped[str]
    description: Mapped[str]
    scaffolding_code: Mapped[str]
    #: For the reviewer; the learner never sees them.
    instructor_notes: Mapped[str]
    #: Python snippets with asserts, run against a solution.
    test_cases: Mapped[list[str]] = mapped_column(Json)
    #: `[{title, description, minLevel, check?}]`
    constraints: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    #: `[{code, review, level, passed, constraints}]`, oldest first
    user_attempts: Mapped[list[dict[str, Any]]] = mapped_column(Json, default=list)
    #: The catalogue's kata that it is, if it is one of those.
    slug: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
