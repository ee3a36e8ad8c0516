"""Where a research session's files are: a mirror for people and tools, never the truth.

{DATA_DIR}/research/sessions/{id}/session.jsonl
{DATA_DIR}/research/sessions/{id}/data/pipeline-state.json, pipeline-summary.json, answer.json
{DATA_DIR}/research/sessions/{id}/output/…md
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SessionFolder:
    path: Path

    @property
    def transcript(self) -> Path:
        return self.path / "session.jsonl"

    @property
    def state(self) -> Path:
        return self.path / "data" / "pipeline-state.json"

    @property
    def summary(self) -> Path:
        return self.path / "data" / "pipeline-summary.json"

    @property
    def answer(self) -> Path:
        return self.path / "data" / "answer.json"

    @property
    def output(self) -> Path:
        return self.path / "output"


def session_folder(data_dir: Path, session_id: str) -> SessionFolder:
    return SessionFolder(data_dir / "research" / "sessions" / session_id)
