"""Prompts of one endpoint, and what can be typed into their arguments and into addresses."""

from collections.abc import Container, Mapping

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    PromptMessage,
    PromptReference,
    TextContent,
)
from mcp_types import Prompt as WirePrompt
from mcp_types import PromptArgument as WireArgument

from bottega.core.roles import Grant
from bottega.core.rooms import Complete, Given, Prompt
from bottega.errors import InvalidInput
from bottega.server.mcp.catalog import Catalog
from bottega.server.mcp.requests import Context, caller_in, refusing

#: Characters.
LONGEST_VALUE = 20_000
#: More are not sent (the protocol's own limit).
MOST_COMPLETIONS = 100


class Prompts:
    def __init__(self, room: str, catalog: Catalog) -> None:
        self._room = room
        self._catalog = catalog

    async def list(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        prompts = self._catalog.prompts_at(self._room, caller_in(context).grant).values()
        return ListPromptsResult(prompts=[_described(prompt) for prompt in prompts])

    async def get(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        prompt = self._find(params.name, caller_in(context).grant)
        with refusing(self._room, params.name):
            given = checked(prompt, params.arguments or {})
            text = written(prompt, given, self._catalog.tools_at(self._room))
        message = PromptMessage(role="user", content=TextContent(text=text))
        return GetPromptResult(description=prompt.description, messages=[message])

    async def complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        complete = self._completer(params, caller_in(context).grant)
        values: list[str] = []
        if complete is not None:
            given = (params.context.arguments if params.context else None) or {}
            with refusing(self._room, "completion/complete"):
                values = [*await complete(params.argument.value, given, caller_in(context))]
        return CompleteResult(
            completion=Completion(
                values=values[:MOST_COMPLETIONS],
                total=len(values),
                has_more=len(values) > MOST_COMPLETIONS,
            )
        )

    def _completer(self, params: CompleteRequestParams, grant: Grant) -> Complete | None:
        ref, name = params.ref, params.argument.name
        if isinstance(ref, PromptReference):
            arguments = self._find(ref.name, grant).arguments
            return next((each.complete for each in arguments if each.name == name), None)
        for resource in self._catalog.resources_at(self._room, grant):
            if resource.uri == ref.uri:
                return resource.complete.get(name)
        raise MCPError(INVALID_PARAMS, f"Unknown resource template: {ref.uri[:200]}")

    def _find(self, name: str, grant: Grant) -> Prompt:
        prompts = self._catalog.prompts_at(self._room, grant)
        if name not in prompts:
            known = ", ".join(prompts) or "none"
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name[:80]}. There are: {known}.")
        return prompts[name]


def written(prompt: Prompt, given: Given, tools: Container[str]) -> str:
    """The prompt's words for where these tools are: a step that needs another one is left out."""
    script = prompt.write(given)
    steps = [step.text for step in script.steps if all(tool in tools for tool in step.tools)]
    numbered = [f"{number}. {text}" for number, text in enumerate(steps, start=1)]
    return "\n".join([f"{script.opening}\n", *numbered])


def checked(prompt: Prompt, arguments: Mapping[str, str]) -> Given:
    """The arguments without those that are empty; wrong ones are named."""
    known = [argument.name for argument in prompt.arguments]
    for name, value in arguments.items():
        if name not in known:
            there_are = ", ".join(f"`{each}`" for each in known) or "none"
            raise InvalidInput(
                f"{prompt.name}: `{name[:80]}` is not an argument; there are: {there_are}."
            )
        if len(value) > LONGEST_VALUE:
            raise InvalidInput(
                f"{prompt.name}: `{name}` has {len(value):,} characters, and {LONGEST_VALUE:,} "
                "are the most."
            )
    given = {name: value.strip() for name, value in arguments.items() if value.strip()}
    missing = [each.name for each in prompt.arguments if each.required and each.name not in given]
    if missing:
        raise InvalidInput(f"{prompt.name}: `{missing[0]}` is missing.")
    return given


def _described(prompt: Prompt) -> WirePrompt:
    return WirePrompt(
        name=prompt.name,
        description=prompt.description,
        arguments=[
            WireArgument(name=each.name, description=each.description, required=each.required)
            for each in prompt.arguments
        ],
    )
