"""The suite's prompts, with contents that ours do not have."""

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ContentBlock,
    EmbeddedResource,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
)

from tests.clients.conformance_inputs import prompt_in_context
from tests.clients.conformance_tools import PNG, Context

PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


def add_prompts(server: Server[object]) -> None:
    add = server.add_request_handler
    add("prompts/list", PaginatedRequestParams, list_prompts)
    add("prompts/get", GetPromptRequestParams, get_prompt)
    add("logging/setLevel", SetLevelRequestParams, accept)
    add("completion/complete", CompleteRequestParams, complete)


async def list_prompts(context: Context, params: PaginatedRequestParams) -> ListPromptsResult:
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=name,
                description=f"Fixture {name}.",
                arguments=[PromptArgument(name=argument, required=True) for argument in arguments],
            )
            for name, arguments in PROMPTS.items()
        ]
    )


async def get_prompt(
    context: Context, params: GetPromptRequestParams
) -> GetPromptResult | InputRequiredResult:
    given = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            return prompt(TextContent(text="A simple prompt."))
        case "test_prompt_with_arguments":
            text = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            return prompt(TextContent(text=text))
        case "test_prompt_with_embedded_resource":
            contents = TextResourceContents(
                uri=given["resourceUri"], mime_type="text/plain", text="Inside a prompt."
            )
            return prompt(EmbeddedResource(resource=contents), TextContent(text="Use it."))
        case "test_prompt_with_image":
            return prompt(ImageContent(data=PNG, mime_type="image/png"), TextContent(text="See?"))
        case "test_input_required_result_prompt":
            return prompt_in_context(params)
    raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.name}")


def prompt(*contents: ContentBlock) -> GetPromptResult:
    return GetPromptResult(
        messages=[PromptMessage(role="user", content=content) for content in contents]
    )


async def accept(context: Context, params: SetLevelRequestParams) -> EmptyResult:
    return EmptyResult()


async def complete(context: Context, params: CompleteRequestParams) -> CompleteResult:
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
