"""What an answer's file is called: after its question, in any language."""

import unicodedata
from pathlib import PurePath

#: A name has at most 255 bytes on every file system; the rest is for the run's id and the ending.
LONGEST_SLUG = 80


def document_name(pattern: str, question: str, run_id: str) -> str:
    """Made from the question in any language, and the run's own: `crane-limits-019a….md`."""
    # Whatever the agent's file says, it is a name and not a way out of the folder.
    stem = PurePath(pattern.replace("{slug}", make_slug(question))).stem
    return f"{make_slug(stem)}-{make_slug(run_id)}.md"


def make_slug(text: str) -> str:
    letters = "".join(
        each if unicodedata.category(each)[0] in "LMN" else "-"
        for each in unicodedata.normalize("NFC", text).lower()
    )
    words = "-".join(word for word in letters.split("-") if word)
    cut = words.encode()[:LONGEST_SLUG].decode(errors="ignore").strip("-")
    return cut or "answer"
