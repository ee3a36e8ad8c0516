"""The table of projects."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base


class Project(Base):
    """A directory with an `openspec` folder in it."""

    __tablename__ = "projects"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str]
    path: Mapped[str] = mapped_column(unique=True)
    openspec_path: Mapped[str]
    has_active_changes: Mapped[bool] = mapped_column(default=False)
    spec_count: Mapped[int] = mapped_column(default=0)
    scanned_at: Mapped[datetime] = mapped_column(default=clock.now)
    #: Set while its directory or its `openspec` folder is gone.
    missing_since: Mapped[datetime | None]
