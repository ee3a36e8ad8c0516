"""Transcripts that other agents wrote of their sessions, imported to be searched like all else."""
