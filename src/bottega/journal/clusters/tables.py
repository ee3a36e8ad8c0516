"""The last clustering of each axis."""

from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base


class ClusterSnapshot(Base):
    """The last clustering of an axis, so that labels outlive a restart."""

    __tablename__ = "journal_clusters"

    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    project: Mapped[str] = mapped_column(primary_key=True)
    axis: Mapped[str] = mapped_column(primary_key=True)
    #: What the data were when it was made.
    fingerprint: Mapped[str]
    #: The ids of each label's members.
    members: Mapped[dict[str, Any]]
    #: A label is never used for another cluster, since values name it.
    next_label: Mapped[int]
