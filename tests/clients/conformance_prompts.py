"""The suite's prompts and resources."""

import json
import re

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
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
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
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
RESOURCES = {
    "test://static-text": "text/plain",
    "test://static-binary": "image/png",
    "test://watched-resource": "text/plain",
}
TEMPLATE = re.compile(r"test://template/([^/]+)/data")


def add_prompts_and_resources(server: Server[object]) -> None:
    add = server.add_request_handler
    add("prompts/list", PaginatedRequestParams, list_prompts)
    add("prompts/get", GetPromptRequestParams, get_prompt)
    add("resources/list", PaginatedRequestParams, list_resources)
    add("resources/templates/list", PaginatedRequestParams, list_templates)
    add("resources/read", ReadResourceRequestParams, read_resource)
    add("resources/subscribe", SubscribeRequestParams, accept)
    add("resources/unsubscribe", UnsubscribeRequestParams, accept)
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


async def list_resources(context: Context, params: PaginatedRequestParams) -> ListResourcesResult:
    return ListResourcesResult(
        resources=[
            Resource(uri=uri, name=uri.removeprefix("test://"), mime_type=mime_type)
            for uri, mime_type in RESOURCES.items()
        ]
    )


async def list_templates(
    context: Context, params: PaginatedRequestParams
) -> ListResourceTemplatesResult:
    template = ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", mime_type="application/json"
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    uri = params.uri
    if uri == "test://static-binary":
        return ReadResourceResult(
            contents=[BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)]
        )
    if uri in RESOURCES:
        text, mime_type = f"The content of {uri}.", "text/plain"
    elif found := TEMPLATE.fullmatch(uri):
        name = found.group(1)
        text = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
        mime_type = "application/json"
    else:
        raise MCPError(INVALID_PARAMS, f"Unknown resource: {uri}", {"uri": uri})
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, mime_type=mime_type, text=text)]
    )


async def accept(
    context: Context,
    params: SubscribeRequestParams | UnsubscribeRequestParams | SetLevelRequestParams,
) -> EmptyResult:
    return EmptyResult()


async def complete(context: Context, params: CompleteRequestParams) -> CompleteResult:
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
