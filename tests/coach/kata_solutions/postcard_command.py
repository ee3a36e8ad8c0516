import argparse


def read_arguments(argv: list[str]) -> dict[str, object]:
    parser = argparse.ArgumentParser("postcard")
    parser.add_argument("place", help="what the card shows")
    parser.add_argument("--copies", type=number_of_copies, default=1, help="how many, 1 to 50")
    parser.add_argument("--urgent", action="store_true", help="print it first")
    return vars(parser.parse_args(argv))


def number_of_copies(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 50:
        raise argparse.ArgumentTypeError(f"we print 1 to 50 copies, not {count}")
    return count


WRONG = """
import argparse


def read_arguments(argv):
    parser = argparse.ArgumentParser("postcard")
    parser.add_argument("place")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--urgent", action="store_true")
    arguments = parser.parse_args(argv)
    if not 1 <= arguments.copies <= 50:
        raise ValueError(arguments.copies)
    return vars(arguments)
"""

LATE = WRONG.replace("raise ValueError(arguments.copies)", 'parser.error("1 to 50 copies")')

BREAKS = {
    "The library parses": """
def read_arguments(argv):
    found = {"place": None, "copies": "1", "urgent": False}
    words, only_places = list(argv), False
    while words:
        word = words.pop(0)
        if not only_places and word == "--":
            only_places = True
        elif not only_places and word == "--urgent":
            found["urgent"] = True
        elif not only_places and word == "--copies" and words:
            found["copies"] = words.pop(0)
        elif not only_places and word.startswith("--copies="):
            found["copies"] = word.removeprefix("--copies=")
        elif found["place"] is not None or (word.startswith("-") and not only_places):
            raise SystemExit(2)
        else:
            found["place"] = word
    if found["place"] is None or not found["copies"].isdigit():
        raise SystemExit(2)
    found["copies"] = int(found["copies"])
    if not 1 <= found["copies"] <= 50:
        raise SystemExit(2)
    return found
""",
    "A type for copies": LATE,
    "Help that helps": LATE,
}
