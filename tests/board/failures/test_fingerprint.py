"""Failures known again: what may differ between runs, and what may not."""

import time
import uuid
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.board.failures.facts import fingerprint, normalise

TEST = "checkout.spec.ts › pays [chromium]"
#: Moments of this century.
MOMENTS = st.integers(0, 3_000_000_000).map(lambda s: datetime.fromtimestamp(s, UTC).isoformat())
#: What changes from run to run, by the word that stands for it below.
VARYING = {
    "ID": st.uuids().map(str),
    "HASH": st.binary(min_size=8, max_size=20).map(lambda data: f"0f1e2d{data.hex()}"),
    "ADDRESS": st.integers(0, 2**48).map(hex),
    "WHEN": MOMENTS,
    "CLOCK": st.times().map(lambda moment: moment.strftime("%H:%M:%S")),
    "COUNT": st.integers(0, 10**9).map(str),
    "TOOK": st.sampled_from(["5ms", "5000ms", "1.5s", "30 seconds", "2m"]),
    "PORT": st.integers(1024, 65535).map(str),
    "TEMP": st.sampled_from(
        ["/tmp/x1/data", "/var/folders/zz/T/a", "/private/tmp/b", r"C:\Users\me\Temp\c"]
    ),
    "HOME": st.sampled_from(
        ["/home/me/shop", "/Users/ada/code/shop", "/builds/17/shop", r"C:\shop"]
    ),
    "LONG": st.text("abc xyz", min_size=60, max_size=90),
}
ERRORS = [
    "Error: order ID was not found (deploy HASH, object at ADDRESS)",
    "Error: no answer from http://localhost:PORT/api/orders/COUNT?at=COUNT after TOOK",
    "connect ECONNREFUSED 127.0.0.1:PORT",
    "AssertionError: assert COUNT == COUNT\n +  where COUNT = len([COUNT, COUNT])",
    "[WHEN] CLOCK worker COUNT gave up after TOOK",
    "ENOENT: no such file or directory, open 'TEMP'",
    "TypeError at HOME/src/cart.ts:COUNT:COUNT, line COUNT",
    'Error: expected "LONG" to be shown',
    'Error: toHaveText failed\n\nExpected: "Paid"\nReceived: "LONG"\nTimeout: TOOK\n\n'
    "Call log:\n  - waiting for TOOK\n    COUNT × locator resolved to LONG",
    'Error: toEqual\n\n- Expected\n+ Received\n\n  Object {\n+   "at": "LONG",',
    "Error: late\n    at pay (HOME/src/pay.ts:COUNT:COUNT)\n  12 | x(LONG)\n> 13 | pay()\n     | ^",
]


@pytest.mark.requirement("BD-211")
@settings(deadline=None)
@given(st.data())
@pytest.mark.parametrize("error", ERRORS)
def test_what_differs_from_run_to_run_does_not_count(error: str, data: st.DataObject) -> None:
    """Numbers, ids, times, ports, temporary paths, places, values that were met."""

    def happened() -> str:
        text = error
        for word, values in VARYING.items():
            while word in text:
                text = text.replace(word, data.draw(values), 1)
        return text

    first, second = happened(), happened()
    assert fingerprint(TEST, first) == fingerprint(TEST, second), (
        normalise(first),
        normalise(second),
    )


@pytest.mark.requirement("BD-211")
def test_colours_and_space_do_not_count() -> None:
    """The same words, however they are set."""
    assert normalise("\x1b[31mError:\x1b[39m  no\r\n\r\n  answer ") == normalise("Error: no answer")


CAUSES = [
    "TypeError: Cannot read properties of undefined (reading 'price')",
    "TypeError: Cannot read properties of undefined (reading 'name')",
    "TypeError: Cannot read properties of null (reading 'name')",
    "Error: toBeVisible failed\n\nLocator: getByRole('button', { name: 'Save' })",
    "Error: toBeVisible failed\n\nLocator: getByRole('button', { name: 'Send' })",
    "Error: toBeHidden failed\n\nLocator: getByRole('button', { name: 'Save' })",
    "Request failed with status code 404",
    "Request failed with status code 500",
    "Error: HTTP 502 from http://localhost:3000/api/orders",
    "Error: HTTP 502 from http://localhost:3000/api/users",
    "connect ECONNREFUSED 127.0.0.1:3000",
    "connect ECONNRESET 127.0.0.1:3000",
    "ENOENT: open '/home/me/shop/prices.json'",
    "ENOENT: open '/home/me/shop/taxes.json'",
    "error TS2345: wrong argument",
    "error TS2554: wrong argument",
    "Test timeout of 30000ms exceeded.",
    "Test timeout of 30000ms exceeded.\n\nError: locator.click: waiting for getByText('Pay')",
    "AssertionError: assert 1 == 2",
    "AssertionError: assert 1 in [2]",
    "The word defaced is no number",
    "The word faceted is no number",
    "",
]


@pytest.mark.requirement("BD-212")
def test_different_causes_differ() -> None:
    """What an error says, it is."""
    assert len({fingerprint(TEST, cause) for cause in CAUSES}) == len(CAUSES)


@pytest.mark.requirement("BD-212")
@settings(deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_different_tests_differ(one: str, other: str) -> None:
    """The same error elsewhere is another failure."""
    same = fingerprint(one, "Error: no") == fingerprint(other, "Error: no")
    assert same == (one == other)


@pytest.mark.requirement("BD-211")
@settings(deadline=None)
@given(st.text(max_size=300))
def test_a_fingerprint_is_sixteen_digits_of_any_text(error: str) -> None:
    """And the same when it is asked again."""
    mark = fingerprint(TEST, error)
    assert len(bytes.fromhex(mark)) == 8
    assert fingerprint(TEST, error) == mark


@pytest.mark.requirement("BD-213")
def test_lone_surrogates_are_text_too() -> None:
    """JSON may hold what UTF-8 cannot."""
    assert fingerprint("\ud800", "\udfff")


PIECES = (
    *("\n", " ", "1,", "1 ", "0", "/a", "a/", "'", '"', "://", "12:34", ".a", "a:/", "C:\\", "0-"),
    *("Call log:\n", "Received:", "expected ", "status", "[::1", "\x1b]", "| ^", "/tmp/", "a" * 9),
    *("2026-01-01 ", str(uuid.UUID(int=0)), "    at x\n", "+ ", "#x1B[", "abcdef0", "HTTP/1.1 "),
)


@pytest.mark.requirement("BD-213")
@pytest.mark.parametrize("piece", PIECES)
def test_no_text_takes_long(piece: str) -> None:
    """Errors come from anywhere, and no pattern may run away on one."""
    started = time.process_time()
    fingerprint(TEST, piece * (100_000 // len(piece)))
    assert time.process_time() - started < 0.5
