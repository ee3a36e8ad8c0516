"""The landmarks of a sentence: modal verbs, conjunctions, commas, "by", and what they part."""

import re

SENTENCE_END = re.compile(
    r"(?<=[.!?;])\s+(?=[A-Z0-9/“\"(*])|;\s+|\n{2,}|\n(?=[A-Z-])"
    # "…: the wind has to blow …": a colon that a whole sentence follows.
    r"|(?<=\w):\s+(?=(?:If|When|The) \w)"
    r"|(?<=\w):\s+(?=(?:[\w/.-]+ ){1,8}?"
    r"(?:shall|must|should|may|can|cannot|has to|have to|is|are)\b)"
)
#: "… are reinstated (a) provisionally, and (b) permanently if …": a list within a sentence.
INNER_LIST = re.compile(r"(?<=\w) \((?:a|i|1)\) (?=\w)(?=.*\((?:b|ii|2)\) )")
INNER_ITEM = re.compile(r"(?:[,;]?\s+(?:and|or))?\s*\((?:[a-h]|[ivx]+|\d)\)\s+")
LIST = re.compile(r":(?=\s*\(?(?:a|i|1)\)\s)")
LIST_ITEM = re.compile(r"(?:^|[;,.\n]|\band\b|\bor\b)\s*\(?[a-z0-9]{1,4}\)\s+", re.I)
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|para|no|cf|resp|approx)\.$", re.I)
ASIDE = re.compile(
    r"\s*\b(?:of|under|in|for|to) paragraphs? [A-Z]?\d[\w.]*(?:\(\w+\))*"
    r"|,?\s*\b(?:in accord(?:ance)? with|under) (?:this|that|the above)"
    r" (?:sub)?(?:section|paragraph)s?\b"
    r"|\s*\((?:see|as in|cf\.?)[^()]*(?:\([^)]*\)[^()]*)*\)",
    re.I,
)
#: An item that needs no lead-in: "(a) You must cause …".
EMPHASIS = re.compile(r"(?<!\S)(?:\*(?=\w)|_(?=[a-z]+_\W))([a-zA-Z ]+)[*_](?!\w)")
#: "According to the policy, …", "The standard says that …": who says it is the citation's matter.
ATTRIBUTION = re.compile(
    r"^\W*(?:according to [^,]{2,60}, "
    r"|(?:the |this )?(?:\w+ ){0,3}?(?:policy|standard|text|paragraph|section|document|manual|guide"
    r"|specification|licen[cs]e|rules?)(?: [\d.()a-z]{1,12})? "
    r"(?:says?|states?|notes?|explains?|provides?|specif(?:y|ies)|makes? (?:it )?clear)"
    r"(?: that|:) )",
    re.I,
)
#: What only leads to a sentence, or ties it to the one before.
PREAMBLE = re.compile(
    r"^\W*(?:(?:please |also )?(?:note|nb|remember)(?:, however,)?,? that\s+"
    r"|(?:for example|for instance|therefore|thus|however|similarly|furthermore|in addition"
    r"|additionally|moreover|in particular|in general|finally|likewise|that is|also), )",
    re.I,
)
WHOLE_SENTENCE = re.compile(
    r"\W*(?:[a-z0-9]{1,3}[.)] )?[A-Z][\w’'-]*(?: [\w’'-]+){0,4} "
    r"(?:shall|must|should|may|can|is|are)\b"
)
MARKUP = re.compile(r"\*\*|__|`|^\s*(?:\(?[a-z0-9]{1,3}[.)]|A\d+\.)\s+", re.M)
MODAL = (
    r"(?:shall|must|should|may|can|cannot|need not|has to|have to|is|are|do not|does not|will|"
    r"remains?|advises?)"
)
#: Not the "is" of `python-is-python3`, nor the "include" of `/usr/include`.
VERB = re.compile(rf"(?<![\w/.-]){MODAL}(?![\w/-])", re.I)
MODAL_VERB = re.compile(
    r"\b(?:shall|must|should|may|can|cannot|is|are|has|have|receives?|gets?)\b", re.I
)
FINITE = re.compile(
    r"(?<![\w/.-])(?:is|are|was|were|has|have|means|remains?|decides?|opens|costs?|pays?|goes"
    r"|suspends?"
    r"|includes?|applies|counts?|advises?|need|needs|provides?|defines?|specif(?:y|ies)|will"
    r"|do|does|takes?|stays?|keeps?|gives?|lies|lie)(?![\w/-])",
    re.I,
)
#: … that goes on with the same subject: ", and must not be used".
GOES_ON = re.compile(r"^(?:shall|must|should|may|can|cannot|need not)\b", re.I)
_PLAIN = r"(?:(?!(?:that|which|who|whose|not)\b)\w+[ '’-])"
#: A second statement in the same sentence: ", and loudspeakers shall be …".
SECOND = re.compile(
    rf"(?:, (?:and|but|nor|rather|though|whereas|yet) (?={_PLAIN}{{0,9}}?{MODAL}(?![\w-]))"
    rf"| (?:and|but) (?={_PLAIN}{{0,4}}?{MODAL}(?![\w-])))",
    re.I,
)
#: "…, but they are not identical", "and does not touch it": a denial besides, whatever verb stands
#: before.
BUT_NOT = re.compile(
    r",? but (?=(?:\w+ ){0,2}?(?:(?:is|are|was|were|do|does|did|has|have|will|can|may|must|shall"
    r"|should) not|cannot|don't|doesn't|isn't|aren't|won't)\b)"
    r"|,? and (?=(?:is|are|was|were|do|does|did|has|have) not\b)|, nor (?=(?:is|are|do|does)\b)",
    re.I,
)
#: Where a clause may end. Not every such place is one, so clauses only add to the sentences.
CLAUSE = re.compile(
    r",?\s+(?:and|but|so|while|whilst|whereas|because|although|though)(?:\s+then)?\s+"
    r"|[,;:]\s+|\s+[-–—]+\s+",
    re.I,
)
STARTERS = (
    r"(?:only )?(?:if|unless|(?<!\bis )(?<!, )where|when|whenever|until"
    r"|while(?! \w+ing\b)"
    r"|(?<!at )once(?! (?:an?|per|every) (?:day|week|month|year|hour)| only)(?=\s\w)"
    r"|provided(?= (?:that|the|an?|it|its|they|this|these|all|every|no)\b)|as long as"
    r"|for as long as|in case|except(?:ing)?(?: when| if| for| to| on| that)?|apart from|other than"
    r"|as soon as|without(?! delay)|with the exceptions? (?:of|described)|even if|so far as"
    r"|as far as)"
)
#: What narrows or denies the clause beside it, and has to stay with it.
CONDITIONAL = re.compile(
    rf"\W*(?:{STARTERS}|only|not|nor|no|excluding|rather|instead|usually|generally)\b", re.I
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
    r"\b(?:shall|must|should|may|can)\b)"
    # Whatever verb the rest has: the first comma parts it.
    rf"|^\W*{STARTERS}\b[^,;]+(?=, (?!and\b|or\b))",
    re.I,
)
#: A condition that leaves it to the reader narrows nothing.
TRIVIAL = re.compile(
    r"\W*(?:if|where|when|as) (?:necessary|possible|appropriate|needed|applicable"
    r"|required|desired|wanted|so desired"
    r"|(?:you|they|he|she|one) (?:so )?(?:wish|want|like|desire|choose|prefer)"
    r"(?: (?:this|that|it)(?: to happen)?)?)(?:,.*|\W*)",
    re.I,
)
#: "For small vessels, …": the rest is said of those only; "in general, …" narrows nothing.
SCOPE = re.compile(
    r"^\W*(?:\w+ly, )?(?P<scope>(?:for|in|on|at|with|under)\b(?! \w+ing\b)(?! (?:every|any"
    r"|all|each|general"
    r"|addition|example|particular|these|this|order|other words|the purposes? of|principle"
    r"|most|\w+ reasons"
    r"|the contrary|(?:one|the other) (?:hand|end|side)|the same time"
    r"|fact|short|turn|practice|theory)\b)"
    r"[^,]+),",
    re.I,
)
#: "a vessel whose dues are unpaid", "a program which embeds …": the rule is about those only.
RELATIVE = re.compile(
    r"(?<!, )(?<!at )(?<!on )(?<!in )(?<!after )(?<!with )(?<!so )(?<!of )(?<!not )(?<!ensure )"
    r"(?<!whom )(?!that of\b)(?!(?<=\band )that \w+ (?:shall|must|should|may|can)\b)"
    r"\b(?:whose \w+(?: \w+)? (?:is|are|has|have)|who|whose|whoever|which|that)\b"
    r" (?!shall\b|must\b|should\b)(?:(?:is|are|has|have|can|may|was|were) )?[^,;]*?"
    r"(?=,|\.?$| (?:shall|must|should|may|can|need not|has to|have to|pays?|counts?|is|are)\b)",
    re.I,
)
#: After these "that" begins what is said, and narrows nothing.
COMPLEMENTED = frozenset(
    """
    recommended suggested required advised allowed forbidden important sure ensure ensures state
    states stating say says saying assume assumes mean means possible clear clearly note notice
    know knows possibility fact guarantee guarantees decide decides confirm confirms likely
    expected desirable necessary essential so such intended believed
    """.split()  # noqa: SIM905 - a list of them would be a page
)
SAYS_THAT = re.compile(
    r"\b(?:stat|say|said|declar|explain|ensur|indicat|show|tell|told|assum|mean|confirm)\w*\b"
    r"[^,;]{0,40}$",
    re.I,
)
#: "must say where …": what is said, not when it holds.
ASKED = re.compile(
    r"\b(?:states?|stating|says?|saying|explains?|decides?|knows?|specif(?:y|ies)|asks?|checks?"
    r"|determines?|shows?|tells?|see|test|verify|find out)\s+$",
    re.I,
)
#: ", which is managed by …" says something besides.
BESIDES_THAT = re.compile(
    r"(?P<noun>[^\s,]+), which (?=(?:is|are|has|have|must|may|should|can|shall)\b)"
)
#: "every accident with an injured person" is not every accident.
NARROWED = re.compile(
    r"\b(?:every|each|all|any)\s+(?P<noun>\w+)\s+"
    r"(?P<narrow>(?:with|without|on|under)\s+(?:an? |the )?\w+(?: \w+)?)",
    re.I,
)
#: "modules used by other packages must …": the relative clause without its "which are".
REDUCED = re.compile(
    r"\b(?P<noun>\w+) (?P<narrow>\w+(?:ed|en|ing|built|made) "
    r"(?:by|in|for|with|under|from|on|at|via)\b[^,;]*?)"
    r"(?= (?:shall|must|should|may|can|cannot|is|are|need not|has to|have to)\b)",
    re.I,
)
#: "only for reference", "at berth 40 only".
ONLY_THERE = re.compile(
    r"\b(?<!but )(?<!preferably )(?:only|exclusively|solely)"
    r" (?:for|in|on|at|by|with|to|from|as)\b[^,;.]*"
    r"|\b(?:for|in|on|at|by|with|to|from)\b[^,;.]{3,40} only\b",
    re.I,
)
NOBODY_BUT = re.compile(r"\b(?:nobody|none|no one) (?:but|except|other than)\b", re.I)
PERIOD = re.compile(
    r"\b(?:during|outside|inside)(?: (?:the|those|these|its|an?))?(?! scope)(?: \w+){1,2}"
    r"|\bon duty\b"
    r"|\b(?:between (?=\d|sun|mid)|from (?=\d|sun|mid|mon)|for the first)[^,;.]*?(?=[,;.]|$"
    r"| (?:shall|must|should|(?<!\d )may|can|need|is|are|\w+ (?:shall|must|should))\b)",
    re.I,
)
#: "Apart from the default, others may be included as well": said besides, not except.
BESIDES = re.compile(r"\b(?:as well|also|too|additionally)\b", re.I)
#: "if there is one", "if it exists": the same condition in any words.
EXISTS = re.compile(
    r"\b(?:if|when|where) (?:there (?:is|are)\b(?! no\b)|any\b|present\b|available\b"
    r"|(?:it|they|one|the latter) (?:exists?|(?:is|are) (?:present|available|installed)))",
    re.I,
)
#: "Living on board is forbidden": nobody acts.
#: What tells somebody to do something, without a modal verb.
IMPERATIVE = re.compile(
    r"\W*(?:please|do not|never) (?:also )?[a-z]+\b(?! (?:is|are|shall|must|may)\b)"
    r"|\W*(?:(?:please|always|never|do not|don't) )?(?:use|put|ask|write|be|call|leave|stop|keep"
    r"|make|add|include|attach|give|place|set|install|rely|send|read|check|avoid|try|take|wait|slow"
    r"|have|go|run|choose|name|create|remove|close|open|store|show|tell|report|provide|refer"
    r"|consult)\b",
    re.I,
)
GERUND = re.compile(
    r"\w{2,}ing\b(?! (?:vessel|officer|staff|crew|party|person|programs?)s?\b)", re.I
)
THERE_ARE = re.compile(r"\W*there (?:is|are)\b", re.I)
#: "a directory not in use", "files not required at boot": no denial of what is said about them.
NARROWED_BY_NOT = re.compile(
    r"\b(?!(?:is|are|was|were|be|been|shall|must|may|can|should|do|does|did|has|have|will|need|but"
    r"|and|or|whether|if)\b)\w+ not (?:in|on|of|\w+ed)\b",
    re.I,
)
#: "It is possible to …": nothing that was named before.
IMPERSONAL = re.compile(
    r"\bit (?:\w+ ){0,2}?(?:is|be|was|been|becomes?|seems?) (?:[\w,]+ ){0,4}?\w+ (?:to|that)\b",
    re.I,
)
PRONOUN = re.compile(r"\b(?:it|them|they|those|these|its|their)\b", re.I)
#: "[12]": where a footnote hangs.
FOOTNOTE = re.compile(r"\s*\[\d{1,3}\]")
BACK_REFERENCE = re.compile(
    r"\W*(?:in that case|after that|outside those hours|then|in this case|otherwise)\b", re.I
)
#: Why a rule is there, and what it holds in spite of, is no part of it.
REASON = re.compile(
    r"^as (?!soon\b|long\b|far\b|an?\b|the\b)[^,;]*,"
    r"|(?:^|,?\s)(?:although|though|because|since(?! \d)|so that|(?<=\s)so (?:they|it|you|users?)"
    r"|in order (?:to|that)|to ensure that"
    r"|for that way|as this)\b[^,;]*(?:,|$)|\s*\([^()]*\)",
    re.I,
)
CONTRAST = re.compile(r",?\s+(?:rather than|instead of|and not)\s+", re.I)
EXCEPT = re.compile(r"\W*(?:except|apart from|other than|with the exception)", re.I)
#: "There are hooks which are run when …": the condition is one of what the relative says.
IN_RELATIVE = re.compile(
    rf"\b{MODAL}\b.*\b(?:which|who)\b[^,;]*$|\b(?:which|who) (?:is|are|was|were|has|have)\b[^,;]*$",
    re.I,
)
DEFINITION = re.compile(
    r"^(?!(?:it|this|that|which)\b)[\w ,'’“”\"-]{2,60}?\b(?:means?|is one (?:with|that|who))\b",
    re.I,
)
NEGATOR = re.compile(
    r"\b(?:not|no|never|nobody|none|neither|nor|nothing|without|cannot|n't|other than|forbidden"
    r"|prohibited|excluding|exempt|free of|fails? to|failing to)\b"
    r"(?! delay)|n't\b",
    re.I,
)
ONLY = re.compile(
    r"(?<!\bnot )\bonly\b|\bsolely\b|\bexclusively\b"
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
    r"\bby (?:the |an? |its |their )?(?P<agent>(?!radio|telephone|road|sea|noon|\d)"
    r"\w+(?:\.\w+)*(?:[ -]\w+(?:\.\w+)*)*?)"
    r"(?=$|[,.;]| (?:to|at|in|on|if|unless|before|after|within|for|with|from|only|every|when|while"
    r"|until|no|and|or|that|shall|must|should|may|can|is|are)\b)",
    re.I,
)
#: "The skipper hears of it from the harbour master": the latter acts.
HEARD_FROM = re.compile(
    r"\b(?:hears?|receives?|gets?|learns?|must have|(?:has|have)(?! to\b))\b[^.;]*?"
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
