"""Resources of one endpoint: listed by pages, read by address, and watched."""

import base64
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    EmptyResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
    SubscribeRequestParams,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from mcp_types import Resource as WireResource

from bottega.core.doors.authorization import Authorization
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Contents, Given, Listed, Resource
from bottega.errors import NotFound
from bottega.server.mcp.catalog import Catalog
from bottega.server.mcp.requests import Context, caller_in, refusing, refusing_resource
from bottega.server.mcp.sessions import McpSessions

PAGE = 100
#: Addresses that one session may watch.
MOST_WATCHED = 1_000


class Resources:
    def __init__(
        self, room: str, catalog: Catalog, sessions: McpSessions, authorization: Authorization
    ) -> None:
        self._room = room
        self._catalog = catalog
        self._sessions = sessions
        self._authorization = authorization

    async def list(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        start = _start(params)
        with refusing(self._room, "resources/list"):
            listed = await self._listed(caller_in(context))
        following = start + PAGE
        return ListResourcesResult(
            resources=[
                WireResource(uri=each.uri, name=each.title, mime_type=each.mime_type)
                for each in listed[start:following]
            ],
            next_cursor=str(following) if following < len(listed) else None,
        )

    async def list_templates(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        grant = caller_in(context).grant
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(
                    uri_template=each.uri,
                    name=each.name,
                    description=each.description,
                    mime_type=each.mime_type,
                )
                for each in self._catalog.resources_at(self._room, grant)
                if is_template(each)
            ]
        )

    async def read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        with refusing_resource(self._room, params.uri, context.protocol_version):
            caller = caller_in(context)
            resource, given = await self._open(params.uri, caller)
            contents = await resource.read(given, caller)
        return ReadResourceResult(contents=[_on_the_wire(params.uri, contents)])

    async def subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        with refusing_resource(self._room, params.uri, context.protocol_version):
            await self._open(params.uri, caller_in(context))
        watched = self._watched(context)
        if len(watched) >= MOST_WATCHED:
            raise MCPError(
                INVALID_PARAMS,
                f"This session watches {MOST_WATCHED} resources, and more are not told apart: "
                "unsubscribe from some first.",
            )
        watched.add(params.uri)
        return EmptyResult()

    async def unsubscribe(self, context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        self._watched(context).discard(params.uri)
        return EmptyResult()

    def _watched(self, context: Context) -> set[str]:
        return self._sessions.of(context.session._connection).watched

    async def _listed(self, caller: Caller) -> Sequence[Listed]:
        found: list[Sequence[Listed]] = []
        for each in self._catalog.resources_at(self._room, caller.grant):
            if each.listed is not None:
                found.append(await each.listed(caller))
            elif not is_template(each):
                found.append([Listed(each.uri, each.name, each.mime_type)])
        return list(chain.from_iterable(found))

    async def _open(self, uri: str, caller: Caller) -> tuple[Resource, Given]:
        """The resource at an address, for whoever may read it."""
        resource, given = self._find(uri)
        room = self._catalog.room_of(self._room, resource)
        await self._authorization.check(caller, Right.READ, room, given, given)
        return resource, given

    def _find(self, uri: str) -> tuple[Resource, Given]:
        resources = self._catalog.resources_at(self._room)
        for each in resources:
            given = match(each.uri, uri)
            if given is not None:
                return each, given
        known = ", ".join(each.uri for each in resources)
        raise NotFound(f"There is no resource {uri[:200]!r} here. There are: {known or 'none'}.")


def is_template(resource: Resource) -> bool:
    return "{" in resource.uri


def match(template: str, uri: str) -> Given | None:
    """The values of the template's names in the address, if it is one of those."""
    if "{" not in template:
        return {} if uri == template else None
    found = _parsed(template).match(uri)
    if found is None:
        return None
    # Only an exploded name has a list, and no room's template has one.
    return {name: value for name, value in found.items() if isinstance(value, str)}


@lru_cache(maxsize=1_000)
def _parsed(template: str) -> UriTemplate:
    return UriTemplate.parse(template)


def _start(params: PaginatedRequestParams | None) -> int:
    cursor = params.cursor if params is not None else None
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(
            INVALID_PARAMS, f"There is no page {cursor[:80]!r}: take the cursor of the page before."
        )
    return int(cursor)


def _on_the_wire(uri: str, contents: Contents) -> TextResourceContents | BlobResourceContents:
    data, mime_type = contents.data, contents.mime_type
    if isinstance(data, str):
        return TextResourceContents(uri=uri, mime_type=mime_type, text=data)
    blob = base64.b64encode(data).decode()
    return BlobResourceContents(uri=uri, mime_type=mime_type, blob=blob)
