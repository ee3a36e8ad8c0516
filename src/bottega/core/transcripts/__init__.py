"""Transcripts that other agents wrote of their sessions, imported to be searched like all else."""

from bottega.core.transcripts.files import NotATranscript, find_files, read_transcripts
from bottega.core.transcripts.importer import Transcripts
from bottega.core.transcripts.transcript import Transcript, TranscriptMessage

__all__ = [
    "NotATranscript",
    "Transcript",
    "TranscriptMessage",
    "Transcripts",
    "find_files",
    "read_transcripts",
]
