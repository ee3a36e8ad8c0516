"""Conversation sessions: their mirror in files, titles, labels and transcripts."""
