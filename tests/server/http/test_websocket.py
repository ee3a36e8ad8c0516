"""The WebSocket door: envelope, router, handshake, errors that leave the connection alive."""

import asyncio
from typing import Any

import orjson
import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed, InvalidStatus

from bottega.core.rooms import Incoming, Message, Room
from bottega.core.wire import Hello, WindowSize
from bottega.errors import ConfigurationError, NotFound
from bottega.server.messages import MessageRouter
from bottega.server.options import Options
from tests.server.http.small_app import Serve, receive, send

HELLO = {"version": "1.2", "platform": "linux", "windowSize": {"width": 800, "height": 600}}


class Word(BaseModel):
    word: str


async def echo(incoming: Incoming[Word]) -> None:
    incoming.reply("echo:word", incoming.payload)


def echo_room(handle: Any = echo) -> Room:
    return Room("echo", messages=[Message("echo:say", Word, handle)])


@pytest.mark.requirement("FR-053", "SC-023")
async def test_a_client_says_hello_and_is_known(serve: Serve) -> None:
    """What it says of itself is kept, and it learns where it is."""
    served = await serve(echo_room(), options=Options(feature_flags={"katas": True}))
    socket = await served.websocket()
    await send(socket, "connection:hello", HELLO, id="h1")
    answer = await receive(socket)

    [connection] = served.doors.hub.connections
    assert connection.state["hello"] == Hello(
        version="1.2", platform="linux", window_size=WindowSize(width=800, height=600)
    )
    assert answer["type"] == "connection:init"
    assert answer["id"] == "h1"
    assert answer["payload"] == {
        "sessionId": connection.id,
        "capabilities": {"rooms": ["echo"], "messages": ["connection:hello", "echo:say"]},
        "featureFlags": {"katas": True},
    }


@pytest.mark.requirement("FR-003", "FR-049", "FR-051", "FR-052", "SC-003")
async def test_a_message_reaches_its_handler_checked_and_is_answered(serve: Serve) -> None:
    """Type finds the handler, which gets a typed payload
    and the connection; the answer is an envelope with the sender's id."""
    heard: list[Incoming[Word]] = []

    async def handle(incoming: Incoming[Word]) -> None:
        heard.append(incoming)
        await echo(incoming)

    served = await serve(echo_room(handle))
    socket = await served.websocket(user_agent_header="editor/1")
    await send(socket, "echo:say", {"word": "ciao"}, id="m1", timestamp=1)
    answer = await receive(socket)

    assert answer.keys() == {"type", "payload", "id", "timestamp"}
    assert (answer["type"], answer["payload"], answer["id"]) == (
        "echo:word",
        {"word": "ciao"},
        "m1",
    )
    assert isinstance(answer["timestamp"], int)
    assert heard[0].payload == Word(word="ciao")
    assert heard[0].connection.caller.client == "editor/1"


@pytest.mark.requirement("FR-061", "EC-22", "EC-23")
@pytest.mark.parametrize(
    ("frame", "code", "says"),
    [
        ("{nonsense", "MALFORMED_JSON", "not JSON"),
        ("[" * 100_000, "MALFORMED_JSON", "not JSON"),
        ("[1, 2]", "INVALID_MESSAGE", "object"),
        ('{"payload": {}}', "INVALID_MESSAGE", "`type`"),
        ('{"type": "echo:say", "payload": {}, "id": 7}', "INVALID_MESSAGE", "`id`"),
        ('{"type": "echo:say"}', "INVALID_PAYLOAD", "`payload`"),
        ('{"type": "echo:say", "payload": [1]}', "INVALID_PAYLOAD", "`payload`"),
        ('{"type": "echo:say", "payload": {"word": 5}}', "INVALID_PAYLOAD", "word"),
        ('{"type": "echo:say", "payload": {}}', "INVALID_PAYLOAD", "word: Field required"),
        (b"\x00\x01", "UNSUPPORTED_DATA", "text"),
        ('"' + "a" * 3_000 + '"', "TOO_LARGE", "2000"),
        ('"' + "€" * 1_000 + '"', "TOO_LARGE", "2000"),
    ],
)
async def test_what_cannot_be_handled_is_answered_and_the_connection_lives_on(
    serve: Serve, frame: str | bytes, code: str, says: str
) -> None:
    """The error says what is wrong, the log has it, and nothing breaks."""
    served = await serve(echo_room(), options=Options(max_body_bytes=200_000))
    if code == "TOO_LARGE":
        served.doors.messages.max_bytes = 2_000
    socket = await served.websocket()
    with capture_logs() as logs:
        await socket.send(frame)
        answer = await receive(socket)
    assert answer["type"] == "connection:error"
    assert answer["payload"]["code"] == code
    assert says in answer["payload"]["message"]
    assert answer["payload"].keys() == {"code", "message", "context"}
    assert [entry["code"] for entry in logs if entry["event"] == "message.rejected"] == [code]

    await send(socket, "echo:say", {"word": "still here"})
    assert (await receive(socket))["payload"] == {"word": "still here"}


@pytest.mark.requirement("EC-23")
async def test_an_invalid_payload_is_explained_field_by_field(serve: Serve) -> None:
    served = await serve()
    socket = await served.websocket()
    await send(socket, "connection:hello", {**HELLO, "windowSize": {"width": "wide"}}, id="x")
    answer = await receive(socket)
    assert answer["id"] == "x"
    assert answer["payload"]["context"]["type"] == "connection:hello"
    assert [item["field"] for item in answer["payload"]["context"]["fields"]] == [
        "windowSize.width",
        "windowSize.height",
    ]


async def test_a_frame_far_over_the_limit_ends_the_connection_with_1009(serve: Serve) -> None:
    """Only what is too big to read at all: everything up to that is answered."""
    served = await serve(options=Options(max_body_bytes=1_000))
    socket = await served.websocket()
    await socket.send("x" * (2 * 1024 * 1024))
    with pytest.raises(ConnectionClosed) as closed:
        await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


@pytest.mark.requirement("FR-060", "SC-027")
async def test_an_unknown_type_is_logged_and_ignored(serve: Serve) -> None:
    """No answer, no crash; one that carries an id is told."""
    served = await serve(echo_room())
    socket = await served.websocket()
    with capture_logs() as logs:
        await send(socket, "nobody:knows")
        await send(socket, "nobody:knows", id="u1")
        await send(socket, "echo:say", {"word": "next"})
        answers = [await receive(socket), await receive(socket)]
    unknown = [entry for entry in logs if entry["event"] == "message.unknown"]
    assert [entry["type"] for entry in unknown] == ["nobody:knows"] * 2
    assert [answer["type"] for answer in answers] == ["connection:error", "echo:word"]
    assert answers[0]["id"] == "u1"
    assert answers[0]["payload"]["code"] == "UNKNOWN_TYPE"


async def test_errors_of_a_handler_are_answered(serve: Serve) -> None:
    """A known error keeps its name; an unknown one tells only where the log has it."""

    async def fail(incoming: Incoming[Word]) -> None:
        if incoming.payload.word == "lost":
            raise NotFound("There is no such word.")
        raise RuntimeError("secret detail")

    served = await serve(echo_room(fail))
    socket = await served.websocket()
    await send(socket, "echo:say", {"word": "lost"}, id="1")
    known = await receive(socket)
    with capture_logs() as logs:
        await send(socket, "echo:say", {"word": "boom"}, id="2")
        unknown = await receive(socket)
    assert (known["id"], known["payload"]["code"]) == ("1", "NOT_FOUND")
    assert (unknown["id"], unknown["payload"]["code"]) == ("2", "INTERNAL")
    assert "secret" not in unknown["payload"]["message"]
    [failure] = [entry for entry in logs if entry["event"] == "message.failed"]
    assert failure["reference"] == unknown["payload"]["context"]["reference"]


async def test_one_clients_messages_are_handled_in_order_and_others_do_not_wait(
    serve: Serve,
) -> None:
    release = asyncio.Event()

    async def handle(incoming: Incoming[Word]) -> None:
        if incoming.payload.word == "slow":
            await release.wait()
        await echo(incoming)

    served = await serve(echo_room(handle))
    busy, other = await served.websocket(), await served.websocket()
    for word in ("slow", "second", "third"):
        await send(busy, "echo:say", {"word": word})
    await send(other, "echo:say", {"word": "at once"})
    assert (await receive(other))["payload"] == {"word": "at once"}
    release.set()
    words = [(await receive(busy))["payload"]["word"] for _ in range(3)]
    assert words == ["slow", "second", "third"]


@pytest.mark.requirement("EC-03")
async def test_what_was_sent_before_leaving_is_still_handled(serve: Serve) -> None:
    """The connection is forgotten at once, while its last message is being handled."""
    release, handled = asyncio.Event(), asyncio.Event()

    async def handle(incoming: Incoming[Word]) -> None:
        await release.wait()
        if incoming.payload.word == "last":
            handled.set()

    served = await serve(echo_room(handle))
    socket = await served.websocket()
    await send(socket, "echo:say", {"word": "first"})
    await send(socket, "echo:say", {"word": "last"})
    await socket.close()
    async with asyncio.timeout(5):
        while len(served.doors.hub):
            await asyncio.sleep(0)
        release.set()
        await handled.wait()


@pytest.mark.requirement("EC-03")
async def test_a_connection_that_vanishes_is_forgotten(serve: Serve) -> None:
    """Cut off without a goodbye; the server goes on and the others still hear."""
    served = await serve()
    vanishing, staying = await served.websocket(), await served.websocket()
    assert len(served.doors.hub) == 2
    vanishing.transport.abort()
    async with asyncio.timeout(5):
        while len(served.doors.hub) > 1:
            await asyncio.sleep(0)
    served.doors.hub.broadcast("news", {"n": 1})
    assert (await receive(staying))["payload"] == {"n": 1}


@pytest.mark.requirement("FR-058", "SC-026", "EC-25")
async def test_a_broadcast_reaches_every_window(serve: Serve) -> None:
    """Each window keeps its own metadata and all hear the same."""
    served = await serve()
    sockets = [await served.websocket() for _ in range(3)]
    for number, socket in enumerate(sockets):
        await send(socket, "connection:hello", {**HELLO, "platform": f"os-{number}"})
        await receive(socket)
    served.doors.hub.broadcast("fs:tree_update", {"action": "add", "path": "a.py"})
    heard = [await receive(socket) for socket in sockets]
    assert [message["payload"]["path"] for message in heard] == ["a.py"] * 3
    said = {connection.state["hello"].platform for connection in served.doors.hub.connections}
    assert said == {"os-0", "os-1", "os-2"}


@pytest.mark.requirement("EC-24")
async def test_a_broadcast_to_nobody_does_nothing(serve: Serve) -> None:
    served = await serve()
    served.doors.hub.broadcast("news", {"n": 1})
    socket = await served.websocket()
    served.doors.hub.broadcast("news", {"n": 2})
    assert (await receive(socket))["payload"] == {"n": 2}


async def test_a_broadcast_can_be_for_one_user_or_one_project(serve: Serve) -> None:
    served = await serve()
    user = await served.app.core.users.create("ada")
    _, secret = await served.app.core.users.issue_token(user.id, "laptop")
    hers = await served.websocket(additional_headers={"Authorization": f"Bearer {secret}"})
    project = await served.websocket("/ws?project=a")
    hub = served.doors.hub
    hub.broadcast("to:ada", {}, user_id=user.id)
    hub.broadcast("to:b", {}, project="b")
    hub.broadcast("to:a", {}, project="a")
    hub.broadcast("to:all", {})
    assert [(await receive(hers))["type"] for _ in range(4)] == [
        "to:ada", "to:b", "to:a", "to:all",
    ]  # fmt: skip
    assert [(await receive(project))["type"] for _ in range(2)] == ["to:a", "to:all"]


async def test_every_size_of_message_arrives_whole(serve: Serve) -> None:
    """The frame's length has three encodings; the borders of each are crossed."""
    served = await serve()
    socket = await served.websocket(max_size=None)
    for size in (0, 1, 60, 125, 126, 1_000, 65_535, 65_536, 1_000_000):
        text = "ü" * size
        served.doors.hub.broadcast("size", {"text": text})
        assert (await receive(socket))["payload"]["text"] == text


async def test_an_upgrade_from_a_foreign_page_is_refused(serve: Serve) -> None:
    served = await serve()
    with pytest.raises(InvalidStatus) as refused:
        await served.websocket(origin="https://evil.example")
    assert refused.value.response.status_code == 403
    assert orjson.loads(refused.value.response.body)["error"]["type"] == "forbidden"
    assert len(served.doors.hub) == 0


@pytest.mark.requirement("FR-051")
def test_two_rooms_cannot_handle_the_same_message() -> None:
    """The map has one handler a type."""
    router = MessageRouter(1_000)
    router.add(echo_room().messages)
    with pytest.raises(ConfigurationError, match="echo:say"):
        router.add(echo_room().messages)
