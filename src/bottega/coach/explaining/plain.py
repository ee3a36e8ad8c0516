"""What can be told of any text, whatever language it is in: no tree, so no claims about meaning."""

import re
from collections import Counter

from bottega.coach.explaining.phrasing import code, codes, counted, sentence
from bottega.coach.explaining.selection import Selection

_DEFINES = re.compile(
    r"\b(?:func|fn|fun|def|class|struct|interface|enum|trait|impl|module|namespace|package|type|"
    r"function|procedure|sub|table|view|resource|message|service)\s+([A-Za-z_]\w*)"
)
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_COMMENT_STARTS = ("#", "//", "--", "/*", "*", ";", "%", "<!--")
_COMMENT_SIGNS = "#/-*;%<!> \t"


def tell_plainly(selection: Selection, text: str) -> list[str]:
    """Sentences about the text's size, shape, names and comments."""
    lines = text.splitlines()
    filled = [line for line in lines if line.strip()]
    if not filled:
        return ["There is nothing here to explain: neither the selection nor the code around it."]
    language = f" of {selection.language_words}" if selection.language_words else ""
    told = [f"{counted(len(lines), 'line')}{language}, {len(filled)} of them not empty."]
    told.append(f"It begins with {code(filled[0].strip())}.")
    if selection.language_words and (defined := list(dict.fromkeys(_DEFINES.findall(text)))):
        told.append(f"By the look of it, it defines {codes(defined)}.")
    counts = Counter(_NAME.findall(text))
    if often := [name for name, count in counts.most_common(6) if count > 1]:
        told.append(f"The words that return most often are {codes(often)}.")
    if comments := list(filter(None, map(_comment, filled))):
        told.append(sentence(f"its author notes: {codes(comments, most=3)}"))
    deepest = max(len(line) - len(line.lstrip()) for line in filled)
    if deepest:
        told.append(f"The deepest line is indented by {counted(deepest, 'character')}.")
    return told


def _comment(line: str) -> str:
    """What a line of comment says; nothing for another line."""
    line = line.strip()
    return line.strip(_COMMENT_SIGNS) if line.startswith(_COMMENT_STARTS) else ""
