import re

HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def added_lines(diff: str) -> list[tuple[int, str]]:
    added = []
    number: int | None = None
    for line in diff.splitlines():
        if header := HEADER.match(line):
            number = int(header[1])
        elif number is not None and line.startswith("+"):
            added.append((number, line[1:]))
            number += 1
        elif number is not None and line.startswith(" "):
            number += 1
    return added


WRONG = """
def added_lines(diff):
    added, number = [], 0
    for line in diff.splitlines():
        if line.startswith("@@"):
            number = int(line.split("+")[1].split(" ")[0].split(",")[0])
        elif line.startswith(("+++", "---")):
            continue
        elif line.startswith("+"):
            added.append((number, line[1:]))
            number += 1
        elif not line.startswith("-"):
            number += 1
    return added
"""

PIECES = """
def added_lines(diff):
    added = []
    lines = diff.split("\\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("@@")]
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        number = int(lines[start].split("+")[1].split(" ")[0].split(",")[0])
        for line in lines[start + 1 : end]:
            if line.startswith("+"):
                added.append((number, line[1:]))
            number += line[:1] in ("+", " ")
    return added
"""

BREAKS = {"One pass": PIECES, "The header is parsed, not sliced": PIECES}
