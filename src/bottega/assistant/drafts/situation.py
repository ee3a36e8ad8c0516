"""What an agent knows when it is asked to go on: read from what a model would be sent.

Everything comes from the prompt and the conversation, so that what is switched off or set aside
there is unknown here too.

Importing this imports Pydantic AI.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import unescape

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from bottega.assistant.drafts.playbook import SourceKind
from bottega.assistant.drafts.revision_requests import read_requests
from bottega.assistant.loop.agent_loop import LAST_ANSWER
from bottega.assistant.memory_files.paths import entrypoint_of
from bottega.assistant.workspace.view import CLASSES
from bottega.conversation.tools import OPENING as HANDED_OVER

_TAG = r"<{name}(?P<attributes>(?: [\w]+=(?:\"[^\"]*\"|'[^']*'))*)>\n(?P<text>.*?)\n</{name}>"
_ATTRIBUTE = re.compile(r"(\w+)=(?:\"([^\"]*)\"|'([^']*)')")
_ENTITY = re.compile(r"&(lt|amp);")
_NUMBERED = re.compile(r"^\s*L?(\d+)(?::|\||→|\t)[ \t]?")
_NAMED = re.compile(r"^- (?P<name>[^\n:]+)(?:: (?P<line>.+))?$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,4} \S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToolResult:
    tool: str
    arguments: Mapping[str, object]
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    #: What the person asked for in this turn.
    request: str
    #: What was said last: the request, or what a hook or another agent asks.
    prompt: str
    #: Shown in the prompt or read since, by path.
    files: Mapping[str, str]
    #: Only named in the prompt.
    other_files: Sequence[str]
    memory: Mapping[str, str]
    #: What the person said beside the request, such as a corrected feedforward.
    said: str
    #: Name and line of each skill that may be read.
    skills: Mapping[str, str]
    tools: Mapping[str, ToolDefinition]
    #: Of this turn, oldest first.
    results: Sequence[ToolResult]
    #: The newest text with headings that an agent gave.
    document: str

    @property
    def class_id(self) -> str | None:
        profile = next((path for path in self.files if _origin(path) is SourceKind.CLASS), None)
        return profile.rsplit("/", 1)[-1].removesuffix(".md") if profile else None

    def of(self, origin: SourceKind) -> Mapping[str, str]:
        """Files, memory or skills that were read, by what they are."""
        if origin is SourceKind.MEMORY:
            return self.memory
        if origin is SourceKind.SKILLS:
            return {name: text for name, text in self.read("read_skill") if text}
        return {path: text for path, text in self.files.items() if _origin(path) is origin}

    def text_of(self, *origins: SourceKind) -> str:
        return "\n".join(text for origin in origins for text in self.of(origin).values())

    def read(self, tool: str) -> Iterator[tuple[str, str]]:
        """What was asked of a tool that takes one thing, and what it gave; empty if it failed."""
        for result in self.results:
            if result.tool == tool:
                asked = next((each for each in result.arguments.values() if each), "")
                yield str(asked), "" if result.failed else result.text


def look(
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
    instructions: str,
    standing: str = "",
) -> Situation:
    """`standing` is the document as hooks left it, which goes before what the conversation has."""
    turn = _this_turn(messages)
    prompts = [text for message in turn for text in _prompts(message)]
    results = list(_results(turn))
    shown = {at["path"]: plain_lines(text) for at, text in _tags(instructions, "file")}
    read = {
        str(result.arguments.get("path", "")).removeprefix("workspace/"): plain_lines(result.text)
        for result in results
        if result.tool == "read_file" and not result.failed
    }
    class_memory = {
        str(entrypoint_of(at.get("class"))): text
        for at, text in _tags(instructions, "class_memory")
    }
    own_memory = {
        str(entrypoint_of(None)): text for _, text in _tags(instructions, "teacher_memory")
    }
    return Situation(
        request=prompts[0] if prompts else "",
        prompt=prompts[-1] if prompts else "",
        files={**shown, **read},
        other_files=[name for name, _ in _named(instructions, "other_files")],
        memory={path: _below_note(text) for path, text in {**class_memory, **own_memory}.items()},
        said="\n".join(text for _, text in _tags(instructions, "addition")),
        skills=dict(_named(instructions, "skills")),
        tools={tool.name: tool for tool in parameters.function_tools},
        results=results,
        document=standing if _HEADING.search(standing) else _newest_document(messages),
    )


def plain_lines(text: str) -> str:
    """A text without the numbers before its lines, if it has any."""
    lines = text.split("\n")
    if lines[-1].startswith("(Lines "):  # read_file says so of a long file
        lines.pop()
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(match[1]) for match in found if match]
    first = numbers[0] if numbers else 0
    if not lines or numbers != list(range(first, first + len(lines))):
        return text
    plain = [line[match.end() :] for line, match in zip(lines, found, strict=True) if match]
    # Lines keep their numbers: a piece from the middle of a file begins in the middle.
    return "\n".join([*[""] * (first - 1), *plain])


def _origin(path: str) -> SourceKind:
    if path.startswith(f"{CLASSES}/"):
        return SourceKind.CLASS
    return SourceKind.TOPICS if "/" in path else SourceKind.PERSON


def _this_turn(messages: Sequence[ModelMessage]) -> Sequence[ModelMessage]:
    """From what the person asked for, over revisions and handovers, to now."""
    starts = [
        number
        for number, message in enumerate(messages)
        if any(not is_from_the_loop(text) for text in _prompts(message))
    ]
    return messages[starts[-1] if starts else 0 :]


def is_from_the_loop(prompt: str) -> bool:
    """Whether a hook, another agent or the loop itself said it, and not the person."""
    return read_requests(prompt) is not None or prompt.startswith((HANDED_OVER, LAST_ANSWER))


def _prompts(message: ModelMessage) -> list[str]:
    if not isinstance(message, ModelRequest):
        return []
    parts = [part for part in message.parts if isinstance(part, UserPromptPart)]
    return [
        part.content
        if isinstance(part.content, str)
        else " ".join(each for each in part.content if isinstance(each, str))
        for part in parts
    ]


def _results(messages: Sequence[ModelMessage]) -> Iterator[ToolResult]:
    asked = {
        call.tool_call_id: call.args_as_dict()
        for message in messages
        if isinstance(message, ModelResponse)
        for call in message.tool_calls
    }
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and part.tool_call_id in asked:
                arguments, failed = asked[part.tool_call_id], part.outcome != "success"
                yield ToolResult(part.tool_name, arguments, part.model_response_str(), failed)


def _newest_document(messages: Sequence[ModelMessage]) -> str:
    for message in reversed(messages):
        if isinstance(message, ModelResponse) and _HEADING.search(message.text or ""):
            return message.text or ""
    return ""


def _tags(text: str, name: str) -> Iterator[tuple[dict[str, str], str]]:
    for found in re.finditer(_TAG.format(name=name), text, re.DOTALL):
        attributes = {
            match[1]: unescape(match[2] or match[3] or "")
            for match in _ATTRIBUTE.finditer(found["attributes"])
        }
        yield attributes, _ENTITY.sub(lambda e: "<" if e[1] == "lt" else "&", found["text"])


def _named(text: str, section: str) -> Iterator[tuple[str, str]]:
    for _, lines in _tags(text, section):
        yield from ((match["name"], match["line"] or "") for match in _NAMED.finditer(lines))


def _below_note(text: str) -> str:
    """Without the line of ours that says what memory is."""
    return text.partition("\n")[2]
