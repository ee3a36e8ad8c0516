import json


def count_birds(text: str) -> tuple[dict[str, int], list[int]]:
    birds: dict[str, int] = {}
    unusable = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if sighting := read_sighting(line):
            species, count = sighting
            birds[species] = birds.get(species, 0) + count
        else:
            unusable.append(number)
    return birds, unusable


def read_sighting(line: str) -> tuple[str, int] | None:
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return None
    if not isinstance(record, dict):
        return None
    species, count = record.get("species"), record.get("count")
    if not isinstance(species, str) or not species:
        return None
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        return None
    return species, count


WRONG = """
import json


def count_birds(text):
    birds, bad = {}, []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            species, count = record["species"], record["count"]
            if not isinstance(species, str) or not species:
                raise ValueError(species)
            if not isinstance(count, int) or count < 1:
                raise ValueError(count)
        except (ValueError, KeyError, TypeError):
            bad.append(number)
        else:
            birds[species] = birds.get(species, 0) + count
    return birds, bad
"""

WIDE = WRONG.replace("not isinstance(count, int)", "type(count) is not int")

BREAKS = {"The try is small": WIDE, "One record, one function": WIDE}
