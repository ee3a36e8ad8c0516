import unicodedata


def read_name(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return raw.decode("latin-1").strip()


def same_name(first: str, second: str) -> bool:
    return _comparable(first) == _comparable(second)


def _comparable(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


WRONG = """
def read_name(raw):
    try:
        return raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return raw.decode("latin-1").strip()


def same_name(first, second):
    return first.casefold() == second.casefold()
"""

LOOSE = """
from unicodedata import normalize


def read_name(raw):
    raw = raw.removeprefix(bytes([239, 187, 191]))
    try:
        return raw.decode().strip()
    except UnicodeDecodeError:
        return raw.decode("latin-1").strip()


def same_name(first, second):
    def simple(name):
        return normalize("NFC", name.lower().replace("ß", "ss"))

    return simple(first) == simple(second)
"""

BREAKS = {"Name the encoding": LOOSE, "Compare properly": LOOSE}
