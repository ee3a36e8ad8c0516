"""What a learner can do, and what they cannot do yet."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json
from bottega.core.users import LOCAL_USER


class DreyfusAssessment(Base):
    """FR-018; one for each of a user's skills."""

    __tablename__ = "dreyfus_assessments"
    __table_args__ = (UniqueConstraint("user_id", "skill_area"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), default=LOCAL_USER
    )
    skill_area: Mapped[str]
    stage: Mapped[str]
    confidence: Mapped[float]
    evidence: Mapped[str]
    #: How coaching should meet it.
    recommendation: Mapped[str]
    assessed_at: Mapped[datetime] = mapped_column(default=clock.now)


class KnowledgeGap(Base):
    """FR-019. The session is the one that first showed it."""

    __tablename__ = "knowledge_gaps"
    __table_args__ = (Index("ix_knowledge_gaps_user_addressed", "user_id", "addressed"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), index=True
    )
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), default=LOCAL_USER
    )
    topic: Mapped[str]
    severity: Mapped[str]
    evidence: Mapped[str]
    related_concepts: Mapped[list[str]] = mapped_column(Json)
    #: In how many sessions it was met.
    frequency: Mapped[int] = mapped_column(default=1)
    last_encountered_at: Mapped[datetime] = mapped_column(default=clock.now)
    addressed: Mapped[bool] = mapped_column(default=False)
