"""People and their tokens."""

import hashlib

import pytest
from sqlalchemy import text

from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.roles import Grant
from bottega.core.users import LOCAL_USER, Token, Users
from bottega.errors import Conflict, InvalidInput, NotFound


@pytest.mark.requirement("FR-022")
async def test_the_local_user_exists_and_others_can_be_added(database: Database) -> None:
    """Users are made, read and listed through typed functions."""
    users = Users(database)
    ada = await users.create("Ada")
    assert [user.id for user in await users.list()] == [LOCAL_USER, ada.id]
    assert (await users.get(ada.id)).name == "Ada"
    with pytest.raises(NotFound):
        await users.get("nobody")


@pytest.mark.requirement("EC-09")
async def test_a_name_belongs_to_one_user_and_one_live_token(database: Database) -> None:
    """What must be unique is refused as a conflict, and nothing is written."""
    users = Users(database)
    await users.create("Ada")
    with pytest.raises(Conflict, match="'Ada'"):
        await users.create(" Ada ")
    await users.issue_token(LOCAL_USER, "laptop")
    with pytest.raises(Conflict, match="'laptop'"):
        await users.issue_token(LOCAL_USER, "laptop")
    assert len(await users.list()) == 2
    assert len(await users.list_tokens(LOCAL_USER)) == 1
    await users.revoke(LOCAL_USER, "laptop")
    await users.issue_token(LOCAL_USER, "laptop")


async def test_a_token_lets_its_user_in_until_it_is_revoked(database: Database) -> None:
    users = Users(database)
    ada = await users.create("Ada")
    token, secret = await users.issue_token(ada.id, "laptop")
    other_token, other = await users.issue_token(ada.id, "ci")
    assert secret.startswith("btg_")
    assert await users.verify(secret) == (ada.id, token.id, Grant())
    assert await users.verify(secret + "x") is None
    assert await users.verify("") is None
    await users.revoke(ada.id, token.id)
    assert await users.verify(secret) is None
    assert await users.verify(other) == (ada.id, other_token.id, Grant())


async def test_only_the_hash_of_a_token_is_stored(database: Database) -> None:
    _, secret = await Users(database).issue_token(LOCAL_USER, "laptop")
    async with database.read() as session:
        rows = (await session.execute(text("SELECT * FROM tokens"))).all()
    assert hashlib.sha256(secret.encode()).hexdigest() in str(rows)
    assert secret not in str(rows)
    assert secret.removeprefix("btg_") not in str(rows)


async def test_nobody_revokes_anothers_token(database: Database) -> None:
    users = Users(database)
    ada = await users.create("Ada")
    token, secret = await users.issue_token(ada.id, "laptop")
    for name in (token.id, "laptop"):
        with pytest.raises(NotFound):
            await users.revoke(LOCAL_USER, name)
    assert await users.verify(secret) == (ada.id, token.id, Grant())


async def test_the_last_use_of_a_token_is_noted(database: Database) -> None:
    users = Users(database)
    _, secret = await users.issue_token(LOCAL_USER, "laptop")
    await users.verify(secret)
    (token,) = await users.list_tokens(LOCAL_USER)
    assert token.last_used_at is not None
    await users.verify(secret)
    (again,) = await users.list_tokens(LOCAL_USER)
    assert again.last_used_at == token.last_used_at


async def test_a_revocation_in_another_process_ends_a_cached_token(database_url: str) -> None:
    """Two buses on one database are two processes to each other."""
    here, there = Database(database_url), Database(database_url)
    await here.start()
    bus, other_bus = EventBus(here), EventBus(there)
    await bus.start()
    await other_bus.start()
    users, other_users = Users(here, bus), Users(there, other_bus)
    token, secret = await users.issue_token(LOCAL_USER, "laptop")
    assert await users.verify(secret) == (LOCAL_USER, token.id, Grant())
    async with bus.subscribe("user.token_revoked") as revocations:
        await other_users.revoke(LOCAL_USER, "laptop")
        await anext(revocations)
    assert await users.verify(secret) is None
    await bus.stop()
    await other_bus.stop()
    await here.stop()
    await there.stop()


async def test_a_token_revoked_while_it_is_verified_is_not_let_in(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = Users(database, EventBus(database))
    _, secret = await users.issue_token(LOCAL_USER, "laptop")

    async def revoke_meanwhile(_token: Token) -> None:
        await users.revoke(LOCAL_USER, "laptop")

    monkeypatch.setattr(users, "_note_use", revoke_meanwhile)
    assert await users.verify(secret) is None
    assert await users.verify(secret) is None


async def test_a_token_is_cached_only_where_revocations_are_heard(database: Database) -> None:
    hearing, deaf = Users(database, EventBus(database)), Users(database)
    token, secret = await hearing.issue_token(LOCAL_USER, "laptop")
    assert (
        await hearing.verify(secret) == await deaf.verify(secret) == (LOCAL_USER, token.id, Grant())
    )
    async with database.write() as session:
        await session.execute(text("DELETE FROM tokens"))
    assert await hearing.verify(secret) == (LOCAL_USER, token.id, Grant())
    assert await deaf.verify(secret) is None


@pytest.mark.parametrize("name", ["", "   ", "x" * 101])
async def test_a_name_must_be_one(database: Database, name: str) -> None:
    with pytest.raises(InvalidInput):
        await Users(database).create(name)


@pytest.mark.requirement("EC-08")
async def test_a_token_needs_a_user(database: Database) -> None:
    """A reference to a parent that does not exist is a clear error."""
    with pytest.raises(NotFound, match="'nobody'"):
        await Users(database).issue_token("nobody", "laptop")
