"""The words that replies are known by. Each list is looked for as whole words."""

import re


def phrases(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{'|'.join(alternatives)})(?![\w'])")


_PIPELINE = r"(?:(?:the|this|that|my|your|our) )?(?:research )?(?:pipeline|agent)"

#: To leave a run: commands first, then how people say it. "Never mind the last part" is about
#: the plan, and so is a new question that is to be added to it.
BREAKOUT = phrases(
    r"break[ -]?out",
    rf"(?:exit|stop|cancel|quit|abort|skip|leave|forget) {_PIPELINE}",
    r"something (?:else|different)",
    r"(?<!add a )(?<!include a )(?<!as a )(?:new|different) (?:question|topic)",
    r"change (?:the )?topic",
    r"never ?mind(?! (?:about )?(?:the|my|those|these) (?!pipeline|agent|research|whole))",
    r"forget it",
    r"changed my mind",
)

#: In answer to "do you want to leave?": to stay.
STAY = phrases(
    *("nah", "nope", "stay", "keep going", "continue", "proceed", "resume", "go back", "go on"),
    *("go ahead", "carry on", "never ?mind", "forget i said (?:that|it|anything)", "back to"),
)
#: "No" answers at either end of a clause; inside one it belongs to a noun ("is there no rain").
NO = re.compile(
    r"^(?:(?:oh|hm+|um+|uh|well|actually|please|sorry) )*"
    r"no\b(?! (?:problem|worries|longer|more)\b)"
    r"|\bno(?: thanks| thank you)?$|\brather not\b|\bnot (?:really|yet|now)\b"
)
#: In answer to the same: to leave.
LEAVE = phrases(
    *("yes", "yeah", "yep", "sure", "confirm", "quit", "leave", "exit", "terminate", "stop"),
    *("abort", "end it", "close it", "cancel"),
)
AGREED = re.compile(r"(?:ok|okay|fine|right|correct|please|do|so|it|that's|of course| )+")
#: A question of its own: words in it are about something else ("how do I leave Zurich").
OWN_QUESTION = re.compile(
    r"(?:(?:actually|ok|okay|well|please|can you|could you|tell me|just|now|or|by the way) )*"
    r"(?:what|what's|when|where|where's|who|who's|which|why|how|how's|tell me)\b(?: \S+){3,}"
)

_GOOD = "(?:good|great|fine|right|ok|okay|perfect|correct)"
#: At a pause: to go on with the plan as it is.
PROCEED = phrases(
    *("proceed", "continue", "yes", "yeah", "yep", "yup", "go ahead", "go on", "go for it", "go"),
    *("carry on", "keep going", "ok", "okay", "sure", "fine", "great", "perfect", "right"),
    *("correct", "agreed", "approved?", "confirm(?:ed)?", "resume", "start", "begin", "next"),
    *("do it", "lgtm", f"(?:looks?|sounds?|seems?|all|very|is|that's) {_GOOD}", "good"),
    *("as planned", r"(?:no changes?|nothing to change|nothing else)(?: needed)?"),
)
#: What may stand beside those without changing anything.
ASIDE = phrases(
    *(r"stages? \d", "please", "thanks", "thank you", "now", "then", "with", "the", "this"),
    *("that", "it", "to", "me", "everything", "all", "for", "plan", "research", "pipeline"),
    *("agent", "stage", "as", "is", "let's", "lets", "you", "can", "i", "i'm", "am", "happy"),
    *("ready", "just", "we", "well", "no", "so", "your", "search"),
)
#: What is left when somebody only said that they want to leave.
IDLE = phrases(
    *("a", "about", "actually", "an", "and", "ask", "can", "could", "discuss", "do", "for"),
    *("from", "get", "go", "got", "have", "i", "i'd", "i've", "i'm", "instead", "it", "just"),
    *("let's", "like", "me", "my", "need", "no", "not", "now", "of", "ok", "okay", "on", "one"),
    *("out", "please", "sorry", "talk", "thanks", "that", "the", "then", "there", "this", "to"),
    *("us", "want", "we", "well", "with", "would", "you"),
)
