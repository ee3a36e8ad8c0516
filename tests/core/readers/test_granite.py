"""The finer embedder: what it finds near, whatever it is given, and whose weights it takes."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from bottega.core.readers.encoder import Quantized
from bottega.core.readers.granite import GraniteEmbedder, find_pack, load, read_pack
from bottega.errors import ConfigurationError

SAYINGS = {
    "Two threads write the same row and one update is lost.": "a race condition in the database",
    "Our nightly build fails when the disk is full.": "no space left on device during CI",
    "The cake needs forty minutes in the oven.": "how long to bake the dessert",
    "Tokens expire after an hour and must be renewed.": "the login session times out",
}


async def test_what_is_said_in_other_words_is_nearest() -> None:
    embedder = GraniteEmbedder()
    said = await embedder.embed(list(SAYINGS))
    asked = await embedder.embed(list(SAYINGS.values()))
    assert (asked @ said.T).argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.allclose(np.linalg.norm(said, axis=1), 1, atol=1e-5)


async def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    embedder = GraniteEmbedder()
    alone = await embedder.embed(["a short text"])
    among = await embedder.embed(["a much longer text about something else " * 20, "a short text"])
    assert np.allclose(alone[0], among[1], atol=1e-5)


async def test_any_text_has_a_vector_and_none_has_no_direction() -> None:
    texts = [
        "",
        "  \n",
        "x" * 200_000,
        "词 слово λέξη شب",
        "\x00\ufffd\U0001f469\u200d\U0001f680",
        "word " * 5_000,
        "half of \ud800 a pair",
    ]
    vectors = await GraniteEmbedder().embed(texts)
    assert np.linalg.norm(vectors, axis=1).round(3).tolist() == [0, 0, 1, 1, 1, 1, 1]
    assert (await GraniteEmbedder().embed([])).shape == (0, 384)


def test_the_words_are_those_of_the_pack() -> None:
    """A row of the table is its bytes times the scales of their groups."""
    table = read_pack(find_pack()).tensors["word_emb"]
    assert isinstance(table, Quantized)
    row = np.concatenate(
        [table.numbers[7, at : at + 64] * table.scales[7, at // 64] for at in range(0, 384, 64)]
    )
    assert np.array_equal(table.rows(np.array([7]))[0], row)


def test_a_pack_that_was_cut_short_is_not_read(tmp_path: Path) -> None:
    cut = shutil.copy(find_pack(), tmp_path)
    with Path(cut).open("r+b") as file:
        file.truncate(1_000_000)
    with pytest.raises(ConfigurationError, match=r"cut short.*pip install --force-reinstall"):
        read_pack(Path(cut))


def test_one_copy_serves_the_process() -> None:
    assert load() is load()
