"""Text as every room handles it."""

from bottega.core.text.words import (
    bm25_rarity,
    content_words,
    estimate_tokens,
    one_line,
    rarity,
    sentences,
    shorten,
    shorten_to_words,
    shown,
    stem,
    words,
)


def test_words_are_letters_marks_and_digits_of_any_script() -> None:
    assert words("Don't parse src/app_2.py!") == ["don", "t", "parse", "src", "app", "2", "py"]
    assert words("Größe, हिन्दी") == ["größe", "हिन्दी"]
    assert words(" … ") == []


def test_stop_words_say_nothing() -> None:
    assert content_words("The rounding of the cents is not yours") == ["rounding", "cents"]


def test_the_forms_of_a_word_have_one_stem() -> None:
    assert {stem(word) for word in ("sort", "sorts", "sorted", "sorting")} == {"sort"}
    assert stem("running") == stem("runs") == "run"
    assert stem("is") == "is"


def test_a_word_that_fewer_texts_have_says_more() -> None:
    assert rarity(1, 10) > rarity(5, 10) > rarity(10, 10) > 0
    assert bm25_rarity(1, 10) > bm25_rarity(4, 10) > 0
    assert bm25_rarity(6, 10) == 0


def test_sentences_end_where_a_reader_would_stop() -> None:
    text = "It rounds,\ne.g. cents. Does it? Yes!  Version 1.2 does."
    assert sentences(text) == ["It rounds, e.g. cents.", "Does it?", "Yes!", "Version 1.2 does."]
    assert sentences("  ") == []


def test_what_is_too_long_ends_with_an_ellipsis_within_the_limit() -> None:
    assert one_line(" one\n  two ") == "one two"
    assert shorten("short", 5) == "short"
    assert shorten("a word more", 7) == "a word…"
    assert shorten("words and words", 8) == "words a…"
    assert shorten_to_words("words and\nwords", 12) == "words and…"
    assert shown({"a": 1}) == "{'a': 1}"
    assert len(shown("x" * 1_000)) == 200


def test_tokens_are_estimated_by_bytes() -> None:
    assert [estimate_tokens(text) for text in ("", "four", "fours", "ééé")] == [0, 1, 2, 2]
