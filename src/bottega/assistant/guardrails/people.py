"""What in a sentence speaks of a person: who does or is given something, whose parents, whose work.

A capital alone says little: places, subjects and the first word of a sentence have one, too.
"""

import re

_HOW = r"(?:(?:often|always|never|usually|sometimes|still|also|only|really|just)\s+)?"
#: What pupils do and are, as teachers note it; a month or a book does none of it.
_DOES = r"""
    (?:struggles|finished|finishes|forgets?|forgot|hates|likes|loves|prefers|wants|reads|
    writes|speaks|talks|shouts|shouted|cries|cried|argues|argued|copies|copied|hides|loses|lost|
    keeps\ losing|swears|laughs|sits|sat|refuses|refused|knows|explained|asks|asked|arrived|fasts|
    translates|thinks|thought|understands|understood|enjoys|behaves|distracts|stays|
    (?:is|was|has\ been|will\ be|gets|seems|becomes)\s+
    (?:(?:a\ bit|very|so|too|often|always|not|now|still|quite)\s+)*
    (?:absent|afraid|allergic|angry|anxious|asleep|autistic|bored|colour\ blind|deaf|distracted|
    disruptive|dyslexic|excluded|fasting|hard\ of\ hearing|ill|in\ hospital|in\ care|lazy|
    left-handed|lonely|looked\ after|off\ sick|off\ school|on\ report|rude|shy|sick|talkative|
    tired|unhappy|upset|worried))\b
"""
#: What months and books seldom do.
_DOES_RATHER = r"""
    (?:needs|says|said|cannot|can['’]t|couldn['’]t|didn['’]t|doesn['’]t|won['’]t|will\ not|did\ not|
    does\ not|will\ be|may\ use|should\ not)\b
"""
#: What things do as well: it speaks for a name only of what is one by itself.
_DOES_LIKE_THINGS = r"""
    (?:needs?|finds|works|worked|has|had|left|leaves|broke|came|comes|gets|got|helps|helped|hands|
    draws|explains|could\ not|must\ not|keeps|made|makes|took|takes|gave|gives|
    (?:is|was|has\ been)\s+(?:(?:very|so|too|not|now|the)\s+)*
    (?:away|behind|best|blind|bright|confident|eal|gifted|keen|late|moved|new|quick|quiet|slow|
    strong|stuck|weak))\b
"""
#: After whom something belongs to: `Oliver's mum`, `Luca’s reading age`.
_OWNS = r"""
    ['’]s?\s+(?:own\s+|new\s+|old\s+)?(?:mum|mother|dad|father|parents?|carers?|brothers?|sisters?|
    family|gran|granny|uncle|aunt|cousins?|home|house|behaviour|attendance|reading|writing|spelling|
    handwriting|plan|desk|seat|jotter|homework|progress|targets?|marks?|grades?|book|support|card|
    report|phone|attention|confidence|anxiety|dyslexia|adhd|autism)\b
"""
_BRACKET = r"\s*\((?:eal|asn|send?|adhd|asd|lac|p\d|s\d)\b"
_AND_THEIR = r"\s+and\s+(?:his|her)\b"


def _after(*acts: str) -> re.Pattern[str]:
    verbs = "|".join(rf"\s+{_HOW}{act}" for act in acts)
    flags = re.IGNORECASE | re.VERBOSE
    return re.compile(rf"(?:{verbs}|{_OWNS}|{_BRACKET}|{_AND_THEIR})", flags)


#: What may follow a name, a word that is sometimes a name, and a word that no list has.
AFTER_A_NAME = _after(_DOES, _DOES_RATHER, _DOES_LIKE_THINGS)
AFTER_SUCH_A_WORD = _after(_DOES, _DOES_RATHER)
AFTER_ANY_WORD = _after(_DOES)
#: Before whom something is said to, given to or done with.
_BEFORE = re.compile(
    r"\b(?:ask|asked|tell|told|remind|seat|seated|sit|sat|pair|paired|praise|phone|let|allow|"
    r"give|gave|move|moved|keep|help|helped|encourage|stop|send|sent|partner|catch|watch|"
    r"next\ to|beside|away\ from|talk\ to|spoke\ to|speak\ (?:to|with)|call|meet)\s+$",
    re.IGNORECASE,
)
#: Before a person's name, whatever it is: `pupil Zhang`, `a girl called Ngozi`.
_NAMING = re.compile(
    r"\b(?:pupil|student|learner|classmate|child|boy|girl|twins?|brother|sister|cousin|friend|"
    r"(?:pupil|student|learner|child|boy|girl|teacher|colleague|assistant|somebody|someone|one)"
    r"\s+(?:named|called))[,:]?\s+$",
    re.IGNORECASE,
)

#: Characters before a word that can have a bearing on it.
REACH = 40


def is_named(text: str, start: int) -> bool:
    """Whether what stands here is said to be a person's name."""
    return _NAMING.search(text, max(0, start - REACH), start) is not None


def is_treated_as_person(text: str, start: int) -> bool:
    """Whether somebody is asked, told, seated or given something here."""
    return _BEFORE.search(text, max(0, start - REACH), start) is not None
