"""The end of a session: what it showed is counted, judged and kept (gaps, skills, memories)."""
