"""Text of others in our markdown: shown as it is, and never as markup of its own."""

import re
from urllib.parse import quote, urlsplit

#: What begins emphasis, code, links, tables and HTML.
_MARKUP = re.compile(r"[\\`*_\[\]|~]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
#: What makes a heading, a rule or a list of a line that begins with it.
_LINE_START = re.compile(r"^(\s*)([#=+-])", re.MULTILINE)
#: Control characters, and marks that turn the direction of writing to deceive the eye.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


def escape(text: str) -> str:
    """Keeps line breaks; see `escape_line`."""
    text = _UNSEEN.sub(" ", text)
    text = "".join(_ENTITIES.get(each, each) for each in text)
    text = _MARKUP.sub(r"\\\g<0>", text)
    return _LINE_START.sub(r"\1\\\2", text)


def escape_line(text: str) -> str:
    return escape(" ".join(text.split()))


def quote_block(text: str) -> str:
    """As a block quote of markdown, line by line."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def safe_url(url: str) -> str | None:
    """An address that a link may lead to: of the web, and nothing in it ends the link."""
    try:
        scheme = urlsplit(url.strip()).scheme
    except ValueError:
        return None
    if scheme not in ("http", "https"):
        return None
    return quote(url.strip(), safe="%/:=&?~#+!$,;@*-._")
