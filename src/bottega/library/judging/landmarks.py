"""The landmarks of a sentence: modal verbs, conjunctions, commas, "by", and what they part."""

import re

SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9“\"(*])|;\s+|\n{2,}")
LIST = re.compile(r":(?=\s*\(?(?:a|i|1)\)\s)")
LIST_ITEM = re.compile(r"(?:^|[;,.\n]|\band\b|\bor\b)\s*\(?[a-z0-9]{1,4}\)\s+", re.I)
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|para|no|cf|resp|approx)\.$", re.I)
ASIDE = re.compile(
    r"\s*\b(?:of|under|in|for|to) paragraphs? [A-Z]?\d[\w.]*(?:\(\w+\))*"
    r"|\s*\((?:see|as in|cf\.?)[^()]*(?:\([^)]*\)[^()]*)*\)",
    re.I,
)
MARKUP = re.compile(r"\*\*|__|`|^\s*(?:\(?[a-z0-9]{1,3}[.)]|A\d+\.)\s+", re.M)
MODAL = (
    r"(?:shall|must|should|may|can|need not|has to|have to|is|are|does not|will|"
    r"remains?|advises?)"
)
VERB = re.compile(rf"\b{MODAL}\b", re.I)
MODAL_VERB = re.compile(
    r"\b(?:shall|must|should|may|can|cannot|is|are|has|have|receives?|gets?)\b", re.I
)
FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|means|remains?|decides?|opens|costs?|pays?|goes|suspends?"
    r"|includes?|applies|counts?|advises?|need|needs|provides?|defines?|specif(?:y|ies)|will"
    r"|do|does|takes?|stays?|keeps?|gives?|lies|lie)\b",
    re.I,
)
#: A second statement in the same sentence: ", and loudspeakers shall be …".
SECOND = re.compile(
    rf",? (?:and|but) (?=(?:(?!(?:that|which|who|whose|not)\b)\w+[ '’-]){{0,4}}?{MODAL}\b)",
    re.I,
)
STARTERS = (
    r"(?:only )?(?:if|unless|where|when|whenever|while|until"
    r"|(?<!at )once(?! (?:an?|per|every) (?:day|week|month|year|hour)| only)(?=\s\w)"
    r"|provided(?: that)?|as long as"
    r"|for as long as|in case|except(?:ing)?(?: when| if| for| to| on| that)?|apart from|other than"
    r"|as soon as|without(?! delay)|with the exceptions? (?:of|described)|even if|so far as"
    r"|as far as)"
)
#: "…, if …", up to the comma or the end. What is true only then is not true without it.
CONDITION = re.compile(
    rf"\b{STARTERS}\b(?:[^,;]|,(?![^,;]*\b(?:shall|must|should|may|can)\b))*", re.I
)
#: "If …, the watch shall …": up to the comma before the main verb; there may be a list in between.
OPENING = re.compile(
    rf"^\W*{STARTERS}\b.*?(?=,(?! (?:and|or)\b)[^,;]*\b(?:shall|must|should|may|can|cannot|need not"
    r"|has to|have to|is|are|will|won't|don't|doesn't|pays?|does|do|opens?|stays?|prevails?)\b)"
    rf"|^\W*{STARTERS}\b[^,]{{3,40}}?(?= (?:nobody|no|the|every|it|they|you)\b[^,]*"
    r"\b(?:shall|must|should|may|can)\b)",
    re.I,
)
#: A condition that leaves it to the reader narrows nothing.
TRIVIAL = re.compile(
    r"\W*(?:if|where|when|as) (?:necessary|possible|appropriate|needed|applicable|required)\W*",
    re.I,
)
#: "For small vessels, …": the rest is said of those only; "in general, …" narrows nothing.
SCOPE = re.compile(
    r"^\W*(?:\w+ly, )?(?P<scope>(?:for|in|on|at|with|under)\b(?! (?:every|any|all|each|general"
    r"|addition|example|particular|these|this|order|other words|principle|most)\b)[^,]+),",
    re.I,
)
#: "a vessel whose dues are unpaid", "a program which embeds …": the rule is about those only.
RELATIVE = re.compile(
    r"(?<!, )(?<!at )(?<!on )(?<!in )(?<!after )(?<!with )(?<!so )(?<!of )(?<!not )(?<!ensure )"
    r"(?<!whom )"
    r"\b(?:whose \w+(?: \w+)? (?:is|are|has|have)|who|whose|whoever|which|that)\b"
    r" (?!shall\b|must\b|should\b)(?:(?:is|are|has|have|can|may|was|were) )?[^,;]*?"
    r"(?=,|\.?$| (?:shall|must|should|may|can|need not|has to|have to|pays?|counts?|is|are)\b)",
    re.I,
)
#: "every accident with an injured person" is not every accident.
NARROWED = re.compile(
    r"\b(?:every|each|all|any)\s+(?P<noun>\w+)\s+"
    r"(?P<narrow>(?:with|without|on|under)\s+(?:an? |the )?\w+(?: \w+)?)",
    re.I,
)
PERIOD = re.compile(
    r"\b(?:during|outside|inside)(?: (?:the|those|these|its|an?))?(?: \w+){1,2}|\bon duty\b"
    r"|\b(?:between (?=\d|sun|mid)|from (?=\d|sun|mid|mon)|for the first)[^,;.]*?(?=[,;.]|$"
    r"| (?:shall|must|should|(?<!\d )may|can|need|is|are|\w+ (?:shall|must|should))\b)",
    re.I,
)
BACK_REFERENCE = re.compile(
    r"\W*(?:in that case|after that|outside those hours|then|in this case|otherwise)\b", re.I
)
#: Why a rule is there, and what it holds in spite of, is no part of it.
REASON = re.compile(
    r"(?:^|,?\s)(?:although|though|because|since(?! \d)|so that|in order (?:to|that)|to ensure that"
    r"|for that way|as this)\b[^,;]*(?:,|$)|\s*\([^()]*\)",
    re.I,
)
DEFINITION = re.compile(
    r"^(?!(?:it|this|that|which)\b)[\w ,'’“”\"-]{2,60}?\b(?:means?|is one (?:with|that|who))\b",
    re.I,
)
NEGATOR = re.compile(
    r"\b(?:not|no|never|nobody|none|neither|nor|nothing|without|cannot|n't|other than|forbidden"
    r"|prohibited|absent|instead of|rather than|excluding|exempt|free of|fails? to|failing to)\b"
    r"(?! delay)|n't\b",
    re.I,
)
ONLY = re.compile(
    r"\bonly\b|\bsolely\b|\bexclusively\b"
    r"|\b(?:nobody|no one|none) (?:but|except|other than)\b|\b(?:nobody|no one) else\b"
    r"|\breserved (?:to|for)\b|\bnone but\b|\bapart from\b[^.]*\b(?:nobody|no)\b",
    re.I,
)
PASSIVE = re.compile(
    r"\b(?:is|are|be|was|were|been|being)\b(?: (?:not|only|never|also|always|then|first|\w+ly))*"
    r" (?P<participle>(?!exempt|different|present|absent|urgent|dependent)"
    r"\w+(?:ed|en|wn|pt|ld|nt|ept|ade|id|ung|ought|eft|ound|et|ost|eard))\b",
    re.I,
)
AGENT = re.compile(
    r"\bby (?:the |an? |its |their )?(?P<agent>(?!radio|telephone|road|sea|noon|\d)[a-z][\w -]*?)"
    r"(?=$|[,.;]| (?:to|at|in|on|if|unless|before|after|within|for|with|from|only|every|when|while"
    r"|until|no|and|or|that)\b)",
    re.I,
)
#: "The skipper hears of it from the harbour master": the latter acts.
HEARD_FROM = re.compile(
    r"\b(?:hears?|receives?|gets?|learns?|must have|has|have)\b[^.;]*?"
    r"\bfrom (?:the |an? |its )?(?P<agent>\w+(?: \w+)?)",
    re.I,
)
#: "Only to the deputy may the harbour master …": the subject stands behind the verb.
INVERTED = re.compile(
    r"\W*only (?:to|once|if|when|after|with|in|by|for|at)\b.*?\b(?:shall|must|should|may|can)\s+"
    r"(?P<subject>(?:the |an? )?\w+(?: \w+(?:er|or))?)",
    re.I,
)
#: "Within ten working days the council": the subject begins with the last article.
CIRCUMSTANCE = re.compile(
    r"\W*(?:within|in|on|at|by|after|before|during|for|from|outside|between|inside|under|with)\b.*\s"
    r"(?=(?:the|an?|every|each|all|any|its) |nobody|no one|it$|they$)",
    re.I,
)
ADVERBIAL = re.compile(
    r"\W*(?:in|on|at|for|during|from|by|after|before|within|between|outside|inside|as|with|without"
    r"|starting|since|under|even|to|of|through|per|when|where|every|each|apart|therefore|however"
    r"|similarly|instead|then|once|\d+|\w+ (?:hours|days|weeks|months) (?:before|after))\b",
    re.I,
)
