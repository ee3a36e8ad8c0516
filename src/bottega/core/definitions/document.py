"""One document: read, checked against a model, and cut at its headings."""

import difflib
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, overload

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bottega.core.definitions import frontmatter
from bottega.core.definitions.problems import DocumentError, KeyPath, Positions, Problem, place
from bottega.core.text.words import shown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Meta = TypeVar("Meta")
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Document(Generic[Meta]):
    path: str
    meta: Meta
    #: Everything after the frontmatter, with `\n` line ends.
    body: str
    #: The file's line on which the body starts.
    body_line: int = 1
    positions: Positions = field(default_factory=dict, repr=False)

    def error(self, where: KeyPath, message: str) -> DocumentError:
        """A problem found later, such as a tool that does not exist, at its place in the file."""
        return DocumentError(self.path, Problem(*place(self.positions, where), message))


@overload
def parse_document(text: str, path: str | Path = ...) -> Document[dict[str, Any]]: ...


@overload
def parse_document(text: str, path: str | Path, model: type[Model]) -> Document[Model]: ...


def parse_document(
    text: str, path: str | Path = "document", model: type[Model] | None = None
) -> Document[Any]:
    """Read a document. With a `model` the frontmatter must be there and fit it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    raw, body = frontmatter.split(text, path, required=model is not None)
    meta, positions = frontmatter.read(raw, path)
    if meta is None:
        if model is not None:
            raise DocumentError(path, Problem(2, 1, "the frontmatter must be `key: value` lines"))
        # Prose between two rules, not metadata.
        meta, body = {}, text
    checked = meta if model is None else check(meta, positions, path, model)
    body_line = text.count("\n", 0, len(text) - len(body)) + 1
    return Document(str(path), checked, body, body_line, positions)


def check(
    meta: dict[str, Any],
    positions: Positions,
    path: str | Path,
    model: type[Model],
    *,
    is_secret: bool = False,
) -> Model:
    """Raises `DocumentError` with every problem found; where values may be secret, without them."""
    try:
        return model.model_validate(meta)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=not is_secret)
        problems = (
            Problem(*place(positions, detail["loc"]), _explain(detail, model)) for detail in details
        )
        raise DocumentError(path, *problems) from None


def _explain(detail: ErrorDetails, model: type[BaseModel]) -> str:
    where = detail["loc"]
    name = ".".join(str(part) for part in where)
    if detail["type"] == "missing":
        purpose = _keys(model, where[:-1]).get(str(where[-1]))
        return f"missing key {name!r}" + (f": {purpose}" if purpose else "")
    if detail["type"] == "extra_forbidden":
        known = _keys(model, where[:-1])
        close = difflib.get_close_matches(str(where[-1]), known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
        return f"unknown key {name!r}; {hint}"
    if "input" not in detail:
        message = detail["msg"].removeprefix("Value error, ")
        return f"{name}: {message}" if name else message
    return f"{name}: {detail['msg']} (it is {shown(detail['input'])})"


def _keys(model: type[BaseModel], where: KeyPath) -> dict[str, str | None]:
    """The keys that may stand at a place, with what they are for."""
    for part in where:
        named = next(
            (info for name, info in model.model_fields.items() if part in (name, info.alias)), None
        )
        # A list's index, or a tag of a union, leads no deeper into the models.
        inner = _model_in(named.annotation) if named else model
        if inner is None:
            return {}
        model = inner
    return {info.alias or name: info.description for name, info in model.model_fields.items()}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _model_in(arg))), None)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level."""

    #: The titles from the outermost heading to this one; empty before the first heading.
    path: tuple[str, ...]
    level: int
    #: The file's lines, both included.
    start_line: int
    end_line: int
    text: str


def sections(document: Document[Any]) -> list[Section]:
    """All sections in order; text before the first heading is one without a path."""
    lines = document.body.removesuffix("\n").split("\n")
    headings = _headings(document.body)
    ends = [*(start for start, _, _ in headings[1:]), len(lines)]
    found: list[Section] = []
    outline: list[tuple[int, str]] = []
    for (start, level, title), end in zip(headings, ends, strict=True):
        text = "\n".join(lines[start:end])
        if level:
            outline = [*((above, name) for above, name in outline if above < level), (level, title)]
        elif not text.strip():
            continue
        first, last = document.body_line + start, document.body_line + end - 1
        found.append(Section(tuple(name for _, name in outline), level, first, last, text))
    return found


def _headings(body: str) -> list[tuple[int, int, str]]:
    """Line, level and title of each; the document's start counts as one of level 0."""
    tokens = _markdown().parse(body)
    return [(0, 0, "")] + [
        (token.map[0], int(token.tag[1:]), inline.content)
        for token, inline in pairwise(tokens)
        # Those inside quotes and lists do not divide the document.
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
