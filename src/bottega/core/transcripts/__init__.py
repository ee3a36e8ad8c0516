"""What other agents wrote down of their sittings, taken in to be searched like everything else."""

from bottega.core.transcripts.files import NotATranscript, find_files, read_transcripts
from bottega.core.transcripts.importing import Transcripts
from bottega.core.transcripts.transcript import Said, Transcript

__all__ = [
    "NotATranscript",
    "Said",
    "Transcript",
    "Transcripts",
    "find_files",
    "read_transcripts",
]
