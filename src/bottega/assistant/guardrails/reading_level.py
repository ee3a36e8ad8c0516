"""How old a reader has to be for a text: by the length of its sentences and of its words.

The Flesch-Kincaid grade (Kincaid et al., 1975) and the share of long words (Gunning, 1952), with
our own count of syllables. A long word counts once: a term that is taught is not hard again each
time. Nothing is said of a text that is too short to tell.
"""

import re
from dataclasses import dataclass

#: Under this many words the measure jumps about.
FEWEST_WORDS = 30
LONG_WORD_SYLLABLES = 3

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?:;]+(?=\s|$)|\n\s*\n|\n(?=\s*(?:[-*+•|>]|\d{1,3}[.)])\s)")
_NOT_PROSE = re.compile(
    r"```.*?```|~~~.*?~~~|`[^`\n]*`|\[evidence:[^\]]{0,2000}\]|https?://\S+|"
    r"^\s*\|?[\s:|-]+\|?\s*$|^#+ [^\n]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
#: Vowels that stand together and are spoken apart: via, video, idea, quiet, poem, doing.
_SPOKEN_APART = re.compile(
    r"(?<![tscg])i[ao](?!u)|eo(?!u|ple)|[dr]ea$|(?:sc|qu|d|l)ie[nt]|oe[mt]|creat|[aeiouy]ing$|ism$|"
    r"ua(?=[tl])"
)
_VOWELS = re.compile(r"[aeiouyàáâäèéêëìíîïòóôöùúûü]+")


@dataclass(frozen=True, slots=True)
class ReadingLevel:
    words: int
    words_a_sentence: float
    syllables_a_word: float
    #: The share of different words that have three syllables or more.
    long_words: float

    @property
    def age(self) -> float:
        """Of a reader who can follow it alone."""
        kincaid = 0.39 * self.words_a_sentence + 11.8 * self.syllables_a_word - 15.59
        fog = 0.4 * (self.words_a_sentence + 100 * self.long_words)
        return max(5.0, (kincaid + fog) / 2 + 5)


def reading_level(text: str) -> ReadingLevel | None:
    prose = _NOT_PROSE.sub("\n\n", text)
    sentences = [words for each in _SENTENCE_END.split(prose) if (words := _WORD.findall(each))]
    words = [word for sentence in sentences for word in sentence]
    if len(words) < FEWEST_WORDS:
        return None
    different = {word.casefold() for word in words}
    is_long = [syllables(word) >= LONG_WORD_SYLLABLES for word in different]
    return ReadingLevel(
        words=len(words),
        words_a_sentence=len(words) / len(sentences),
        syllables_a_word=sum(map(syllables, words)) / len(words),
        long_words=sum(is_long) / len(words),
    )


def syllables(word: str) -> int:
    word = word.casefold()
    count = len(_VOWELS.findall(word))
    # A silent e, alone or before s and d: cake, loops, moved; but not table, wanted, classes.
    if re.search(r"[^aeiouyl]e$|[aeiou]le$|[^aeioutd]ed$|[^aeiouyscxzgh]es$", word):
        count -= 1
    return max(1, count + len(_SPOKEN_APART.findall(word)))
