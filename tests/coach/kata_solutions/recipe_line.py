def read_ingredient(line: str) -> tuple[float, str, str]:
    amount, unit, *name = line.split()
    if not name:
        raise ValueError(f"a line needs an amount, a unit and a name: {line!r}")
    return float(amount.replace(",", ".")), unit, " ".join(name)


WRONG = """
def read_ingredient(line):
    amount, unit, name = line.strip().split(" ", 2)
    return float(amount.replace(",", ".")), unit, name
"""

WITH_RE = r"""
import re


def read_ingredient(line):
    words = re.findall(r"\S+", line)
    if len(words) < 3:
        raise ValueError(line)
    return float(words[0].replace(",", ".")), words[1], " ".join(words[2:])
"""

BREAKS = {"No regular expressions": WITH_RE, "No walking by character": WITH_RE}
