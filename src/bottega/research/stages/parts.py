"""What the stages need of the house, beside what each run brings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bottega.core.services import Core
from bottega.library.service import LibraryService, WebResults


class Web(Protocol):
    async def search(
        self, queries: Sequence[str], *, max_results_per_query: int, user_id: str
    ) -> WebResults: ...


@dataclass(frozen=True, slots=True)
class Parts:
    core: Core
    libraries: LibraryService
    web: Web
    data_dir: Path
